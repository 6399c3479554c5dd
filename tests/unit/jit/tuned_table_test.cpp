// The recorded table of choices: every row names what there is, and the nearest one is found.
#include "jit/tuned_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/codegen.h"
#include "driver/driver.h"

namespace pykc::jit {
namespace {

constexpr TunedRow kRows[] = {
    {"pykc.a.k", "sm_90", "4", "1000x1000", "N=1"}, {"pykc.a.k", "sm_90", "4", "16x100000", "N=2"},
    {"pykc.a.k", "sm_90", "4, 8", "1000", "N=3"},   {"pykc.a.k", "sm_80", "4", "16x16", "N=4"},
    {"pykc.b.k", "sm_90", "4", "16x16", "N=5"},
};

std::string found(const std::string& kernel, const std::string& chip, const std::vector<ArraySize>& arrays) {
  const TunedRow* const row = TunedLaunch(kernel, chip, arrays).find_in(kRows);
  return row != nullptr ? std::string(row->configuration) : "none";
}

TEST(TunedTable, TheNearestShapeIsFound) {
  EXPECT_EQ(found("pykc.a.k", "sm_90", {{4, {1000, 1000}}}), "N=1");
  EXPECT_EQ(found("pykc.a.k", "sm_90", {{4, {1}}, {4, {3, 5}}, {4, {2}}}), "N=1");  // the largest array counts
  EXPECT_EQ(found("pykc.a.k", "sm_90", {{4, {20, 50'000}}}), "N=2");
  EXPECT_EQ(found("pykc.a.k", "sm_90", {{4, {0, 1'000'000}}}), "N=2");
  EXPECT_EQ(found("pykc.a.k", "sm_90", {{4, {7}}, {8, {3}}, {4, {1}}}), "N=3");
  EXPECT_EQ(found("pykc.a.k", "sm_80", {{4, {1000, 1000}}}), "N=4");
}

TEST(TunedTable, OtherLaunchesAreNotInIt) {
  EXPECT_EQ(found("pykc.a.k", "sm_90", {{8, {1000, 1000}}}), "none");
  EXPECT_EQ(found("pykc.a.k", "sm_90", {{4, {1000}}}), "none");  // another rank
  EXPECT_EQ(found("pykc.a.k", "sm_100", {{4, {16, 16}}}), "none");
  EXPECT_EQ(found("pykc.c.k", "sm_90", {{4, {16, 16}}}), "none");
  EXPECT_EQ(found("pykc.a.k", "sm_90", {}), "none");
}

TEST(TunedTable, ARowIsWrittenAsItIsRead) {
  const std::vector<ArraySize> arrays = {{4, {16, 3}}, {8, {7}}};
  EXPECT_EQ(TunedLaunch("pykc.a.k", "cpu", arrays).row("N=1, M=2"),
            R"(TUNED("pykc.a.k", "cpu", "4, 8", "16x3", "N=1, M=2"))");
}

TEST(TunedTable, EveryRowNamesAConfigurationOfItsKernel) {
  std::set<std::string> seen;
  for (const TunedRow& row : tuned_rows()) {
    const std::string full(row.kernel);
    const std::size_t dot = full.rfind('.');
    const std::string module = full.substr(0, dot), name = full.substr(dot + 1);
    const Result<Program> program = driver::load_source(Source("from " + module + " import " + name + "\n"), {});
    ASSERT_TRUE(program) << full << ": " << program.error().message;
    const std::vector<NamedKernel> kernels = kernels_of(*program);
    ASSERT_EQ(kernels.size(), 1U) << full << " is no kernel";
    Diagnostics diagnostics;
    const std::vector<Configuration> configurations =
        configurations_of(*program, *kernels[0].module, *kernels[0].definition, diagnostics);
    EXPECT_NE(std::ranges::find(configurations, row.configuration, &Configuration::text), configurations.end())
        << full << " has no configuration " << row.configuration;
    EXPECT_TRUE(codegen::Target::parse(std::string(row.chip))) << row.chip;
    EXPECT_EQ(library_kernel(*program, *kernels[0].module, name), full);
    EXPECT_GT(std::ranges::min(extents_of_row(row)), 0) << row.shape;
    const std::string key =
        full + " " + std::string(row.chip) + " " + std::string(row.elements) + " " + std::string(row.shape);
    EXPECT_TRUE(seen.insert(key).second) << key << " stands there twice";
  }
  EXPECT_FALSE(seen.empty());
}

TEST(TunedTable, AModuleOfTheUserIsNotTheLibrarys) {
  CompileOptions options;
  options.import = [](std::string_view) -> Result<Source> {
    return Source("from pykc import *\n@kernel\ndef transpose_tiled(b, a):\n    pass\n");
  };
  const Program program = driver::load_source(Source("from pykc.transpose import transpose_tiled\n"), options).value();
  const std::vector<NamedKernel> kernels = kernels_of(program);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(library_kernel(program, *kernels[0].module, "transpose_tiled"), "");
}

}  // namespace
}  // namespace pykc::jit
