// pykc_random_test --seeds FIRST:COUNT --fresh N --device NAME --jobs N --file FILE | --print SEED
//
// Random kernels (program.h) by the interpreter, on the CPU device and on a GPU where there is one: the same bytes in
// every array. A difference is told with its seed; `--print SEED` writes the program, and `--seeds SEED:1 --file FILE`
// runs what is left of it after cutting, with the options of that seed.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "tests/differential/execute.h"
#include "tests/random/program.h"

namespace pykc::random_test {
namespace {

using differential::Case;
using differential::Execution;

struct Request {
  std::uint64_t first = 0, count = 100, fresh = 0;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string device;
  std::optional<std::uint64_t> print;
  std::string file;
};

/// What the levels of optimisation do is different code; most users take the last.
int optimization_of(std::uint64_t seed) { return seed % 8 < 5 ? 3 : static_cast<int>(seed % 8) - 5; }

std::vector<Device> devices_of(const std::string& name) {
  std::vector<Device> devices;
  for (const DeviceInfo& info : Device::list())
    if (name.empty() || info.name == name)
      if (Result<Device> device = Device::open(info.name)) devices.push_back(*device);
  return devices;
}

/// What is wrong with a program, compiled with the options of this seed; empty when nothing is.
std::string check(std::uint64_t seed, const std::string& source, const std::vector<Device>& devices) {
  std::vector<std::string> errors;
  const std::vector<Case> cases = differential::read_cases(source, errors);
  if (cases.size() != 1) return "the generator is broken";
  CompileOptions options{
      .optimization = optimization_of(seed), .checked = seed % 5 == 4, .cache = false, .warnings = false};
  std::string error;
  const std::unique_ptr<ir::Module> module = differential::compile_to_ir(source, options, error);
  if (!module) return error;
  const Execution expected = differential::run_interpreter(*module, cases[0]);
  std::string text;
  for (const Device& device : devices) {
    options.target = device.info().target;
    const Result<Artifact> artifact = compile(source, options, "case.pyk");
    if (!artifact) return differential::explain(artifact.error());
    text += differential::difference(expected, differential::run_device(device, *artifact, cases[0]), cases[0],
                                     "the interpreter and " + device.info().name);
  }
  return text;
}

/// Checks seeds until none is left; the threads share them.
class Runner {
 public:
  /// `source`: the program; none: the one of each seed.
  Runner(std::vector<std::uint64_t> seeds, std::vector<Device> devices, std::optional<std::string> source)
      : seeds_(std::move(seeds)), devices_(std::move(devices)), source_(std::move(source)) {}

  std::size_t run(unsigned jobs) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    return failed_;
  }

 private:
  void work() {
    for (std::size_t i; (i = next_++) < seeds_.size();) {
      const std::string wrong = check(seeds_[i], source_ ? *source_ : ProgramWriter(seeds_[i]).write(), devices_);
      const std::scoped_lock lock(mutex_);
      if (wrong.empty()) continue;
      ++failed_;
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seeds_[i]), wrong.c_str());
      std::fflush(stdout);
    }
  }

  std::vector<std::uint64_t> seeds_;
  std::vector<Device> devices_;
  std::optional<std::string> source_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t failed_ = 0;
};

bool read_arguments(int argc, char** argv, Request& request) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    char* end = argv[i + 1];
    const std::uint64_t value = std::strtoull(argv[i + 1], &end, 10);
    if (name == "--seeds" && *end == ':') {
      request.first = value;
      request.count = std::strtoull(end + 1, nullptr, 10);
    } else if (name == "--fresh") {
      request.fresh = value;
    } else if (name == "--jobs") {
      request.jobs = static_cast<unsigned>(value);
    } else if (name == "--device") {
      request.device = argv[i + 1];
    } else if (name == "--print") {
      request.print = value;
    } else if (name == "--file") {
      request.file = argv[i + 1];
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

int run(const Request& request) {
  if (request.print) {
    std::fputs(ProgramWriter(*request.print).write().c_str(), stdout);
    return 0;
  }
  std::optional<std::string> source;
  if (!request.file.empty()) {
    std::ifstream stream(request.file);
    source.emplace(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t i = 0; i < request.count; ++i) seeds.push_back(request.first + i);
  std::random_device entropy;
  for (std::uint64_t i = 0; i < request.fresh; ++i) seeds.push_back(std::uint64_t{entropy()} << 16 | entropy() % 65536);
  std::vector<Device> devices = devices_of(request.device);
  std::string names;
  for (const Device& device : devices) names += ", " + device.info().name;
  const std::size_t count = seeds.size();
  const std::size_t failed = Runner(std::move(seeds), std::move(devices), std::move(source)).run(request.jobs);
  std::printf("%zu random kernels by the interpreter%s: %zu differ\n", count, names.c_str(), failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pykc::random_test

int main(int argc, char** argv) {
  pykc::random_test::Request request;
  if (!pykc::random_test::read_arguments(argc, argv, request)) {
    std::fputs(
        "usage: pykc_random_test [--seeds FIRST:COUNT] [--fresh N] [--device NAME] [--jobs N] "
        "[--file FILE] [--print SEED]\n",
        stderr);
    return 2;
  }
  return pykc::random_test::run(request);
}
