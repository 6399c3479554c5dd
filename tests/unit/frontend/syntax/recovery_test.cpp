// Many mistakes in one file: each is reported, none twice, and what is sound around them is kept.
#include <gtest/gtest.h>

#include "parsed.h"

namespace pykc {
namespace {

TEST(Recovery, EveryStatementIsReadOnItsOwn) {
  EXPECT_EQ(errors_in("x = = 1\ny = 2\nz = 3 3\nif a b:\n    c = )\n    d = 1\ne = [1\n"),
            "E0130 1:5; E0130 3:7; E0130 4:6; E0112 5:9; E0111 7:5");
}

TEST(Recovery, TheBlockOfABrokenHeaderIsRead) {
  EXPECT_EQ(errors_in("def f(x:\n    y = = 1\n    return y\ndef g():\n    return = 1\n"),
            "E0111 1:6; E0130 2:9; E0130 5:12");
  EXPECT_EQ(errors_in("iff a:\n    return = 2\nelif b:\n    c\nelse:\n    d = = 1\ne = 1\n"),
            "E0130 1:5; E0130 2:12; E0130 6:9");
  EXPECT_EQ(errors_in("for x range(3):\n    break\n"), "E0130 1:7");
}

TEST(Recovery, AnUnclosedBracketDoesNotSwallowTheFile) {
  EXPECT_EQ(errors_in("def f(x: f32[:]:\n    x[0] = 1\n    return\n\ndef g(y):\n    y = = 2\n"),
            "E0111 1:6; E0130 6:9");
  EXPECT_EQ(errors_in("x = foo(\n    a,\n    bar(b,\n        c),\n    d\ny = 1 1\nz = 2\n"), "E0111 1:8; E0130 6:7");
  EXPECT_EQ(errors_in("def f():\n    i = grid(1\n    x[i] = 2\n    while i:\n        break\n    y = = 3\n"),
            "E0111 2:13; E0130 6:9");
  EXPECT_EQ(errors_in("def f(a,\n      b,\n    x = 1\n    return x\n"), "E0111 1:6");
}

TEST(Recovery, ABracketMissingOnALineBeforeAnother) {
  // The bracket of the last line closes that of the first; the indentation tells that it should not.
  EXPECT_EQ(errors_in("x = grid(1\ny = (2)\nz = 3)\n"), "E0111 1:9");
  EXPECT_EQ(errors_in("def f(x: f32[:]:\n    y = x)\n    return y\n"), "E0111 1:6");
  EXPECT_EQ(errors_in("x = f(a: 3)\n"), "E0130 1:8");
}

TEST(Recovery, AnUnclosedStringDoesNotOpenBrackets) {
  EXPECT_EQ(errors_in("print(\"hello)\nx = = 1\n"), "E0115 1:7; E0130 2:5");
  EXPECT_EQ(errors_in("x = [\n    \"a\",\n    \"b,\n    \"c\",\n]\ny = = 1\n"), "E0115 3:5; E0130 6:5");
}

TEST(Recovery, OneLexicalErrorALine) { EXPECT_EQ(errors_in("x = $ $ $ `a`\ny = ?\n"), "E0105 1:5; E0105 2:5"); }

TEST(Recovery, TheTreeKeepsWhatIsSound) {
  const Parsed parsed = parse_text("a = 1\nb = = 2\ndef f(x):\n    y = )\n    return x\n");
  EXPECT_EQ(parsed.diagnostics.size(), 2u);
  EXPECT_EQ(
      ast::print(*parsed.module),
      "Module\n  Assign\n    target: Name a\n    value: Integer 1\n  Assign\n    target: Name b\n"
      "    value: Unsupported\n  FunctionDef f\n    parameter: x\n    body:\n      Assign\n        target: Name y\n"
      "        value: Unsupported\n      Return\n        value: Name x\n");
}

TEST(Recovery, AnUnexpectedIndentIsReportedOnce) {
  EXPECT_EQ(errors_in("a = 1\n    b = 1\n    c = 2\n        d = 1\ne = 1\n"), "E0108 2:1; E0108 4:1");
}

}  // namespace
}  // namespace pykc
