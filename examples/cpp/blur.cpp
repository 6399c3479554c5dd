// Gaussian blur of a grey image. The filter is separable, so a block brings its tile and a margin of RADIUS pixels to
// shared memory, blurs along the rows within shared memory, then along the columns on the way out: each pixel comes
// from global memory once (a margin's up to four times), where a filter of 17 x 17 would read it 289 times.
//
//   blur [DEVICE [SIZE]]        an image of SIZE x SIZE pixels
#include "example.h"
#include "pykc/compiler.h"
#include "pykc/source.h"

using namespace pykc::literals;
using example::require;

namespace {

constexpr int kRadius = 8, kTaps = 2 * kRadius + 1, kTile = 32, kRows = 8;

constexpr auto kKernel = R"pyk(
  WIDE = TILE + 2 * RADIUS
  FOUR = TILE // ROWS

  @kernel(launch_bounds=TILE * ROWS)
  def blur(out: f32[:, :], image: f32[:, :], weights: f32[2 * RADIUS + 1]):
      pixels = shared.array((WIDE, WIDE), f32)
      rows_done = shared.array((WIDE, TILE), f32)
      tx, ty = threadIdx.x, threadIdx.y
      height, width = image.shape
      top = blockIdx.y * TILE - RADIUS
      left = blockIdx.x * TILE - RADIUS
      w = local.array(2 * RADIUS + 1, f32)      # registers, since all loops over it are unrolled
      for k in unroll(range(2 * RADIUS + 1)):
          w[k] = weights[k]

      # Beyond the image its border goes on.
      for i in range(ty, WIDE, ROWS):
          y = min(max(top + i, 0), height - 1)
          for j in range(tx, WIDE, TILE):
              pixels[i, j] = image[y, min(max(left + j, 0), width - 1)]
      syncthreads()
      for i in range(ty, WIDE, ROWS):
          total: f32 = 0
          for k in unroll(range(2 * RADIUS + 1)):
              total += w[k] * pixels[i, tx + k]
          rows_done[i, tx] = total
      syncthreads()
      # A thread has the four pixels below one another, so what it reads serves up to four sums.
      totals = local.array(FOUR, f32)
      for i in unroll(range(FOUR)):
          totals[i] = 0
      for k in unroll(range(2 * RADIUS + FOUR)):
          pixel = rows_done[FOUR * ty + k, tx]
          for i in unroll(range(FOUR)):
              if 0 <= k - i and k - i <= 2 * RADIUS:
                  totals[i] += w[k - i] * pixel
      column = left + RADIUS + tx
      for i in unroll(range(FOUR)):
          line = top + RADIUS + FOUR * ty + i
          if line < height and column < width:
              out[line, column] = totals[i]
)pyk"_pyk;

std::vector<double> gaussian() {
  std::vector<double> weights(kTaps);
  double sum = 0;
  for (int k = 0; k < kTaps; ++k) sum += weights[k] = std::exp(-0.5 * std::pow((k - kRadius) / (kRadius / 3.0), 2));
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Row y of the blurred image, as the definition has it.
std::vector<double> blurred_row(const std::vector<float>& image, std::int64_t n, std::int64_t y,
                                const std::vector<double>& weights) {
  const auto inside = [n](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, n - 1); };
  std::vector<double> columns_done(n), row(n);
  for (int k = 0; k < kTaps; ++k)
    for (std::int64_t x = 0; x < n; ++x)
      columns_done[x] += weights[k] * static_cast<double>(image[inside(y + k - kRadius) * n + x]);
  for (std::int64_t x = 0; x < n; ++x)
    for (int k = 0; k < kTaps; ++k) row[x] += weights[k] * columns_done[inside(x + k - kRadius)];
  return row;
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options = example::options(count, arguments, {.gpu = 16384, .cpu = 1024, .largest = 32768});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size, blocks = (n + kTile - 1) / kTile;
  example::Report report("Gaussian blur of " + std::to_string(n) + " x " + std::to_string(n) + " pixels", device);
  const pykc::Artifact artifact = require(pykc::compile(
      kKernel, {.target = device.info().target, .constants = {{"RADIUS", kRadius}, {"TILE", kTile}, {"ROWS", kRows}}}));
  const pykc::Kernel blur = require(require(device.load(artifact)).kernel("blur"));

  std::vector<float> pixels(n * n);
  example::Random random(1);
  for (float& pixel : pixels) pixel = random.next();
  const std::vector<double> weights = gaussian();
  const std::vector<float> narrow(weights.begin(), weights.end());
  const pykc::Array<float> image = require(device.copy_from<float>(pixels, {n, n}));
  const pykc::Array<float> filter = require(device.copy_from<float>(narrow));
  const pykc::Array<float> out = require(device.like(image));
  const double ms = example::milliseconds(device.default_stream(), [&] {
    require(blur.launch({.grid = {blocks, blocks}, .block = {kTile, kRows}}, out, image, filter));
  });
  report.rate("17 x 17 pixels, tiles in shared memory", ms, 1e-3 * static_cast<double>(n * n) / ms, "Mpixel/s");

  std::vector<float> blurred(n * n);
  require(out.copy_to(blurred));
  double difference = 0;
  const std::int64_t step = std::max<std::int64_t>(1, n / 64) | 1;  // odd: all places within a tile
  for (std::int64_t y = 0; y < n; y += step) {
    const std::span<const float> row(&blurred[y * n], n);
    difference = std::max(difference, example::largest_difference(row, blurred_row(pixels, n, y, weights)));
  }
  report.check("every " + std::to_string(step) + "th row", difference, 1e-6);
  return report.exit_code();
}
