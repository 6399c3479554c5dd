#include "measure/svg.h"

#include <gtest/gtest.h>

#include <regex>

#include "measure/report.h"

namespace pykc::measure {
namespace {

/// What keeps a text from being well-formed XML of elements, attributes and text; empty where nothing does.
std::string flaw(std::string text) {
  static const std::regex kProlog(R"(^<\?xml version="1\.0" encoding="UTF-8"\?>\s*)");
  static const std::regex kTag(R"(^<(/?)([a-z]+)((?: [a-z:-]+="(?:[^<>&"]|&(?:amp|lt|gt|quot);)*")*) ?(/?)>)");
  static const std::regex kText(R"(^(?:[^<>&]|&(?:amp|lt|gt|quot);)+)");
  if (!std::regex_search(text, kProlog)) return "no prolog";
  text = std::regex_replace(text, kProlog, "", std::regex_constants::format_first_only);
  std::vector<std::string> open;
  bool has_root = false;
  while (!text.empty()) {
    std::smatch match;
    if (std::regex_search(text, match, kTag)) {
      const bool closes = match[1].length() > 0;
      if (!closes && open.empty() && has_root) return "a second root";
      has_root = true;
      if (closes && (open.empty() || open.back() != match[2])) return "closes " + match[2].str();
      if (closes) open.pop_back();
      if (!closes && match[4].length() == 0) open.push_back(match[2]);
    } else if (!std::regex_search(text, match, kText)) {
      return "at " + text.substr(0, 40);
    } else if (open.empty() && match[0].str().find_first_not_of(" \n") != std::string::npos) {
      return "text outside of the root";
    }
    text = match.suffix();
  }
  return open.empty() && has_root ? "" : "not closed";
}

TEST(WellFormed, TheTestItselfFindsFlaws) {
  const std::string prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  EXPECT_EQ(flaw(prolog + "<a b=\"1\"><c/>x &lt; y</a>\n"), "");
  for (const char* text : {"<a>", "<a></b>", "<a/><b/>", "<a>x < y</a>", "<a>x & y</a>", "<a b=1/>", "<a/>x", "x", ""})
    EXPECT_NE(flaw(prolog + text), "") << text;
}

Report report(std::vector<ir::Counts> counts) {
  Report report;
  report.kernel = "k<&\">(x: f32[:])";
  report.device = {.name = "cpu", .description = "R&D <processor>"};
  report.roofline = {.bytes_per_second = 12e9, .f32_per_second = 100e9, .f64_per_second = 50e9};
  for (const ir::Counts& count : counts)
    for (const std::int64_t size : {10'000, 1'000'000})
      for (const Dim3 block : {Dim3{64}, Dim3{16, 16}})
        report.points.push_back(
            {.size = size, .block = block, .grid = {1}, .counts = count, .times = {1e-3, 2e-3, 3e-3, 11, 1}});
  return report;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Svg, TimesAndRoofline) {
  const std::string svg = to_svg(report({{8, 4, 100, 7}}));
  EXPECT_EQ(flaw(svg), "") << svg;
  for (const char* part :
       {"R&amp;D &lt;processor&gt;", ">Time of a launch<", ">Roofline<", ">block 16x16<", ">copy: 12.0 GB/s<",
        ">f32 fma: 100 GFLOP/s<", ">f64 fma: 50.0 GFLOP/s<", "size 10000, block 64: 2.00 ms"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(occurrences(svg, "<circle"), 2U * 4 + 2U * 2);  // points and legend of both plots
}

TEST(Svg, KernelsThatOnlyMoveOrOnlyComputeOrNeither) {
  const std::string moves = to_svg(report({{8, 4, 0, 0}}));
  EXPECT_EQ(flaw(moves), "");
  EXPECT_NE(moves.find(">Bandwidth (nothing computes on floats)<"), std::string::npos);
  const std::string computes = to_svg(report({{0, 0, 10, 0}}));
  EXPECT_EQ(flaw(computes), "");
  EXPECT_NE(computes.find("FLOP/s<"), std::string::npos);
  for (const std::string& svg : {to_svg(report({{0, 0, 0, 0}})), to_svg(report({})), moves, computes}) {
    EXPECT_EQ(flaw(svg), "") << svg;
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(Svg, PointsStandWhereTheirAxesSay) {
  const Plot plot{"t", "x", "y", "", "", {{.label = "c", .samples = {{1, 1}, {10, 10}, {100, 100}}}}};
  const std::string svg = draw("", {plot});
  EXPECT_EQ(flaw(svg), "");
  std::smatch line;
  ASSERT_TRUE(std::regex_search(
      svg, line,
      std::regex(R"(stroke-width="1\.50" points="([\d.]+),([\d.]+) ([\d.]+),([\d.]+) ([\d.]+),([\d.]+) ")")));
  const auto at = [&](int i) { return std::stod(line[i]); };
  EXPECT_NEAR(at(3), (at(1) + at(5)) / 2, 0.02);  // a decade is a decade
  EXPECT_NEAR(at(4), (at(2) + at(6)) / 2, 0.02);
  EXPECT_LT(at(1), at(5));
  EXPECT_GT(at(2), at(6));  // y grows upwards
}

}  // namespace
}  // namespace pykc::measure
