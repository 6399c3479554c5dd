// What a block reads in the next turn of a stride of the grid.
//
// The block's threads read a row of elements in each turn, and the next turn's row is far away, on another page, where
// no prefetcher of a processor looks for it. So the first lines of that row are asked for at the start of a turn; once
// they have been read, the processor sees where it goes on.
//
//   for shift in range(0, …, step):
//       next = first + shift + step: prefetch x[next], x[next + elements of a line], …
//       if start + shift < stop: … x[start + shift] …
#include "ir/split/lockstep/prefetch.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/split/lockstep/stride.h"

namespace pykc::ir::split {
namespace {

constexpr std::int64_t kLine = 64;  // bytes
constexpr std::int64_t kLines = 4;

/// The arrays of global memory that each thread reads at the place that `counter` says, in each of its turns.
std::vector<const Instruction*> arrays_at(const Local* counter, const Block& turn) {
  std::vector<const Instruction*> arrays;
  for (const Instruction* i : turn.instructions) {
    if (i->opcode != Opcode::Load || i->operands[0]->opcode != Opcode::ElementPointer) continue;
    const Instruction *array = i->operands[0]->operands[0], *index = i->operands[0]->operands[1];
    const bool is_there = array->opcode == Opcode::Parameter && array->type.space == AddressSpace::Global;
    const auto is_same = [&](const Instruction* other) { return other->index == array->index; };
    if (is_there && index->opcode == Opcode::LocalLoad && index->local == counter &&
        std::ranges::none_of(arrays, is_same))
      arrays.push_back(array);
  }
  return arrays;
}

bool is_of_grid(const Instruction* step) {
  if (step->opcode == Opcode::Builtin) return step->builtin == BuiltinId::GridDimX;
  return step->opcode == Opcode::Mul && std::ranges::any_of(step->operands, is_of_grid);
}

}  // namespace

void prefetch_next_turn(const CountedLoop& stride, const Block& turn, Instruction* next, Builder& builder) {
  if (!is_of_grid(stride.step)) return;
  Instruction* last = builder.emit(Opcode::Sub, {stride.stop, builder.constant_i64(1)});
  for (const Instruction* array : arrays_at(stride.counter, turn)) {
    Instruction* base = builder.parameter(static_cast<int>(array->index));
    for (std::int64_t line = 0; line < kLines; ++line) {
      Instruction* elements = builder.constant_i64(line * kLine / size_in_bytes(array->type.scalar));
      Instruction* place = builder.emit(Opcode::Add, {next, elements});
      place = builder.select(builder.emit(Opcode::Lt, {place, stride.stop}), place, last);
      builder.emit(Opcode::Prefetch, {builder.emit(Opcode::ElementPointer, {base, place})})->index = 1;
    }
  }
}

}  // namespace pykc::ir::split
