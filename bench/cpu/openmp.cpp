// The works in plain C++ with OpenMP, as one writes them for a CPU: no tiles in shared memory, no blocks of threads.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/cpu/works.h"

namespace pykc::bench {
namespace {

/// A block of rows and columns of `c` stays in the first-level cache.
void multiply(float* c, const float* a, const float* b, std::int64_t n) {
  constexpr std::int64_t kRows = 4, kColumns = 64;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t i = 0; i < n; i += kRows)
    for (std::int64_t j = 0; j < n; j += kColumns) {
      float sums[kRows][kColumns] = {};
      for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t row = 0; row < kRows; ++row) {
          const float factor = a[(i + row) * n + k];
#pragma omp simd
          for (std::int64_t column = 0; column < kColumns; ++column)
            sums[row][column] += factor * b[k * n + j + column];
        }
      for (std::int64_t row = 0; row < kRows; ++row) std::copy_n(sums[row], kColumns, c + (i + row) * n + j);
    }
}

float sum(const float* x, std::int64_t n) {
  float total = 0;
#pragma omp parallel for simd reduction(+ : total) schedule(static)
  for (std::int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

void transpose(float* out, const float* x, std::int64_t n) {
  constexpr std::int64_t kTile = 32;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t i = 0; i < n; i += kTile)
    for (std::int64_t j = 0; j < n; j += kTile)
      for (std::int64_t row = j; row < j + kTile; ++row)
#pragma omp simd
        for (std::int64_t column = i; column < i + kTile; ++column) out[row * n + column] = x[column * n + row];
}

/// Each thread counts in four arrays of its own, so that equal neighbours do not wait for each other.
void count(std::int32_t* counts, const std::uint8_t* values, std::int64_t n) {
  std::fill_n(counts, kBins, 0);
#pragma omp parallel
  {
    std::int32_t own[4][kBins] = {};
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n / 4; ++i)
      for (std::int64_t part = 0; part < 4; ++part) ++own[part][values[4 * i + part]];
#pragma omp critical
    for (std::int64_t bin = 0; bin < kBins; ++bin) counts[bin] += own[0][bin] + own[1][bin] + own[2][bin] + own[3][bin];
  }
}

float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * std::exp(-0.5f * d * d) * polynomial;
  return d > 0.0f ? 1.0f - tail : tail;
}

void price_options(float* call, float* put, const Inputs& inputs) {
  const float *price = inputs.price.data(), *strike = inputs.strike.data(), *years = inputs.years.data();
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < kOptions; ++i) {
    const float deviation = kVolatility * std::sqrt(years[i]);
    const float d1 =
        (std::log(price[i] / strike[i]) + (kRate + 0.5f * kVolatility * kVolatility) * years[i]) / deviation;
    const float p1 = normal_distribution(d1), p2 = normal_distribution(d1 - deviation);
    const float discounted = strike[i] * std::exp(-kRate * years[i]);
    call[i] = price[i] * p1 - discounted * p2;
    put[i] = discounted * (1.0f - p2) - price[i] * (1.0f - p1);
  }
}

/// Pixels of a row step together until all of them are outside, so that a step is vector code.
void mandelbrot(std::int32_t* out) {
  constexpr std::int64_t kTogether = 16;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; x += kTogether) {
      const float ci = static_cast<float>(y) * (2.0f / kHeight) - 1.0f;
      float cr[kTogether], zr[kTogether] = {}, zi[kTogether] = {};
      std::int32_t steps[kTogether] = {};
      for (std::int64_t i = 0; i < kTogether; ++i) cr[i] = static_cast<float>(x + i) * (3.0f / kWidth) - 2.0f;
      std::int32_t inside = 1;
      for (std::int32_t n = 0; n < kIterations && inside != 0; ++n) {
        inside = 0;
#pragma omp simd reduction(+ : inside)
        for (std::int64_t i = 0; i < kTogether; ++i) {
          const std::int32_t is_inside = zr[i] * zr[i] + zi[i] * zi[i] <= 4.0f ? 1 : 0;
          const float next = zr[i] * zr[i] - zi[i] * zi[i] + cr[i];
          zi[i] = 2.0f * zr[i] * zi[i] + ci;
          zr[i] = next;
          steps[i] += is_inside;
          inside += is_inside;
        }
      }
      std::copy_n(steps, kTogether, out + y * kWidth + x);
    }
}

void scaled_sum(float* z, const float* x, const float* y, float a) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < kNumbers; ++i) z[i] = a * x[i] + y[i];
}

void smooth(float* out, const float* a, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t y = 1; y < n - 1; ++y)
#pragma omp simd
    for (std::int64_t x = 1; x < n - 1; ++x) {
      const std::int64_t at = y * n + x;
      out[at] = 0.2f * (a[at] + a[at - n] + a[at + n] + a[at - 1] + a[at + 1]);
    }
}

void find_forces(float* out, const float* bodies) {
  const float *x = bodies, *y = x + kBodies, *z = y + kBodies, *mass = z + kBodies;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < kBodies; ++i) {
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (std::int64_t j = 0; j < kBodies; ++j) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const float square = dx * dx + dy * dy + dz * dz + 0.01f;
      const float factor = mass[j] / (square * std::sqrt(square));
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    out[i] = ax;
    out[i + kBodies] = ay;
    out[i + 2 * kBodies] = az;
  }
}

void multiply_sparse(float* y, const Inputs& inputs) {
  const float *values = inputs.numbers.data(), *x = inputs.others.data();
  const std::int32_t *columns = inputs.columns.data(), *starts = inputs.starts.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < kRows; ++row) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t k = starts[row]; k < starts[row + 1]; ++k) total += values[k] * x[columns[k]];
    y[row] = total;
  }
}

void convolve(float* out, const float* x, const float* weights) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < kSamples; ++i) {
    float total = 0;
    for (std::int64_t j = 0; j < kWeights; ++j) total += weights[j] * x[i + j];
    out[i] = total;
  }
}

void find_nearest(std::int32_t* label, const float* px, const float* py, const float* cx, const float* cy) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < kPoints; ++i) {
    float best = INFINITY;
    std::int32_t which = 0;
    for (std::int32_t c = 0; c < kCenters; ++c) {
      const float dx = px[i] - cx[c], dy = py[i] - cy[c], distance = dx * dx + dy * dy;
      which = distance < best ? c : which;
      best = distance < best ? distance : best;
    }
    label[i] = which;
  }
}

template <typename T>
std::shared_ptr<std::vector<T>> zeros(std::int64_t n) {
  return std::make_shared<std::vector<T>>(static_cast<std::size_t>(n));
}

}  // namespace

System make_openmp(const Inputs& inputs, int threads) {
  omp_set_num_threads(threads);
  const auto c = zeros<float>(kMatrix * kMatrix), turned = zeros<float>(kSide * kSide);
  const auto total = zeros<float>(1), call = zeros<float>(kOptions), put = zeros<float>(kOptions);
  const auto counts = zeros<std::int32_t>(kBins), steps = zeros<std::int32_t>(kWidth * kHeight);
  const auto scaled = zeros<float>(kNumbers), smoothed = zeros<float>(kSide * kSide), pull = zeros<float>(3 * kBodies);
  const auto product = zeros<float>(kRows), convolved = zeros<float>(kSamples);
  const auto label = zeros<std::int32_t>(kPoints);
  const float *x = inputs.numbers.data(), *y = inputs.others.data();
  const auto of = [](const auto& list) { return [list] { return as_doubles(*list); }; };
  System system{.name = "OpenMP",
                .description = "g++ with -O3 -march=native -fno-math-errno, " + std::to_string(threads) + " threads"};
  system.runners = {
      {[=, &inputs] { multiply(c->data(), inputs.a.data(), inputs.b.data(), kMatrix); }, of(c)},
      {[=, &inputs] { total->front() = sum(inputs.numbers.data(), kNumbers); }, of(total)},
      {[=, &inputs] { transpose(turned->data(), inputs.numbers.data(), kSide); }, of(turned)},
      {[=, &inputs] { count(counts->data(), inputs.bytes.data(), kNumbers); }, of(counts)},
      {[=, &inputs] { price_options(call->data(), put->data(), inputs); }, of(call)},
      {[=] { mandelbrot(steps->data()); }, of(steps)},
      {[=] { scaled_sum(scaled->data(), x, y, 0.5f); }, of(scaled)},
      {[=] { smooth(smoothed->data(), x, kSide); }, of(smoothed)},
      {[=] { find_forces(pull->data(), x); }, of(pull)},
      {[=, &inputs] { multiply_sparse(product->data(), inputs); }, of(product)},
      {[=] { convolve(convolved->data(), x, y); }, of(convolved)},
      {[=] { find_nearest(label->data(), x, x + kPoints, y, y + kCenters); }, of(label)},
  };
  return system;
}

}  // namespace pykc::bench
