#include "frontend/lower/stmt.h"

#include <utility>

#include "frontend/lower/array.h"
#include "frontend/lower/atomic.h"
#include "frontend/lower/builtin.h"
#include "frontend/lower/expr.h"
#include "frontend/lower/function.h"
#include "frontend/lower/loop.h"
#include "frontend/lower/record.h"
#include "frontend/lower/view.h"

namespace pykc::lowering {
namespace {

struct Conversion {
  std::string_view text;
  ScalarType type;  // what the operand is converted to
};

Conversion conversion_of(const checked::Print::Piece& piece) {
  const ScalarType type = piece.value->type->scalar;
  if (piece.has_six_decimals) return {"%f", ScalarType::F64};
  if (type == ScalarType::Bool) return {"%s", type};
  if (type == ScalarType::F64) return {"%.15g", type};
  if (is_float(type)) return {"%g", ScalarType::F64};
  if (is_signed_integer(type)) return {"%lld", ScalarType::I64};
  return {"%llu", ScalarType::U64};
}

std::string with_doubled_percent(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '%' ? 2 : 1, c);
  return out;
}

}  // namespace

/// What follows a break, continue, return or raise never runs.
void lower(FunctionLowering& lowering, const checked::Suite& suite) {
  for (const checked::Stmt* stmt : suite) {
    if (lowering.build.is_terminated()) return;
    lower(lowering, *stmt);
  }
}

void lower_into(FunctionLowering& lowering, ir::Block& block, const checked::Suite& suite) {
  lowering.build.enter(block);
  lower(lowering, suite);
  lowering.build.leave();
}

void lower(FunctionLowering& lowering, const checked::Stmt& stmt) {
  const SourceRange outer = std::exchange(lowering.range, stmt.range);
  lowering.build.set_range(lowering.range);
  std::visit([&](const auto& node) { lower(lowering, node); }, stmt.node);
  lowering.range = outer;
  lowering.build.set_range(lowering.range);
}

void lower(FunctionLowering& lowering, const checked::Evaluate& node) { lower(lowering, node.value); }

void lower(FunctionLowering& lowering, const checked::Assign& node) {
  assign(lowering, node.variable, lower(lowering, node.value));
}

void lower(FunctionLowering& lowering, const checked::StoreElement& node) {
  const Parts values = lower(lowering, node.value);
  store(lowering, address(lowering, node.element), node.element->type, values);
}

void lower(FunctionLowering& lowering, const checked::If& node) {
  Instruction* branch = lowering.build.if_(scalar(lowering, node.condition));
  lower_into(lowering, branch->blocks[0], node.then);
  lower_into(lowering, branch->blocks[1], node.otherwise);
}

void lower(FunctionLowering& lowering, const checked::Return& node) {
  lowering.build.return_(node.value == nullptr ? Parts{} : lower(lowering, node.value));
}

void lower(FunctionLowering& lowering, const checked::Check& node) {
  if (node.condition != nullptr) {
    Instruction* holds = scalar(lowering, node.condition);
    lowering.build.enter(lowering.build.if_(lowering.build.emit(Opcode::Not, {holds}))->blocks[0]);
  }
  Parts values;
  for (const checked::ExprRef value : node.values) {
    Instruction* number = scalar(lowering, value);
    values.push_back(is_float(value->type->scalar)
                         ? lowering.build.emit_typed(Opcode::Bitcast, ir::Type::of(ScalarType::I64),
                                                     {lowering.build.cast(number, ScalarType::F64)})
                         : lowering.build.cast(number, ScalarType::I64));
  }
  lowering.build.fault(node.fault, std::move(values));
  if (node.condition != nullptr) lowering.build.leave();
}

void lower(FunctionLowering& lowering, const checked::Print& node) {
  std::string format;
  Parts operands;
  for (const checked::Print::Piece& piece : node.pieces) {
    format += with_doubled_percent(piece.text);
    if (piece.value == nullptr) continue;
    const Conversion conversion = conversion_of(piece);
    constexpr std::string_view kFlags[] = {"%", "%+", "%-"};  // `%-s` is for a point: see ir::PrintFormat
    format += kFlags[static_cast<std::size_t>(piece.form)];
    format += conversion.text.substr(1);
    operands.push_back(lowering.build.cast(scalar(lowering, piece.value), conversion.type));
  }
  lowering.target.print_formats.push_back({format + '\n'});
  lowering.build.print(static_cast<int>(lowering.target.print_formats.size()) - 1, std::move(operands));
}

}  // namespace pykc::lowering
