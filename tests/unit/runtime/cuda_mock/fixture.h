// The CUDA device against the fake driver.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <string>

#include "pykc/runtime.h"
#include "tests/mock_cuda/mock_cuda.h"
#include "tests/unit/runtime/kernel_descriptions.h"

namespace pykc::testing {

using namespace mock_cuda;

constexpr int kOutOfMemory = 2, kNotInitialized = 3, kNoDevice = 100, kIllegalAddress = 700, kOutOfResources = 701;

/// Three kernels: `scale`, of an array and a number; `faulty`, which may fault; `shared`, with dynamic shared memory.
inline Artifact test_artifact() {
  KernelInfo faulty = kernel("faulty", {});
  faulty.faults = {{"assert failed: x > {0}", "faulty.pyk", 7, 3}};
  KernelInfo shared = kernel("shared", {});
  shared.dynamic_shared_bytes = for_each_thread(1024);
  return {.target = "nvptx:sm_80",
          .code =
              ".version 8.0\n.global .align 8 .b8 pykc_fault[120];\n"
              ".entry scale(\n.entry faulty(\n.entry shared(\n",
          .kernels = {kernel("scale", {array("x", ScalarType::F32, {kAny}), scalar("a", ScalarType::F32)}), faulty,
                      shared}};
}

class CudaMock : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1); }
  void SetUp() override { mock_reset(); }
  void TearDown() override { EXPECT_EQ(mock_live_objects(), 0); }

  static void fault_at_next_launch(std::int64_t value) {
    const abi::FaultRecord record{.claimed = 1, .ready = 1, .kernel = 1, .values = {value}};
    mock_fault_at_next_launch(&record);
  }
  template <typename T>
  static void expect_error(const Result<T>& result, ErrorCode code, const std::string& text) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code);
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  }
  /// Each of the driver's functions fails once: `call`, which comes to it, says so.
  static void expect_failures(std::initializer_list<const char*> functions, const auto& call) {
    for (const char* function : functions) {
      mock_fail(function, 1, kNotInitialized);
      expect_error(call(), ErrorCode::DriverError, std::string(function) + " failed:");
    }
  }
};

}  // namespace pykc::testing
