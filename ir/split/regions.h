// The code between two meeting points becomes a ThreadLoop.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/liveness.h"
#include "ir/split/plan.h"

namespace pykc::ir::split {

/// What is known of a kernel between the steps after build_regions.
struct Regions {
  LocalEffects effects;
  std::unordered_map<const Local*, std::int64_t> slots;         // locals that have a slot for certain
  std::unordered_map<const Instruction*, Local*> homes;         // the local that holds a value of another region
  std::unordered_map<const Instruction*, Instruction*> guards;  // ThreadLoop: its If over the mask, if any
  std::unordered_set<const Instruction*> unmasked;              // ThreadLoops whose slots all threads load and store
  /// The block of a ThreadLoop that the threads run that are in it.
  Block& body_of(Instruction* thread_loop) const {
    const auto guard = guards.find(thread_loop);
    return (guard == guards.end() ? thread_loop : guard->second)->blocks[0];
  }
};

/// Builds the ThreadLoops and the block-level code around them. Values and locals still cross from region to region.
Regions build_regions(Function& kernel, Module& module, const Plan& plan);

}  // namespace pykc::ir::split
