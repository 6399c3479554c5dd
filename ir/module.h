// The IR: typed, structured, plain data.
//
// A Module holds functions (kernels and device functions). A Function's body is a Block: a list of instructions, run in
// order. An instruction that gives a value *is* that value: operands point to the instructions that made them, which
// stand earlier in the same block or in a block around it. Control flow is nested: If, Loop and Scope own their blocks;
// Break and Continue name the one that they leave or repeat. There is no phi: a variable that changes is a Local, read
// and written by LocalLoad and LocalStore (LLVM builds SSA from them).
//
//   kernel @scale(%x: ptr<f32, global>, %x.shape0: i64, %a: f32) {
//     %0 = builtin threadIdx.x : i64
//     %1 = lt %0, %x.shape0
//     if %1 {
//       %2 = element %x, %0
//       %3 = load %2 : f32
//       %4 = mul %3, %a
//       store %2, %4
//     }
//     return
//   }
//
// ir/verify/verifier.h states every rule. Instructions live in their function's arena; pointers to them stay valid
// until the Function is destroyed, moved blocks included.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "ir/memory.h"
#include "ir/opcode.h"
#include "ir/type.h"
#include "pykc/sanitize.h"
#include "pykc/types.h"
#include "stdlib/builtins.h"

namespace pykc::ir {

struct Instruction;
struct Function;

struct Block {
  std::vector<Instruction*> instructions;
  bool empty() const { return instructions.empty(); }
};

/// A mutable variable of a thread (or, outside every ThreadLoop of a split function, of the block).
struct Local {
  std::string name;
  Type type;
  // What is known of all values that an i64 variable ever holds (a loop's counter).
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
};

/// One flat record for every opcode; opcodes.def says which of the fields an opcode uses.
struct Instruction {
  Opcode opcode;
  Type type;  // of the value; none where there is none
  std::vector<Instruction*> operands;
  std::vector<Block> blocks;                // If: then, else. Loop: body, continuing. Scope, ThreadLoop: body.
  Instruction* target = nullptr;            // Break, Continue: the Loop or Scope
  Local* local = nullptr;                   // LocalLoad, LocalStore
  Function* callee = nullptr;               // Call
  BuiltinId builtin{};                      // Builtin, WarpExchange
  AtomicOp atomic{};                        // AtomicRmw
  MemoryOrder order{};                      // AtomicRmw, AtomicCas, AtomicLoad, AtomicStore
  MemoryScope scope = MemoryScope::Device;  // the same
  CacheHint hint{};                         // HintedLoad, HintedStore
  std::int64_t index = 0;                   // Parameter, Extract, Fault, Print, …: a number into a table
  std::uint64_t constant = 0;               // Constant: the value's bits, zero-extended (floats: IEEE bits of the type)
  std::vector<std::int64_t> slots;          // WarpExchange: slots of arguments, active threads, result; see opcodes.def
  bool no_wrap = false;                     // Add, Sub, Mul of i64: known not to overflow (counters, index arithmetic)
  bool is_packed = false;  // FieldPointer: in a packed record, the address need not be a multiple of the scalar's size
  SourceRange range;       // where it comes from
  const SourceFile* source = nullptr;  // of `range`, where that is not the function's: code of an inlined function
};

/// Whether an address lies in a packed record, so that it need not be a multiple of its scalar's size.
bool is_packed_address(const Instruction& address);

struct Parameter {
  std::string name;  // "x", "x.shape0", "x.stride1"
  Type type;
  bool no_alias = false;      // promised or proven: no other parameter reaches this memory
  bool read_only = false;     // the kernel never writes through it
  bool non_negative = false;  // extents: 0 or more, below 2^48
  int alignment = 0;          // of a pointer, in bytes, where more is known than its scalar's size
  std::int64_t bytes = 0;     // of a pointer to AddressSpace::Parameter: what the caller passes by value
};

/// An array in local or shared memory, as the source declares it.
struct ArrayStorage {
  std::string name;
  ScalarType element = ScalarType::F32;
  std::int64_t count = 0;          // elements; for a dynamic array 0
  LaunchExpression dynamic_bytes;  // shared only: bytes, for `shared.array(blockDim.x, …)`; empty for static ones
  bool is_dynamic =
      false;  // sized by dynamic_bytes, or (terms empty) the launch's own bytes, shared by all such arrays
  ArrayType declared = {};  // what the source declares, for messages
  int alignment = 16;
  // Local only, set by split_at_barriers: the array outlives a ThreadLoop, so each thread of the block needs its own.
  // The block's scratch holds threads * count elements; LocalArray gives the current thread's part. Else the array is
  // private to a turn and a single one serves all threads in turn.
  bool per_thread = false;
};

struct ConstantArray {
  std::string name;
  ScalarType element = ScalarType::F32;
  std::string bytes;                 // little endian
  std::optional<ConstantInfo> host;  // of an array that the host fills: then `bytes` are what it has at first
};

struct PrintFormat {
  // printf's format with %lld, %llu, %.15g …, one for each operand, ending in \n. Of a bool, %s writes True or False,
  // %-s writes `.0` or nothing.
  std::string text;
};

/// Code of a Foreign instruction: a text of PTX, in which %0, %1 … are the results, then the operands, and %% is a
/// percent sign; or a function by its symbol, which a library defines that is linked to the module. Tied results are in
/// the registers of as many operands, which come first and have no numbers of their own.
struct ForeignCode {
  std::string text;
  std::vector<ScalarType> results;  // of a function: at most one
  bool is_function = false;
  bool is_tied = false;
};

/// What a TensorMap instruction asks for: boxes of these extents, in the order of the array's axes.
struct TensorMapBox {
  std::vector<std::int64_t> extents;
  int swizzle = 0;          // 0, 32, 64 or 128 bytes
  bool is_written = false;  // copies go to the array
  friend bool operator==(const TensorMapBox&, const TensorMapBox&) = default;
};

/// What a function is that cut_long_functions has cut out of a longer one; it is never inlined again.
enum class FunctionPart : std::uint8_t {
  None,
  OfThread,
  OfBlock,  // of a split kernel: it has the kernel's slots and arrays, and runs for a whole block
};

struct Function {
  std::string name;    // as the source has it
  std::string symbol;  // unique in the module: "vecadd", "add__f32_f32"
  bool is_kernel = false;
  bool is_recursive = false;        // set by limit_recursion
  bool is_watched = false;          // a copy, made by observe(), that tells the sanitizer what it does
  const Function* plain = nullptr;  // of a watched kernel: what it is a copy of
  bool runs_warps_apart = false;    // set by find_warps_apart: its warps, on the CPU, take turns in it
  FunctionPart part{};
  std::vector<Parameter> parameters;
  std::vector<Type> results;  // device functions: none, one or several (a tuple taken apart)
  Block body;
  std::vector<ArrayStorage> local_arrays;
  std::vector<ArrayStorage> shared_arrays;
  std::vector<PrintFormat> print_formats;
  std::vector<ForeignCode> foreign_codes;
  std::vector<TensorMapBox> tensor_maps;
  std::vector<Type> slots;               // split functions: per-thread storage that outlives a ThreadLoop
  std::deque<Local> locals;              // stable addresses
  std::deque<Instruction> instructions;  // the arena: blocks point into it
  SourceRange range;
  std::shared_ptr<const SourceFile> source;  // of `range` and those of its instructions; null: the module's

  // Kernel options.
  KernelInfo kernel;  // parameters as the source has them, bounds, shared memory: copied into the artifact
  int min_blocks_per_multiprocessor = 0;
  int max_registers = 0;
  Dim3 cluster;  // how many blocks form a cluster
  bool fast_math = false;
  bool contract = true;

  Function() = default;
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  Instruction* create(Opcode opcode, Type type, SourceRange range);
  Local* create_local(std::string name, Type type);
  /// One more of the kind of `like`, of which the same is known.
  Local* create_local_like(const Local& like, std::string name);
};

struct Module {
  std::string name;
  std::shared_ptr<const SourceFile> source = std::make_shared<const SourceFile>("", "");  // for places
  std::vector<std::unique_ptr<Function>> functions;  // callees before callers, but for recursion
  std::vector<ConstantArray> constant_arrays;
  std::vector<FaultSite> faults;                      // numbered for the whole module; Instruction::index of a Fault
  std::vector<ObservedSite> observed = {};            // Instruction::index of an Observe
  std::vector<SharedArrayInfo> observed_arrays = {};  // ObservedSite::array

  Function* find(std::string_view symbol) const;
};

/// The file that the range of an instruction, or else of the function, is of.
const SourceFile& source_of(const Module& module, const Function& function, const Instruction* instruction = nullptr);
/// Adds a fault that happens at `range` of `source`; its number.
int add_fault_site(Module& module, std::string message, const SourceFile& source, SourceRange range);

/// The text form; parse_module reads it back. `print_function` is what tests and `--emit=ir` of one kernel show.
std::string print_module(const Module& module);
std::string print_function(const Function& function);
/// A function and all that it calls, to look at: behind each instruction stands its place, `// vecadd.pyk:9`.
std::string print_with_places(const Module& module, const Function& function);

}  // namespace pykc::ir
