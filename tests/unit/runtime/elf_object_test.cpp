#include "runtime/cpu/elf_object.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "runtime/cpu/host_functions.h"
#include "tests/unit/runtime/test_object.h"

namespace pykc::cpu {
namespace {

Result<ElfObject> load(const std::string& bytes) { return ElfObject::load(bytes, find_host_function); }

TEST(ElfObject, FindsGlobalFunctionsOnly) {
  Result<ElfObject> object = load(testing::test_object());
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_NE(object->find("vecadd"), nullptr);
  EXPECT_EQ(object->find("twice"), nullptr);
  EXPECT_EQ(object->find("pykc_print"), nullptr);
  EXPECT_EQ(object->find(""), nullptr);
}

TEST(ElfObject, NamesTheFunctionThatNobodyDefines) {
  Result<ElfObject> object = ElfObject::load(testing::test_object(), [](std::string_view) -> void* { return nullptr; });
  ASSERT_FALSE(object);
  EXPECT_NE(object.error().message.find("which nobody defines"), std::string::npos) << object.error().message;
}

TEST(ElfObject, RefusesOtherFiles) {
  EXPECT_FALSE(load(""));
  EXPECT_FALSE(load(".version 8.0\n.target sm_90\n"));
  std::string object = testing::test_object();
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  header.e_machine = EM_AARCH64;
  std::memcpy(object.data(), &header, sizeof(header));
  const Result<ElfObject> foreign = load(object);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::Unsupported);
  header.e_machine = EM_X86_64;
  header.e_type = ET_DYN;
  std::memcpy(object.data(), &header, sizeof(header));
  EXPECT_FALSE(load(object));
}

TEST(ElfObject, RefusesEveryTruncation) {
  const std::string object = testing::test_object();
  for (std::size_t bytes = 0; bytes < object.size(); bytes += 7) EXPECT_FALSE(load(object.substr(0, bytes))) << bytes;
}

TEST(ElfObject, IgnoresASectionWithoutType) {
  std::string object = testing::test_object();
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  // The first section header is always of this type.
  const Elf64_Shdr null{.sh_type = SHT_NULL, .sh_flags = SHF_ALLOC, .sh_offset = 1UL << 60, .sh_size = 1UL << 20};
  std::memcpy(object.data() + header.e_shoff, &null, sizeof(null));
  EXPECT_TRUE(load(object));
}

// Whether it loads does not matter, only that no damage makes the loader read or write outside.
TEST(ElfObject, SurvivesDamage) {
  const std::string object = testing::test_object();
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = object;
    for (int i = 0; i < 3; ++i) {
      const bool in_tables = random() % 2 == 0;
      const std::size_t place =
          in_tables ? header.e_shoff + random() % (header.e_shnum * sizeof(Elf64_Shdr)) : random() % damaged.size();
      damaged[place] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    (void)load(damaged);
  }
}

}  // namespace
}  // namespace pykc::cpu
