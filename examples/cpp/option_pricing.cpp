// Monte Carlo pricing of an Asian call, which pays by how far the average price of a share over 64 dates lies above the
// strike. A call on the geometric average has a price in closed form: the simulation is checked against it, and, since
// the two payoffs are nearly the same, uses its known error to correct the other (a control variate). The kernels
// (option_pricing.pyk) are compiled by the build; a GPU's random numbers are also taken from cuRAND, where it is found.
//
//   option_pricing [DEVICE [SIZE]]        SIZE paths
#include "option_pricing.h"

#include <array>
#include <numbers>

#include "example.h"
#include "vendor_library.h"

using example::require;

namespace {

constexpr double kSpot = 100, kStrike = 105, kRate = 0.03, kVolatility = 0.25, kYears = 1;
constexpr int kDates = 64;
constexpr std::uint32_t kSeed = 2026;
const double kDiscount = std::exp(-kRate * kYears);
const double kDrift = (kRate - 0.5 * kVolatility * kVolatility) * kYears / kDates;  // from date to date
const double kStep = kVolatility * std::sqrt(kYears / kDates);

double below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }  // the normal distribution

/// The logarithm of the geometric average is normal.
double geometric_price() {
  const double mean = std::log(kSpot) + kDrift * (kDates + 1) / 2;
  const double deviation = kStep * std::sqrt((kDates + 1) * (2 * kDates + 1) / (6.0 * kDates));
  const double d = (mean - std::log(kStrike)) / deviation;
  return kDiscount * (std::exp(mean + deviation * deviation / 2) * below(d + deviation) - kStrike * below(d));
}

/// Both payoffs of a path by the same random numbers, in double.
std::array<double, 2> payoffs(std::uint64_t path) {
  double log_price = std::log(kSpot), total = 0, log_total = 0;
  for (std::uint32_t i = 0; i < kDates / 4; ++i) {
    std::uint32_t c[4] = {static_cast<std::uint32_t>(path), static_cast<std::uint32_t>(path >> 32), i, 0};
    std::uint32_t k0 = kSeed, k1 = 0;
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {  // Philox 4x32-10
      const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0], p1 = std::uint64_t{0xCD9E8D57} * c[2];
      const std::uint32_t next[4] = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
                                     static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
      std::copy(next, next + 4, c);
    }
    for (int j = 0; j < 4; ++j) {
      const double radius = std::sqrt(-2 * std::log(1 - (c[j / 2 * 2] >> 8) * 0x1p-24));
      const double angle = 2 * std::numbers::pi * ((c[j / 2 * 2 + 1] >> 8) * 0x1p-24);
      log_price += kDrift + kStep * radius * (j % 2 == 0 ? std::cos(angle) : std::sin(angle));
      total += std::exp(log_price);
      log_total += log_price;
    }
  }
  return {std::max(total / kDates - kStrike, 0.0), std::max(std::exp(log_total / kDates) - kStrike, 0.0)};
}

struct Estimate {
  double arithmetic, geometric;              // prices
  double arithmetic_error, geometric_error;  // their standard errors
};

/// From the blocks' sums of both payoffs, of their squares and of their product.
Estimate estimate(const pykc::Array<double>& sums, double paths) {
  std::vector<double> parts(sums.size());
  require(sums.copy_to(parts));
  double mean[5] = {};
  for (std::size_t i = 0; i < parts.size(); ++i) mean[i % 5] += parts[i] / paths;
  const auto [a, g, aa, gg, ag] = mean;
  const double variance_a = aa - a * a, variance_g = gg - g * g, covariance = ag - a * g;
  const double geometric = kDiscount * g, correction = covariance / variance_g * (geometric - geometric_price());
  return {kDiscount * a - correction, geometric,
          kDiscount * std::sqrt((variance_a - covariance * covariance / variance_g) / paths),
          kDiscount * std::sqrt(variance_g / paths)};
}

/// The same prices with normal numbers that cuRAND writes to an array of pykc, on pykc's stream.
void price_by_curand(const pykc::Device& device, const option_pricing::Kernels& kernels,
                     const option_pricing::Asian& option, std::int64_t paths, pykc::LaunchConfig config,
                     example::Report& report) {
  const example::VendorLibrary curand("curand", {10});
  if (!curand) return report.note("cuRAND is not installed, so its random numbers are not tried");
  const auto create = curand.function<int(void**, int)>("curandCreateGenerator");
  const auto set_stream = curand.function<int(void*, void*)>("curandSetStream");
  const auto generate = curand.function<int(void*, float*, std::size_t, float, float)>("curandGenerateNormal");
  const auto destroy = curand.function<int(void*)>("curandDestroyGenerator");
  constexpr int kPhilox = 161;

  const pykc::CurrentContext context = require(device.make_current());  // for cuRAND to work on this GPU
  const pykc::Stream stream = require(device.create_stream());
  const auto normals = require(device.allocate<option_pricing::f32x4>({kDates / 4, paths}));
  const auto sums = require(device.allocate<double>({config.grid.x, 5}));
  void* generator = nullptr;
  curand.check(create(&generator, kPhilox), "curandCreateGenerator");
  curand.check(set_stream(generator, stream.native_handle()), "curandSetStream");
  config.stream = &stream;
  const double ms = example::milliseconds(stream, [&] {
    curand.check(generate(generator, &normals.address()->x, 4 * normals.size(), 0, 1), "curandGenerateNormal");
    require(kernels.simulate_given(config, sums, option, normals));
  });
  curand.check(destroy(generator), "curandDestroyGenerator");
  report.rate("cuRAND's numbers, " + std::to_string(paths) + " paths", ms, 1e-3 * static_cast<double>(paths) / ms,
              "Mpaths/s");
  const Estimate found = estimate(sums, static_cast<double>(paths));
  report.check("the geometric price", std::abs(found.geometric - geometric_price()), 4 * found.geometric_error);
}

}  // namespace

int main(int count, char** arguments) {
  const example::Options options =
      example::options(count, arguments, {.gpu = 1 << 24, .cpu = 1 << 18, .smallest = 1000});
  const pykc::Device& device = options.device;
  const std::int64_t paths = options.size;
  example::Report report("an Asian call by " + std::to_string(paths) + " paths of 64 dates", device);
  const option_pricing::Kernels kernels = require(option_pricing::load(device));
  const option_pricing::Asian option{.log_spot = static_cast<float>(std::log(kSpot)),
                                     .strike = kStrike,
                                     .drift = static_cast<float>(kDrift),
                                     .volatility = static_cast<float>(kStep),
                                     .dates = kDates};

  const std::int64_t blocks = std::min<std::int64_t>((paths + 255) / 256, 8 * device.info().multiprocessors);
  const pykc::LaunchConfig config{.grid = {blocks}, .block = {256}};
  const pykc::Array<double> sums = require(device.allocate<double>({blocks, 5}));
  const double ms = example::milliseconds(device.default_stream(),
                                          [&] { require(kernels.simulate(config, sums, option, paths, kSeed)); });
  report.rate("Philox within the kernel", ms, 1e-3 * static_cast<double>(paths) / ms, "Mpaths/s");
  const Estimate found = estimate(sums, static_cast<double>(paths));
  report.note("price " + std::to_string(found.arithmetic) + ", standard error " +
              std::to_string(found.arithmetic_error));
  report.check("the geometric price, which is " + std::to_string(geometric_price()),
               std::abs(found.geometric - geometric_price()), 4 * found.geometric_error);

  constexpr std::int64_t kFollowed = 1000;
  const pykc::Array<float> pays = require(device.allocate<float>({kFollowed, 2}));
  require(kernels.first_paths({.grid = {(kFollowed + 255) / 256}, .block = {256}}, pays, option, kSeed));
  std::vector<float> followed(2 * kFollowed);
  require(pays.copy_to(followed));
  std::vector<double> expected;
  for (std::int64_t path = 0; path < kFollowed; ++path)
    for (const double pay : payoffs(path)) expected.push_back(pay);
  report.check("the payoffs of the first " + std::to_string(kFollowed) + " paths",
               example::largest_difference<float>(followed, expected), 2e-3);
  if (!device.is_cpu())
    price_by_curand(device, kernels, option, std::min<std::int64_t>(paths, 1 << 20), config, report);
  return report.exit_code();
}
