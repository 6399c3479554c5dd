// Random kernels by the interpreter, on the CPU device and on a GPU where there is one: the same bytes in every array.
// kUsage below says how it is called. A difference is told with its seed.
#include <llvm/Support/PrettyStackTrace.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "tests/random/blame.h"
#include "tests/random/reducer.h"
#include "tests/random/trial.h"
#include "tests/random/writer.h"

namespace pykc::random_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "usage: pykc_random_test [OPTION VALUE]…\n"
    "  --seeds FIRST:COUNT  these seeds (0:100 where nothing else is asked for)\n"
    "  --fresh COUNT        as many seeds that nobody has seen\n"
    "  --seconds N          fresh seeds, for so long\n"
    "  --device NAME        on this device alone, not on all\n"
    "  --target NAME        GPUs run code for this chip: sm_80\n"
    "  --ptxas PROGRAM      assembles for GPUs in the place of the driver, which does one at a time\n"
    "  --containing TEXT    only programs whose PTX has this text\n"
    "  --patience N         ends the process when a program takes longer than N seconds (120), and names it\n"
    "  --steps N            leaves out programs of more steps of the interpreter (1000000000)\n"
    "  --jobs N             threads (one a core)\n"
    "  --reduce N           shrinks each program that differs, for at most N seconds, and tells which stage is to "
    "blame\n"
    "  --sanitize all       the CPU device watches each program, not one in seven\n"
    "  --flaws find         looks for flaws of the programs themselves (races, what nobody wrote), runs no device\n"
    "  --verdict report     differences are told, but are no failure\n"
    "  --file FILE          this program, with the settings of the first seed\n"
    "  --print SEED         writes the program of a seed\n";

struct Request {
  std::uint64_t first = 0, count = 0, fresh = 0;
  std::int64_t seconds = 0, reduce_seconds = 0, patience = 120, steps = Settings{}.steps;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string device, target, ptxas, containing, file;
  std::optional<std::uint64_t> print;
  bool is_report = false, finds_flaws = false, sanitizes = false;
};

std::vector<Device> devices_of(const std::string& name) {
  std::vector<Device> devices;
  for (const DeviceInfo& info : Device::list())
    if (name.empty() || info.name == name)
      if (Result<Device> device = Device::open(info.name)) devices.push_back(*device);
  return devices;
}

std::uint64_t fresh_seed() {
  std::random_device entropy;
  return std::uint64_t{entropy()} << 16 | entropy() % 65536;
}

/// Checks programs until none is left, or the time is over; the threads share them.
class Runner {
 public:
  Runner(const Request& request, std::vector<Device> devices) : request_(request), devices_(std::move(devices)) {
    for (std::uint64_t i = 0; i < request.count; ++i) seeds_.push_back(request.first + i);
    for (std::uint64_t i = 0; i < request.fresh; ++i) seeds_.push_back(fresh_seed());
    if (request.file.empty()) return;
    std::ifstream stream(request.file);
    source_.emplace(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }

  void run() {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < request_.jobs; ++i) threads.emplace_back([this, i] { work(under_way_[i]); });
    std::jthread watch;
    if (request_.reduce_seconds == 0) watch = std::jthread([this](const std::stop_token& stop) { this->watch(stop); });
    for (std::thread& thread : threads) thread.join();
  }
  std::size_t checked() const { return checked_; }
  std::size_t failed() const { return failed_; }

 private:
  std::optional<std::uint64_t> next_seed() {
    const std::scoped_lock lock(mutex_);
    if (next_ < seeds_.size()) return seeds_[next_++];
    if (Clock::now() < end_) return fresh_seed();
    return std::nullopt;
  }

  /// A program that a thread runs at the moment, and since when.
  struct UnderWay {
    std::optional<std::uint64_t> seed;
    Clock::time_point since;
  };

  void set(UnderWay& under_way, std::optional<std::uint64_t> seed) {
    const std::scoped_lock lock(mutex_);
    under_way = {seed, Clock::now()};
  }

  /// A kernel that never ends blocks its thread, and all that share the GPU with it, for good. So the process ends.
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::scoped_lock lock(mutex_);
      const auto has_time = [&](const UnderWay& one) {
        return !one.seed || Clock::now() - one.since < std::chrono::seconds(request_.patience);
      };
      if (std::ranges::all_of(under_way_, has_time)) continue;
      for (const UnderWay& one : under_way_)
        if (one.seed)
          std::printf("seed %llu: under way for %lld s\n", static_cast<unsigned long long>(*one.seed),
                      static_cast<long long>((Clock::now() - one.since) / std::chrono::seconds(1)));
      std::printf("%zu random kernels, then one that does not end\n", checked_.load());
      std::fflush(stdout);
      std::_Exit(1);
    }
  }

  bool is_wanted(const std::string& source, const Settings& settings) const {
    if (request_.containing.empty() && request_.target.empty()) return true;
    const Result<Artifact> artifact = compile(source, compile_options(settings, gpu_target(settings)), "case.pyk");
    if (!artifact) return request_.containing.empty() && !is_for_later_chip(artifact.error());
    return artifact->code.find(request_.containing) != std::string::npos;
  }

  static bool is_for_later_chip(const Error& error) {
    return std::ranges::any_of(error.diagnostics, [](const Diagnostic& found) { return found.code == "E0360"; });
  }

  void work(UnderWay& under_way) {
    while (const std::optional<std::uint64_t> seed = next_seed()) {
      const std::string source = source_ ? *source_ : write_program(*seed);
      Settings settings = settings_of(*seed);
      settings.target = request_.target;
      settings.ptxas = request_.ptxas;
      settings.steps = request_.steps;
      settings.sanitize |= request_.sanitizes;
      set(under_way, seed);
      const llvm::PrettyStackTraceFormat what_crashes("random kernel %llu", static_cast<unsigned long long>(*seed));
      if (!is_wanted(source, settings)) continue;
      const std::string wrong =
          request_.finds_flaws ? flaw_of(source, settings) : differences(source, settings, devices_);
      if (is_endless(wrong)) continue;
      ++checked_;
      if (!wrong.empty()) report(*seed, source, settings, wrong);
    }
    set(under_way, std::nullopt);
  }

  void report(std::uint64_t seed, const std::string& source, const Settings& settings, const std::string& wrong) {
    ++failed_;
    std::string text = "seed " + std::to_string(seed) + ": " + wrong + "\n";
    if (request_.reduce_seconds > 0) text += reduced(source, settings);
    const std::scoped_lock lock(mutex_);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  std::string reduced(const std::string& source, Settings settings) const {
    settings.attempts = 8;
    if (const std::string flaw = flaw_of(source, settings); !flaw.empty())
      return "not reduced, for the program is not right: " + flaw + "\n";
    const auto shows = [&](const std::string& text) { return is_right_and_differs(text, settings, devices_); };
    if (!shows(source)) return "not reduced: it differs no more\n";
    const std::string small = reduce(source, shows, Clock::now() + std::chrono::seconds(request_.reduce_seconds));
    return "reduced:\n" + small + differences(small, settings, devices_) + blame(small, settings, devices_);
  }

  const Request& request_;
  std::vector<Device> devices_;
  std::vector<std::uint64_t> seeds_;
  std::optional<std::string> source_;
  std::vector<UnderWay> under_way_ = std::vector<UnderWay>(request_.jobs);
  const Clock::time_point end_ = Clock::now() + std::chrono::seconds(request_.seconds);
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::atomic<std::size_t> checked_ = 0, failed_ = 0;
};

bool read_seeds(const std::string& text, Request& request) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  request.first = std::strtoull(text.c_str(), nullptr, 10);
  request.count = std::strtoull(text.c_str() + colon + 1, nullptr, 10);
  return true;
}

bool read_option(std::string_view name, const std::string& value, Request& request) {
  const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
  if (name == "--seeds") return read_seeds(value, request);
  if (name == "--fresh") return request.fresh = number, true;
  if (name == "--seconds") return request.seconds = static_cast<std::int64_t>(number), true;
  if (name == "--reduce") return request.reduce_seconds = static_cast<std::int64_t>(number), true;
  if (name == "--jobs") return request.jobs = static_cast<unsigned>(number), true;
  if (name == "--print") return request.print = number, true;
  if (name == "--device") return request.device = value, true;
  if (name == "--target") return request.target = value, true;
  if (name == "--ptxas") return request.ptxas = value, true;
  if (name == "--containing") return request.containing = value, true;
  if (name == "--patience") return request.patience = static_cast<std::int64_t>(number), true;
  if (name == "--steps") return request.steps = static_cast<std::int64_t>(number), true;
  if (name == "--file") return request.file = value, true;
  if (name == "--sanitize") return request.sanitizes = value == "all", request.sanitizes;
  if (name == "--flaws") return request.finds_flaws = value == "find", request.finds_flaws;
  if (name == "--verdict") return request.is_report = value == "report", request.is_report;
  return false;
}

bool read_arguments(std::span<char*> arguments, Request& request) {
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
    if (!read_option(arguments[i], arguments[i + 1], request)) return false;
  if (request.count + request.fresh == 0 && request.seconds == 0) request.count = request.file.empty() ? 100 : 1;
  return arguments.size() % 2 == 0;
}

int run(const Request& request) {
  if (request.print) {
    std::fputs(write_program(*request.print).c_str(), stdout);
    return 0;
  }
  const std::vector<Device> devices = devices_of(request.device);
  std::string names;
  for (const Device& device : devices) names += ", " + device.info().name;
  const auto begin = Clock::now();
  Runner runner(request, devices);
  runner.run();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
  std::printf("%zu random kernels by the interpreter%s in %lld s: %zu differ\n", runner.checked(), names.c_str(),
              static_cast<long long>(seconds), runner.failed());
  return runner.failed() == 0 || request.is_report ? 0 : 1;
}

}  // namespace
}  // namespace pykc::random_test

int main(int argc, char** argv) {
  llvm::EnablePrettyStackTrace();  // a crash names the seed
  pykc::random_test::Request request;
  if (!pykc::random_test::read_arguments({argv + 1, argv + argc}, request)) {
    std::fputs(pykc::random_test::kUsage, stderr);
    return 2;
  }
  return pykc::random_test::run(request);
}
