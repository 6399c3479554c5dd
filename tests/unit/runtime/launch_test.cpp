// The checks of a launch, on kernels that never run.
#include "runtime/launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "runtime/device.h"
#include "tests/unit/runtime/kernel_descriptions.h"

namespace pykc {
namespace {

using testing::array;
using testing::constant;
using testing::for_each_thread;
using testing::kAny;
using testing::kernel;
using testing::scalar;
using ::testing::Test;

/// What a device allows a kernel.
struct Limits {
  int max_threads_per_block = 1024;
  std::int64_t max_shared_bytes = 100000;
};

class LaunchTest : public Test {
 protected:
  /// "" if the launch is fine, else the error's text.
  std::string prepare(const KernelInfo& info, const LaunchConfig& config, const std::vector<Argument>& arguments,
                      Limits limits = {}) {
    prepared_.words = 0;
    const detail::LaunchRules rules(info, limits.max_threads_per_block, limits.max_shared_bytes);
    const Result<void> done =
        detail::prepare_launch(info, rules, *device_.state(), config, {arguments.data(), arguments.size()}, prepared_);
    EXPECT_TRUE(done || done.error().code == ErrorCode::InvalidLaunch);
    return done ? "" : done.error().message;
  }
  /// The same for one argument.
  std::string pass(const ParameterInfo& parameter, const Argument& argument) {
    return prepare(kernel("k", {parameter}), {.grid = {1}, .block = {1}}, {argument});
  }

  Device device_ = Device::open("cpu").value();
  detail::PreparedLaunch prepared_;
};

Argument array_argument(ScalarType type, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides) {
  static double memory[4];
  Argument argument;
  argument.is_array = true;
  argument.type = type;
  argument.rank = static_cast<int>(extents.size());
  argument.address = memory;
  std::copy(extents.begin(), extents.end(), argument.extents);
  std::copy(strides.begin(), strides.end(), argument.strides);
  return argument;
}

TEST_F(LaunchTest, EmptyGridIsFine) {
  EXPECT_EQ(prepare(kernel("k", {}), {.grid = {0}, .block = {32}}, {}), "");
  EXPECT_EQ(prepared_.blocks, 0);
}

TEST_F(LaunchTest, CountsBlocks) {
  EXPECT_EQ(prepare(kernel("k", {}), {.grid = {2147483647, 65535, 65535}, .block = {32}}, {}), "");
  EXPECT_EQ(prepared_.blocks, std::int64_t{2147483647} * 65535 * 65535);
}

TEST_F(LaunchTest, RefusesGrids) {
  const KernelInfo k = kernel("k", {});
  EXPECT_EQ(prepare(k, {.grid = {-1}, .block = {1}}, {}), "kernel `k`: the grid (-1, 1, 1) has a negative extent");
  EXPECT_EQ(prepare(k, {.grid = {2147483648}, .block = {1}}, {}),
            "kernel `k`: the grid (2147483648, 1, 1) is larger than (2147483647, 65535, 65535)");
  EXPECT_NE(prepare(k, {.grid = {1, 65536}, .block = {1}}, {}), "");
  EXPECT_NE(prepare(k, {.grid = {1, 1, 65536}, .block = {1}}, {}), "");
}

TEST_F(LaunchTest, RefusesBlocks) {
  KernelInfo k = kernel("k", {});
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {0}}, {}),
            "kernel `k`: every extent of a block is at least 1; this block is (0, 1, 1)");
  EXPECT_NE(prepare(k, {.grid = {1}, .block = {1, -1}}, {}), "");
  EXPECT_NE(prepare(k, {.grid = {0}, .block = {0}}, {}), "");
  EXPECT_NE(prepare(k, {.grid = {1}, .block = {1025}}, {}), "");
  EXPECT_NE(prepare(k, {.grid = {1}, .block = {1, 1, 65}}, {}), "");
  EXPECT_NE(prepare(k, {.grid = {1}, .block = {std::numeric_limits<std::int64_t>::max(), 2}}, {}), "");
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {1024}}, {}), "");
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {32, 33}}, {}),
            "kernel `k`: a block has at most 1024 threads; this block (32, 33, 1) has 1056");
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {256}}, {}, {.max_threads_per_block = 255, .max_shared_bytes = 0}),
            "kernel `k`: its use of registers leaves room for 255 threads in a block on this device; this block "
            "(256, 1, 1) has 256");
  k.max_threads_per_block = 128;
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {129}}, {}),
            "kernel `k`: its launch bound allows 128 threads in a block; this block (129, 1, 1) has 129");
}

TEST_F(LaunchTest, AddsUpSharedMemory) {
  KernelInfo k = kernel("k", {});
  k.static_shared_bytes = 1000;
  k.dynamic_shared_bytes = for_each_thread(8);
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {128}, .shared_bytes = 16}, {}), "");
  EXPECT_EQ(prepared_.dynamic_shared_bytes, 128 * 8 + 16);
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {128}, .shared_bytes = 100000 - 1000 - 1024}, {}), "");
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {128}, .shared_bytes = 100000 - 1000 - 1023}, {}),
            "kernel `k`: a block of it needs 2024 bytes of shared memory for its arrays and 97977 that the launch asks "
            "for; this device gives a block at most 100000");
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {1}}, {}, {.max_threads_per_block = 1024, .max_shared_bytes = 1000}),
            "kernel `k`: a block of it needs 1008 bytes of shared memory for its arrays; this device gives a block at "
            "most 1000");
  EXPECT_NE(prepare(k, {.grid = {1}, .block = {1}, .shared_bytes = std::numeric_limits<std::int64_t>::max()}, {}), "");
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {1}, .shared_bytes = -1}, {}),
            "kernel `k`: shared_bytes of the launch is negative (-1)");
  k.dynamic_shared_bytes = constant(-8);
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {1}}, {}),
            "kernel `k`: a shared array has a negative size for the block (1, 1, 1) and the grid (1, 1, 1)");
  for (const std::int64_t bytes : {std::int64_t{1} << 60, std::int64_t{1} << 62}) {  // 2^64 bytes, or 2^66
    k.dynamic_shared_bytes = for_each_thread(bytes);
    EXPECT_EQ(prepare(k, {.grid = {1}, .block = {16}}, {}),
              "kernel `k`: the shared arrays have more bytes than 64 bits can count for the block (16, 1, 1) and the "
              "grid (1, 1, 1)");
  }
  k.dynamic_shared_bytes = constant(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {1}}, {}),
            "kernel `k`: a block of it needs 9223372036854776807 bytes of shared memory for its arrays; this device "
            "gives a block at most 100000");
}

TEST_F(LaunchTest, LaunchBytesForAKernelThatTakesNoneAreFine) {
  EXPECT_EQ(prepare(kernel("k", {}), {.grid = {1}, .block = {1}, .shared_bytes = 4096}, {}), "");
}

TEST_F(LaunchTest, CountsArguments) {
  const KernelInfo k = kernel("saxpy", {scalar("a", ScalarType::F32), array("x", ScalarType::F32, {kAny})});
  EXPECT_EQ(prepare(k, {.grid = {1}, .block = {1}}, {Argument::of(1.0F)}),
            "kernel `saxpy`: takes 2 arguments (a, x), 1 given");
}

TEST_F(LaunchTest, TakesExactScalars) {
  EXPECT_EQ(pass(scalar("a", ScalarType::F32), Argument::of(1.5F)), "");
  EXPECT_EQ(prepared_.values[0], 0x3fc00000U);
  EXPECT_EQ(prepared_.parameters[0], &prepared_.values[0]);
  EXPECT_EQ(pass(scalar("a", ScalarType::Bool), Argument::of(true)), "");
  EXPECT_EQ(prepared_.values[0], 1U);
  EXPECT_EQ(pass(scalar("a", ScalarType::I8), Argument::of(std::int8_t{-1})), "");
  EXPECT_EQ(prepared_.values[0], 0xffU);
  EXPECT_EQ(pass(scalar("a", ScalarType::I64), Argument::of(-5LL)), "");
  EXPECT_EQ(static_cast<std::int64_t>(prepared_.values[0]), -5);
}

TEST_F(LaunchTest, RefusesOtherScalars) {
  EXPECT_EQ(pass(scalar("a", ScalarType::F32), Argument::of(1.0)),
            "kernel `k`, parameter `a`: expected a scalar f32, given f64");
  EXPECT_EQ(pass(scalar("n", ScalarType::I32), Argument::of(1.0F)),
            "kernel `k`, parameter `n`: expected a scalar i32, given f32");
  EXPECT_EQ(pass(scalar("b", ScalarType::Bool), Argument::of(1)),
            "kernel `k`, parameter `b`: expected a scalar bool, given the i32 1");
  EXPECT_EQ(pass(scalar("n", ScalarType::I32), Argument::of(true)),
            "kernel `k`, parameter `n`: expected a scalar i32, given bool");
  EXPECT_EQ(pass(scalar("n", ScalarType::I32), array_argument(ScalarType::I32, {4}, {1})),
            "kernel `k`, parameter `n`: expected a scalar i32, given an array of i32 with shape (4)");
  Argument strange = Argument::of(1);
  strange.type = static_cast<ScalarType>(99);
  EXPECT_EQ(pass(scalar("n", ScalarType::I32), strange),
            "kernel `k`, parameter `n`: expected a scalar i32, given an invalid ScalarType");
}

TEST_F(LaunchTest, ConvertsIntegersThatFit) {
  struct Case {
    ScalarType type;
    std::int64_t value;
    bool fits;
  };
  const Case cases[] = {
      {ScalarType::U8, 255, true},  {ScalarType::U8, 256, false},        {ScalarType::U8, -1, false},
      {ScalarType::I8, -128, true}, {ScalarType::I8, -129, false},       {ScalarType::I8, 127, true},
      {ScalarType::I8, 128, false}, {ScalarType::I32, 2147483647, true}, {ScalarType::I32, 2147483648, false},
      {ScalarType::U64, -1, false}, {ScalarType::U64, 1, true},
  };
  for (const Case& c : cases) {
    const std::string message = pass(scalar("n", c.type), Argument::of(c.value));
    EXPECT_EQ(message.empty(), c.fits) << c.value << " as " << to_string(c.type) << ": " << message;
    if (!c.fits) continue;
    const int unused = 64 - size_in_bits(c.type);
    EXPECT_EQ(prepared_.values[0] << unused, static_cast<std::uint64_t>(c.value) << unused);
  }
  EXPECT_EQ(pass(scalar("n", ScalarType::U8), Argument::of(300)),
            "kernel `k`, parameter `n`: the i32 300 has no exact value as u8");
  EXPECT_EQ(pass(scalar("n", ScalarType::I64), Argument::of(~std::uint64_t{0})),
            "kernel `k`, parameter `n`: the u64 18446744073709551615 has no exact value as i64");
  EXPECT_EQ(pass(scalar("n", ScalarType::I8), Argument::of(std::numeric_limits<std::int64_t>::min())),
            "kernel `k`, parameter `n`: the i64 -9223372036854775808 has no exact value as i8");
}

TEST_F(LaunchTest, ConvertsIntegersToFloats) {
  for (std::int64_t value : {0L, 1L, -1L, 2L, 3L, -7L, 1000000L, 16777216L, -16777216L, 16777218L, 1L << 62,
                             std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(pass(scalar("a", ScalarType::F32), Argument::of(value)), "") << value;
    EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(prepared_.values[0])), static_cast<float>(value));
    EXPECT_EQ(pass(scalar("a", ScalarType::F64), Argument::of(value)), "") << value;
    EXPECT_EQ(std::bit_cast<double>(prepared_.values[0]), static_cast<double>(value));
  }
  EXPECT_EQ(pass(scalar("a", ScalarType::F32), Argument::of(16777217)),
            "kernel `k`, parameter `a`: the i32 16777217 has no exact value as f32");
  EXPECT_NE(pass(scalar("a", ScalarType::F64), Argument::of((1L << 53) + 1)), "");
  EXPECT_NE(pass(scalar("a", ScalarType::F64), Argument::of(~std::uint64_t{0})), "");
}

TEST_F(LaunchTest, ConvertsIntegersToHalfPrecision) {
  EXPECT_EQ(pass(scalar("a", ScalarType::F16), Argument::of(1)), "");
  EXPECT_EQ(prepared_.values[0], 0x3c00U);
  EXPECT_EQ(pass(scalar("a", ScalarType::F16), Argument::of(-65504)), "");
  EXPECT_EQ(prepared_.values[0], 0xfbffU);
  EXPECT_NE(pass(scalar("a", ScalarType::F16), Argument::of(65536)), "");
  EXPECT_NE(pass(scalar("a", ScalarType::F16), Argument::of(2049)), "");
  EXPECT_EQ(pass(scalar("a", ScalarType::BF16), Argument::of(3)), "");
  EXPECT_EQ(prepared_.values[0], 0x4040U);
  EXPECT_NE(pass(scalar("a", ScalarType::BF16), Argument::of(257)), "");
  EXPECT_EQ(pass(scalar("a", ScalarType::F8E4M3), Argument::of(-448)), "");
  EXPECT_EQ(prepared_.values[0], 0xfeU);
  EXPECT_NE(pass(scalar("a", ScalarType::F8E4M3), Argument::of(449)), "");
}

TEST_F(LaunchTest, PassesArraysByAddressExtentsAndStrides) {
  const Argument matrix = array_argument(ScalarType::F32, {3, 5}, {5, 1});
  EXPECT_EQ(pass(array("x", ScalarType::F32, {kAny, kAny}), matrix), "");
  ASSERT_EQ(prepared_.words, 3);
  EXPECT_EQ(prepared_.values[0], reinterpret_cast<std::uintptr_t>(matrix.address));
  EXPECT_EQ(prepared_.values[1], 3U);
  EXPECT_EQ(prepared_.values[2], 5U);
  EXPECT_EQ(pass(array("x", ScalarType::F32, {3, 5}), matrix), "");
  EXPECT_EQ(prepared_.words, 1);
  EXPECT_EQ(pass(array("x", ScalarType::F32, {kAny, kAny}, Layout::Strided),
                 array_argument(ScalarType::F32, {3, 5}, {-1, 70})),
            "");
  ASSERT_EQ(prepared_.words, 5);
  EXPECT_EQ(static_cast<std::int64_t>(prepared_.values[3]), -1);
  EXPECT_EQ(prepared_.values[4], 70U);
}

TEST_F(LaunchTest, RefusesOtherArrays) {
  const ParameterInfo matrix = array("x", ScalarType::F32, {kAny, kAny});
  EXPECT_EQ(pass(matrix, Argument::of(1)), "kernel `k`, parameter `x`: expected f32[:, :], given the i32 1");
  EXPECT_EQ(pass(matrix, array_argument(ScalarType::F64, {3, 5}, {5, 1})),
            "kernel `k`, parameter `x`: expected f32[:, :], given an array of f64 with shape (3, 5)");
  EXPECT_EQ(pass(matrix, array_argument(ScalarType::F32, {3}, {1})),
            "kernel `k`, parameter `x`: expected f32[:, :], given an array of f32 with shape (3)");
  EXPECT_EQ(pass(array("x", ScalarType::F32, {3, 4}), array_argument(ScalarType::F32, {3, 5}, {5, 1})),
            "kernel `k`, parameter `x`: expected f32[3, 4], given an array of f32 with shape (3, 5)");
  EXPECT_NE(pass(matrix, array_argument(ScalarType::F32, {-3, 5}, {5, 1})), "");
  EXPECT_NE(pass(array("x", ScalarType::F32, {kAny}, Layout::Strided),
                 array_argument(ScalarType::F32, {std::int64_t{1} << 48}, {0})),
            "");
  EXPECT_EQ(pass(matrix, array_argument(static_cast<ScalarType>(99), {3, 5}, {5, 1})),
            "kernel `k`, parameter `x`: expected f32[:, :], given an array of an invalid ScalarType with shape (3, 5)");
  Argument wrong_rank = array_argument(ScalarType::F32, {}, {});
  wrong_rank.rank = 9;
  EXPECT_EQ(pass(matrix, wrong_rank), "kernel `k`, parameter `x`: expected f32[:, :], given an array of rank 9");
}

TEST_F(LaunchTest, ChecksMemoryOrder) {
  const ParameterInfo rows = array("x", ScalarType::F32, {kAny, kAny});
  const ParameterInfo columns = array("x", ScalarType::F32, {kAny, kAny}, Layout::ColumnMajor);
  const Argument by_column = array_argument(ScalarType::F32, {3, 5}, {1, 3});
  EXPECT_EQ(pass(columns, by_column), "");
  EXPECT_EQ(pass(rows, by_column),
            "kernel `k`, parameter `x`: expected a contiguous array in row-major order, given an array of f32 with "
            "shape (3, 5) and strides (1, 3)");
  EXPECT_NE(pass(columns, array_argument(ScalarType::F32, {3, 5}, {5, 1})), "");
  EXPECT_NE(pass(rows, array_argument(ScalarType::F32, {3, 5}, {6, 1})), "");
}

TEST_F(LaunchTest, StridesOfOneOrNoElementNeverMatter) {
  const ParameterInfo rows = array("x", ScalarType::F32, {kAny, kAny});
  EXPECT_EQ(pass(rows, array_argument(ScalarType::F32, {1, 5}, {77, 1})), "");
  EXPECT_EQ(pass(rows, array_argument(ScalarType::F32, {5, 1}, {1, 77})), "");
  EXPECT_NE(pass(rows, array_argument(ScalarType::F32, {5, 1}, {2, 1})), "");
  Argument empty = array_argument(ScalarType::F32, {0, 5}, {77, 3});
  empty.address = nullptr;
  EXPECT_EQ(pass(rows, empty), "");
}

TEST_F(LaunchTest, ChecksMemory) {
  const ParameterInfo vector = array("x", ScalarType::F32, {kAny});
  Argument argument = array_argument(ScalarType::F32, {3}, {1});
  argument.device = device_.state();
  EXPECT_EQ(pass(vector, argument), "");
  argument.address = static_cast<char*>(argument.address) + 2;
  EXPECT_EQ(pass(vector, argument), "kernel `k`, parameter `x`: the array's address is not aligned to its elements");
  argument.address = nullptr;
  EXPECT_EQ(pass(vector, argument), "kernel `k`, parameter `x`: the array has no memory");
}

TEST_F(LaunchTest, ChecksWhatIsReadOnly) {
  ParameterInfo vector = array("x", ScalarType::F32, {kAny});
  Argument argument = array_argument(ScalarType::F32, {3}, {1});
  argument.is_read_only = true;
  EXPECT_EQ(pass(vector, argument), "");
  vector.is_written = true;
  EXPECT_EQ(pass(vector, argument),
            "kernel `k`, parameter `x`: the array is read-only, and the kernel may write to it; pass a copy");
  EXPECT_EQ(pass(vector, array_argument(ScalarType::F32, {3}, {1})), "");
}

TEST_F(LaunchTest, ArgumentsOfCppValues) {
  EXPECT_EQ(Argument::of('a').type, ScalarType::I8);
  EXPECT_EQ(Argument::of(1ULL).type, ScalarType::U64);
  EXPECT_EQ(Argument::of(Array<Half>()).type, ScalarType::F16);
  const Array<float> matrix = device_.allocate<float>({2, 3}, Layout::ColumnMajor).value();
  EXPECT_EQ(pass(array("x", ScalarType::F32, {kAny, kAny}, Layout::ColumnMajor), Argument::of(matrix)), "");
}

TEST_F(LaunchTest, ViewsHaveTheirOwnStrides) {
  const Array<float> rows = device_.allocate<float>({2, 6}).value();
  const Array<float> view = rows.slice(Slice{.step = -1}, Slice{.step = 2}).value();
  EXPECT_EQ(pass(array("x", ScalarType::F32, {kAny, kAny}, Layout::Strided), Argument::of(view)), "");
  EXPECT_EQ(prepared_.values[0], reinterpret_cast<std::uintptr_t>(rows.address() + 6));
  EXPECT_EQ(prepared_.values[2], 3U);
  EXPECT_EQ(static_cast<std::int64_t>(prepared_.values[3]), -6);
  EXPECT_EQ(prepared_.values[4], 2U);
  const ParameterInfo dense = array("x", ScalarType::F32, {kAny, kAny});
  EXPECT_EQ(pass(dense, Argument::of(view)),
            "kernel `k`, parameter `x`: expected a contiguous array in row-major order, given an array of f32 with "
            "shape (2, 3) and strides (-6, 2)");
  EXPECT_EQ(pass(dense, Argument::of(rows.slice(Slice{1, 2}).value())), "");
  EXPECT_EQ(pass(array("x", ScalarType::F32, {kAny, kAny}, Layout::ColumnMajor), Argument::of(rows.transpose())), "");
}

TEST(Description, RefusesWhatNoLaunchCouldFollow) {
  EXPECT_TRUE(
      detail::check_description(kernel("k", {array("x", ScalarType::F32, std::vector<std::int64_t>(8, kAny))})));
  EXPECT_FALSE(
      detail::check_description(kernel("k", {array("x", ScalarType::F32, std::vector<std::int64_t>(9, kAny))})));
  EXPECT_FALSE(detail::check_description(kernel("k", {array("x", ScalarType::F32, {kAny, 4})})));
  EXPECT_FALSE(detail::check_description(kernel("k", {array("x", ScalarType::F32, {4, -7})})));
  const ParameterInfo number = scalar("n", ScalarType::I64);
  EXPECT_TRUE(detail::check_description(kernel("k", std::vector<ParameterInfo>(512, number))));
  const Result<void> too_many = detail::check_description(kernel("k", std::vector<ParameterInfo>(513, number)));
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code, ErrorCode::Unsupported);
  KernelInfo negative = kernel("k", {});
  negative.static_shared_bytes = -1;
  EXPECT_FALSE(detail::check_description(negative));
}

}  // namespace
}  // namespace pykc
