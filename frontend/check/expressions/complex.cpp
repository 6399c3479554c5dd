// Complex numbers: pairs of floats. What meets a complex number becomes one by the rules of floats: the result has the
// parts that arithmetic between the parts would have. A real operand has no imaginary part, so that `z * x` scales z.
#include "frontend/check/expressions/complex.h"

#include <cstdlib>

#include "frontend/check/calls/builtin.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/power.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {

using checked::BinaryOp;
using checked::CompareOp;

namespace {

/// Evaluates the number once; `make` gets its two parts, the second null for a real one, and may use each repeatedly.
template <typename Make>
const checked::Expr* with_complex(FunctionChecker& checker, const Value& number, ScalarType part, Make make) {
  if (number.is_scalar())
    return with_temporary(checker, checker.tree.convert(number, part),
                          [&](const Expr* real) { return make(real, nullptr); });
  return with_parts(checker, number, [&](const std::vector<Value>& parts) {
    const auto part_value = [&](std::size_t i) {
      const Weak weak = number.weak == Weak::Complex ? Weak::Float : parts[i].weak;
      return checker.tree.convert({parts[i].expr, weak, {}}, part);
    };
    return with_temporary(checker, part_value(0), [&](const Expr* real) {
      return with_temporary(checker, part_value(1), [&](const Expr* imaginary) { return make(real, imaginary); });
    });
  });
}

/// Takes both operands apart into parts of one type, of which `make` makes the result, a complex number.
template <typename Make>
Value complex_result(FunctionChecker& checker, const Value& left, const Value& right, SourceRange range, Make make) {
  const Unified unified = unify_parts(checker, left, right, range);
  const Expr* result = with_complex(checker, left, unified.type, [&](const Expr* a, const Expr* b) {
    return with_complex(checker, right, unified.type, [&](const Expr* c, const Expr* d) {
      return make(Parts{a, b}, Parts{c, d}).expr;
    });
  });
  return {result, unified.weak, {}};
}

Value complex_product(FunctionChecker& checker, Parts a, Parts b, SourceRange range) {
  const auto times = [&](const Expr* x, const Expr* y) { return checker.tree.binary(BinaryOp::Mul, x, y, range); };
  if (!a.imaginary) std::swap(a, b);
  if (!b.imaginary) return checker.tree.complex(times(a.real, b.real), times(a.imaginary, b.real), Weak::No, range);
  const Expr* real = checker.tree.binary(BinaryOp::Sub, times(a.real, b.real), times(a.imaginary, b.imaginary), range);
  const Expr* imaginary =
      checker.tree.binary(BinaryOp::Add, times(a.real, b.imaginary), times(a.imaginary, b.real), range);
  return checker.tree.complex(real, imaginary, Weak::No, range);
}

/// Smith's algorithm: the larger part of the divisor is divided out first, so that no square overflows.
Value complex_quotient(FunctionChecker& checker, Parts a, Parts b, SourceRange range) {
  const auto node = [&](BinaryOp op, const Expr* x, const Expr* y) { return checker.tree.binary(op, x, y, range); };
  const ScalarType type = a.real->type->scalar;
  if (!a.imaginary) a.imaginary = checker.tree.bits(type, 0, range);
  if (!b.imaginary)
    return checker.tree.complex(node(BinaryOp::Div, a.real, b.real), node(BinaryOp::Div, a.imaginary, b.real), Weak::No,
                                range);
  const auto magnitude = [&](const Expr* x) { return builtin_result(checker, BuiltinId::Abs, {x}, type, range).expr; };
  const Expr* is_real = checker.tree.compare(CompareOp::Ge, magnitude(b.real), magnitude(b.imaginary), range);
  const Expr* result = with_temporary(checker, is_real, [&](const Expr* test) {
    const auto pick = [&](const Expr* x, const Expr* y) { return checker.tree.conditional(test, x, y); };
    return with_temporary(checker, pick(b.real, b.imaginary), [&](const Expr* larger) {
      return with_temporary(checker, pick(b.imaginary, b.real), [&](const Expr* smaller) {
        return with_temporary(checker, node(BinaryOp::Div, smaller, larger), [&](const Expr* ratio) {
          const Expr* sum = node(BinaryOp::Add, larger, node(BinaryOp::Mul, smaller, ratio));
          return with_temporary(checker, sum, [&](const Expr* divisor) {
            // With the parts of a in the order of b's: (p + q r) / d and (q - p r) / d, or (p r - q) / d, which is no
            // negated difference: that would turn the sign of a zero.
            const Expr *p = pick(a.real, a.imaginary), *q = pick(a.imaginary, a.real);
            return with_temporary(checker, p, [&](const Expr* first) {
              return with_temporary(checker, q, [&](const Expr* second) {
                const Expr* real = node(BinaryOp::Add, first, node(BinaryOp::Mul, second, ratio));
                const Expr* imaginary = pick(node(BinaryOp::Sub, second, node(BinaryOp::Mul, first, ratio)),
                                             node(BinaryOp::Sub, node(BinaryOp::Mul, first, ratio), second));
                return checker.tree
                    .complex(node(BinaryOp::Div, real, divisor), node(BinaryOp::Div, imaginary, divisor), Weak::No,
                             range)
                    .expr;
              });
            });
          });
        });
      });
    });
  });
  return TreeBuilder::strong(result);
}

Value factors(FunctionChecker& checker, const Value& base, int count, SourceRange range) {
  const ScalarType type = part_of(checker, base).scalar();
  if (count == 0)
    return checker.tree.complex(checker.tree.real(1, type, range), checker.tree.real(0, type, range), base.weak, range);
  if (count == 1) return base;
  const Value half = factors(checker, base, count / 2, range);
  const Expr* square = with_temporary(checker, half.expr, [&](const Expr* kept) {
    const Value again{kept, base.weak, {}};
    return binary(checker, ast::BinaryOp::Mul, again, again, range).expr;
  });
  const Value even{square, base.weak, {}};
  return count % 2 == 0 ? even : binary(checker, ast::BinaryOp::Mul, even, base, range);
}

Value polar_power(FunctionChecker& checker, Parts a, Parts b, SourceRange range) {
  const ScalarType type = a.real->type->scalar;
  const auto node = [&](BinaryOp op, const Expr* x, const Expr* y) { return checker.tree.binary(op, x, y, range); };
  const auto call = [&](BuiltinId id, std::vector<const Expr*> arguments) {
    return builtin_result(checker, id, std::move(arguments), type, range).expr;
  };
  const Expr* zero = checker.tree.bits(type, 0, range);
  if (!a.imaginary) a.imaginary = zero;
  const Expr* result = with_temporary(checker, call(BuiltinId::Hypot, {a.real, a.imaginary}), [&](const Expr* radius) {
    return with_temporary(checker, call(BuiltinId::Atan2, {a.imaginary, a.real}), [&](const Expr* angle) {
      const Expr* length = call(BuiltinId::Pow, {radius, b.real});
      const Expr* phase = node(BinaryOp::Mul, angle, b.real);
      if (b.imaginary) {
        const Expr* turned =
            checker.tree.unary(checked::UnaryOp::Negate, node(BinaryOp::Mul, angle, b.imaginary), range);
        length = node(BinaryOp::Mul, length, call(BuiltinId::Exp, {turned}));
        // An exponent without an imaginary part turns nothing, also where the logarithm is infinite.
        const Expr* is_real = checker.tree.compare(CompareOp::Eq, b.imaginary, zero, range);
        const Expr* turn = node(BinaryOp::Mul, b.imaginary, call(BuiltinId::Log, {radius}));
        phase = node(BinaryOp::Add, phase, checker.tree.conditional(is_real, zero, turn));
      }
      return with_temporary(checker, length, [&](const Expr* l) {
        return with_temporary(checker, phase, [&](const Expr* p) {
          const auto part = [&](BuiltinId id) { return node(BinaryOp::Mul, l, call(id, {p})); };
          return checker.tree.complex(part(BuiltinId::Cos), part(BuiltinId::Sin), Weak::No, range).expr;
        });
      });
    });
  });
  return TreeBuilder::strong(result);
}

/// A small constant exponent multiplies, as for reals; otherwise by way of polar coordinates, as Python does it.
Value complex_power(FunctionChecker& checker, const Value& base, const Value& exponent, SourceRange range) {
  if (const std::optional<int> count = count_of_factors(checker, exponent)) {
    const Expr* result = with_temporary(checker, base.expr, [&](const Expr* kept) {
      return factors(checker, Value{kept, base.weak, {}}, std::abs(*count), range).expr;
    });
    const Value product{result, base.weak, {}};
    return *count < 0 ? binary(checker, ast::BinaryOp::Div, checker.tree.weak_real(1, range), product, range) : product;
  }
  return complex_result(checker, base, exponent, range,
                        [&](Parts a, Parts b) { return polar_power(checker, a, b, range); });
}

/// It has the parts that re and im have in common: a c64 of f32, else a c128; of literals, a weak one.
Value complex_of(FunctionChecker& checker, const Value& real, const Value& imaginary, SourceRange range) {
  if (!require_scalar(checker, real, "`complex`") || !require_scalar(checker, imaginary, "`complex`")) return {};
  const std::optional<Unified> unified = unify(checker, real, imaginary, checker.rules->arithmetic);
  const bool is_weak = real.is_weak() && imaginary.is_weak();
  const bool is_single = unified && is_float(unified->type) && size_in_bytes(unified->type) <= 4;
  const ScalarType part = is_single ? ScalarType::F32 : ScalarType::F64;
  return checker.tree.complex(checker.tree.convert(real, part), checker.tree.convert(imaginary, part),
                              is_weak ? Weak::Complex : Weak::No, range);
}

Entity complex_of_tuple(FunctionChecker& checker, const Value& tuple, SourceRange range) {
  if (!tuple.known()) return Unknown{};
  if (!tuple.is_tuple() || tuple.type()->elements.size() != 2) {
    checker.report(tuple.range(), DiagnosticId::OperandType, "`complex(*t)`", describe(tuple))
        .note("it takes a tuple of two numbers");
    return Unknown{};
  }
  const Expr* made = with_parts(checker, tuple, [&](const std::vector<Value>& parts) {
    return complex_of(checker, parts[0], parts[1], range).expr;
  });
  return made ? Entity(TreeBuilder::strong(made)) : Entity(Unknown{});
}

}  // namespace

Value TreeBuilder::complex(const checked::Expr* real, const checked::Expr* imaginary, Weak weak, SourceRange range) {
  const Weak part = weak == Weak::Complex ? Weak::Float : Weak::No;
  Value result = record(complex_type(real->type->scalar), {{real, part, {}}, {imaginary, part, {}}}, range);
  result.weak = weak;
  return result;
}

/// A stand-in for the type rules: a float of the type, and the weakness, that the parts have.
Value part_of(FunctionChecker& checker, const Value& number) {
  if (!number.is_complex()) return number;
  const ScalarType part = number.type()->record->fields.front().type.scalar;
  const Weak weak = number.weak == Weak::Complex ? Weak::Float : Weak::No;
  return {checker.tree.scalar(part, number.range(), checked::VariableRef{nullptr}), weak, {}};
}

Unified unify_parts(FunctionChecker& checker, const Value& a, const Value& b, SourceRange range) {
  const Value left = part_of(checker, a), right = part_of(checker, b);
  note_double(checker, left, right, range, Narrowing::Never);
  const Unified unified =
      *unify(checker, left, right, checker.rules->arithmetic);  // one of them is a float, which meets everything
  return {unified.type, unified.weak == Weak::No ? Weak::No : Weak::Complex};
}

Value complex_binary(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                     SourceRange range) {
  const auto node = [&](BinaryOp part_op, const Expr* a, const Expr* b) {
    return checker.tree.binary(part_op, a, b, range);
  };
  switch (op) {
    case ast::BinaryOp::Add:
    case ast::BinaryOp::Sub:
      return complex_result(checker, left, right, range, [&](Parts a, Parts b) {
        const BinaryOp part_op = op == ast::BinaryOp::Add ? BinaryOp::Add : BinaryOp::Sub;
        const Expr* imaginary = a.imaginary && b.imaginary ? node(part_op, a.imaginary, b.imaginary)
                                : a.imaginary              ? a.imaginary
                                : op == ast::BinaryOp::Add
                                    ? b.imaginary
                                    : checker.tree.unary(checked::UnaryOp::Negate, b.imaginary, range);
        return checker.tree.complex(node(part_op, a.real, b.real), imaginary, Weak::No, range);
      });
    case ast::BinaryOp::Mul:
      return complex_result(checker, left, right, range,
                            [&](Parts a, Parts b) { return complex_product(checker, a, b, range); });
    case ast::BinaryOp::Div:
      return complex_result(checker, left, right, range,
                            [&](Parts a, Parts b) { return complex_quotient(checker, a, b, range); });
    case ast::BinaryOp::Pow:
      return complex_power(checker, left, right, range);
    case ast::BinaryOp::FloorDiv:
    case ast::BinaryOp::Mod:
    case ast::BinaryOp::MatMul:
    case ast::BinaryOp::LeftShift:
    case ast::BinaryOp::RightShift:
    case ast::BinaryOp::And:
    case ast::BinaryOp::Or:
    case ast::BinaryOp::Xor:
      break;
  }
  checker.report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right))
      .note("complex numbers have `+ - * / **`, `==` and `!=`");
  return {};
}

Value complex_negate(FunctionChecker& checker, ast::UnaryOp op, const Value& operand, SourceRange range) {
  if (op == ast::UnaryOp::Plus) return operand;
  const Expr* result =
      with_complex(checker, operand, part_of(checker, operand).scalar(), [&](const Expr* a, const Expr* b) {
        const auto negative = [&](const Expr* x) { return checker.tree.unary(checked::UnaryOp::Negate, x, range); };
        return checker.tree.complex(negative(a), negative(b), operand.weak, range).expr;
      });
  return {result, operand.weak, {}};
}

Value conjugate(FunctionChecker& checker, const Value& operand, SourceRange range) {
  const Expr* result =
      with_complex(checker, operand, part_of(checker, operand).scalar(), [&](const Expr* a, const Expr* b) {
        return checker.tree.complex(a, checker.tree.unary(checked::UnaryOp::Negate, b, range), operand.weak, range)
            .expr;
      });
  return {result, operand.weak, {}};
}

Value complex_magnitude(FunctionChecker& checker, const Value& operand, SourceRange range) {
  const ScalarType part = part_of(checker, operand).scalar();
  return TreeBuilder::strong(with_complex(checker, operand, part, [&](const Expr* a, const Expr* b) {
    return builtin_result(checker, BuiltinId::Hypot, {a, b}, part, range).expr;
  }));
}

Value compare_complex(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                      SourceRange range) {
  const bool is_equality = op == ast::CompareOp::Eq;
  const auto part_op = is_equality ? CompareOp::Eq : CompareOp::Ne;
  const ScalarType part = unify_parts(checker, left, right, range).type;
  const Expr* zero = checker.tree.bits(part, 0, range);
  return TreeBuilder::strong(with_complex(checker, left, part, [&](const Expr* a, const Expr* b) {
    return with_complex(checker, right, part, [&](const Expr* c, const Expr* d) {
      const Expr* imaginary = checker.tree.compare(part_op, b ? b : zero, d ? d : zero, range);
      return checker.tree.logical(is_equality, checker.tree.compare(part_op, a, c, range), imaginary, range);
    });
  }));
}

/// The number as a complex one whose parts have that type.
Value to_complex(FunctionChecker& checker, const Value& number, ScalarType part, SourceRange range) {
  const bool is_there = number.is_complex() && number.weak == Weak::No && part_of(checker, number).scalar() == part;
  if (is_there) return number;
  return TreeBuilder::strong(with_complex(checker, number, part, [&](const Expr* a, const Expr* b) {
    return checker.tree.complex(a, b ? b : checker.tree.bits(part, 0, range), Weak::No, range).expr;
  }));
}

/// `c64(x)`, `c64(re, im)`
Entity call_complex(FunctionChecker& checker, const RecordRef& type, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"real", "imag"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, type->name, kParameters, 1, "(real, imag=0)");
  if (!arguments) return Unknown{};
  const ScalarType part = type->fields.front().type.scalar;
  const Value real = checker.value(*(*arguments)[0]);
  if (!real.known() || (!real.is_complex() && !require_scalar(checker, real, type->name))) return Unknown{};
  if (!(*arguments)[1]) return to_complex(checker, real, part, range);
  const Value imaginary = scalar(checker, *(*arguments)[1], type->name);
  if (!imaginary.known() || !require_scalar(checker, real, type->name)) return Unknown{};
  return checker.tree.complex(checker.tree.convert(real, part), checker.tree.convert(imaginary, part), Weak::No, range);
}

/// `complex(re, im)`, `complex(*t)`
Entity call_python_complex(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  if (const auto* starred = call.arguments.size() == 1 ? call.arguments[0]->as<ast::Starred>() : nullptr)
    return complex_of_tuple(checker, checker.value(*starred->value), range);
  constexpr std::string_view kParameters[] = {"real", "imag"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "complex", kParameters, 1, info(LanguageFunction::PythonComplex).signature);
  if (!arguments) return Unknown{};
  const Value real = checker.value(*(*arguments)[0]);
  if (!real.known() || real.is_complex()) return real;
  return complex_of(checker, real, (*arguments)[1] ? checker.value(*(*arguments)[1]) : checker.tree.weak_real(0, range),
                    range);
}

}  // namespace pykc::checker
