// Where the bytes of an array are: promised, on the host, on the device.
#include "script/values/storage.h"

#include <gtest/gtest.h>

#include <cstring>

#include "script/functions/run.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

DeviceOperations& cpu() {
  static const RunOptions options{.device = "cpu"};
  static Run run(options);
  return **run.operations();
}

std::int32_t first_of(Storage& storage) {
  std::int32_t value = 0;
  std::memcpy(&value, *storage.read(), sizeof(value));
  return value;
}

TEST(Storage, AFillIsMadeWhereItIsNeeded) {
  Storage storage(40, Scalar::of(7, ScalarType::I32));
  EXPECT_EQ(first_of(storage), 7);
  Storage on_device(40, Scalar::of(7, ScalarType::I32));
  const Outcome<void*> address = on_device.launch(cpu());
  ASSERT_TRUE(address);
  EXPECT_EQ(static_cast<std::int32_t*>(*address)[9], 7);
}

TEST(Storage, FillsLargerThanOnePieceAreComplete) {
  const std::int64_t count = (3 << 20) + 5;
  Storage storage(count * 4, Scalar::of(-3, ScalarType::I32));
  const Outcome<void*> address = storage.launch(cpu());
  const auto* elements = static_cast<const std::int32_t*>(*address);
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(elements[i], -3) << i;
}

TEST(Storage, HostWritesReachTheDeviceAndBack) {
  Storage storage(16, Scalar::of(1, ScalarType::I32));
  const std::int32_t five = 5, nine = 9;
  std::memcpy(*storage.write(), &five, sizeof(five));
  const Outcome<void*> address = storage.launch(cpu());
  EXPECT_EQ(*static_cast<std::int32_t*>(*address), 5);
  std::memcpy(*address, &nine, sizeof(nine));
  EXPECT_EQ(first_of(storage), 9);
}

TEST(Storage, CopiesAreIndependent) {
  Storage source(8, Scalar::of(2, ScalarType::I32)), target(8, std::nullopt);
  ASSERT_TRUE(target.copy_from(cpu(), *source.read()));
  const std::int32_t four = 4;
  std::memcpy(*source.write(), &four, sizeof(four));
  EXPECT_EQ(first_of(target), 2);
  std::byte bytes[8];
  ASSERT_TRUE(target.copy_to(bytes));
  EXPECT_EQ(std::memcmp(bytes, *target.read(), sizeof(bytes)), 0);
}

TEST(Storage, NothingIsAlsoFine) {
  Storage storage(0, std::nullopt);
  EXPECT_TRUE(storage.read());
  EXPECT_TRUE(storage.launch(cpu()));
  EXPECT_TRUE(storage.read());
}

TEST(Storage, TooMuchIsAnError) {
  Storage storage(std::int64_t{1} << 62, std::nullopt);
  const Outcome<std::byte*> bytes = storage.read();
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.failure().id, DiagnosticId::HostOutOfMemory);
}

}  // namespace
}  // namespace pykc::script
