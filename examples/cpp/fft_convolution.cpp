// A filter of 1025 taps over a long complex signal, by Fourier transforms. fft_convolution.pyk does all in one kernel,
// which reads each sample once. On a GPU that has cuFFT, the same is done once more by cuFFT's transforms, on pykc's
// arrays and on pykc's stream, with kernels of pykc in between.
//
//   fft_convolution [DEVICE [SIZE]]        a signal of SIZE samples, rounded up to whole blocks
#include "fft_convolution.h"

#include <complex>
#include <numbers>

#include "example.h"
#include "vendor_library.h"

using example::require;
using Complex = std::complex<float>;

namespace {

constexpr int kN = 4096, kTaps = 1025, kStep = kN - kTaps + 1;  // kN as in fft_convolution.pyk

struct Problem {
  pykc::Array<Complex> signal;  // kTaps - 1 zeros go before the first sample
  pykc::Array<Complex> spectrum, out;
  std::int64_t blocks;
};

/// The same steps by cuFFT: overlapping transforms, the product of the spectra, the transforms back. False without it.
bool convolve_by_cufft(const pykc::Device& device, const fft_convolution::Kernels& kernels, const Problem& problem,
                       example::Report& report) {
  const example::VendorLibrary cufft("cufft", {12, 11, 10});
  if (!cufft) return false;
  const auto plan_many =
      cufft.function<int(int*, int, int*, int*, int, int, int*, int, int, int, int)>("cufftPlanMany");
  const auto set_stream = cufft.function<int(int, void*)>("cufftSetStream");
  const auto execute = cufft.function<int(int, void*, void*, int)>("cufftExecC2C");
  const auto destroy = cufft.function<int(int)>("cufftDestroy");
  constexpr int kC2C = 0x29, kForward = -1, kInverse = 1;

  const pykc::CurrentContext context = require(device.make_current());  // for cuFFT to work on this GPU
  const pykc::Stream stream = require(device.create_stream());
  const auto spectra = require(device.allocate<Complex>({problem.blocks, kN}));
  int there = 0, back = 0, n = kN;
  const int batch = static_cast<int>(problem.blocks);
  cufft.check(plan_many(&there, 1, &n, &n, 1, kStep, &n, 1, kN, kC2C, batch), "cufftPlanMany");
  cufft.check(plan_many(&back, 1, &n, &n, 1, kN, &n, 1, kN, kC2C, batch), "cufftPlanMany");
  for (const int plan : {there, back}) cufft.check(set_stream(plan, stream.native_handle()), "cufftSetStream");

  const pykc::LaunchConfig config{.grid = {problem.blocks * kN / 256}, .block = {256}, .stream = &stream};
  const double ms = example::milliseconds(stream, [&] {
    cufft.check(execute(there, problem.signal.address(), spectra.address(), kForward), "cufftExecC2C");
    require(kernels.multiply(config, spectra, problem.spectrum));
    cufft.check(execute(back, spectra.address(), spectra.address(), kInverse), "cufftExecC2C");
    require(kernels.keep(config, problem.out, spectra, kTaps));
  });
  report.rate("cuFFT and two kernels between", ms, 1e-3 * static_cast<double>(problem.out.size()) / ms, "Msamples/s");
  for (const int plan : {there, back}) cufft.check(destroy(plan), "cufftDestroy");
  return true;
}

/// Compares 500 samples with the sum that defines them.
void check(const std::string& what, const pykc::Array<Complex>& out, const std::vector<Complex>& signal,
           const std::vector<Complex>& filter, example::Report& report) {
  std::vector<Complex> found(out.size());
  require(out.copy_to(found));
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < found.size(); i += std::max<std::size_t>(found.size() / 500, 1)) {
    std::complex<double> sum = 0;
    for (int k = 0; k < kTaps; ++k)
      sum += std::complex<double>(filter[k]) * std::complex<double>(signal[kTaps - 1 + i - k]);
    const double distance = std::abs(sum - std::complex<double>(found[i]));
    difference = distance <= difference ? difference : distance;  // a NaN stays
    largest = std::max(largest, std::abs(sum));
  }
  report.check(what + ": 500 samples, beside the largest", difference / largest, 2e-6);
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options =
      example::options(count, arguments, {.gpu = 1 << 26, .cpu = 1 << 20, .largest = 1 << 28});
  const pykc::Device& device = options.device;
  const std::int64_t blocks = (options.size + kStep - 1) / kStep, n = blocks * kStep;
  example::Report report("a filter of 1025 taps over " + std::to_string(n) + " complex samples", device);
  const fft_convolution::Kernels kernels = require(fft_convolution::load(device));

  example::Random random(1);
  const auto next = [&random] { return 2 * random.next() - 1; };
  std::vector<Complex> signal(kTaps - 1 + n), filter(kN), roots(kN);
  for (std::size_t i = kTaps - 1; i < signal.size(); ++i) signal[i] = {next(), next()};
  for (int k = 0; k < kTaps; ++k) filter[k] = {next() / kTaps, next() / kTaps};
  for (int k = 0; k < kN; ++k) roots[k] = Complex(std::polar(1.0, -2 * std::numbers::pi * k / kN));
  const Problem problem{require(device.copy_from<Complex>(signal)), require(device.allocate<Complex>(kN)),
                        require(device.allocate<Complex>(n)), blocks};
  const auto device_filter = require(device.copy_from<Complex>(filter)),
             device_roots = require(device.copy_from<Complex>(roots));

  const pykc::LaunchConfig one_block{.grid = {1}, .block = {kN / 4}}, all_blocks{.grid = {blocks}, .block = {kN / 4}};
  require(kernels.spectrum_of(one_block, problem.spectrum, device_filter, 1.0F / kN, device_roots));
  const double ms = example::milliseconds(device.default_stream(), [&] {
    require(kernels.convolve(all_blocks, problem.out, problem.signal, problem.spectrum, device_roots, kTaps));
  });
  report.rate("transforms and product in one kernel", ms, 1e-3 * static_cast<double>(n) / ms, "Msamples/s");
  check("one kernel", problem.out, signal, filter, report);
  if (!device.is_cpu()) {
    require(problem.out.fill_zero());
    if (convolve_by_cufft(device, kernels, problem, report))
      check("with cuFFT", problem.out, signal, filter, report);
    else
      report.note("cuFFT is not installed, so there is nothing to compare with");
  }
  return report.exit_code();
}
