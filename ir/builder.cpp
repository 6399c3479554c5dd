#include "ir/builder.h"

#include "base/float_bits.h"

namespace pykc::ir {

bool Builder::is_terminated() const {
  const Block& block = *blocks_.back();
  if (block.empty()) return false;
  const Opcode last = block.instructions.back()->opcode;
  return last == Opcode::Break || last == Opcode::Continue || last == Opcode::Return || last == Opcode::Fault;
}

Instruction* Builder::append(Opcode opcode, Type type) {
  Instruction* instruction = function_.create(opcode, type, range_);
  block().instructions.push_back(instruction);
  return instruction;
}

Instruction* Builder::constant_int(ScalarType type, std::int64_t value) {
  Instruction* constant = append(Opcode::Constant, Type::of(type));
  const int bits = size_in_bits(type);
  const auto wrapped = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - bits));
  constant->constant = type == ScalarType::Bool ? value != 0 : wrapped;
  return constant;
}

Instruction* Builder::constant_float(ScalarType type, double value) {
  Instruction* constant = append(Opcode::Constant, Type::of(type));
  constant->constant = float_to_bits(type, value);
  return constant;
}

Instruction* Builder::parameter(int index) {
  Instruction* parameter = append(Opcode::Parameter, function_.parameters[static_cast<std::size_t>(index)].type);
  parameter->index = index;
  return parameter;
}

Instruction* Builder::local_array(int index) {
  const ScalarType element = function_.local_arrays[static_cast<std::size_t>(index)].element;
  Instruction* array = append(Opcode::LocalArray, Type::pointer(element, AddressSpace::Local));
  array->index = index;
  return array;
}

Instruction* Builder::shared_array(int index) {
  const ScalarType element = function_.shared_arrays[static_cast<std::size_t>(index)].element;
  Instruction* array = append(Opcode::SharedArray, Type::pointer(element, AddressSpace::Shared));
  array->index = index;
  return array;
}

Instruction* Builder::constant_array(int index, ScalarType element) {
  Instruction* array = append(Opcode::ConstantArray, Type::pointer(element, AddressSpace::Constant));
  array->index = index;
  return array;
}

Instruction* Builder::emit(Opcode opcode, std::initializer_list<Instruction*> operands) {
  switch (info(opcode).result) {
    case ResultKind::Operand:
      return emit_typed(opcode, (*operands.begin())->type, operands);
    case ResultKind::Bool:
      return emit_typed(opcode, Type::of(ScalarType::Bool), operands);
    case ResultKind::None:
    case ResultKind::Own:  // stated by a call of emit_typed
      break;
  }
  return emit_typed(opcode, Type::none(), operands);
}

Instruction* Builder::emit_typed(Opcode opcode, Type type, std::initializer_list<Instruction*> operands) {
  Instruction* instruction = append(opcode, type);
  instruction->operands = operands;
  return instruction;
}

Instruction* Builder::cast(Instruction* value, ScalarType to) {
  return value->type.is(to) ? value : emit_typed(Opcode::Cast, Type::of(to), {value});
}

Instruction* Builder::select(Instruction* condition, Instruction* a, Instruction* b) {
  return emit_typed(Opcode::Select, a->type, {condition, a, b});
}

Instruction* Builder::builtin(BuiltinId id, Type type, std::vector<Instruction*> operands) {
  Instruction* call = append(Opcode::Builtin, type);
  call->builtin = id;
  call->operands = std::move(operands);
  return call;
}

Instruction* Builder::load_local(Local* local) {
  Instruction* load = append(Opcode::LocalLoad, local->type);
  load->local = local;
  return load;
}

Instruction* Builder::store_local(Local* local, Instruction* value) {
  Instruction* store = emit(Opcode::LocalStore, {value});
  store->local = local;
  return store;
}

Instruction* Builder::reinterpret(Instruction* base, ScalarType type) {
  const Type pointer = Type::pointer(type, base->type.space);
  return pointer == base->type ? base : emit_typed(Opcode::FieldPointer, pointer, {base});
}

Instruction* Builder::field(Instruction* base, std::int64_t offset, ScalarType type) {
  const Type pointer = Type::pointer(type, base->type.space);
  if (offset == 0 && pointer == base->type) return base;
  Instruction* field = emit_typed(Opcode::FieldPointer, pointer, {base});
  field->index = offset;
  const int bytes = size_in_bytes(type);
  field->is_packed = size_in_bytes(base->type.scalar) < bytes || offset % bytes != 0 || is_packed_address(*base);
  return field;
}

Instruction* Builder::load(Instruction* address) {
  return emit_typed(Opcode::Load, Type::of(address->type.scalar), {address});
}

Instruction* Builder::atomic(AtomicOp op, Instruction* address, Instruction* value) {
  Instruction* atomic = emit_typed(Opcode::AtomicRmw, value->type, {address, value});
  atomic->atomic = op;
  return atomic;
}

Instruction* Builder::if_(Instruction* condition) {
  Instruction* branch = emit(Opcode::If, {condition});
  branch->blocks.resize(2);
  return branch;
}

Instruction* Builder::loop() {
  Instruction* loop = emit(Opcode::Loop, {});
  loop->blocks.resize(2);
  return loop;
}

Instruction* Builder::scope() {
  Instruction* scope = emit(Opcode::Scope, {});
  scope->blocks.resize(1);
  return scope;
}

Instruction* Builder::break_(Instruction* target) {
  Instruction* leave = emit(Opcode::Break, {});
  leave->target = target;
  return leave;
}

Instruction* Builder::continue_(Instruction* target) {
  Instruction* next = emit(Opcode::Continue, {});
  next->target = target;
  return next;
}

Instruction* Builder::return_(std::vector<Instruction*> results) {
  Instruction* leave = emit(Opcode::Return, {});
  leave->operands = std::move(results);
  return leave;
}

Instruction* Builder::call(Function* callee, std::vector<Instruction*> arguments) {
  Instruction* call = emit(Opcode::Call, {});
  call->callee = callee;
  call->operands = std::move(arguments);
  return call;
}

Instruction* Builder::extract(Instruction* call, int index) {
  const Type type = call->callee->results[static_cast<std::size_t>(index)];
  Instruction* result = emit_typed(Opcode::Extract, type, {call});
  result->index = index;
  return result;
}

Instruction* Builder::fault(int site, std::vector<Instruction*> values) {
  Instruction* fault = emit(Opcode::Fault, {});
  fault->index = site;
  fault->operands = std::move(values);
  return fault;
}

Instruction* Builder::print(int format, std::vector<Instruction*> operands) {
  Instruction* print = emit(Opcode::Print, {});
  print->index = format;
  print->operands = std::move(operands);
  return print;
}

}  // namespace pykc::ir
