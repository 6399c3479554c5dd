// The compile cache: what is found, what is not, and that nothing in its folder is trusted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "driver/artifact_cache.h"
#include "pykc/source.h"

namespace pykc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSource = R"(from pykc import *
from helper import scale

@kernel
def k(x: f32[:]):
    i = grid(1)
    if i < len(x):
        x[i] = scale(x[i])
)";

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("pykc_cache_test_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    setenv("PYKC_CACHE", "on", 1);
    setenv("PYKC_CACHE_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("PYKC_CACHE_BYTES");
    fs::remove_all(folder_);
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    if (fs::exists(folder_))
      for (const fs::directory_entry& file : fs::directory_iterator(folder_))
        if (file.path().filename() != "llvmcache.timestamp") found.push_back(file.path());
    return found;
  }

  CompileOptions options_ = {.target = "sm_80", .import = [this](std::string_view) -> Result<Source> {
                               return Source("def scale(v: f32) -> f32:\n    return v * " + factor_ + "\n");
                             }};
  std::string factor_ = "2.0";
  fs::path folder_;
};

/// What stands before the artifact: the key that the entry is named by.
std::string key_line(const fs::path& entry) {
  return entry.filename().string().substr(std::string_view("llvmcache-").size()) + "\n";
}

/// Replaces an entry by one that says so.
void plant(const fs::path& entry) {
  std::ofstream(entry, std::ios::binary) << key_line(entry)
                                         << Artifact{.target = "nvptx:sm_80", .code = "planted"}.serialize();
}

TEST_F(Cache, FindsWhatWasCompiledBefore) {
  const Artifact first = compile(kSource, options_, "k.pyk").value();
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_EQ(compile(kSource, options_, "k.pyk").value().serialize(), first.serialize());
  plant(entries().front());
  EXPECT_EQ(compile(kSource, options_, "k.pyk").value().code, "planted");
  options_.cache = false;
  EXPECT_EQ(compile(kSource, options_, "k.pyk").value().code, first.code);
  options_.cache = true;
  setenv("PYKC_CACHE", "off", 1);
  EXPECT_EQ(compile(kSource, options_, "k.pyk").value().code, first.code);
}

TEST_F(Cache, AnEntryUnderAnothersNameIsNotUsed) {
  const Artifact first = compile(kSource, options_, "k.pyk").value();
  const fs::path entry = entries().front();
  factor_ = "3.0";
  EXPECT_NE(compile(kSource, options_, "k.pyk").value().code, first.code);
  const std::vector<fs::path> both = entries();
  ASSERT_EQ(both.size(), 2U);
  fs::copy_file(both[0] == entry ? both[1] : both[0], entry, fs::copy_options::overwrite_existing);
  factor_ = "2.0";
  EXPECT_EQ(compile(kSource, options_, "k.pyk").value().code, first.code);
}

TEST_F(Cache, AFolderThatOthersMayWriteIsNotUsed) {
  fs::create_directories(folder_);
  fs::permissions(folder_, fs::perms::all);
  EXPECT_TRUE(compile(kSource, options_, "k.pyk"));
  EXPECT_EQ(entries().size(), 0U);
}

TEST_F(Cache, EverythingThatMattersIsInTheKey) {
  std::size_t expected = 0;
  const auto compile_another = [&](std::string_view source, const char* name = "k.pyk") {
    EXPECT_TRUE(compile(source, options_, name));
    EXPECT_EQ(entries().size(), ++expected);
  };
  compile_another(kSource);
  compile_another(std::string(kSource) + "\n");
  compile_another(kSource, "other.pyk");  // the name is in messages of the kernel
  factor_ = "3.0";
  compile_another(kSource);
  options_.target = "sm_90";
  compile_another(kSource);
  options_.target = "cpu";
  compile_another(kSource);
  options_.checked = true;
  compile_another(kSource);
  options_.asserts = false;
  compile_another(kSource);
  options_.contract = false;
  compile_another(kSource);
  options_.fast_math = true;
  compile_another(kSource);
  options_.line_info = true;
  compile_another(kSource);
  options_.optimization = 1;
  compile_another(kSource);
  options_.signatures = {"k(f32[:])"};
  compile_another(kSource);
}

TEST_F(Cache, AskedTypesAreInTheKey) {
  constexpr std::string_view kGeneric =
      "from pykc import *\n@kernel\ndef k(x, n):\n    if grid(1) < n:\n        x[grid(1)] = n\n";
  std::size_t expected = 0;
  for (const char* signature :
       {"k(f32[:], i32)", "k(f32[:], i64)", "k(f64[:], i64)", "k(f64[::], i64)", "k(i64[4], i64)"}) {
    options_.signatures = {signature};
    options_.warnings = false;
    EXPECT_TRUE(compile(kGeneric, options_, "k.pyk")) << signature;
    EXPECT_EQ(entries().size(), ++expected) << signature;
  }
}

TEST_F(Cache, DamagedEntriesAreCompiledAgain) {
  const Artifact first = compile(kSource, options_, "k.pyk").value();
  const fs::path entry = entries().front();
  const std::string good = key_line(entry) + first.serialize();
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  for (const std::string& bytes : {std::string(), std::string("noise"), good.substr(0, good.size() / 2), flipped}) {
    std::ofstream(entry, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_EQ(compile(kSource, options_, "k.pyk").value().code, first.code);
    std::ifstream mended(entry, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(mended), {}), good);
  }
}

TEST_F(Cache, WarningsAreToldEachTime) {
  constexpr std::string_view kUnguarded = "from pykc import *\n@kernel\ndef k(x: f32[:]):\n    x[grid(1)] = 1.0\n";
  EXPECT_TRUE(compile(kUnguarded, options_, "k.pyk"));
  EXPECT_EQ(entries().size(), 0U);
  EXPECT_FALSE(compile("from pykc import *\n@kernel\ndef k(x: f32[:]):\n    x[0] = nobody\n", options_, "k.pyk"));
  EXPECT_EQ(entries().size(), 0U);
}

TEST_F(Cache, AFolderThatCannotBeWrittenIsNoError) {
  setenv("PYKC_CACHE_DIR", "/proc/no/such/folder", 1);
  EXPECT_TRUE(compile(kSource, options_, "k.pyk"));
  std::ofstream(folder_.string()) << "a file, not a folder";
  setenv("PYKC_CACHE_DIR", folder_.c_str(), 1);
  EXPECT_TRUE(compile(kSource, options_, "k.pyk"));
}

TEST_F(Cache, TheOldestGoWhenItIsFull) {
  EXPECT_TRUE(compile(kSource, options_, "k.pyk"));
  const std::uintmax_t bytes = fs::file_size(entries().front());
  setenv("PYKC_CACHE_BYTES", std::to_string(3 * bytes).c_str(), 1);
  for (int i = 0; i < 8; ++i) {
    fs::remove(folder_ / "llvmcache.timestamp");  // pruned within the last minute
    EXPECT_TRUE(compile(kSource, options_, "k" + std::to_string(i) + ".pyk"));
  }
  EXPECT_GE(entries().size(), 1U);
  EXPECT_LE(entries().size(), 3U);
}

TEST_F(Cache, StatisticsAndClearing) {
  EXPECT_TRUE(compile(kSource, options_, "a.pyk"));
  EXPECT_TRUE(compile(kSource, options_, "b.pyk"));
  const driver::ArtifactCache cache = driver::ArtifactCache::open().value();
  EXPECT_EQ(cache.folder(), folder_.string());
  EXPECT_EQ(cache.statistics()->entries, 2);
  EXPECT_EQ(cache.statistics()->bytes,
            static_cast<std::int64_t>(fs::file_size(entries()[0]) + fs::file_size(entries()[1])));
  std::ofstream(folder_ / "something else") << "kept";
  EXPECT_EQ(cache.clear().value().entries, 2);
  EXPECT_EQ(cache.statistics()->entries, 0);
  EXPECT_TRUE(fs::exists(folder_ / "something else"));
}

TEST_F(Cache, ManyThreadsShareIt) {
  const std::string code = compile(kSource, options_, "k.pyk").value().code;
  fs::remove_all(folder_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 5; ++turn) EXPECT_EQ(compile(kSource, options_, "k.pyk").value().code, code);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entries().size(), 1U);
}

}  // namespace
}  // namespace pykc
