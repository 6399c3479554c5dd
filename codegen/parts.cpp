#include "codegen/parts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/walk.h"

namespace pykc::codegen {
namespace {

// A part takes LLVM 1.6 ms whatever it holds, and an instruction of the IR a sixth of a millisecond.
constexpr std::size_t kLeastInstructions = 128;
constexpr std::size_t kMostParts = 64;          // each has a dozen sections, of which an object numbers 2^16
constexpr std::size_t kMostCopied = 64 * 1024;  // bytes of tables, of which each part may have a copy

std::size_t instructions_of(const ir::Function& function) {
  std::size_t count = 0;
  ir::for_each_instruction(function.body, [&](const ir::Instruction*) { ++count; });
  return count;
}

/// For each kernel the number of its part, which a watched copy shares: neighbours until they are enough.
std::unordered_map<const ir::Function*, std::size_t> parts_of_kernels(const ir::Module& source) {
  std::vector<std::pair<const ir::Function*, std::size_t>> kernels;
  std::size_t left = 0;
  for (const auto& function : source.functions) {
    if (!function->is_kernel || function->plain != nullptr) continue;
    kernels.emplace_back(function.get(), instructions_of(*function));
    left += kernels.back().second;
  }
  const std::size_t enough = std::max(kLeastInstructions, left / kMostParts + 1);
  std::unordered_map<const ir::Function*, std::size_t> parts;
  std::size_t part = 0, held = 0;
  for (const auto& [kernel, count] : kernels) {
    if (held >= enough && left >= enough) {
      ++part;
      held = 0;
    }
    held += count;
    left -= count;
    parts[kernel] = part;
  }
  return parts;
}

}  // namespace

std::vector<Part> whole(const ir::Module& source) {
  std::vector<Part> parts(1);
  for (const auto& function : source.functions) parts.front().functions.push_back(function.get());
  return parts;
}

std::vector<Part> parts_of(const ir::Module& source, const Target& target, const Options& options) {
  std::size_t tables = 0;
  for (const ir::ConstantArray& array : source.constant_arrays) tables += array.host ? 0 : array.bytes.size();
  if (target.kind != Target::Kind::Cpu || options.line_info || !options.libraries.empty() || tables > kMostCopied)
    return whole(source);

  const std::unordered_map<const ir::Function*, std::size_t> numbers = parts_of_kernels(source);
  std::size_t count = 1;
  for (const auto& [kernel, number] : numbers) count = std::max(count, number + 1);
  if (count == 1) return whole(source);
  std::vector<Part> parts(count);
  std::vector<std::unordered_set<const ir::Function*>> reached(count);
  for (const auto& function : source.functions) {
    if (!function->is_kernel) continue;
    auto& with_callees = reached[numbers.at(function->plain != nullptr ? function->plain : function.get())];
    with_callees.insert(function.get());
    ir::for_each_instruction_reached(*function, [&](const ir::Instruction* i) {
      if (i->opcode == ir::Opcode::Call) with_callees.insert(i->callee);
    });
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].is_first = i == 0;
    for (const auto& function : source.functions)
      if (reached[i].contains(function.get())) parts[i].functions.push_back(function.get());
  }
  return parts;
}

}  // namespace pykc::codegen
