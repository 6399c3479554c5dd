// The vocabulary that compiler, artifact and runtime share: scalar types, shapes of a launch, and the
// description of a kernel that every launch is checked against. Plain values, no behaviour.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pykc/sanitize.h"

namespace [[gnu::visibility("default")]] pykc {

enum class ScalarType : std::uint8_t {
#define SCALAR_TYPE(name, spelling, bytes, numpy, npy) name,
#include "pykc/scalar_types.def"
};

inline constexpr int kScalarTypeCount = 0
#define SCALAR_TYPE(name, spelling, bytes, numpy, npy) +1
#include "pykc/scalar_types.def"
    ;

struct ScalarTypeInfo {
  std::string_view spelling;  // "f32"
  int bytes;
  std::string_view numpy;  // "float32"
  std::string_view npy;    // "f4"; empty where NumPy has no such type
};

inline constexpr std::array<ScalarTypeInfo, kScalarTypeCount> kScalarTypes = {{
#define SCALAR_TYPE(name, spelling, bytes, numpy, npy) {spelling, bytes, numpy, npy},
#include "pykc/scalar_types.def"
}};

/// What a number that names no scalar type is described as.
inline constexpr ScalarTypeInfo kInvalidScalarType = {"an invalid ScalarType", 0, "", ""};

constexpr bool is_valid(ScalarType type) { return static_cast<int>(type) < kScalarTypeCount; }
constexpr const ScalarTypeInfo& info(ScalarType type) {
  return is_valid(type) ? kScalarTypes[static_cast<std::size_t>(type)] : kInvalidScalarType;
}
constexpr int size_in_bytes(ScalarType type) { return info(type).bytes; }
constexpr int size_in_bits(ScalarType type) { return 8 * size_in_bytes(type); }
constexpr std::string_view to_string(ScalarType type) { return info(type).spelling; }
/// The type that is spelled so; with `or_numpy` NumPy's names count as well.
std::optional<ScalarType> find_scalar_type(std::string_view name, bool or_numpy = false);

constexpr bool is_signed_integer(ScalarType t) { return t >= ScalarType::I8 && t <= ScalarType::I64; }
constexpr bool is_unsigned_integer(ScalarType t) { return t >= ScalarType::U8 && t <= ScalarType::U64; }
constexpr bool is_integer(ScalarType t) { return t >= ScalarType::I8 && t <= ScalarType::U64; }
constexpr bool is_float(ScalarType t) { return t >= ScalarType::F16 && t <= ScalarType::F8E5M2; }
/// Floats of 8 bits, which are stored and converted; there is no arithmetic on them.
constexpr bool is_float8(ScalarType t) { return t == ScalarType::F8E4M3 || t == ScalarType::F8E5M2; }

/// The scalar type of a C++ type: `scalar_type_of<float>() == ScalarType::F32`.
template <typename T>
constexpr ScalarType scalar_type_of();
template <>
constexpr ScalarType scalar_type_of<bool>() {
  return ScalarType::Bool;
}
template <>
constexpr ScalarType scalar_type_of<std::int8_t>() {
  return ScalarType::I8;
}
template <>
constexpr ScalarType scalar_type_of<std::int16_t>() {
  return ScalarType::I16;
}
template <>
constexpr ScalarType scalar_type_of<std::int32_t>() {
  return ScalarType::I32;
}
template <>
constexpr ScalarType scalar_type_of<std::int64_t>() {
  return ScalarType::I64;
}
template <>
constexpr ScalarType scalar_type_of<std::uint8_t>() {
  return ScalarType::U8;
}
template <>
constexpr ScalarType scalar_type_of<std::uint16_t>() {
  return ScalarType::U16;
}
template <>
constexpr ScalarType scalar_type_of<std::uint32_t>() {
  return ScalarType::U32;
}
template <>
constexpr ScalarType scalar_type_of<std::uint64_t>() {
  return ScalarType::U64;
}
template <>
constexpr ScalarType scalar_type_of<float>() {
  return ScalarType::F32;
}
template <>
constexpr ScalarType scalar_type_of<double>() {
  return ScalarType::F64;
}

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// Memory order of an array parameter.
enum class Layout : std::uint8_t {
  RowMajor,     // `f32[:, :]`: C order, contiguous
  ColumnMajor,  // `f32[::1, :]`: Fortran order, contiguous
  Strided,      // `f32[::, ::]`: any strides, which are passed to the kernel
};

struct RecordType;

/// A handle to a record type, which never changes. Two are equal where the types are: same name, fields and layout.
class RecordRef {
 public:
  RecordRef() = default;
  explicit RecordRef(RecordType type);
  explicit operator bool() const { return type_ != nullptr; }
  const RecordType& operator*() const { return *type_; }
  const RecordType* operator->() const { return type_.get(); }
  friend bool operator==(const RecordRef& a, const RecordRef& b);

 private:
  std::shared_ptr<const RecordType> type_;
};
bool operator==(const RecordRef& a, const RecordRef& b);  // again, for the visibility of this namespace

/// What an array holds, or a parameter takes: a scalar or a record.
struct ElementType {
  ScalarType scalar = ScalarType::F32;
  RecordRef record;  // empty: a scalar
  ElementType(ScalarType type = ScalarType::F32) : scalar(type) {}
  ElementType(RecordRef type) : record(std::move(type)) {}
  bool is_record() const { return static_cast<bool>(record); }
  bool is(ScalarType type) const { return !record && scalar == type; }
  friend bool operator==(const ElementType&, const ElementType&) = default;
};
std::int64_t size_in_bytes(const ElementType& type);
int alignment_of(const ElementType& type);
/// "f32", "Particle", "f32x4".
std::string to_string(const ElementType& type);
/// The same with the fields of records, "Particle{x: f32 @ 0, w: f32[4] @ 4}": equal for equal types alone.
std::string layout_text(const ElementType& type);

struct RecordField {
  std::string name;
  ElementType type;
  std::vector<std::int64_t> extents;  // of a field that is an array, row-major; else empty
  std::int64_t offset = 0;            // in bytes
  std::int64_t count() const;         // of elements: 1 for a field that is no array
  friend bool operator==(const RecordField&, const RecordField&) = default;
};

/// A value that is made of named others, laid out in memory as a C++ compiler lays out a struct of them.
struct RecordType {
  enum class Kind : std::uint8_t {
    Struct,   // `@struct class`
    Complex,  // c64, c128
    Vector,   // f32x4: aligned as CUDA aligns float4
    Enum,     // a member of an Enum: the field `value`
    Text,     // NumPy's S12 and U12: the field `characters`, with zeros behind the last
  };
  std::string name;
  Kind kind = Kind::Struct;
  std::vector<RecordField> fields;
  std::int64_t bytes = 0;
  int alignment = 1;
  const RecordField* find(std::string_view field) const;  // null where there is none
  friend bool operator==(const RecordType&, const RecordType&) = default;
};

template <typename T>
constexpr T round_up(T bytes, std::type_identity_t<T> multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

/// Whether both are records whose fields have the same names, types and places: the records' own names may differ.
bool have_same_layout(const RecordRef& a, const RecordRef& b);
/// Sets the offsets of the fields, the size and the alignment; `least_alignment` is what the record asks for itself.
RecordRef lay_out(RecordType type, int least_alignment = 1);
/// c64 for f32, c128 for f64.
RecordRef complex_type(ScalarType part);
/// f32x2 … of 1 to 4 scalars; the fields are x, y, z, w. Empty for other counts, and where the scalar is none.
RecordRef vector_type(ScalarType element, int count);
/// S12 for u8, U12 for u32.
RecordRef text_type(ScalarType character, std::int64_t width);
/// The type that NumPy calls "S12" or "U12"; empty for other names.
RecordRef find_text_type(std::string_view name);
bool is_text(const ElementType& type);
/// What such text is made of, and how many characters fit into it.
ScalarType character_of(const RecordRef& text);
std::int64_t width_of(const RecordRef& text);

/// An array type as a kernel's parameter states it. The rank is the number of extents, 0 to 8.
struct ArrayType {
  static constexpr std::int64_t kDynamic = -1;
  ElementType element;
  Layout layout = Layout::RowMajor;
  std::vector<std::int64_t> extents;  // kDynamic where the caller decides; all static or all dynamic
  int rank() const { return static_cast<int>(extents.size()); }
  bool has_static_shape() const { return !extents.empty() && extents.front() != kDynamic; }
  std::int64_t count() const;  // of elements, where the shape is static
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

/// "f32[:, :]", as a .pyk file spells it.
std::string to_string(const ArrayType& type);

struct ParameterInfo {
  std::string name;
  bool is_array = false;
  ElementType value = ScalarType::I64;  // the type of a parameter that is passed by value
  ArrayType array;                      // the type of an array parameter
  bool is_written = false;              // an array that a launch may write to; of a kernel that is compiled
  friend bool operator==(const ParameterInfo&, const ParameterInfo&) = default;
};

/// A size that depends on the launch, such as `shared.array(blockDim.x + 1, f32)`: an integer expression over the
/// launch configuration in postfix order. Division and modulo floor; by zero they give 0, as in the language.
struct LaunchExpression {
  enum class Op : std::uint8_t {
    Constant,
    BlockDimX,
    BlockDimY,
    BlockDimZ,
    GridDimX,
    GridDimY,
    GridDimZ,
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Modulo,
    Minimum,
    Maximum,
  };
  struct Term {
    Op op = Op::Constant;
    std::int64_t constant = 0;  // only for Op::Constant
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;  // postfix; empty means 0

  /// Nothing where the value, or one on the way to it, does not fit 64 bits.
  std::optional<std::int64_t> evaluate(Dim3 grid, Dim3 block) const;
  friend bool operator==(const LaunchExpression&, const LaunchExpression&) = default;
};

/// A place in a kernel that can stop it: an `assert`, a `raise`, a failed check. The device reports its number.
struct FaultSite {
  /// "assert failed: n > 0"; "{0}" to "{8}" stand for values that the device reports: "{0b}" for a bool, "{0u}" for
  /// a u64, "{0f}" and "{0d}" for the bits of an f64, which was an f32 or is one; "{{" is a brace.
  std::string message;
  std::string file;
  int line = 0;
  int column = 0;
  friend bool operator==(const FaultSite&, const FaultSite&) = default;
};

/// An array that a block has in its shared memory, or a thread for itself, so that places there have names.
struct SharedArrayInfo {
  std::string name;
  std::int64_t offset = 0;  // of its first byte, in shared memory
  ArrayType type;           // row-major, of a static shape
  friend bool operator==(const SharedArrayInfo&, const SharedArrayInfo&) = default;
};

/// A kernel's second entry point, which does the same and tells of it (CompileOptions::sanitize and ::costs_for).
struct WatchedKernel {
  std::string symbol;  // in the artifact; empty where there is none
  LaunchExpression scratch_bytes;
  Sanitize looks_for;
  std::vector<ObservedSite> sites;
  std::vector<SharedArrayInfo> shared_arrays;  // those whose size is known
  std::vector<SharedArrayInfo> local_arrays;   // of the kernel and the functions that it may call
  /// Whether what orders its threads depends on the launch and its numbers alone, not on what arrays hold.
  bool is_predictable = false;
  /// Whether that is the same in all blocks that go the same way.
  bool has_alike_blocks = false;
  /// Accesses that it may make or not, as data have it, or as the block's index does in a way that is not followed.
  std::vector<std::int32_t> doubtful_sites;
  // Of a kernel that counts (CompileOptions::costs_for); else empty.
  std::vector<ObservedCode> code;
  std::string gpu_target, ptx;        // what it is on that GPU; no text where it cannot be compiled for it
  std::string gpu_symbol;             // of the kernel, in the text
  std::string ir;                     // what it was made of; only with CompileOptions::line_info
  std::int64_t gpu_shared_bytes = 0;  // static ones
  bool counts() const { return !code.empty(); }
  friend bool operator==(const WatchedKernel&, const WatchedKernel&) = default;
};

/// What the copy unit of a GPU must know of an array, to copy boxes of it from and to shared memory: a kernel has it as
/// a parameter of 128 bytes, behind all others.
struct TensorMapInfo {
  int parameter = 0;              // which array of the kernel it is of
  std::vector<std::int64_t> box;  // the extents of a box, in the order of the array's axes
  int swizzle = 0;                // how rows lie in shared memory: 0 as they are, or in patterns of 32, 64 or 128 bytes
  friend bool operator==(const TensorMapInfo&, const TensorMapInfo&) = default;
};

/// What a launch must know of a kernel. docs/embedding.md gives the calling convention in full.
struct KernelInfo {
  std::string name;    // as written: "vecadd"
  std::string symbol;  // its entry point in the artifact
  std::vector<ParameterInfo> parameters;
  std::int64_t static_shared_bytes = 0;
  int shared_alignment = 16;              // CPU artifacts: the most, in bytes, that one of its shared arrays asks for
  LaunchExpression dynamic_shared_bytes;  // beyond the bytes that the launch itself asks for
  bool uses_launch_shared_bytes = false;  // has a `shared.array(0, …)`, which the launch must size
  bool is_cooperative = false;            // waits for the whole grid: all blocks run at a time, or the launch fails
  bool begins_early = false;              // may begin while kernels before it on its stream run: it waits for them
  bool runs_warps_apart = false;          // CPU artifacts: the entry point runs a warp (pykc/kernel_abi.h)
  int max_threads_per_block = 0;          // from launch_bounds; 0 where not given
  Dim3 cluster;                           // the grid is a multiple of this
  std::int64_t recursion_bytes = 0;       // stack that a GPU's thread needs for functions that call themselves
  std::vector<FaultSite> faults;
  std::vector<TensorMapInfo> tensor_maps;  // GPUs: its last parameters
  WatchedKernel watched = {};              // of a kernel that is compiled with CompileOptions::sanitize, for the CPU
  // CPU artifacts only: bytes of scratch that one block needs, as an expression over its launch.
  LaunchExpression scratch_bytes;
  friend bool operator==(const KernelInfo&, const KernelInfo&) = default;
};

/// Constant memory that the host fills: `NAME = const.array(shape, dtype)` at the top level of a module.
struct ConstantInfo {
  std::string name;    // "WEIGHTS", or "filters.WEIGHTS" of the imported module `filters`
  std::string symbol;  // in the artifact's code
  ArrayType type;      // row-major, of a static shape
  friend bool operator==(const ConstantInfo&, const ConstantInfo&) = default;
};

}  // namespace pykc
