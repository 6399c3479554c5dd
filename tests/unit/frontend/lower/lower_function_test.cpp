// Parameters taken apart, the kernel's description, calls, read-only parameters.
#include <gtest/gtest.h>

#include "tests/unit/frontend/lower/tree.h"

namespace pykc::lowering {
namespace {

std::string signature(const ir::Module& module, std::string_view symbol) {
  const std::string text = ir::print_function(*module.find(symbol));
  return text.substr(0, text.find('\n'));
}

TEST(LowerParameters, AreTakenApart) {
  Tree t;
  t.parameter("x", t.array(ScalarType::F32, {kDynamic, kDynamic}));
  t.parameter("y", t.array(ScalarType::F64, {kDynamic}, Layout::Strided));
  t.parameter("z", t.array(ScalarType::I8, {4, 4}));
  t.parameter("a", scalar(ScalarType::U16));
  const auto ir = t.lowered();
  EXPECT_EQ(signature(*ir, "k"),
            "kernel @k(%x: ptr<f32, global> read_only, %x.shape0: i64 non_negative, %x.shape1: i64 non_negative, "
            "%y: ptr<f64, global> read_only, %y.shape0: i64 non_negative, %y.stride0: i64, "
            "%z: ptr<i8, global> read_only, %a: u16) {");
  const KernelInfo& kernel = ir->find("k")->kernel;
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.symbol, "k");
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[1].array, (ArrayType{ScalarType::F64, Layout::Strided, {kDynamic}}));
  EXPECT_FALSE(kernel.parameters[3].is_array);
  EXPECT_TRUE(kernel.parameters[3].value.is(ScalarType::U16));
}

TEST(LowerFunction, CarriesTheOptions) {
  Tree t;
  t.function->options.max_threads_per_block = 256;
  t.function->options.min_blocks_per_multiprocessor = 2;
  t.function->options.max_registers = 40;
  t.function->options.fast_math = true;
  t.function->options.contract = false;
  EXPECT_EQ(t.text(),
            "  max_threads_per_block 256\n"
            "  min_blocks_per_multiprocessor 2\n"
            "  max_registers 40\n"
            "  fast_math\n"
            "  no_contract\n"
            "  return\n");
}

TEST(LowerParameters, NoAliasIsForPointers) {
  Tree t;
  t.function->options.no_alias = true;
  t.parameter("x", t.array(ScalarType::F32, {kDynamic}));
  EXPECT_EQ(signature(*t.lowered(), "k"),
            "kernel @k(%x: ptr<f32, global> no_alias read_only, %x.shape0: i64 non_negative) {");
}

// def split(x: f32[:], p) -> tuple[f32[:], tuple[i64, i64]]
TEST(LowerCall, ArraysAndTuplesGoPartByPart) {
  Tree t;
  const checked::Type row = t.array(ScalarType::F32, {kDynamic});
  const checked::Type pair = t.tuple({scalar(ScalarType::I64), scalar(ScalarType::I64)});
  checked::Function* kernel = t.function;
  checked::Function* split = t.add_function("split", false, t.tuple({row, pair}));
  const Variable* x = t.parameter("x", row);
  const Variable* p = t.parameter("p", pair);
  const ExprRef swapped =
      t.expr(pair, checked::TupleExpr{{t.tuple_element(t.ref(p), 1), t.tuple_element(t.ref(p), 0)}});
  split->body = {t.return_(t.expr(split->result, checked::TupleExpr{{t.ref(x), swapped}}))};

  t.function = kernel;
  const Variable* data = t.parameter("data", row);
  const Variable* result = t.variable("result", split->result);
  const ExprRef numbers = t.expr(pair, checked::TupleExpr{{t.i64(0), t.i64(1)}});
  const ExprRef first = t.tuple_element(t.tuple_element(t.ref(result), 1), 0);
  kernel->body = {t.assign(result, t.call(split, {t.ref(data), numbers})),
                  t.store(t.element(t.tuple_element(t.ref(result), 0), {first}), t.f32(1))};
  EXPECT_EQ(t.text(),
            "  argument data: f32[?] row_major\n"
            "  %0 = call @split %data, %data.shape0, i64 0, i64 1\n"
            "  %1 = extract 0 %0 : ptr<f32, global>\n"
            "  %2 = extract 1 %0 : i64\n"
            "  %3 = extract 2 %0 : i64\n"
            "  %4 = extract 3 %0 : i64\n"
            "  %5 = add %3, %2\n"
            "  %6 = lt %3, i64 0\n"
            "  %7 = select %6, %5, %3 : i64\n"
            "  %8 = element %1, %7\n"
            "  store %8, f32 1\n"
            "  return\n");
  EXPECT_EQ(t.text("split"), "  return %x, %x.shape0, %p.1, %p.0\n");
}

// def factorial(n: i64) -> i64: return 1 if n < 2 else n * factorial(n - 1)
TEST(LowerCall, Recursion) {
  Tree t;
  checked::Function* kernel = t.function;
  checked::Function* factorial = t.add_function("factorial", false, scalar(ScalarType::I64));
  const Variable* n = t.parameter("n", scalar(ScalarType::I64));
  const ExprRef rest = t.call(factorial, {t.binary(BinaryOp::Sub, t.ref(n), t.i64(1))});
  factorial->body = {t.return_(
      t.conditional(t.compare(CompareOp::Lt, t.ref(n), t.i64(2)), t.i64(1), t.binary(BinaryOp::Mul, t.ref(n), rest)))};
  t.function = kernel;
  const Variable* out = t.parameter("out", t.array(ScalarType::I64, {1}));
  kernel->body = {t.store(t.element(out, {t.i64(0)}), t.call(factorial, {t.i64(10)}))};
  std::int64_t value = 0;
  EXPECT_TRUE(t.run({reference::bits_of(&value)}).is_clean());
  EXPECT_EQ(value, 3628800);
}

TEST(LowerFunction, EveryPathReturns) {
  Tree t;
  t.add_function("f", false, scalar(ScalarType::I64));
  const Variable* n = t.parameter("n", scalar(ScalarType::I64));
  t.function->body = {
      t.if_(t.compare(CompareOp::Lt, t.ref(n), t.i64(0)), {t.return_(t.i64(-1))}, {t.return_(t.i64(1))})};
  EXPECT_EQ(t.text("f"),
            "  %0 = lt %n, i64 0\n"
            "  if %0 {\n"
            "    return i64 -1\n"
            "  } else {\n"
            "    return i64 1\n"
            "  }\n");
}

// ---- read-only parameters ----

class LowerReadOnly : public testing::Test {
 protected:
  const Variable* parameter(std::string name) { return t.parameter(std::move(name), t.array(ScalarType::F32, {4})); }
  const checked::Stmt* write(const Variable* array) { return t.store(t.element(array, {t.i64(0)}), t.f32(1)); }
  /// The names of the kernel's read-only parameters.
  std::string read_only() {
    std::string names;
    const auto ir = t.lowered();
    for (const ir::Parameter& p : ir->find("k")->parameters)
      if (p.read_only) names += p.name + ' ';
    return names;
  }
  Tree t;
};

TEST_F(LowerReadOnly, NotWhatIsStoredTo) {
  const Variable* x = parameter("x");
  const Variable* y = parameter("y");
  const Variable* z = parameter("z");
  const ExprRef atomic =
      t.expr(scalar(ScalarType::F32),
             checked::Atomic{ir::AtomicOp::Add, {}, t.element(z, {t.i64(0)}), t.element(y, {t.i64(0)})});
  t.function->body = {write(x), t.stmt(checked::Evaluate{atomic})};
  EXPECT_EQ(read_only(), "y ");
}

TEST_F(LowerReadOnly, NotWhatAVariableMayStandFor) {
  const Variable* x = parameter("x");
  const Variable* y = parameter("y");
  parameter("z");
  const Variable* c = t.parameter("c", scalar(ScalarType::Bool));
  const Variable* either = t.variable("either", x->type);
  t.function->body = {t.assign(either, t.ref(x)), t.if_(t.ref(c), {t.assign(either, t.ref(y))}), write(either)};
  EXPECT_EQ(read_only(), "z ");
}

TEST_F(LowerReadOnly, NotWhatACalleeWrites) {
  checked::Function* kernel = t.function;
  checked::Function* inner = t.add_function("inner", false);
  const Variable* a = parameter("a");
  const Variable* b = parameter("b");
  inner->body = {t.store(t.element(b, {t.i64(0)}), t.element(a, {t.i64(0)}))};
  checked::Function* outer = t.add_function("outer", false);
  const Variable* p = parameter("p");
  const Variable* q = parameter("q");
  outer->body = {t.stmt(checked::Evaluate{t.call(inner, {t.ref(p), t.ref(q)})})};
  t.function = kernel;
  const Variable* x = parameter("x");
  const Variable* y = parameter("y");
  kernel->body = {t.stmt(checked::Evaluate{t.call(outer, {t.ref(x), t.ref(y)})})};
  EXPECT_EQ(read_only(), "x ");
}

TEST_F(LowerReadOnly, NotWhatACalleeGivesBack) {
  checked::Function* kernel = t.function;
  checked::Function* same = t.add_function("same", false, t.array(ScalarType::F32, {4}));
  same->body = {t.return_(t.ref(parameter("a")))};
  t.function = kernel;
  const Variable* x = parameter("x");
  parameter("y");
  kernel->body = {t.store(t.element(t.call(same, {t.ref(x)}), {t.i64(0)}), t.f32(1))};
  EXPECT_EQ(read_only(), "y ");
}

}  // namespace
}  // namespace pykc::lowering
