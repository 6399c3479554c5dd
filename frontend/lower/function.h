// The body of one function, from the checked tree to IR.
//
// A value of the language is taken apart into scalars and pointers, its parts: a scalar is one; an array its address,
// then its extents and (any strides) its strides, if the shape is not part of the type; a tuple the parts of its
// elements, one after the other; a record those of its fields. Variables, parameters, results and arguments all go part
// by part, so arrays and tuples need no rules of their own but where elements are looked up (lower_array.cpp,
// lower_record.cpp) and views are made (lower_view.cpp).
//
// One method a node kind; the files: lower_function.cpp (parameters, variables, calls), lower_expr.cpp,
// lower_builtin.cpp, lower_atomic.cpp, lower_array.cpp, lower_view.cpp, lower_stmt.cpp, lower_loop.cpp.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/checked/tree.h"
#include "frontend/lower/shared.h"
#include "frontend/lower/variables.h"
#include "ir/builder.h"

namespace pykc::lowering {

using ir::Instruction;
using ir::Opcode;
using Parts = std::vector<Instruction*>;

/// What a part is called after its variable, and its type.
struct PartInfo {
  std::string suffix;  // "", ".shape0", ".stride1", ".0.shape1"
  ir::Type type;
  bool is_extent = false;
  int alignment = 0;  // of the address of an array, where it is more than its scalar's size
};
std::vector<PartInfo> parts_of(const checked::Type& type);
/// Whether the array's strides are parts of it.
inline bool has_strides(const checked::Type& array) {
  return array.array.layout == Layout::Strided && !array.array.has_static_shape();
}

/// The scalar that memory of such elements is addressed in, and how many of them make an element.
ScalarType unit_of(const ElementType& type);
std::int64_t units_of(const ElementType& type);
/// Whether a kernel's parameter of this type is the bytes of a record, which its caller passes by value.
inline bool is_by_value(const checked::Function& function, const checked::Type& parameter) {
  return function.is_kernel && parameter.is_record();
}

/// The variable's name; the checker's own temporaries have none.
inline std::string name_of(const checked::Variable& variable) {
  return variable.name.empty() ? "temporary" : variable.name;
}

/// What all functions of a module share.
struct Context {
  std::unordered_map<const checked::Function*, ir::Function*> functions;
  DynamicArrays dynamic_arrays;
  int stop_fault = -1;  // as checked::Module has it
};

class FunctionLowering {
 public:
  FunctionLowering(const checked::Function& source, ir::Function& target, const Context& context);
  void lower();

 private:
  // Variables.
  struct Storage {
    Parts values;                    // a variable that is a plain value
    std::vector<ir::Local*> locals;  // one that is memory
  };
  void bind_parameters();
  void assign(const checked::Variable* variable, const Parts& values);
  void create_locals(const checked::Variable* variable, Storage& storage);
  Parts read(const checked::Variable* variable);

  // Expressions.
  Parts lower(checked::ExprRef expr);
  Instruction* scalar(checked::ExprRef expr) { return lower(expr).front(); }
  Parts lower(const checked::Constant& node, const checked::Type& type);
  Parts lower(const checked::VariableRef& node, const checked::Type& type);
  Parts lower(const checked::Binary& node, const checked::Type& type);
  Parts lower(const checked::Unary& node, const checked::Type& type);
  Parts lower(const checked::Compare& node, const checked::Type& type);
  Parts lower(const checked::Logical& node, const checked::Type& type);
  Parts lower(const checked::Conditional& node, const checked::Type& type);
  Parts lower(const checked::Cast& node, const checked::Type& type);
  Parts lower(const checked::Bitcast& node, const checked::Type& type);
  Parts lower(const checked::Let& node, const checked::Type& type);
  Parts lower(const checked::Guarded& node, const checked::Type& type);
  Parts lower(const checked::Element& node, const checked::Type& type);
  Parts lower(const checked::Field& node, const checked::Type& type);
  Parts lower(const checked::FieldView& node, const checked::Type& type);
  Parts lower(const checked::Extent& node, const checked::Type& type);
  Parts lower(const checked::Stride& node, const checked::Type& type);
  Parts lower(const checked::View& node, const checked::Type& type);
  Parts lower(const checked::Transpose& node, const checked::Type& type);
  Parts lower(const checked::Reshape& node, const checked::Type& type);
  Parts lower(const checked::Reinterpret& node, const checked::Type& type);
  Parts lower(const checked::SharedArrayRef& node, const checked::Type& type);
  Parts lower(const checked::LocalArrayRef& node, const checked::Type& type);
  Parts lower(const checked::ConstantArrayRef& node, const checked::Type& type);
  Parts lower(const checked::TupleExpr& node, const checked::Type& type);
  Parts lower(const checked::TupleElement& node, const checked::Type& type);
  Parts lower(const checked::CallFunction& node, const checked::Type& type);
  Parts lower(const checked::CallBuiltin& node, const checked::Type& type);
  Parts lower(const checked::Atomic& node, const checked::Type& type);
  Parts lower(const checked::AtomicCompareAndSwap& node, const checked::Type& type);
  Parts lower(const checked::Access& node, const checked::Type& type);
  Parts lower(const checked::CopyAsync& node, const checked::Type& type);
  Parts lower(const checked::InlinePtx& node, const checked::Type& type);
  Parts lower(const checked::CallExternal& node, const checked::Type& type);
  Parts emit_foreign(ir::ForeignCode code, Parts operands);
  /// Runs one of two ways to the same parts, as a branch over locals.
  template <typename Then, typename Otherwise>
  Parts branch(Instruction* condition, const checked::Type& type, Then then, Otherwise otherwise);
  Instruction* combine(ir::AtomicOp op, Instruction* old, Instruction* value);
  Instruction* have_same_bits(Instruction* a, Instruction* b);
  Parts modf(Instruction* x);
  Parts frexp(Instruction* x);
  Parts match_all(Parts arguments);

  // Arrays.
  Parts dynamic_array(const DynamicArray& array);
  Parts owned_array(const DynamicArray& array, int index);
  Instruction* extent(const checked::Type& array, const Parts& parts, int dimension);
  Instruction* stride(const checked::Type& array, const Parts& parts, int dimension);
  Instruction* times(Instruction* a, Instruction* b);
  Instruction* address(const checked::Element& element);
  Instruction* address(checked::ExprRef place);
  Instruction* element_pointer(Instruction* base, Instruction* index, const ElementType& type);
  Parts load(Instruction* address, const checked::Type& type);
  void store(Instruction* address, const checked::Type& type, const Parts& values);
  Instruction* position(Instruction* written, const checked::Type& array, const Parts& parts, int dimension,
                        bool wraparound, int fault);
  Instruction* wrap(Instruction* index, Instruction* extent);
  void check_bounds(Instruction* written, Instruction* index, const checked::Type& array, const Parts& parts,
                    int dimension, int fault);
  void stop_after_fault();
  Instruction* offset(const checked::Type& array, const Parts& parts, const Parts& indices);
  Instruction* linear(const checked::Type& array, const Parts& parts, const Parts& indices);
  Instruction* strided(const checked::Type& array, const Parts& parts, const Parts& indices);
  Instruction* no_wrap(Opcode opcode, Instruction* a, Instruction* b);

  // Views.
  struct SliceBounds {
    Instruction *start, *step, *count;  // step: null for 1
  };
  Parts relaid(const checked::Type& from, const Parts& parts, const checked::Type& to);
  Parts array_parts(const checked::Type& type, Instruction* address, const Parts& extents, const Parts& strides);
  Parts extents_of(const checked::Type& array, const Parts& parts);
  Parts strides_of(const checked::Type& array, const Parts& parts);
  SliceBounds slice_bounds(const checked::ViewAxis& axis, Instruction* extent);
  Instruction* slice_bound(checked::ExprRef bound, Instruction* otherwise, Instruction* extent, Instruction* low,
                           Instruction* high);

  // Statements.
  void lower(const checked::Suite& suite);
  void lower(const checked::Stmt& stmt);
  void lower(const checked::Evaluate& node);
  void lower(const checked::Assign& node);
  void lower(const checked::StoreElement& node);
  void lower(const checked::If& node);
  void lower(const checked::While& node);
  void lower(const checked::ForRange& node);
  void lower(const checked::Unrolled& node);
  void lower(const checked::Break& node);
  void lower(const checked::Continue& node);
  void lower(const checked::Return& node);
  void lower(const checked::Check& node);
  void lower(const checked::Print& node);
  void lower_body(const checked::ForRange& node, Instruction* index);
  void leave_loop_unless(Instruction* condition, const checked::Suite& otherwise);
  void lower_into(ir::Block& block, const checked::Suite& suite);
  void end_function();

  const checked::Function& source_;
  ir::Function& target_;
  const Context& context_;
  VariableUses uses_;
  ir::Builder b_;
  std::unordered_map<const checked::Variable*, Storage> storage_;
  std::vector<Parts> handed_arrays_;  // a device function's dynamic arrays, as DynamicArrays lists them
  struct LoopTarget {
    Instruction* loop;            // what a break leaves
    Instruction* turn = nullptr;  // the Scope that a continue leaves; null: it goes on with the Loop
  };
  std::vector<LoopTarget> loops_;  // around the current statement, innermost last
  SourceRange range_;              // of the current node
};

}  // namespace pykc::lowering
