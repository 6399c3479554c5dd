// What one thread does: control flow, memory, calls, faults, prints.
#include <numeric>

#include "tests/reference/kernel_text.h"

namespace pykc::reference {
namespace {

TEST(Interpreter, RunsEveryThreadOfEveryBlock) {
  std::vector<float> x(10);
  std::iota(x.begin(), x.end(), 0.0f);
  const Outcome outcome = run_text(R"(
kernel @k(%x: ptr<f32, global>, %x.shape0: i64, %a: f32) {
  %0 = builtin threadIdx.x : i64
  %1 = builtin blockIdx.x : i64
  %2 = builtin blockDim.x : i64
  %3 = mul %1, %2
  %4 = add %3, %0
  %5 = lt %4, %x.shape0
  if %5 {
    %6 = element %x, %4
    %7 = load %6 : f32
    %8 = mul %7, %a
    store %6, %8
  }
}
)",
                                   {.grid = {3}, .block = {4}}, {bits_of(x.data()), 10, bits_of(2.0f)});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], 2.0f * static_cast<float>(i));
}

TEST(Interpreter, KnowsPlacesInThreeDimensions) {
  std::vector<std::int64_t> seen(1 + 12 * 6);
  // One number that holds all six coordinates in decimal.
  const Outcome outcome = run_text(R"(
kernel @k(%out: ptr<i64, global>) {
  %0 = builtin threadIdx.x : i64
  %1 = builtin threadIdx.y : i64
  %2 = builtin threadIdx.z : i64
  %3 = builtin blockIdx.x : i64
  %4 = builtin blockIdx.y : i64
  %5 = builtin blockIdx.z : i64
  %6 = mul %1, i64 10
  %7 = mul %2, i64 100
  %8 = mul %3, i64 1000
  %9 = mul %4, i64 10000
  %10 = mul %5, i64 100000
  %11 = add %0, %6
  %12 = add %11, %7
  %13 = add %12, %8
  %14 = add %13, %9
  %15 = add %14, %10
  %16 = atomic add %out, i64 1 : i64
  %17 = add %16, i64 1
  %18 = element %out, %17
  store %18, %15
}
)",
                                   {.grid = {2, 1, 3}, .block = {2, 3, 2}}, {bits_of(seen.data())});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  EXPECT_EQ(seen[0], 72);  // how many have been here
  EXPECT_EQ(seen[1], 0);
  EXPECT_EQ(seen[2], 1);
  EXPECT_EQ(seen[3], 10);
  EXPECT_EQ(seen[12], 121);
  EXPECT_EQ(seen[13], 1000);
  EXPECT_EQ(seen[25], 100000);
  EXPECT_EQ(seen[72], 201121);
}

TEST(Interpreter, LoopsBreakAndContinue) {
  // The sum of the odd numbers below 10, until the sum passes %t + 8.
  const auto out = run_threads<std::int64_t>(R"(
  local $i: i64
  local $sum: i64
  %0 = builtin threadIdx.x : i64
  store_local $i, i64 0
  store_local $sum, i64 0
  scope L0 {
    loop L1 {
      %1 = load_local $i : i64
      %2 = ge %1, i64 10
      if %2 {
        break L1
      }
      %3 = and %1, i64 1
      %4 = eq %3, i64 0
      if %4 {
        continue L1
      }
      %5 = load_local $sum : i64
      %6 = add %5, %1
      store_local $sum, %6
      %7 = add %0, i64 8
      %8 = gt %6, %7
      if %8 {
        break L0
      }
    } continuing {
      %9 = load_local $i : i64
      %10 = add %9, i64 1
      store_local $i, %10
    }
    store_local $sum, i64 -1
  }
  %11 = load_local $sum : i64
  %12 = element %out, %0
  store %12, %11
)",
                                             20);
  EXPECT_EQ(out[0], 9);
  EXPECT_EQ(out[1], 16);
  EXPECT_EQ(out[8], 25);
  EXPECT_EQ(out[16], 25);
  EXPECT_EQ(out[17], -1);
}

TEST(Interpreter, CallsGiveSeveralResultsAndRecur) {
  std::int64_t out[2] = {};
  const Outcome outcome = run_text(R"(
device @divmod(%a: i64, %b: i64) -> i64, i64 {
  %0 = floordiv %a, %b
  %1 = mod %a, %b
  return %0, %1
}
device @factorial(%n: i64) -> i64 {
  local_array kept: i64[1] align 16
  %0 = lt %n, i64 2
  if %0 {
    return i64 1
  }
  %1 = local_array 0 : ptr<i64, local>
  store %1, %n
  %2 = sub %n, i64 1
  %3 = call @factorial %2
  %4 = extract 0 %3 : i64
  %5 = load %1 : i64
  %6 = mul %4, %5
  return %6
}
kernel @k(%out: ptr<i64, global>) {
  %0 = call @divmod i64 -7, i64 3
  %1 = extract 0 %0 : i64
  %2 = extract 1 %0 : i64
  %3 = mul %1, i64 10
  %4 = add %3, %2
  store %out, %4
  %5 = call @factorial i64 10
  %6 = extract 0 %5 : i64
  %7 = element %out, i64 1
  store %7, %6
}
)",
                                   {}, {bits_of(&out[0])});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  EXPECT_EQ(out[0], -28);
  EXPECT_EQ(out[1], 3628800);
}

TEST(Interpreter, EndlessRecursionIsAnError) {
  const Outcome outcome = run_text("device @f() {\n  call @f\n  return\n}\nkernel @k() {\n  call @f\n}\n", {}, {});
  EXPECT_EQ(outcome.error, "block (0, 0, 0), thread (0, 0, 0): too many nested calls");
}

TEST(Interpreter, EndlessLoopsAreErrors) {
  const Outcome outcome =
      run_text("kernel @k() {\n  loop L0 {\n  }\n}\n", {.grid = {}, .block = {}, .step_limit = 1000}, {});
  EXPECT_EQ(outcome.error, "block (0, 0, 0), thread (0, 0, 0): the step limit is reached");
}

TEST(Interpreter, FaultsSayWhereAndStopTheLaunch) {
  std::vector<std::int32_t> reached(8);
  const Outcome outcome = run_text(R"(
fault "first" "" 1 1
fault "second: {0} {1}" "" 2 1
kernel @k(%out: ptr<i32, global>) {
  %0 = builtin blockIdx.x : i64
  %1 = builtin threadIdx.y : i64
  %2 = mul %0, i64 4
  %3 = add %2, %1
  %4 = eq %3, i64 6
  if %4 {
    fault 1 %3, i64 -5
  }
  %5 = element %out, %3
  store %5, i32 1
}
)",
                                   {.grid = {2}, .block = {1, 4}}, {bits_of(reached.data())});
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_FALSE(outcome.is_clean());
  EXPECT_EQ(outcome.fault->site, 1);
  EXPECT_EQ(outcome.fault->block, (Dim3{1, 0, 0}));
  EXPECT_EQ(outcome.fault->thread, (Dim3{0, 2, 0}));
  EXPECT_EQ(outcome.fault->values, (std::array<std::int64_t, 9>{6, -5}));
  EXPECT_EQ(reached, (std::vector<std::int32_t>{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(Interpreter, Prints) {
  const Outcome outcome = run_text(R"(
kernel @k(%n: i64, %d: f64) {
  format "n = %lld, 100%%\n"
  format "%llu %g %.15g %s %s\n"
  print 0 %n
  print 1 u64 18446744073709551615, %d, %d, bool true, bool false
}
)",
                                   {.grid = {2}, .block = {}}, {bits_of<std::int64_t>(-3), bits_of(1.0 / 3)});
  const std::string once = "n = -3, 100%\n18446744073709551615 0.333333 0.333333333333333 True False\n";
  EXPECT_EQ(outcome.printed, once + once);
}

TEST(Interpreter, AssumptionsAreChecked) {
  EXPECT_EQ(run_text("kernel @k(%c: bool) {\n  assume %c\n}\n", {}, {0}).error,
            "block (0, 0, 0), thread (0, 0, 0): an assumption does not hold");
  EXPECT_EQ(run_text("kernel @k(%c: bool) {\n  assume %c\n}\n", {}, {1}).error, "");
}

TEST(Interpreter, PromisesToTheOptimiserAreChecked) {
  const auto error = [](const std::string& body) {
    return run_text("kernel @k() {\n  local $i: i64 from 0 to 9\n" + body + "}\n", {}, {}).error;
  };
  const std::string where = "block (0, 0, 0), thread (0, 0, 0): ";
  EXPECT_EQ(error("%0 = add no_wrap i64 9223372036854775807, i64 1\n"), where + "add no_wrap wraps");
  EXPECT_EQ(error("%0 = mul no_wrap i64 4294967296, i64 -2147483648\n"), "");
  EXPECT_EQ(error("store_local $i, i64 10\n"), where + "local i leaves its range: 10");
  EXPECT_EQ(error("store_local $i, i64 9\n"), "");
}

TEST(Interpreter, ConstantArraysAndNarrowMemory) {
  std::uint8_t bytes[4] = {1, 2, 255, 4};
  const Outcome outcome = run_text(R"(
constant table: i16 = "0100feff"
kernel @k(%x: ptr<u8, global>) {
  %0 = constant_array 0 : ptr<i16, constant>
  %1 = element %0, i64 1
  %2 = load %1 : i16
  %3 = cast %2 : i64
  %4 = element %x, i64 2
  %5 = load %4 : u8
  %6 = cast %5 : i64
  %7 = add %6, %3
  %8 = cast %7 : u8
  store %4, %8
}
)",
                                   {}, {bits_of(&bytes[0])});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  EXPECT_EQ(bytes[1], 2);
  EXPECT_EQ(bytes[2], 253);
  EXPECT_EQ(bytes[3], 4);
}

struct AtomicRow {
  const char* op;
  std::int32_t before, value, after;
};

TEST(Interpreter, Atomics) {
  const AtomicRow rows[] = {
      {"add", 5, 3, 8},       {"sub", 5, 3, 2},       {"max", -5, 3, 3},      {"min", -5, 3, -5},
      {"and", 6, 3, 2},       {"or", 6, 3, 7},        {"xor", 6, 3, 5},       {"exchange", 6, 3, 3},
      {"increment", 2, 3, 3}, {"increment", 3, 3, 0}, {"decrement", 0, 3, 3}, {"decrement", 4, 3, 3},
      {"decrement", 3, 3, 2},
  };
  for (const AtomicRow& row : rows) {
    std::int32_t memory[2] = {row.before, 0};
    const Outcome outcome = run_text("kernel @k(%x: ptr<i32, global>, %v: i32) {\n%0 = atomic " + std::string(row.op) +
                                         " %x, %v : i32\n%1 = element %x, i64 1\nstore %1, %0\n}\n",
                                     {}, {bits_of(&memory[0]), bits_of(row.value)});
    EXPECT_TRUE(outcome.is_clean()) << outcome.error;
    EXPECT_EQ(memory[0], row.after) << row.op;
    EXPECT_EQ(memory[1], row.before) << row.op;
  }
}

TEST(Interpreter, CompareAndSwap) {
  const std::string text =
      "kernel @k(%x: ptr<f32, global>, %old: f32) {\n%0 = atomic_cas %x, %old, f32 9 : f32\n"
      "%1 = element %x, i64 1\nstore %1, %0\n}\n";
  float memory[2] = {4, 0};
  run_text(text, {}, {bits_of(&memory[0]), bits_of(5.0f)});
  EXPECT_EQ(memory[0], 4);
  run_text(text, {}, {bits_of(&memory[0]), bits_of(4.0f)});
  EXPECT_EQ(memory[0], 9);
  EXPECT_EQ(memory[1], 4);
}

TEST(Interpreter, MathLibrary) {
  const auto out = run_threads<double>(R"(
  %0 = builtin math.sin f64 1 : f64
  %1 = builtin math.pow %0, f64 2 : f64
  %2 = builtin math.cos f64 1 : f64
  %3 = builtin math.pow %2, f64 2 : f64
  %4 = add %1, %3
  %5 = builtin math.ldexp %4, i32 3 : f64
  store %out, %5
)",
                                       1);
  EXPECT_NEAR(out[0], 8, 1e-12);
}

}  // namespace
}  // namespace pykc::reference
