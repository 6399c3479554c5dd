// The error of every function of the math library, measured against long double (64 bits of mantissa) on the CPU.
// The bounds below are what docs/math.md promises.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "ir/builder.h"
#include "tests/unit/codegen/cpu_program.h"

namespace pykc::codegen::test {
namespace {

using Reference = std::function<long double(long double, long double)>;

struct Row {
  BuiltinId id;
  double f32_bound, f64_bound;  // in units in the last place
  Reference reference;
  int arguments = 1;
};

long double reciprocal_root(long double x) { return 1 / std::sqrt(x); }

template <typename T>
std::vector<Row> rows() {
  const auto one = [](long double (*f)(long double)) { return [f](long double x, long double) { return f(x); }; };
  const auto two = [](long double (*f)(long double, long double)) { return Reference(f); };
  using L = long double;
  return {
      {BuiltinId::Sin, 1.0, 1.0, one([](L x) { return std::sin(x); })},
      {BuiltinId::Cos, 1.0, 1.0, one([](L x) { return std::cos(x); })},
      {BuiltinId::Tan, 1.0, 1.5, one([](L x) { return std::tan(x); })},
      {BuiltinId::Asin, 1.0, 1.0, one([](L x) { return std::asin(x); })},
      {BuiltinId::Acos, 1.5, 1.0, one([](L x) { return std::acos(x); })},
      {BuiltinId::Atan, 1.5, 1.0, one([](L x) { return std::atan(x); })},
      {BuiltinId::Sinh, 2.5, 1.5, one([](L x) { return std::sinh(x); })},
      {BuiltinId::Cosh, 2.5, 1.5, one([](L x) { return std::cosh(x); })},
      {BuiltinId::Tanh, 2.5, 1.0, one([](L x) { return std::tanh(x); })},
      {BuiltinId::Asinh, 2.5, 1.5, one([](L x) { return std::asinh(x); })},
      {BuiltinId::Acosh, 1.5, 1.5, one([](L x) { return std::acosh(x); })},
      {BuiltinId::Atanh, 1.0, 1.0, one([](L x) { return std::atanh(x); })},
      {BuiltinId::Exp, 1.5, 1.0, one([](L x) { return std::exp(x); })},
      {BuiltinId::Exp2, 1.0, 1.5, one([](L x) { return std::exp2(x); })},
      {BuiltinId::Exp10, 1.5, 1.5, one([](L x) { return ::exp10l(x); })},
      {BuiltinId::Expm1, 1.5, 1.5, one([](L x) { return std::expm1(x); })},
      {BuiltinId::Log, 1.0, 2.0, one([](L x) { return std::log(x); })},
      {BuiltinId::Log2, 1.0, 1.0, one([](L x) { return std::log2(x); })},
      {BuiltinId::Log10, 1.0, 1.0, one([](L x) { return std::log10(x); })},
      {BuiltinId::Log1p, 1.0, 1.0, one([](L x) { return std::log1p(x); })},
      {BuiltinId::Cbrt, 1.0, 1.0, one([](L x) { return std::cbrt(x); })},
      {BuiltinId::Rsqrt, 2.0, 2.0, one(&reciprocal_root)},
      {BuiltinId::Erf, 1.0, 1.0, one([](L x) { return std::erf(x); })},
      {BuiltinId::Erfc, 5.0, 3.5, one([](L x) { return std::erfc(x); })},
      {BuiltinId::Lgamma, 1.0, 6.0, one([](L x) { return std::lgamma(x); })},
      {BuiltinId::Gamma, 1.0, 5.0, one([](L x) { return std::tgamma(x); })},
      {BuiltinId::Pow, 1.5, 1.0, two([](L x, L y) { return std::pow(x, y); }), 2},
      {BuiltinId::Atan2, 1.0, 1.0, two([](L x, L y) { return std::atan2(x, y); }), 2},
      {BuiltinId::Hypot, 1.0, 1.0, two([](L x, L y) { return std::hypot(x, y); }), 2},
      {BuiltinId::Fmod, 0.0, 0.0, two([](L x, L y) { return std::fmod(x, y); }), 2},
      {BuiltinId::Remainder, 0.0, 0.0, two([](L x, L y) { return std::remainder(x, y); }), 2},
      {BuiltinId::Nextafter, 0.0, 0.0,
       two([](L x, L y) -> L { return std::nextafter(static_cast<T>(x), static_cast<T>(y)); }), 2},
  };
}

/// The values at which functions go wrong, and many others over the whole range.
template <typename T>
std::vector<T> points(int count) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const double special : {0.0,
                               0.5,
                               1.0,
                               1.5,
                               2.0,
                               3.0,
                               10.0,
                               35.0,
                               36.0,
                               88.0,
                               103.5,
                               128.0,
                               149.5,
                               170.0,
                               709.0,
                               745.0,
                               1074.5,
                               1e4,
                               1.5707963267948966,
                               3.141592653589793})
    for (const T value : {static_cast<T>(special), static_cast<T>(-special)})
      for (const T end : {value, Limits::infinity(), -Limits::infinity()}) values.push_back(std::nextafter(value, end));
  for (const T value : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(), Limits::denorm_min()})
    values.insert(values.end(), {value, -value});
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1), mid(-20, 20), large(-1100, 1100), exponent(-1, 1);
  for (int n = 0; n < count; ++n) {
    values.push_back(static_cast<T>(unit(random)));
    values.push_back(static_cast<T>(1 + unit(random) / 16));
    values.push_back(static_cast<T>(mid(random)));
    values.push_back(static_cast<T>(large(random)));
    values.push_back(static_cast<T>(unit(random)) * std::exp2(static_cast<T>(exponent(random) * Limits::max_exponent)));
  }
  return values;
}

/// The distance from the exact value in units of the last place of a T; infinite where only one is a number.
template <typename T>
double error_in_ulp(T got, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : INFINITY;
  if (std::isinf(got) || std::isinf(rounded)) {
    // One of the two may have rounded just over the edge.
    const auto bounded = [](T x) { return std::isinf(x) ? std::copysign(std::numeric_limits<T>::max(), x) : x; };
    return got == rounded ? 0 : bounded(got) == bounded(rounded) ? 1 : INFINITY;
  }
  if (got == 0 && rounded == 0 && exact == 0) return std::signbit(got) == std::signbit(rounded) ? 0 : INFINITY;
  const T size = std::fabs(rounded);
  const T next = std::nextafter(size, std::numeric_limits<T>::infinity());
  const T ulp = std::isinf(next) ? size - std::nextafter(size, T{0}) : next - size;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / ulp);
}

/// A module with one kernel per row: out[i] = f(x[i], y[i]).
template <typename T>
ir::Module functions_module(const std::vector<Row>& table) {
  constexpr ScalarType type = scalar_type_of<T>();
  ir::Module module;
  for (const Row& row : table) {
    auto function = std::make_unique<ir::Function>();
    function->is_kernel = true;
    function->name = function->symbol = function->kernel.name = "k" + std::to_string(static_cast<int>(row.id));
    for (const char* name : {"x", "y", "out"})
      function->parameters.push_back({.name = name, .type = ir::Type::pointer(type, ir::AddressSpace::Global)});
    ir::Builder b(*function);
    ir::Instruction* threads = function->create(ir::Opcode::ThreadLoop, ir::Type::none(), {});
    threads->blocks.resize(1);
    b.block().instructions.push_back(threads);
    b.enter(threads->blocks[0]);
    const ir::Type i64 = ir::Type::of(ScalarType::I64);
    ir::Instruction* block = b.emit(ir::Opcode::Mul, {b.builtin(BuiltinId::BlockIdxX, i64, {}), b.constant_i64(128)});
    ir::Instruction* index = b.emit(ir::Opcode::Add, {block, b.builtin(BuiltinId::ThreadIdxX, i64, {})});
    std::vector<ir::Instruction*> arguments;
    for (int n = 0; n < row.arguments; ++n)
      arguments.push_back(b.load(b.emit(ir::Opcode::ElementPointer, {b.parameter(n), index})));
    b.store(b.emit(ir::Opcode::ElementPointer, {b.parameter(2), index}),
            b.builtin(row.id, ir::Type::of(type), arguments));
    b.leave();
    b.return_();
    module.functions.push_back(std::move(function));
  }
  return module;
}

/// Where the logarithm of gamma is 0 between its poles, its relative error has no bound.
bool is_near_root(BuiltinId id, long double x) { return id == BuiltinId::Lgamma && x < -2 && x > -40; }

template <typename T>
void check_all(const std::vector<Row>& table, const char* type_name) {
  CpuProgram program(functions_module<T>(table));
  for (const Row& row : table) {
    std::vector<T> x = points<T>(row.arguments == 1 ? 4000 : 1500), y = x;
    if (row.arguments == 2) {
      const std::vector<T> few = points<T>(0);
      for (const T a : few)
        for (const T b : few) x.push_back(a), y.push_back(b);
      std::shuffle(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(x.size() / 4), std::mt19937_64(11));
    }
    while (x.size() % 128 != 0) x.push_back(1), y.push_back(1);
    std::vector<T> out(x.size());
    const void *xs = x.data(), *ys = y.data(), *outs = out.data();
    program.run("k" + std::to_string(static_cast<int>(row.id)),
                {.grid = {static_cast<std::int64_t>(x.size() / 128)}, .block = {128}}, {&xs, &ys, &outs});
    const double bound = std::is_same_v<T, float> ? row.f32_bound : row.f64_bound;
    double worst = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      if (is_near_root(row.id, x[n])) continue;
      const double error = error_in_ulp(out[n], row.reference(x[n], y[n]));
      worst = std::max(worst, error);
      EXPECT_LE(error, bound) << info(row.id).name << ' ' << type_name << " of " << x[n] << ", " << y[n] << " gave "
                              << out[n] << " instead of " << row.reference(x[n], y[n]);
      if (error > bound) break;
    }
    testing::Test::RecordProperty(std::string(info(row.id).name) + " " + type_name, std::to_string(worst));
  }
}

TEST(Math, F32WithinBounds) { check_all<float>(rows<float>(), "f32"); }
TEST(Math, F64WithinBounds) { check_all<double>(rows<double>(), "f64"); }

template <typename T>
void check_ldexp(const std::string& type) {
  CpuProgram program = CpuProgram::from_text("kernel @f(%x: ptr<" + type +
                                             ", global>, %n: ptr<i32, global>, %out: ptr<" + type + R"(, global>) {
  %0 = builtin threadIdx.x : i64
  %1 = element %x, %0
  %2 = load %1 : )" + type + R"(
  %3 = element %n, %0
  %4 = load %3 : i32
  %5 = builtin math.ldexp %2, %4 : )" + type +
                                             R"(
  %6 = element %out, %0
  store %6, %5
  return
})");
  std::vector<T> x;
  std::vector<std::int32_t> n;
  for (const double value : {0.0, -0.0, 1.0, -1.5, 1e-45, 3e38, 4e-320, 1e308, double{INFINITY}, 0.7})
    for (const std::int32_t power :
         {0, 1, -1, 10, -126, -149, -1074, 127, 300, -300, 1023, 2100, -2100, 2147483647, -2147483647 - 1})
      x.push_back(static_cast<T>(value)), n.push_back(power);
  std::vector<T> out(x.size());
  const void *xs = x.data(), *ns = n.data(), *outs = out.data();
  program.run("f", {.block = {static_cast<std::int64_t>(x.size())}}, {&xs, &ns, &outs});
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(out[i], std::ldexp(x[i], n[i])) << x[i] << " * 2**" << n[i];
    EXPECT_EQ(std::signbit(out[i]), std::signbit(x[i]));
  }
}

TEST(Math, LdexpIsExact) {
  check_ldexp<float>("f32");
  check_ldexp<double>("f64");
}

}  // namespace
}  // namespace pykc::codegen::test
