#include "ir/module.h"

#include "base/budget.h"

namespace pykc::ir {
namespace {

constexpr OpcodeInfo kOpcodes[] = {
#define OPCODE(name, text, operands, result, effect, meaning) \
  {text, operands, ResultKind::result, OpcodeEffect::effect, meaning},
#include "ir/opcodes.def"
};

constexpr std::string_view kAtomicOps[] = {"add", "sub",      "max",       "min",       "and",   "or",
                                           "xor", "exchange", "increment", "decrement", "raise", "lower"};

}  // namespace

bool is_packed_address(const Instruction& address) {
  const Instruction* at = &address;
  while (at->opcode == Opcode::ElementPointer || at->opcode == Opcode::FieldPointer) {
    if (at->is_packed) return true;
    at = at->operands[0];
  }
  return false;
}

const OpcodeInfo& info(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)]; }

std::string_view to_string(AtomicOp op) { return kAtomicOps[static_cast<std::size_t>(op)]; }

std::string to_string(Type type) {
  if (type.is_none()) return "none";
  const std::string scalar(pykc::to_string(type.scalar));
  if (type.is_scalar()) return scalar;
  return "ptr<" + scalar + ", " + std::string(kAddressSpaceNames[static_cast<std::size_t>(type.space)]) + ">";
}

Instruction* Function::create(Opcode opcode, Type type, SourceRange place) {
  spend_operations(1);
  Instruction& instruction = instructions.emplace_back();
  instruction.opcode = opcode;
  instruction.type = type;
  instruction.range = place;
  return &instruction;
}

Local* Function::create_local(std::string local_name, Type type) {
  Local& local = locals.emplace_back();
  local.name = std::move(local_name);
  local.type = type;
  return &local;
}

Local* Function::create_local_like(const Local& like, std::string name) {
  Local& local = locals.emplace_back(like);
  local.name = std::move(name);
  return &local;
}

Function* Module::find(std::string_view symbol) const {
  for (const std::unique_ptr<Function>& function : functions)
    if (function->symbol == symbol) return function.get();
  return nullptr;
}

const SourceFile& source_of(const Module& module, const Function& function, const Instruction* instruction) {
  if (instruction != nullptr && instruction->source != nullptr) return *instruction->source;
  return function.source != nullptr ? *function.source : *module.source;
}

int add_fault_site(Module& module, std::string message, const SourceFile& source, SourceRange range) {
  const SourceFile::LineColumn place = source.line_column(range.begin);
  module.faults.push_back({std::move(message), source.name(), place.line, place.column});
  return static_cast<int>(module.faults.size()) - 1;
}

}  // namespace pykc::ir
