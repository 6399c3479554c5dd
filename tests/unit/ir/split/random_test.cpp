// Random kernels, split and unsplit. PYKC_RANDOM_SEEDS=first:last runs others.
#include <cstdlib>

#include "ir/passes/clone.h"
#include "ir/verify/verifier.h"
#include "tests/unit/ir/split/random_kernel.h"
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

constexpr std::int64_t kBlockSizes[] = {1, 31, 40, 64, RandomKernel::kThreads};

void check(unsigned seed) {
  const std::unique_ptr<Module> module = RandomKernel(seed).make();
  ASSERT_TRUE(verify(*module).empty()) << verify(*module).front() << print_module(*module);
  Module divided = clone(*module);
  split(divided);
  for (const std::int64_t threads : kBlockSizes) {
    const reference::Launch launch{.grid = {2}, .block = {threads}};
    const RunResult before = run(*module, launch, static_cast<std::int64_t>(seed % 7));
    ASSERT_TRUE(before.outcome.is_clean()) << "the kernel itself is wrong: " << before.outcome.error;
    const RunResult after = run(divided, launch, static_cast<std::int64_t>(seed % 7));
    ASSERT_TRUE(after.outcome.is_clean()) << after.outcome.error;
    ASSERT_EQ(before.out, after.out) << threads << " threads\n"
                                     << print_function(*module->find("k")) << print_function(*divided.find("k"));
  }
}

TEST(SplitRandom, DoTheSame) {
  unsigned first = 0, last = 300;
  if (const char* seeds = std::getenv("PYKC_RANDOM_SEEDS")) std::sscanf(seeds, "%u:%u", &first, &last);
  for (unsigned seed = first; seed < last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(check(seed));
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pykc::ir
