// That operators group, and statements are put together, as in CPython.
#include <gtest/gtest.h>

#include "parsed.h"

namespace pykc {
namespace {

/// An expression with all its parentheses.
struct Grouped {
  std::string operator()(const ast::Name& n) const { return n.id; }
  std::string operator()(const ast::IntLiteral& n) const { return std::to_string(n.value); }
  std::string operator()(const ast::Attribute& n) const { return of(n.value) + "." + n.name; }
  std::string operator()(const ast::Subscript& n) const { return of(n.value) + "[" + of(n.index) + "]"; }
  std::string operator()(const ast::Slice& n) const { return of(n.lower) + ":" + of(n.upper) + ":" + of(n.step); }
  std::string operator()(const ast::Starred& n) const { return "*" + of(n.value); }
  std::string operator()(const ast::Tuple& n) const { return "<" + list(n.elements) + ">"; }
  std::string operator()(const ast::List& n) const { return "[" + list(n.elements) + "]"; }
  std::string operator()(const ast::Unary& n) const {
    constexpr const char* ops[] = {"-", "+", "~", "not "};
    return "(" + std::string(ops[static_cast<int>(n.op)]) + of(n.operand) + ")";
  }
  std::string operator()(const ast::Binary& n) const {
    constexpr const char* ops[] = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"};
    return "(" + of(n.left) + ops[static_cast<int>(n.op)] + of(n.right) + ")";
  }
  std::string operator()(const ast::Logical& n) const {
    std::string text;
    for (const ast::ExprPtr& operand : n.operands)
      text += (text.empty() ? "" : n.op == ast::BoolOp::And ? " and " : " or ") + of(operand);
    return "(" + text + ")";
  }
  std::string operator()(const ast::Compare& n) const {
    constexpr const char* ops[] = {"==", "!=", "<", "<=", ">", ">=", " is ", " is not ", " in ", " not in "};
    std::string text = of(n.first);
    for (std::size_t i = 0; i < n.ops.size(); ++i) text += ops[static_cast<int>(n.ops[i])] + of(n.rest[i]);
    return "(" + text + ")";
  }
  std::string operator()(const ast::Conditional& n) const {
    return "(" + of(n.then) + " if " + of(n.condition) + " else " + of(n.otherwise) + ")";
  }
  std::string operator()(const ast::Lambda& n) const {
    std::string text;
    for (const ast::Parameter& parameter : n.function->parameters) text += " " + parameter.name;
    return "(lambda" + text + ": " + std::visit(Grouped{}, body_of(n).node) + ")";
  }
  std::string operator()(const ast::Comprehension& n) const {
    std::string text = (n.is_generator ? "(" : "[") + of(n.element);
    for (const ast::Comprehension::Clause& clause : n.clauses) {
      text += " for " + of(clause.target) + " in " + of(clause.iterable);
      for (const ast::ExprPtr& condition : clause.conditions) text += " if " + of(condition);
    }
    return text + (n.is_generator ? ")" : "]");
  }
  std::string operator()(const ast::Call& n) const {
    std::string text = of(n.function) + "(" + list(n.arguments);
    for (const ast::Keyword& keyword : n.keywords) text += ";" + keyword.name + "=" + of(keyword.value);
    return text + ")";
  }
  std::string operator()(const ast::Unsupported& n) const { return "{" + n.what + "}"; }
  std::string operator()(const ast::EllipsisLiteral&) const { return "..."; }
  std::string operator()(const ast::BoolLiteral& n) const { return n.value ? "True" : "False"; }
  std::string operator()(const ast::NoneLiteral&) const { return "None"; }
  std::string operator()(const auto&) const { return "?"; }

  static std::string of(const ast::ExprPtr& expr) { return expr ? std::visit(Grouped{}, expr->node) : ""; }
  static std::string list(const std::vector<ast::ExprPtr>& exprs) {
    std::string text;
    for (const ast::ExprPtr& expr : exprs) text += (text.empty() ? "" : ",") + of(expr);
    return text;
  }
};

std::string grouped(const std::string& expression) {
  const Parsed parsed = parse_text(expression + "\n");
  if (!parsed.diagnostics.empty()) return errors_in(expression + "\n");
  return Grouped::of(std::get<ast::ExprStmt>(parsed.module->body.front()->node).value);
}

TEST(Parser, BinaryOperatorsGroupLeftByPrecedence) {
  EXPECT_EQ(grouped("a + b * c - d"), "((a+(b*c))-d)");
  EXPECT_EQ(grouped("a - b - c"), "((a-b)-c)");
  EXPECT_EQ(grouped("a / b // c % d @ e"), "((((a/b)//c)%d)@e)");
  EXPECT_EQ(grouped("a | b ^ c & d << e + f"), "(a|(b^(c&(d<<(e+f)))))");
  EXPECT_EQ(grouped("a << b >> c"), "((a<<b)>>c)");
  EXPECT_EQ(grouped("(a + b) * c"), "((a+b)*c)");
}

TEST(Parser, PowerGroupsRightAndTighterThanASignOnItsLeft) {
  EXPECT_EQ(grouped("-a ** b"), "(-(a**b))");
  EXPECT_EQ(grouped("a ** -b ** c"), "(a**(-(b**c)))");
  EXPECT_EQ(grouped("a ** b ** c"), "(a**(b**c))");
  EXPECT_EQ(grouped("a.b ** c[1] * d"), "((a.b**c[1])*d)");
  EXPECT_EQ(grouped("- + ~ a"), "(-(+(~a)))");
}

TEST(Parser, ConditionsAndComparisons) {
  EXPECT_EQ(grouped("not a == b"), "(not (a==b))");
  EXPECT_EQ(grouped("a or b and c or d"), "(a or (b and c) or d)");
  EXPECT_EQ(grouped("not a and not b"), "((not a) and (not b))");
  EXPECT_EQ(grouped("a < b <= c != d"), "(a<b<=c!=d)");
  EXPECT_EQ(grouped("(a < b) < c"), "((a<b)<c)");
  EXPECT_EQ(grouped("a is not b not in c in d is e"), "(a is not b not in c in d is e)");
  EXPECT_EQ(grouped("a | b == c"), "((a|b)==c)");
}

TEST(Parser, ConditionalAndLambda) {
  EXPECT_EQ(grouped("a if b else c if d else e"), "(a if b else (c if d else e))");
  EXPECT_EQ(grouped("a or b if c and d else e"), "((a or b) if (c and d) else e)");
  EXPECT_EQ(grouped("lambda x, y: x if y else x"), "(lambda x y: (x if y else x))");
  EXPECT_EQ(grouped("lambda: 1, 2"), "<(lambda: 1),2>");
  EXPECT_EQ(grouped("f(lambda x,: x)"), "f((lambda x: x))");
}

TEST(Parser, PrimariesChain) {
  EXPECT_EQ(grouped("a.b(c)[d].e"), "a.b(c)[d].e");
  EXPECT_EQ(grouped("k[1, 2](x)"), "k[<1,2>](x)");
  EXPECT_EQ(grouped("f(a, *b, c=d, e=f,)"), "f(a,*b;c=d;e=f)");
  EXPECT_EQ(grouped("f()()"), "f()()");
}

TEST(Parser, Slices) {
  EXPECT_EQ(grouped("a[:]"), "a[::]");
  EXPECT_EQ(grouped("a[1:]"), "a[1::]");
  EXPECT_EQ(grouped("a[:2]"), "a[:2:]");
  EXPECT_EQ(grouped("a[::3]"), "a[::3]");
  EXPECT_EQ(grouped("a[1:2:3, ::1, :, ..., i]"), "a[<1:2:3,::1,::,...,i>]");
  EXPECT_EQ(grouped("a[1,]"), "a[<1>]");
  EXPECT_EQ(grouped("a[*b]"), "a[<*b>]");
}

TEST(Parser, Tuples) {
  EXPECT_EQ(grouped("()"), "<>");
  EXPECT_EQ(grouped("(a)"), "a");
  EXPECT_EQ(grouped("(a,)"), "<a>");
  EXPECT_EQ(grouped("a,"), "<a>");
  EXPECT_EQ(grouped("a, (b, c), [d, e,]"), "<a,<b,c>,[d,e]>");
  EXPECT_EQ(grouped("[]"), "[]");
}

TEST(Parser, WhatIsNotSupportedIsParsedOver) {
  EXPECT_EQ(grouped("{}"), "{a dict}");
  EXPECT_EQ(grouped("{1: 2, **a}"), "{a dict}");
  EXPECT_EQ(grouped("{1, *b}"), "{a set}");
  EXPECT_EQ(grouped("{k: v for k, v in x}"), "{a dict comprehension}");
  EXPECT_EQ(grouped("{k for k in x}"), "{a set comprehension}");
  EXPECT_EQ(grouped("(a := 1)"), "{an assignment inside an expression (`:=`)}");
  EXPECT_EQ(grouped("await f(x)"), "{`await`}");
  EXPECT_EQ(grouped("f(**a)"), "f({`**` in a call})");
  EXPECT_EQ(grouped("[x async for x in y]"), "{`async`}");
}

TEST(Parser, Comprehensions) {
  EXPECT_EQ(grouped("[x for x in y if x]"), "[x for x in y if x]");
  EXPECT_EQ(grouped("(x for x, in y for z in x)"), "(x for <x> in y for z in x)");
  EXPECT_EQ(grouped("f(x + 1 for x in y if x if z)"), "f(((x+1) for x in y if x if z))");
}

TEST(Parser, LambdasHaveTheParametersOfFunctions) {
  EXPECT_EQ(grouped("lambda x=1: x"), "(lambda x: x)");
  EXPECT_EQ(grouped("lambda *a, b: a"), "(lambda a b: a)");
  EXPECT_EQ(grouped("lambda: 1"), "(lambda: 1)");
}

TEST(Parser, RangesReachFromEndToEnd) {
  const std::string text = "(a + b) * c[1]\n";
  const Parsed parsed = parse_text(text);
  const auto& value = *std::get<ast::ExprStmt>(parsed.module->body.front()->node).value;
  EXPECT_EQ(parsed.file->text(value.range), "(a + b) * c[1]");
  const auto& product = std::get<ast::Binary>(value.node);
  EXPECT_EQ(parsed.file->text(product.left->range), "(a + b)");
  EXPECT_EQ(parsed.file->text(product.right->range), "c[1]");
  EXPECT_EQ(parsed.file->text(product.op_range), "*");
}

TEST(Parser, Assignments) {
  EXPECT_EQ(outline("a = b, c = d\n"),
            "  Assign\n    target: Name a\n    target: Tuple\n      element: Name b\n      element: Name c\n"
            "    value: Name d\n");
  EXPECT_EQ(outline("a: i32 = 1\n"),
            "  AnnotatedAssign\n    target: Name a\n    annotation: Name i32\n    value: Integer 1\n");
  EXPECT_EQ(outline("a: i32\n"), "  AnnotatedAssign\n    target: Name a\n    annotation: Name i32\n");
  EXPECT_EQ(outline("a[0] //= 1\n"),
            "  AugmentedAssign //=\n    target: Subscript\n      value: Name a\n      index: Integer 0\n    value: "
            "Integer 1\n");
  EXPECT_EQ(errors_in("a, *b = c\n[a, b] = c\n(a), (b.c, d[0]) = c\nx += 1, 2\nx = yield\nx = *a, b\n"), "");
}

TEST(Parser, ElifIsAnIfInOtherwise) {
  EXPECT_EQ(outline("if a: pass\nelif b: pass\nelse: pass\n"),
            "  If\n    condition: Name a\n    then:\n      Pass\n    otherwise:\n      If\n        condition: Name b\n"
            "        then:\n          Pass\n        otherwise:\n          Pass\n");
}

TEST(Parser, LoopsHaveElse) {
  EXPECT_EQ(outline("while a:\n  break\nelse:\n  b\n"),
            "  While\n    condition: Name a\n    body:\n      Break\n    otherwise:\n      ExprStmt\n        value: "
            "Name b\n");
  EXPECT_EQ(outline("for i, j in a, b:\n  continue\nelse: b\n"),
            "  For\n    target: Tuple\n      element: Name i\n      element: Name j\n    iterable: Tuple\n"
            "      element: Name a\n      element: Name b\n    body:\n      Continue\n    otherwise:\n      ExprStmt\n"
            "        value: Name b\n");
}

TEST(Parser, SeveralStatementsOnALine) {
  EXPECT_EQ(outline("a; b;\nif c: d; e\n"),
            "  ExprStmt\n    value: Name a\n  ExprStmt\n    value: Name b\n  If\n    condition: Name c\n    then:\n"
            "      ExprStmt\n        value: Name d\n      ExprStmt\n        value: Name e\n");
}

TEST(Parser, Functions) {
  EXPECT_EQ(outline("@kernel\n@cuda.jit(device=True)\ndef f(a, b: f32[:] = 1,) -> i32:\n    'doc'\n    return\n"),
            "  FunctionDef f\n    decorator: Name kernel\n    decorator: Call\n      function: Attribute jit\n"
            "        value: Name cuda\n      device=: Bool True\n    parameter: a\n    parameter: b\n"
            "      annotation: Subscript\n        value: Name f32\n        index: Slice\n      default: Integer 1\n"
            "    returns: Name i32\n    docstring: \"doc\"\n    body:\n      Return\n");
}

TEST(Parser, Classes) {
  EXPECT_EQ(outline("@struct\nclass P(Q, metaclass=M):\n    'doc'\n    x: f32\n"),
            "  ClassDef P\n    decorator: Name struct\n    base: Name Q\n    body:\n      AnnotatedAssign\n"
            "        target: Name x\n        annotation: Name f32\n");
  EXPECT_EQ(errors_in("class P: pass\nclass Q(): pass\n"), "");
}

TEST(Parser, Imports) {
  EXPECT_EQ(outline("import a.b, c as d\nfrom e.f import (g, h as i,)\nfrom j import *\n"),
            "  Import\n    name: a.b as a\n    name: c as d\n  ImportFrom e.f\n    name: g\n    name: h as i\n"
            "  ImportFrom j\n    name: *\n");
}

TEST(Parser, WithItems) {
  const std::string nested =
      "  With\n    context: Name a\n    target: Name b\n    body:\n      With\n        context: Name c\n        body:\n"
      "          Pass\n";
  EXPECT_EQ(outline("with a as b, c: pass\n"), nested);
  EXPECT_EQ(outline("with (a as b, c,): pass\n"), nested);
  EXPECT_EQ(outline("with (a, b) as c: pass\n"),
            "  With\n    context: Tuple\n      element: Name a\n      element: Name b\n    target: Name c\n    body:\n"
            "      Pass\n");
}

TEST(Parser, StatementsThatAreNotSupported) {
  EXPECT_EQ(outline("try:\n  a\nexcept (B, C) as d:\n  e\nexcept:\n  f\nelse:\n  g\nfinally:\n  h\n"),
            "  UnsupportedStmt `try`\n");
  EXPECT_EQ(outline("async def f(): pass\n"), "  UnsupportedStmt `async`\n");
  EXPECT_EQ(outline("def f():\n  global a, b\n  nonlocal c\n  del d[0], e\n"),
            "  FunctionDef f\n    body:\n      UnsupportedStmt `global`\n      UnsupportedStmt `nonlocal`\n"
            "      UnsupportedStmt `del`\n");
}

TEST(Parser, OtherStatements) {
  EXPECT_EQ(outline("assert a, 'm'\nraise E('x') from e\n"),
            "  Assert\n    condition: Name a\n    message: String \"m\"\n  Raise\n    exception: Call\n"
            "      function: Name E\n      argument: String \"x\"\n");
  EXPECT_EQ(errors_in("def f():\n  return a, *b\n  yield a\n  x = match(type)\n  match = case = 1\n"), "");
  EXPECT_EQ(errors_in("def f():\n  raise\n"), "E0158 2:3");
}

TEST(Parser, TheModuleHasADocstring) {
  EXPECT_EQ(outline("'''a\nb'''\nx\n"), "  docstring: \"a\\nb\"\n  ExprStmt\n    value: Name x\n");
}

}  // namespace
}  // namespace pykc
