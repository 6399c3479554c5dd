// Appends instructions to a function, one method a shape. The builder works out result types from opcodes.def.
//
//   Builder b(function);
//   Instruction* i = b.builtin(BuiltinId::ThreadIdxX, Type::of(ScalarType::I64), {});
//   Instruction* branch = b.if_(b.compare(Opcode::Lt, i, n));
//   b.enter(branch->blocks[0]);  …  b.leave();
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ir/module.h"

namespace pykc::ir {

class Builder {
 public:
  explicit Builder(Function& function) : function_(function) { enter(function.body); }

  Function& function() { return function_; }
  /// New instructions go to the end of `block` until leave().
  void enter(Block& block) { blocks_.push_back(&block); }
  void leave() { blocks_.pop_back(); }
  Block& block() { return *blocks_.back(); }
  /// Whether the current block ends in Break, Continue, Return or Fault, so that nothing may follow.
  bool is_terminated() const;
  void set_range(SourceRange range) { range_ = range; }

  Instruction* constant_int(ScalarType type, std::int64_t value);  // wraps into the type; bool: value != 0
  Instruction* constant_float(ScalarType type, double value);      // rounds into the type
  Instruction* constant_i64(std::int64_t value) { return constant_int(ScalarType::I64, value); }
  Instruction* parameter(int index);
  Instruction* local_array(int index);
  Instruction* shared_array(int index);
  Instruction* constant_array(int index, ScalarType element);

  /// Any opcode whose result is None, Operand or Bool in the table.
  Instruction* emit(Opcode opcode, std::initializer_list<Instruction*> operands);
  Instruction* emit_typed(Opcode opcode, Type type, std::initializer_list<Instruction*> operands);
  Instruction* cast(Instruction* value, ScalarType to);  // the value itself where the type is right already
  Instruction* select(Instruction* condition, Instruction* a, Instruction* b);
  Instruction* builtin(BuiltinId id, Type type, std::vector<Instruction*> operands);
  Instruction* load_local(Local* local);
  Instruction* store_local(Local* local, Instruction* value);
  /// The address `offset` bytes after `base`, as one of `type`; `base` itself where that is it.
  Instruction* field(Instruction* base, std::int64_t offset, ScalarType type);
  /// The same address as one of `type`, which the source says lies there.
  Instruction* reinterpret(Instruction* base, ScalarType type);
  Instruction* load(Instruction* address);
  Instruction* store(Instruction* address, Instruction* value) { return emit(Opcode::Store, {address, value}); }
  Instruction* atomic(AtomicOp op, Instruction* address, Instruction* value);

  Instruction* if_(Instruction* condition);  // with two empty blocks
  Instruction* loop();                       // with two empty blocks
  Instruction* scope();
  Instruction* break_(Instruction* target);
  Instruction* continue_(Instruction* target);
  Instruction* return_(std::vector<Instruction*> results = {});
  Instruction* call(Function* callee, std::vector<Instruction*> arguments);
  Instruction* extract(Instruction* call, int index);
  Instruction* fault(int site, std::vector<Instruction*> values);
  Instruction* print(int format, std::vector<Instruction*> operands);

 private:
  Instruction* append(Opcode opcode, Type type);
  Function& function_;
  std::vector<Block*> blocks_;
  SourceRange range_;
};

}  // namespace pykc::ir
