#include <gtest/gtest.h>

#include "parsed.h"

namespace pykc {
namespace {

TEST(Lexer, TokensHaveTheirPlaces) {
  const Parsed parsed = parse_text("if x:\n  \xC3\xA4 = 1.5  # c\n");
  EXPECT_EQ(print_tokens(*parsed.file, parsed.tokens),
            "1:1 KwIf if\n"
            "1:4 Identifier x\n"
            "1:5 Colon :\n"
            "1:6 Newline\n"
            "2:1 Indent\n"
            "2:3 Identifier \xC3\xA4\n"
            "2:5 Equal =\n"
            "2:7 Float 1.5\n"
            "2:15 Newline\n"
            "3:1 Dedent\n"
            "3:1 EndOfFile\n");
}

TEST(Lexer, AnEmptyFileEndsAtOnce) {
  EXPECT_EQ(token_kinds(""), "EndOfFile");
  EXPECT_EQ(token_kinds("\n\n  \n\t\n# c"), "EndOfFile");
  EXPECT_EQ(token_kinds("\xEF\xBB\xBF"), "EndOfFile");
  EXPECT_EQ(errors_in(""), "");
}

TEST(Lexer, EveryOperatorIsRead) {
  std::string text, kinds;
#define PUNCTUATION(name, spelling)                                                   \
  if (std::string_view(spelling).find_first_of("()[]{}") == std::string_view::npos) { \
    text += " " spelling;                                                             \
    kinds += #name " ";                                                               \
  }
#include "frontend/syntax/tokens.def"
  EXPECT_EQ(token_kinds(text), "Indent " + kinds + "Newline Dedent EndOfFile");
}

TEST(Lexer, EveryKeywordIsRead) {
  std::string text = "x", kinds = "Identifier ";
#define KEYWORD(name, spelling) \
  text += " " spelling;         \
  kinds += #name " ";
#include "frontend/syntax/tokens.def"
  EXPECT_EQ(token_kinds(text), kinds + "Newline EndOfFile");
}

TEST(Lexer, TheLongestOperatorWins) {
  EXPECT_EQ(token_kinds("a**=b"), "Identifier StarStarEqual Identifier Newline EndOfFile");
  EXPECT_EQ(token_kinds("a<<=b"), "Identifier LeftShiftEqual Identifier Newline EndOfFile");
  EXPECT_EQ(token_kinds("a...b"), "Identifier Ellipsis Identifier Newline EndOfFile");
  EXPECT_EQ(token_kinds("a//b"), "Identifier SlashSlash Identifier Newline EndOfFile");
  EXPECT_EQ(token_kinds("a:=b"), "Identifier ColonEqual Identifier Newline EndOfFile");
}

TEST(Lexer, IndentationMakesBlocks) {
  EXPECT_EQ(
      token_kinds("a:\n  b\n  c\n    # deep comment\n\nd"),
      "Identifier Colon Newline Indent Identifier Newline Identifier Newline Dedent Identifier Newline EndOfFile");
  EXPECT_EQ(
      token_kinds("a:\n b:\n  c"),
      "Identifier Colon Newline Indent Identifier Colon Newline Indent Identifier Newline Dedent Dedent EndOfFile");
}

TEST(Lexer, TabsGoToMultiplesOfEight) {
  EXPECT_EQ(errors_in("if a:\n\tb = 1\n\tc = 2\n"), "");
  EXPECT_EQ(errors_in("if a:\n\tif b:\n\t    c = 2\n\td = 1\n"), "");
  EXPECT_EQ(errors_in("if a:\n        b = 1\n\tc = 2\n"), "E0106 3:1");
  EXPECT_EQ(errors_in("if a:\n    if b:\n\tc = 1\n"), "E0106 3:1");
}

TEST(Lexer, AFormFeedResetsTheColumn) { EXPECT_EQ(errors_in("a = 1\n  \f b = 2\n"), "E0108 2:1"); }

TEST(Lexer, ABadDedentIsReportedOnce) { EXPECT_EQ(errors_in("if a:\n        b = 1\n    c = 2\nd = 3\n"), "E0107 3:1"); }

TEST(Lexer, BracketsJoinLines) {
  EXPECT_EQ(errors_in("x = f(1,\n# comment\n\n   2,\n)\ny = [\n1]\n"), "");
  EXPECT_EQ(token_kinds("(\n\n)"), "LeftParen RightParen Newline EndOfFile");
}

TEST(Lexer, ABackslashJoinsLines) {
  EXPECT_EQ(token_kinds("a = \\\n  1"), "Identifier Equal Integer Newline EndOfFile");
  EXPECT_EQ(token_kinds("a = \\\r\n  1"), "Identifier Equal Integer Newline EndOfFile");
  EXPECT_EQ(errors_in("if a:\n    b = 1 + \\\n  2\n    c = 3\n"), "");
  EXPECT_EQ(errors_in("if a:\n  \\\n    b = 1\n  c = 2\n"), "");
  EXPECT_EQ(errors_in("a = 1 \\ \nb = 2\n"), "E0110 1:7");
  EXPECT_EQ(errors_in("a = 1 \\"), "E0110 1:7");
  EXPECT_EQ(errors_in("a = 1 \\\n"), "E0110 1:7");
}

TEST(Lexer, AllLineEndsAreRead) {
  EXPECT_EQ(errors_in("if a:\r\n    b = 1\r\nc = 2\r\n"), "");
  EXPECT_EQ(errors_in("if a:\r    b = 1\rc = 2\r"), "");
  EXPECT_EQ(errors_in("\xEF\xBB\xBFif a:\n    b = 1"), "");
}

TEST(Lexer, UnicodeNames) {
  EXPECT_EQ(errors_in("\u00e4\u00f6 = \u03b1\u03b2 + \u53d8\u91cf2 + x\u0663\n"), "");
  EXPECT_EQ(token_kinds("\u03b1\u03b2"), "Identifier Newline EndOfFile");
  EXPECT_EQ(errors_in("x = \u20ac\n"), "E0105 1:5");
  EXPECT_EQ(errors_in("\u0663x = 1\n"), "E0105 1:1");  // a digit starts no name
  EXPECT_EQ(errors_in("\uff57 = 1\n"), "E0105 1:1");   // NFKC would make a plain `w` of it
  EXPECT_EQ(errors_in("e\u0301 = 1\n"), "E0105 1:2");  // and one character of these two
  EXPECT_EQ(errors_in("x = 1\u00a0+ 2\n"), "E0105 1:6");
}

TEST(Lexer, ALookalikeHasAFix) {
  const Parsed parsed = parse_text("x = \u201chello\u201d\n");
  ASSERT_EQ(parsed.diagnostics.size(), 1u);
  EXPECT_EQ(parsed.diagnostics[0].fix, "\"");
}

TEST(Lexer, TheEncodingIsChecked) {
  using std::string_literals::operator""s;
  EXPECT_EQ(errors_in("a = 1\nb = \"\xff\xfe\"\nc = \"\xff\"\n"), "E0102 2:6");
  EXPECT_EQ(errors_in("a = 1\nb\0 = 2\n\0"s), "E0103 2:2");
  EXPECT_EQ(errors_in("# a \xe9t\xe9\n"), "E0102 1:5");
  EXPECT_EQ(errors_in("# -*- coding: latin-1 -*-\nx = \"\u00e4\"\n"), "E0104 1:15");
  EXPECT_EQ(errors_in("#!/usr/bin/python\n# vim: set fileencoding=utf8 :\nx = \"\u00e4\"\n"), "");
  EXPECT_EQ(errors_in("# coding: latin-1\nx = 1\n"), "");
  EXPECT_EQ(errors_in("x = 1\n# coding: latin-1\ny = \"\u00e4\"\n"), "");
}

TEST(Lexer, OperatorsOfOtherLanguagesAreReadAsMeant) {
  EXPECT_EQ(errors_in("if a && b || !c:\n    x = 1\n"), "E0136 1:6; E0136 1:11; E0136 1:14");
  EXPECT_EQ(errors_in("x = a <> b\n"), "E0136 1:7");
  EXPECT_EQ(errors_in("x = a === b\n"), "E0136 1:7");
  EXPECT_EQ(errors_in("x = a ? b : c\n"), "E0105 1:7");
}

}  // namespace
}  // namespace pykc
