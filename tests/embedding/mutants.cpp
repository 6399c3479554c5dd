// Mutants of the repository's sources, as a stranger may send them: each is answered, for either kind of device, within
// the limits of trials.cpp. kUsage below says how it is called; what fails is told with its seed and its text.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/compiler.h"
#include "tests/embedding/answer.h"
#include "tests/embedding/mutator.h"

namespace pykc {
namespace {

constexpr const char* kUsage =
    "usage: PYKC_SOURCE_DIR=FOLDER pykc_mutants [OPTION VALUE]…\n"
    "  --seeds FIRST:COUNT  these seeds\n"
    "  --fresh COUNT        as many seeds that nobody has seen (100 where nothing else is asked for)\n"
    "  --most-seconds N     of the processor, for each (2)\n"
    "  --most-megabytes N   for each (500)\n"
    "  --verdict report     what fails is told, but is no failure\n"
    "  --print SEED         writes the mutant of a seed\n";

struct Request {
  std::uint64_t first = 0, count = 100;
  double most_seconds = 2, most_megabytes = 500;
  bool is_fresh = true, is_report = false;
  std::optional<std::uint64_t> print;
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// In the order of their names, so that a seed means the same everywhere.
std::vector<std::string> sources_of(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"examples", "stdlib", "tests/conformance"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".pyk") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> sources;
  for (const std::filesystem::path& path : paths) sources.push_back(text_of(path));
  return sources;
}

class Runner {
 public:
  Runner(const Request& request, const std::vector<std::string>& sources) : request_(request), sources_(sources) {}

  /// How many failed.
  int run() {
    int failed = 0;
    for (std::uint64_t seed = request_.first; seed < request_.first + request_.count; ++seed) failed += !passes(seed);
    std::printf("%llu mutants, seeds %llu:%llu: %d failed; at most %.2f s and %.0f MB, %.0f %% compiled\n",
                as_printed(request_.count), as_printed(request_.first), as_printed(request_.count), failed, seconds_,
                megabytes_, 50.0 * compiled_ / static_cast<double>(request_.count));
    return failed;
  }

 private:
  static unsigned long long as_printed(std::uint64_t number) { return number; }

  bool passes(std::uint64_t seed) {
    const std::string source = mutant_of(sources_, seed);
    for (const char* target : {"cpu", "sm_80"}) {
      const Answer found = answer_to(source, target);
      seconds_ = std::max(seconds_, found.seconds);
      megabytes_ = std::max(megabytes_, found.megabytes);
      compiled_ += found.told == "compiled" ? 1 : 0;
      if (is_good(found)) continue;
      std::printf("seed %llu, %s: %s, %.2f s, %.0f MB\n%s\n", as_printed(seed), target, found.told.c_str(),
                  found.seconds, found.megabytes, source.c_str());
      std::fflush(stdout);
      return false;
    }
    return true;
  }

  bool is_good(const Answer& found) const {
    return found.is_proper() && found.seconds < request_.most_seconds && found.megabytes < request_.most_megabytes;
  }

  /// What is slow once may have had a slow processor.
  Answer answer_to(const std::string& source, const char* target) const {
    const Answer first = answer(source, target);
    return first.is_proper() && !is_good(first) ? answer(source, target) : first;
  }

  const Request& request_;
  const std::vector<std::string>& sources_;
  double seconds_ = 0, megabytes_ = 0;
  int compiled_ = 0;
};

bool read_option(std::string_view name, const std::string& value, Request& request) {
  const auto number = [](const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); };
  if (name == "--fresh") return request.count = number(value), true;
  if (name == "--most-seconds") return request.most_seconds = std::strtod(value.c_str(), nullptr), true;
  if (name == "--most-megabytes") return request.most_megabytes = std::strtod(value.c_str(), nullptr), true;
  if (name == "--print") return request.print = number(value), true;
  if (name == "--verdict") return request.is_report = value == "report", request.is_report;
  const std::size_t colon = value.find(':');
  if (name != "--seeds" || colon == std::string::npos) return false;
  request.is_fresh = false;
  request.first = number(value);
  request.count = number(value.substr(colon + 1));
  return true;
}

bool read_arguments(std::span<char*> arguments, Request& request) {
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
    if (!read_option(arguments[i], arguments[i + 1], request)) return false;
  if (request.is_fresh) request.first = std::random_device()();
  return arguments.size() % 2 == 0;
}

int run(const Request& request, const std::filesystem::path& root) {
  const std::vector<std::string> sources = sources_of(root);
  if (request.print) {
    std::fputs(mutant_of(sources, *request.print).c_str(), stdout);
    return 0;
  }
  // What LLVM sets up once, each child has from its parent.
  for (const char* target : {"cpu", "sm_80"})
    if (!compile("from pykc import *\n@kernel\ndef k(x: f32[:]):\n    x[0] = 1\n", {.target = target})) return 1;
  return Runner(request, sources).run() == 0 || request.is_report ? 0 : 1;
}

}  // namespace
}  // namespace pykc

int main(int argc, char** argv) {
  pykc::Request request;
  const char* root = std::getenv("PYKC_SOURCE_DIR");
  if (root == nullptr || !pykc::read_arguments({argv + 1, argv + argc}, request)) {
    std::fputs(pykc::kUsage, stderr);
    return 2;
  }
  return pykc::run(request, root);
}
