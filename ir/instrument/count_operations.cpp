// A thread counts in a local array, which its kernel owns and every function gets as a last parameter; LLVM keeps it in
// registers. Instructions that follow one another without a branch add once, together, before what may leave them.
// A kernel adds its thread's array to the launch's before each of its returns.
#include "ir/instrument/count_operations.h"

#include <algorithm>
#include <utility>

#include "ir/builder.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

constexpr const char* kName = "pykc.counts";  // which no variable of a source can have
constexpr int kRegisters = 64;                // with which a block may have all 1024 threads

std::int64_t global_bytes(const Instruction* address) {
  const Type type = address->type;
  return type.is_pointer() && type.space == AddressSpace::Global ? size_in_bytes(type.scalar) : 0;
}

/// What one operation that gives a value of the type counts as.
Counts operations(Type type, std::int64_t count) {
  Counts counts = {};
  if (!type.is_scalar() || !is_float(type.scalar)) return counts;
  const Counter counter = type.scalar == ScalarType::F64 ? Counter::F64Operations : Counter::F32Operations;
  counts[static_cast<std::size_t>(counter)] = count;
  return counts;
}

Counts bytes(std::int64_t loaded, std::int64_t stored) { return {loaded, stored, 0, 0}; }

void add(Counts& to, const Counts& counts) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += counts[i];
}

class Counting {
 public:
  explicit Counting(Function& function) : function_(function), builder_(function) {}

  void run() {
    Block entry;
    builder_.enter(entry);
    if (function_.is_kernel)
      add_to_kernel();
    else
      thread_counts_ = add_parameter(AddressSpace::Local);
    builder_.leave();
    count_block(function_.body);
    if (function_.is_kernel && !is_terminated(function_.body)) {
      builder_.enter(function_.body);
      add_to_launch();
      builder_.leave();
    }
    std::vector<Instruction*>& body = function_.body.instructions;
    body.insert(body.begin(), entry.instructions.begin(), entry.instructions.end());
  }

 private:
  Instruction* add_parameter(AddressSpace space) {
    function_.parameters.push_back({.name = kName, .type = Type::pointer(ScalarType::I64, space)});
    return builder_.parameter(static_cast<int>(function_.parameters.size()) - 1);
  }

  /// What a launch passes, and the thread's own counts.
  void add_to_kernel() {
    launch_counts_ = add_parameter(AddressSpace::Global);
    KernelInfo& kernel = function_.kernel;
    ArrayType array;
    array.element = ScalarType::I64;
    array.extents = {kCountRows * kCountsInRow};
    kernel.parameters.push_back({.name = kName, .is_array = true, .array = std::move(array)});
    // Counting needs registers of its own; blocks must be as large as without it.
    if (kernel.max_threads_per_block == 0)
      function_.max_registers =
          std::min(function_.max_registers == 0 ? kRegisters : function_.max_registers, kRegisters);
    function_.local_arrays.push_back({.name = kName, .element = ScalarType::I64, .count = kCounters});
    thread_counts_ = builder_.local_array(static_cast<int>(function_.local_arrays.size()) - 1);
    for (int i = 0; i < kCounters; ++i) builder_.store(counter(thread_counts_, i), builder_.constant_i64(0));
  }

  Instruction* counter(Instruction* counts, int index) {
    return builder_.emit(Opcode::ElementPointer, {counts, builder_.constant_i64(index)});
  }

  void count_block(Block& block) {
    const std::vector<Instruction*> instructions = std::exchange(block.instructions, {});
    builder_.enter(block);
    Counts pending = {};
    for (Instruction* instruction : instructions) {
      if (!instruction->blocks.empty() || is_terminator(instruction)) add_to_thread(std::exchange(pending, {}));
      for (Block& nested : instruction->blocks) count_block(nested);
      if (instruction->opcode == Opcode::Return && function_.is_kernel) add_to_launch();
      if (instruction->opcode == Opcode::Call) instruction->operands.push_back(thread_counts_);
      block.instructions.push_back(instruction);
      add(pending, counts_of(*instruction));
    }
    add_to_thread(pending);
    builder_.leave();
  }

  void add_to_thread(const Counts& counts) {
    for (int i = 0; i < kCounters; ++i) {
      const std::int64_t count = counts[static_cast<std::size_t>(i)];
      if (count == 0) continue;
      Instruction* place = counter(thread_counts_, i);
      builder_.store(place, builder_.emit(Opcode::Add, {builder_.load(place), builder_.constant_i64(count)}));
    }
  }

  void add_to_launch() {
    Instruction* block = builder_.builtin(BuiltinId::BlockIdxX, Type::of(ScalarType::I64), {});
    Instruction* row = builder_.emit(Opcode::And, {block, builder_.constant_i64(kCountRows - 1)});
    Instruction* first = builder_.emit(Opcode::Mul, {row, builder_.constant_i64(kCountsInRow)});
    Instruction* counts = builder_.emit(Opcode::ElementPointer, {launch_counts_, first});
    for (int i = 0; i < kCounters; ++i)
      builder_.atomic(AtomicOp::Add, counter(counts, i), builder_.load(counter(thread_counts_, i)));
  }

  Function& function_;
  Builder builder_;
  Instruction* launch_counts_ = nullptr;  // of a kernel
  Instruction* thread_counts_ = nullptr;
};

}  // namespace

Counts counts_of(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  switch (instruction.opcode) {
    case Opcode::Load:
    case Opcode::AtomicLoad:
    case Opcode::HintedLoad:
      return bytes(global_bytes(operands[0]), 0);
    case Opcode::Store:
    case Opcode::AtomicStore:
    case Opcode::HintedStore:
      return bytes(0, global_bytes(operands[0]));
    case Opcode::AtomicRmw: {
      const bool computes = instruction.atomic == AtomicOp::Add || instruction.atomic == AtomicOp::Sub;
      Counts counts = operations(instruction.type, computes ? 1 : 0);
      add(counts, bytes(global_bytes(operands[0]), global_bytes(operands[0])));
      return counts;
    }
    case Opcode::AtomicCas:
      return bytes(global_bytes(operands[0]), global_bytes(operands[0]));
    case Opcode::CopyAsync:
      return bytes(instruction.index, 0);
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Div:
    case Opcode::FloorDiv:
    case Opcode::Mod:
      return operations(instruction.type, 1);
    case Opcode::Fma:
      return operations(instruction.type, 2);
    case Opcode::Builtin:
      if (pykc::info(instruction.builtin).effect != Effect::Pure || instruction.builtin == BuiltinId::Selp) return {};
      return operations(instruction.type, instruction.builtin == BuiltinId::Fma ? 2 : 1);
    default:
      return {};
  }
}

void count_operations(Module& module) {
  for (const auto& function : module.functions) Counting(*function).run();
}

}  // namespace pykc::ir
