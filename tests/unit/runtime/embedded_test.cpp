// Artifacts that lie in the program: which of them a device gets. The fake driver's GPU is an sm_90.
#include "pykc/embedded.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

#include "tests/mock_cuda/mock_cuda.h"
#include "tests/unit/runtime/kernel_descriptions.h"

namespace pykc {
namespace {

using testing::array;
using testing::kAny;
using testing::scalar;

const std::string kPtx = ".version 8.0\n.entry scale(\n";
const std::string kCubin = "\177ELF" + std::string(60, '\0');  // which the fake driver refuses

class Embedded : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1); }
  void SetUp() override { mock_cuda::mock_reset(); }

  /// The kernel says where it comes from by its launch bound.
  void add(const std::string& target, const std::string& code, int mark) {
    KernelInfo info = testing::kernel("scale", {array("x", ScalarType::F32, {kAny}), scalar("a", ScalarType::F32)});
    info.max_threads_per_block = mark;
    add_bytes(Artifact{target, code, {info}}.serialize());
  }
  void add_bytes(const std::string& bytes) {
    bytes_.push_back(bytes);
    list_.back() = {reinterpret_cast<const unsigned char*>(bytes_.back().data()), bytes_.back().size()};
    list_.push_back({});
  }
  Result<Module> load(const char* device) const { return load_embedded(Device::open(device).value(), list_.data()); }
  int mark_of_loaded(const char* device) const { return load(device).value().kernels()[0].max_threads_per_block; }

 private:
  std::deque<std::string> bytes_;  // which do not move
  std::vector<EmbeddedArtifact> list_{{}};
};

TEST_F(Embedded, TheLatestChipThatTheGpuRuns) {
  add("cpu:x86-64-v2", "", 1);
  add("nvptx:sm_80", kPtx, 2);
  add("nvptx:sm_100", kPtx, 3);
  EXPECT_EQ(mark_of_loaded("cuda:0"), 2);
  add("nvptx:sm_90", kPtx, 4);
  add("nvptx:sm_75", kPtx, 5);
  EXPECT_EQ(mark_of_loaded("cuda:0"), 4);
  add("nvptx:sm_90a", kPtx, 6);
  EXPECT_EQ(mark_of_loaded("cuda:0"), 6);
}

TEST_F(Embedded, CodeOfOneChipOrFamilyRunsThereAlone) {
  add("nvptx:sm_75", kPtx, 1);
  add("nvptx:sm_80", kCubin, 2);
  add("nvptx:sm_89a", kPtx, 3);
  add("nvptx:sm_89f", kPtx, 4);
  EXPECT_EQ(mark_of_loaded("cuda:0"), 1);
}

TEST_F(Embedded, CubinsComeFirstAndGiveWayToPtx) {
  add("nvptx:sm_90", kCubin, 1);
  const Result<Module> refused = load("cuda:0");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::DriverError);
  add("nvptx:sm_90", kPtx, 2);
  const int loads = mock_cuda::mock_calls("cuModuleLoadDataEx");
  EXPECT_EQ(mark_of_loaded("cuda:0"), 2);
  EXPECT_EQ(mock_cuda::mock_calls("cuModuleLoadDataEx"), loads + 2);
}

TEST_F(Embedded, NoneFits) {
  add("nvptx:sm_100", kPtx, 1);
  add("nvptx:sm_120", kPtx, 2);
  for (const char* device : {"cuda:0", "cpu"}) {
    const Result<Module> loaded = load(device);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Unsupported);
    EXPECT_TRUE(loaded.error().message.starts_with(
        "the program's kernels are compiled for nvptx:sm_100, nvptx:sm_120, none of which " + std::string(device)))
        << loaded.error().message;
  }
}

TEST_F(Embedded, DamagedBytesAreAnError) {
  add_bytes("pykcart\n and then something else");
  EXPECT_EQ(load("cuda:0").error().code, ErrorCode::InputOutput);
}

TEST_F(Embedded, AHeaderOfOtherKernelsIsRefused) {
  add("nvptx:sm_90", kPtx, 1);
  const Module module = load("cuda:0").value();
  EXPECT_TRUE(embedded_kernel(module, "scale", "x: f32[:], a: f32"));
  EXPECT_EQ(embedded_kernel(module, "scale", "x: f32[:], a: f64").error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(embedded_kernel(module, "scales", "").error().code, ErrorCode::NotFound);
}

TEST_F(Embedded, ScalarParametersTakeTheirTypeAndIntegers) {
  static_assert(std::is_convertible_v<float, ScalarParameter<float>>);
  static_assert(std::is_convertible_v<long long, ScalarParameter<float>>);
  static_assert(!std::is_convertible_v<double, ScalarParameter<float>>);
  static_assert(!std::is_convertible_v<float, ScalarParameter<std::int32_t>>);
  static_assert(!std::is_convertible_v<bool, ScalarParameter<std::int32_t>>);
  static_assert(!std::is_convertible_v<int, ScalarParameter<bool>>);
  static_assert(std::is_convertible_v<Half, ScalarParameter<Half>>);
  EXPECT_EQ(ScalarParameter<float>(std::int8_t{3}).argument().type, ScalarType::I8);
  EXPECT_EQ(ScalarParameter<Half>(Half{0x3c00}).argument().type, ScalarType::F16);
}

}  // namespace
}  // namespace pykc
