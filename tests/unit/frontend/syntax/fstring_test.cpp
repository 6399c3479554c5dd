#include <gtest/gtest.h>

#include "parsed.h"

namespace pykc {
namespace {

std::string formatted(const std::string& text) { return outline("f(" + text + ")\n").substr(0, 4096); }

const std::string kHead = "  ExprStmt\n    value: Call\n      function: Name f\n";

TEST(FString, TextAndFields) {
  EXPECT_EQ(formatted("f'a {b} c {d + 1:.3f}'"), kHead +
                                                     "      argument: FormattedString\n"
                                                     "        part: \"a \"\n"
                                                     "        value: Name b\n"
                                                     "        part: \" c \"\n"
                                                     "        value: Binary +\n"
                                                     "          left: Name d\n"
                                                     "          right: Integer 1\n"
                                                     "        format: FormattedString\n"
                                                     "          part: \".3f\"\n");
}

TEST(FString, JoinsWithPlainStrings) {
  EXPECT_EQ(formatted("'{no}' f'{a}' '{no}\\n'"), kHead +
                                                      "      argument: FormattedString\n"
                                                      "        part: \"{no}\"\n"
                                                      "        value: Name a\n"
                                                      "        part: \"{no}\\n\"\n");
}

TEST(FString, DoubledBracesAndEscapes) {
  EXPECT_EQ(formatted("f'{{{a}}}\\x41' rf'\\n{{'"), kHead +
                                                        "      argument: FormattedString\n"
                                                        "        part: \"{\"\n"
                                                        "        value: Name a\n"
                                                        "        part: \"}A\\\\n{\"\n");
}

TEST(FString, SelfDocumenting) {
  EXPECT_EQ(formatted("f'{ a = }{b==c}'"), kHead +
                                               "      argument: FormattedString\n"
                                               "        part: \" a = \"\n"
                                               "        value: Name a\n"
                                               "        conversion: r\n"
                                               "        value: Compare\n"
                                               "          first: Name b\n"
                                               "          ==: Name c\n");
}

TEST(FString, FieldsInFormats) {
  EXPECT_EQ(formatted("f'{a!r:>{w + 1}.{p!s}f}'"), kHead +
                                                       "      argument: FormattedString\n"
                                                       "        value: Name a\n"
                                                       "        conversion: r\n"
                                                       "        format: FormattedString\n"
                                                       "          part: \">\"\n"
                                                       "          value: Binary +\n"
                                                       "            left: Name w\n"
                                                       "            right: Integer 1\n"
                                                       "          part: \".\"\n"
                                                       "          value: Name p\n"
                                                       "          conversion: s\n"
                                                       "          part: \"f\"\n");
}

TEST(FString, AnyExpression) {
  EXPECT_EQ(errors_in("f'{a[1:2]}{g(x, y=\"}\")}{(lambda z: z)(1)}{a != b}{a if b else c}{1, 2}{x!s:>3}'\n"), "");
  EXPECT_EQ(errors_in("f'''{\na +\nb}'''\n"), "");
  EXPECT_EQ(errors_in("f'{f\"{a}\"}'\n"), "");
}

TEST(FString, MistakesHaveTheirPlace) {
  EXPECT_EQ(errors_in("x = f'ab{}'\n"), "E0122 1:9");
  EXPECT_EQ(errors_in("x = f'ab{c'\n"), "E0122 1:9");
  EXPECT_EQ(errors_in("x = f'ab}'\n"), "E0122 1:9");
  EXPECT_EQ(errors_in("x = f'{a!x}'\n"), "E0122 1:9");
  EXPECT_EQ(errors_in("x = f'{a:{w'\n"), "E0122 1:7");
  EXPECT_EQ(errors_in("x = f'{a:{w:3}}'\n"), "E0122 1:12");
  EXPECT_EQ(errors_in("x = f'{a +}'\n"), "E0130 1:11");
  EXPECT_EQ(errors_in("x = f'{a b}'\n"), "E0130 1:10");
  EXPECT_EQ(errors_in("x = f'{a $ b}'\n"), "E0105 1:10");
  EXPECT_EQ(errors_in("x = f'{(a}'\n"), "E0122 1:7");
  EXPECT_EQ(errors_in("x = f'\\x4'\n"), "E0121 1:7");
}

}  // namespace
}  // namespace pykc
