// The builtin table as data: one row for each name that the language gives a meaning to.
//
// builtins.def is THE list; the order of its rows means nothing. The checker reads signatures from it, the back ends
// their lowering column, `pykc builtins` and docs/builtins.md the doc line. A signature is text such as "(x: F) -> F";
// its letters are the type classes
//   F  f16 bf16 f32 f64        I  any integer        N  any number (I or F)      S  any scalar (N or bool)
//   D  f32 or f64              W  i32 or u32
// where one letter stands for one and the same type within a signature. Other words are types themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pykc {

/// What calling a builtin does, as far as moving, merging or dropping calls goes.
enum class Effect : std::uint8_t {
  Pure,     // depends on its arguments alone
  Thread,   // depends on the place of the thread in its block
  Block,    // depends on the place of the block in the launch: the same for all threads of a block
  Warp,     // exchanges with the other lanes of the warp: convergent
  Barrier,  // waits for the block: convergent, orders memory
  Fence,    // orders memory
  Memory,   // reads or writes memory
};

/// How a target computes a builtin.
struct Lowering {
  enum class Kind : std::uint8_t {
    Intrinsic,  // the LLVM intrinsic `name`, overloaded on the result type
    Nvvm,       // the NVVM intrinsic `name`, once for f32 and once for f64
    Math,       // the function `name` of the embedded math library, once for f32 and once for f64
    Rounded,    // the constrained LLVM intrinsic `name`, rounded as `rounding` says
    Bitcast,    // the bits of the argument as the result type
    ByHand,     // the back end has a function of its own for this row
    Library,    // a call of the function `name` of stdlib/intrinsics.pyk, which the checker puts in its place
    Missing,    // the target has nothing of the kind; `name` says what it takes
  };
  enum class Rounding : std::uint8_t { ToNearest, Down, Up, ToZero };
  Kind kind;
  std::string_view name;
  int chip = 0;  // GPUs: the first sm_… that has it
  Rounding rounding = Rounding::ToNearest;
};

/// Who may call a function by its name.
enum class Reach : std::uint8_t {
  Kernels,  // kernels and device functions alone
  HostToo,  // host functions have one of the same name and meaning
};

enum class BuiltinId : std::uint16_t {
#define BUILTIN(id, name, signature, effect, doc, nvptx, cpu, reach) id,
#include "stdlib/builtins.def"
};

struct Builtin {
  BuiltinId id;
  std::string_view name;  // "math.sqrt": the module path as the language spells it; prelude names have none
  std::string_view signature;
  Effect effect;
  std::string_view doc;
  Lowering nvptx;
  Lowering cpu;
  Reach reach;
  bool is_value = false;  // read, not called: `threadIdx.x`, `laneid`
};

/// What `threadIdx.x` and its kin say: one coordinate of a place, or of a size, in the launch.
struct LaunchCoordinate {
  enum class Of : std::uint8_t { ThreadIdx, BlockIdx, BlockDim, GridDim };
  Of of;
  int axis;  // 0 to 2 for x to z
  friend bool operator==(const LaunchCoordinate&, const LaunchCoordinate&) = default;
};

std::span<const Builtin> all_builtins();
const Builtin& info(BuiltinId id);
/// The row of that name, or null.
const Builtin* find_builtin(std::string_view name);
/// The coordinate that the row stands for, by its name; none for all other rows.
std::optional<LaunchCoordinate> launch_coordinate(BuiltinId id);
/// The row that stands for a coordinate.
BuiltinId builtin_of(LaunchCoordinate coordinate);

}  // namespace pykc
