// The body of one function, from the checked tree to IR.
//
// A value of the language is taken apart into scalars and pointers, its parts: a scalar is one; an array its address,
// then its extents and (any strides) its strides, if the shape is not part of the type; a tuple the parts of its
// elements, one after the other; a record those of its fields. Variables, parameters, results and arguments all go part
// by part, so arrays and tuples need no rules of their own but where elements are looked up (array.cpp,
// record.cpp) and views are made (view.cpp).
//
// One function a kind of node, in the file of its subject: expr, builtin, atomic, array, record, view, stmt, loop.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
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
std::vector<PartInfo> parts_of(checked::Type type);
std::vector<PartInfo> parts_of(const ArrayType& array, ir::AddressSpace space);
std::vector<PartInfo> parts_of(const RecordField& field);
/// Whether the array's strides are parts of it.
inline bool has_strides(const ArrayType& array) { return array.layout == Layout::Strided && !array.has_static_shape(); }

/// The scalar that memory of such elements is addressed in, and how many of them make an element.
ScalarType unit_of(const ElementType& type);
std::int64_t units_of(const ElementType& type);
/// Whether a kernel's parameter of this type is the bytes of a record, which its caller passes by value.
inline bool is_by_value(const checked::Function& function, checked::Type parameter) {
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

/// Where a variable lives.
struct Storage {
  Parts values;                    // a variable that is a plain value
  std::vector<ir::Local*> locals;  // one that is memory
};

struct LoopTarget {
  Instruction* loop;            // what a break leaves
  Instruction* turn = nullptr;  // the Scope that a continue leaves; null: it goes on with the Loop
};

/// What the files of this folder share while they lower a function.
struct FunctionLowering {
  FunctionLowering(const checked::Function& source, ir::Function& target, const Context& context);

  const checked::Function& source;
  ir::Function& target;
  const Context& context;
  VariableUses uses;
  ir::Builder build;
  std::unordered_map<const checked::Variable*, Storage> storage;
  std::vector<Parts> handed_arrays;  // a device function's dynamic arrays, as DynamicArrays lists them
  std::vector<LoopTarget> loops;     // around the current statement, innermost last
  SourceRange range;                 // of the current node
};

/// The whole function: parameters, body, end.
void lower(FunctionLowering& lowering);
Parts lower(FunctionLowering& lowering, const checked::CallFunction& node, checked::Type type);
void assign(FunctionLowering& lowering, const checked::Variable* variable, const Parts& values);
/// `count` of the parts of a variable, from number `first` on, or all that there are.
Parts read(FunctionLowering& lowering, const checked::Variable* variable, std::size_t first = 0,
           std::size_t count = std::numeric_limits<std::size_t>::max());

}  // namespace pykc::lowering
