#include "frontend/lower/function.h"

namespace pykc::lowering {
namespace {

struct Conversion {
  std::string_view text;
  ScalarType type;  // what the operand is converted to
};

Conversion conversion_of(ScalarType type) {
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
void FunctionLowering::lower(const checked::Suite& suite) {
  for (const checked::Stmt* stmt : suite) {
    if (b_.is_terminated()) return;
    lower(*stmt);
  }
}

void FunctionLowering::lower_into(ir::Block& block, const checked::Suite& suite) {
  b_.enter(block);
  lower(suite);
  b_.leave();
}

void FunctionLowering::lower(const checked::Stmt& stmt) {
  const SourceRange outer = std::exchange(range_, stmt.range);
  b_.set_range(range_);
  std::visit([&](const auto& node) { lower(node); }, stmt.node);
  range_ = outer;
  b_.set_range(range_);
}

void FunctionLowering::lower(const checked::Evaluate& node) { lower(node.value); }

void FunctionLowering::lower(const checked::Assign& node) { assign(node.variable, lower(node.value)); }

void FunctionLowering::lower(const checked::StoreElement& node) {
  const Parts values = lower(node.value);
  store(address(node.element), node.element->type, values);
}

void FunctionLowering::lower(const checked::If& node) {
  Instruction* branch = b_.if_(scalar(node.condition));
  lower_into(branch->blocks[0], node.then);
  lower_into(branch->blocks[1], node.otherwise);
}

void FunctionLowering::lower(const checked::Return& node) {
  b_.return_(node.value == nullptr ? Parts{} : lower(node.value));
}

void FunctionLowering::lower(const checked::Check& node) {
  if (node.condition != nullptr) {
    Instruction* holds = scalar(node.condition);
    b_.enter(b_.if_(b_.emit(Opcode::Not, {holds}))->blocks[0]);
  }
  Parts values;
  for (const checked::ExprRef value : node.values) values.push_back(b_.cast(scalar(value), ScalarType::I64));
  b_.fault(node.fault, std::move(values));
  if (node.condition != nullptr) b_.leave();
}

void FunctionLowering::lower(const checked::Print& node) {
  std::string format;
  Parts operands;
  for (const checked::Print::Piece& piece : node.pieces) {
    format += with_doubled_percent(piece.text);
    if (piece.value == nullptr) continue;
    const Conversion conversion = conversion_of(piece.value->type.scalar);
    constexpr std::string_view kFlags[] = {"%", "%+", "%-"};  // `%-s` is for a point: see ir::PrintFormat
    format += kFlags[static_cast<std::size_t>(piece.form)];
    format += conversion.text.substr(1);
    operands.push_back(b_.cast(scalar(piece.value), conversion.type));
  }
  target_.print_formats.push_back({format + '\n'});
  b_.print(static_cast<int>(target_.print_formats.size()) - 1, std::move(operands));
}

}  // namespace pykc::lowering
