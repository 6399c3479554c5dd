// Kernels cut into parts compute what they compute whole: random ones with barriers, on this machine's CPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/codegen.h"
#include "ir/passes/clone.h"
#include "ir/passes/passes.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"
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

/// All values before the first use of one.
std::string long_lived_values(int count) {
  std::string text =
      "module \"test\"\n\nkernel @k(%out: ptr<i64, global>, %in: ptr<i64, global> read_only, %n: i64) {\n";
  int values = 0;
  const auto add = [&](const std::string& code) {
    text += "  %" + std::to_string(values) + " = " + code + "\n";
    return "%" + std::to_string(values++);
  };
  const std::string thread = add("builtin threadIdx.x : i64");
  std::vector<std::string> loaded;
  for (int i = 0; i < count; ++i) {
    const std::string place = add("add " + thread + ", i64 " + std::to_string(i));
    loaded.push_back(add("load " + add("element %in, " + place) + " : i64"));
  }
  std::string sum = "%n";
  for (const std::string& value : loaded) {
    const std::string scaled = add("mul " + sum + ", i64 3");
    sum = add("add " + scaled + ", " + value);
  }
  return text + "  store " + add("element %out, " + thread) + ", " + sum + "\n  return\n}\n";
}

TEST(Cut, PartsMayHaveMoreResultsThanRegistersHold) {
  std::vector<std::string> errors;
  const std::unique_ptr<ir::Module> whole = ir::parse_module(long_lived_values(75), errors);
  ASSERT_TRUE(whole) << errors.front();
  ir::split_at_barriers(*whole->find("k"), *whole);
  ir::Module cut = ir::clone(*whole);
  ir::cut_long_functions(cut, 230);
  ASSERT_TRUE(ir::verify(cut).empty()) << ir::verify(cut).front();
  EXPECT_TRUE(std::ranges::any_of(cut.functions, [](const auto& function) { return function->results.size() > 64; }));
  EXPECT_EQ(run(*whole, 16, 5), run(cut, 16, 5));
}

TEST(Cut, PartsHaveTheBoxesOfTheirTensorMaps) {
  std::string text =
      "module \"test\"\n\nkernel @k(%s: ptr<f32, global>, %x: ptr<u64, global>) {\n  written_tensor_box 0: 16\n";
  for (int i = 0; i < 100; ++i) {
    const std::string map = "%" + std::to_string(i);
    text += "  " + map + " = tensor_map 0 %s, i64 64, i64 1 : u64\n  store %x, " + map + "\n";
  }
  std::vector<std::string> errors;
  const std::unique_ptr<ir::Module> module = ir::parse_module(text + "  return\n}\n", errors);
  ASSERT_TRUE(module) << errors.front();
  ir::cut_long_functions(*module, kShort);
  EXPECT_GT(module->functions.size(), 2U);
  EXPECT_TRUE(ir::verify(*module).empty()) << ir::verify(*module).front();
}

}  // namespace
}  // namespace pykc::codegen::test
