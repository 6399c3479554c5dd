#include "base/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace pykc {
namespace {

const std::string kSource = "def f(x):\n    y = blockdim.x\n    z = (1 +\n        2)\n";

SourceRange range_of(const SourceFile& file, std::string_view text) {
  const auto begin = static_cast<std::uint32_t>(file.text().find(text));
  return {begin, begin + static_cast<std::uint32_t>(text.size())};
}

TEST(Catalogue, EveryRowIsWhole) {
  std::set<std::string_view> codes;
  for (const DiagnosticInfo& row : all_diagnostics()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code << " is given twice";
    EXPECT_EQ(row.code.size(), 5u) << row.code;
    EXPECT_EQ(row.code.front(), row.severity == Severity::Error ? 'E' : 'W') << row.code;
    EXPECT_FALSE(row.message.empty()) << row.code;
    EXPECT_NE(row.explanation.find("Wrong:"), std::string_view::npos) << row.code;
    EXPECT_NE(row.explanation.find("Right:"), std::string_view::npos) << row.code;
  }
  EXPECT_GT(codes.size(), 40u);
}

TEST(Catalogue, MessagesAreWellFormed) {
  for (const DiagnosticInfo& row : all_diagnostics()) {
    EXPECT_TRUE(is_well_formed(row.message)) << row.code << ": " << row.message;
    EXPECT_EQ(std::ranges::count(row.explanation, '`') % 2, 0) << row.code;
  }
}

TEST(Message, IsWellFormedWithPairedBackticksAndKnownHoles) {
  EXPECT_TRUE(is_well_formed("{code} takes {number} of {}, as `x[{}]` does"));
  EXPECT_FALSE(is_well_formed("the argument of `int"));
  EXPECT_FALSE(is_well_formed("the argument of `{}`"));
  EXPECT_FALSE(is_well_formed("the argument of `x[{code}]`"));
  EXPECT_FALSE(is_well_formed("the argument {nummer}"));
  EXPECT_FALSE(is_well_formed("the argument }"));
}

TEST(Message, IsFilledByKind) {
  const MessageArgument arguments[] = {"len", std::int64_t{2}, "an array"};
  EXPECT_EQ(fill_message("{code} takes {number} of {}", arguments), "`len` takes 2 of an array");
  EXPECT_EQ(headline("{code} takes {number} of {}"), "`…` takes … of …");
}

// What decides, when a report is compiled, whether its arguments fit; misfit.cpp has reports that do not.
constexpr ArgumentKind kText = ArgumentKind::Text, kNumber = ArgumentKind::Number;
static_assert(takes("{code} takes {number} of {}", {kText, kNumber, kText}));
static_assert(takes("nothing", {}));
static_assert(!takes("nothing", {kText}));
static_assert(!takes("{} and {}", {kText}));
static_assert(!takes("{number}", {kText}));
static_assert(!takes("{code}", {kNumber}));
static_assert(std::same_as<DiagnosticFor<std::string, char[3], std::size_t>, DiagnosticTaking<kText, kText, kNumber>>);
template <typename T>
concept FillsAHole = requires {
  kArgumentKind<T>;
};
static_assert(FillsAHole<std::string_view> && FillsAHole<int> && !FillsAHole<bool> && !FillsAHole<double>);

TEST(Diagnostics, FillsTheMessage) {
  const SourceFile file("a.pyk", kSource);
  Diagnostics diagnostics;
  diagnostics.report(file, range_of(file, "blockdim"), DiagnosticId::UnexpectedToken, "a {} name", "`3`")
      .fix("blockDim")
      .note("a note")
      .label(file, range_of(file, "f("), "in here");
  const Diagnostic& d = diagnostics.list().front();
  EXPECT_EQ(d.message, "expected a {} name, found `3`");
  EXPECT_EQ(d.code, "E0130");
  EXPECT_EQ(d.place.line, 2);
  EXPECT_EQ(d.place.column, 9);
  EXPECT_EQ(d.place.end_column, 17);
  EXPECT_EQ(to_text(d),
            "a.pyk:2:9: error E0130: expected a {} name, found `3`\n"
            "  2 |     y = blockdim.x\n"
            "    |         ^^^^^^^^\n"
            "a.pyk:1:5: note: in here\n"
            "  1 | def f(x):\n"
            "    |     --\n"
            "note: a note\n"
            "help: write `blockDim`\n");
}

TEST(Diagnostics, MutedReportsAreCountedAndSafeToRefine) {
  const SourceFile file("a.pyk", kSource);
  Diagnostics diagnostics;
  diagnostics.set_muted(true);
  diagnostics.report(file, {0, 3}, DiagnosticId::NulByte).note("n").fix("f").label(file, {0, 1}, "l");
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_TRUE(diagnostics.list().empty());
  EXPECT_TRUE(diagnostics.take().empty());
}

TEST(Diagnostics, AreTakenInSourceOrderAndOnce) {
  const SourceFile file("a.pyk", kSource), other("b.pyk", kSource);
  Diagnostics diagnostics;
  diagnostics.report(file, {20, 21}, DiagnosticId::NulByte);
  diagnostics.report(other, {0, 1}, DiagnosticId::NulByte);
  diagnostics.report(file, {4, 5}, DiagnosticId::NulByte);
  diagnostics.report(file, {20, 21}, DiagnosticId::NulByte);
  const std::vector<Diagnostic> list = diagnostics.take();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].place.column, 5);
  EXPECT_EQ(list[1].place.line, 2);
  EXPECT_EQ(list[2].place.file, "b.pyk");
  EXPECT_EQ(diagnostics.error_count(), 4);
}

TEST(Diagnostics, AFloodIsCut) {
  const SourceFile file("a.pyk", std::string(5000, 'x'));
  Diagnostics diagnostics;
  for (std::uint32_t i = 0; i < 5000; ++i) diagnostics.report(file, {i, i + 1}, DiagnosticId::NulByte).note("n");
  EXPECT_EQ(diagnostics.error_count(), 5000);
  const std::vector<Diagnostic> list = diagnostics.take();
  ASSERT_EQ(list.size(), 1000u);
  EXPECT_EQ(list.back().notes.back(), "and 4000 more, which are not shown");
}

Diagnostic at(const SourceFile& file, SourceRange range) {
  Diagnostic diagnostic;
  diagnostic.code = "E0000";
  diagnostic.message = "m";
  diagnostic.place = file.place(range);
  return diagnostic;
}

std::string excerpt(const std::string& text, SourceRange range) {
  const SourceFile file("f", text);
  const std::string whole = to_text(at(file, range));
  return whole.substr(whole.find('\n') + 1);
}

TEST(Text, TabsKeepTheCaretsUnderTheCode) {
  EXPECT_EQ(excerpt("\tif\tx", {4, 5}),
            "  1 |     if    x\n"
            "    |           ^\n");
}

TEST(Text, WideCharactersAreTwoCells) {
  EXPECT_EQ(excerpt("\u6f22\u5b57 = x", {9, 10}),
            "  1 | \u6f22\u5b57 = x\n"
            "    |        ^\n");
  EXPECT_EQ(excerpt("\u6f22\u5b57 = x", {0, 3}),
            "  1 | \u6f22\u5b57 = x\n"
            "    | ^^\n");
}

TEST(Text, ARangeOverLinesIsMarkedToTheLineEnd) {
  EXPECT_EQ(excerpt("a = (1 +\n  2)\n", {4, 13}),
            "  1 | a = (1 +\n"
            "    |     ^^^^\n");
}

TEST(Text, AnEmptyRangeHasACaret) {
  EXPECT_EQ(excerpt("ab", {1, 1}), "  1 | ab\n    |  ^\n");
  EXPECT_EQ(excerpt("ab\ncd", {2, 3}), "  1 | ab\n    |   ^\n");
  EXPECT_EQ(excerpt("", {0, 0}), "  1 |\n    | ^\n");
}

TEST(Text, NothingReachesTheTerminalRaw) {
  const std::string shown = excerpt("a\x1b[31m\x9b\xff\u202e b", {0, 1});
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\xff'), std::string::npos);
  EXPECT_EQ(shown.find("\u202e"), std::string::npos);
}

TEST(Text, ColorOnlyWhenAsked) {
  const SourceFile file("f", "abc");
  EXPECT_EQ(to_text(at(file, {0, 1})).find('\x1b'), std::string::npos);
  EXPECT_NE(to_text(at(file, {0, 1}), true).find("\x1b[1;31m^\x1b[0m"), std::string::npos);
}

TEST(Text, WithoutALineThereIsNoExcerpt) {
  Diagnostic diagnostic;
  diagnostic.message = "no such file";
  diagnostic.place.file = "x.pyk";
  EXPECT_EQ(to_text(diagnostic), "x.pyk: error: no such file\n");
}

TEST(Json, EscapesWhatItMust) {
  Diagnostic d;
  d.code = "E0001";
  d.message = "quote \" backslash \\ newline \n bell \a bad \xff euro \u20ac";
  d.place = {"a\\b.pyk", 1, 2, 3, 4, "x", 1};
  d.notes = {"one", "two"};
  d.labels = {{{"c.pyk", 5, 6, 7, 8, "", 1}, "here"}};
  d.fix = "f";
  EXPECT_EQ(
      to_json({d}),
      "[\n  {\"code\": \"E0001\", \"severity\": \"error\", \"message\": \"quote \\\" backslash \\\\ newline \\n bell "
      "\\u0007 bad \uFFFD euro \u20ac\", \"file\": \"a\\\\b.pyk\", \"line\": 1, \"column\": 2, \"end_line\": 3, "
      "\"end_column\": 4, \"labels\": [{\"file\": \"c.pyk\", \"line\": 5, \"column\": 6, \"end_line\": 7, "
      "\"end_column\": 8, \"message\": \"here\"}], \"notes\": [\"one\", \"two\"], \"fix\": \"f\"}\n]\n");
  EXPECT_EQ(to_json({}), "[]\n");
}

TEST(Nearest, FindsWhatIsMeant) {
  const std::vector<std::string_view> names = {"blockDim", "blockIdx", "syncthreads", "syncwarp", "grid", "x"};
  EXPECT_EQ(nearest("blockdim", names), "blockDim");
  EXPECT_EQ(nearest("BLOCKDIM", names), "blockDim");
  EXPECT_EQ(nearest("syncthread", names), "syncthreads");
  EXPECT_EQ(nearest("sycnthreads", names), "syncthreads");
  EXPECT_EQ(nearest("gird", names), "grid");
}

TEST(Nearest, ButNotAnotherWord) {
  const std::vector<std::string_view> names = {"blockDim", "grid", "x", ""};
  EXPECT_EQ(nearest("temperature", names), "");
  EXPECT_EQ(nearest("y", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("grid", names), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), names), "");
}

}  // namespace
}  // namespace pykc
