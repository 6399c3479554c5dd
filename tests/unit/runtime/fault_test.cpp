#include "runtime/fault.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/kernel_descriptions.h"

namespace pykc::detail {
namespace {

std::vector<KernelInfo> kernels_with(const std::string& message) {
  KernelInfo info = testing::kernel("gather", {});
  info.faults = {{message, "gather.pyk", 12, 5}};
  return {info};
}

abi::FaultRecord record() {
  return {
      .claimed = 1, .ready = 1, .kernel = 0, .site = 0, .block = {1, 2, 3}, .thread = {4, 5, 6}, .values = {-7, 8, 9}};
}

TEST(Fault, NamesThePlaceTheBlockAndTheThread) {
  const Error error = fault_error(record(), kernels_with("index {0} is out of bounds for an extent of {1}"));
  EXPECT_EQ(error.code, ErrorCode::KernelFault);
  EXPECT_EQ(error.message,
            "gather.pyk:12: index -7 is out of bounds for an extent of 8, in kernel gather, block (1, 2, 3), thread "
            "(4, 5, 6)");
}

TEST(Fault, LeavesOtherBracesAlone) {
  EXPECT_TRUE(fault_error(record(), kernels_with("{} {9} {0 {2}")).message.starts_with("gather.pyk:12: {} {9} {0 9,"));
}

TEST(Fault, SurvivesNumbersThatMeanNothing) {
  for (std::int32_t number : {-1, 1, 1000000}) {
    abi::FaultRecord wrong_site = record(), wrong_kernel = record();
    wrong_site.site = wrong_kernel.kernel = number;
    EXPECT_EQ(fault_error(wrong_site, kernels_with("m")).code, ErrorCode::KernelFault);
    EXPECT_EQ(fault_error(wrong_kernel, kernels_with("m")).code, ErrorCode::KernelFault);
  }
}

class FaultLogTest : public ::testing::Test {
 protected:
  static Error error(const char* text) { return Error{ErrorCode::KernelFault, text}; }
  std::string take(const StreamState* stream) {
    const Result<void> taken = log_.take(stream);
    return taken ? "" : taken.error().message;
  }
  // Streams are only compared here.
  const StreamState* const first_ = reinterpret_cast<const StreamState*>(8);
  const StreamState* const second_ = reinterpret_cast<const StreamState*>(16);
  FaultLog log_;
};

TEST_F(FaultLogTest, KeepsTheFirstOfEachStreamUntilReported) {
  log_.add(first_, error("a"));
  log_.add(first_, error("b"));
  log_.add(second_, error("c"));
  EXPECT_EQ(take(second_), "c");
  EXPECT_EQ(take(second_), "");
  EXPECT_EQ(take(first_), "a");
  EXPECT_EQ(take(first_), "");
}

TEST_F(FaultLogTest, AWaitForEverythingReportsTheFaultsOfAnyStream) {
  log_.add(first_, error("a"));
  EXPECT_EQ(take(nullptr), "a");
  log_.add(nullptr, error("of a stream that is gone"));
  EXPECT_EQ(take(second_), "of a stream that is gone");
  EXPECT_EQ(take(nullptr), "");
}

}  // namespace
}  // namespace pykc::detail
