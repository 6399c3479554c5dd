#include "measure/roofline.h"

#include <algorithm>
#include <string>

#include "base/errors.h"
#include "jit/timing.h"
#include "pykc/compiler.h"

namespace pykc::measure {
namespace {

constexpr double kSeconds = 0.1;  // for each of the peaks

// ---- the memory ----

constexpr const char* kCopySource = R"pyk(
@kernel
def copy(z: f32[:], x: f32[:]):
    i = grid(1)
    if i < len(z):
        z[i] = x[i]
)pyk";

Result<Kernel> compile_for(const Device& device, const std::string& source, const char* kernel,
                           std::vector<Constant> constants = {}) {
  CompileOptions options;
  options.target = device.info().target;
  options.constants = std::move(constants);
  ASSIGN_OR_RETURN(const Artifact artifact, compile(source, options, "<roofline>"));
  ASSIGN_OR_RETURN(const Module module, device.load(artifact));
  return module.kernel(kernel);
}

/// The faster of the device's own copy and of a kernel that copies.
Result<double> measure_copy(const Device& device) {
  constexpr std::int64_t kMostBytes = std::int64_t{512} << 20;
  const std::int64_t bytes = std::min(kMostBytes, device.info().memory_bytes / 8);
  const std::int64_t count = bytes / 4;
  ASSIGN_OR_RETURN(const Array<float> x, device.zeros<float>({count}));
  ASSIGN_OR_RETURN(const Array<float> z, device.zeros<float>({count}));
  ASSIGN_OR_RETURN(const Kernel copy, compile_for(device, kCopySource, "copy"));
  const Stream stream = device.default_stream();
  const LaunchConfig config{.grid = {(count + 255) / 256}, .block = {256}};
  ASSIGN_OR_RETURN(const jit::Times by_kernel,
                   jit::time_launches(device, kSeconds, [&] { return copy.launch(config, z, x); }));
  ASSIGN_OR_RETURN(const jit::Times by_device,
                   jit::time_launches(device, kSeconds, [&] { return z.copy_from(stream, x); }));
  return 2.0 * static_cast<double>(bytes) / std::min(by_kernel.minimum, by_device.minimum);
}

// ---- arithmetic ----

constexpr int kChains = 8;  // of operations that wait for one another: as many as hide the latency on a processor
constexpr int kLinks = 16;  // of each chain in a round

/// A kernel whose threads run independent chains of fused multiply-adds.
std::string fma_source() {
  std::string text = "@kernel\ndef fma_peak(out: T[:], a: T, b: T):\n    i = grid(1)\n    if i < len(out):\n";
  const auto add_line = [&](int indentation, const std::string& line) {
    text += std::string(static_cast<std::size_t>(4 * indentation), ' ') + line + "\n";
  };
  std::string sum;
  for (int chain = 0; chain < kChains; ++chain) {
    const std::string x = "x" + std::to_string(chain);
    add_line(2, x + " = out[i] + T(" + std::to_string(chain) + ")");
    sum += (chain == 0 ? "" : " + ") + x;
  }
  add_line(2, "for repeat in range(ROUNDS):");
  for (int link = 0; link < kLinks; ++link)
    for (int chain = 0; chain < kChains; ++chain) {
      const std::string x = "x" + std::to_string(chain);
      add_line(3, x + " = " + x + " * a + b");
    }
  add_line(2, "out[i] = " + sum);
  return text;
}

template <typename T>
Result<double> measure_fma(const Device& device) {
  // A processor's threads are lanes of vectors, if nothing loops inside of them; a GPU starts each on its own.
  const std::int64_t rounds = device.is_cpu() ? 1 : 64;
  const std::int64_t threads =
      static_cast<std::int64_t>(device.info().multiprocessors) * (device.is_cpu() ? 1048576 : 16384);
  ASSIGN_OR_RETURN(const Kernel kernel,
                   compile_for(device, fma_source(), "fma_peak", {{"T", scalar_type_of<T>()}, {"ROUNDS", rounds}}));
  ASSIGN_OR_RETURN(const Array<T> out, device.zeros<T>({threads}));
  const LaunchConfig config{.grid = {(threads + 255) / 256}, .block = {256}};
  ASSIGN_OR_RETURN(const jit::Times times,
                   jit::time_launches(device, kSeconds, [&] { return kernel.launch(config, out, T(0.5), T(0.25)); }));
  const auto flops = static_cast<double>(2 * kChains * kLinks * rounds + 2 * kChains - 1);
  return flops * static_cast<double>(threads) / times.minimum;
}

}  // namespace

Result<Roofline> measure_roofline(const Device& device) {
  ASSIGN_OR_RETURN(const double copy, measure_copy(device));
  ASSIGN_OR_RETURN(const double f32, measure_fma<float>(device));
  ASSIGN_OR_RETURN(const double f64, measure_fma<double>(device));
  return Roofline{copy, f32, f64};
}

double least_seconds(const Roofline& roofline, const ir::Counts& counts) {
  const auto at = [&](ir::Counter counter) { return static_cast<double>(counts[static_cast<std::size_t>(counter)]); };
  return std::max({static_cast<double>(bytes_of(counts)) / roofline.bytes_per_second,
                   at(ir::Counter::F32Operations) / roofline.f32_per_second,
                   at(ir::Counter::F64Operations) / roofline.f64_per_second});
}

}  // namespace pykc::measure
