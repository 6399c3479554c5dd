// Histogram equalisation: the grey values of a hazy picture are spread over the whole range. Each warp counts in shared
// memory of its own, so that few threads meet at one counter, and a block adds its counts to the whole once.
//
//   equalize [DEVICE [SIZE]]        a picture of SIZE x SIZE pixels
#include "example.h"
#include "pykc/compiler.h"
#include "pykc/source.h"

using namespace pykc::literals;
using example::require;

namespace {

constexpr int kThreads = 256, kLevels = 256;

constexpr auto kKernels = R"pyk(
  WARPS = THREADS // 32

  @kernel(launch_bounds=THREADS)
  def count_levels(counts: i32[256], pixels: u8[:]):
      """Adds how often each grey value occurs to `counts`."""
      mine = shared.array((WARPS, 256), i32)
      t, warp = threadIdx.x, threadIdx.x // 32
      for k in unroll(range(WARPS)):
          mine[k, t] = 0
      syncthreads()
      words = pixels.view(u32)  # four pixels a load
      for i in range(grid(1), len(words), gridsize(1)):
          word = words[i]
          for k in unroll(range(4)):
              atomic.add(mine, (warp, word >> 8 * k & 255), 1)
      for i in range(4 * len(words) + grid(1), len(pixels), gridsize(1)):
          atomic.add(mine, (warp, pixels[i]), 1)
      syncthreads()
      total: i32 = 0
      for k in unroll(range(WARPS)):
          total += mine[k, t]
      if total > 0:
          atomic.add(counts, t, total)

  @kernel(launch_bounds=THREADS)
  def make_table(table: u8[256], counts: i32[256]):
      """The grey value that takes the place of each: its share of the pixels that are not the darkest. One block, whose
      running total adds in each round what lies twice as far below."""
      below = shared.array(256, i64)
      t = threadIdx.x
      below[t] = counts[t]
      for k in unroll(range(8)):
          syncthreads()
          more = below[t - 2 ** k] if t >= 2 ** k else 0
          syncthreads()
          below[t] += more
      darkest: i64 = 0
      for k in range(256):
          if darkest == 0:
              darkest = counts[k]
      syncthreads()
      others = max(below[255] - darkest, 1)
      table[t] = u8((max(below[t] - darkest, 0) * 255 + others // 2) // others)

  @kernel(launch_bounds=THREADS)
  def replace_levels(out: u8[:], pixels: u8[:], table: u8[256]):
      near = shared.array(256, u8)
      near[threadIdx.x] = table[threadIdx.x]
      syncthreads()
      words, new_words = pixels.view(u32), out.view(u32)
      for i in range(grid(1), len(words), gridsize(1)):
          word = words[i]
          new: u32 = 0
          for k in unroll(range(4)):
              new |= u32(near[word >> 8 * k & 255]) << 8 * k
          new_words[i] = new
      for i in range(4 * len(words) + grid(1), len(pixels), gridsize(1)):
          out[i] = near[pixels[i]]
)pyk"_pyk;

using Picture = std::vector<std::uint8_t>;

Picture hazy_picture(std::int64_t n) {
  Picture picture(n * n);
  example::Random random(1);
  for (std::int64_t y = 0; y < n; ++y)
    for (std::int64_t x = 0; x < n; ++x) {
      const double hills = std::sin(9.0 * static_cast<double>(x) / static_cast<double>(n)) *
                           std::cos(7.0 * static_cast<double>(y) / static_cast<double>(n));
      picture[y * n + x] = static_cast<std::uint8_t>(150 + 20 * hills + 8 * static_cast<double>(random.next()));
    }
  return picture;
}

/// The same on the host.
Picture equalized(const Picture& picture) {
  std::vector<double> below(kLevels);
  for (const std::uint8_t pixel : picture) ++below[pixel];
  const double darkest = *std::find_if(below.begin(), below.end(), [](double count) { return count > 0; });
  for (int level = 1; level < kLevels; ++level) below[level] += below[level - 1];
  const double others = std::max(static_cast<double>(picture.size()) - darkest, 1.0);
  Picture result;
  for (const std::uint8_t pixel : picture)
    result.push_back(static_cast<std::uint8_t>(std::floor((below[pixel] - darkest) * 255 / others + 0.5)));
  return result;
}

double spread(const Picture& picture) {
  double sum = 0, squares = 0;
  for (const double pixel : picture) sum += pixel, squares += pixel * pixel;
  const double n = static_cast<double>(picture.size());
  return std::sqrt(squares / n - sum / n * (sum / n));
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options = example::options(count, arguments, {.gpu = 16384, .cpu = 2048, .largest = 32768});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size;
  example::Report report("histogram equalisation of " + std::to_string(n) + " x " + std::to_string(n) + " pixels",
                         device);
  const pykc::Artifact artifact =
      require(pykc::compile(kKernels, {.target = device.info().target, .constants = {{"THREADS", kThreads}}}));
  const pykc::Module module = require(device.load(artifact));
  const pykc::Kernel count_levels = require(module.kernel("count_levels"));
  const pykc::Kernel make_table = require(module.kernel("make_table"));
  const pykc::Kernel replace_levels = require(module.kernel("replace_levels"));

  const Picture picture = hazy_picture(n);
  const auto pixels = require(device.copy_from<std::uint8_t>(picture)), out = require(device.like(pixels));
  const auto counts = require(device.allocate<std::int32_t>(kLevels));
  const auto table = require(device.allocate<std::uint8_t>(kLevels));
  const pykc::Stream stream = require(device.create_stream());
  const pykc::LaunchConfig one_block{.grid = {1}, .block = {kThreads}, .stream = &stream};
  const pykc::LaunchConfig all{
      .grid = {std::min<std::int64_t>((n * n + 1023) / 1024, 8 * device.info().multiprocessors)},
      .block = {kThreads},
      .stream = &stream};
  const double ms = example::milliseconds(stream, [&] {
    require(counts.fill_zero(stream));
    require(count_levels.launch(all, counts, pixels));
    require(make_table.launch(one_block, table, counts));
    require(replace_levels.launch(all, out, pixels, table));
  });
  report.rate("count, spread, replace", ms, 1e-3 * static_cast<double>(n * n) / ms, "Mpixel/s");

  Picture result(picture.size());
  require(stream.synchronize());
  require(out.copy_to(result));
  report.note("the deviation of the grey values was " + std::to_string(spread(picture)) + " and is " +
              std::to_string(spread(result)));
  const Picture expected = equalized(picture);
  report.check("every pixel", example::largest_difference<std::uint8_t>(result, {expected.begin(), expected.end()}), 0);
  return report.exit_code();
}
