#include "ir/verify/instruction_rules.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/text.h"

namespace pykc::ir {
namespace {

constexpr Type kBool = Type::of(ScalarType::Bool);
constexpr Type kI64 = Type::of(ScalarType::I64);
constexpr Type kU64 = Type::of(ScalarType::U64);
constexpr Type kF64 = Type::of(ScalarType::F64);

enum class OperandClass : std::uint8_t { Other, Number, Integer, Float, Bits, Scalar };

/// Opcodes that take operands of one type, and of which types.
OperandClass class_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::FloorDiv:
    case Opcode::Mod:
    case Opcode::Neg:
      return OperandClass::Number;
    case Opcode::Div:
    case Opcode::Fma:
      return OperandClass::Float;
    case Opcode::Shl:
    case Opcode::Shr:
      return OperandClass::Integer;
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
      return OperandClass::Bits;
    case Opcode::Eq:
    case Opcode::Ne:
    case Opcode::Lt:
    case Opcode::Le:
    case Opcode::Gt:
    case Opcode::Ge:
      return OperandClass::Scalar;
    default:
      return OperandClass::Other;
  }
}

bool is_in_class(Type type, OperandClass operand_class) {
  if (!type.is_scalar()) return false;
  const ScalarType scalar = type.scalar;
  switch (operand_class) {
    case OperandClass::Number:
      return scalar != ScalarType::Bool;
    case OperandClass::Integer:
      return is_integer(scalar);
    case OperandClass::Float:
      return is_float(scalar);
    case OperandClass::Bits:
      return !is_float(scalar);
    case OperandClass::Scalar:
    case OperandClass::Other:
      return true;
  }
  return true;
}

std::string types_text(const Instruction& instruction) {
  return (instruction.operands.size() == 1 ? "operand has type " : "operands have types ") +
         list_text(
             instruction.operands, [](const Instruction* operand) { return to_string(operand->type); }, " and ");
}

std::string unless(bool holds, std::string message) { return holds ? std::string() : std::move(message); }

std::string expect_type(const Instruction& instruction, Type type) {
  return unless(instruction.type == type, "has type " + to_string(instruction.type) + " instead of " + to_string(type));
}

template <typename Table>
bool is_in(const Table& table, std::int64_t index) {
  return index >= 0 && static_cast<std::uint64_t>(index) < table.size();
}

std::string no_such(std::string_view what, std::int64_t index) {
  return "no " + std::string(what) + " number " + std::to_string(index);
}

std::string check_same_types(const Instruction& instruction, OperandClass operand_class) {
  const Type first = instruction.operands[0]->type;
  const bool is_sound = is_in_class(first, operand_class) &&
                        std::ranges::all_of(instruction.operands, [&](auto* o) { return o->type == first; });
  return unless(is_sound, types_text(instruction));
}

std::string check_constant(const Instruction& constant) {
  if (!constant.type.is_scalar()) return "has type " + to_string(constant.type);
  const int bits = constant.type.is(ScalarType::Bool) ? 1 : size_in_bits(constant.type.scalar);
  return unless(bits == 64 || constant.constant >> bits == 0, "value does not fit its type");
}

std::string check_parameter(const Instruction& instruction, const Function& function) {
  if (!is_in(function.parameters, instruction.index)) return no_such("parameter", instruction.index);
  return expect_type(instruction, function.parameters[static_cast<std::size_t>(instruction.index)].type);
}

template <typename Arrays>
std::string check_array(const Instruction& instruction, const Arrays& arrays, AddressSpace space) {
  if (!is_in(arrays, instruction.index)) return no_such("array", instruction.index);
  return expect_type(instruction, Type::pointer(arrays[static_cast<std::size_t>(instruction.index)].element, space));
}

std::string check_select(const Instruction& select) {
  const bool is_sound = select.operands[0]->type == kBool && select.operands[1]->type == select.operands[2]->type &&
                        !select.operands[1]->type.is_none();
  return is_sound ? expect_type(select, select.operands[1]->type) : types_text(select);
}

std::string check_cast(const Instruction& cast) {
  return unless(cast.operands[0]->type.is_scalar() && cast.type.is_scalar(), types_text(cast));
}

std::string check_bitcast(const Instruction& cast) {
  const Type from = cast.operands[0]->type;
  const bool is_sound = from.is_scalar() && cast.type.is_scalar() && !from.is(ScalarType::Bool) &&
                        !cast.type.is(ScalarType::Bool) &&
                        size_in_bytes(from.scalar) == size_in_bytes(cast.type.scalar);
  return unless(is_sound, types_text(cast) + ", result " + to_string(cast.type));
}

std::string check_local(const Instruction& instruction) {
  if (instruction.local == nullptr) return "names no local";
  if (instruction.opcode == Opcode::LocalLoad) return expect_type(instruction, instruction.local->type);
  return unless(instruction.operands[0]->type == instruction.local->type,
                types_text(instruction) + ", the local " + to_string(instruction.local->type));
}

std::string check_element(const Instruction& element) {
  return unless(element.operands[0]->type.is_pointer() && element.operands[1]->type == kI64, types_text(element));
}

std::string check_cluster_pointer(const Instruction& pointer) {
  const Type from = pointer.operands[0]->type;
  const bool is_sound = from.is_pointer() && from.space == AddressSpace::Shared && pointer.operands[1]->type == kI64 &&
                        pointer.type == Type::pointer(from.scalar, AddressSpace::Cluster);
  return unless(is_sound, types_text(pointer) + ", result " + to_string(pointer.type));
}

std::string check_field(const Instruction& field) {
  const Type base = field.operands[0]->type;
  const bool is_sound =
      base.is_pointer() && field.index >= 0 && field.type == Type::pointer(field.type.scalar, base.space);
  return unless(is_sound, types_text(field) + ", result " + to_string(field.type));
}

std::string check_load(const Instruction& load) {
  const Type address = load.operands[0]->type;
  return address.is_pointer() ? expect_type(load, Type::of(address.scalar)) : types_text(load);
}

/// The address operand 0 is of memory that can be written, all other operands of the type that it points to.
std::string check_write(const Instruction& write) {
  const Type address = write.operands[0]->type;
  const bool is_sound = address.is_pointer() && !is_read_only(address.space) &&
                        std::all_of(write.operands.begin() + 1, write.operands.end(),
                                    [&](auto* o) { return o->type.is(address.scalar); });
  return unless(is_sound, types_text(write));
}

bool is_atomic_type(AtomicOp op, ScalarType type) {
  const bool is_bitwise = op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor ||
                          op == AtomicOp::Increment || op == AtomicOp::Decrement;
  return type != ScalarType::Bool && (is_integer(type) || !is_bitwise);
}

/// A load, a store or a change in one step.
std::string check_atomic(const Instruction& atomic) {
  if (std::string error = check_write(atomic); !error.empty()) return error;
  const Type address = atomic.operands[0]->type;
  const AtomicOp op = atomic.opcode == Opcode::AtomicRmw ? atomic.atomic : AtomicOp::Exchange;
  if (address.space == AddressSpace::Local || !is_atomic_type(op, address.scalar)) return types_text(atomic);
  return atomic.opcode == Opcode::AtomicStore ? std::string() : expect_type(atomic, Type::of(address.scalar));
}

std::string check_copy(const Instruction& copy) {
  const Type to = copy.operands[0]->type, from = copy.operands[1]->type;
  const bool is_sound = to.is_pointer() && from.is_pointer() && to.space == AddressSpace::Shared &&
                        from.space == AddressSpace::Global && to.scalar == from.scalar;
  if (!is_sound) return types_text(copy);
  const bool is_size = copy.index == 4 || copy.index == 8 || copy.index == 16;
  return unless(is_size && copy.index % size_in_bytes(to.scalar) == 0,
                "copies " + std::to_string(copy.index) + " bytes");
}

std::string check_condition(const Instruction& instruction) {
  return unless(instruction.operands[0]->type == kBool, types_text(instruction));
}

std::string check_call(const Instruction& call, const Module* module) {
  if (call.callee == nullptr) return "calls nothing";
  const auto is_callee = [&](const auto& function) { return function.get() == call.callee; };
  if (module != nullptr && std::ranges::none_of(module->functions, is_callee)) return "the callee is not in the module";
  if (call.callee->is_kernel) return "calls a kernel";
  const bool is_sound =
      std::ranges::equal(call.operands, call.callee->parameters,
                         [](const Instruction* o, const Parameter& parameter) { return o->type == parameter.type; });
  return unless(is_sound, "operands are not the parameters of @" + call.callee->symbol);
}

std::string check_foreign(const Instruction& foreign, const Function& function) {
  if (!is_in(function.foreign_codes, foreign.index)) return no_such("text", foreign.index);
  const ForeignCode& code = function.foreign_codes[static_cast<std::size_t>(foreign.index)];
  const auto is_tied_to = [](const Instruction* operand, ScalarType result) {
    return operand->type == Type::of(result);
  };
  const std::size_t tied = code.is_tied ? code.results.size() : 0;
  const bool is_sound =
      foreign.operands.size() >= tied &&
      std::equal(foreign.operands.begin(), foreign.operands.begin() + static_cast<std::ptrdiff_t>(tied),
                 code.results.begin(), is_tied_to);
  return unless(is_sound, "the first operands are not the tied results");
}

std::string check_tensor_map(const Instruction& map, const Function& function) {
  if (!is_in(function.tensor_maps, map.index)) return no_such("box", map.index);
  return unless(!map.operands.empty() && map.operands[0]->type.is_pointer() && map.type.is(ScalarType::U64),
                types_text(map));
}

std::string check_extract(const Instruction& extract, const Function& function) {
  const Instruction* from = extract.operands[0];
  if (from->opcode == Opcode::Foreign) {
    if (!is_in(function.foreign_codes, from->index)) return no_such("text", from->index);
    const std::vector<ScalarType>& results = function.foreign_codes[static_cast<std::size_t>(from->index)].results;
    if (!is_in(results, extract.index)) return no_such("result", extract.index);
    return expect_type(extract, Type::of(results[static_cast<std::size_t>(extract.index)]));
  }
  if (from->opcode != Opcode::Call || from->callee == nullptr) return "operand is no call";
  if (!is_in(from->callee->results, extract.index)) return no_such("result", extract.index);
  return expect_type(extract, from->callee->results[static_cast<std::size_t>(extract.index)]);
}

std::string check_fault(const Instruction& fault, const Module* module) {
  if (module != nullptr && !is_in(module->faults, fault.index)) return no_such("fault site", fault.index);
  const bool is_sound =
      fault.operands.size() <= 9 && std::ranges::all_of(fault.operands, [](auto* o) { return o->type == kI64; });
  return unless(is_sound, "takes at most nine i64 values");
}

std::string check_observed(const Instruction& observed, const Module* module) {
  if (module != nullptr && !is_in(module->observed, observed.index)) return no_such("observed place", observed.index);
  const auto& operands = observed.operands;
  const auto is_number = [](const Instruction* operand) { return operand->type == kI64; };
  const bool has_address = !operands.empty() && operands[0]->type.is_pointer();
  const bool is_sound =
      operands.size() <= 2 && std::all_of(operands.begin() + (has_address ? 1 : 0), operands.end(), is_number);
  return unless(is_sound, "takes an address or an i64, and perhaps another i64, or nothing");
}

/// The type that a printf conversion reads, from its last letters; none for what print does not use.
Type conversion_type(std::string_view conversion) {
  if (conversion.ends_with("lld")) return kI64;
  if (conversion.ends_with("llu")) return kU64;
  if (conversion.ends_with('f') || conversion.ends_with('g')) return kF64;
  if (conversion.ends_with('s')) return kBool;
  return Type::none();
}

std::string check_print(const Instruction& print, const Function& function) {
  if (!is_in(function.print_formats, print.index)) return no_such("format", print.index);
  const auto conversions = conversions_of(function.print_formats[static_cast<std::size_t>(print.index)].text);
  const bool is_sound =
      std::ranges::equal(print.operands, conversions, [](const Instruction* operand, std::string_view conversion) {
        return operand->type == conversion_type(conversion);
      });
  return unless(is_sound, "operands do not fit the format");
}

std::string check_slot(const Instruction& instruction, const Function& function) {
  if (!is_in(function.slots, instruction.index)) return no_such("slot", instruction.index);
  const Type slot = function.slots[static_cast<std::size_t>(instruction.index)];
  if (instruction.opcode == Opcode::SlotLoad) return expect_type(instruction, slot);
  if (instruction.opcode == Opcode::SlotStore)
    return unless(instruction.operands[0]->type == slot, types_text(instruction) + ", the slot " + to_string(slot));
  return slot == kBool ? expect_type(instruction, kBool) : "the slot has type " + to_string(slot);
}

std::string check_builtin(const Instruction& call) {
  std::vector<Type> arguments;
  for (const Instruction* operand : call.operands) arguments.push_back(operand->type);
  return check_builtin(call.builtin, arguments, call.type);
}

/// Arguments, active threads and result are slots; opcodes.def tells what -1 stands for in each.
std::string check_exchange(const Instruction& exchange, const Function& function) {
  const pykc::Builtin& row = info(exchange.builtin);
  if (row.effect != Effect::Warp && row.effect != Effect::Barrier) return std::string(row.name) + " exchanges nothing";
  for (const std::int64_t slot : exchange.slots)
    if (slot != -1 && !is_in(function.slots, slot)) return no_such("slot", slot);
  if (exchange.slots.size() < 2) return "has no slots for the active threads and the result";
  const auto type_of = [&](std::int64_t slot) { return function.slots[static_cast<std::size_t>(slot)]; };
  const std::int64_t active = *(exchange.slots.end() - 2);
  if (active != -1 && type_of(active) != kBool) return "the slot of the active threads is no bool";

  std::vector<Type> arguments;
  std::size_t operand = 0;
  for (auto slot = exchange.slots.begin(); slot != exchange.slots.end() - 2; ++slot) {
    if (*slot == -1 && operand == exchange.operands.size()) return "has too few operands";
    arguments.push_back(*slot == -1 ? exchange.operands[operand++]->type : type_of(*slot));
  }
  if (operand != exchange.operands.size()) return "has too many operands";
  if (row.effect == Effect::Barrier) return check_builtin(exchange.builtin, arguments, exchange.type);
  if (!exchange.type.is_none()) return "its result belongs in a slot";
  const std::int64_t result = exchange.slots.back();
  return check_builtin(exchange.builtin, arguments, result == -1 ? std::nullopt : std::optional(type_of(result)));
}

std::string check_own_rule(const Instruction& instruction, const Function& function, const Module* module) {
  switch (instruction.opcode) {
    case Opcode::Constant:
      return check_constant(instruction);
    case Opcode::Parameter:
      return check_parameter(instruction, function);
    case Opcode::LocalArray:
      return check_array(instruction, function.local_arrays, AddressSpace::Local);
    case Opcode::SharedArray:
      return check_array(instruction, function.shared_arrays, AddressSpace::Shared);
    case Opcode::ConstantArray:
      return module == nullptr ? "" : check_array(instruction, module->constant_arrays, AddressSpace::Constant);
    case Opcode::LaunchSharedBytes:
      return expect_type(instruction, kI64);
    case Opcode::Select:
      return check_select(instruction);
    case Opcode::Cast:
      return check_cast(instruction);
    case Opcode::Bitcast:
      return check_bitcast(instruction);
    case Opcode::Builtin:
      return check_builtin(instruction);
    case Opcode::LocalLoad:
    case Opcode::LocalStore:
      return check_local(instruction);
    case Opcode::ElementPointer:
      return check_element(instruction);
    case Opcode::ClusterPointer:
      return check_cluster_pointer(instruction);
    case Opcode::FieldPointer:
      return check_field(instruction);
    case Opcode::IsAligned:
      return unless(instruction.operands[0]->type.is_pointer() &&
                        std::has_single_bit(static_cast<std::uint64_t>(instruction.index)),
                    types_text(instruction));
    case Opcode::Load:
    case Opcode::HintedLoad:
      return check_load(instruction);
    case Opcode::Store:
    case Opcode::HintedStore:
      return check_write(instruction);
    case Opcode::AtomicRmw:
    case Opcode::AtomicCas:
    case Opcode::AtomicLoad:
    case Opcode::AtomicStore:
      return check_atomic(instruction);
    case Opcode::Prefetch:
      return unless(instruction.operands[0]->type.is_pointer(), types_text(instruction));
    case Opcode::CopyAsync:
      return check_copy(instruction);
    case Opcode::Foreign:
      return check_foreign(instruction, function);
    case Opcode::TensorMap:
      return check_tensor_map(instruction, function);
    case Opcode::If:
    case Opcode::Assume:
      return check_condition(instruction);
    case Opcode::Call:
      return check_call(instruction, module);
    case Opcode::Extract:
      return check_extract(instruction, function);
    case Opcode::Fault:
      return check_fault(instruction, module);
    case Opcode::Observe:
      return check_observed(instruction, module);
    case Opcode::ObserveMeeting:
      return unless(instruction.index >= 0 && instruction.index <= 2, no_such("meeting", instruction.index));
    case Opcode::Print:
      return check_print(instruction, function);
    case Opcode::SlotLoad:
    case Opcode::SlotStore:
    case Opcode::SlotAny:
    case Opcode::SlotMany:
      return check_slot(instruction, function);
    case Opcode::WarpExchange:
      return check_exchange(instruction, function);
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Div:
    case Opcode::FloorDiv:
    case Opcode::Mod:
    case Opcode::Neg:
    case Opcode::Fma:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Eq:
    case Opcode::Ne:
    case Opcode::Lt:
    case Opcode::Le:
    case Opcode::Gt:
    case Opcode::Ge:  // class_of tells all
      return {};
    case Opcode::Loop:
    case Opcode::Scope:
    case Opcode::Break:
    case Opcode::Continue:
    case Opcode::Return:
    case Opcode::AnyFault:
    case Opcode::ThreadLoop:  // where they stand is what counts
      return {};
  }
  return {};
}

std::string check_result(const Instruction& instruction) {
  switch (info(instruction.opcode).result) {
    case ResultKind::None:
      return expect_type(instruction, Type::none());
    case ResultKind::Bool:
      return expect_type(instruction, kBool);
    case ResultKind::Operand:
      return expect_type(instruction, instruction.operands[0]->type);
    case ResultKind::Own:
      return {};
  }
  return {};
}

std::string check_no_wrap(const Instruction& instruction) {
  if (!instruction.no_wrap) return {};
  const Opcode opcode = instruction.opcode;
  const bool can_wrap = opcode == Opcode::Add || opcode == Opcode::Sub || opcode == Opcode::Mul;
  return unless(can_wrap && instruction.type == kI64, "no_wrap is for add, sub and mul of i64");
}

}  // namespace

std::string check_instruction(const Instruction& instruction, const Function& function, const Module* module) {
  if (const OperandClass operand_class = class_of(instruction.opcode); operand_class != OperandClass::Other)
    if (std::string error = check_same_types(instruction, operand_class); !error.empty()) return error;
  if (std::string error = check_own_rule(instruction, function, module); !error.empty()) return error;
  if (std::string error = check_result(instruction); !error.empty()) return error;
  if (instruction.is_packed && instruction.opcode != Opcode::FieldPointer) return "packed is for field";
  return check_no_wrap(instruction);
}

std::vector<std::string_view> conversions_of(std::string_view format) {
  std::vector<std::string_view> conversions;
  while ((format = format.substr(std::min(format.find('%'), format.size()))).size() > 1) {
    const std::size_t end = format.find_first_of("%dufgs", 1);
    if (format[1] != '%') conversions.push_back(format.substr(0, end == format.npos ? end : end + 1));
    format.remove_prefix(format[1] == '%' ? 2 : 1);
  }
  return conversions;
}

bool is_well_formed(const LaunchExpression& expression) {
  int depth = 0;
  for (const LaunchExpression::Term& term : expression.terms) {
    const bool is_operator = term.op >= LaunchExpression::Op::Add;
    if (is_operator && depth < 2) return false;
    depth += is_operator ? -1 : 1;
  }
  return depth == 1 || expression.terms.empty();
}

}  // namespace pykc::ir
