// Checks, prints, and code that never runs.
#include <gtest/gtest.h>

#include "tests/unit/frontend/lower/tree.h"

namespace pykc::lowering {
namespace {

TEST(LowerCheck, StopsWhereTheConditionFails) {
  Tree t;
  t.module.faults = {{"first", "", 1, 1}, {"second", "", 2, 1}};
  const Variable* n = t.parameter("n", scalar(ScalarType::I32));
  const ExprRef holds = t.compare(CompareOp::Gt, t.cast(t.ref(n), ScalarType::I64), t.i64(0));
  t.function->body = {t.stmt(checked::Check{holds, 1, {t.ref(n)}})};
  EXPECT_TRUE(t.run({1}).is_clean());
  const auto outcome = t.run({reference::bits_of<std::int32_t>(-7)});
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->site, 1);
  EXPECT_EQ(outcome.fault->values[0], -7);
}

TEST(LowerCheck, RaiseEndsItsSuite) {
  Tree t;
  t.module.faults.resize(1);
  t.function->body = {t.stmt(checked::Check{nullptr, 0, {}}), t.return_()};
  EXPECT_EQ(t.text(), "  fault 0\n");
}

TEST(LowerPrint, OneFormatALine) {
  Tree t;
  const auto piece = [](std::string text, ExprRef value = nullptr) {
    return checked::Print::Piece{std::move(text), value};
  };
  checked::Print print;
  print.pieces = {piece("100%: "),
                  piece("", t.constant(ScalarType::I8, 0xff)),
                  piece(" ", t.constant(ScalarType::U16, 7)),
                  piece(" ", t.f32(0.5f)),
                  piece(" ", t.constant(ScalarType::F64, std::bit_cast<std::uint64_t>(0.1))),
                  piece(" ", t.boolean(true)),
                  piece(" %d")};
  t.function->body = {t.stmt(print)};
  EXPECT_EQ(t.lowered()->find("k")->print_formats.front().text, "100%%: %lld %llu %g %.15g %s %%d\n");
  EXPECT_EQ(t.run({}).printed, "100%: -1 7 0.5 0.1 True %d\n");
}

TEST(LowerSuite, NothingFollowsAReturn) {
  Tree t;
  const Variable* c = t.parameter("c", scalar(ScalarType::Bool));
  t.function->body = {t.if_(t.ref(c), {t.return_(), t.return_()}), t.return_(), t.if_(t.ref(c), {})};
  EXPECT_EQ(t.text(),
            "  argument c: bool\n"
            "  if %c {\n"
            "    return\n"
            "  }\n"
            "  return\n");
}

TEST(LowerStore, TheValueIsEvaluatedFirst) {
  Tree t;
  const Variable* x = t.parameter("x", t.array(ScalarType::I64, {4}));
  const auto count = [&] {
    return t.expr(scalar(ScalarType::I64), checked::Atomic{ir::AtomicOp::Add, {}, t.element(x, {t.i64(3)}), t.i64(1)});
  };
  t.function->body = {t.store(t.element(x, {count()}), t.add(count(), t.i64(10)))};
  std::int64_t values[4] = {};
  t.run({reference::bits_of(&values[0])});
  EXPECT_EQ(values[1], 10);  // the index came second, so it was 1
}

TEST(LowerPlaces, InstructionsKnowTheirSource) {
  Tree t;
  const Variable* x = t.parameter("x", t.array(ScalarType::F32, {1}));
  t.module.stmts.push_back({{10, 20}, checked::StoreElement{t.element(x, {t.i64(0)}), t.f32(1)}});
  const_cast<SourceRange&>(t.module.exprs.back().range) = {18, 20};
  t.function->body = {&t.module.stmts.back()};
  const auto ir = t.lowered();
  for (const ir::Instruction& instruction : ir->find("k")->instructions) {
    if (instruction.opcode == ir::Opcode::Store) {
      EXPECT_EQ(instruction.range, (SourceRange{10, 20}));
    }
  }
}

}  // namespace
}  // namespace pykc::lowering
