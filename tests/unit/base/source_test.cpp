#include "base/source.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace pykc {
namespace {

TEST(Source, LinesEndAsInPython) {
  const SourceFile file("f", "a\nb\r\nc\rd");
  EXPECT_EQ(file.line(1), "a");
  EXPECT_EQ(file.line(2), "b");
  EXPECT_EQ(file.line(3), "c");
  EXPECT_EQ(file.line(4), "d");
  EXPECT_EQ(file.line_column(7).line, 4);
}

TEST(Source, ColumnsCountCodePoints) {
  const SourceFile file("f", "x\n\u00e4\u20ac\U0001F600z");
  const SourceFile::LineColumn place = file.line_column(2 + 2 + 3 + 4);
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 4);
}

TEST(Source, ColumnsFarIntoALongLine) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\u20ac";
  const SourceFile file("f", text);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(file.line_column(static_cast<std::uint32_t>(3 * i)).column, i + 1);
}

TEST(Source, AnEmptyFileHasAPlace) {
  const SourceFile file("f", "");
  const SourcePlace place = file.place({0, 0});
  EXPECT_EQ(place.line, 1);
  EXPECT_EQ(place.column, 1);
  EXPECT_EQ(place.source_line, "");
}

TEST(Source, AnOffsetBehindTheEndIsTheEnd) {
  const SourceFile file("f", "ab");
  EXPECT_EQ(file.line_column(1000).column, 3);
}

TEST(Source, OfALongLineAPlaceHoldsTheSurroundings) {
  const std::string line = std::string(5000, 'a') + "HERE" + std::string(5000, 'b');
  const SourcePlace place = SourceFile("f", line).place({5000, 5004});
  EXPECT_EQ(place.column, 5001);
  EXPECT_LT(place.source_line.size(), 600u);
  EXPECT_EQ(place.source_line.substr(static_cast<std::size_t>(place.column - place.source_line_column), 4), "HERE");
}

TEST(Source, OfATooLargeTextOnlyTheStartIsKept) {
  const SourceFile file("f", std::string(SourceFile::kMaximumBytes + 100, ' '));
  EXPECT_EQ(file.text().size(), SourceFile::kMaximumBytes + 1);
}

TEST(Utf8, DecodesWhatIsValid) {
  EXPECT_EQ(decode_utf8("a", 0).value, U'a');
  EXPECT_EQ(decode_utf8("\u00e4", 0).value, U'\u00e4');
  EXPECT_EQ(decode_utf8("\u20ac", 0).value, U'\u20ac');
  EXPECT_EQ(decode_utf8("\U0001F600", 0).value, U'\U0001F600');
  EXPECT_EQ(decode_utf8("\U0001F600", 0).bytes, 4);
  EXPECT_EQ(decode_utf8("\xB5", 0).value, U'\0');  // no byte, no value
}

TEST(Utf8, RefusesWhatIsNot) {
  using std::string_literals::operator""s;
  for (const std::string& bad :
       {"\x80"s, "\xC0\x80"s, "\xC1\xBF"s, "\xE0\x80\x80"s, "\xED\xA0\x80"s, "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s,
        "\xE2\x82"s, "\xF0\x9F\x98"s, "\xC3"s, "\xFF"s})
    EXPECT_EQ(find_invalid_utf8("ok" + bad), 2u) << testing::PrintToString(bad);
  EXPECT_EQ(find_invalid_utf8("ok \u20ac \U0001F600"), std::string_view::npos);
}

TEST(Utf8, EveryCodePointRoundTrips) {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 61) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, c);
    const CodePoint point = decode_utf8(text, 0);
    ASSERT_EQ(point.value, c);
    ASSERT_EQ(static_cast<std::size_t>(point.bytes), text.size());
  }
}

TEST(Utf8, AbbreviatesBetweenCodePoints) {
  EXPECT_EQ(abbreviate_utf8("abc", 3), "abc");
  EXPECT_EQ(abbreviate_utf8("abcd", 3), "abc…");
  EXPECT_EQ(abbreviate_utf8("a\u20acb", 3), "a…");
}

}  // namespace
}  // namespace pykc
