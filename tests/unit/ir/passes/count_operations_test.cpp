#include "ir/instrument/count_operations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/text/parser.h"
#include "ir/verify/verifier.h"
#include "tests/reference/interpreter.h"

namespace pykc::ir {
namespace {

/// What a launch counts, by the interpreter; `x` has an f32 for each thread.
Counts counted(const std::string& text, const reference::Launch& launch, std::vector<float> x) {
  std::vector<std::string> errors;
  const auto module = parse_module(text, errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  count_operations(*module);
  for (const std::string& error : verify(*module)) ADD_FAILURE() << error << "\n" << print_module(*module);
  std::vector<std::int64_t> rows(kCountRows * kCountsInRow);
  const reference::Outcome outcome = reference::run(*module, *module->find("k"), launch,
                                                    {reference::bits_of(x.data()), reference::bits_of(rows.data())});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  Counts total = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % kCountsInRow < total.size())
      total[i % kCountsInRow] += rows[i];
    else
      EXPECT_EQ(rows[i], 0) << "beside the counts of a row";
  }
  return total;
}

constexpr const char* kThread = R"(
  %0 = builtin blockIdx.x : i64
  %1 = builtin threadIdx.x : i64
  %2 = mul %0, i64 4
  %3 = add %2, %1
  %4 = element %x, %3
  %5 = load %4 : f32
)";

TEST(CountOperations, BytesAndFlopsOfEveryThread) {
  const std::string text = std::string("kernel @k(%x: ptr<f32, global>) {") + kThread + R"(
  %6 = mul %5, %5
  %7 = fma %6, %5, %5
  %8 = neg %7
  %9 = builtin math.sqrt %7 : f32
  store %4, %9
})";
  const Counts counts = counted(text, {.grid = {100}, .block = {4}}, std::vector<float>(400, 2.0F));
  EXPECT_EQ(counts, (Counts{4 * 400, 4 * 400, 4 * 400, 0}));
}

TEST(CountOperations, LoopsAndEarlyReturns) {
  // A thread leaves at once where its number is not above 0; else it runs as many rounds as that number says.
  const std::string text = std::string("kernel @k(%x: ptr<f32, global>) {\n  local $left: f32\n") + kThread + R"(
  store_local $left, %5
  %6 = le %5, f32 0.0
  if %6 {
    return
  }
  loop L0 {
    %7 = load_local $left : f32
    %8 = le %7, f32 0.0
    if %8 {
      break L0
    }
  } continuing {
    %9 = load_local $left : f32
    %10 = sub %9, f32 1.0
    store_local $left, %10
  }
  %11 = cast %5 : f64
  %12 = add %11, %11
  %13 = cast %12 : f32
  store %4, %13
})";
  const Counts counts = counted(text, {.grid = {1}, .block = {4}}, {0, 3, -1, 5});
  EXPECT_EQ(counts, (Counts{4 * 4, 2 * 4, 3 + 5, 2}));
}

TEST(CountOperations, CalleesCountForTheirCallers) {
  const std::string text = std::string(R"(
device @square(%v: f32) -> f32 {
  %0 = mul %v, %v
  return %0
}
device @fourth(%v: f32) -> f32 {
  %0 = call @square %v
  %1 = extract 0 %0 : f32
  %2 = call @square %1
  %3 = extract 0 %2 : f32
  return %3
}
kernel @k(%x: ptr<f32, global>) {)") +
                           kThread + R"(
  %6 = call @fourth %5
  %7 = extract 0 %6 : f32
  %8 = atomic add %4, %7 : f32
})";
  const Counts counts = counted(text, {.grid = {2}, .block = {4}}, std::vector<float>(8, 2.0F));
  EXPECT_EQ(counts, (Counts{2 * 4 * 8, 4 * 8, 3 * 8, 0}));
}

TEST(CountOperations, OnlyGlobalMemoryHasBytes) {
  const std::string text =
      std::string("kernel @k(%x: ptr<f32, global>) {\n  shared_array s: f32[4] align 16\n") + kThread + R"(
  %6 = shared_array 0 : ptr<f32, shared>
  %7 = element %6, %1
  store %7, %5
  %8 = load %7 : f32
  %9 = add %8, %8
  store %4, %9
})";
  const Counts counts = counted(text, {.grid = {1}, .block = {4}}, std::vector<float>(4, 1.0F));
  EXPECT_EQ(counts, (Counts{16, 16, 4, 0}));
}

}  // namespace
}  // namespace pykc::ir
