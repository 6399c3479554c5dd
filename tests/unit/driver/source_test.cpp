// Kernels in raw strings: where their diagnostics point, and what the host passes in by name.
#include "pykc/source.h"

#include <gtest/gtest.h>

#include <limits>

#include "pykc/runtime.h"

namespace pykc {
namespace {

Diagnostic only_diagnostic(const Source& source, CompileOptions options = {}) {
  options.target = "cpu";
  const Result<Artifact> artifact = compile(source, options);
  if (artifact) return {};
  EXPECT_EQ(artifact.error().diagnostics.size(), 1U) << artifact.error().message;
  return artifact.error().diagnostics.empty() ? Diagnostic() : artifact.error().diagnostics.front();
}

TEST(Source, DiagnosticsPointIntoTheCppFile) {
  const int line = __LINE__ + 5;
  const Source source = R"pyk(
    @kernel
    def k(x: f32[:]):
        # ä
        x[0] = nobody
  )pyk"_pyk;
  const Diagnostic diagnostic = only_diagnostic(source);
  EXPECT_EQ(diagnostic.place.file, __FILE__);
  EXPECT_EQ(diagnostic.place.line, line);
  EXPECT_EQ(diagnostic.place.column, 16);
  EXPECT_EQ(diagnostic.place.source_line, "        x[0] = nobody");
  EXPECT_NE(to_text(diagnostic).find(" |         x[0] = nobody\n    |                ^^^^^^\n"), std::string::npos)
      << to_text(diagnostic);
}

TEST(Source, AnExpressionKnowsItsLineToo) {
  const Diagnostic diagnostic = only_diagnostic(
      R"pyk(
@kernel
def k(x: f32[:]):
	x[0] = nobody
)pyk"_pyk);
  EXPECT_EQ(diagnostic.place.line, __LINE__ - 2);
  EXPECT_EQ(diagnostic.place.column, 9);
}

TEST(Source, TextOnTheFirstLineIsNotIndented) {
  const Source source = R"pyk(@kernel
    def k(x: f32[:]):

        x[0] = """a
        text"""
  )pyk"_pyk;
  EXPECT_EQ(source.text(), "@kernel\ndef k(x: f32[:]):\n\n    x[0] = \"\"\"a\n    text\"\"\"\n  ");
  EXPECT_EQ(source.indentation(), "    ");
  EXPECT_EQ(Source(R"()"_pyk).text(), "");
  EXPECT_EQ(Source("\t  a\n\n \t b"_pyk).text(), "\t  a\n\nb");
  EXPECT_EQ(Source("\n\t  a\n\t\tb\n"_pyk).text(), "\n  a\n\tb\n");
}

TEST(Source, ABlockThatTheFirstLineOpensKeepsItsIndentation) {
  EXPECT_EQ(Source("if x > 2:\n    z = 0"_pyk).text(), "if x > 2:\n    z = 0");
  EXPECT_EQ(Source("for i in y:  # all\n            z = i\n"_pyk).text(), "for i in y:  # all\n    z = i\n");
  EXPECT_EQ(Source("if x:\n  z = 0\n  y = 1"_pyk).text(), "if x:\n  z = 0\n  y = 1");
  EXPECT_EQ(Source("if x:\n        z = 0\n    else:\n        z = 1"_pyk).text(), "if x:\n    z = 0\nelse:\n    z = 1");
}

TEST(Source, FaultsNameTheCppFile) {
  const Device device = Device::open("cpu").value();
  const Source source = R"pyk(
    @kernel
    def k(x: f32[:]):
        assert x[0] > 0.0
  )pyk"_pyk;
  const std::string place = std::string(__FILE__) + ":" + std::to_string(__LINE__ - 2) + ": ";
  const Kernel k = device.load(compile(source, {.target = "cpu"}).value()).value().kernel("k").value();
  const Array<float> x = device.allocate<float>(1).value();
  x.fill_zero().value();
  k.launch({.grid = {1}, .block = {1}}, x).value();
  const Result<void> done = device.synchronize();
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.starts_with(place)) << done.error().message;
}

constexpr SourceLiteral kScale = R"pyk(
  @kernel
  def scale(y: T[:], x: T[:]):
      tile = shared.array(TILE, T)
      i = grid(1)
      if i < len(x):
          tile[threadIdx.x] = x[i] * FACTOR
          y[i] = tile[threadIdx.x] + (BIG if EXTRA else 0)
)pyk"_pyk;

template <typename T>
std::vector<T> scaled(ScalarType type, double factor, std::int64_t big, bool extra) {
  const Device device = Device::open("cpu").value();
  const Artifact artifact =
      compile(kScale, {.target = "cpu",
                       .constants = {{"T", type}, {"TILE", 32U}, {"FACTOR", factor}, {"BIG", big}, {"EXTRA", extra}}})
          .value();
  const Kernel scale = device.load(artifact).value().kernel("scale").value();
  EXPECT_EQ(scale.info().static_shared_bytes, 32 * size_in_bytes(type));
  std::vector<T> host = {1, 2, 3};
  const Array<T> x = device.copy_from<T>(host).value(), y = device.allocate<T>(3).value();
  scale.launch({.grid = {1}, .block = {32}}, y, x).value();
  y.copy_to(host).value();
  return host;
}

TEST(Source, ConstantsAndTypesOfTheHost) {
  EXPECT_EQ(scaled<float>(ScalarType::F32, 0.1, 7, false), (std::vector<float>{1 * 0.1F, 2 * 0.1F, 3 * 0.1F}));
  EXPECT_EQ(scaled<double>(ScalarType::F64, 0.1, -7, true),
            (std::vector<double>{1 * 0.1 - 7, 2 * 0.1 - 7, 3 * 0.1 - 7}));
  EXPECT_EQ(scaled<double>(ScalarType::F64, 1e300, 0, true), (std::vector<double>{1e300, 2e300, 3e300}));
  EXPECT_EQ(scaled<float>(ScalarType::F32, std::numeric_limits<double>::infinity(), 0, true)[0],
            std::numeric_limits<float>::infinity());
}

TEST(Source, ExtremeConstantsKeepTheirValues) {
  const Source source = R"pyk(
    @kernel
    def k(low: i64[:], high: u64[:]):
        low[0] = LOW
        high[0] = HIGH
  )pyk"_pyk;
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::uint64_t kHigh = std::numeric_limits<std::uint64_t>::max();
  const Device device = Device::open("cpu").value();
  const Artifact artifact =
      compile(source, {.target = "cpu", .constants = {{"LOW", kLow}, {"HIGH", kHigh}}, .warnings = false}).value();
  const Array<std::int64_t> low = device.allocate<std::int64_t>(1).value();
  const Array<std::uint64_t> high = device.allocate<std::uint64_t>(1).value();
  device.load(artifact).value().kernel("k").value().launch({.grid = {1}, .block = {1}}, low, high).value();
  std::vector<std::int64_t> low_value(1);
  std::vector<std::uint64_t> high_value(1);
  low.copy_to(low_value).value();
  high.copy_to(high_value).value();
  EXPECT_EQ(low_value.front(), kLow);
  EXPECT_EQ(high_value.front(), kHigh);
}

TEST(Source, WrongConstantsAreErrors) {
  const auto message = [](std::vector<Constant> constants) {
    const Result<Artifact> artifact = compile(kScale, {.target = "cpu", .constants = std::move(constants)});
    return artifact ? std::string() : artifact.error().message;
  };
  EXPECT_EQ(message({{"T", static_cast<ScalarType>(99)}}), "the constant `T` is given as an invalid ScalarType (99)");
  EXPECT_TRUE(message({{"2D", 1}}).starts_with("`2D` cannot be the name of a constant"));
  EXPECT_TRUE(message({{"class", 1}}).starts_with("`class` cannot be"));
  EXPECT_TRUE(message({{"a b", 1}}).starts_with("`a b` cannot be"));
  EXPECT_TRUE(message({{"x\ny", 1}}).starts_with("`x\ny` cannot be"));
  EXPECT_TRUE(message({{"", 1}}).starts_with("`` cannot be"));
  EXPECT_EQ(message({{"T", 1}, {"T", 2}}), "the constant `T` is given twice");
}

TEST(Source, AConstantThatTheSourceAssignsIsAnError) {
  const Source source = R"pyk(
    TILE = 16
    @kernel
    def k(x: f32[:]):
        x[0] = TILE
  )pyk"_pyk;
  const Diagnostic diagnostic = only_diagnostic(source, {.constants = {{"TILE", 32}}});
  EXPECT_EQ(diagnostic.code, "E0216");
  ASSERT_EQ(diagnostic.labels.size(), 1U);
  EXPECT_EQ(diagnostic.labels.front().place.file, __FILE__);
  EXPECT_EQ(diagnostic.labels.front().place.line, __LINE__ - 9);
}

TEST(Source, AMissingConstantIsToldWithTheNearestGiven) {
  const Source source = R"pyk(
    @kernel
    def k(x: f32[:]):
        x[0] = TILE
  )pyk"_pyk;
  const Diagnostic diagnostic = only_diagnostic(source, {.constants = {{"TLIE", 32}}});
  EXPECT_EQ(diagnostic.place.line, __LINE__ - 3);
  EXPECT_NE(to_text(diagnostic).find("did you mean `TLIE`"), std::string::npos) << to_text(diagnostic);
}

TEST(Source, ImportsComeFromACallback) {
  const Source source = R"pyk(
    from shapes import area
    @kernel
    def k(x: f32[:]):
        x[0] = area(x[0], SIDE)
  )pyk"_pyk;
  const CompileOptions options{
      .target = "cpu", .constants = {{"SIDE", 2.5}}, .import = [](std::string_view name) -> Result<Source> {
        if (name == "shapes") return Source("def area(a: f32, b: f32) -> f32:\n    return a * b\n");
        return Error{ErrorCode::NotFound, "no such module"};
      }};
  const Device device = Device::open("cpu").value();
  const std::vector<float> host = {4};
  const Array<float> x = device.copy_from<float>(host).value();
  const Kernel k = device.load(compile(source, options).value()).value().kernel("k").value();
  k.launch({.grid = {1}, .block = {1}}, x).value();
  std::vector<float> result(1);
  x.copy_to(result).value();
  EXPECT_EQ(result.front(), 10.0F);
  const Source other = R"(import shape
)"_pyk;
  EXPECT_EQ(only_diagnostic(other, options).place.line, __LINE__ - 2);
}

TEST(Source, APartOfALargerFileIsToldByThatFile) {
  // As a binding for Python has it: a line of imports put before the function, on line 41 of the file.
  const Source part("from shapes import area as a\n@kernel\ndef k(x: f32[:]):\n    x[0] = a(y)\n", "model.py", 39,
                    "    ");
  const Source shapes("@device\ndef area(v):\n    return v * w\n", "shapes.py", 7, "");
  const CompileOptions options{.target = "cpu", .import = [&](std::string_view) { return Result<Source>(shapes); }};
  const Diagnostic own = only_diagnostic(part, options);
  EXPECT_EQ(own.place.file, "model.py");
  EXPECT_EQ(own.place.line, 42);
  EXPECT_EQ(own.place.column, 18);
  EXPECT_EQ(own.place.source_line, "        x[0] = a(y)");
  const Source other("from shapes import area as a\n@kernel\ndef k(x: f32[:]):\n    x[0] = a(x[0])\n");
  const Diagnostic imported = only_diagnostic(other, options);
  EXPECT_EQ(imported.place.file, "shapes.py");
  EXPECT_EQ(imported.place.line, 9);
}

TEST(Sources, AConstantOfTheModuleMayBeMadeByConstArrayLike) {
  const Source source = R"(
    from pykc import *
    TABLE = const.array_like([1.5, 2.5])
    @kernel
    def k(x: f64[:]):
        i = grid(1)
        x[i] = TABLE[i % 2]
  )"_pyk;
  const Device device = Device::open("cpu").value();
  for (const bool checked : {false, true}) {
    const Artifact artifact = compile(source, {.target = "cpu", .checked = checked}).value();
    const Array<double> x = device.zeros<double>(4).value();
    device.load(artifact).value().kernel("k").value().launch({.grid = {1}, .block = {4}}, x).value();
    EXPECT_EQ(x.to_vector().value(), (std::vector<double>{1.5, 2.5, 1.5, 2.5}));
  }
}

}  // namespace
}  // namespace pykc
