// Walks a function in the order in which it is printed. What one instruction must be by itself stands in
// instruction_rules.cpp; here is what depends on its place: scopes, targets, ends of blocks, ThreadLoops.
#include "ir/verify/verifier.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/control_flow.h"
#include "ir/text/form.h"
#include "ir/verify/instruction_rules.h"

namespace pykc::ir {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

class FunctionVerifier {
 public:
  FunctionVerifier(const Function& function, const Module* module, std::vector<std::string>& errors)
      : function_(function), module_(module), errors_(errors) {}
  void verify();

 private:
  void verify_declarations();
  void verify_parameters();
  void verify_array(const ArrayStorage& array, bool may_be_dynamic);
  void verify_block(const Block& block);
  void verify_instruction(const Instruction& instruction, bool is_last);
  bool verify_operands(const Instruction& instruction);
  void verify_place(const Instruction& instruction);
  void verify_target(const Instruction& jump);
  void verify_return(const Instruction& instruction);
  void verify_builtin_place(const Instruction& instruction);
  void verify_blocks(const Instruction& instruction);
  void define(const Instruction& instruction);
  void report(const std::string& message) { errors_.push_back('@' + function_.symbol + ": " + message); }
  void report(const Instruction& instruction, const std::string& message);

  /// A Loop, Scope or ThreadLoop around the current instruction.
  struct Region {
    const Instruction* instruction;
    bool in_continuing;
  };
  const Function& function_;
  const Module* module_;
  std::vector<std::string>& errors_;
  std::unordered_set<const Local*> locals_;
  std::unordered_map<const Instruction*, int> numbers_;  // as printed; -1: written in place
  std::unordered_set<const Instruction*> visible_;
  std::vector<Region> regions_;
  int values_ = 0;
  bool in_thread_loop_ = false;
  bool is_split_ = false;
};

bool has_thread_loop(const Block& block) {
  return std::ranges::any_of(block.instructions, [](const Instruction* instruction) {
    return instruction->opcode == Opcode::ThreadLoop || std::ranges::any_of(instruction->blocks, has_thread_loop);
  });
}

void FunctionVerifier::verify() {
  verify_declarations();
  const std::size_t before = errors_.size();
  is_split_ = has_thread_loop(function_.body);
  verify_block(function_.body);
  if (errors_.size() == before && !function_.results.empty() && can_fall_through(function_.body))
    report("can end without a return of its results");
}

void FunctionVerifier::verify_declarations() {
  if (function_.symbol.empty()) report("has no symbol");
  if (function_.is_kernel && !function_.results.empty()) report("a kernel has no results");
  verify_parameters();
  for (const Type result : function_.results)
    if (result.is_none()) report("a result has no type");
  for (const Local& local : function_.locals) {
    locals_.insert(&local);
    if (local.type.is_none()) report("local $" + local.name + " has no type");
    if (const Local anything;
        !local.type.is(ScalarType::I64) && (local.minimum != anything.minimum || local.maximum != anything.maximum))
      report("local $" + local.name + " is no i64, but has a range");
  }
  for (const ArrayStorage& array : function_.local_arrays) verify_array(array, false);
  for (const ArrayStorage& array : function_.shared_arrays) verify_array(array, true);
  for (const PrintFormat& format : function_.print_formats)
    if (!format.text.ends_with('\n')) report("a print format does not end its line");
  for (const Type slot : function_.slots)
    if (slot.is_none()) report("a slot has no type");
  if (!is_well_formed(function_.kernel.dynamic_shared_bytes)) report("dynamic_shared_bytes is not well formed");
  if (!is_well_formed(function_.kernel.scratch_bytes)) report("scratch_bytes is not well formed");
}

void FunctionVerifier::verify_parameters() {
  std::unordered_set<std::string_view> names;
  for (const Parameter& parameter : function_.parameters) {
    if (parameter.name.empty() || !names.insert(parameter.name).second)
      report("two parameters are called %" + parameter.name);
    if (parameter.type.is_none()) report("parameter %" + parameter.name + " has no type");
    if ((parameter.no_alias || parameter.read_only) && !parameter.type.is_pointer())
      report("parameter %" + parameter.name + " is no pointer, but says no_alias or read_only");
    const bool is_by_value = parameter.type.is_pointer() && parameter.type.space == AddressSpace::Parameter;
    if (is_by_value != (parameter.bytes > 0) || (is_by_value && !function_.is_kernel))
      report("parameter %" + parameter.name + " is passed by value, which only a kernel's record of some bytes is");
    const int least = parameter.type.is_pointer() ? size_in_bytes(parameter.type.scalar) : 0;
    const bool is_aligned = parameter.alignment == 0 || (least > 0 && parameter.alignment % least == 0);
    if (!is_aligned || (parameter.alignment & (parameter.alignment - 1)) != 0)
      report("parameter %" + parameter.name + " has alignment " + std::to_string(parameter.alignment));
    if (parameter.non_negative && !parameter.type.is(ScalarType::I64))
      report("parameter %" + parameter.name + " is no i64, but says non_negative");
  }
}

void FunctionVerifier::verify_array(const ArrayStorage& array, bool may_be_dynamic) {
  if (array.is_dynamic && !may_be_dynamic) report("array " + array.name + " cannot be dynamic");
  if (!array.is_dynamic && (array.count < 0 || array.count > kMaxElements))
    report("array " + array.name + " has " + std::to_string(array.count) + " elements");
  if (!is_well_formed(array.dynamic_bytes) || (!array.is_dynamic && !array.dynamic_bytes.terms.empty()))
    report("array " + array.name + ": its size is not well formed");
  if (array.alignment < size_in_bytes(array.element) || (array.alignment & (array.alignment - 1)) != 0)
    report("array " + array.name + " has alignment " + std::to_string(array.alignment));
}

void FunctionVerifier::verify_block(const Block& block) {
  for (const Instruction* instruction : block.instructions)
    verify_instruction(*instruction, instruction == block.instructions.back());
  for (const Instruction* instruction : block.instructions) visible_.erase(instruction);
}

void FunctionVerifier::verify_instruction(const Instruction& instruction, bool is_last) {
  if (numbers_.contains(&instruction)) return report(instruction, "stands in two places");
  define(instruction);
  if (instruction.blocks.size() != block_count(instruction.opcode))
    return report(instruction, "has " + std::to_string(instruction.blocks.size()) + " blocks");
  if (verify_operands(instruction)) {
    const std::string error = check_instruction(instruction, function_, module_);
    if (!error.empty()) report(instruction, error);
    if (instruction.opcode == Opcode::Return) verify_return(instruction);
  }
  verify_place(instruction);
  if (is_terminator(instruction.opcode) && !is_last) report(instruction, "is not the last of its block");
  verify_blocks(instruction);
  visible_.insert(&instruction);
}

/// Numbers as the printer does.
void FunctionVerifier::define(const Instruction& instruction) {
  const bool is_call_with_results =
      instruction.opcode == Opcode::Call && instruction.callee != nullptr && !instruction.callee->results.empty();
  const bool has_number =
      !is_written_in_place(instruction.opcode) && (is_call_with_results || !instruction.type.is_none());
  numbers_[&instruction] = has_number ? values_++ : -1;
}

void FunctionVerifier::report(const Instruction& instruction, const std::string& message) {
  const auto found = numbers_.find(&instruction);
  const bool has_number = found != numbers_.end() && found->second >= 0;
  report((has_number ? '%' + std::to_string(found->second) + " = " : "") + std::string(info(instruction.opcode).text) +
         ": " + message);
}

bool FunctionVerifier::verify_operands(const Instruction& instruction) {
  const int count = info(instruction.opcode).operands;
  if (count >= 0 && instruction.operands.size() != static_cast<std::size_t>(count)) {
    report(instruction, "has " + std::to_string(instruction.operands.size()) + " operands");
    return false;
  }
  for (const Instruction* operand : instruction.operands) {
    if (operand != nullptr && visible_.contains(operand)) continue;
    report(instruction, "uses a value that is not defined before it in its block or one around it");
    return false;
  }
  return true;
}

void FunctionVerifier::verify_place(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::Break:
    case Opcode::Continue:
      return verify_target(instruction);
    case Opcode::LocalLoad:
    case Opcode::LocalStore:
      if (!locals_.contains(instruction.local)) report(instruction, "names a local of another function");
      return;
    case Opcode::SlotLoad:
    case Opcode::SlotStore:
      if (!in_thread_loop_) report(instruction, "stands outside a thread loop");
      return;
    case Opcode::SlotAny:
    case Opcode::SlotMany:
    case Opcode::WarpExchange:
    case Opcode::ThreadLoop:
      if (in_thread_loop_) report(instruction, "stands inside a thread loop");
      return;
    case Opcode::Builtin:
      return verify_builtin_place(instruction);
    default:
      return;
  }
}

void FunctionVerifier::verify_target(const Instruction& jump) {
  for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
    if (region->instruction->opcode == Opcode::ThreadLoop) break;  // a turn of a thread leaves nothing around it
    if (region->instruction != jump.target) continue;
    if (jump.opcode == Opcode::Break) return;
    if (jump.target->opcode != Opcode::Loop) return report(jump, "its target is no loop");
    if (region->in_continuing) return report(jump, "stands in the continuing block that it goes to");
    return;
  }
  report(jump, "its target is no loop or scope around it");
}

/// In a thread loop it ends the turn of a thread, which has no results.
void FunctionVerifier::verify_return(const Instruction& instruction) {
  const bool is_sound = in_thread_loop_ ? instruction.operands.empty()
                                        : std::ranges::equal(instruction.operands, function_.results, {},
                                                             [](const Instruction* operand) { return operand->type; });
  if (!is_sound) report(instruction, "operands are not the function's results");
}

/// A thread's own place has no meaning between thread loops; a barrier none inside one.
void FunctionVerifier::verify_builtin_place(const Instruction& instruction) {
  const Effect effect = info(instruction.builtin).effect;
  if (effect == Effect::Barrier && in_thread_loop_) report(instruction, "a barrier stands inside a thread loop");
  if (effect == Effect::Thread && is_split_ && !in_thread_loop_) report(instruction, "stands outside a thread loop");
}

void FunctionVerifier::verify_blocks(const Instruction& instruction) {
  if (instruction.blocks.empty()) return;
  const bool is_region = instruction.opcode != Opcode::If;
  const bool was_in_thread_loop = in_thread_loop_;
  in_thread_loop_ = in_thread_loop_ || instruction.opcode == Opcode::ThreadLoop;
  for (std::size_t i = 0; i < instruction.blocks.size(); ++i) {
    if (is_region) regions_.push_back({&instruction, i == 1});
    verify_block(instruction.blocks[i]);
    if (is_region) regions_.pop_back();
  }
  in_thread_loop_ = was_in_thread_loop;
}

void verify_symbols(const Module& module, std::vector<std::string>& errors) {
  std::unordered_set<std::string_view> symbols;
  for (const std::unique_ptr<Function>& function : module.functions)
    if (!symbols.insert(function->symbol).second) errors.push_back('@' + function->symbol + ": defined twice");
}

void verify_constant_arrays(const Module& module, std::vector<std::string>& errors) {
  for (const ConstantArray& array : module.constant_arrays)
    if (array.bytes.size() % static_cast<std::size_t>(size_in_bytes(array.element)) != 0)
      errors.push_back("constant " + array.name + ": its bytes are no whole number of elements");
  std::unordered_set<std::string_view> names, symbols;
  for (const std::unique_ptr<Function>& function : module.functions) symbols.insert(function->symbol);
  for (const ConstantArray& array : module.constant_arrays) {
    if (!array.host) continue;
    const ConstantInfo& host = *array.host;
    if (!names.insert(host.name).second) errors.push_back("host constant " + host.name + ": defined twice");
    if (!symbols.insert(host.symbol).second)
      errors.push_back("host constant " + host.name + ": its symbol " + host.symbol + " is defined twice");
    if (array.bytes.empty() || !host.type.has_static_shape() || host.type.layout != Layout::RowMajor ||
        host.type.count() * size_in_bytes(host.type.element) != static_cast<std::int64_t>(array.bytes.size()))
      errors.push_back("host constant " + host.name + ": its bytes do not fill " + pykc::to_string(host.type));
  }
}

}  // namespace

std::vector<std::string> verify(const Module& module) {
  std::vector<std::string> errors;
  verify_symbols(module, errors);
  verify_constant_arrays(module, errors);
  for (const std::unique_ptr<Function>& function : module.functions)
    FunctionVerifier(*function, &module, errors).verify();
  return errors;
}

std::vector<std::string> verify(const Function& function) {
  std::vector<std::string> errors;
  FunctionVerifier(function, nullptr, errors).verify();
  return errors;
}

}  // namespace pykc::ir
