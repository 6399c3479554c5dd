// Random kernels for testing that a pass keeps what a program computes.
#pragma once

#include <random>
#include <vector>

#include "ir/builder.h"

namespace pykc::ir {

/// Fills `kernel`, which has the parameters (out: ptr<i64, global>, n: i64), with a random terminating program of one
/// thread that writes to out[0 … 15].
class RandomProgram {
 public:
  RandomProgram(Function& kernel, unsigned seed) : builder_(kernel), random_(seed) {}

  void generate() {
    for (int i = 0; i < 4; ++i) {
      locals_.push_back(builder_.function().create_local("v" + std::to_string(i), Type::of(ScalarType::I64)));
    }
    integers_ = {builder_.parameter(1)};
    floats_ = {builder_.cast(integers_[0], ScalarType::F32)};
    statements(12, 3);
    write(integer());
    for (Local* local : locals_) write(builder_.load_local(local));
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

  template <typename T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }

  Instruction* integer() {
    if (below(3) != 0) return pick(integers_);
    return builder_.constant_i64(pick(std::vector<std::int64_t>{0, 1, -1, 2, 3, 64, 1LL << 62, INT64_MIN}));
  }

  Instruction* real() {
    if (below(3) != 0) return pick(floats_);
    return builder_.constant_float(ScalarType::F32, pick(std::vector<double>{0.0, -0.0, 1, -1.5, 0.1, 1e38}));
  }

  Instruction* condition() {
    using enum Opcode;
    const Opcode opcode = pick(std::vector<Opcode>{Eq, Ne, Lt, Le, Gt, Ge});
    return below(3) == 0 ? builder_.emit(opcode, {real(), real()}) : builder_.emit(opcode, {integer(), integer()});
  }

  void write(Instruction* value) {
    Instruction* index = builder_.emit(Opcode::And, {integer(), builder_.constant_i64(15)});
    builder_.store(builder_.emit(Opcode::ElementPointer, {builder_.parameter(0), index}), value);
  }

  void compute() {
    using enum Opcode;
    const Opcode opcode = pick(std::vector<Opcode>{Add, Sub, Mul, FloorDiv, Mod, And, Or, Xor, Shl, Shr});
    integers_.push_back(builder_.emit(opcode, {integer(), integer()}));
  }

  void compute_real() {
    using enum Opcode;
    floats_.push_back(builder_.emit(pick(std::vector<Opcode>{Add, Sub, Mul, Div, Mod}), {real(), real()}));
    integers_.push_back(builder_.cast(real(), ScalarType::I64));  // a NaN becomes 0: its bits are nobody's business
  }

  /// Statements in a block of their own, whose values end with it.
  void nested(Block& block, int count, int depth) {
    const auto integers = integers_.size(), floats = floats_.size();
    builder_.enter(block);
    statements(count, depth);
    builder_.leave();
    integers_.resize(integers);
    floats_.resize(floats);
  }

  void branch(int depth) {
    Instruction* const branch = builder_.if_(condition());
    nested(branch->blocks[0], below(5), depth - 1);
    if (below(2) == 0) nested(branch->blocks[1], below(4), depth - 1);
  }

  /// Up to three turns; the body may leave early or skip its rest.
  void loop(int depth) {
    Local* const counter = builder_.function().create_local("i", Type::of(ScalarType::I64));
    builder_.store_local(counter, builder_.constant_i64(0));
    Instruction* const loop = builder_.loop();
    regions_.push_back(loop);
    builder_.enter(loop->blocks[0]);
    Instruction* const turn = builder_.load_local(counter);
    Instruction* const end = builder_.if_(builder_.emit(Opcode::Ge, {turn, builder_.constant_i64(below(4))}));
    builder_.enter(end->blocks[0]);
    builder_.break_(loop);
    builder_.leave();
    builder_.leave();
    nested(loop->blocks[0], 1 + below(5), depth - 1);
    builder_.enter(loop->blocks[1]);
    builder_.store_local(counter, builder_.emit(Opcode::Add, {builder_.load_local(counter), builder_.constant_i64(1)}));
    builder_.leave();
    regions_.pop_back();
  }

  void scope(int depth) {
    Instruction* const scope = builder_.scope();
    regions_.push_back(scope);
    nested(scope->blocks[0], 1 + below(5), depth - 1);
    regions_.pop_back();
  }

  void jump() {
    if (regions_.empty()) return;
    Instruction* const target = pick(regions_);
    if (target->opcode == Opcode::Loop && below(2) == 0) {
      builder_.continue_(target);
    } else {
      builder_.break_(target);
    }
  }

  void statement(int depth) {
    switch (below(depth > 0 ? 12 : 9)) {
      case 0:
      case 1:
      case 2:
        return compute();
      case 3:
        return compute_real();
      case 4:
        builder_.store_local(pick(locals_), integer());
        return;
      case 5:
        integers_.push_back(builder_.load_local(pick(locals_)));
        return;
      case 6:
        integers_.push_back(builder_.select(condition(), integer(), integer()));
        return;
      case 7:
        return write(integer());
      case 8:
        return depth < 3 && below(2) == 0 ? jump() : compute();
      case 9:
        return branch(depth);
      case 10:
        return loop(depth);
      default:
        return scope(depth);
    }
  }

  void statements(int count, int depth) {
    for (int i = 0; i < count && !builder_.is_terminated(); ++i) statement(depth);
  }

  Builder builder_;
  std::mt19937 random_;
  std::vector<Local*> locals_;
  std::vector<Instruction*> integers_, floats_;  // those in scope
  std::vector<Instruction*> regions_;            // those around, outermost first
};

}  // namespace pykc::ir
