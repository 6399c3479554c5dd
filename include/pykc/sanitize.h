// What a kernel can look for while it runs, and what it tells of itself for that.
//
// A kernel that is compiled with CompileOptions::sanitize tells the CPU device of each access to memory and of each
// place at which threads wait for one another. The device keeps, for each element, who wrote and who read it last, and
// knows what orders the two: a barrier, an operation of the warp, a fence with an atomic, the end of a launch. What
// nothing orders is reported, by the waiting call, as an Error with a Diagnostic for each pair of places.
//
// Such a launch is watched on one thread of the host, so that its reports are the same each time; of blocks that do the
// same at other places one is, and the others run as they are. Where accesses depend on the launch and its numbers
// alone, further launches of that kind do what the first one did: they run as they are, too. On a GPU only `bounds`
// counts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pykc/diagnostic.h"

namespace [[gnu::visibility("default")]] pykc {

struct Sanitize {
  bool bounds = false;         // an index that is out of bounds: what CompileOptions::checked asks for
  bool races = false;          // two threads at one element, one of them writing, and nothing orders the two
  bool uninitialised = false;  // a read of an element that nobody has written
  bool divergence = false;     // lanes that an operation of the warp names, and that are not there

  static constexpr Sanitize all() { return {true, true, true, true}; }
  /// "all", or the names of some with commas between them: "races,bounds". Empty where one is none of them.
  static std::optional<Sanitize> parse(std::string_view list);
  constexpr bool any() const { return bounds || is_observed(); }
  /// Whether kernels tell of their accesses.
  constexpr bool is_observed() const { return races || uninitialised || divergence; }
  friend bool operator==(const Sanitize&, const Sanitize&) = default;
};

/// A place of which a kernel tells.
struct ObservedSite {
  enum class Kind : std::uint8_t {
    Load,
    Store,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,  // loads and stores in one step
    AtomicSwap,    // the same, where the element has the value that is told
    Fence,
    Barrier,  // of the block or the grid: told of in kernels with warp operations
    Warp,     // an operation that lanes of a warp do together
    Begin,    // of a local array, in whose function the thread begins
    Shown,    // the address of an array goes to code that tells of nothing
    Commit,   // the copies that the thread has started become a group
    Await,    // the thread waits until at most so many groups are under way
    Step,     // how far something moves from one block to the next: a number that the launch has once
    Guard,    // two numbers, of which the first moves with the block, and that are compared
    // The way of a thread, of which kernels tell that count (pykc/costs.h). Enter, Turn and Resume begin code that runs
    // from its beginning to its end.
    Enter,     // a block of code: of a function, of a branch
    Turn,      // the body of a loop, once more
    Resume,    // the rest of a block, behind something that not every thread comes out of
    Branch,    // with the condition
    Call,      // of a function
    Returned,  // from it
  };
  Kind kind = Kind::Load;
  bool is_shared = false;       // an access to shared memory
  bool is_local = false;        // an access to a local array; else to global memory
  bool is_packed = false;       // an access whose address need not be a multiple of its size
  bool acquires = false;        // an atomic access that orders what comes after it
  bool releases = false;        // and what came before it
  bool is_for_block = false;    // an atomic access or a fence for the threads of the block alone
  bool is_predictable = false;  // whether and where it happens depends on the launch alone, not on what arrays hold
  bool is_alike = false;        // the same for all blocks that go the same way, but that its place moves by `steps`
  bool is_dropped = false;      // a load of what nobody uses: a field that came with its record
  bool is_async = false;        // a store that takes place at any time until it is awaited
  bool decides = false;         // an atomic access of whose value depends what the kernel does, or where
  std::uint8_t bytes = 0;       // of an access
  std::uint16_t depth = 0;      // of kernels that count: blocks of code around the place, in its function
  std::int32_t array = -1;      // Begin: in WatchedKernel::local_arrays. An access: among the kernel's array parameters
  /// What is alike: the sites of the numbers by which it moves along x, y and z of the block's index, an address by
  /// bytes; -1 where it does not. Of a guard: whether equal numbers must stay apart from those that are less, or more.
  std::array<std::int32_t, 3> steps = {-1, -1, -1};
  bool splits_equal_from_less = false, splits_equal_from_more = false;
  std::uint8_t ignored = 0;  // by a comment of the line: 1 << n for code E0601 + n
  /// Of kernels that count: where the warps come by that a GPU lets issue this, lanes to run it or not, as it does with
  /// a short branch; -1 for those alone that have such lanes.
  std::int32_t issued_at = -1;
  SourcePlace place = {};
  constexpr bool is_access() const { return kind <= Kind::AtomicSwap; }
  constexpr bool is_atomic() const { return is_access() && kind >= Kind::AtomicLoad; }
  friend bool operator==(const ObservedSite&, const ObservedSite&) = default;
};

/// What code asks of a thread, in instructions of the IR. A fused multiply-add counts twice among the floats.
struct Operations {
  std::int64_t instructions = 0;  // all of them
  std::int64_t f32 = 0;           // sums, products, quotients; f16 and bf16 are computed in f32
  std::int64_t f64 = 0;
  std::int64_t integer = 0;
  std::int64_t linear = 0;    // of these, sums and products that only count or lead to elements
  std::int64_t math = 0;      // what divisions and functions are on a GPU, in its instructions beyond one each
  std::int64_t math_f64 = 0;  // of these, those on f64
  std::int64_t conversions = 0;
  std::int64_t barriers = 0;
  std::int64_t warp = 0;          // operations of the warp
  std::int64_t global_loads = 0;  // what a thread waits for, hundreds of cycles each
  friend bool operator==(const Operations&, const Operations&) = default;
};

/// What stands on one line of code that begins at a site.
struct ObservedCode {
  std::int64_t site = 0;
  SourcePlace place = {};
  std::int32_t loops = 0;  // around it, in its function
  Operations operations = {};
  friend bool operator==(const ObservedCode&, const ObservedCode&) = default;
};

}  // namespace pykc
