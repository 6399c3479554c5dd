// Complex numbers: pairs of floats. What meets a complex number becomes one by the rules of floats: the result has the
// parts that arithmetic between the parts would have. A real operand has no imaginary part, so that `z * x` scales z.
#include <cstdlib>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

using checked::BinaryOp;
using checked::CompareOp;

Value TreeBuilder::complex(const checked::Expr* real, const checked::Expr* imaginary, Weak weak, SourceRange range) {
  const Weak part = weak == Weak::Complex ? Weak::Float : Weak::No;
  Value result = record(complex_type(real->type.scalar), {{real, part, {}}, {imaginary, part, {}}}, range);
  result.weak = weak;
  return result;
}

/// A stand-in for the type rules: a float of the type, and the weakness, that the parts have.
Value Body::part_of(const Value& number) {
  if (!number.is_complex()) return number;
  const ScalarType part = number.type().record->fields.front().type.scalar;
  const Weak weak = number.weak == Weak::Complex ? Weak::Float : Weak::No;
  return {tree_.scalar(part, number.range(), checked::VariableRef{nullptr}), weak, {}};
}

Body::Unified Body::unify_parts(const Value& a, const Value& b, SourceRange range) {
  const Value left = part_of(a), right = part_of(b);
  note_double(left, right, range, Narrowing::Never);
  const Unified unified = *unify(left, right, rules_->arithmetic);  // one of them is a float, which meets everything
  return {unified.type, unified.weak == Weak::No ? Weak::No : Weak::Complex};
}

/// Evaluates the number once; `make` gets its two parts, the second null for a real one, and may use each repeatedly.
template <typename Make>
const checked::Expr* Body::with_complex(const Value& number, ScalarType part, Make make) {
  if (number.is_scalar())
    return with_temporary(tree_.convert(number, part), [&](const Expr* real) { return make(real, nullptr); });
  return with_parts(number, [&](const std::vector<Value>& parts) {
    const auto part_value = [&](std::size_t i) {
      const Weak weak = number.weak == Weak::Complex ? Weak::Float : parts[i].weak;
      return tree_.convert({parts[i].expr, weak, {}}, part);
    };
    return with_temporary(part_value(0), [&](const Expr* real) {
      return with_temporary(part_value(1), [&](const Expr* imaginary) { return make(real, imaginary); });
    });
  });
}

/// Both operands as parts of one type; `make` gives the result, a complex number.
template <typename Make>
Value Body::complex_result(const Value& left, const Value& right, SourceRange range, Make make) {
  const Unified unified = unify_parts(left, right, range);
  const Expr* result = with_complex(left, unified.type, [&](const Expr* a, const Expr* b) {
    return with_complex(right, unified.type, [&](const Expr* c, const Expr* d) {
      return make(Parts{a, b}, Parts{c, d}).expr;
    });
  });
  return {result, unified.weak, {}};
}

Value Body::complex_binary(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range) {
  const auto node = [&](BinaryOp part_op, const Expr* a, const Expr* b) { return tree_.binary(part_op, a, b, range); };
  switch (op) {
    case ast::BinaryOp::Add:
    case ast::BinaryOp::Sub:
      return complex_result(left, right, range, [&](Parts a, Parts b) {
        const BinaryOp part_op = op == ast::BinaryOp::Add ? BinaryOp::Add : BinaryOp::Sub;
        const Expr* imaginary = a.imaginary && b.imaginary ? node(part_op, a.imaginary, b.imaginary)
                                : a.imaginary              ? a.imaginary
                                : op == ast::BinaryOp::Add ? b.imaginary
                                                           : tree_.unary(checked::UnaryOp::Negate, b.imaginary, range);
        return tree_.complex(node(part_op, a.real, b.real), imaginary, Weak::No, range);
      });
    case ast::BinaryOp::Mul:
      return complex_result(left, right, range, [&](Parts a, Parts b) { return complex_product(a, b, range); });
    case ast::BinaryOp::Div:
      return complex_result(left, right, range, [&](Parts a, Parts b) { return complex_quotient(a, b, range); });
    case ast::BinaryOp::Pow:
      return complex_power(left, right, range);
    default:
      report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right))
          .note("complex numbers have `+ - * / **`, `==` and `!=`");
      return {};
  }
}

Value Body::complex_product(Parts a, Parts b, SourceRange range) {
  const auto times = [&](const Expr* x, const Expr* y) { return tree_.binary(BinaryOp::Mul, x, y, range); };
  if (!a.imaginary) std::swap(a, b);
  if (!b.imaginary) return tree_.complex(times(a.real, b.real), times(a.imaginary, b.real), Weak::No, range);
  const Expr* real = tree_.binary(BinaryOp::Sub, times(a.real, b.real), times(a.imaginary, b.imaginary), range);
  const Expr* imaginary = tree_.binary(BinaryOp::Add, times(a.real, b.imaginary), times(a.imaginary, b.real), range);
  return tree_.complex(real, imaginary, Weak::No, range);
}

/// Smith's algorithm: the larger part of the divisor is divided out first, so that no square overflows.
Value Body::complex_quotient(Parts a, Parts b, SourceRange range) {
  const auto node = [&](BinaryOp op, const Expr* x, const Expr* y) { return tree_.binary(op, x, y, range); };
  const ScalarType type = a.real->type.scalar;
  if (!a.imaginary) a.imaginary = tree_.bits(type, 0, range);
  if (!b.imaginary)
    return tree_.complex(node(BinaryOp::Div, a.real, b.real), node(BinaryOp::Div, a.imaginary, b.real), Weak::No,
                         range);
  const auto magnitude = [&](const Expr* x) { return builtin_result(BuiltinId::Abs, {x}, type, range).expr; };
  const Expr* is_real = tree_.compare(CompareOp::Ge, magnitude(b.real), magnitude(b.imaginary), range);
  const Expr* result = with_temporary(is_real, [&](const Expr* test) {
    const auto pick = [&](const Expr* x, const Expr* y) { return tree_.conditional(test, x, y); };
    return with_temporary(pick(b.real, b.imaginary), [&](const Expr* larger) {
      return with_temporary(pick(b.imaginary, b.real), [&](const Expr* smaller) {
        return with_temporary(node(BinaryOp::Div, smaller, larger), [&](const Expr* ratio) {
          const Expr* sum = node(BinaryOp::Add, larger, node(BinaryOp::Mul, smaller, ratio));
          return with_temporary(sum, [&](const Expr* divisor) {
            // With the parts of a in the order of b's: (p + q r) / d and ± (q - p r) / d.
            const Expr *p = pick(a.real, a.imaginary), *q = pick(a.imaginary, a.real);
            return with_temporary(p, [&](const Expr* first) {
              return with_temporary(q, [&](const Expr* second) {
                const Expr* real = node(BinaryOp::Add, first, node(BinaryOp::Mul, second, ratio));
                const Expr* cross = node(BinaryOp::Sub, second, node(BinaryOp::Mul, first, ratio));
                const Expr* imaginary = pick(cross, tree_.unary(checked::UnaryOp::Negate, cross, range));
                return tree_
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

/// A small constant exponent multiplies, as for reals; otherwise by way of polar coordinates, as Python does it.
Value Body::complex_power(const Value& base, const Value& exponent, SourceRange range) {
  if (const std::optional<int> count = count_of_factors(exponent)) {
    const Expr* result = with_temporary(base.expr, [&](const Expr* kept) {
      return factors(Value{kept, base.weak, {}}, std::abs(*count), range).expr;
    });
    const Value product{result, base.weak, {}};
    return *count < 0 ? binary(ast::BinaryOp::Div, tree_.weak_real(1, range), product, range) : product;
  }
  return complex_result(base, exponent, range, [&](Parts a, Parts b) { return polar_power(a, b, range); });
}

Value Body::factors(const Value& base, int count, SourceRange range) {
  const ScalarType type = part_of(base).scalar();
  if (count == 0) return tree_.complex(tree_.real(1, type, range), tree_.real(0, type, range), base.weak, range);
  if (count == 1) return base;
  const Value half = factors(base, count / 2, range);
  const Expr* square = with_temporary(half.expr, [&](const Expr* kept) {
    const Value again{kept, base.weak, {}};
    return binary(ast::BinaryOp::Mul, again, again, range).expr;
  });
  const Value even{square, base.weak, {}};
  return count % 2 == 0 ? even : binary(ast::BinaryOp::Mul, even, base, range);
}

Value Body::polar_power(Parts a, Parts b, SourceRange range) {
  const ScalarType type = a.real->type.scalar;
  const auto node = [&](BinaryOp op, const Expr* x, const Expr* y) { return tree_.binary(op, x, y, range); };
  const auto call = [&](BuiltinId id, std::vector<const Expr*> arguments) {
    return builtin_result(id, std::move(arguments), type, range).expr;
  };
  const Expr* zero = tree_.bits(type, 0, range);
  if (!a.imaginary) a.imaginary = zero;
  const Expr* result = with_temporary(call(BuiltinId::Hypot, {a.real, a.imaginary}), [&](const Expr* radius) {
    return with_temporary(call(BuiltinId::Atan2, {a.imaginary, a.real}), [&](const Expr* angle) {
      const Expr* length = call(BuiltinId::Pow, {radius, b.real});
      const Expr* phase = node(BinaryOp::Mul, angle, b.real);
      if (b.imaginary) {
        const Expr* turned = tree_.unary(checked::UnaryOp::Negate, node(BinaryOp::Mul, angle, b.imaginary), range);
        length = node(BinaryOp::Mul, length, call(BuiltinId::Exp, {turned}));
        // An exponent without an imaginary part turns nothing, also where the logarithm is infinite.
        const Expr* is_real = tree_.compare(CompareOp::Eq, b.imaginary, zero, range);
        const Expr* turn = node(BinaryOp::Mul, b.imaginary, call(BuiltinId::Log, {radius}));
        phase = node(BinaryOp::Add, phase, tree_.conditional(is_real, zero, turn));
      }
      return with_temporary(length, [&](const Expr* l) {
        return with_temporary(phase, [&](const Expr* p) {
          const auto part = [&](BuiltinId id) { return node(BinaryOp::Mul, l, call(id, {p})); };
          return tree_.complex(part(BuiltinId::Cos), part(BuiltinId::Sin), Weak::No, range).expr;
        });
      });
    });
  });
  return TreeBuilder::strong(result);
}

Value Body::complex_negate(ast::UnaryOp op, const Value& operand, SourceRange range) {
  if (op == ast::UnaryOp::Plus) return operand;
  const Expr* result = with_complex(operand, part_of(operand).scalar(), [&](const Expr* a, const Expr* b) {
    const auto negative = [&](const Expr* x) { return tree_.unary(checked::UnaryOp::Negate, x, range); };
    return tree_.complex(negative(a), negative(b), operand.weak, range).expr;
  });
  return {result, operand.weak, {}};
}

Value Body::conjugate(const Value& operand, SourceRange range) {
  const Expr* result = with_complex(operand, part_of(operand).scalar(), [&](const Expr* a, const Expr* b) {
    return tree_.complex(a, tree_.unary(checked::UnaryOp::Negate, b, range), operand.weak, range).expr;
  });
  return {result, operand.weak, {}};
}

Value Body::complex_magnitude(const Value& operand, SourceRange range) {
  const ScalarType part = part_of(operand).scalar();
  return TreeBuilder::strong(with_complex(operand, part, [&](const Expr* a, const Expr* b) {
    return builtin_result(BuiltinId::Hypot, {a, b}, part, range).expr;
  }));
}

Value Body::compare_complex(ast::CompareOp op, const Value& left, const Value& right, SourceRange range) {
  const bool is_equality = op == ast::CompareOp::Eq;
  const auto part_op = is_equality ? CompareOp::Eq : CompareOp::Ne;
  const ScalarType part = unify_parts(left, right, range).type;
  const Expr* zero = tree_.bits(part, 0, range);
  return TreeBuilder::strong(with_complex(left, part, [&](const Expr* a, const Expr* b) {
    return with_complex(right, part, [&](const Expr* c, const Expr* d) {
      const Expr* imaginary = tree_.compare(part_op, b ? b : zero, d ? d : zero, range);
      return tree_.logical(is_equality, tree_.compare(part_op, a, c, range), imaginary, range);
    });
  }));
}

/// The number as a complex one whose parts have that type.
Value Body::to_complex(const Value& number, ScalarType part, SourceRange range) {
  const bool is_there = number.is_complex() && number.weak == Weak::No && part_of(number).scalar() == part;
  if (is_there) return number;
  return TreeBuilder::strong(with_complex(number, part, [&](const Expr* a, const Expr* b) {
    return tree_.complex(a, b ? b : tree_.bits(part, 0, range), Weak::No, range).expr;
  }));
}

/// `c64(x)`, `c64(re, im)`
Entity Body::call_complex(const RecordRef& type, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"real", "imag"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, type->name, kParameters, 1, "(real, imag=0)");
  if (!arguments) return Unknown{};
  const ScalarType part = type->fields.front().type.scalar;
  const Value real = value(*(*arguments)[0]);
  if (!real.known() || (!real.is_complex() && !require_scalar(real, type->name))) return Unknown{};
  if (!(*arguments)[1]) return to_complex(real, part, range);
  const Value imaginary = scalar(*(*arguments)[1], type->name);
  if (!imaginary.known() || !require_scalar(real, type->name)) return Unknown{};
  return tree_.complex(tree_.convert(real, part), tree_.convert(imaginary, part), Weak::No, range);
}

/// `complex(re, im)`, `complex(*t)`
Entity Body::call_python_complex(const ast::Call& call, SourceRange range) {
  if (const auto* starred = call.arguments.size() == 1 ? call.arguments[0]->as<ast::Starred>() : nullptr)
    return complex_of_tuple(value(*starred->value), range);
  constexpr std::string_view kParameters[] = {"real", "imag"};
  const std::optional<Arguments> arguments = bind_arguments(call, range, "complex", kParameters, 1, "(real, imag=0)");
  if (!arguments) return Unknown{};
  const Value real = value(*(*arguments)[0]);
  if (!real.known() || real.is_complex()) return real;
  return complex_of(real, (*arguments)[1] ? value(*(*arguments)[1]) : tree_.weak_real(0, range), range);
}

Entity Body::complex_of_tuple(const Value& tuple, SourceRange range) {
  if (!tuple.known()) return Unknown{};
  if (!tuple.is_tuple() || tuple.type().elements.size() != 2) {
    report(tuple.range(), DiagnosticId::OperandType, "`complex(*t)`", describe(tuple))
        .note("it takes a tuple of two numbers");
    return Unknown{};
  }
  const Expr* made =
      with_parts(tuple, [&](const std::vector<Value>& parts) { return complex_of(parts[0], parts[1], range).expr; });
  return made ? Entity(TreeBuilder::strong(made)) : Entity(Unknown{});
}

/// It has the parts that re and im have in common: a c64 of f32, else a c128; of literals, a weak one.
Value Body::complex_of(const Value& real, const Value& imaginary, SourceRange range) {
  if (!require_scalar(real, "`complex`") || !require_scalar(imaginary, "`complex`")) return {};
  const std::optional<Unified> unified = unify(real, imaginary, rules_->arithmetic);
  const bool is_weak = real.is_weak() && imaginary.is_weak();
  const bool is_single = unified && is_float(unified->type) && size_in_bytes(unified->type) <= 4;
  const ScalarType part = is_single ? ScalarType::F32 : ScalarType::F64;
  return tree_.complex(tree_.convert(real, part), tree_.convert(imaginary, part), is_weak ? Weak::Complex : Weak::No,
                       range);
}

}  // namespace pykc::checker
