// The checked tree: what a kernel means, with every question answered.
//
// The checker writes it, lowering reads it, `--emit=checked` prints it. Names are bound to variables, functions to
// specialisations for their argument types, every conversion is an explicit Cast, literals have their final type,
// operators have operands of one type, tuples are taken apart where they are assigned. Nothing in it can fail.
//
// Nodes and types are owned by checked::Module's arenas (stable addresses) and refer to each other by pointer.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/source.h"
#include "frontend/checked/type.h"
#include "ir/memory.h"
#include "pykc/types.h"
#include "stdlib/builtins.h"

namespace pykc::checked {

struct Expr;
struct Stmt;
struct Function;
struct Variable;
using ExprRef = const Expr*;
using Suite = std::vector<const Stmt*>;

struct Variable {
  std::string name;
  Type type;
  bool is_parameter = false;
  int parameter_index = -1;
  SourceRange range;  // where it is first assigned
};

// ---- arrays that the kernel declares ----

struct SharedArray {
  std::string name;
  ArrayType type;                              // static extents, or dynamic for a sized-by-launch array
  std::vector<ExprRef> extents;                // dynamic: each extent as an i64 expression over the launch
  std::vector<LaunchExpression> extent_sizes;  // the same for the runtime
  bool takes_launch_bytes = false;             // shared.array(0, T): as many elements as the launch's bytes hold
  bool is_beyond_static = false;               // a static shape, but of a kernel with too much for static memory
  int alignment = 0;                           // that the program asks for, in bytes; else 0
};
struct LocalArray {
  std::string name;
  ArrayType type;
  int alignment = 0;
};
struct ConstantArray {
  std::string name;
  ArrayType type;
  std::string bytes;
  std::optional<ConstantInfo> host;  // of an array that the host fills
};

// ---- expressions ----

struct Constant {      // a scalar of the node's type
  std::uint64_t bits;  // zero-extended; floats: IEEE bits of the type
};
struct VariableRef {
  const Variable* variable;
};
enum class BinaryOp : std::uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, And, Or, Xor, Shl, Shr };
struct Binary {  // both operands have the node's type (shift counts too)
  BinaryOp op;
  ExprRef left, right;
};
enum class UnaryOp : std::uint8_t { Negate, Invert, Not };
struct Unary {
  UnaryOp op;
  ExprRef operand;
};
enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
struct Compare {  // operands of one scalar type; chains are Logical of Compare over Let variables
  CompareOp op;
  ExprRef left, right;
};
struct Logical {  // bool operands; the right one is evaluated only where the left does not decide
  bool is_and;
  ExprRef left, right;
};
struct Conditional {  // only the chosen side is evaluated
  ExprRef condition, then, otherwise;
};
/// A number in another type; an array in a layout that says less: strides, or extents, that the type had fixed.
struct Cast {
  ExprRef operand;
};
struct Bitcast {
  ExprRef operand;
};
/// Evaluates `value` into `variable`, then gives `body`: a temporary inside an expression.
struct Let {
  const Variable* variable;
  ExprRef value, body;
};
/// `body`, where the condition holds; else the thread stops with a fault that reports the values, i64.
struct Guarded {
  ExprRef condition;
  int fault;  // into Module::faults
  std::vector<ExprRef> values;
  ExprRef body;
};
/// One element of an array; one i64 index a dimension.
struct Element {
  ExprRef array;
  std::vector<ExprRef> indices;
  bool wraparound;   // a negative index counts from the end
  int bounds_fault;  // checked builds: the fault site of dimension 0, those of the others follow it; else -1
};
/// What lies `offset` bytes into the record at `place`, an Element: a scalar, a record, or an array of static shape.
struct Field {
  ExprRef place;
  std::int64_t offset;
};
/// The field of every element of an array of records, as an array of any strides.
struct FieldView {
  ExprRef array;
  std::int64_t offset;
};
struct Extent {  // i64
  ExprRef array;
  int dimension;
};
struct Stride {  // i64: in elements
  ExprRef array;
  int dimension;
};

// ---- views: the same elements as another array; only address, extents and strides are worked out ----

/// What stands for one dimension between the brackets of a View.
struct ViewAxis {
  enum class Kind : std::uint8_t { Index, Slice, New };
  Kind kind = Kind::Slice;
  ExprRef start = nullptr, stop = nullptr, step = nullptr;  // i64. Index: start alone. Slice: null where left out
};
struct View {
  ExprRef array;
  std::vector<ViewAxis> axes;  // one a dimension of the array, and the new ones between them
  bool wraparound;             // as of an Element
  int bounds_fault;
};
struct Transpose {
  ExprRef array;
  std::vector<int> order;  // dimension i is the array's dimension order[i]
};
struct Reshape {  // of a row-major array
  ExprRef array;
  std::vector<ExprRef> extents;  // i64, of which one may be negative: what is left
  int fault;                     // checked builds: the fault site that another number of elements reports; else -1
};
/// `a.view(dtype)`: the memory as elements of another type; the extent of the last dimension changes with their size.
struct Reinterpret {
  ExprRef array;
};

// ---- arrays of their own ----

struct SharedArrayRef {
  int index;  // into Function::shared_arrays
};
struct LocalArrayRef {
  int index;
};
struct ClusterArray {  // the same array of another block of the cluster
  ExprRef array;       // in shared memory
  ExprRef rank;        // i64
};
struct ConstantArrayRef {
  int index;  // into Module::constant_arrays
};
struct TupleExpr {  // of a tuple or a record: a value for each of its components
  std::vector<ExprRef> elements;
};
struct TupleElement {  // a component of a tuple or a record
  ExprRef tuple;
  int index;
};
struct CallFunction {  // a device function, specialised
  const Function* callee;
  std::vector<ExprRef> arguments;
  bool gives_shared_record = false;  // in Python, one of an array or of a variable
};
struct CallBuiltin {  // any row that is not an atomic; arguments converted to the row's types, defaults filled in
  BuiltinId builtin;
  std::vector<ExprRef> arguments;
};
/// What an atomic access orders beside itself, and for whom.
struct Ordering {
  ir::MemoryOrder order = ir::MemoryOrder::Relaxed;
  ir::MemoryScope scope = ir::MemoryScope::Device;
};
struct Atomic {
  ir::AtomicOp op;
  Ordering ordering;
  const Expr* element;  // an Element or a Field
  ExprRef value;
};
struct AtomicCompareAndSwap {
  Ordering ordering;
  const Expr* element;
  ExprRef expected, value;
};

/// A load, a store or a prefetch of one scalar, in another way than the usual one.
struct Access {
  enum class Kind : std::uint8_t { AtomicLoad, AtomicStore, HintedLoad, HintedStore, Prefetch };
  Kind kind;
  Ordering ordering;    // AtomicLoad, AtomicStore
  ir::CacheHint hint;   // HintedLoad, HintedStore
  int level;            // Prefetch
  const Expr* element;  // an Element or a Field of one
  ExprRef value;        // of a store; else null
};
struct CopyAsync {
  const Expr *to, *from;  // Elements in shared and in global memory
  int bytes;              // 4, 8 or 16
  int stride_fault;       // checked builds: the fault site for elements that are no neighbours; else -1
};
struct IsAligned {
  ExprRef array;
  int bytes;  // a power of two
};
struct InlinePtx {  // of no type, of one scalar, or a tuple of scalars
  std::string text;
  std::vector<ExprRef> operands;  // scalars, and arrays, whose address is meant
  bool is_tied = false;           // the first operand, a scalar or a tuple, is what the results were before
};
struct TensorMap {  // u64: the address of a tensor map
  ExprRef array;
  std::vector<std::int64_t> box;  // extents, in the order of the array's axes
  int swizzle;                    // 0, 32, 64 or 128 bytes
  bool is_written;                // whether copies go to the array
};
struct CallExternal {  // of no type or of one scalar
  std::string symbol;
  std::vector<ExprRef> arguments;
};

struct Expr {
  Type type;
  SourceRange range;
  std::variant<Constant, VariableRef, Binary, Unary, Compare, Logical, Conditional, Cast, Bitcast, Let, Guarded,
               Element, Field, FieldView, Extent, Stride, View, Transpose, Reshape, Reinterpret, SharedArrayRef,
               LocalArrayRef, ClusterArray, ConstantArrayRef, TupleExpr, TupleElement, CallFunction, CallBuiltin,
               Atomic, AtomicCompareAndSwap, Access, CopyAsync, IsAligned, InlinePtx, TensorMap, CallExternal>
      node;
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

// ---- statements ----

struct Evaluate {
  ExprRef value;
};
struct Assign {  // the value has the variable's type
  const Variable* variable;
  ExprRef value;
};
struct StoreElement {  // the value has the element's type
  const Expr* element;
  ExprRef value;
};
struct If {
  ExprRef condition;
  Suite then, otherwise;
};
struct While {  // `otherwise` runs when the condition fails, not after a break
  ExprRef condition;
  Suite body, otherwise;
};
/// `for variable in range(start, stop, step)`, all i64. A step of 0 runs no iteration.
struct ForRange {
  const Variable* variable;
  ExprRef start, stop, step;
  Suite body, otherwise;
};
/// A loop whose turns are written out. Break leaves all of them, Continue goes to the next.
struct Unrolled {
  std::vector<Suite> turns;
  Suite otherwise;
};
struct Break {};
struct Continue {};
struct Return {
  ExprRef value;  // null for none
};
/// Stops the thread with a fault where the condition does not hold; `condition` is null for raise.
struct Check {
  ExprRef condition;
  int fault;                    // into Module::faults
  std::vector<ExprRef> values;  // of floats the device reports the bits, as f64
};
struct Print {  // pieces of text and values in turn; lowering makes the format
  struct Piece {
    enum class Form : std::uint8_t {
      Plain,
      Signed,  // `+` before a number that is not negative
      Point,   // of a bool: `.0` where it holds, else nothing
    };
    std::string text;
    ExprRef value;  // null: text alone
    Form form = Form::Plain;
    bool has_six_decimals = false;  // a float, as Numba prints it
  };
  std::vector<Piece> pieces;
};

struct Stmt {
  SourceRange range;
  std::variant<Evaluate, Assign, StoreElement, If, While, ForRange, Unrolled, Break, Continue, Return, Check, Print>
      node;
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

/// From the decorator.
struct KernelOptions {
  int max_threads_per_block = 0;
  int min_blocks_per_multiprocessor = 0;
  int max_registers = 0;
  Dim3 cluster;
  bool fast_math = false;
  bool contract = true;
  bool no_alias = false;
  bool wraparound = true;
};

struct Function {
  std::string name;
  std::string symbol;  // unique: one for each specialisation
  bool is_kernel = false;
  std::vector<const Variable*> parameters;
  Type result;
  std::vector<SharedArray> shared_arrays;
  std::vector<LocalArray> local_arrays;
  Suite body;
  std::shared_ptr<const SourceFile> source;  // the file that defines it
  SourceRange range;
  KernelOptions options;
};

struct Module {
  std::string name;
  std::shared_ptr<const SourceFile> source;
  TypePool types;
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  std::deque<Variable> variables;
  std::deque<Function> functions;  // callees before callers, but for recursion
  std::deque<ConstantArray> constant_arrays;
  std::vector<FaultSite> faults;
  int stop_fault = -1;  // checked builds: where a thread stops because another one has faulted

  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  Module(const Module&) = delete;
};

/// The tree as text, one statement a line, every expression with its type, for `--emit=checked` and golden tests.
std::string print(const Module& module);

}  // namespace pykc::checked
