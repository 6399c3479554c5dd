// Operations that run as kernels give what the host's loops give: the same bits, but for reductions and for functions
// that each side has its own code for.
#include "script/values/device_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "script/arithmetic/device_expressions.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/reductions.h"
#include "script/functions/run.h"

namespace pykc::script {
namespace {

constexpr ScalarType kTypes[] = {ScalarType::Bool, ScalarType::I8,  ScalarType::I16, ScalarType::I32, ScalarType::I64,
                                 ScalarType::U8,   ScalarType::U16, ScalarType::U32, ScalarType::U64, ScalarType::F16,
                                 ScalarType::BF16, ScalarType::F32, ScalarType::F64};
constexpr std::int64_t kRows = 24, kColumns = 16;

class OperationsOnDevice : public ::testing::Test {
 protected:
  OperationsOnDevice() {
    device_ = *run_.operations();
    device_->set_least(0);
  }

  /// Some types, others in each run: all take long to compile.
  std::vector<ScalarType> some_types(std::size_t count) {
    std::vector<ScalarType> types;
    std::ranges::sample(kTypes, std::back_inserter(types), static_cast<std::ptrdiff_t>(count), random_);
    return types;
  }

  /// An array of the same elements that is the device's.
  ArrayRef on_device(const ArrayRef& array) {
    const ArrayRef copy = *copy_on_host(*array, Order::RowMajor);
    copy->storage->set_home(device_);
    return copy;
  }

  std::mt19937_64 random_{std::random_device{}()};
  RunOptions options_{.device = "cpu"};
  script::Run run_{options_};  // not testing::Test::Run
  DeviceOperations* device_;
};

/// Numbers near 0 and at the bounds of the type, and any bits.
ArrayRef sample(ScalarType type, std::mt19937_64& random, bool is_small) {
  const double numbers[] = {0, -0.0, 1, -1, 2, 3, -7, 0.5, 1.5, 2.5, -2.5, 100, 1e5, -1e10, INFINITY, -INFINITY, NAN};
  const ArrayRef array = *make_array(type, {kRows, kColumns});
  std::byte* address = *array->write();
  for (std::int64_t i = 0; i < array->size(); ++i, address += size_in_bytes(type)) {
    const std::uint64_t bits = random();
    Scalar scalar = Scalar::of(numbers[bits % std::size(numbers)], type);
    if (is_small) scalar = Scalar::of(static_cast<std::int64_t>(bits % 17), type);
    if (!is_small && (bits >> 32) % 2 == 0) scalar.bits = type == ScalarType::Bool ? (bits >> 40) % 2 : random();
    scalar.store(address);
  }
  return array;
}

bool is_nan(const Scalar& scalar) { return is_float(scalar.type) && std::isnan(scalar.as<double>()); }

/// The elements as numbers; empty where the operation failed.
std::vector<Scalar> elements_of(const Outcome<Value>& value) {
  std::vector<Scalar> elements;
  if (!value) return elements;
  if (const Scalar* scalar = value->as<Scalar>()) return {*scalar};
  const ArrayRef* const array = value->as<ArrayRef>();
  if (!array) return elements;
  const ArrayRef copy = *copy_on_host(**array, Order::RowMajor);
  const std::byte* address = *copy->read();
  for (std::int64_t i = 0; i < copy->size(); ++i)
    elements.push_back(Scalar::load(copy->type, address + i * copy->element_bytes()));
  return elements;
}

/// Of `expect_same`: equal numbers, but zeros may have either sign. The least of 0 and -0 is whichever came first.
constexpr double kEqual = DBL_MIN;

/// At most `ulps` of the type apart, where it is a float.
void expect_same(const Outcome<Value>& host, const Outcome<Value>& device, double ulps, const std::string& what) {
  ASSERT_EQ(bool(host), bool(device)) << what;
  const std::vector<Scalar> expected = elements_of(host), got = elements_of(device);
  ASSERT_EQ(expected.size(), got.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].type, got[i].type) << what;
    if (is_nan(expected[i]) && is_nan(got[i])) continue;
    if (expected[i].bits == got[i].bits) continue;
    const double a = expected[i].as<double>(), b = got[i].as<double>();
    const double least = expected[i].type == ScalarType::F64 ? DBL_MIN : FLT_MIN;  // below, subnormal steps
    const int digits = expected[i].type == ScalarType::F64 ? 52 : expected[i].type == ScalarType::F32 ? 23 : 8;
    ASSERT_TRUE(ulps > 0 && is_float(expected[i].type) &&
                (a == b || std::abs(a - b) <= ulps * std::max(std::abs(a), least) * std::ldexp(1.0, -digits)))
        << what << " at " << i << ": host " << a << " (" << std::hex << expected[i].bits << "), device " << b << " ("
        << got[i].bits << ")";
  }
}

TEST_F(OperationsOnDevice, OfTwoArraysGiveTheBitsOfTheHost) {
  for (auto function = BinaryFunction::Add; function <= BinaryFunction::Nextafter;
       function = static_cast<BinaryFunction>(static_cast<int>(function) + 1))
    for (const ScalarType type : some_types(4)) {
      const bool is_power = function == BinaryFunction::Power;
      const ArrayRef a = sample(type, random_, false), b = sample(type, random_, is_power);
      const double ulps = device_expression(function, type).is_exact ? 0 : 8;
      const std::string what = std::string(spelling(function)) + " of " + std::string(to_string(type));
      expect_same(apply(function, Value(a), Value(b)), apply(function, Value(on_device(a)), Value(on_device(b))), ulps,
                  what);
    }
}

TEST_F(OperationsOnDevice, OfOneArrayGiveTheBitsOfTheHost) {
  for (auto function = UnaryFunction::Negate; function <= UnaryFunction::IsFinite;
       function = static_cast<UnaryFunction>(static_cast<int>(function) + 1))
    for (const ScalarType type : some_types(3)) {
      const ArrayRef a = sample(type, random_, !device_expression(function, type).is_exact);
      const double ulps = device_expression(function, type).is_exact ? 0 : 16;
      const std::string what = std::string(spelling(function)) + " of " + std::string(to_string(type));
      expect_same(apply(function, Value(a)), apply(function, Value(on_device(a))), ulps, what);
    }
}

TEST_F(OperationsOnDevice, ConvertAsTheHostDoes) {
  for (const ScalarType from : some_types(4)) {
    const ArrayRef a = sample(from, random_, false), b = on_device(a);
    for (const ScalarType to : kTypes)
      expect_same(Value(*convert_array(a, to)), Value(*convert_array(b, to)), 0,
                  std::string(to_string(from)) + " to " + std::string(to_string(to)));
  }
}

TEST_F(OperationsOnDevice, TakeViewsNumbersAndShapesThatBroadcast) {
  const ArrayRef a = sample(ScalarType::F32, random_, false), b = sample(ScalarType::I16, random_, false);
  const auto views = [](const ArrayRef& array) {
    const Array& whole = *array;
    return std::vector<Value>{Value(with_shape(whole, {kRows / 2, kColumns}, {2 * kColumns, 1}, 0)),
                              Value(with_shape(whole, {kRows / 2, kColumns}, {-kColumns, -1}, whole.size() - 1)),
                              Value(with_shape(whole, {kColumns}, {kColumns}, 1)),
                              Value(with_shape(whole, {kRows / 2, 1}, {kColumns, 1}, 3)),
                              Value(2.5),
                              Value(std::int64_t{-3})};
  };
  const std::vector<Value> left = views(a), right = views(b);
  const std::vector<Value> device_left = views(on_device(a)), device_right = views(on_device(b));
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < right.size(); ++k) {
      const std::string what = "views " + std::to_string(i) + " and " + std::to_string(k);
      expect_same(apply(BinaryFunction::Multiply, left[i], right[k]),
                  apply(BinaryFunction::Multiply, device_left[i], device_right[k]), 0, what);
      expect_same(where(left[i], right[k], left[2]), where(device_left[i], device_right[k], device_left[2]), 0, what);
    }
}

TEST_F(OperationsOnDevice, AssignToViews) {
  const ArrayRef a = sample(ScalarType::F64, random_, false), b = on_device(a);
  for (const ArrayRef& array : {a, b}) {
    const ArrayRef head = with_shape(*array, {kRows - 1, kColumns}, array->strides, 0);
    const ArrayRef tail = with_shape(*array, {kRows - 1, kColumns}, array->strides, kColumns);
    ASSERT_TRUE(assign_array(*tail, head));  // the old elements
    ASSERT_TRUE(assign_array(*with_shape(*array, {kRows}, {kColumns}, 2), *array_of(Scalar::of(7, ScalarType::I64))));
  }
  expect_same(Value(a), Value(b), 0, "assigned");
}

/// Sums of floats are made in another order, in f64.
TEST_F(OperationsOnDevice, ReduceAlongAnyAxes) {
  for (auto reduction = Reduction::Sum; reduction <= Reduction::CountNonzero;
       reduction = static_cast<Reduction>(static_cast<int>(reduction) + 1))
    for (const ScalarType type : some_types(4))
      for (const Axes& axes : {Axes{}, Axes{{0}}, Axes{{1}}}) {
        const bool is_extreme = reduction == Reduction::Minimum || reduction == Reduction::Maximum;
        const ArrayRef a = sample(type, random_, !is_extreme), b = on_device(a);
        const std::string what =
            "reduction " + std::to_string(static_cast<int>(reduction)) + " of " + std::string(to_string(type));
        const Outcome<ArrayRef> host = reduce(reduction, what, a, axes),
                                device = reduce(reduction, what, b, axes, true);
        ASSERT_TRUE(host && device) << what;
        expect_same(Value(*host), Value(*device), is_extreme ? kEqual : 64, what);
      }
}

TEST_F(OperationsOnDevice, OfArraysOfTheDeviceAreArraysOfTheDevice) {
  const ArrayRef host = sample(ScalarType::F32, random_, true), device = on_device(host);
  EXPECT_EQ((*apply_arrays(BinaryFunction::Add, host, device, ScalarType::F32))->storage->home(), device_);
  EXPECT_EQ((*apply_arrays(BinaryFunction::Add, host, host, ScalarType::F32))->storage->home(), nullptr);
  EXPECT_EQ((*convert_array(device, ScalarType::I32))->storage->home(), device_);
  EXPECT_EQ((*reduce(Reduction::Sum, "sum", device, Axes{{0}}))->storage->home(), device_);
  EXPECT_EQ((*copy_on_host(*device, Order::RowMajor))->storage->home(), nullptr);
}

}  // namespace
}  // namespace pykc::script
