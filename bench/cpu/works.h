// What the CPU device is timed with: one table of works, done by five systems. Each has a file; kernels.pyk and
// kernels.cl are what two of them compile, and two are Python's (peers.py).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pykc::bench {

/// In the order of the works in each system.
struct Work {
  const char* title;
  const char* kernel;
  std::array<std::int64_t, 2> grid, block;  // of the two systems that launch kernels
  double tolerance;                         // relative error of an element …
  double may_differ;                        // … that only this share of the elements may exceed
};

inline constexpr std::int64_t kMatrix = 768, kSide = 4096, kWidth = 1536, kHeight = 1024;
inline constexpr std::int64_t kNumbers = 1 << 24, kOptions = 1 << 21, kBins = 256;
inline constexpr std::int32_t kIterations = 200;
inline constexpr std::int64_t kBodies = 8192, kRows = 1 << 19, kInRow = 16, kSamples = 1 << 22, kWeights = 21;
inline constexpr std::int64_t kPoints = 1 << 20, kCenters = 64;
inline constexpr float kRate = 0.02f, kVolatility = 0.3f;

// The boundary of the Mandelbrot set is chaotic: systems that fuse other products and sums differ in some pixels there,
// as they do where a point is as near to one center as to another.
inline constexpr Work kWorks[] = {
    {"matmul 768^3, 16x16 tiles", "matmul", {kMatrix / 16, kMatrix / 16}, {16, 16}, 1e-4, 0},
    {"reduction 2^24, 256 threads", "block_sums", {kNumbers / 256, 1}, {256, 1}, 1e-3, 0},
    {"transpose 4096^2, 32x32 tiles", "transpose", {kSide / 32, kSide / 32}, {32, 8}, 0, 0},
    {"histogram 2^24 bytes, 256 bins", "histogram", {256, 1}, {256, 1}, 0, 0},
    {"Black-Scholes, 2^21 options", "black_scholes", {kOptions / 256, 1}, {256, 1}, 1e-3, 1e-4},
    {"Mandelbrot 1536x1024, 200 steps", "mandelbrot", {kWidth / 16, kHeight / 16}, {16, 16}, 0, 0.01},
    {"z = a x + y, 2^24", "scaled_sum", {kNumbers / 256, 1}, {256, 1}, 1e-6, 0},
    {"5-point stencil 4096^2", "stencil", {kSide / 256, kSide}, {256, 1}, 1e-5, 0},
    {"n-body, 8192", "forces", {kBodies / 256, 1}, {256, 1}, 1e-3, 1e-3},
    {"SpMV, 2^19 rows of 16", "spmv", {kRows / 256, 1}, {256, 1}, 1e-4, 0},
    {"convolution of 2^22 with 21", "convolve", {kSamples / 256, 1}, {256, 1}, 1e-4, 0},
    {"nearest of 64 centers, 2^20", "nearest", {kPoints / 256, 1}, {256, 1}, 0, 1e-4},
};

struct Inputs {
  std::vector<float> a, b;                  // kMatrix x kMatrix
  std::vector<float> numbers;               // kNumbers, also a matrix of kSide x kSide
  std::vector<std::uint8_t> bytes;          // kNumbers
  std::vector<float> price, strike, years;  // kOptions
  std::vector<float> others;                // kNumbers
  std::vector<std::int32_t> columns;        // kRows * kInRow, of a sparse matrix of kRows x kRows …
  std::vector<std::int32_t> starts;         // … where each row begins, and where the last ends
  // The sparse matrix has `numbers` as its elements and is multiplied with `others`. The bodies have x, y, z and mass,
  // the points x and y, one behind the other in `numbers`; the centers have theirs in `others`.
};

/// A work, ready to be done again and again.
struct Runner {
  std::function<void()> run;                    // returns when it is done
  std::function<std::vector<double>()> result;  // what the last run computed
  std::function<double()> time = {};            // runs it and tells the milliseconds, where that is not for the caller
};

/// A column of the table. The inputs must outlive it.
struct System {
  std::string name;         // "PoCL"
  std::string description;  // with its number of threads
  std::vector<Runner> runners;
};

System make_pykc(const Inputs& inputs, int threads);
System make_openmp(const Inputs& inputs, int threads);
/// None where no OpenCL device is a CPU.
std::optional<System> make_opencl(const Inputs& inputs, int threads);
/// "numba" or "warp", by a Python that has it; none where it has not.
std::optional<System> make_python(const std::string& python, const std::string& peer, const Inputs& inputs,
                                  int threads);

template <typename List>
std::vector<double> as_doubles(const List& list) {
  return std::vector<double>(list.begin(), list.end());
}

}  // namespace pykc::bench
