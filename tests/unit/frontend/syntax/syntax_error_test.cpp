// One mistake each: its code, its place, its fix.
#include <gtest/gtest.h>

#include "parsed.h"

namespace pykc {
namespace {

std::string fix_of(const std::string& text) {
  const Parsed parsed = parse_text(text);
  return parsed.diagnostics.empty() ? "" : parsed.diagnostics.front().fix;
}

TEST(SyntaxError, Colons) {
  EXPECT_EQ(errors_in("if a\n    b = 1\n"), "E0131 1:5");
  EXPECT_EQ(errors_in("def f(x)\n    return x\n"), "E0131 1:9");
  EXPECT_EQ(errors_in("if a:\n    b\nelse\n    c\n"), "E0131 3:5");
  EXPECT_EQ(errors_in("for i in range(3)  # comment\n    b\n"), "E0131 1:18");
  EXPECT_EQ(fix_of("while a\n    b\n"), ":");
}

TEST(SyntaxError, Blocks) {
  EXPECT_EQ(errors_in("if a:\nb = 1\n"), "E0132 2:1");
  EXPECT_EQ(errors_in("def f():\n"), "E0132 2:1");
  EXPECT_EQ(errors_in("def f():\n    # nothing\nx = 1\n"), "E0132 3:1");
  EXPECT_EQ(errors_in("a = 1\n    b = 1\nc = 1\n"), "E0108 2:1");
}

TEST(SyntaxError, AssignmentForComparison) {
  EXPECT_EQ(errors_in("if a = 3:\n    b = 1\n"), "E0133 1:6");
  EXPECT_EQ(errors_in("while f(a) = 3:\n    b = 1\n"), "E0133 1:12");
  EXPECT_EQ(errors_in("x = (a = 3)\n"), "E0133 1:8");
  EXPECT_EQ(errors_in("f(a.b = 3)\n"), "E0133 1:7");
  EXPECT_EQ(errors_in("x = [a = 3]\n"), "E0133 1:8");
  EXPECT_EQ(fix_of("if a = 3:\n    b = 1\n"), "==");
}

TEST(SyntaxError, Targets) {
  EXPECT_EQ(errors_in("a + b = c\n"), "E0134 1:1");
  EXPECT_EQ(errors_in("f(x) = c\n"), "E0134 1:1");
  EXPECT_EQ(errors_in("a, 3 = c\n"), "E0134 1:4");
  EXPECT_EQ(errors_in("True = c\n"), "E0134 1:1");
  EXPECT_EQ(errors_in("a, b += 1\n"), "E0134 1:1");
  EXPECT_EQ(errors_in("a, b: i32 = 1\n"), "E0134 1:1");
  EXPECT_EQ(errors_in("for f() in x:\n    a\n"), "E0134 1:5");
  EXPECT_EQ(errors_in("*a = b\n"), "E0134 1:1");
  EXPECT_EQ(errors_in("*a, *b = c\n"), "E0142 1:5");
  EXPECT_EQ(errors_in("x = *a\n"), "E0142 1:5");
  EXPECT_EQ(errors_in("*a\n"), "E0142 1:1");
  EXPECT_EQ(errors_in("(*a)\n"), "E0142 1:2");
  EXPECT_EQ(fix_of("a == b = c\n"), "=");
}

TEST(SyntaxError, MissingOperandsAndCommas) {
  EXPECT_EQ(errors_in("x = \n"), "E0130 1:5");
  EXPECT_EQ(errors_in("x = 1 +\n"), "E0130 1:8");
  EXPECT_EQ(errors_in("x = a b\n"), "E0130 1:7");
  EXPECT_EQ(errors_in("x = f(a b)\n"), "E0135 1:9");
  EXPECT_EQ(errors_in("x = f(a, , b)\n"), "E0130 1:10");
  EXPECT_EQ(errors_in("x = [1 2]\n"), "E0135 1:8");
  EXPECT_EQ(errors_in("x = [\n    1,\n    2\n    3,\n]\n"), "E0135 4:5");
  EXPECT_EQ(errors_in("x = a[]\n"), "E0130 1:7");
  EXPECT_EQ(errors_in("x = a if b\n"), "E0130 1:11");
}

TEST(SyntaxError, HabitsFromOtherLanguages) {
  EXPECT_EQ(errors_in("i++\n"), "E0137 1:2");
  EXPECT_EQ(errors_in("i--\n"), "E0137 1:2");
  EXPECT_EQ(errors_in("x = --i\n"), "");
  EXPECT_EQ(errors_in("if a:\n    b\nelse if c:\n    d\n"), "E0138 3:1");
  EXPECT_EQ(errors_in("print \"x\"\n"), "E0151 1:1");
  EXPECT_EQ(errors_in("x := 1\n"), "E0143 1:3");
}

TEST(SyntaxError, MisspelledWords) {
  EXPECT_EQ(fix_of("fro i in range(3):\n    a = 1\n"), "for");
  EXPECT_EQ(fix_of("whlie(x):\n    a = 1\n"), "while");
  EXPECT_EQ(fix_of("retrun x\n"), "return");
  EXPECT_EQ(errors_in("if a:\n    b\nels:\n    c\n"), "E0130 3:5");
  EXPECT_EQ(errors_in("match x:\n    case [1, 2]:\n        y\nz = 1\n"), "E0152 1:1");
  EXPECT_EQ(errors_in("match (x):\n    case 1:\n        y\nz = 1\n"), "E0152 1:1");
}

TEST(SyntaxError, Names) {
  EXPECT_EQ(errors_in("def f(in):\n    return 1\n"), "E0141 1:7");
  EXPECT_EQ(errors_in("x.class\n"), "E0141 1:3");
  EXPECT_EQ(errors_in("import for\n"), "E0141 1:8");
  EXPECT_EQ(errors_in("def 3():\n    pass\n"), "E0130 1:5");
  EXPECT_EQ(errors_in("x.3\n"), "E0130 1:2");
}

TEST(SyntaxError, Parameters) {
  EXPECT_EQ(errors_in("def f(a, *b, c, **d):\n    pass\n"), "E0148 1:17");
  EXPECT_EQ(errors_in("def f(a, /, b, *, c):\n    pass\n"), "E0148 1:10");
  EXPECT_EQ(errors_in("def f(a, a):\n    pass\n"), "E0146 1:10");
  EXPECT_EQ(errors_in("def f(a=1, b):\n    pass\n"), "E0147 1:12");
  EXPECT_EQ(errors_in("def f(a=1, *, b):\n    pass\n"), "");
}

TEST(SyntaxError, Arguments) {
  EXPECT_EQ(errors_in("f(a=1, 2)\n"), "E0144 1:8");
  EXPECT_EQ(errors_in("f(a=1, b=2, a=3)\n"), "E0145 1:13");
}

TEST(SyntaxError, StatementsInTheWrongPlace) {
  EXPECT_EQ(errors_in("return 1\n"), "E0149 1:1");
  EXPECT_EQ(errors_in("class A:\n    return\n"), "E0149 2:5");
  EXPECT_EQ(errors_in("break\n"), "E0150 1:1");
  EXPECT_EQ(errors_in("for i in a:\n    def f():\n        continue\n"), "E0150 3:9");
  EXPECT_EQ(errors_in("for i in a:\n    b\nelse:\n    break\n"), "E0150 4:5");
  EXPECT_EQ(errors_in("else:\n    a\n"), "E0139 1:1");
  EXPECT_EQ(errors_in("x = 1\nexcept A:\n    a\n"), "E0139 2:1");
  EXPECT_EQ(errors_in("try:\n    a\nb\n"), "E0155 1:1");
  EXPECT_EQ(errors_in("@a\nx = 1\n"), "E0154 1:2");
  EXPECT_EQ(errors_in("from . import a\nfrom ..b import c\nfrom ... import d\n"), "");
  EXPECT_EQ(errors_in("from .. b c import d\n"), "E0130 1:11");
}

TEST(SyntaxError, Brackets) {
  EXPECT_EQ(errors_in("x = (1 + 2\n"), "E0111 1:5");
  EXPECT_EQ(errors_in("x = f(a[1)\ny = 1\n"), "E0111 1:8");
  EXPECT_EQ(errors_in("x = 1)\n"), "E0112 1:6");
  EXPECT_EQ(errors_in("x = (1]\n"), "E0113 1:7");
  EXPECT_EQ(errors_in("x = (1]]])\n"), "E0113 1:7");
}

TEST(SyntaxError, AFoundTokenIsNamed) {
  EXPECT_EQ(parse_text("x = )\n").diagnostics[0].message, "`)` closes nothing");
  EXPECT_EQ(parse_text("x = a b\n").diagnostics[0].message, "expected the end of the line, found `b`");
  EXPECT_EQ(parse_text("x = 3 +\n").diagnostics[0].message, "expected an expression, found the end of the line");
  EXPECT_EQ(parse_text("x = a in\n").diagnostics[0].message, "expected an expression, found the end of the line");
  EXPECT_EQ(parse_text("def f(3):\n  pass\n").diagnostics[0].message, "expected the name of a parameter, found `3`");
}

}  // namespace
}  // namespace pykc
