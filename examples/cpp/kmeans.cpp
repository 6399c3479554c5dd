// Lloyd's k-means of points in the plane. The kernels stand here as text and are compiled for the numbers of clusters
// and threads that this program wants. They need no atomics: each thread adds up its points in a column of shared
// memory of its own, so sums are formed in the same order, and come out as the same bits, in every run.
//
//   kmeans [DEVICE [SIZE]]        SIZE points
#include "example.h"
#include "pykc/source_module.h"

using namespace pykc::literals;
using example::require;

namespace {

constexpr int kClusters = 16, kThreads = 128, kRounds = 10;

constexpr auto kKernels = R"pyk(
  # Of each cluster: the sums of x and y, and the number of points.
  @kernel(launch_bounds=THREADS)
  def assign(partial: f32[:, :, :], label: u8[:], x: f32[:], y: f32[:], centres: f32[CLUSTERS, 2]):
      """Gives each point to the nearest centre; every block leaves the sums of its points."""
      sums = shared.array((CLUSTERS, 3, THREADS), f32)
      near = shared.array((CLUSTERS, 2), f32)
      t = threadIdx.x
      for i in range(t, CLUSTERS, THREADS):
          near[i, 0], near[i, 1] = centres[i, 0], centres[i, 1]
      for c in range(CLUSTERS):
          for k in unroll(range(3)):
              sums[c, k, t] = 0
      syncthreads()
      for i in range(grid(1), len(x), gridsize(1)):
          px, py = x[i], y[i]
          best: i32 = 0
          least = f32(math.inf)
          for c in unroll(range(CLUSTERS)):
              dx, dy = px - near[c, 0], py - near[c, 1]
              distance = dx * dx + dy * dy
              if distance < least:
                  best, least = c, distance
          label[i] = u8(best)
          sums[best, 0, t] += px
          sums[best, 1, t] += py
          sums[best, 2, t] += 1
      syncthreads()

      # A warp adds up the columns of one sum after the other.
      flat = sums.reshape(CLUSTERS * 3, THREADS)
      for row in range(t // 32, CLUSTERS * 3, THREADS // 32):
          total: f32 = 0
          for k in unroll(range(THREADS // 32)):
              total += flat[row, 32 * k + laneid]
          for k in unroll(range(5)):
              total += shfl_xor_sync(0xffffffff, total, 16 >> k)
          if laneid == 0:
              partial[blockIdx.x, row // 3, row % 3] = total

  @kernel
  def move_centres(centres: f32[CLUSTERS, 2], partial: f32[:, :, :]):
      """A warp a cluster adds up what the blocks left; f64, since there are many. A centre without points stays."""
      sx: f64 = 0
      sy: f64 = 0
      points: f64 = 0
      c = blockIdx.x
      for block in range(threadIdx.x, partial.shape[0], 32):
          sx += f64(partial[block, c, 0])
          sy += f64(partial[block, c, 1])
          points += f64(partial[block, c, 2])
      for k in unroll(range(5)):
          sx += shfl_xor_sync(0xffffffff, sx, 16 >> k)
          sy += shfl_xor_sync(0xffffffff, sy, 16 >> k)
          points += shfl_xor_sync(0xffffffff, points, 16 >> k)
      if threadIdx.x == 0 and points > 0:
          centres[c, 0] = f32(sx / points)
          centres[c, 1] = f32(sy / points)
)pyk"_pyk;

/// Clouds around the crossings of a 4 x 4 grid; the first centres lie a little beside them.
struct Problem {
  std::vector<float> x, y, centres;
};
Problem make_problem(std::int64_t n) {
  Problem problem{std::vector<float>(n), std::vector<float>(n), {}};
  example::Random random(1);
  for (std::int64_t i = 0; i < n; ++i) {
    problem.x[i] = static_cast<float>(i % 4) + random.next() + random.next() - 1;
    problem.y[i] = static_cast<float>(i / 4 % 4) + random.next() + random.next() - 1;
  }
  for (int c = 0; c < kClusters; ++c)
    for (const int place : {c % 4, c / 4}) problem.centres.push_back(static_cast<float>(place) + random.next() - 0.5F);
  return problem;
}

/// The same rounds in double.
std::vector<double> centres_on_the_host(const Problem& problem) {
  std::vector<double> centres(problem.centres.begin(), problem.centres.end());
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> sums(3 * kClusters);
    for (std::size_t i = 0; i < problem.x.size(); ++i) {
      const double x = static_cast<double>(problem.x[i]), y = static_cast<double>(problem.y[i]);
      int best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (int c = 0; c < kClusters; ++c) {
        const double dx = x - centres[2 * c], dy = y - centres[2 * c + 1], distance = dx * dx + dy * dy;
        if (distance < least) best = c, least = distance;
      }
      sums[3 * best] += x;
      sums[3 * best + 1] += y;
      sums[3 * best + 2] += 1;
    }
    for (int c = 0; c < kClusters; ++c)
      for (int k = 0; k < 2; ++k)
        if (sums[3 * c + 2] > 0) centres[2 * c + k] = sums[3 * c + k] / sums[3 * c + 2];
  }
  return centres;
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options = example::options(count, arguments, {.gpu = 10'000'000, .cpu = 1'000'000});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size;
  example::Report report("k-means of " + std::to_string(n) + " points in 16 clusters", device);
  const auto module = require(
      pykc::SourceModule::load(device, kKernels, {.constants = {{"CLUSTERS", kClusters}, {"THREADS", kThreads}}}));
  const pykc::GenericKernel assign = require(module.kernel("assign")), move = require(module.kernel("move_centres"));

  const Problem problem = make_problem(n);
  const std::int64_t blocks = std::min<std::int64_t>((n + kThreads - 1) / kThreads, 8 * device.info().multiprocessors);
  const auto x = require(device.copy_from<float>(problem.x)), y = require(device.copy_from<float>(problem.y));
  const auto centres = require(device.copy_from<float>(problem.centres, {kClusters, 2}));
  const auto partial = require(device.allocate<float>({blocks, kClusters, 3}));
  const auto label = require(device.allocate<std::uint8_t>(n));
  const auto round = [&] {
    require(assign.launch({.grid = {blocks}, .block = {kThreads}}, partial, label, x, y, centres));
    require(move.launch({.grid = {kClusters}, .block = {32}}, centres, partial));
  };
  const double ms = example::milliseconds(device.default_stream(), round);
  report.rate("a round", ms, 1e-3 * static_cast<double>(n) / ms, "Mpoints/s");

  require(centres.copy_from(problem.centres));
  for (int i = 0; i < kRounds; ++i) round();
  std::vector<float> found(problem.centres.size());
  require(centres.copy_to(found));
  report.check("the centres after " + std::to_string(kRounds) + " rounds",
               example::largest_difference<float>(found, centres_on_the_host(problem)), 1e-4);
  return report.exit_code();
}
