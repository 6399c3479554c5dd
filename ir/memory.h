// How instructions of the IR access memory, beside reading and writing it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pykc::ir {

/// Raise and Lower put the value where it is greater or less than what is there: so a NaN that is there stays.
enum class AtomicOp : std::uint8_t { Add, Sub, Max, Min, And, Or, Xor, Exchange, Increment, Decrement, Raise, Lower };
constexpr AtomicOp kLastAtomicOp = AtomicOp::Lower;
std::string_view to_string(AtomicOp op);

/// What an atomic access orders beside itself, as C++ has it, and for whom.
enum class MemoryOrder : std::uint8_t { Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent };
enum class MemoryScope : std::uint8_t { Block, Device, System };
/// What to do with the cache line of an access, in PTX's words; NonCoherent: the data does not change in the launch.
enum class CacheHint : std::uint8_t { All, Global, Streaming, LastUse, Volatile, NonCoherent, WriteBack, WriteThrough };

}  // namespace pykc::ir
