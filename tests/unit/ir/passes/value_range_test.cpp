#include "ir/analysis/value_range.h"

#include "tests/unit/ir/passes/pass_test.h"

namespace pykc::ir {
namespace {

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kExtent = std::int64_t{1} << 48;

struct RangeExample {
  const char* body;  // whose last instruction's range is
  std::int64_t minimum, maximum;
};

void PrintTo(const RangeExample& example, std::ostream* out) { *out << example.body; }

class Range : public testing::TestWithParam<RangeExample> {};

TEST_P(Range, IsAsNarrowAsItShouldBe) {
  const auto module = module_with(GetParam().body);
  const Function& function = *module->find("k");
  const ValueRange range = range_of(function.body.instructions.back(), function);
  EXPECT_EQ(range.minimum, GetParam().minimum);
  EXPECT_EQ(range.maximum, GetParam().maximum);
}

INSTANTIATE_TEST_SUITE_P(
    Leaves, Range,
    testing::Values(
        RangeExample{"%0 = builtin threadIdx.x : i64\n", 0, 1023},
        RangeExample{"%0 = builtin threadIdx.z : i64\n", 0, 63},
        RangeExample{"%0 = builtin blockIdx.x : i64\n", 0, kMax32 - 1},
        RangeExample{"%0 = builtin blockDim.y : i64\n", 1, 1024}, RangeExample{"%0 = builtin laneid : i64\n", 0, 31},
        RangeExample{"%0 = cast %i : i64\n", kMin32, kMax32}, RangeExample{"%0 = cast %u : i64\n", 0, 0xffffffff},
        RangeExample{"%0 = cast %c : i32\n", 0, 1}, RangeExample{"%0 = cast %n : i32\n", kMin32, kMax32},
        RangeExample{"%0 = cast %f : i32\n", kMin32, kMax32}, RangeExample{"%0 = cast i32 -7 : i64\n", -7, -7},
        RangeExample{"%0 = cast u64 18446744073709551615 : i64\n", kSmallest, kLargest},
        RangeExample{"%0 = cast %w : u64\n", kSmallest, kLargest},
        RangeExample{"%0 = add %x.shape0, i64 0\n", 0, kExtent}));

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, Range,
    testing::Values(RangeExample{"%0 = builtin blockIdx.x : i64\n%1 = builtin blockDim.x : i64\n%2 = mul %0, %1\n"
                                 "%3 = builtin threadIdx.x : i64\n%4 = add %2, %3\n",
                                 0, (kMax32 - 1) * 1024 + 1023},
                    RangeExample{"%0 = sub %x.shape0, i64 1\n", -1, kExtent - 1},
                    RangeExample{"%0 = mul %x.shape0, i64 -2\n", -2 * kExtent, 0},
                    RangeExample{"%0 = mul %x.shape0, %x.shape0\n", kSmallest, kLargest},  // wraps
                    RangeExample{"%0 = mul no_wrap %x.shape0, %x.shape0\n", 0, kLargest},  // does not
                    RangeExample{"%0 = add %i, i32 1\n", kMin32, kMax32},
                    RangeExample{"%0 = neg %x.shape0\n", -kExtent, 0},
                    RangeExample{"%0 = floordiv %x.shape0, i64 16\n", 0, kExtent / 16},
                    RangeExample{"%0 = floordiv i64 -7, i64 2\n", -4, -4},
                    RangeExample{"%0 = floordiv %x.shape0, %x.shape0\n", 0, kExtent},
                    RangeExample{"%0 = floordiv %n, i64 -1\n", kSmallest, kLargest},
                    RangeExample{"%0 = mod %n, i64 10\n", 0, 9}, RangeExample{"%0 = mod %n, i64 -10\n", -9, 0},
                    RangeExample{"%0 = mod i64 3, %x.shape0\n", 0, 3}, RangeExample{"%0 = mod %n, i64 0\n", 0, 0},
                    RangeExample{"%0 = and %n, i64 255\n", 0, 255},
                    RangeExample{"%0 = or %x.shape0, i64 1\n", 0, 2 * kExtent - 1},
                    RangeExample{"%0 = xor %n, i64 1\n", kSmallest, kLargest},
                    RangeExample{"%0 = shr %x.shape0, i64 4\n", 0, kExtent / 16},
                    RangeExample{"%0 = shr %x.shape0, %n\n", 0, kExtent}, RangeExample{"%0 = shr i64 -8, %n\n", -8, -1},
                    RangeExample{"%0 = shl %x.shape0, i64 3\n", 0, 8 * kExtent},
                    RangeExample{"%0 = shl %x.shape0, i64 40\n", kSmallest, kLargest},
                    RangeExample{"%0 = shl %x.shape0, %n\n", kSmallest, kLargest},
                    RangeExample{"%0 = not %n\n", kSmallest, kLargest}));

INSTANTIATE_TEST_SUITE_P(Choices, Range,
                         testing::Values(RangeExample{"%0 = builtin min %n, i64 7 : i64\n", kSmallest, 7},
                                         RangeExample{"%0 = builtin max %n, i64 0 : i64\n", 0, kLargest},
                                         RangeExample{"%0 = builtin abs %i : i32\n", kMin32,
                                                      kMax32},  // of the smallest, itself
                                         RangeExample{"%0 = cast %i : i64\n%1 = builtin abs %0 : i64\n", 0, -kMin32},
                                         RangeExample{"%0 = builtin popc %n : i32\n", 0, 64},
                                         RangeExample{"%0 = select %c, i64 -3, i64 5 : i64\n", -3, 5},
                                         RangeExample{"%0 = builtin selp %c, i64 -3, i64 5 : i64\n", -3, 5}));

TEST(RangeOfLocals, IsWhatTheLocalStates) {
  const auto module =
      module_with("local $i: i64\nstore_local $i, i64 5\n%0 = load_local $i : i64\n%1 = add %0, i64 1\n");
  Function& function = *module->find("k");
  const Instruction* sum = function.body.instructions.back();
  EXPECT_EQ(range_of(sum, function).minimum, kSmallest);
  function.locals.front().minimum = 0;
  function.locals.front().maximum = 99;
  EXPECT_EQ(range_of(sum, function).minimum, 1);
  EXPECT_EQ(range_of(sum, function).maximum, 100);
}

TEST(RangeDepth, IsBounded) {
  std::string body = "%0 = add %n, %n\n";
  for (int i = 1; i < 200; ++i) {
    const std::string before = std::to_string(i - 1);
    body += "%" + std::to_string(i) + " = add %" + before + ", %" + before + "\n";
  }
  const auto module = module_with(body);
  const Function& function = *module->find("k");
  EXPECT_EQ(range_of(function.body.instructions.back(), function).minimum, kSmallest);
}

}  // namespace
}  // namespace pykc::ir
