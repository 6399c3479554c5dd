// Every pure instruction, on every type it takes and on the values where things go wrong: what the CPU computes must
// be, bit for bit, what ir/evaluate/evaluate.h says.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/float_bits.h"
#include "ir/builder.h"
#include "ir/evaluate/evaluate.h"
#include "ir/verify/verifier.h"
#include "tests/unit/codegen/cpu_program.h"

namespace pykc::codegen::test {
namespace {

using enum ir::Opcode;
using ir::Scalar;

constexpr ScalarType kIntegers[] = {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64,
                                    ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64};
constexpr ScalarType kFloats[] = {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64};

std::vector<ScalarType> all_types() {
  std::vector<ScalarType> types = {ScalarType::Bool};
  types.insert(types.end(), std::begin(kIntegers), std::end(kIntegers));
  types.insert(types.end(), std::begin(kFloats), std::end(kFloats));
  return types;
}

/// Bits of interesting values of a type.
std::vector<std::uint64_t> samples(ScalarType type) {
  std::vector<std::uint64_t> bits;
  if (type == ScalarType::Bool) return {0, 1};
  if (is_integer(type)) {
    const int width = size_in_bits(type);
    for (const std::int64_t value : {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128})
      for (const std::int64_t sign : {1, -1})
        bits.push_back(ir::wrap_into(type, static_cast<std::uint64_t>(sign * value)));
    for (const std::uint64_t top : {std::uint64_t{1} << (width - 1), ~std::uint64_t{0} >> (65 - width)})
      for (const std::uint64_t step : {0, 1, 2}) bits.push_back(ir::wrap_into(type, top + step));
    for (const int shift : {12, 24, 40, 53}) bits.push_back(ir::wrap_into(type, (std::uint64_t{1} << shift) + 1));
    bits.push_back(ir::wrap_into(type, 0x0123456789abcdef));
    bits.push_back(ir::wrap_into(type, 0xfedcba9876543210));
    return bits;
  }
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0,          0.1,          0.3,     0.5,    1.0,   1.5,   2.0,    2.5,
                             3.0,          7.0,          10.0,    127.5,  128.0, 255.0, 256.0,  1e3,
                             32767.0,      65504.0,      65535.5, 1e-3,   1e-7,  6e-8,  1e-38,  1e-40,
                             2147483648.0, 4294967295.0, 9.2e18,  1.9e19, 3e38,  1e300, 1e-310, Limits::infinity(),
                             Limits::max()})
    for (const double sign : {1.0, -1.0}) bits.push_back(float_to_bits(type, sign * value));
  bits.push_back(float_to_bits(type, Limits::quiet_NaN()));
  return bits;
}

bool is_nan(ScalarType type, std::uint64_t bits) { return is_float(type) && std::isnan(float_from_bits(type, bits)); }

/// Runs `out[i] = f(in0[i], in1[i], …)` and compares with the evaluator.
class Case {
 public:
  Case(std::vector<ScalarType> inputs, ScalarType result, std::string target = "cpu")
      : inputs_(std::move(inputs)), result_(result), target_(std::move(target)) {
    auto function = std::make_unique<ir::Function>();
    function->name = function->symbol = function->kernel.name = "k";
    function->is_kernel = true;
    for (std::size_t n = 0; n < inputs_.size(); ++n) add_pointer(*function, "in" + std::to_string(n), inputs_[n]);
    add_pointer(*function, "out", result);
    function_ = function.get();
    module_.functions.push_back(std::move(function));
  }

  /// `make` builds the instruction from the inputs; `expect` evaluates it.
  template <typename Make, typename Expect>
  void run(const std::vector<std::vector<std::uint64_t>>& rows, Make make, Expect expect, const std::string& what) {
    build(make);
    ASSERT_EQ(ir::verify(module_), std::vector<std::string>{}) << what;
    std::vector<std::string> columns(inputs_.size());
    for (const auto& row : rows)
      for (std::size_t n = 0; n < row.size(); ++n)
        columns[n].append(reinterpret_cast<const char*>(&row[n]), static_cast<std::size_t>(size_in_bytes(inputs_[n])));
    const auto bytes = static_cast<std::size_t>(size_in_bytes(result_));
    std::string out(rows.size() * bytes, '\0');
    std::vector<const void*> addresses;
    for (const std::string& column : columns) addresses.push_back(column.data());
    addresses.push_back(out.data());
    std::vector<const void*> parameters;
    for (const void*& address : addresses) parameters.push_back(&address);
    CpuProgram(module_, target_).run("k", {.block = {static_cast<std::int64_t>(rows.size())}}, parameters);

    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<Scalar> operands;
      for (std::size_t n = 0; n < rows[r].size(); ++n) operands.push_back({inputs_[n], rows[r][n]});
      const std::optional<std::uint64_t> expected = expect(std::span<const Scalar>(operands));
      ASSERT_TRUE(expected.has_value()) << what;
      std::uint64_t got = 0;
      std::copy_n(out.data() + r * bytes, bytes, reinterpret_cast<char*>(&got));
      if (is_nan(result_, *expected) && is_nan(result_, got)) continue;
      EXPECT_EQ(got, *expected) << what << " of " << describe(operands);
    }
  }

 private:
  static void add_pointer(ir::Function& function, std::string name, ScalarType element) {
    function.parameters.push_back(
        {.name = std::move(name), .type = ir::Type::pointer(element, ir::AddressSpace::Global)});
  }

  template <typename Make>
  void build(Make make) {
    ir::Builder b(*function_);
    ir::Instruction* threads = function_->create(ThreadLoop, ir::Type::none(), {});
    threads->blocks.resize(1);
    b.block().instructions.push_back(threads);
    b.enter(threads->blocks[0]);
    ir::Instruction* index = b.builtin(BuiltinId::ThreadIdxX, ir::Type::of(ScalarType::I64), {});
    std::vector<ir::Instruction*> values;
    for (std::size_t n = 0; n < inputs_.size(); ++n)
      values.push_back(b.load(b.emit(ElementPointer, {b.parameter(static_cast<int>(n)), index})));
    ir::Instruction* out = b.emit(ElementPointer, {b.parameter(static_cast<int>(inputs_.size())), index});
    b.store(out, make(b, values));
    b.leave();
    b.return_();
  }

  std::string describe(const std::vector<Scalar>& operands) const {
    std::string text;
    for (const Scalar& operand : operands) {
      text += text.empty() ? "" : ", ";
      text += std::string(to_string(operand.type)) + " ";
      text += is_float(operand.type) ? std::to_string(float_from_bits(operand.type, operand.bits))
                                     : std::to_string(ir::integer_from_bits(operand.type, operand.bits));
    }
    return text;
  }

  std::vector<ScalarType> inputs_;
  ScalarType result_;
  std::string target_;
  ir::Module module_;
  ir::Function* function_ = nullptr;
};

std::vector<std::vector<std::uint64_t>> pairs(ScalarType type) {
  std::vector<std::vector<std::uint64_t>> rows;
  for (const std::uint64_t a : samples(type))
    for (const std::uint64_t b : samples(type)) rows.push_back({a, b});
  return rows;
}

std::vector<std::vector<std::uint64_t>> singles(ScalarType type) {
  std::vector<std::vector<std::uint64_t>> rows;
  for (const std::uint64_t a : samples(type)) rows.push_back({a});
  return rows;
}

std::string name_of(ir::Opcode opcode, ScalarType type) {
  return std::string(ir::info(opcode).text) + " " + std::string(to_string(type));
}

void check_binary(ir::Opcode opcode, ScalarType type, ScalarType result) {
  Case({type, type}, result)
      .run(
          pairs(type),
          [&](ir::Builder& b, const std::vector<ir::Instruction*>& v) {
            return b.emit(opcode, {v[0], v[1]});
          },
          [&](std::span<const Scalar> operands) { return ir::evaluate(opcode, result, operands); },
          name_of(opcode, type));
}

TEST(Semantics, IntegerArithmetic) {
  for (const ScalarType type : kIntegers)
    for (const ir::Opcode opcode : {Add, Sub, Mul, FloorDiv, Mod, And, Or, Xor, Shl, Shr})
      check_binary(opcode, type, type);
}

TEST(Semantics, FloatArithmetic) {
  for (const ScalarType type : kFloats)
    for (const ir::Opcode opcode : {Add, Sub, Mul, Div, FloorDiv, Mod}) check_binary(opcode, type, type);
}

TEST(Semantics, BoolArithmetic) {
  for (const ir::Opcode opcode : {And, Or, Xor, Eq, Ne}) check_binary(opcode, ScalarType::Bool, ScalarType::Bool);
}

TEST(Semantics, Comparison) {
  for (const ir::Opcode opcode : {Eq, Ne, Lt, Le, Gt, Ge}) {
    for (const ScalarType type : kIntegers) check_binary(opcode, type, ScalarType::Bool);
    for (const ScalarType type : kFloats) check_binary(opcode, type, ScalarType::Bool);
  }
}

void check_unary(ir::Opcode opcode, ScalarType type) {
  Case({type}, type)
      .run(
          singles(type), [&](ir::Builder& b, const std::vector<ir::Instruction*>& v) { return b.emit(opcode, {v[0]}); },
          [&](std::span<const Scalar> operands) { return ir::evaluate(opcode, type, operands); },
          name_of(opcode, type));
}

TEST(Semantics, NegationAndComplement) {
  for (const ScalarType type : kIntegers) check_unary(Neg, type);
  for (const ScalarType type : kIntegers) check_unary(Not, type);
  for (const ScalarType type : kFloats) check_unary(Neg, type);
  check_unary(Not, ScalarType::Bool);
}

void check_cast(ScalarType from, ScalarType to, const std::string& target) {
  if (from == to) return;
  Case({from}, to, target)
      .run(
          singles(from), [&](ir::Builder& b, const std::vector<ir::Instruction*>& v) { return b.cast(v[0], to); },
          [&](std::span<const Scalar> operands) { return ir::evaluate(Cast, to, operands); },
          "cast " + std::string(to_string(from)) + " to " + std::string(to_string(to)));
}

TEST(Semantics, CastsBetweenAllTypes) {
  for (const ScalarType from : all_types())
    for (const ScalarType to : all_types()) check_cast(from, to, "cpu");
}

void check_fma(ScalarType type, const std::string& target) {
  std::vector<std::vector<std::uint64_t>> rows;
  const std::vector<std::uint64_t> values = samples(type);
  for (std::size_t a = 0; a < values.size(); a += 3)
    for (std::size_t b = 1; b < values.size(); b += 4)
      for (std::size_t c = 2; c < values.size(); c += 5) rows.push_back({values[a], values[b], values[c]});
  Case({type, type, type}, type, target)
      .run(
          rows,
          [&](ir::Builder& b, const std::vector<ir::Instruction*>& v) {
            return b.emit(Fma, {v[0], v[1], v[2]});
          },
          [&](std::span<const Scalar> operands) { return ir::evaluate(Fma, type, operands); }, name_of(Fma, type));
}

TEST(Semantics, FusedMultiplyAdd) {
  for (const ScalarType type : {ScalarType::F32, ScalarType::F64}) check_fma(type, "cpu");
}

/// No fma, no f16 in hardware.
TEST(Semantics, OldProcessor) {
  const std::string old = "cpu:x86-64-v2";
  for (const ScalarType type : all_types()) {
    check_cast(ScalarType::F16, type, old);
    check_cast(type, ScalarType::F16, old);
  }
  check_fma(ScalarType::F32, old);
  check_fma(ScalarType::F64, old);
}

void check_builtin(BuiltinId builtin, std::vector<ScalarType> inputs, ScalarType result,
                   const std::vector<std::vector<std::uint64_t>>& rows) {
  Case(std::move(inputs), result)
      .run(
          rows,
          [&](ir::Builder& b, const std::vector<ir::Instruction*>& v) {
            return b.builtin(builtin, ir::Type::of(result), v);
          },
          [&](std::span<const Scalar> operands) { return ir::evaluate(builtin, operands); },
          std::string(info(builtin).name) + " " + std::string(to_string(result)));
}

TEST(Semantics, IntegerBuiltins) {
  for (const ScalarType type : kIntegers) {
    for (const BuiltinId id : {BuiltinId::Popc, BuiltinId::Clz, BuiltinId::Ffs})
      check_builtin(id, {type}, ScalarType::I32, singles(type));
    check_builtin(BuiltinId::Brev, {type}, type, singles(type));
    check_builtin(BuiltinId::Abs, {type}, type, singles(type));
    for (const BuiltinId id : {BuiltinId::Min, BuiltinId::Max, BuiltinId::PowInt})
      check_builtin(id, {type, type}, type, pairs(type));
  }
}

TEST(Semantics, FloatBuiltins) {
  for (const ScalarType type : kFloats) {
    for (const BuiltinId id : {BuiltinId::Isnan, BuiltinId::Isinf, BuiltinId::Isfinite})
      check_builtin(id, {type}, ScalarType::Bool, singles(type));
    check_builtin(BuiltinId::Abs, {type}, type, singles(type));
    check_builtin(BuiltinId::Min, {type, type}, type, pairs(type));
    check_builtin(BuiltinId::Max, {type, type}, type, pairs(type));
  }
  for (const ScalarType type : {ScalarType::F32, ScalarType::F64}) {
    for (const BuiltinId id : {BuiltinId::Round, BuiltinId::Sqrt, BuiltinId::Floor, BuiltinId::Ceil, BuiltinId::Trunc,
                               BuiltinId::Fabs, BuiltinId::Degrees, BuiltinId::Radians})
      check_builtin(id, {type}, type, singles(type));
    check_builtin(BuiltinId::Copysign, {type, type}, type, pairs(type));
  }
}

}  // namespace
}  // namespace pykc::codegen::test
