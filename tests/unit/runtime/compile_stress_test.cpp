// Many threads compile, load and launch at once: whole sources for several targets, with the cache on disk between
// them; generic kernels, elementwise functions and reductions that all threads share; and sources that are wrong.
#include <unistd.h>

#include <array>
#include <filesystem>

#include "pykc/compiler.h"
#include "pykc/elementwise.h"
#include "pykc/reduction.h"
#include "pykc/source_module.h"
#include "tests/unit/runtime/stress.h"

namespace pykc {
namespace {

using testing::message_of;
using testing::run_on_all_threads;

/// A folder for the cache, gone at the end.
class CompileStress : public ::testing::Test {
 protected:
  CompileStress() : folder_(std::filesystem::temp_directory_path() / ("pykc_stress_" + std::to_string(getpid()))) {
    setenv("PYKC_CACHE_DIR", folder_.c_str(), 1);
    setenv("PYKC_CACHE", "on", 1);
  }
  ~CompileStress() override { std::filesystem::remove_all(folder_); }

 private:
  const std::filesystem::path folder_;
};

constexpr std::int64_t kSize = 1000;
const LaunchConfig kConfig{.grid = {4}, .block = {256}};

/// What all threads but one would compile over and over is in the cache soon; `scale` differs from round to round.
std::string source_of(const std::string& scale) {
  return R"(
import math

SCALE = )" +
         scale + R"(
OFFSET = const.array(2, f32)

@device
def scaled(x):
    return math.floor(x) * SCALE + OFFSET[1]

@kernel
def sums(z: i32[:], x: f32[:]):
    parts = shared.array(256, f32)
    i = grid(1)
    parts[threadIdx.x] = scaled(x[i]) if i < len(x) else 0.0
    syncthreads()
    if i < len(z):
        z[i] = int(parts[threadIdx.x] + parts[threadIdx.x // 2 * 2])
)";
}

std::string problem_of(const Error& error) {
  std::string text = error.message;
  for (const Diagnostic& diagnostic : error.diagnostics) text += "\n" + to_text(diagnostic);
  return text;
}

std::string check_sums(const Device& device, const Artifact& artifact, int scale) {
  const Result<Module> module = device.load(artifact);
  if (!module) return module.error().message;
  const Stream stream = device.create_stream().value();
  const std::vector<float> ones(kSize, 1.5F);
  const Array<float> x = device.allocate<float>(kSize).value();
  const Array<std::int32_t> z = device.allocate<std::int32_t>(kSize).value();
  x.copy_from(stream, ones).value();
  if (Result<void> done = module->set_constant("OFFSET", std::vector<float>{100, 1}); !done) return message_of(done);
  LaunchConfig config = kConfig;
  config.stream = &stream;
  if (Result<void> done = module->kernel("sums")->launch(config, z, x); !done) return message_of(done);
  std::vector<std::int32_t> sums(kSize);
  z.copy_to(stream, sums).value();
  if (Result<void> done = stream.synchronize(); !done) return message_of(done);
  for (const std::int32_t sum : sums)
    if (sum != 2 * (scale + 1))
      return "a sum is " + std::to_string(sum) + " and not " + std::to_string(2 * (scale + 1));
  return "";
}

TEST_F(CompileStress, Sources) {
  setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
  const Device cpu = Device::open("cpu").value();
  const std::array<std::string, 4> targets = {"cpu", "sm_80", "cpu", "sm_90"};
  run_on_all_threads([&](int thread, int round) -> std::string {
    // Half of the sources are the same for all threads, half have never been compiled.
    const int scale = round % 2 == 0 ? round / 2 % 50 : 1000 * (thread + 1) + round;
    const std::string& target = targets[static_cast<std::size_t>((thread + round) % 4)];
    const Result<Artifact> artifact = compile(source_of(std::to_string(scale)), {.target = target});
    if (!artifact) return problem_of(artifact.error());
    if (target == "cpu") {
      if (std::string problem = check_sums(cpu, *artifact, scale); !problem.empty()) return problem;
    } else {
      const Device gpu = Device::open("cuda:0").value();  // the fake driver's, which launches nothing
      const Module module = gpu.load(*artifact).value();
      const Array<float> x = gpu.zeros<float>({kSize}).value();
      const Array<std::int32_t> z = gpu.zeros<std::int32_t>({kSize}).value();
      if (Result<void> done = module.kernel("sums")->launch(kConfig, z, x); !done) return message_of(done);
    }
    const Result<Artifact> wrong = compile(source_of("missing"), {.target = target});
    if (wrong || wrong.error().diagnostics.empty()) return "an error was not found";
    return to_text(wrong.error().diagnostics.front()).find("missing") == std::string::npos ? "an error is another" : "";
  });
}

constexpr SourceLiteral kGeneric = R"pyk(
  FOUR = const.array(1, i8)

  @kernel
  def saxpy(a, x, y):
      i = grid(1)
      if i < len(x):
          y[i] = a * x[i] + FOUR[0]
)pyk"_pyk;

/// y = a * x + 4 in kernels of these types, by kernels that are this thread's own or shared with all.
template <typename A, typename T>
std::string check_saxpy(const Device& device, const SourceModule& module) {
  const Array<T> x = device.copy_from<T>(std::vector<T>(kSize, 3)).value();
  const Array<T> y = device.allocate<T>(kSize).value();
  if (Result<void> done = module.set_constant("FOUR", std::int8_t{4}); !done) return message_of(done);
  if (Result<void> done = module.launch("saxpy", kConfig, A{2}, x, y); !done) return problem_of(done.error());
  std::vector<T> result(kSize);
  if (Result<void> done = y.copy_to(result); !done) return message_of(done);
  return result == std::vector<T>(kSize, 10) ? "" : "saxpy is wrong";
}

TEST_F(CompileStress, GenericKernels) {
  const Device device = Device::open("cpu").value();
  const SourceModule shared = SourceModule::load(device, kGeneric).value();
  const Elementwise square = Elementwise::create(device, {{"x", "z", "z = x * x"}}).value();
  const Reduction sum = Reduction::create(device, {.inputs = "x", .map = "x", .reduce = "a + b"}).value();
  using Check = std::string (*)(const Device&, const SourceModule&);
  constexpr std::array<Check, 8> kChecks = {
      check_saxpy<float, float>,        check_saxpy<double, double>,      check_saxpy<int, int>,
      check_saxpy<int, float>,          check_saxpy<float, double>,       check_saxpy<std::int8_t, std::int64_t>,
      check_saxpy<std::uint8_t, float>, check_saxpy<std::int16_t, double>};
  run_on_all_threads([&](int thread, int round) -> std::string {
    const auto check = [&](int number) { return kChecks[static_cast<std::size_t>(number) % kChecks.size()]; };
    if (std::string problem = check(thread + round)(device, shared); !problem.empty()) return problem;
    const SourceModule own = SourceModule::load(device, kGeneric, {.cache = round % 2 == 0}).value();
    if (std::string problem = check(round)(device, own); !problem.empty()) return problem;
    const Stream stream = device.create_stream().value();
    const Array<float> x = device.copy_from<float>(std::vector<float>(64 * 80, 2), {64, 80}).value();
    const auto squares = square.map<float>(round % 2 == 0 ? x : x.transpose());
    if (!squares) return problem_of(squares.error());
    const auto sums = sum.reduce<float>({.axes = {round % 2}}, *squares);
    if (!sums) return problem_of(sums.error());
    std::vector<float> host(static_cast<std::size_t>(sums->size()));
    if (Result<void> done = sums->copy_to(host); !done) return message_of(done);
    for (const float value : host)
      if (value != 4 * (64 * 80 / static_cast<float>(host.size()))) return "a sum of squares is wrong";
    return "";
  });
}

}  // namespace
}  // namespace pykc
