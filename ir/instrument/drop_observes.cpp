// Control is structured, so one walk finds what is surely written at each place: behind an If, what both sides have
// written that go on; behind a Loop, and behind a Scope that something leaves early, what was written before it. In a
// later turn of a loop there is only more.
#include "ir/instrument/drop_observes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "ir/instrument/watched_copies.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

/// Larger arrays stand in memory anyway.
constexpr std::int64_t kMostBytes = 4096;

/// Bytes of a local array; -1: nobody knows where.
struct Place {
  std::size_t array = 0;
  std::int64_t offset = 0;
};

std::optional<Place> place_of(const Instruction* address) {
  std::int64_t offset = 0;
  for (; address->opcode != Opcode::LocalArray; address = address->operands[0]) {
    if (address->opcode == Opcode::FieldPointer) {
      offset = offset < 0 ? -1 : offset + address->index;
    } else if (address->opcode == Opcode::ElementPointer) {
      const Instruction* const index = address->operands[1];
      const auto elements = static_cast<std::int64_t>(index->constant);
      const bool is_known = offset >= 0 && index->opcode == Opcode::Constant && elements >= 0 && elements < kMostBytes;
      offset = is_known ? offset + elements * size_in_bytes(address->type.scalar) : -1;
    } else {
      return std::nullopt;
    }
  }
  return Place{static_cast<std::size_t>(address->index), offset};
}

class WrittenArrays {
 public:
  WrittenArrays(const Module& module, const Function& function) : module_(module) {
    Written none;
    for (const ArrayStorage& array : function.local_arrays) {
      const std::int64_t bytes = array.count * size_in_bytes(array.element);
      is_sure_.push_back(bytes <= kMostBytes);
      none.emplace_back(is_sure_.back() ? static_cast<std::size_t>(bytes) : 0);
    }
    walk(function.body, none);
  }
  bool is_sure(const Instruction* address) const {
    const std::optional<Place> place = place_of(address);
    return place && is_sure_[place->array];
  }

 private:
  /// Of each array, of each byte, whether it is written.
  using Written = std::vector<std::vector<bool>>;

  void walk(const Block& block, Written& written) {
    for (const Instruction* instruction : block.instructions) {
      spend_time();
      switch (instruction->opcode) {
        case Opcode::If: {
          Written other = written;
          walk(instruction->blocks[0], written);
          walk(instruction->blocks[1], other);
          if (is_terminated(instruction->blocks[0])) {
            written = std::move(other);
          } else if (!is_terminated(instruction->blocks[1])) {
            for (std::size_t i = 0; i < written.size(); ++i)
              for (std::size_t byte = 0; byte < written[i].size(); ++byte)
                written[i][byte] = written[i][byte] && other[i][byte];
          }
          break;
        }
        case Opcode::Loop:
        case Opcode::Scope: {
          Written inside = written;
          walk(instruction->blocks[0], inside);
          if (instruction->blocks.size() > 1) {  // of a loop, to which a Continue may have led
            Written continuing = written;
            walk(instruction->blocks[1], continuing);
          }
          const bool is_left = any_instruction(instruction->blocks[0], [&](const Instruction* i) {
            return i->opcode == Opcode::Break && i->target == instruction;
          });
          if (instruction->opcode == Opcode::Scope && !is_left) written = std::move(inside);
          break;
        }
        default:
          examine(*instruction, written);
      }
    }
  }

  void examine(const Instruction& instruction, Written& written) {
    if (instruction.opcode == Opcode::Observe) {
      if (module_.observed[static_cast<std::size_t>(instruction.index)].kind != ObservedSite::Kind::Begin) return;
      std::vector<bool>& begun = written[place_of(instruction.operands[0])->array];
      begun.assign(begun.size(), false);
      return;
    }
    const bool moves = instruction.opcode == Opcode::ElementPointer || instruction.opcode == Opcode::FieldPointer;
    const std::optional<ObservedSite::Kind> access = access_of(instruction);
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Instruction* const operand = instruction.operands[i];
      if (!operand->type.is_pointer() || (i == 0 && moves)) continue;
      const std::optional<Place> place = place_of(operand);
      if (!place) continue;
      if (i == 0 && access)
        touch(*place, size_in_bytes(operand->type.scalar), *access, written[place->array]);
      else
        is_sure_[place->array] = false;
    }
  }

  void touch(Place place, std::int64_t bytes, ObservedSite::Kind access, std::vector<bool>& written) {
    if (!is_sure_[place.array]) return;
    const bool is_known = place.offset >= 0 && place.offset + bytes <= static_cast<std::int64_t>(written.size());
    const bool reads = access != ObservedSite::Kind::Store && access != ObservedSite::Kind::AtomicStore;
    const auto first = written.begin() + (is_known ? place.offset : 0), last = first + (is_known ? bytes : 0);
    if (!is_known || (reads && !std::all_of(first, last, [](bool one) { return one; })))
      is_sure_[place.array] = false;
    else if (!reads)
      std::fill(first, last, true);
  }

  const Module& module_;
  std::vector<bool> is_sure_;
};

}  // namespace

void drop_needless_observes(const Module& module, Function& function) {
  if (!function.is_watched || function.local_arrays.empty()) return;
  const WrittenArrays arrays(module, function);
  const auto drop = [&](const auto& self, Block& block) -> void {
    std::erase_if(block.instructions, [&](const Instruction* i) {
      return i->opcode == Opcode::Observe && !i->operands.empty() && i->operands[0]->type.is_pointer() &&
             arrays.is_sure(i->operands[0]);
    });
    for (Instruction* instruction : block.instructions)
      for (Block& nested : instruction->blocks) self(self, nested);
  };
  drop(drop, function.body);
}

}  // namespace pykc::ir
