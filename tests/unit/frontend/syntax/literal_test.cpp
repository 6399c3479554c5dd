#include <gtest/gtest.h>

#include <cmath>

#include "parsed.h"

namespace pykc {
namespace {

const ast::Expr& value_of(const Parsed& parsed) {
  return *std::get<ast::Assign>(parsed.module->body.front()->node).value;
}

std::uint64_t integer(const std::string& text) {
  const Parsed parsed = parse_text("x = " + text + "\n");
  EXPECT_TRUE(parsed.diagnostics.empty()) << text;
  return std::get<ast::IntLiteral>(value_of(parsed).node).value;
}

double number(const std::string& text) {
  const Parsed parsed = parse_text("x = " + text + "\n");
  EXPECT_TRUE(parsed.diagnostics.empty()) << text;
  return std::get<ast::FloatLiteral>(value_of(parsed).node).value;
}

std::string string(const std::string& text) {
  const Parsed parsed = parse_text("x = " + text + "\n");
  EXPECT_TRUE(parsed.diagnostics.empty()) << text << ": " << errors_in("x = " + text + "\n");
  return std::get<ast::StringLiteral>(value_of(parsed).node).value;
}

std::string bytes(const std::string& text) {
  const Parsed parsed = parse_text("x = " + text + "\n");
  EXPECT_TRUE(parsed.diagnostics.empty()) << text << ": " << errors_in("x = " + text + "\n");
  return std::get<ast::BytesLiteral>(value_of(parsed).node).value;
}

TEST(Integer, EveryBase) {
  EXPECT_EQ(integer("0"), 0u);
  EXPECT_EQ(integer("00_0"), 0u);
  EXPECT_EQ(integer("1_000_000"), 1000000u);
  EXPECT_EQ(integer("0xFf"), 255u);
  EXPECT_EQ(integer("0X_f_f"), 255u);
  EXPECT_EQ(integer("0o17"), 15u);
  EXPECT_EQ(integer("0O17"), 15u);
  EXPECT_EQ(integer("0b1010"), 10u);
  EXPECT_EQ(integer("0B_1010"), 10u);
}

TEST(Integer, TheLargest) {
  EXPECT_EQ(integer("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(integer("0xffffffffffffffff"), UINT64_MAX);
  EXPECT_EQ(errors_in("x = 18446744073709551616\n"), "E0119 1:5");
  EXPECT_EQ(errors_in("x = 0x1_0000_0000_0000_0000\n"), "E0119 1:5");
}

TEST(Integer, BadForms) {
  for (const char* text : {"0x", "0xg", "0b2", "0b12", "0o8", "0o78", "1__0", "1_", "0x_", "0x1_", "12abc", "0b1f",
                           "1u", "1.5f", "1e", "1e+", "1.e_5", "1_.5", "0_x1"})
    EXPECT_EQ(errors_in("x = " + std::string(text) + "\n"), "E0117 1:5") << text;
  EXPECT_EQ(errors_in("x = 0755\n"), "E0118 1:5");
  EXPECT_EQ(errors_in("x = 09\n"), "E0118 1:5");
  EXPECT_EQ(errors_in("x = 0_7\n"), "E0118 1:5");
  EXPECT_EQ(parse_text("x = 1.5f\n").diagnostics[0].fix, "1.5");
}

TEST(Integer, AWordMayFollowWithoutASpace) {
  EXPECT_EQ(errors_in("x = 1if y else 2\n"), "");
  EXPECT_EQ(errors_in("x = 0xfor y\n"), "");  // 0xf or y
  EXPECT_EQ(errors_in("x = 1or 2\n"), "");
}

TEST(Float, EveryForm) {
  EXPECT_EQ(number("1."), 1.0);
  EXPECT_EQ(number(".5"), 0.5);
  EXPECT_EQ(number("1.5"), 1.5);
  EXPECT_EQ(number("1e3"), 1000.0);
  EXPECT_EQ(number("1E-3"), 0.001);
  EXPECT_EQ(number("1.e+2"), 100.0);
  EXPECT_EQ(number("1_0.2_5e1_0"), 10.25e10);
  EXPECT_EQ(number("012.5"), 12.5);
  EXPECT_EQ(number("0e0"), 0.0);
  EXPECT_EQ(number("0.1"), 0.1);
  EXPECT_EQ(number("5e-324"), 5e-324);
  EXPECT_EQ(number("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST(Float, OutOfRangeIsInfiniteOrZeroAsInPython) {
  EXPECT_EQ(number("1e999"), HUGE_VAL);
  EXPECT_EQ(number("1e-999"), 0.0);
  EXPECT_EQ(number("1" + std::string(400, '0') + ".0"), HUGE_VAL);
  EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0.0);
}

TEST(Float, ImaginaryNumbers) {
  EXPECT_EQ(errors_in("x = 1j + 1.5e3J + 0j\n"), "");
  EXPECT_EQ(errors_in("x = 1jx\n"), "E0117 1:5");
}

TEST(String, Quotes) {
  EXPECT_EQ(string("'a'"), "a");
  EXPECT_EQ(string("\"it's\""), "it's");
  EXPECT_EQ(string("''"), "");
  EXPECT_EQ(string("\"\"\"a\n\"b\" c\"\"\""), "a\n\"b\" c");
  EXPECT_EQ(string("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(string("u'a'"), "a");
}

TEST(String, Escapes) {
  EXPECT_EQ(string(R"('\\ \' \" \a\b\f\n\r\t\v')"), "\\ ' \" \a\b\f\n\r\t\v");
  EXPECT_EQ(string(R"('\0\101\7777\x41')"), std::string("\0A\u01ff"
                                                        "7A",
                                                        6));
  EXPECT_EQ(string(R"('\xe4\u20ac\U0001F600')"), "\u00e4\u20ac\U0001F600");
  EXPECT_EQ(string("'a\\\nb'"), "ab");
  EXPECT_EQ(string("'a\\\r\nb'"), "ab");
  EXPECT_EQ(string(R"('\d\.')"), "\\d\\.");
}

TEST(String, RawKeepsBackslashes) {
  EXPECT_EQ(string(R"(r'\n\'')"), "\\n\\'");
  EXPECT_EQ(string(R"(R"\x")"), "\\x");
}

TEST(String, NeighboursAreJoined) {
  EXPECT_EQ(string("'a' \"b\" r'\\n'"), "ab\\n");
  EXPECT_EQ(string("('a'\n     'b')"), "ab");
}

TEST(String, BadEscapes) {
  EXPECT_EQ(errors_in("x = 'ab\\x4'\n"), "E0121 1:8");
  EXPECT_EQ(errors_in("x = '\\u12'\n"), "E0121 1:6");
  EXPECT_EQ(errors_in("x = '\\U00110000'\n"), "E0121 1:6");
  EXPECT_EQ(errors_in("x = '\\ud800'\n"), "E0121 1:6");
  EXPECT_EQ(errors_in("x = '\\N{DASH}'\n"), "E0121 1:6");
  EXPECT_EQ(errors_in("x = '\\x4' '\\x5'\n"), "E0121 1:6; E0121 1:12");
}

TEST(Bytes, Values) {
  EXPECT_EQ(bytes("b'a\\n\\x41\\xff\\101' B\"b\""),
            "a\nA\xff"
            "Ab");
  EXPECT_EQ(bytes("b'\\u12 \\N{x} \\q'"), "\\u12 \\N{x} \\q");
  EXPECT_EQ(bytes("Rb'\\x41' bR'\\n'"), "\\x41\\n");
  EXPECT_EQ(bytes("b'''a\r\nb'''"), "a\nb");
  EXPECT_EQ(errors_in("x = b'a\u00e9'\n"), "E0105 1:8");
  EXPECT_EQ(errors_in("x = b'\\x4'\n"), "E0121 1:7");
}

TEST(String, Unterminated) {
  EXPECT_EQ(errors_in("x = 'abc\ny = 1\n"), "E0115 1:5");
  EXPECT_EQ(errors_in("x = 'abc"), "E0115 1:5");
  EXPECT_EQ(errors_in("x = 'abc\\"), "E0115 1:5");
  EXPECT_EQ(errors_in("x = 1\ny = '''abc\n\nz = 1\n"), "E0115 2:5");
  EXPECT_EQ(errors_in("f('abc)\ny = = 1\n"), "E0115 1:3; E0130 2:5");
}

TEST(String, Prefixes) {
  EXPECT_EQ(errors_in("x = ub'a'\n"), "E0116 1:5");
  EXPECT_EQ(errors_in("x = fB'a'\n"), "E0116 1:5");
  EXPECT_EQ(errors_in("x = ur'a'\n"), "E0116 1:5");
  EXPECT_EQ(errors_in("x = ff'a'\n"), "E0116 1:5");
  EXPECT_EQ(errors_in("x = rf'a' Fr'b' fR'c'\n"), "");
  EXPECT_EQ(token_kinds("br"), "Identifier Newline EndOfFile");
}

}  // namespace
}  // namespace pykc
