// Where elements lie: offsets, wraparound, bounds, shared memory.
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/frontend/lower/tree.h"

namespace pykc::lowering {
namespace {

/// The IR of `x[indices…] = 1` in a kernel, without the argument lines.
std::string store_text(const ArrayType& type, const std::function<std::vector<ExprRef>(Tree&)>& indices,
                       bool wraparound = true, int fault = -1) {
  Tree t;
  t.module.faults.resize(1);
  const Variable* x = t.parameter("x", t.module.types.of(type));
  const Variable* i = t.parameter("i", scalar(ScalarType::I64));
  const Variable* j = t.parameter("j", scalar(ScalarType::I64));
  static_cast<void>(i), static_cast<void>(j);
  t.function->body = {t.store(t.element(t.ref(x), indices(t), wraparound, fault), t.f32(1))};
  std::string text = t.text();
  while (text.starts_with("  argument")) text.erase(0, text.find('\n') + 1);
  return text;
}

std::vector<ExprRef> parameters(Tree& t, std::size_t count) {
  std::vector<ExprRef> refs;
  for (std::size_t i = 0; i < count; ++i) refs.push_back(t.ref(t.function->parameters[1 + i]));
  return refs;
}

TEST(LowerElement, RowMajor) {
  EXPECT_EQ(
      store_text(
          {ScalarType::F32, Layout::RowMajor, {kDynamic, kDynamic}}, [](Tree& t) { return parameters(t, 2); }, false),
      "  %0 = mul no_wrap %i, %x.shape1\n"
      "  %1 = add no_wrap %0, %j\n"
      "  %2 = element %x, %1\n"
      "  store %2, f32 1\n"
      "  return\n");
}

TEST(LowerElement, ColumnMajor) {
  EXPECT_EQ(store_text(
                {ScalarType::F32, Layout::ColumnMajor, {kDynamic, kDynamic}}, [](Tree& t) { return parameters(t, 2); },
                false),
            "  %0 = mul no_wrap %j, %x.shape0\n"
            "  %1 = add no_wrap %0, %i\n"
            "  %2 = element %x, %1\n"
            "  store %2, f32 1\n"
            "  return\n");
}

TEST(LowerElement, Strided) {
  EXPECT_EQ(
      store_text(
          {ScalarType::F32, Layout::Strided, {kDynamic, kDynamic}}, [](Tree& t) { return parameters(t, 2); }, false),
      "  %0 = mul no_wrap %i, %x.stride0\n"
      "  %1 = mul no_wrap %j, %x.stride1\n"
      "  %2 = add no_wrap %0, %1\n"
      "  %3 = element %x, %2\n"
      "  store %3, f32 1\n"
      "  return\n");
}

TEST(LowerElement, StaticShape) {
  EXPECT_EQ(store_text(
                {ScalarType::F32, Layout::RowMajor, {16, 33}}, [](Tree& t) { return parameters(t, 2); }, false),
            "  %0 = mul no_wrap %i, i64 33\n"
            "  %1 = add no_wrap %0, %j\n"
            "  %2 = element %x, %1\n"
            "  store %2, f32 1\n"
            "  return\n");
}

TEST(LowerElement, RankZeroIsItsAddress) {
  EXPECT_EQ(store_text({ScalarType::F32, Layout::RowMajor, {}}, [](Tree&) { return std::vector<ExprRef>{}; }),
            "  store %x, f32 1\n  return\n");
}

TEST(LowerElement, AnIndexThatMayBeNegativeCountsFromTheEnd) {
  EXPECT_EQ(store_text({ScalarType::F32, Layout::RowMajor, {kDynamic}}, [](Tree& t) { return parameters(t, 1); }),
            "  %0 = add %i, %x.shape0\n"
            "  %1 = lt %i, i64 0\n"
            "  %2 = select %1, %0, %i : i64\n"
            "  %3 = element %x, %2\n"
            "  store %3, f32 1\n"
            "  return\n");
}

TEST(LowerElement, AnIndexThatIsNotNegativeCostsNothing) {
  EXPECT_EQ(
      store_text({ScalarType::F32, Layout::RowMajor, {kDynamic}}, [](Tree& t) { return std::vector{t.thread()}; }),
      "  %0 = builtin threadIdx.x : i64\n"
      "  %1 = element %x, %0\n"
      "  store %1, f32 1\n"
      "  return\n");
}

TEST(LowerElement, AnIndexThatIsNegativeIsNotAsked) {
  EXPECT_EQ(store_text({ScalarType::F32, Layout::RowMajor, {kDynamic}}, [](Tree& t) { return std::vector{t.i64(-1)}; }),
            "  %0 = add i64 -1, %x.shape0\n"
            "  %1 = element %x, %0\n"
            "  store %1, f32 1\n"
            "  return\n");
}

TEST(LowerElement, BoundsCheck) {
  EXPECT_EQ(store_text(
                {ScalarType::F32, Layout::RowMajor, {kDynamic}}, [](Tree& t) { return parameters(t, 1); }, true, 0),
            "  %0 = add %i, %x.shape0\n"
            "  %1 = lt %i, i64 0\n"
            "  %2 = select %1, %0, %i : i64\n"
            "  %3 = ge %2, %x.shape0\n"
            "  %4 = lt %2, i64 0\n"
            "  %5 = or %4, %3\n"
            "  if %5 {\n"
            "    fault 0 %i, %x.shape0\n"
            "  }\n"
            "  %6 = element %x, %2\n"
            "  store %6, f32 1\n"
            "  return\n");
}

TEST(LowerElement, BoundsCheckStopsExactlyWhatIsOutside) {
  Tree t;
  t.module.faults.resize(2);  // one a dimension
  const Variable* x = t.parameter("x", t.array(ScalarType::F32, {kDynamic, kDynamic}));
  const Variable* i = t.parameter("i", scalar(ScalarType::I64));
  t.function->body = {t.store(t.element(t.ref(x), {t.i64(0), t.ref(i)}, true, 0), t.f32(1))};
  for (const std::int64_t index : {-4, -3, -1, 0, 2, 3}) {
    std::vector<float> data(3);
    const auto outcome = t.run({reference::bits_of(data.data()), 1, 3, reference::bits_of(index)});
    const bool is_inside = index >= -3 && index < 3;
    EXPECT_EQ(outcome.fault.has_value(), !is_inside) << index;
    if (is_inside) {
      EXPECT_EQ(data[static_cast<std::size_t>((index + 3) % 3)], 1.0f);
    } else {
      EXPECT_EQ(outcome.fault->site, 1);
      EXPECT_EQ(outcome.fault->values, (std::array<std::int64_t, 9>{index, 1, 3}));
    }
  }
}

TEST(LowerExtent, StaticAndDynamic) {
  Tree t;
  const Variable* x = t.parameter("x", t.array(ScalarType::I64, {kDynamic, kDynamic}));
  const Variable* y = t.parameter("y", t.array(ScalarType::F32, {4, 7}));
  const auto extent = [&](const Variable* v, int d) {
    return t.expr(scalar(ScalarType::I64), checked::Extent{t.ref(v), d});
  };
  t.function->body = {t.store(t.element(x, {t.i64(0), t.i64(0)}), t.add(extent(x, 1), extent(y, 1)))};
  std::int64_t out = 0;
  t.run({reference::bits_of(&out), 1, 5, 0});
  EXPECT_EQ(out, 12);
}

// ---- arrays that the kernel declares ----

class LowerShared : public testing::Test {
 protected:
  /// A shared array whose only extent is blockDim.x + `more`.
  int add_sized(ScalarType element, std::int64_t more) {
    checked::SharedArray array;
    array.name = "sized";
    array.type = {element, Layout::RowMajor, {kDynamic}};
    array.extents = {t.add(t.builtin(BuiltinId::BlockDimX, scalar(ScalarType::I64)), t.i64(more))};
    array.extent_sizes = {{{{LaunchExpression::Op::BlockDimX, 0},
                            {LaunchExpression::Op::Constant, more},
                            {LaunchExpression::Op::Add, 0}}}};
    t.function->shared_arrays.push_back(array);
    return static_cast<int>(t.function->shared_arrays.size()) - 1;
  }
  int add_rest(ScalarType element) {
    checked::SharedArray array;
    array.name = "rest";
    array.type = {element, Layout::RowMajor, {kDynamic}};
    array.takes_launch_bytes = true;
    t.function->shared_arrays.push_back(array);
    return static_cast<int>(t.function->shared_arrays.size()) - 1;
  }
  ExprRef shared(int index) {
    const ArrayType& type = t.function->shared_arrays[static_cast<std::size_t>(index)].type;
    return t.expr(t.array(type.element.scalar, type.extents, type.layout, ir::AddressSpace::Shared),
                  checked::SharedArrayRef{index});
  }
  Tree t;
};

TEST_F(LowerShared, StaticArraysHaveTheirCount) {
  checked::SharedArray tile;
  tile.name = "tile";
  tile.type = {ScalarType::F32, Layout::RowMajor, {32, 33}};
  t.function->shared_arrays.push_back(tile);
  t.function->body = {t.store(t.element(shared(0), {t.i64(1), t.i64(2)}), t.f32(1))};
  EXPECT_EQ(t.text(),
            "  shared_array tile: f32[1056] align 16\n"
            "  %0 = shared_array 0 : ptr<f32, shared>\n"
            "  %1 = mul no_wrap i64 1, i64 33\n"
            "  %2 = add no_wrap %1, i64 2\n"
            "  %3 = element %0, %2\n"
            "  store %3, f32 1\n"
            "  return\n");
}

TEST_F(LowerShared, SizedArraysAddUpInRoundedBytes) {
  add_sized(ScalarType::F32, 1);
  add_rest(ScalarType::F64);
  add_sized(ScalarType::I8, -100);
  const auto ir = t.lowered();
  const KernelInfo& kernel = ir->find("k")->kernel;
  EXPECT_TRUE(kernel.uses_launch_shared_bytes);
  EXPECT_EQ(kernel.dynamic_shared_bytes.evaluate({}, {128}), 528 + 32);  // 129 * 4 and 28, each rounded up to 16
  EXPECT_EQ(kernel.dynamic_shared_bytes.evaluate({}, {64}), 272);        // no bytes for -36 elements
}

TEST_F(LowerShared, ExtentsAreOfTheLaunch) {
  const int sized = add_sized(ScalarType::F32, 3);
  const int rest = add_rest(ScalarType::F64);
  const Variable* out = t.parameter("out", t.array(ScalarType::I64, {2}));
  const auto extent = [&](int index) { return t.expr(scalar(ScalarType::I64), checked::Extent{shared(index), 0}); };
  t.function->body = {t.store(t.element(out, {t.i64(0)}), extent(sized)),
                      t.store(t.element(out, {t.i64(1)}), extent(rest))};
  std::int64_t values[2] = {};
  t.run({reference::bits_of(&values[0])}, {.grid = {}, .block = {1}, .launch_shared_bytes = 39});
  EXPECT_EQ(values[0], 4);
  EXPECT_EQ(values[1], 4);  // 39 bytes hold four f64
}

TEST_F(LowerShared, ANegativeExtentCountsAsNone) {
  const int sized = add_sized(ScalarType::F32, -3);
  const Variable* out = t.parameter("out", t.array(ScalarType::I64, {1}));
  t.function->body = {
      t.store(t.element(out, {t.i64(0)}), t.expr(scalar(ScalarType::I64), checked::Extent{shared(sized), 0}))};
  std::int64_t value = -1;
  t.run({reference::bits_of(&value)}, {.grid = {}, .block = {1}});
  EXPECT_EQ(value, 0);
}

// Device functions with shared arrays of their own: the static one is theirs, the dynamic ones are handed down.
TEST_F(LowerShared, OfDeviceFunctionsAreTheKernels) {
  checked::Function* kernel = t.function;
  const int own = add_sized(ScalarType::F64, 1);
  checked::Function* inner = t.add_function("inner", false, scalar(ScalarType::I64));
  checked::SharedArray fixed;
  const int rest = add_rest(ScalarType::I32);
  fixed.type = {ScalarType::I64, Layout::RowMajor, {2}};
  inner->shared_arrays.push_back(fixed);
  const auto extent = [&](int index) { return t.expr(scalar(ScalarType::I64), checked::Extent{shared(index), 0}); };
  inner->body = {t.store(t.element(shared(1), {t.i64(1)}), extent(rest)), t.return_(t.element(shared(1), {t.i64(1)}))};
  checked::Function* outer = t.add_function("outer", false, scalar(ScalarType::I64));
  const int sized = add_sized(ScalarType::I64, 2);
  outer->body = {t.store(t.element(shared(sized), {t.i64(0)}), t.call(inner, {})),
                 t.return_(t.add(t.element(shared(sized), {t.i64(0)}), extent(sized)))};
  t.function = kernel;
  const Variable* out = t.parameter("out", t.array(ScalarType::I64, {1}));
  kernel->body = {t.store(t.element(shared(own), {t.i64(0)}), t.constant(ScalarType::F64, 0)),
                  t.store(t.element(out, {t.i64(0)}), t.call(outer, {}))};

  const auto ir = t.lowered();
  EXPECT_EQ(ir->find("k")->shared_arrays.size(), 3u);
  EXPECT_EQ(ir->find("inner")->shared_arrays.size(), 1u);
  EXPECT_EQ(ir->find("outer")->parameters.size(), 4u);
  EXPECT_EQ(ir->find("k")->kernel.dynamic_shared_bytes.evaluate({}, {1}), 16 + 32);
  EXPECT_TRUE(ir->find("k")->kernel.uses_launch_shared_bytes);
  std::int64_t value = 0;
  const auto outcome = t.run({reference::bits_of(&value)}, {.grid = {}, .block = {1}, .launch_shared_bytes = 40});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  EXPECT_EQ(value, 10 + 3);
}

TEST(LowerArrays, LocalAndConstant) {
  Tree t;
  t.function->local_arrays.push_back({"buffer", {ScalarType::F32, Layout::RowMajor, {2, 3}}});
  t.module.constant_arrays.push_back(
      {"table", {ScalarType::F32, Layout::RowMajor, {2}}, std::string("\0\0\x80\x3f\0\0\0\x40", 8)});
  const ExprRef buffer =
      t.expr(t.array(ScalarType::F32, {2, 3}, Layout::RowMajor, ir::AddressSpace::Local), checked::LocalArrayRef{0});
  const ExprRef table =
      t.expr(t.array(ScalarType::F32, {2}, Layout::RowMajor, ir::AddressSpace::Constant), checked::ConstantArrayRef{0});
  t.function->body = {t.store(t.element(buffer, {t.i64(0), t.i64(1)}), t.element(table, {t.i64(1)}))};
  EXPECT_EQ(t.text(),
            "  local_array buffer: f32[6] align 16\n"
            "  %0 = constant_array 0 : ptr<f32, constant>\n"
            "  %1 = element %0, i64 1\n"
            "  %2 = load %1 : f32\n"
            "  %3 = local_array 0 : ptr<f32, local>\n"
            "  %4 = mul no_wrap i64 0, i64 3\n"
            "  %5 = add no_wrap %4, i64 1\n"
            "  %6 = element %3, %5\n"
            "  store %6, %2\n"
            "  return\n");
}

}  // namespace
}  // namespace pykc::lowering
