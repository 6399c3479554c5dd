// Input made to break a parser: it must be refused with an error, in time, without a deep recursion.
#include <gtest/gtest.h>

#include <random>

#include "parsed.h"

namespace pykc {
namespace {

std::string repeated(std::string_view text, int count) {
  std::string result;
  result.reserve(text.size() * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

constexpr int kMany = 100000;

TEST(NastyInput, NestedBracketsGiveOneError) {
  for (const char* open : {"(", "[", "{", "f(", "a[", "([{"})
    EXPECT_EQ(errors_in(repeated(open, kMany)).substr(0, 7), "E0114 1") << open;
  EXPECT_EQ(parse_text(repeated("(", kMany)).diagnostics.size(), 1u);
  EXPECT_EQ(parse_text("x = " + repeated("(", kMany) + repeated(")", kMany) + "\ny = 1\n").diagnostics.size(), 1u);
  EXPECT_EQ(errors_in("x = " + repeated("(", 150) + "1" + repeated(")", 150) + "\n"), "");
}

TEST(NastyInput, ClosingBracketsGiveOneErrorALine) { EXPECT_EQ(errors_in(repeated(")", kMany)), "E0112 1:1"); }

TEST(NastyInput, LongChainsAreRefused) {
  for (const char* link : {"a+", "a**", "-", "~", "not ", "a.", "a if a else ", "lambda: ", "a*"})
    EXPECT_EQ(errors_in("x = " + repeated(link, kMany) + "a\n").substr(0, 5), "E0140") << link;
  for (const char* link : {"()", "[0]", ".b", "(a)[0].c"})
    EXPECT_EQ(errors_in("x = a" + repeated(link, kMany) + "\n").substr(0, 5), "E0140") << link;
  EXPECT_EQ(parse_text("x = " + repeated("a+", kMany) + "a\n").diagnostics.size(), 1u);
}

TEST(NastyInput, AChainInsideOfAChainIsRefusedToo) {
  std::string text = "a";
  for (int i = 0; i < 100; ++i) text = "(" + text + repeated("+a", 50) + ")";
  EXPECT_EQ(errors_in("x = " + text + "\n").substr(0, 5), "E0140");
}

TEST(NastyInput, ChainsOfOrdinaryLengthAreNot) {
  EXPECT_EQ(errors_in("x = " + repeated("a+", 400) + "a\n"), "");
  EXPECT_EQ(errors_in("x = a" + repeated(".b", 400) + "\n"), "");
}

TEST(NastyInput, FlatListsHaveNoBound) {
  EXPECT_EQ(errors_in("x = [" + repeated("a,", kMany) + "]\n"), "");
  EXPECT_EQ(errors_in("x = " + repeated("a and ", kMany) + "a\n"), "");
  EXPECT_EQ(errors_in("x = " + repeated("a < ", kMany) + "a\n"), "");
  EXPECT_EQ(errors_in(repeated("a = ", kMany) + "a\n"), "");
  EXPECT_EQ(errors_in("x = " + repeated("'a' ", kMany) + "\n"), "");
}

TEST(NastyInput, LongElifChainsAreRefused) {
  EXPECT_EQ(errors_in("if a:\n  b\n" + repeated("elif a:\n  b\n", 590)), "");
  EXPECT_EQ(parse_text("if a:\n  b\n" + repeated("elif a:\n  b\n", kMany)).diagnostics.size(), 1u);
  EXPECT_EQ(parse_text("if a:\n  b\n" + repeated("else if a:\n  b\n", 150)).diagnostics.size(), 150u);
}

TEST(NastyInput, DeepBlocksAreRefused) {
  std::string text;
  for (int depth = 0; depth < 2000; ++depth) text += std::string(static_cast<std::size_t>(depth), ' ') + "if a:\n";
  EXPECT_EQ(errors_in(text), "E0109 101:1");
}

TEST(NastyInput, ManyItemsOfAWithAreRefused) {
  EXPECT_EQ(errors_in("with " + repeated("a, ", kMany) + "a:\n  b\n").substr(0, 5), "E0140");
}

TEST(NastyInput, ManyUnclosedBrackets) {
  const Parsed parsed = parse_text(repeated("f(\n", 20000));
  EXPECT_GE(parsed.diagnostics.size(), 1u);
  const Parsed mixed = parse_text(repeated("x = f(a\nreturn\n", 20000));
  EXPECT_EQ(mixed.diagnostics.size(), 1000u);
}

TEST(NastyInput, ALineOfTenMegabytes) {
  EXPECT_EQ(errors_in("x = '" + std::string(10 << 20, 'a') + "'\n"), "");
  EXPECT_EQ(errors_in("x = " + std::string(10 << 20, '1') + "\n"), "E0119 1:5");
  EXPECT_EQ(errors_in(std::string(10 << 20, 'a') + " = 1\n"), "");
  EXPECT_EQ(errors_in("#" + std::string(10 << 20, '$')), "");
  EXPECT_EQ(errors_in(std::string(10 << 20, ' ')), "");
  const Parsed noise = parse_text(repeated("$ ", 5 << 20));
  ASSERT_EQ(noise.diagnostics.size(), 1u);
  EXPECT_LT(to_text(noise.diagnostics[0]).size(), 2000u);
}

TEST(NastyInput, ManyErrorsOnALongLine) {
  const Parsed parsed = parse_text(repeated("\u00e4 = 1;", 1 << 18) + repeated("'\\x';", 20000) + "\n");
  EXPECT_EQ(parsed.diagnostics.size(), 1000u);
}

TEST(NastyInput, ALongNameIsShortInAMessage) {
  const Parsed parsed = parse_text("f(a " + std::string(1 << 20, 'b') + ")\n");
  ASSERT_EQ(parsed.diagnostics.size(), 1u);
  EXPECT_LT(to_text(parsed.diagnostics[0]).size(), 2000u);
}

TEST(NastyInput, AFileThatIsTooLarge) { EXPECT_EQ(errors_in(std::string((64 << 20) + 1, '\n')), "E0101 1:1"); }

TEST(NastyInput, NestedFStrings) {
  EXPECT_EQ(errors_in("f'" + repeated("{", kMany) + "'\n").substr(0, 1), "");
  EXPECT_NE(errors_in("f'{" + repeated("(", kMany) + "}'\n"), "");
  EXPECT_NE(errors_in("f'{" + repeated("-", kMany) + "a}'\n"), "");
}

/// Whatever the bytes are: it ends, brackets of the token stream match, and every range lies in the file.
void expect_sound(const std::string& text) {
  const Parsed parsed = parse_text(text);
  ASSERT_EQ(parsed.tokens.back().kind, TokenKind::EndOfFile);
  int depth = 0;
  for (const Token& token : parsed.tokens) {
    ASSERT_LE(token.range.begin, token.range.end);
    ASSERT_LE(token.range.end, text.size());
    depth += token.kind == TokenKind::Indent ? 1 : token.kind == TokenKind::Dedent ? -1 : 0;
    ASSERT_GE(depth, 0);
  }
  ASSERT_EQ(depth, 0);
  ast::print(*parsed.module);
  for (const Diagnostic& diagnostic : parsed.diagnostics) to_text(diagnostic);
  to_json(parsed.diagnostics);
}

TEST(NastyInput, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random());
    expect_sound(text);
  }
}

TEST(NastyInput, RandomTokens) {
  constexpr const char* pieces[] = {
      "if ",    "else",   "def ",   "f",    "(",    ")",       "[",     "]",  "{",       "}",     ":",  "=",    "\n",
      "\n  ",   "\n    ", "for ",   " in ", "1",    ".5",      "'a'",   "'",  "\"\"\"",  ",",     "+",  "**",   "-",
      "\\\n",   "#",      ";",      "@",    "not ", "lambda",  ".",     "*",  "return ", "f'{a}", "f'", "elif", "\t",
      "while ", "try",    "except", "with", " as ", "import ", "from ", "\r", "\f",      "0x1",   ":="};
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint32_t n = random() % 40; n > 0; --n) text += pieces[random() % std::size(pieces)];
    expect_sound(text);
  }
}

}  // namespace
}  // namespace pykc
