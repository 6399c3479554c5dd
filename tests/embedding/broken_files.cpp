// Every call about files fails, one after the other, in all that a program does with files: an Error that names the
// file and the reason, or none where it can be done without; nothing half written is left, no descriptor is lost, and
// the next call works. Once as if that call alone had failed, once as if all behind it did, too. A call that a signal
// interrupts, or that does half of what it was asked for, is gone on with.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "driver/artifact_cache.h"
#include "pykc/compiler.h"
#include "pykc/npy.h"
#include "pykc/runtime.h"
#include "pykc/source.h"
#include "tests/embedding/failing_files.h"

namespace pykc {
namespace {

namespace fs = std::filesystem;
using testing::fail_file_call;
using testing::failed_file_call;
using testing::FileFault;

constexpr FileFault kFaults[] = {FileFault::Broken, FileFault::Full, FileFault::NoDescriptors, FileFault::Interrupted,
                                 FileFault::Short};

const char* reason_of(FileFault fault) {
  return std::strerror(fault == FileFault::Full ? ENOSPC : fault == FileFault::NoDescriptors ? EMFILE : EIO);
}

/// These must not show: the rest can be had by another call.
bool must_not_show(FileFault fault) { return fault == FileFault::Interrupted || fault == FileFault::Short; }

/// Something that a program does. It tells whether what it came to is right.
struct Operation {
  std::string name;
  std::vector<std::string> files;  // of which an error names one; none: files can be done without
  std::function<Result<bool>()> call;
  std::function<void()> prepare = [] {};
};

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

class BrokenFiles : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef __x86_64__
    static const bool watches = testing::watch_file_calls();
    if (!watches) GTEST_SKIP() << "this system does not hand calls about files back";
#else
    GTEST_SKIP() << "the calls of this processor are not known";
#endif
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "package/inner");
    fs::current_path(folder_);
    write("package/__init__.pyk", "");
    write("package/inner/__init__.pyk", "def twice(a):\n    return a + a\n");
    write("package/thrice.pyk", "def thrice(a):\n    return 3 * a\n");
    write("package/scale.pyk",
          "from pykc import *\nfrom .inner import twice\nfrom package.thrice import thrice\nimport cmath\n"
          "@kernel\ndef scale(x: f32[:]):\n    x[grid(1)] += twice(thrice(x[0]))\n");
    write("cmath.pyk", "ZERO = 0\n");  // not the library's
    setenv("PYKC_CACHE", "on", 1);
    setenv("PYKC_CACHE_DIR", cache_.c_str(), 1);
  }
  void TearDown() override {
    fail_file_call(FileFault::Broken, 0, false);
    unsetenv("PYKC_CACHE_BYTES");
    fs::current_path(::testing::TempDir());
    fs::remove_all(folder_);
  }

  static std::size_t descriptors() {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
  }

  using Files = std::map<std::string, std::string>;
  Files files() const {
    Files found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) found[entry.path().string()] = content(entry);
    return found;
  }

  /// Fails a call of an operation; whether there was one to fail.
  bool fail_one(const Operation& operation, FileFault fault, long n, bool for_good, const Files& expected) {
    operation.prepare();
    const std::size_t open_before = descriptors();
    fail_file_call(fault, n, for_good);
    const Result<bool> result = operation.call();
    const long failed = failed_file_call();
    fail_file_call(fault, 0, false);
    const std::string what = operation.name + ", fault " + std::to_string(static_cast<int>(fault)) + ", call " +
                             std::to_string(n) + (for_good ? " and all behind it" : "") + ", system call " +
                             std::to_string(failed);
    EXPECT_EQ(descriptors(), open_before) << what;
    if (result) {
      EXPECT_TRUE(*result) << what << ": something else came out";
    } else {
      check_error(operation, fault, result.error(), what);
    }
    if (!for_good) {  // then nothing can be removed, either
      for (const auto& [name, text] : files()) {
        const auto found = expected.find(name);
        EXPECT_TRUE(found != expected.end() && found->second == text) << what << ": left " << name;
      }
    }
    operation.prepare();
    const Result<bool> again = operation.call();
    EXPECT_TRUE(again && *again) << what << ": the next call";
    return failed >= 0;
  }

  static void check_error(const Operation& operation, FileFault fault, const Error& error, const std::string& what) {
    std::string text = error.message;
    for (const Diagnostic& diagnostic : error.diagnostics) text += "\n" + to_text(diagnostic);
    EXPECT_FALSE(operation.files.empty()) << what << ": could be done without: " << text;
    EXPECT_FALSE(must_not_show(fault)) << what << ": " << text;
    EXPECT_NE(text.find(reason_of(fault)), std::string::npos) << what << ": " << text;
    EXPECT_TRUE(std::ranges::any_of(operation.files,
                                    [&](const std::string& file) { return text.find(file) != std::string::npos; }))
        << what << ": " << text;
  }

  void fail_each(const Operation& operation) {
    Files expected;
    for (int i = 0; i < 2; ++i) {
      operation.prepare();
      expected.merge(files());
      operation.prepare();  // a file that was read has been used
      const Result<bool> result = operation.call();
      ASSERT_TRUE(result && *result) << operation.name;
      expected.merge(files());
    }
    for (const FileFault fault : kFaults)
      for (const bool for_good : {false, true}) {
        if (for_good && must_not_show(fault)) continue;
        long n = 1;
        while (fail_one(operation, fault, n, for_good, expected)) ++n;
        std::cout << operation.name << ", fault " << static_cast<int>(fault) << (for_good ? ", for good: " : ": ")
                  << n - 1 << " calls\n";
      }
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / ("pykc_broken_files_" + std::to_string(::getpid()));
  const fs::path cache_ = folder_ / "cache";
};

TEST_F(BrokenFiles, Sources) {
  const CompileOptions options{.target = "sm_80", .cache = false};
  const auto compiles = [&](const std::string& path) {
    return [path, options, whole = compile_file(path, options).value().serialize()]() -> Result<bool> {
      const Result<Artifact> artifact = compile_file(path, options);
      if (!artifact) return artifact.error();
      return artifact->serialize() == whole;
    };
  };
  const std::vector<std::string> sources{"scale.pyk", "thrice", "inner", "cmath", "package"};
  fail_each({"a relative path", sources, compiles("package/scale.pyk")});
  fail_each({"an absolute path", sources, compiles((folder_ / "package/scale.pyk").string())});
  fail_each({"Source::read", {"package/thrice.pyk"}, []() -> Result<bool> {
               const Result<Source> source = Source::read("package/thrice.pyk");
               if (!source) return source.error();
               return source->text() == "def thrice(a):\n    return 3 * a\n";
             }});
  fail_each({"Library::read", {"cmath.pyk"}, []() -> Result<bool> {
               const Result<Library> library = Library::read("cmath.pyk");
               if (!library) return library.error();
               return library->bytes == "ZERO = 0\n";
             }});
}

TEST_F(BrokenFiles, TheCache) {
  const std::string source =
      "from pykc import *\n@kernel\ndef scale(x: f32[:]):\n    i = grid(1)\n    if i < len(x):\n        x[i] *= 2\n";
  const CompileOptions options{.target = "sm_80"};
  const std::string whole = compile(source, options).value().serialize();
  const auto compiles = [&]() -> Result<bool> {
    const Result<Artifact> artifact = compile(source, options);
    if (!artifact) return artifact.error();
    return artifact->serialize() == whole;
  };
  fail_each({"a new cache", {}, compiles, [&] { fs::remove_all(cache_); }});
  fail_each({"a cache that has it", {}, compiles});
  const auto fill = [&] {
    fs::remove_all(cache_);
    fs::create_directories(cache_);
    fs::permissions(cache_, fs::perms::owner_all);
    for (int i = 0; i < 3; ++i) {
      const fs::path entry = cache_ / ("llvmcache-old" + std::to_string(i));
      write(entry, std::string(10'000, 'x'));
      const std::time_t now = std::time(nullptr);
      const timespec used_and_changed[] = {{now - 1000 + i, 0}, {now - 2000, 0}};  // so that reading changes neither
      ASSERT_EQ(::utimensat(AT_FDCWD, entry.c_str(), used_and_changed, 0), 0);
    }
  };
  setenv("PYKC_CACHE_BYTES", "15000", 1);
  fail_each({"a full cache", {}, compiles, fill});
}

TEST_F(BrokenFiles, TheCacheItself) {
  const auto fill = [&] {
    fs::create_directories(cache_);
    fs::permissions(cache_, fs::perms::owner_all);
    for (int i = 0; i < 3; ++i) write(cache_ / ("llvmcache-" + std::to_string(i)), "1234");
  };
  fill();
  const driver::ArtifactCache cache = driver::ArtifactCache::open().value();
  fail_each({"statistics",
             {cache_.string()},
             [&]() -> Result<bool> {
               const Result<driver::ArtifactCache::Statistics> found = cache.statistics();
               if (!found) return found.error();
               return found->entries == 3 && found->bytes == 12;
             },
             fill});
  fail_each({"clear",
             {cache_.string()},
             [&]() -> Result<bool> {
               const Result<driver::ArtifactCache::Statistics> found = cache.clear();
               if (!found) return found.error();
               return found->entries == 3 && found->bytes == 12;
             },
             fill});
}

TEST_F(BrokenFiles, Arrays) {
  const Device device = Device::open("cpu").value();
  std::vector<float> host(10'000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
  const Array<float> x = device.copy_from(host).value();
  ASSERT_TRUE(save_npy("x.npy", x));
  const std::string whole = content("x.npy");
  fail_each({"load_npy", {"x.npy"}, [&]() -> Result<bool> {
               const Result<Array<float>> loaded = load_npy<float>(device, "x.npy");
               if (!loaded) return loaded.error();
               return loaded->to_vector().value() == host;
             }});
  const auto saves = [&]() -> Result<bool> {
    const Result<void> saved = save_npy("y.npy", x);
    if (!saved) return saved.error();
    return true;
  };
  fail_each({"save_npy of a new file", {"y.npy"}, saves, [] { fs::remove("y.npy"); }});
  fail_each({"save_npy over another", {"y.npy"}, saves});
  EXPECT_EQ(content("y.npy"), whole);
}

TEST_F(BrokenFiles, AnArrayOfAGigabyteThatIsBrokenTakesNoMemory) {
  const Device device = Device::open("cpu").value();
  constexpr std::int64_t kGigabyte = std::int64_t{1} << 30;
  const auto resident = [] {
    std::int64_t addresses = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> addresses >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
  };
  struct Broken {
    const char* what;
    std::int64_t announced, bytes;  // elements of four bytes, and bytes that are there
    const char* message;
  };
  const Broken cases[] = {
      {"it ends at once", kGigabyte / 4, 200, "it is cut short"},
      {"it ends one byte too early", kGigabyte / 4, kGigabyte + 127, "it is cut short"},
      {"it announces a thousand times as much", kGigabyte * 256, kGigabyte, "it is cut short"},
      {"its elements are of another type", kGigabyte / 4, kGigabyte + 128, "holds elements of type i32"},
  };
  for (const Broken& broken : cases) {
    std::string header =
        "{'descr': '<i4', 'fortran_order': False, 'shape': (" + std::to_string(broken.announced) + ",)}";
    header.resize(117, ' ');
    write("broken.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n");
    fs::resize_file("broken.npy", static_cast<std::uintmax_t>(broken.bytes));  // without blocks on the disk
    const std::int64_t before = resident();
    const Result<Array<float>> loaded = load_npy<float>(device, "broken.npy");
    ASSERT_FALSE(loaded) << broken.what;
    EXPECT_NE(loaded.error().message.find(broken.message), std::string::npos) << loaded.error().message;
    EXPECT_LT(resident() - before, 8 << 20) << broken.what;
  }
}

TEST_F(BrokenFiles, Devices) {
  const CompileOptions options{.target = "cpu", .cache = false};
  const Artifact artifact = compile_file("package/scale.pyk", options).value();
  fail_each({"a device, a module, a launch", {}, [&]() -> Result<bool> {
               const Result<Device> device = Device::open("cpu");
               if (!device) return device.error();
               const Result<Module> module = device->load(artifact);
               if (!module) return module.error();
               const Array<float> x = device->zeros<float>(1).value();
               const Result<void> launched = module->kernel("scale").value().launch({.grid = {1}, .block = {1}}, x);
               if (!launched) return launched.error();
               return Device::list().size() == 1 && x.to_vector().value() == std::vector<float>{0};
             }});
}

}  // namespace
}  // namespace pykc
