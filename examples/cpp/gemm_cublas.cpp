// The product of two matrices by pykc's library and, on a GPU that has cuBLAS, by its SGEMM: the same arrays, each
// library's own launches. It shows how a kernel of the library is launched in its best configuration, and all that
// another library asks for: addresses, a stream, and the GPU's context.
//
//   gemm_cublas [DEVICE [SIZE]]        matrices of SIZE x SIZE
#include "example.h"
#include "pykc/autotune.h"
#include "pykc/source_module.h"
#include "vendor_library.h"

using namespace pykc::literals;
using example::require;

namespace {

using Matrix = pykc::Array<float>;

/// Compares 256 elements with their sums in double, beside the usual size of such a sum.
void check(const std::string& what, const Matrix& c, const std::vector<float>& a, const std::vector<float>& b,
           example::Report& report) {
  const std::int64_t n = c.shape()[0];
  std::vector<float> found(n * n), values;
  std::vector<double> expected;
  require(c.copy_to(found));
  for (std::int64_t i = 0; i < 256; ++i) {
    const std::int64_t row = i * 7919 % n, column = i * 104729 % n;  // all over the matrix
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += static_cast<double>(a[row * n + k]) * b[k * n + column];
    expected.push_back(sum);
    values.push_back(found[row * n + column]);
  }
  report.check(what + ": 256 elements", example::largest_difference<float>(values, expected) / std::sqrt(n), 1e-5);
}

/// Multiplies by cuBLAS, and says how long that takes. False without it.
bool multiply_by_cublas(const pykc::Device& device, const Matrix& c, const Matrix& a, const Matrix& b,
                        example::Report& report) {
  const example::VendorLibrary cublas("cublas", {13, 12, 11});
  if (!cublas) return false;
  const auto create = cublas.function<int(void**)>("cublasCreate_v2");
  const auto set_stream = cublas.function<int(void*, void*)>("cublasSetStream_v2");
  const auto sgemm = cublas.function<int(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                                         int, const float*, float*, int)>("cublasSgemm_v2");
  const auto destroy = cublas.function<int(void*)>("cublasDestroy_v2");

  const pykc::CurrentContext context = require(device.make_current());  // for cuBLAS to work on this GPU
  const pykc::Stream stream = require(device.create_stream());
  void* handle = nullptr;
  cublas.check(create(&handle), "cublasCreate");
  cublas.check(set_stream(handle, stream.native_handle()), "cublasSetStream");
  const int n = static_cast<int>(c.shape()[0]);
  const float one = 1, zero = 0;
  const double ms = example::milliseconds(stream, [&] {
    // cuBLAS counts by columns, so it sees every matrix transposed: cᵀ = bᵀ aᵀ.
    cublas.check(sgemm(handle, 0, 0, n, n, n, &one, b.address(), n, a.address(), n, &zero, c.address(), n),
                 "cublasSgemm");
  });
  report.rate("cuBLAS SGEMM", ms, 2e-9 * n * n * n / ms, "TFLOP/s");
  cublas.check(destroy(handle), "cublasDestroy");
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options = example::options(count, arguments, {.gpu = 8192, .cpu = 512, .largest = 32768});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size;
  example::Report report("matrices of " + std::to_string(n) + " x " + std::to_string(n), device);
  const pykc::SourceModule library = require(pykc::SourceModule::load(device, "from pykc.matmul import gemm\n"_pyk));
  const pykc::TunedKernel gemm = require(pykc::TunedKernel::create(require(library.kernel("gemm"))));
  const auto shape = [n](const pykc::Configuration& c) -> pykc::LaunchConfig {
    return {.grid = {(n + c["COLUMNS"] - 1) / c["COLUMNS"], (n + c["ROWS"] - 1) / c["ROWS"]}, .block = {128}};
  };

  example::Random random(1);
  std::vector<float> host_a(n * n), host_b(n * n);
  for (float& element : host_a) element = 2 * random.next() - 1;
  for (float& element : host_b) element = 2 * random.next() - 1;
  const Matrix a = require(device.copy_from<float>(host_a, {n, n})),
               b = require(device.copy_from<float>(host_b, {n, n}));
  const Matrix c = require(device.allocate<float>({n, n}));

  const double ms = example::milliseconds(device.default_stream(), [&] { require(gemm.launch(shape, c, a, b)); });
  report.rate("pykc", ms, 2e-9 * static_cast<double>(n) * static_cast<double>(n * n) / ms, "TFLOP/s");
  check("pykc", c, host_a, host_b, report);
  if (device.is_cpu()) return report.exit_code();
  require(c.fill_zero());
  if (multiply_by_cublas(device, c, a, b, report))
    check("cuBLAS", c, host_a, host_b, report);
  else
    report.note("cuBLAS is not installed, so there is nothing to compare with");
  return report.exit_code();
}
