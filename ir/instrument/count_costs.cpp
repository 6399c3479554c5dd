// Code that runs from its beginning to its end, once it is entered, is a segment: a block, up to something that not
// every thread comes out of; then the rest of the block. Of a segment it is enough to know how often which threads
// enter it.
#include "ir/instrument/count_costs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/builder.h"
#include "ir/instrument/count_operations.h"
#include "ir/instrument/math_costs.h"
#include "ir/instrument/watched_copies.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

using Kind = ObservedSite::Kind;

/// Whether threads may come out of it elsewhere than at its end, or some of them not at all.
bool has_exit(const Instruction* construct) {
  return std::ranges::any_of(construct->blocks, [](const Block& block) {
    return any_instruction(block, [](const Instruction* i) { return is_terminator(i); });
  });
}

/// The test of a loop: what is left of it where a compiler unrolls the loop is next to nothing.
bool is_loop_test(const Instruction& instruction) {
  return instruction.opcode == Opcode::If && std::ranges::any_of(instruction.blocks, [](const Block& block) {
           return block.instructions.size() == 1 && block.instructions[0]->opcode == Opcode::Break;
         });
}

bool is_integer_operation(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::FloorDiv:
    case Opcode::Mod:
    case Opcode::Neg:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Shl:
    case Opcode::Shr:
      return !is_float(instruction.type.scalar);
    case Opcode::Eq:
    case Opcode::Ne:
    case Opcode::Lt:
    case Opcode::Le:
    case Opcode::Gt:
    case Opcode::Ge:
    case Opcode::Select:
    case Opcode::ElementPointer:
      return true;
    default:
      return false;
  }
}

/// What is no instruction of a machine: values that are there, names of places, what is told to the compiler.
bool is_free(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::Constant:
    case Opcode::Parameter:
    case Opcode::LocalArray:
    case Opcode::SharedArray:
    case Opcode::ConstantArray:
    case Opcode::LaunchSharedBytes:
    case Opcode::FieldPointer:
    case Opcode::Bitcast:
    case Opcode::LocalLoad:
    case Opcode::LocalStore:
    case Opcode::Extract:
    case Opcode::Assume:
    case Opcode::Scope:
    case Opcode::Loop:
    case Opcode::Break:
    case Opcode::Continue:
    case Opcode::Return:
    case Opcode::Observe:
      return true;
    default:
      return has_builtin_effect(&instruction, Effect::Thread) || has_builtin_effect(&instruction, Effect::Block);
  }
}

Operations operations_of(const Instruction& instruction, bool fast_math) {
  Operations one;
  if (is_free(instruction) || is_loop_test(instruction)) return one;
  one.instructions = 1;
  const Counts counts = counts_of(instruction);
  one.f32 = counts[static_cast<std::size_t>(Counter::F32Operations)];
  one.f64 = counts[static_cast<std::size_t>(Counter::F64Operations)];
  one.integer = is_integer_operation(instruction) ? 1 : 0;
  one.conversions = instruction.opcode == Opcode::Cast ? 1 : 0;
  one.barriers = is_barrier(&instruction) ? 1 : 0;
  one.warp = has_builtin_effect(&instruction, Effect::Warp) ? 1 : 0;
  const std::optional<Kind> access = access_to_watch(instruction);
  const bool is_global = access && instruction.operands[0]->type.space == AddressSpace::Global;
  one.global_loads = is_global && *access != Kind::Store && *access != Kind::AtomicStore ? 1 : 0;
  const MathCost math = math_cost_of(instruction, fast_math);
  one.math = math.instructions;
  one.math_f64 = math.of_f64;
  return one;
}

void add(Operations& to, const Operations& one) {
  to.instructions += one.instructions;
  to.f32 += one.f32;
  to.f64 += one.f64;
  to.integer += one.integer;
  to.math += one.math;
  to.math_f64 += one.math_f64;
  to.conversions += one.conversions;
  to.barriers += one.barriers;
  to.warp += one.warp;
  to.global_loads += one.global_loads;
}

class Telling {
 public:
  Telling(Module& module, Function& function, bool fast_math, std::vector<ObservedCode>& code)
      : module_(module), function_(function), fast_math_(fast_math), code_(code), builder_(function) {}

  void run() { walk(function_.body, Kind::Enter, 0, function_.range); }

 private:
  void walk(Block& block, Kind kind, std::uint16_t depth, SourceRange range) {
    const std::vector<Instruction*> instructions = std::exchange(block.instructions, {});
    if (instructions.empty()) return;
    builder_.enter(block);
    const std::uint16_t around = std::exchange(depth_, depth);
    const std::int64_t segment_around = segment_;
    begin_segment(kind, range);
    for (Instruction* instruction : instructions) {
      count(*instruction);
      builder_.set_range(instruction->range);
      tell_before(*instruction);
      block.instructions.push_back(instruction);
      tell_inside(*instruction);
      const bool is_last = instruction == instructions.back();
      if (instruction->opcode == Opcode::Call) tell(Kind::Returned, instruction->range, {});
      const bool is_cut = instruction->opcode == Opcode::Call || instruction->opcode == Opcode::Loop ||
                          (!instruction->blocks.empty() && has_exit(instruction));
      if (is_cut && !is_last) begin_segment(Kind::Resume, instruction->range);
    }
    segment_ = segment_around;
    depth_ = around;
    builder_.leave();
  }

  void tell_before(const Instruction& instruction) {
    if (instruction.opcode == Opcode::If)
      tell(Kind::Branch, instruction.range, {builder_.cast(instruction.operands[0], ScalarType::I64)});
    if (instruction.opcode == Opcode::Call) tell(Kind::Call, instruction.range, {});
    if (instruction.opcode == Opcode::CopyAsync) {
      const auto bytes = static_cast<std::uint8_t>(instruction.index);
      tell_access(Kind::Load, *instruction.operands[1], bytes, instruction.range);
      tell_access(Kind::Store, *instruction.operands[0], bytes, instruction.range);
    } else if (const std::optional<Kind> kind = access_to_watch(instruction)) {
      const Instruction& address = *instruction.operands[0];
      tell_access(*kind, address, static_cast<std::uint8_t>(size_in_bytes(address.type.scalar)), instruction.range);
    }
  }

  void tell_inside(Instruction& construct) {
    const auto inside = static_cast<std::uint16_t>(depth_ + 1);
    switch (construct.opcode) {
      case Opcode::If:
        for (Block& branch : construct.blocks) walk(branch, Kind::Enter, inside, construct.range);
        return;
      case Opcode::Loop:
        ++loops_;
        walk(construct.blocks[0], Kind::Turn, inside, construct.range);
        walk(construct.blocks[1], Kind::Resume, inside, construct.range);
        --loops_;
        return;
      default:
        for (Block& block : construct.blocks) walk(block, Kind::Resume, depth_, construct.range);
        return;
    }
  }

  void begin_segment(Kind kind, SourceRange range) { segment_ = tell(kind, range, {}); }

  /// Adds what the instruction is to its line of the segment.
  void count(const Instruction& instruction) {
    const Operations one = operations_of(instruction, fast_math_);
    if (one.instructions == 0) return;
    const SourcePlace place = source_of(module_, function_, &instruction).place(instruction.range);
    const auto [known, is_new] = lines_.try_emplace({segment_, place.line}, code_.size());
    if (is_new) code_.push_back({.site = segment_, .place = place, .loops = loops_});
    add(code_[known->second].operations, one);
  }

  void tell_access(Kind kind, const Instruction& address, std::uint8_t bytes, SourceRange range) {
    const std::int64_t site = tell(kind, range, {const_cast<Instruction*>(&address)});
    module_.observed[static_cast<std::size_t>(site)].is_shared = address.type.space == AddressSpace::Shared;
    module_.observed[static_cast<std::size_t>(site)].bytes = bytes;
  }

  std::int64_t tell(Kind kind, SourceRange range, std::initializer_list<Instruction*> operands) {
    builder_.set_range(range);
    Instruction* observed = builder_.emit(Opcode::Observe, operands);
    observed->index = static_cast<std::int64_t>(module_.observed.size());
    module_.observed.push_back(
        {.kind = kind, .depth = depth_, .place = source_of(module_, function_, observed).place(range)});
    return observed->index;
  }

  Module& module_;
  Function& function_;
  const bool fast_math_;
  std::vector<ObservedCode>& code_;
  Builder builder_;
  std::uint16_t depth_ = 0;
  std::int32_t loops_ = 0;
  std::int64_t segment_ = 0;
  std::map<std::pair<std::int64_t, int>, std::size_t> lines_;  // of a segment: places in code_
};

}  // namespace

void count_costs(Module& module, bool fast_math) {
  Module copies = copy_to_watch(module);
  std::vector<ObservedCode> code;
  for (const auto& copy : copies.functions) Telling(module, *copy, fast_math || copy->fast_math, code).run();
  for (const auto& copy : copies.functions)
    if (copy->is_kernel) copy->kernel.watched.code = code;
  add_copies(module, std::move(copies));
}

}  // namespace pykc::ir
