// pykc_accuracy --seed N --points N --only NAME
// pykc_accuracy --all-f32 NAME --every N
//
// The error of the math functions on the CPU device, which has the GPU's bits, as the table of docs/math.md. Each
// function gets what lies around special values, and then, some rounds long, random bits, numbers on several scales and
// what lies around the worst so far. The seed is told; without one it is the time. Fails where a bound is exceeded.
//
// --all-f32 asks one function for every f32 there is, or every so many-th, against the C library's f64 function. All
// take minutes.
#include <quadmath.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"
#include "tests/accuracy/functions.h"

namespace pykc::accuracy {
namespace {

struct Request {
  std::uint64_t seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::size_t points = 20000;
  std::string only, all_f32;
  std::uint32_t every = 1;
};

template <typename T>
struct Point {
  T x = 1, y = 1;
  double error = 0;
};

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

const CompileOptions kOptions{.target = "cpu", .cache = false, .warnings = false};
constexpr std::int64_t kBlock = 128;
constexpr int kRounds = 12;
constexpr std::size_t kKept = 64;

constexpr double kSpecial[] = {0,
                               0.25,
                               0.5,
                               1,
                               1.5,
                               2,
                               3,
                               10,
                               22,
                               35,
                               36,
                               88,
                               103.5,
                               128,
                               149.5,
                               170,
                               709,
                               745,
                               1e4,
                               1074.5,
                               1e22,
                               1.5707963267948966,
                               3.141592653589793};

/// The distance from the exact value in units in the last place; infinite where only one is a number.
template <typename T, typename Exact>
double error_in_ulp(T got, Exact exact, T floor) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T rounded = static_cast<T>(exact);
  if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : INFINITY;
  if (std::isinf(got) || std::isinf(rounded)) {
    const auto bounded = [](T x) { return std::isinf(x) ? std::copysign(std::numeric_limits<T>::max(), x) : x; };
    return got == rounded ? 0 : bounded(got) == bounded(rounded) ? 1 : INFINITY;
  }
  const T size = std::max(std::fabs(rounded), floor), next = std::nextafter(size, kInfinity);
  const T ulp = std::isinf(next) ? size - std::nextafter(size, T{0}) : next - size;
  const Exact distance = static_cast<Exact>(got) - exact;
  return static_cast<double>((distance < 0 ? -distance : distance) / static_cast<Exact>(ulp));
}

/// One function on arrays of one type.
template <typename T>
class Evaluation {
 public:
  Evaluation(const Device& device, const Function& function)
      : device_(device),
        function_(function),
        module_(device.load(compile(kernel_for(function), kOptions).value()).value()) {}

  /// What the device computes; the number of arguments is a multiple of kBlock.
  void compute(std::vector<T>& out, std::vector<T>& x, std::vector<T>& y) {
    const auto count = static_cast<std::int64_t>(x.size());
    const auto array = [&](std::vector<T>& host) { return device_.wrap(host.data(), {count}).value(); };
    module_.kernel("k")
        .value()
        .launch({.grid = {count / kBlock}, .block = {kBlock}}, array(out), array(x), array(y))
        .value();
    device_.synchronize().value();
  }

  /// Fills in the errors.
  void measure(std::vector<Point<T>>& points) {
    while (points.size() % kBlock != 0) points.push_back({});
    std::vector<T> x, y, out(points.size());
    for (const Point<T>& point : points) x.push_back(point.x), y.push_back(point.y);
    compute(out, x, y);
    for (std::size_t n = 0; n < points.size(); ++n) points[n].error = error(points[n], out[n]);
  }

 private:
  static std::string kernel_for(const Function& function) {
    const std::string type = sizeof(T) == 4 ? "f32" : "f64";
    const std::string arguments(!function.arguments.empty() ? function.arguments : function.of_two ? "x, y" : "x");
    return "import math\nfrom pykc import *\n\n@device\ndef f(x: " + type + ", y: " + type + "):\n    return math." +
           std::string(function.name) + "(" + arguments + ")\n\n@kernel\ndef k(out: " + type + "[:], x: " + type +
           "[:], y: " + type + "[:]):\n    out[grid(1)] = f(x[grid(1)], y[grid(1)])\n";
  }

  double error(const Point<T>& point, T got) const {
    const Wide x = point.x, y = point.y;
    if (is_excepted(function_, x)) return 0;
    const Wide exact = function_.of_two ? function_.of_two(x, y) : function_.of_one(x);
    return error_in_ulp(got, exact, static_cast<T>(function_.floor));
  }

  const Device& device_;
  const Function& function_;
  Module module_;
};

template <typename T>
class Search {
 public:
  explicit Search(std::uint64_t seed) : random_(seed) {}

  /// The worst point found.
  Point<T> worst_of(Evaluation<T>& evaluation, bool takes_two, std::size_t count) {
    std::vector<Point<T>> worst = specials(takes_two);
    evaluation.measure(worst);
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Point<T>> tried;
      for (std::size_t n = 0; n < count; ++n)
        tried.push_back(n % 2 == 0 ? anywhere() : near(worst[n / 2 % worst.size()]));
      evaluation.measure(tried);
      worst.insert(worst.end(), tried.begin(), tried.end());
      std::ranges::sort(worst, std::greater(), &Point<T>::error);
      worst.resize(kKept);
    }
    return worst.front();
  }

 private:
  static std::vector<Point<T>> specials(bool takes_two) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                             Limits::max(),      Limits::min(),       Limits::denorm_min()};
    for (const double special : kSpecial)
      for (const T value : {static_cast<T>(special), -static_cast<T>(special)})
        for (const T end : {value, Limits::infinity(), -Limits::infinity()})
          values.push_back(std::nextafter(value, end));
    std::vector<Point<T>> points;
    for (const T x : values)
      for (const T y : takes_two ? values : std::vector<T>{1}) points.push_back({x, y});
    return points;
  }

  T anything() {
    const auto uniform = [&](double limit) { return std::uniform_real_distribution<double>(-limit, limit)(random_); };
    switch (random_() % 6) {
      case 0:
        return std::bit_cast<T>(static_cast<Bits<T>>(random_()));
      case 1:
        return static_cast<T>(uniform(1));
      case 2:
        return static_cast<T>(1 + uniform(1) / 16);
      case 3:
        return static_cast<T>(uniform(20));
      case 4:
        return static_cast<T>(uniform(1100));
      default:
        return static_cast<T>(uniform(2) * std::exp2(uniform(12)));
    }
  }

  /// A value up to some thousandth of the size away, mostly much nearer.
  T near(T value) {
    const unsigned digits = std::numeric_limits<T>::digits - 10;
    const auto distance = static_cast<Bits<T>>(random_() >> (64 - 1 - random_() % digits));
    const auto bits = std::bit_cast<Bits<T>>(value);
    return std::bit_cast<T>(static_cast<Bits<T>>(random_() % 2 == 0 ? bits + distance : bits - distance));
  }

  Point<T> anywhere() { return {anything(), anything()}; }
  Point<T> near(const Point<T>& point) { return {near(point.x), random_() % 2 == 0 ? point.y : near(point.y)}; }

  std::mt19937_64 random_;
};

/// Prints two cells of the row; whether the bound holds.
template <typename T>
bool report(const Device& device, const Function& function, double bound, const Request& request) {
  Evaluation<T> evaluation(device, function);
  const Point<T> worst = Search<T>(request.seed).worst_of(evaluation, function.of_two != nullptr, request.points);
  std::printf(" %.2f | %g |", worst.error, bound);
  if (worst.error <= bound) return true;
  std::fprintf(stderr, "%s of %a, %a is %.3f units off\n", function.name.data(), static_cast<double>(worst.x),
               static_cast<double>(worst.y), worst.error);
  return false;
}

int run(const Request& request) {
  std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(request.seed));
  const Device device = Device::open("cpu").value();
  bool holds = true;
  std::printf(
      "| function | f32 measured | f32 bound | f64 measured | f64 bound |\n| --- | ---: | ---: | ---: | ---: |\n");
  for (const Function& function : functions()) {
    if (!request.only.empty() && request.only != function.name) continue;
    std::printf("| `%s` |", function.name.data());
    holds &= report<float>(device, function, function.f32_bound, request);
    holds &= report<double>(device, function, function.f64_bound, request);
    std::printf("\n");
    std::fflush(stdout);
  }
  return holds ? 0 : 1;
}

/// The whole range of f32, the worst of which is printed; fails where the bound is exceeded.
int try_all(const Request& request) {
  const auto function = std::ranges::find(functions(), request.all_f32, &Function::name);
  const OfDouble exact = function_of_double(request.all_f32);
  if (exact == nullptr || function == functions().end()) return 2;
  const Device device = Device::open("cpu").value();
  Evaluation<float> evaluation(device, *function);
  constexpr std::uint32_t kStep = 1U << 20;
  std::vector<float> out(kStep), x(kStep);
  Point<float> worst;
  std::uint64_t rounded_wrongly = 0;
  for (std::uint64_t bits = 0; bits < 1ULL << 32;) {
    for (float& value : x) value = std::bit_cast<float>(static_cast<std::uint32_t>(bits)), bits += request.every;
    evaluation.compute(out, x, x);
    for (std::uint32_t n = 0; n < kStep; ++n) {
      const double value = exact(static_cast<double>(x[n]));
      const bool loses_sign = out[n] == 0 && value == 0 && std::signbit(out[n]) != std::signbit(value);
      const double error = loses_sign ? INFINITY : error_in_ulp(out[n], value, 0.0F);
      if (error > 0.5) ++rounded_wrongly;
      if (error > worst.error) worst = {x[n], x[n], error};
    }
  }
  std::printf("%s: at most %.4f ulp, of %a; %llu are not rounded correctly\n", request.all_f32.c_str(), worst.error,
              static_cast<double>(worst.x), static_cast<unsigned long long>(rounded_wrongly));
  return worst.error <= function->f32_bound ? 0 : 1;
}

int usage() {
  std::fprintf(stderr, "usage: pykc_accuracy [--seed N] [--points N] [--only NAME] | --all-f32 NAME [--every N]\n");
  return 2;
}

}  // namespace
}  // namespace pykc::accuracy

int main(int count, char** words) {
  pykc::accuracy::Request request;
  for (int n = 1; n < count; n += 2) {
    const std::string_view option = words[n];
    if (n + 1 == count) return pykc::accuracy::usage();
    if (option == "--seed")
      request.seed = std::strtoull(words[n + 1], nullptr, 10);
    else if (option == "--points")
      request.points = std::strtoull(words[n + 1], nullptr, 10);
    else if (option == "--only")
      request.only = words[n + 1];
    else if (option == "--all-f32")
      request.all_f32 = words[n + 1];
    else if (option == "--every")
      request.every = static_cast<std::uint32_t>(std::strtoul(words[n + 1], nullptr, 10));
    else
      return pykc::accuracy::usage();
  }
  return request.all_f32.empty() ? pykc::accuracy::run(request) : pykc::accuracy::try_all(request);
}
