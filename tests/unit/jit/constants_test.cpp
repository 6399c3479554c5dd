// Constant memory that the host fills: `NAME = const.array(shape, dtype)`.
#include <gtest/gtest.h>

#include "pykc/source_module.h"
#include "tests/unit/jit/device.h"

namespace pykc {
namespace {

constexpr SourceLiteral kConstantsSource = R"pyk(
  from filters import BIAS, biased

  WEIGHTS = const.array(3, f32)
  UNUSED = const.array((2, 3), i16)
  PAIRS = const.array(2, c64)

  @kernel
  def smooth(y: f32[:], x: f32[:]):
      i = grid(1)
      if 0 < i and i < len(x) - 1:
          y[i] = biased(WEIGHTS[0] * x[i - 1] + WEIGHTS[1] * x[i] + WEIGHTS[2] * x[i + 1])

  @kernel
  def generic(y):
      for i in range(3):
          y[i] = WEIGHTS[i]

  @kernel
  def imaginary(y: f32[:]):
      y[0] = PAIRS[1].imag
)pyk"_pyk;

class Constants : public ::testing::Test {
 protected:
  Module load() { return device_.load(compile(kConstantsSource, options(device_.info().target)).value()).value(); }
  static CompileOptions options(const std::string& target) {
    return {.target = target, .import = [](std::string_view name) -> Result<Source> {
              if (name != "filters") return Error{ErrorCode::NotFound, "no such module"};
              return Source("BIAS = const.array(1, f32)\ndef biased(x):\n    return x + BIAS[0]\n");
            }};
  }
  std::vector<float> smooth(const Module& module) {
    const Array<float> x = device_.copy_from<float>(std::vector<float>{1, 10, 100, 1000}).value();
    const Array<float> y = device_.zeros<float>({4}).value();
    module.kernel("smooth")->launch({.grid = {1}, .block = {32}}, y, x).value();
    return testing::host(y);
  }
  template <typename T>
  static std::string message(const Result<T>& result) {
    return result ? "no error" : result.error().message;
  }
  const Device device_ = testing::device();
};

TEST_F(Constants, AreZeroUntilTheHostSetsThem) {
  const Module module = load(), other = load();
  EXPECT_EQ(smooth(module), (std::vector<float>{0, 0, 0, 0}));
  module.set_constant("WEIGHTS", std::vector<float>{1, 2, 3}).value();
  EXPECT_EQ(smooth(module), (std::vector<float>{0, 321, 3210, 0}));
  module.set_constant("filters.BIAS", 0.5F).value();
  EXPECT_EQ(smooth(module), (std::vector<float>{0, 321.5F, 3210.5F, 0}));
  EXPECT_EQ(smooth(other), (std::vector<float>{0, 0, 0, 0}));  // which has its own
}

TEST_F(Constants, AreArrays) {
  const Module module = load();
  const Array<float> weights = module.constant<float>("WEIGHTS").value();
  EXPECT_EQ(testing::host(weights), (std::vector<float>{0, 0, 0}));
  weights.slice(Slice{1, 2})->copy_from(std::vector<float>{1}).value();
  EXPECT_EQ(smooth(module), (std::vector<float>{0, 10, 100, 0}));
  const Array<std::int16_t> unused = module.constant<std::int16_t>("UNUSED").value();
  EXPECT_EQ(std::vector<std::int64_t>(unused.shape().begin(), unused.shape().end()), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(module.constants().size(), 4U);
  EXPECT_EQ(module.constant_bytes("UNUSED")->bytes(), 12);
}

TEST_F(Constants, OfRecordsTakeStructsOfTheirSize) {
  struct Pair {
    float real, imaginary;
  };
  const Module module = load();
  module.set_constant("PAIRS", std::vector<Pair>{{1, 2}, {3, 4}}).value();
  const Array<float> y = device_.zeros<float>({1}).value();
  module.kernel("imaginary")->launch({.grid = {1}, .block = {1}}, y).value();
  EXPECT_EQ(testing::host(y), (std::vector<float>{4}));
  struct Triple {
    float numbers[3];
  };
  EXPECT_EQ(message(module.set_constant("PAIRS", std::vector<Triple>(2))),
            "constant `PAIRS`, c64[2], is no array of a C++ class of 12 bytes");
}

TEST_F(Constants, AreSetInTheOrderOfAStream) {
  const Module module = load();
  const Stream stream = device_.create_stream().value();
  const Array<float> x = device_.copy_from<float>(std::vector<float>{0, 1, 0}).value();
  const Array<float> y = device_.zeros<float>({3}).value();
  std::vector<float> values = {0, 1, 0};
  stream.begin_capture().value();
  module.set_constant(stream, "WEIGHTS", values).value();
  module.kernel("smooth")->launch({.grid = {1}, .block = {32}, .stream = &stream}, y, x).value();
  const Graph graph = stream.end_capture().value();
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    values[1] = value;
    graph.launch(stream).value();
    stream.synchronize().value();
    EXPECT_EQ(testing::host(y)[1], value);
  }
}

TEST_F(Constants, WhatDoesNotFitIsRefused) {
  const Module module = load();
  EXPECT_EQ(message(module.set_constant("WEIGHT", std::vector<float>(3))),
            "the module has no constant `WEIGHT` that the host sets; it has: WEIGHTS, UNUSED, PAIRS, filters.BIAS");
  EXPECT_EQ(message(module.set_constant("WEIGHTS", std::vector<double>(3))),
            "constant `WEIGHTS`, f32[3], is no array of f64");
  EXPECT_EQ(message(module.constant<int>("WEIGHTS")), "constant `WEIGHTS`, f32[3], is no array of i32");
  EXPECT_EQ(message(module.set_constant("WEIGHTS", std::vector<float>(4))),
            "constant `WEIGHTS`, f32[3], has 3 elements, and 4 are given; to set a part of it, copy to a slice of "
            "constant()");
  EXPECT_EQ(message(module.set_constant("WEIGHTS", 1.0F)).substr(0, 50),
            "constant `WEIGHTS`, f32[3], has 3 elements, and 1 ");
  const Module none =
      device_.load(compile("@kernel\ndef k(x: f32[:]):\n    x[0] = 1\n", {.target = device_.info().target}).value())
          .value();
  EXPECT_EQ(message(none.set_constant("C", 1.0F)),
            "the module has no constant `C` that the host sets; `C = const.array(shape, dtype)` at the top level of "
            "its source declares one");
}

TEST_F(Constants, ADamagedArtifactIsRefused) {
  const Artifact artifact = compile(kConstantsSource, options(device_.info().target)).value();
  const auto load_with = [&](const std::function<void(ConstantInfo&)>& damage) {
    Artifact damaged = artifact;
    damage(damaged.constants[0]);
    const Result<Module> loaded = device_.load(damaged);
    return loaded ? std::string() : loaded.error().message.substr(0, 24);
  };
  EXPECT_EQ(load_with([](ConstantInfo&) {}), "");
  const std::string damaged = "the artifact is damaged:";
  EXPECT_EQ(load_with([](ConstantInfo& c) { c.symbol = "smooth"; }), damaged);
  EXPECT_EQ(load_with([](ConstantInfo& c) { c.type.extents = {2}; }), damaged);
  EXPECT_EQ(load_with([](ConstantInfo& c) { c.type.extents = {-1}; }), damaged);
  EXPECT_EQ(load_with([](ConstantInfo& c) { c.type.extents = {}; }), damaged);
  EXPECT_EQ(load_with([](ConstantInfo& c) { c.type.extents.assign(9, 1); }), damaged);
  EXPECT_EQ(load_with([](ConstantInfo& c) { c.type.extents.assign(8, std::int64_t{1} << 40); }), damaged);
  EXPECT_EQ(load_with([](ConstantInfo& c) { c.type.layout = Layout::ColumnMajor; }), damaged);
}

TEST_F(Constants, OfASourceModuleReachAllSpecialisations) {
  const SourceModule module = SourceModule::load(device_, kConstantsSource, options("")).value();
  const LaunchConfig config{.grid = {1}, .block = {1}};
  const Array<float> y = device_.zeros<float>({3}).value();
  const Array<double> z = device_.zeros<double>({3}).value();
  module.launch("generic", config, y).value();
  EXPECT_EQ(testing::host(y), (std::vector<float>{0, 0, 0}));
  module.set_constant("WEIGHTS", std::vector<float>{1, 2, 3}).value();
  module.launch("generic", config, y).value();
  EXPECT_EQ(testing::host(y), (std::vector<float>{1, 2, 3}));
  module.launch("generic", config, z).value();  // compiled now
  EXPECT_EQ(testing::host(z), (std::vector<double>{1, 2, 3}));
  const std::vector<float> halves = {0.5F, 1, 1.5F};
  module.set_constant_bytes("WEIGHTS", ElementType(ScalarType::F32), std::as_bytes(std::span(halves))).value();
  module.launch("generic", config, z).value();
  EXPECT_EQ(testing::host(z), (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(message(module.set_constant_bytes("WEIGHTS", ElementType(ScalarType::I32), std::as_bytes(std::span(halves)))),
            "constant `WEIGHTS`, f32[3], is no array of i32");
  module.set_constant("filters.BIAS", 1.0F).value();  // which `generic` does not use
  EXPECT_EQ(message(module.set_constant("WEIGHTS", std::vector<double>(3))),
            "constant `WEIGHTS`, f32[3], is no array of f64");
  EXPECT_EQ(message(module.set_constant("weights", std::vector<float>(3))),
            "the source has no constant `weights` that the host sets; it has: WEIGHTS, UNUSED, PAIRS, filters.BIAS");
}

}  // namespace
}  // namespace pykc
