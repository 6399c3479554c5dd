// Kernels cut into parts compute what they compute whole: random ones with barriers, on this machine's CPU.
#include <gtest/gtest.h>

#include "codegen/codegen.h"
#include "ir/passes/clone.h"
#include "ir/passes/passes.h"
#include "ir/verifier.h"
#include "tests/unit/codegen/cpu_program.h"
#include "tests/unit/ir/split/random_kernel.h"

namespace pykc::codegen::test {
namespace {

constexpr int kSeeds = 40;
constexpr std::size_t kShort = 24;  // instructions a function

std::vector<std::int64_t> run(const ir::Module& module, std::int64_t threads, std::int64_t n) {
  CpuProgram program(module, "cpu", 1);
  std::vector<std::int64_t> in(static_cast<std::size_t>(2 * threads) + 64), out(static_cast<std::size_t>(2 * threads));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int64_t>(5 + 3 * i);
  void* addresses[] = {out.data(), in.data()};
  program.run("k", {.grid = {2, 1, 1}, .block = {threads, 1, 1}}, {&addresses[0], &addresses[1], &n});
  return out;
}

TEST(Cut, PartsComputeTheSame) {
  std::size_t parts = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const std::unique_ptr<ir::Module> whole = ir::RandomKernel(seed).make();
    ir::inline_calls(*whole);
    ir::split_at_barriers(*whole->find("k"), *whole);
    ir::Module cut = ir::clone(*whole);
    ir::cut_long_functions(cut, kShort);
    parts += cut.functions.size() - whole->functions.size();
    ASSERT_TRUE(ir::verify(cut).empty()) << ir::verify(cut).front() << ir::print_module(cut);
    ASSERT_EQ(run(*whole, 40, seed % 7), run(cut, 40, seed % 7)) << "seed " << seed << '\n' << ir::print_module(cut);
  }
  EXPECT_GT(parts, 10U * kSeeds);
}

}  // namespace
}  // namespace pykc::codegen::test
