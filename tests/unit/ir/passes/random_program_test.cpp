// Whatever a pass does to a program, the program computes the same. (Contraction rounds differently on purpose.)
#include "tests/unit/ir/passes/random_program.h"

#include <gtest/gtest.h>

#include "ir/passes/passes.h"
#include "ir/verify/verifier.h"
#include "tests/reference/interpreter.h"

namespace pykc::ir {
namespace {

std::unique_ptr<Module> random_module(unsigned seed) {
  auto module = std::make_unique<Module>();
  Function& kernel = *module->functions.emplace_back(std::make_unique<Function>());
  kernel.name = kernel.symbol = "k";
  kernel.is_kernel = true;
  kernel.parameters = {{"out", Type::pointer(ScalarType::I64, AddressSpace::Global)}, {"n", Type::of(ScalarType::I64)}};
  RandomProgram(kernel, seed).generate();
  return module;
}

std::vector<std::int64_t> result_of(const Module& module, std::int64_t n) {
  std::vector<std::int64_t> out(16, 7);
  const reference::Outcome outcome =
      reference::run(module, *module.find("k"), {}, {reference::bits_of(out.data()), reference::bits_of(n)});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  return out;
}

std::size_t size_of(const Module& module) { return print_module(module).size(); }

void expect_same_results(const Module& plain, const Module& changed) {
  ASSERT_TRUE(verify(changed).empty()) << verify(changed).front() << print_module(changed);
  for (const std::int64_t n : {0, 5, -3})
    ASSERT_EQ(result_of(plain, n), result_of(changed, n)) << print_module(plain) << print_module(changed);
}

TEST(RandomPrograms, ComputeTheSameInParts) {
  std::size_t parts = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const auto plain = random_module(seed), cut = random_module(seed);
    cut_long_functions(*cut, 12, seed % 2 == 0 ? 1 : kDeepest);
    parts += cut->functions.size() - 1;
    ASSERT_NO_FATAL_FAILURE(expect_same_results(*plain, *cut)) << "seed " << seed;
  }
  EXPECT_GT(parts, 500U);
}

TEST(RandomPrograms, ComputeTheSameAfterEachPass) {
  std::size_t size_before = 0, size_after = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const auto plain = random_module(seed), changed = random_module(seed);
    ASSERT_TRUE(verify(*plain).empty()) << verify(*plain).front() << print_module(*plain);
    size_before += size_of(*plain);
    for (const auto pass : {promote_locals, fold_constants}) {
      pass(*changed->find("k"));
      ASSERT_NO_FATAL_FAILURE(expect_same_results(*plain, *changed)) << "seed " << seed;
    }
    size_after += size_of(*changed);
  }
  EXPECT_LT(size_after, size_before);
}

}  // namespace
}  // namespace pykc::ir
