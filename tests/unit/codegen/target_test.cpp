#include <gtest/gtest.h>

#include "codegen/codegen.h"
#include "codegen/machine.h"

namespace pykc::codegen {
namespace {

TEST(Target, Chips) {
  for (const char* chip : {"sm_75", "sm_80", "sm_90a", "sm_121f"}) {
    EXPECT_EQ(Target::parse(chip).value().to_string(), std::string("nvptx:") + chip);
    EXPECT_EQ(Target::parse(std::string("nvptx:") + chip).value().chip, chip);
  }
  EXPECT_EQ(Target::parse("").value().to_string(), "nvptx:sm_80");
}

TEST(Target, UnknownChipNamesTheKnownOnes) {
  for (const char* text : {"sm_70", "sm_", "sm_800", "gpu", "nvptx:", "nvptx:cpu", "CPU"}) {
    const Result<Target> target = Target::parse(text);
    ASSERT_FALSE(target) << text;
    EXPECT_EQ(target.error().code, ErrorCode::Unsupported);
    EXPECT_NE(target.error().message.find("sm_75"), std::string::npos);
    EXPECT_NE(target.error().message.find(std::string("'") + text + "'"), std::string::npos);
  }
}

TEST(Target, Processors) {
  EXPECT_EQ(Target::parse("cpu:x86-64-v3").value().to_string(), "cpu:x86-64-v3");
  const Target native = Target::parse("cpu").value();
  EXPECT_EQ(native.kind, Target::Kind::Cpu);
  EXPECT_EQ(Target::parse("cpu:native").value().chip, native.chip);
  EXPECT_NE(native.chip, "native");
  EXPECT_EQ(Target::parse(native.to_string()).value().chip, native.chip);
}

TEST(Machine, IsUsedAgainWhereItIsTheSame) {
  const Target target = Target::parse("cpu").value();
  const auto machine = [&](int level, bool fast_math) {
    return machine_for(target, {.optimization = level, .fast_math = fast_math}, 0);
  };
  Machine used = machine(3, false);
  llvm::TargetMachine* const first = used.get();
  const Machine beside = machine(3, false);
  EXPECT_NE(beside.get(), first) << "one thread at a time";
  used.reset();
  EXPECT_NE(machine(1, false).get(), first);
  EXPECT_NE(machine(3, true).get(), first);
  EXPECT_EQ(machine(3, false).get(), first);
}

TEST(Target, ProcessorsThatWillNotDo) {
  for (const char* text : {"cpu:", "cpu:pentium9", "cpu:x86-64", "cpu:i386", "cpu:sm_80"}) {
    const Result<Target> target = Target::parse(text);
    ASSERT_FALSE(target) << text;
    EXPECT_EQ(target.error().code, ErrorCode::Unsupported);
  }
}

}  // namespace
}  // namespace pykc::codegen
