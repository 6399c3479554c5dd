// The choice between configurations: that the fastest wins, that arrays end as one launch leaves them, how long a
// choice is kept, and what is refused.
#include "pykc/autotune.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "tests/unit/jit/device.h"
#include "tests/unit/runtime/allocations.h"

namespace pykc {
namespace {

namespace fs = std::filesystem;
using testing::host;

constexpr SourceLiteral kSource = R"pyk(
  @autotune(configs=[config(TURNS=4000), config(TURNS=4)])
  @kernel
  def add(x, TURNS: constexpr):
      i = grid(1)
      if i < len(x):
          value = x[i]
          for turn in range(TURNS):
              value = value * 6364136223846793005 + turn
          if value != 42:  # which none of the tests come to
              x[i] += 1

  @kernel
  def append(counter, out):
      out[atomic.add(counter, 0, 1)] = 1

  @kernel
  def rows(x: i64[::, ::], SIZE: constexpr):
      i = grid(1)
      if i < x.shape[0]:
          for j in range(x.shape[1]):
              x[i, j] += SIZE // SIZE

  @kernel
  def add_to_parts(x, SIZE: constexpr):
      i = grid(1)
      if i < len(x):
          x[i].real += SIZE // SIZE

  @kernel
  def bounded(x, LEAST: constexpr):
      static_assert(LEAST > 0, "LEAST is too small")
      x[grid(1)] = LEAST

  @kernel
  def store(x, TURNS: constexpr):
      i = blockIdx.x + blockIdx.y
      if i < len(x):
          value = x[i]
          for turn in range(TURNS):
              value = (7 * value + turn) % 1_000_003
          x[i] = 1 if value != 42 else 0

  @kernel
  def stops(x, LIMIT: constexpr):
      x[grid(1)] += 1
      assert grid(1) < LIMIT
)pyk"_pyk;

class Autotune : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("pykc_autotune_test_" + std::to_string(::getpid()));
    setenv("PYKC_CACHE_DIR", folder_.c_str(), 1);
    setenv("PYKC_CACHE", "off", 1);
    unsetenv("PYKC_AUTOTUNE");
  }
  void TearDown() override {
    setenv("PYKC_CACHE", "off", 1);
    unsetenv("PYKC_AUTOTUNE");
    fs::remove_all(folder_);
  }

  SourceModule load() const { return SourceModule::load(device_, kSource).value(); }
  static TunedKernel tuned(const SourceModule& module, const char* kernel,
                           const std::vector<Configuration>& configurations = {}) {
    return TunedKernel::create(module.kernel(kernel).value(), configurations).value();
  }
  Array<std::int64_t> numbers(std::int64_t count, std::int64_t first = 0) const {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), first);
    return device_.copy_from<std::int64_t>(values).value();
  }
  /// The one entry of the cache that is a text.
  fs::path kept() const {
    for (const fs::directory_entry& file : fs::directory_iterator(folder_))
      if (file.is_regular_file() && file.file_size() > 0 && file.file_size() < 100) return file.path();
    return {};
  }

  const Device device_ = testing::device();
  fs::path folder_;
};

/// 2048 threads, in blocks of 256.
LaunchConfig in_blocks(const Configuration&) { return {.grid = {8}, .block = {256}}; }

TEST_F(Autotune, TheFastestIsLaunched) {
  const SourceModule module = load();
  const TunedKernel add = tuned(module, "add");  // with the configurations of the source
  const Array<std::int64_t> x = numbers(2000);
  EXPECT_EQ(add.chosen(in_blocks, x).value().text(), "TURNS=4");
  EXPECT_EQ(host(x), host(numbers(2000)));
  add.launch(in_blocks, x).value();
  EXPECT_EQ(host(x), host(numbers(2000, 1)));
}

TEST_F(Autotune, ASecondLaunchMeasuresNothing) {
  const SourceModule module = load();
  const TunedKernel add = tuned(module, "add");
  int calls = 0;
  const auto shape = [&](const Configuration& configuration) {
    ++calls;
    return in_blocks(configuration);
  };
  const Array<std::int64_t> x = numbers(2000), y = numbers(1100), z = numbers(900);
  add.launch(shape, x).value();
  EXPECT_EQ(calls, 3);  // each configuration, and the launch
  const long before = testing::allocations();
  add.launch(shape, x).value();
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(calls, 4);
  add.launch(shape, y).value();  // as many bits
  EXPECT_EQ(calls, 5);
  add.launch(shape, z).value();  // fewer
  EXPECT_EQ(calls, 8);
  add.launch(shape, device_.zeros<std::int32_t>({2000}).value()).value();  // another type
  EXPECT_EQ(calls, 11);
  EXPECT_EQ(host(x), host(numbers(2000, 2)));
  EXPECT_EQ(host(y), host(numbers(1100, 1)));
}

TEST_F(Autotune, EqualRecordsShareAChoice) {
  const SourceModule module = load();
  const TunedKernel add = tuned(module, "add_to_parts", {{{"SIZE", 1}}, {{"SIZE", 2}}});
  int calls = 0;
  const auto shape = [&](const Configuration& configuration) {
    ++calls;
    return in_blocks(configuration);
  };
  const Array<double> x = device_.zeros<double>({1000}).value();
  Argument points = Argument::of(x);
  for (int launches = 1; launches < 4; ++launches) {
    points.record = RecordRef(RecordType(*complex_type(ScalarType::F32)));  // which lives as long as the launch
    const Argument list[] = {points};
    add.launch_with(shape, list).value();
    EXPECT_EQ(calls, 2 + launches);  // each configuration once, and the launches
  }
}

TEST_F(Autotune, ALaunchThatCannotBeRepeated) {
  const SourceModule module = load();
  const TunedKernel append = tuned(module, "append", {{{"threads", 32}}, {{"threads", 64}}});
  const Array<std::int32_t> counter = device_.zeros<std::int32_t>({1}).value();
  const Array<std::int32_t> out = device_.zeros<std::int32_t>({256}).value();
  const auto shape = [](const Configuration& c) -> LaunchConfig {
    return {.grid = {256 / c["threads"]}, .block = {c["threads"]}};
  };
  append.launch(shape, counter, out).value();
  EXPECT_EQ(host(counter), std::vector<std::int32_t>{256});
  EXPECT_EQ(host(out), std::vector<std::int32_t>(256, 1));
}

TEST_F(Autotune, ViewsKeepWhatLiesBesideThem) {
  const SourceModule module = load();
  const TunedKernel rows = tuned(module, "rows", {{{"SIZE", 1}}, {{"SIZE", 2}}});
  const Array<std::int64_t> all = device_.zeros<std::int64_t>({6, 8}).value();
  rows.launch(in_blocks, all.slice(Slice{.start = 4, .stop = 0, .step = -2}, Slice{.start = 1, .step = 3}).value())
      .value();
  std::vector<std::int64_t> expected(48);
  for (const std::size_t i : {2, 4})
    for (const std::size_t j : {1, 4, 7}) expected[i * 8 + j] = 1;
  EXPECT_EQ(host(all), expected);
}

TEST_F(Autotune, WhatCannotBeLaunchedIsPassedOver) {
  const SourceModule module = load();
  const TunedKernel bounded =
      tuned(module, "bounded",
            {{{"LEAST", 0}, {"threads", 64}}, {{"LEAST", 5}, {"threads", 2048}}, {{"LEAST", 7}, {"threads", 64}}});
  const auto shape = [](const Configuration& c) -> LaunchConfig { return {.grid = {1}, .block = {c["threads"]}}; };
  const Array<std::int64_t> x = numbers(64);
  bounded.launch(shape, x).value();
  EXPECT_EQ(host(x), std::vector<std::int64_t>(64, 7));
}

TEST_F(Autotune, NoneIsLeft) {
  const SourceModule module = load();
  const auto shape = [](const Configuration& c) -> LaunchConfig { return {.grid = {1}, .block = {c["threads"]}}; };
  const auto error_of = [&](const std::vector<Configuration>& configurations, const auto&... arguments) {
    return tuned(module, "bounded", configurations).launch(shape, arguments...).error().message;
  };
  const Array<std::int64_t> x = numbers(64);
  const std::string each = error_of({{{"LEAST", 0}, {"threads", 64}}, {{"LEAST", 5}, {"threads", 2048}}}, x);
  EXPECT_EQ(each.substr(0, each.find(' ', 60)), "no configuration of kernel `bounded` can be launched\nLEAST=0,")
      << each;
  EXPECT_NE(each.find("LEAST is too small"), std::string::npos) << each;
  EXPECT_NE(each.find("\nLEAST=5, threads=2048: "), std::string::npos) << each;
  // For one reason, which is told once.
  EXPECT_EQ(error_of({{{"LEAST", 1}, {"threads", 64}}, {{"LEAST", 5}, {"threads", 32}}}, x, x),
            "kernel `bounded` takes 1 arguments, 2 given");
}

TEST_F(Autotune, AKernelThatStopsIsAnError) {
  const SourceModule module = load();
  const TunedKernel stops = tuned(module, "stops", {{{"LIMIT", 1000}}, {{"LIMIT", 3}}});
  const auto shape = [](const Configuration&) -> LaunchConfig { return {.grid = {1}, .block = {8}}; };
  const Array<std::int64_t> x = numbers(8);
  const Result<void> launched = stops.launch(shape, x);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, ErrorCode::KernelFault);
  EXPECT_EQ(host(x), host(numbers(8)));
}

TEST_F(Autotune, AChoiceIsKeptOnDisk) {
  setenv("PYKC_CACHE", "on", 1);
  const Array<std::int64_t> x = numbers(2000);
  tuned(load(), "add").launch(in_blocks, x).value();
  ASSERT_FALSE(kept().empty());
  const fs::path entry = kept();
  std::ifstream stream(entry);
  std::string key, text;  // an entry begins with its own name
  std::getline(stream, key);
  std::getline(stream, text);
  EXPECT_EQ(text, "TURNS=4");
  const auto chosen = [&](const auto& shape, const Array<std::int64_t>& array) {
    return tuned(load(), "add").chosen(shape, array).value().text();
  };
  std::ofstream(entry) << key << "\nTURNS=4000";
  EXPECT_EQ(chosen(in_blocks, x), "TURNS=4000");
  EXPECT_EQ(chosen(in_blocks, numbers(1500)), "TURNS=4000");
  EXPECT_EQ(chosen(in_blocks, numbers(5000)), "TURNS=4");  // another size
  const auto other = [](const Configuration&) -> LaunchConfig { return {.grid = {16}, .block = {128}}; };
  EXPECT_EQ(chosen(other, x), "TURNS=4");
  std::ofstream(entry) << key << "\nTURNS=17";  // which is none of them
  EXPECT_EQ(chosen(in_blocks, x), "TURNS=4");
  setenv("PYKC_CACHE", "off", 1);
  std::ofstream(entry) << key << "\nTURNS=4000";
  EXPECT_EQ(chosen(in_blocks, x), "TURNS=4");
}

/// TURNS=4 has a grid that is too large for 30,000 elements, and not for 20,000, which have as many bits.
TEST_F(Autotune, AChoiceThatDoesNotFitALargerSizeIsMadeAnew) {
  setenv("PYKC_CACHE", "on", 1);
  const auto launch = [this](const TunedKernel& store, std::int64_t n) {
    const auto shape = [n](const Configuration& c) -> LaunchConfig {
      return {.grid = c["TURNS"] == 4 ? Dim3{1, 3 * n} : Dim3{3 * n}, .block = {1}};
    };
    const Array<std::int64_t> x = device_.zeros<std::int64_t>({n}).value();
    store.launch(shape, x).value();
    EXPECT_EQ(host(x), std::vector<std::int64_t>(static_cast<std::size_t>(n), 1));
    return store.chosen(shape, x).value().text();
  };
  const std::vector<Configuration> configurations = {{{"TURNS", 4000}}, {{"TURNS", 4}}};
  const SourceModule module = load();
  const TunedKernel store = tuned(module, "store", configurations);
  EXPECT_EQ(launch(store, 20'000), "TURNS=4");
  EXPECT_EQ(launch(store, 30'000), "TURNS=4000");
  EXPECT_EQ(launch(store, 20'000), "TURNS=4000");  // the choice that fits both
  fs::remove_all(folder_);
  EXPECT_EQ(launch(tuned(load(), "store", configurations), 20'000), "TURNS=4");
  EXPECT_EQ(launch(tuned(load(), "store", configurations), 30'000), "TURNS=4000");  // though another is kept on disk
}

TEST_F(Autotune, WhatIsTooLargeForAllIsRefusedWithItsReason) {
  const SourceModule module = load();
  const TunedKernel store = tuned(module, "store", {{{"TURNS", 4}}, {{"TURNS", 8}}});
  const auto launch = [&](std::int64_t n) {
    return store.launch(
        [n](const Configuration&) -> LaunchConfig {
          return {.grid = {1, 3 * n}, .block = {1}};
        },
        numbers(n));
  };
  launch(20'000).value();
  const Result<void> refused = launch(30'000);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the grid (1, 90000, 1) is larger than"), std::string::npos);
}

TEST_F(Autotune, KernelsOfTheLibraryAreImported) {
  setenv("PYKC_CACHE", "on", 1);
  const std::int64_t n = 100, m = 70;
  std::vector<float> values(static_cast<std::size_t>(n * m)), expected(values.size());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j)
      expected[static_cast<std::size_t>(j * n + i)] = values[static_cast<std::size_t>(i * m + j)] =
          static_cast<float>(i * m + j);
  const Array<float> a = device_.copy_from<float>(values, {n, m}).value(), b = device_.zeros<float>({m, n}).value();
  const auto told_when_launched = [&](const char* mode) {
    setenv("PYKC_AUTOTUNE", mode, 1);
    const SourceModule module =
        SourceModule::load(device_, "from pykc.transpose import transpose_tiled as transpose\n"_pyk).value();
    const TunedKernel transpose = tuned(module, "transpose");
    const auto shape = [&](const Configuration& c) -> LaunchConfig {
      return {.grid = {(m + c["TILE"] - 1) / c["TILE"], (n + c["TILE"] - 1) / c["TILE"]},
              .block = {c["TILE"], c["ROWS"]}};
    };
    b.fill_zero().value();
    ::testing::internal::CaptureStderr();
    transpose.launch(shape, b, a).value();
    const std::string told = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(host(b), expected);
    return told;
  };
  EXPECT_EQ(told_when_launched("off"), "");
  const std::string row = told_when_launched("record");
  std::string chip = device_.info().target;
  if (chip.starts_with("sm_") && chip.ends_with('a')) chip.pop_back();  // sm_90 of sm_90a
  const std::string start =
      R"(TUNED("pykc.transpose.transpose_tiled", ")" + chip + R"(", "4", "70x100", "TILE=)";
  EXPECT_TRUE(row.starts_with(start)) << row;
  EXPECT_TRUE(told_when_launched("record").starts_with(start));  // though it is kept by now
  EXPECT_NE(told_when_launched("report").find("as measured before"), std::string::npos);
}

TEST_F(Autotune, ThreadsChooseOnce) {
  const SourceModule module = load();
  const TunedKernel add = tuned(module, "add");
  std::atomic<int> calls = 0;
  const auto shape = [&](const Configuration& configuration) {
    ++calls;
    return in_blocks(configuration);
  };
  constexpr int kThreads = 4;
  std::vector<Array<std::int64_t>> arrays;
  for (int i = 0; i < kThreads; ++i) arrays.push_back(numbers(2000));
  std::vector<std::thread> threads;
  for (const Array<std::int64_t>& array : arrays)
    threads.emplace_back([&, array] { add.launch(shape, array).value(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 2 + kThreads);
  for (const Array<std::int64_t>& array : arrays) EXPECT_EQ(host(array), host(numbers(2000, 1)));
}

TEST_F(Autotune, TheEnvironmentTurnsItOff) {
  setenv("PYKC_AUTOTUNE", "off", 1);
  const Array<std::int64_t> x = numbers(2000);
  EXPECT_EQ(tuned(load(), "add").chosen(in_blocks, x).value().text(), "TURNS=4000");
  setenv("PYKC_AUTOTUNE", "0", 1);
  const Result<void> unknown = tuned(load(), "add").launch(in_blocks, x);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("PYKC_AUTOTUNE is `0`"), std::string::npos);
  setenv("PYKC_AUTOTUNE", "report", 1);
  ::testing::internal::CaptureStderr();
  tuned(load(), "add").launch(in_blocks, x).value();
  const std::string report = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(report.starts_with("pykc: add: TURNS=4 of 2 configurations, ")) << report;
}

TEST_F(Autotune, AGraphNeedsAChoiceBefore) {
  const SourceModule module = load();
  const TunedKernel add = tuned(module, "add");
  const Stream stream = device_.create_stream().value();
  const auto shape = [&](const Configuration&) -> LaunchConfig {
    return {.grid = {8}, .block = {256}, .stream = &stream};
  };
  const Array<std::int64_t> x = numbers(2000);
  stream.begin_capture().value();
  const Result<void> early = add.launch(shape, x);
  ASSERT_FALSE(early);
  EXPECT_NE(early.error().message.find("launch the kernel once before"), std::string::npos) << early.error().message;
  (void)stream.end_capture();
  add.launch(shape, x).value();
  stream.begin_capture().value();
  add.launch(shape, x).value();
  stream.end_capture().value().launch(stream).value();
  stream.synchronize().value();
  EXPECT_EQ(host(x), host(numbers(2000, 2)));
}

TEST_F(Autotune, ConfigurationsMustFit) {
  const SourceModule module = load();
  const auto error_of = [&](const char* kernel, const std::vector<Configuration>& configurations) {
    return TunedKernel::create(module.kernel(kernel).value(), configurations).error().message;
  };
  EXPECT_EQ(error_of("rows", {}),
            "kernel `rows` has no configurations to choose from: neither are any given, nor does its source list them "
            "with `@autotune`");
  EXPECT_EQ(error_of("rows", {{{"SIZE", 1}}, {{"SIZE", 1}, {"threads", 2}}}),
            "the configurations of kernel `rows` have different names: SIZE=1 and SIZE=1, threads=2");
  EXPECT_EQ(error_of("rows", {{{"x", 1}}}),
            "`x` cannot be set: kernel `rows` takes it at its launch; annotated `constexpr` it is a constant");
}

TEST_F(Autotune, BoundConstantsAreLeftOut) {
  const SourceModule module = load();
  const GenericKernel bounded = module.kernel("bounded").value();
  const GenericKernel nine = bounded.bind({{"LEAST", 9}}).value();
  const Array<std::int64_t> x = numbers(4);
  nine.launch({.grid = {1}, .block = {4}}, x).value();
  EXPECT_EQ(host(x), std::vector<std::int64_t>(4, 9));
  EXPECT_EQ(nine.bind({{"LEAST", 8}}).error().message, "`LEAST` cannot be set: kernel `bounded` has a value for it");
  EXPECT_EQ(bounded.bind({{"MOST", 8}}).error().message,
            "`MOST` cannot be set: kernel `bounded` has no such parameter");
  EXPECT_EQ(bounded.bind({{"LEAST", 0}}).value().launch({.grid = {1}, .block = {4}}, x).error().code,
            ErrorCode::InvalidSource);
}

TEST(Configuration, IsReadByName) {
  const Configuration configuration{{"TILE", 32}, {"WIDE", true}, {"SCALE", 0.5}};
  EXPECT_EQ(configuration["TILE"], 32);
  EXPECT_EQ(configuration["WIDE"], 1);
  EXPECT_EQ(configuration.text(), "TILE=32, WIDE=True, SCALE=0.5");
  EXPECT_EQ(configuration.find("ROWS"), nullptr);
  EXPECT_DEATH((void)configuration["ROWS"], "TILE=32, WIDE=True, SCALE=0.5 has no integer `ROWS`");
  EXPECT_DEATH((void)configuration["SCALE"], "has no integer `SCALE`");
}

}  // namespace
}  // namespace pykc
