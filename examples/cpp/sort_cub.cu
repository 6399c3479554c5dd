// Sorts points by the cells of a grid: kernels of pykc (sort_cub.pyk) number the cells, and CUB's radix sort, which
// this file takes from NVIDIA's compiler, sorts arrays of pykc on pykc's stream, with memory of that stream's pool. On
// the CPU device, whose arrays the host reaches, std::stable_sort does it.
//
//   sort_cub [DEVICE [SIZE]]        SIZE points
#include <cub/device/device_radix_sort.cuh>
#include <numeric>

#include "example.h"
#include "sort_cub.h"

using example::require;
using Numbers = pykc::Array<std::uint32_t>;

namespace {

constexpr std::int64_t kCells = 1024, kCellBits = 20;  // as in sort_cub.pyk

void check(cudaError_t error) {
  if (error != cudaSuccess) example::fail(cudaGetErrorString(error));
}

struct Pairs {
  Numbers cell, index;
};

void sort(const Pairs& to, const Pairs& from, const pykc::Stream& stream) {
  const auto on = static_cast<cudaStream_t>(stream.native_handle());
  const auto sort_with = [&](void* scratch, std::size_t& bytes) {
    check(cub::DeviceRadixSort::SortPairs(scratch, bytes, from.cell.address(), to.cell.address(), from.index.address(),
                                          to.index.address(), from.cell.size(), 0, kCellBits, on));
  };
  std::size_t bytes = 0;
  sort_with(nullptr, bytes);  // says how much it needs
  const pykc::Buffer scratch = require(stream.allocate_bytes(static_cast<std::int64_t>(bytes)));
  sort_with(scratch.address(), bytes);
}

void sort_on_the_host(const Pairs& to, const Pairs& from) {
  const std::uint32_t* cell = from.cell.address();
  std::vector<std::uint32_t> order(from.cell.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [cell](std::uint32_t a, std::uint32_t b) { return cell[a] < cell[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    to.cell.address()[i] = cell[order[i]];
    to.index.address()[i] = from.index.address()[order[i]];
  }
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options = example::options(count, arguments, {.gpu = 20'000'000, .cpu = 1'000'000});
  const pykc::Device& device = options.device;
  const std::int64_t n = options.size;
  example::Report report("sorting " + std::to_string(n) + " points by their cells", device);
  const sort_cub::Kernels kernels = require(sort_cub::load(device));

  example::Random random(1);
  std::vector<float> host_x(n), host_y(n);
  for (float& x : host_x) x = random.next();
  for (float& y : host_y) y = random.next() * random.next();
  const auto x = require(device.copy_from<float>(host_x)), y = require(device.copy_from<float>(host_y));
  const auto numbers = [&] { return require(device.allocate<std::uint32_t>(n)); };
  const Pairs found{numbers(), numbers()}, sorted{numbers(), numbers()};
  const Numbers start = require(device.allocate<std::uint32_t>(kCells * kCells + 1));

  const pykc::CurrentContext context = require(device.make_current());  // for CUB to work on this GPU
  const pykc::Stream stream = require(device.create_stream());
  const pykc::LaunchConfig config{.grid = {n / 256 + 1}, .block = {256}, .stream = &stream};
  const double ms = example::milliseconds(stream, [&] {
    require(kernels.number_cells(config, found.cell, found.index, x, y));
    device.is_cpu() ? sort_on_the_host(sorted, found) : sort(sorted, found, stream);
    require(kernels.find_starts(config, start, sorted.cell));
  });
  report.rate(device.is_cpu() ? "std::stable_sort between two kernels" : "CUB's radix sort between two kernels", ms,
              1e-3 * static_cast<double>(n) / ms, "Mpoints/s");

  // Each point must stand once, between the starts of its cell and the next one.
  std::vector<std::uint32_t> index(n), starts(kCells * kCells + 1);
  require(stream.synchronize());
  require(sorted.index.copy_to(index));
  require(start.copy_to(starts));
  std::vector<bool> seen(n);
  std::int64_t misplaced = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t point = std::min<std::uint32_t>(index[i], n - 1);
    const auto cell =
        static_cast<std::int64_t>(host_y[point] * kCells) * kCells + static_cast<std::int64_t>(host_x[point] * kCells);
    misplaced += seen[point] || i < starts[cell] || i >= starts[cell + 1];
    seen[point] = true;
  }
  report.check("every point stands once, in its cell", static_cast<double>(misplaced), 0);
  return report.exit_code();
}
