#include "ir/passes/clone.h"

#include "ir/walk.h"

namespace pykc::ir {
namespace {

/// All but the body.
std::unique_ptr<Function> clone_header(const Function& from) {
  auto to = std::make_unique<Function>();
  to->name = from.name;
  to->symbol = from.symbol;
  to->is_kernel = from.is_kernel;
  to->is_recursive = from.is_recursive;
  to->is_watched = from.is_watched;
  to->runs_warps_apart = from.runs_warps_apart;
  to->part = from.part;
  to->parameters = from.parameters;
  to->results = from.results;
  to->local_arrays = from.local_arrays;
  to->shared_arrays = from.shared_arrays;
  to->print_formats = from.print_formats;
  to->foreign_codes = from.foreign_codes;
  to->tensor_maps = from.tensor_maps;
  to->slots = from.slots;
  to->range = from.range;
  to->source = from.source;
  to->kernel = from.kernel;
  to->min_blocks_per_multiprocessor = from.min_blocks_per_multiprocessor;
  to->max_registers = from.max_registers;
  to->cluster = from.cluster;
  to->fast_math = from.fast_math;
  to->contract = from.contract;
  return to;
}

void clone_body(const Function& from, Function& to) {
  Cloner cloner(to);
  for (const Local& local : from.locals) cloner.replace(&local, to.create_local_like(local, local.name));
  cloner.clone(from.body, to.body);
}

}  // namespace

Instruction* Cloner::operator()(Instruction* value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? value : found->second;
}

Local* Cloner::operator()(Local* local) const {
  const auto found = locals_.find(local);
  return found == locals_.end() ? local : found->second;
}

Instruction* Cloner::clone(const Instruction* from) {
  Instruction* to = into_.create(from->opcode, from->type, from->range);
  values_[from] = to;  // before the blocks: what leaves a construct stands inside it
  to->operands.reserve(from->operands.size());
  for (Instruction* operand : from->operands) to->operands.push_back((*this)(operand));
  to->target = (*this)(from->target);
  to->local = (*this)(from->local);
  to->callee = from->callee;
  to->builtin = from->builtin;
  to->atomic = from->atomic;
  to->order = from->order;
  to->scope = from->scope;
  to->hint = from->hint;
  to->index = from->index;
  to->constant = from->constant;
  to->slots = from->slots;
  to->no_wrap = from->no_wrap;
  to->is_packed = from->is_packed;
  to->source = from->source;
  to->blocks.resize(from->blocks.size());
  for (std::size_t i = 0; i < from->blocks.size(); ++i) clone(from->blocks[i], to->blocks[i]);
  return to;
}

void Cloner::clone(const Block& from, Block& to) {
  to.instructions.reserve(from.instructions.size());
  for (const Instruction* instruction : from.instructions)
    if (!values_.contains(instruction)) to.instructions.push_back(clone(instruction));
}

std::unique_ptr<Function> clone(const Function& function) {
  std::unique_ptr<Function> copy = clone_header(function);
  clone_body(function, *copy);
  return copy;
}

Module clone(const Module& from) {
  Module to;
  to.name = from.name;
  to.source = from.source;
  to.constant_arrays = from.constant_arrays;
  to.faults = from.faults;
  std::unordered_map<const Function*, Function*> copies;
  for (const std::unique_ptr<Function>& function : from.functions) {
    to.functions.push_back(clone_header(*function));
    copies[function.get()] = to.functions.back().get();
    clone_body(*function, *to.functions.back());
  }
  for (const std::unique_ptr<Function>& function : to.functions)
    for_each_instruction(function->body, [&](Instruction* instruction) {
      if (instruction->opcode == Opcode::Call) instruction->callee = copies.at(instruction->callee);
    });
  return to;
}

}  // namespace pykc::ir
