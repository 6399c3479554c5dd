#include "pykc/artifact.h"

#include <gtest/gtest.h>

#include <random>

namespace pykc {
namespace {

using Op = LaunchExpression::Op;

RecordRef particle() {
  RecordType type{"Particle"};
  type.fields = {{"position", vector_type(ScalarType::F32, 3), {}}, {"weights", ScalarType::F64, {2, 3}}};
  return lay_out(std::move(type));
}

Artifact full_artifact() {
  KernelInfo kernel;
  kernel.name = "vecadd";
  kernel.symbol = "vecadd_f32";
  kernel.parameters = {{"n", false, ScalarType::I32, {}},
                       {"x", true, ScalarType::I64, {ScalarType::F16, Layout::Strided, {-1, -1}}},
                       {"p", false, particle(), {}},
                       {"z", true, ScalarType::I64, {complex_type(ScalarType::F32), Layout::RowMajor, {-1}}, true}};
  kernel.static_shared_bytes = 4096;
  kernel.dynamic_shared_bytes = {{{Op::BlockDimX, 0}, {Op::Constant, -3}, {Op::Maximum, 0}}};
  kernel.uses_launch_shared_bytes = true;
  kernel.max_threads_per_block = 256;
  kernel.faults = {{"assert failed: {0} > 0", "a.pyk", 3, 5}};
  kernel.scratch_bytes = {{{Op::GridDimZ, 0}}};
  kernel.watched.sites = {{.kind = ObservedSite::Kind::Returned, .depth = 2}};
  kernel.watched.code = {{.site = 1, .loops = 3, .operations = {.instructions = 5, .math_f64 = 7}}};
  return {"cpu:znver4",
          std::string("\0\x7f"
                      "ELF\xff",
                      6),
          {kernel, {}},
          {},
          {{"filters.WEIGHTS", "filters_u2eWEIGHTS", {ScalarType::F16, Layout::RowMajor, {3, 5}}}},
          0};
}

TEST(Artifact, RoundTrips) {
  const Artifact artifact = full_artifact();
  const Result<Artifact> read = Artifact::parse(artifact.serialize());
  ASSERT_TRUE(read);
  EXPECT_EQ((*read).target, artifact.target);
  EXPECT_EQ((*read).code, artifact.code);
  EXPECT_EQ((*read).kernels, artifact.kernels);
  EXPECT_EQ((*read).constants, artifact.constants);
  EXPECT_EQ((*read).assembler_level, 0);
  EXPECT_EQ((*read).serialize(), artifact.serialize());
}

TEST(Artifact, RefusesEveryTruncation) {
  const std::string bytes = full_artifact().serialize();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<Artifact> read = Artifact::parse(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, ErrorCode::InputOutput);
  }
  EXPECT_FALSE(Artifact::parse(bytes + '\0'));
}

TEST(Artifact, RefusesEveryFlippedBit) {
  const std::string bytes = full_artifact().serialize();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_FALSE(Artifact::parse(damaged)) << "bit " << bit;
  }
}

TEST(Artifact, NamesAForeignVersion) {
  std::string bytes = full_artifact().serialize();
  bytes[8] = 77;
  EXPECT_NE(Artifact::parse(bytes).error().message.find("version 77"), std::string::npos);
}

std::string with_valid_header(const std::string& payload) {
  const std::string reference = Artifact{}.serialize();
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : payload) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  const std::uint64_t size = payload.size();
  return reference.substr(0, 12) + std::string(reinterpret_cast<const char*>(&size), 8) +
         std::string(reinterpret_cast<const char*>(&hash), 8) + payload;
}

TEST(Artifact, AHeaderThatFitsDoesNotMakeAPayload) {
  const std::string payload = full_artifact().serialize().substr(28);
  ASSERT_TRUE(Artifact::parse(with_valid_header(payload)));  // the helper does make valid headers
  EXPECT_FALSE(Artifact::parse(with_valid_header("")));
  EXPECT_FALSE(Artifact::parse(with_valid_header(std::string(24, '\xff'))));
  for (std::size_t size = 0; size < payload.size(); ++size)
    ASSERT_FALSE(Artifact::parse(with_valid_header(payload.substr(0, size)))) << size;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {  // whatever it holds, it is read within its bounds
    std::string noise = payload;
    for (int changes = 0; changes < 3; ++changes) noise[random() % noise.size()] = static_cast<char>(random());
    const Result<Artifact> read = Artifact::parse(with_valid_header(noise));
    if (read) {
      EXPECT_EQ(read.value().serialize(), with_valid_header(noise));
    }
  }
}

}  // namespace
}  // namespace pykc
