// The choice between configurations on a GPU whose driver fails on request.
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>

#include "jit/tuned_table.h"
#include "pykc/autotune.h"
#include "tests/mock_cuda/mock_cuda.h"

namespace pykc {
namespace {

using namespace mock_cuda;

constexpr int kIllegalAddress = 700, kOutOfResources = 701;

constexpr SourceLiteral kSource = R"pyk(
  @autotune(configs=[config(FACTOR=2), config(FACTOR=3)])
  @kernel
  def scale(y: f32[:], x: f32[:], FACTOR: constexpr):
      i = grid(1)
      if i < len(x):
          y[i] = FACTOR * x[i]
)pyk"_pyk;

class AutotuneOnGpu : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1); }
  void SetUp() override { mock_reset(); }
  void TearDown() override { EXPECT_EQ(mock_live_objects(), 0); }

  /// Fails where `prepare` made the driver fail; the name of what was chosen, or the message.
  static std::string chosen_after(const std::function<void()>& prepare) {
    const Device device = Device::open("cuda:0").value();
    const SourceModule module = SourceModule::load(device, kSource).value();
    const TunedKernel scale = TunedKernel::create(module.kernel("scale").value()).value();
    const Array<float> x = device.zeros<float>({1000}).value(), y = device.zeros<float>({1000}).value();
    prepare();
    const auto shape = [](const Configuration&) -> LaunchConfig { return {.grid = {4}, .block = {256}}; };
    const Result<Configuration> chosen = scale.chosen(shape, y, x);
    return chosen ? chosen->text() : chosen.error().message;
  }
};

TEST_F(AutotuneOnGpu, WhatIsWrittenIsSavedOnce) {
  int copies = 0, launches = 0;
  EXPECT_EQ(chosen_after([&] { copies = mock_calls("cuMemcpyDtoDAsync"), launches = mock_calls("cuLaunchKernel"); }),
            "FACTOR=2");  // the first of equals
  launches = mock_calls("cuLaunchKernel") - launches;
  EXPECT_GE(launches, 4);
  // One array to save, to give back before each launch, and once more at the end.
  EXPECT_EQ(mock_calls("cuMemcpyDtoDAsync") - copies, 1 + launches + 1);
}

/// The mock is of a chip that the table has (sm_90).
TEST_F(AutotuneOnGpu, KernelsOfTheLibraryAreLaunchedAsRecorded) {
  const Device device = Device::open("cuda:0").value();
  const SourceModule module = SourceModule::load(device, "from pykc.transpose import transpose_tiled\n"_pyk).value();
  const TunedKernel transpose = TunedKernel::create(module.kernel("transpose_tiled").value()).value();
  const auto shape = [](const Configuration& c) -> LaunchConfig {
    return {.grid = {1}, .block = {c["TILE"], c["ROWS"]}};
  };
  const int before = mock_calls("cuLaunchKernel");
  const Array<float> a = device.zeros<float>({3, 5}).value(), b = device.zeros<float>({5, 3}).value();
  transpose.launch(shape, b, a).value();
  EXPECT_EQ(mock_calls("cuLaunchKernel") - before, 1);
  const jit::ArraySize sizes[] = {{4, {5, 3}}, {4, {3, 5}}};
  const TunedRow* const row = jit::TunedLaunch("pykc.transpose.transpose_tiled", "sm_90", sizes).find_in(tuned_rows());
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(transpose.chosen(shape, b, a).value().text(), row->configuration);

  using Wide = std::complex<double>;  // of which the table has no row
  const Array<Wide> c = device.zeros<Wide>({3, 5}).value(), d = device.zeros<Wide>({5, 3}).value();
  transpose.launch(shape, d, c).value();
  EXPECT_GT(mock_calls("cuLaunchKernel") - before, 10);
}

TEST_F(AutotuneOnGpu, WhatTheDriverRefusesIsPassedOver) {
  EXPECT_EQ(chosen_after([] { mock_fail("cuLaunchKernel", 1, kOutOfResources); }), "FACTOR=3");
  const std::string none = chosen_after([] {
    mock_fail("cuLaunchKernel", 1, kOutOfResources);
    mock_fail("cuLaunchKernel", 2, kOutOfResources);
  });
  EXPECT_NE(none.find("cuLaunchKernel failed"), std::string::npos) << none;
}

TEST_F(AutotuneOnGpu, NoRoomToSaveIsAnError) {
  const std::string message = chosen_after([] { mock_set_memory(10'000); });
  EXPECT_NE(message.find("no memory to keep what the arrays hold"), std::string::npos) << message;
  EXPECT_NE(message.find("PYKC_AUTOTUNE=off"), std::string::npos) << message;
}

TEST_F(AutotuneOnGpu, ALostContextIsAnError) {
  const std::string message = chosen_after([] { mock_break_at_next_launch(kIllegalAddress); });
  EXPECT_NE(message.find("code 700"), std::string::npos) << message;
}

}  // namespace
}  // namespace pykc
