// pykc_accuracy --seed N --points N --only NAME
// pykc_accuracy --all-f32 NAME --every N --beside DEVICE
// pykc_accuracy --samples N --only NAME --beside DEVICE
//
// The error of the math functions on the CPU device, which has the GPU's bits, as the table of docs/math.md. Each
// function gets what lies around special values, and then, some rounds long, random bits, numbers on several scales and
// what lies around the worst so far. The seed is told; without one it is the time. Fails where a bound is exceeded.
//
// --all-f32 asks a function for every f32 there is, or every so many-th, against the C library's f64 function; `all`
// stands for all functions of one argument. --samples asks for so many arguments drawn at random: of f64, against the C
// library's function of long double, and of f32 where there are two arguments. Where the C library has no function,
// every 1021st argument is judged in 113 bits. --beside names a device, a GPU as a rule, that must have the same bits.
// All take minutes.
#include <quadmath.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"
#include "tests/accuracy/functions.h"

namespace pykc::accuracy {
namespace {

struct Request {
  std::uint64_t seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::size_t points = 20000;
  std::string only, all_f32, beside;
  std::uint64_t samples = 0;
  std::uint64_t every = 1;
};

template <typename T>
struct Point {
  T x = 1, y = 1;
  double error = 0;
};

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

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
                               3.141592653589793,
                               0x1.f86bb8p-1,  // from here on, where results were too far off once
                               0x1.abe312p+2,
                               0x1.68a296p+99,
                               0x1.689b08p+103,
                               0x1.8851c2bbf2ed6p+835};

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

CompileOptions options_for(const Device& device) {
  return {.target = device.info().target, .cache = false, .warnings = false};
}

/// One function on arrays of one type.
template <typename T>
class Evaluation {
 public:
  Evaluation(const Device& device, const Function& function)
      : device_(device),
        function_(function),
        module_(device.load(compile(kernel_for(function), options_for(device)).value()).value()) {}

  /// What the device computes; the number of arguments is a multiple of kBlock.
  void compute(std::vector<T>& out, std::vector<T>& x, std::vector<T>& y) {
    const auto count = static_cast<std::int64_t>(x.size());
    if (device_.info().name == "cpu") {
      const auto array = [&](std::vector<T>& host) { return device_.wrap(host.data(), {count}).value(); };
      launch(count, array(out), array(x), array(y));
      return device_.synchronize().value();
    }
    if (results_.size() != count)
      for (Array<T>* array : {&results_, &x_, &y_}) *array = device_.allocate<T>(count).value();
    x_.copy_from(x).value();
    if (function_.of_two != nullptr) y_.copy_from(y).value();
    launch(count, results_, x_, y_);
    results_.copy_to(out).value();
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

  void launch(std::int64_t count, const Array<T>& out, const Array<T>& x, const Array<T>& y) const {
    module_.kernel("k").value().launch({.grid = {count / kBlock}, .block = {kBlock}}, out, x, y).value();
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
  Array<T> results_, x_, y_;  // kept from call to call
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

/// What was found of many arguments.
template <typename T>
struct Findings {
  Point<T> worst, differs;
  std::uint64_t judged = 0, rounded_wrongly = 0, differing = 0;

  void judge(const Point<T>& point) {
    ++judged;
    if (point.error > 0.5) ++rounded_wrongly;
    if (point.error > worst.error) worst = point;
  }

  void add(const Findings& more) {
    if (more.worst.error > worst.error) worst = more.worst;
    if (more.differing != 0) differs = more.differs;
    judged += more.judged;
    rounded_wrongly += more.rounded_wrongly;
    differing += more.differing;
  }
};

/// Calls `part(begin, end)` for parts of a range, each on a thread of its own, and sums what they find.
template <typename T, typename Part>
Findings<T> in_parts(std::size_t count, Part part) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Findings<T>> found(threads);
  {
    std::vector<std::jthread> running;
    for (std::size_t n = 0; n < threads; ++n)
      running.emplace_back([&, n] { found[n] = part(n * count / threads, (n + 1) * count / threads); });
  }
  Findings<T> all;
  for (const Findings<T>& some : found) all.add(some);
  return all;
}

/// A function on the CPU device, and on the other device if one is named, beside the C library.
template <typename T>
class Comparison {
 public:
  Comparison(const Function& function, const std::string& beside)
      : function_(function), peers_(peers_of(function.name)), own_(device_, function) {
    if (beside.empty()) return;
    other_device_.emplace(Device::open(beside).value());
    other_.emplace(*other_device_, function);
  }

  void add(std::vector<T>& x, std::vector<T>& y) {
    out_.resize(x.size()), of_other_.resize(x.size());
    own_.compute(out_, x, y);
    if (other_) other_->compute(of_other_, x, y);
    findings_.add(in_parts<T>(x.size(), [&](std::size_t begin, std::size_t end) {
      Findings<T> found;
      for (std::size_t n = begin; n < end; ++n) {
        const bool is_judged = has_peer() || n % kSparse == 0;
        if (is_judged) found.judge({x[n], y[n], error(x[n], y[n], out_[n])});
        if (!other_ || same(out_[n], of_other_[n])) continue;
        found.differs = {x[n], y[n]};
        ++found.differing;
      }
      return found;
    }));
  }

  /// Prints it; whether the bound holds, and the devices agree.
  bool report(double bound) const {
    const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    const auto print = [&](const Point<T>& point) {
      std::printf(function_.of_two ? "%a, %a" : "%a", static_cast<double>(point.x), static_cast<double>(point.y));
    };
    std::printf("%s of %s: at most %.4f ulp, of ", function_.name.data(), sizeof(T) == 4 ? "f32" : "f64",
                findings_.worst.error);
    print(findings_.worst);
    std::printf("; of %llu judged, %llu are not rounded correctly", number(findings_.judged),
                number(findings_.rounded_wrongly));
    if (other_) std::printf("; %llu differ between the devices", number(findings_.differing));
    if (findings_.differing != 0) std::printf(", that of "), print(findings_.differs);
    std::printf("\n");
    std::fflush(stdout);
    return findings_.worst.error <= bound && findings_.differing == 0;
  }

 private:
  using Wider = std::conditional_t<sizeof(T) == 4, double, long double>;
  static constexpr std::size_t kSparse = 1021;

  const Peer<Wider>& peer() const {
    if constexpr (sizeof(T) == 4)
      return peers_.for_f32;
    else
      return peers_.for_f64;
  }

  bool has_peer() const { return peer().of_one != nullptr || peer().of_two != nullptr; }

  static bool same(T one, T other) {
    return std::bit_cast<Bits<T>>(one) == std::bit_cast<Bits<T>>(other) || (std::isnan(one) && std::isnan(other));
  }

  double error(T x, T y, T got) const {
    if (is_excepted(function_, x)) return 0;
    const auto floor = static_cast<T>(function_.floor);
    if (!has_peer())
      return error_in_ulp<T, Wide>(got, function_.of_two ? function_.of_two(x, y) : function_.of_one(x), floor);
    const Wider exact = function_.of_two ? peer().of_two(x, y) : peer().of_one(x);
    const bool loses_sign = got == 0 && exact == 0 && std::signbit(got) != std::signbit(exact);
    return loses_sign ? INFINITY : error_in_ulp(got, exact, floor);
  }

  const Function& function_;
  Peers peers_;
  Device device_ = Device::open("cpu").value();
  std::optional<Device> other_device_;
  Evaluation<T> own_;
  std::optional<Evaluation<T>> other_;
  std::vector<T> out_, of_other_;
  Findings<T> findings_;
};

constexpr std::size_t kStep = 1U << 22;

/// Every f32 there is, or some of them.
int try_all(const Request& request) {
  bool holds = true, is_known = false;
  for (const Function& function : functions()) {
    if (function.of_two != nullptr || (request.all_f32 != "all" && request.all_f32 != function.name)) continue;
    is_known = true;
    Comparison<float> comparison(function, request.beside);
    std::vector<float> x(kStep);
    for (std::uint64_t first = 0; first < 1ULL << 32; first += kStep * request.every) {
      in_parts<float>(kStep, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n)
          x[n] = std::bit_cast<float>(static_cast<std::uint32_t>(first + n * request.every));
        return Findings<float>{};
      });
      comparison.add(x, x);
    }
    holds &= comparison.report(function.f32_bound);
  }
  return !is_known ? 2 : holds ? 0 : 1;
}

template <typename T>
bool sample(const Function& function, double bound, const Request& request) {
  Comparison<T> comparison(function, request.beside);
  std::vector<T> x(kStep), y(kStep);
  for (std::uint64_t n = 0; n < request.samples; n += kStep) {
    in_parts<T>(kStep, [&](std::size_t begin, std::size_t end) {
      Search<T> search(request.seed + n + begin);
      for (std::size_t place = begin; place < end; ++place) x[place] = search.anything(), y[place] = search.anything();
      return Findings<T>{};
    });
    comparison.add(x, y);
  }
  return comparison.report(bound);
}

/// Arguments drawn at random.
int try_many(const Request& request) {
  std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(request.seed));
  bool holds = true;
  for (const Function& function : functions()) {
    if (!request.only.empty() && request.only != function.name) continue;
    if (function.of_two != nullptr) holds &= sample<float>(function, function.f32_bound, request);
    holds &= sample<double>(function, function.f64_bound, request);
  }
  return holds ? 0 : 1;
}

int usage() {
  std::fprintf(stderr,
               "usage: pykc_accuracy [--seed N] [--points N] [--only NAME]\n"
               "       pykc_accuracy --all-f32 NAME|all [--every N] [--beside DEVICE]\n"
               "       pykc_accuracy --samples N [--seed N] [--only NAME] [--beside DEVICE]\n");
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
      request.every = std::strtoull(words[n + 1], nullptr, 10);
    else if (option == "--samples")
      request.samples = std::strtoull(words[n + 1], nullptr, 10);
    else if (option == "--beside")
      request.beside = words[n + 1];
    else
      return pykc::accuracy::usage();
  }
  if (request.every == 0) return pykc::accuracy::usage();
  if (!request.all_f32.empty()) return pykc::accuracy::try_all(request);
  return request.samples != 0 ? pykc::accuracy::try_many(request) : pykc::accuracy::run(request);
}
