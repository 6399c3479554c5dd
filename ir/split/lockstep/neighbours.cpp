// How the addresses of a loop change: from one thread to the next along x, and from one turn of the loop to the next.
//
//   for j in range(m): out[j, i] = x[j, i]      i = grid(1): neighbours stand side by side, a thread's turns do not
//   for j in range(m): out[i, j] = x[i, j]      the other way round
#include "ir/split/lockstep/neighbours.h"

#include "ir/analysis/affine.h"
#include "ir/split/lockstep/growth.h"
#include "ir/walk.h"

namespace pykc::ir::split {
namespace {

/// From one thread of a row to the next.
Slopes slopes_along_threads(const Function& kernel, const Uniformity& uniformity, UniformValues& values) {
  return {kernel, Certainty::Guess, [&](const Instruction* value) -> std::optional<Slope> {
            if (uniformity.is_uniform(value) || values.is_uniform(value)) return Slope::exactly(0);
            return slope_of_thread_index(value, 0);
          }};
}

/// From one turn of a thread to its next: each variable that the loop sets is taken for a counter.
Slopes slopes_along_turns(const Function& kernel, const Instruction& loop) {
  std::unordered_set<const Instruction*> inside;
  std::unordered_set<const Local*> changing;
  for (const Block& block : loop.blocks)
    for_each_instruction(block, [&](const Instruction* i) {
      inside.insert(i);
      if (i->opcode == Opcode::LocalStore) changing.insert(i->local);
    });
  return {
      kernel, Certainty::Guess,
      [inside = std::move(inside), changing = std::move(changing)](const Instruction* value) -> std::optional<Slope> {
        if (!inside.contains(value)) return Slope::exactly(0);
        if (value->opcode != Opcode::LocalLoad) return std::nullopt;
        return Slope::exactly(changing.contains(value->local) ? 1 : 0);
      }};
}

bool is_access(const Instruction& i) {
  return i.opcode == Opcode::Load || i.opcode == Opcode::Store || i.opcode == Opcode::HintedLoad ||
         i.opcode == Opcode::HintedStore;
}

}  // namespace

Accesses accesses_of(const Instruction& loop, const Function& kernel, const Uniformity& uniformity,
                     UniformValues& values) {
  Slopes along_threads = slopes_along_threads(kernel, uniformity, values);
  Slopes along_turns = slopes_along_turns(kernel, loop);
  Accesses accesses;
  for_each_instruction(loop.blocks[0], [&](const Instruction* i) {
    if (!is_access(*i)) return;
    const Instruction* address = i->operands[0];
    const bool is_global = address->type.space == AddressSpace::Global;
    const Slope slope = along_threads.of(address);
    const bool is_spread = !slope.is_none() && !slope.is_one();
    accesses.have_neighbours |= is_global && slope.is_one();
    accesses.are_spread |= is_spread;
    accesses.follow_turns |= is_global && is_spread && along_turns.of(address).is_one();
  });
  return accesses;
}

}  // namespace pykc::ir::split
