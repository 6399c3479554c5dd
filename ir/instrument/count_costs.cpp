// Code that runs from its beginning to its end, once it is entered, is a segment: a block, up to something that not
// every thread comes out of; then the rest of the block. Of a segment it is enough to know how often which threads
// enter it.
#include "ir/instrument/count_costs.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "ir/builder.h"
#include "ir/instrument/count_operations.h"
#include "ir/instrument/math_costs.h"
#include "ir/instrument/predictability.h"
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

/// Whether bits or quotients come out of it, of integers or bools: what a loop counts does not pass it as a sum or
/// product.
bool is_nonlinear(Opcode opcode) {
  switch (opcode) {
    case Opcode::FloorDiv:
    case Opcode::Mod:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Shl:
    case Opcode::Shr:
      return true;
    default:
      return false;
  }
}

bool is_integer_operation(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Neg:
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
      return is_nonlinear(instruction.opcode) && !is_float(instruction.type.scalar);
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
      return tells_place(&instruction);
  }
}

/// Integer operations that only count or lead to elements, so that of a loop next to nothing is left of them: not what
/// goes into such that are not linear, and what comes of these. What is known from the source is computed before.
class LinearOperations {
 public:
  LinearOperations(const Function& function, const Predictability& source) {
    for_each_instruction(function.body, [&](const Instruction* instruction) {
      const auto is_other = [this](const Instruction* operand) { return others_.contains(operand); };
      if (source.has_value(instruction)) return;
      if (is_nonlinear(instruction->opcode) && is_integer(instruction->type.scalar)) {
        others_.insert(instruction);
        for (const Instruction* operand : instruction->operands)
          if (is_integer_operation(*operand) && !source.has_value(operand)) others_.insert(operand);
      } else if (is_integer_operation(*instruction) && std::ranges::any_of(instruction->operands, is_other)) {
        others_.insert(instruction);
      }
    });
  }
  bool contains(const Instruction& instruction) const {
    return is_integer_operation(instruction) && !others_.contains(&instruction);
  }

 private:
  std::unordered_set<const Instruction*> others_;
};

/// What instructions of one function are for a GPU.
class Pricing {
 public:
  Pricing(const Function& function, const Predictability& source, bool fast_math)
      : source_(source), linear_(function, source), fast_math_(fast_math) {}
  Operations of(const Instruction& instruction) const;
  /// Whether a branch is so short that a GPU takes no branch: all lanes issue it, some of them to no effect.
  bool is_predicated(const Instruction& branch) const;

 private:
  static constexpr std::int64_t kMostPredicated = 7;  // instructions; of ptxas 13.0, by what it made of some kernels
  const Predictability& source_;
  const LinearOperations linear_;
  const bool fast_math_;
};

Operations Pricing::of(const Instruction& instruction) const {
  Operations one;
  if (is_free(instruction) || is_loop_test(instruction)) return one;
  one.instructions = 1;
  const Counts counts = counts_of(instruction);
  one.f32 = counts[static_cast<std::size_t>(Counter::F32Operations)];
  one.f64 = counts[static_cast<std::size_t>(Counter::F64Operations)];
  one.integer = is_integer_operation(instruction) ? 1 : 0;
  one.linear = linear_.contains(instruction) ? 1 : 0;
  one.conversions = instruction.opcode == Opcode::Cast ? 1 : 0;
  one.barriers = is_barrier(&instruction) ? 1 : 0;
  one.warp = has_builtin_effect(&instruction, Effect::Warp) ? 1 : 0;
  const std::optional<Kind> access = access_to_watch(instruction);
  const bool is_global = access && instruction.operands[0]->type.space == AddressSpace::Global;
  one.global_loads = is_global && *access != Kind::Store && *access != Kind::AtomicStore ? 1 : 0;
  const bool is_division = instruction.opcode == Opcode::FloorDiv || instruction.opcode == Opcode::Mod;
  const MathCost math =
      math_cost_of(instruction, fast_math_, is_division && source_.has_value(instruction.operands[1]));
  one.math = math.instructions;
  one.math_f64 = math.of_f64;
  return one;
}

void add(Operations& to, const Operations& one) {
  to.instructions += one.instructions;
  to.f32 += one.f32;
  to.f64 += one.f64;
  to.integer += one.integer;
  to.linear += one.linear;
  to.math += one.math;
  to.math_f64 += one.math_f64;
  to.conversions += one.conversions;
  to.barriers += one.barriers;
  to.warp += one.warp;
  to.global_loads += one.global_loads;
}

bool Pricing::is_predicated(const Instruction& branch) const {
  Operations inside;
  bool is_plain = !has_exit(&branch);
  for (const Block& block : branch.blocks)
    for_each_instruction(block, [&](const Instruction* instruction) {
      is_plain &= instruction->opcode != Opcode::Call && instruction->opcode != Opcode::Loop;
      add(inside, of(*instruction));
    });
  return is_plain && inside.instructions - inside.linear <= kMostPredicated && inside.math == 0 &&
         inside.barriers == 0 && inside.warp == 0;
}

class Telling {
 public:
  Telling(Module& module, Function& function, const Pricing& pricing, std::vector<ObservedCode>& code)
      : module_(module),
        function_(function),
        pricing_(pricing),
        code_(code),
        builder_(function),
        is_at_end_(function.is_kernel) {}

  void run() { walk(function_.body, Kind::Enter, 0, function_.range); }

 private:
  void walk(Block& block, Kind kind, std::uint16_t depth, SourceRange range) {
    const std::vector<Instruction*> instructions = std::exchange(block.instructions, {});
    if (instructions.empty()) return;
    builder_.enter(block);
    const std::uint16_t around = std::exchange(depth_, depth);
    const std::int64_t segment_around = segment_;
    const bool is_end_around = is_at_end_;
    begin_segment(kind, range);
    for (std::size_t at = 0; at < instructions.size(); ++at) {
      Instruction* instruction = instructions[at];
      count(*instruction);
      builder_.set_range(instruction->range);
      tell_before(*instruction);
      block.instructions.push_back(instruction);
      const bool is_last = instruction == instructions.back();
      is_at_end_ = is_end_around && (is_last || instructions[at + 1]->opcode == Opcode::Return);
      tell_inside(*instruction);
      if (instruction->opcode == Opcode::Call) tell(Kind::Returned, instruction->range, {});
      const bool is_cut = instruction->opcode == Opcode::Call || instruction->opcode == Opcode::Loop ||
                          (!instruction->blocks.empty() && has_exit(instruction));
      if (is_cut && !is_last) begin_segment(Kind::Resume, instruction->range);
    }
    segment_ = segment_around;
    is_at_end_ = is_end_around;
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
      case Opcode::If: {
        // At the end of the kernel threads leave it.
        const bool is_issued = !is_at_end_ && pricing_.is_predicated(construct);
        const std::int64_t around = issued_at_;
        issued_at_ = !is_issued ? -1 : around >= 0 ? around : segment_;
        for (Block& branch : construct.blocks) walk(branch, Kind::Enter, inside, construct.range);
        issued_at_ = around;
        return;
      }
      case Opcode::Loop:
        is_at_end_ = false;
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
    const Operations one = pricing_.of(instruction);
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
    module_.observed.push_back({.kind = kind,
                                .depth = depth_,
                                .issued_at = static_cast<std::int32_t>(issued_at_),
                                .place = source_of(module_, function_, observed).place(range)});
    return observed->index;
  }

  Module& module_;
  Function& function_;
  const Pricing& pricing_;
  std::vector<ObservedCode>& code_;
  Builder builder_;
  std::uint16_t depth_ = 0;
  std::int32_t loops_ = 0;
  std::int64_t segment_ = 0;
  std::int64_t issued_at_ = -1;                                // see ObservedSite
  bool is_at_end_;                                             // of the kernel, behind the current instruction
  std::map<std::pair<std::int64_t, int>, std::size_t> lines_;  // of a segment: places in code_
};

}  // namespace

void count_costs(Module& module, bool fast_math) {
  Module copies = copy_to_watch(module);
  std::vector<ObservedCode> code;
  const Predictability source(copies, Predictability::By::Source);
  for (const auto& copy : copies.functions) {
    const Pricing pricing(*copy, source, fast_math || copy->fast_math);
    Telling(module, *copy, pricing, code).run();
  }
  for (const auto& copy : copies.functions)
    if (copy->is_kernel) copy->kernel.watched.code = code;
  add_copies(module, std::move(copies));
}

}  // namespace pykc::ir
