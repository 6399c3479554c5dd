// Generated modules are found by what they were generated for, without the heap.
#include "jit/variant_cache.h"

#include <gtest/gtest.h>

#include "jit/elementwise_source.h"
#include "jit/reduction_source.h"
#include "pykc/elementwise.h"
#include "tests/unit/jit/device.h"
#include "tests/unit/runtime/allocations.h"

namespace pykc::jit {
namespace {

Source constant_kernel(int value) {
  return Source("@kernel\ndef k(x):\n    x[0] = " + std::to_string(value) + "\n", "<test>");
}

TEST(VariantCache, AModuleIsMadeOnceAndFoundWithoutTheHeap) {
  VariantCache<ReductionVariant> cache(testing::device(), {});
  // A record whose name is longer than what a string holds in place.
  RecordType type{"AVectorOfSeveralNumbersThatAreSummed"};
  type.fields = {{"x", ScalarType::F32, {}}, {"y", ScalarType::F64, {}}};
  const ElementType record = lay_out(type);
  type.fields = {{"x", ScalarType::F32, {}}, {"y", ScalarType::F32, {}}};
  const ElementType namesake = lay_out(type);
  std::vector<ReductionVariant> variants;
  const ReductionVariant usual{.kept = 1, .reduced = 1, .is_array = ArrayFlags(2, true), .accumulator = record};
  const auto add = [&](auto change) {
    variants.push_back(usual);
    change(variants.back());
  };
  add([](ReductionVariant&) {});
  add([&](ReductionVariant& v) { v.accumulator = namesake; });
  add([](ReductionVariant& v) { v.accumulator = ScalarType::F64; });
  add([](ReductionVariant& v) { v.accumulator = ScalarType::I64; });
  add([](ReductionVariant& v) { v.kept = 2; });
  add([](ReductionVariant& v) { v.reduced = 2; });
  add([](ReductionVariant& v) { v.is_array = ArrayFlags(3, true); });
  add([](ReductionVariant& v) { v.is_array = ArrayFlags(2, false); });
  add([](ReductionVariant& v) { v.width = 4; });
  add([](ReductionVariant& v) { v.is_wide = true; });
  add([](ReductionVariant& v) { v.along_x = true; });
  add([](ReductionVariant& v) { v.is_split = true; });
  add([](ReductionVariant& v) { v.is_second = true; });
  add([](ReductionVariant& v) { v.is_cpu = true; });
  add([](ReductionVariant& v) { v.lanes = 32; });
  add([](ReductionVariant& v) { v.places = 32; });
  int made = 0;
  const auto find = [&](const ReductionVariant& variant) {
    return cache.kernel(variant, "k", [&] { return constant_kernel(made++); }).value();
  };
  const auto x = testing::device().allocate<int>({1}).value();
  const LaunchConfig config{.grid = {1}, .block = {1}};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    find(variants[i]).launch(config, x).value();
    EXPECT_EQ(made, static_cast<int>(i) + 1);
  }
  const long before = testing::allocations();
  for (const ReductionVariant& variant : variants) find(variant);
  EXPECT_EQ(testing::allocations(), before);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    find(variants[i]).launch(config, x).value();
    EXPECT_EQ(testing::host(x), std::vector<int>{static_cast<int>(i)});
  }
  EXPECT_EQ(made, static_cast<int>(variants.size()));
}

TEST(VariantCache, WhatDoesNotParseIsNotKept) {
  VariantCache<ElementwiseVariant> cache(testing::device(), {});
  const ElementwiseVariant variant{.is_array = ArrayFlags(1, true)};
  const auto wrong = [] { return Source("@kernel\ndef k(x:\n", "<test>"); };
  EXPECT_EQ(cache.kernel(variant, "k", wrong).error().code, ErrorCode::InvalidSource);
  EXPECT_TRUE(cache.kernel(variant, "k", [] { return constant_kernel(1); }));
}

TEST(VariantCache, TooManyArgumentsAreRefused) {
  std::string inputs = "x0";
  for (int i = 1; i < 600; ++i) inputs += ", x" + std::to_string(i);
  const auto made = Elementwise::create(testing::device(), {{inputs, "z", "z = x0"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "an operation of 601 arguments: at most 512 are possible");
}

}  // namespace
}  // namespace pykc::jit
