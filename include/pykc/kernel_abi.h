// What compiled code and the runtime agree on, beyond a kernel's parameters. Code generation emits exactly these
// layouts; the runtime fills and reads them. Plain C types: a host in any language can do the same.
#pragma once

#include <cstdint>

namespace pykc::abi {

/// Every extent of an array is 0 or more, and below this; code generation relies on it.
inline constexpr std::int64_t kExtentLimit = std::int64_t{1} << 48;

/// Values that a fault reports at most: an index, and the shape of an array of 8 dimensions.
inline constexpr int kFaultValues = 9;

/// Where a kernel reports its first fault. On a GPU it is the module's global `pykc_fault` (present only in modules
/// that can fault), zero at load; on the CPU it belongs to the launch.
/// Protocol: a thread that faults swaps `claimed` from 0 to 1; the winner writes the other fields, then `ready` = 1;
/// every faulting thread then stops. The runtime zeroes all but `signal` after it has reported the fault.
///
/// On the CPU the host stops a launch by swapping `claimed` from 0 to kStopAsked. Loops that may run for long look at
/// it, as do functions that call themselves; the first that sees it swaps it to kStopSeen, and says where it stands: as
/// a fault does, or, with -1 for `site`, by the address of a text ("file:line", ends with a zero) in values[0]. Then
/// `ready` = 1.
struct FaultRecord {
  std::int32_t claimed;
  std::int32_t ready;
  std::int32_t kernel;  // index into Artifact::kernels
  std::int32_t site;    // index into KernelInfo::faults
  std::int32_t block[3];
  std::int32_t thread[3];
  std::int64_t values[kFaultValues];  // what "{0}" to "{8}" of the site's message stand for (FaultSite)
  // Only on a GPU: the address of 32 bits that the host sees, which the winner sets to 1 behind `ready`; 0: of none.
  std::uint64_t signal;
};
inline constexpr const char* kFaultSymbol = "pykc_fault";
/// What `claimed` holds of a launch on the CPU that the host stops.
inline constexpr std::int32_t kStopAsked = 2, kStopSeen = 3;

/// One launch on the CPU device, read only but for `fault`.
struct CpuLaunch {
  const void* const* parameters;  // as cuLaunchKernel takes them: the address of each parameter's value
  std::int64_t grid[3];
  std::int64_t block[3];
  std::int64_t shared_bytes;  // the launch's own bytes plus what the kernel's dynamic_shared_bytes evaluates to
  FaultRecord* fault;
  // Not 0 where stores that fill arrays may go past the cache. Then the caller orders what the kernel has stored before
  // what it does next (on x86-64 by `sfence`).
  std::int64_t streams;
};

/// A kernel's entry point in a CPU object. Runs the blocks first … last - 1 (linear: x fastest) one after the other.
/// `shared` holds static_shared_bytes and, from the next multiple of 16 on, shared_bytes; `scratch` holds
/// KernelInfo::scratch_bytes. Both are 64-byte aligned, `shared` at KernelInfo::shared_alignment, too; both belong to
/// the calling thread and need no clearing. Returns early once fault->claimed is not 0.
///
/// Of a kernel with KernelInfo::runs_warps_apart it runs one warp: of block `first` that whose first thread has the
/// number `last`. It calls the functions below where the warp waits, which return when it may go on, and not at all
/// where the launch ends meanwhile: whoever calls it runs each warp of a block, and of all blocks of its cluster, on a
/// stack of its own, on one thread, and may drop it there.
using CpuKernel = void (*)(const CpuLaunch* launch, void* shared, void* scratch, std::int64_t first, std::int64_t last);

/// The functions that a CPU object may call; the loader resolves these names and nothing else: `pykc_print`,
/// `pykc_nanoseconds`, `pykc_grid_sync`, `pykc_block_barrier`, `pykc_named_barrier`, `pykc_cluster_barrier`,
/// `pykc_cluster_rank`, `pykc_cluster_blocks`, `pykc_cluster_memory`, `pykc_wait_turn`, `pykc_observe`,
/// `pykc_observe_meeting`; of libm fma, fmaf, fmod, fmodf; of libc memcpy, memmove, memset; of the compiler's library
/// __extendhfsf2, __truncsfhf2, __truncdfhf2 (conversions of f16 on processors without F16C). The object is
/// position-independent code for x86-64.
///
/// void pykc_print(const char* format, ...): formats as printf does and writes the text to stdout in one piece.
inline constexpr const char* kPrintSymbol = "pykc_print";
/// int64_t pykc_nanoseconds(void): the time since some moment.
inline constexpr const char* kNanosecondsSymbol = "pykc_nanoseconds";
/// void pykc_grid_sync(void): returns when every block of the launch has called it, or has ended. Kernels that call it
/// (KernelInfo::is_cooperative) run one block a call, each on a stack of its own.
inline constexpr const char* kGridSyncSymbol = "pykc_grid_sync";

/// int64_t pykc_block_barrier(int64_t votes, int32_t kernel, int32_t site): a warp waits for all of its block that have
/// not ended; the sum of what they bring.
inline constexpr const char* kBlockBarrierSymbol = "pykc_block_barrier";
/// void pykc_named_barrier(int32_t waits, int32_t id, int32_t count, int32_t kernel, int32_t site): a warp is at a
/// barrier, which opens when `count` threads are, 32 for each warp.
inline constexpr const char* kNamedBarrierSymbol = "pykc_named_barrier";
/// void pykc_cluster_barrier(int32_t arrives, int32_t waits, int32_t kernel, int32_t site): a warp arrives at the
/// barrier of its cluster, or waits for all warps of the cluster that have not ended, or both.
inline constexpr const char* kClusterBarrierSymbol = "pykc_cluster_barrier";
/// What goes wrong at these barriers: FaultRecord::site is `site` plus this. At a block's it is Endless, at a named one
/// Endless, NoSuchBarrier or OtherCount, at a cluster's Endless or OutOfTurn.
enum class BarrierFault : std::int32_t { Endless, NoSuchBarrier, OtherCount, OutOfTurn = NoSuchBarrier };
inline constexpr int kBarrierFaults = 3;
/// int64_t pykc_cluster_rank(void), int64_t pykc_cluster_blocks(void): the number of the block in its cluster, and how
/// many blocks that has. A kernel that calls them, or the next, runs a warp a call.
inline constexpr const char* kClusterRankSymbol = "pykc_cluster_rank";
inline constexpr const char* kClusterBlocksSymbol = "pykc_cluster_blocks";
/// void* pykc_cluster_memory(void* shared, int64_t rank): the same place in the shared memory of another block of the
/// cluster.
inline constexpr const char* kClusterMemorySymbol = "pykc_cluster_memory";
/// void pykc_wait_turn(void): the other warps of the block and of its cluster go on.
inline constexpr const char* kWaitTurnSymbol = "pykc_wait_turn";

/// void pykc_observe(int64_t block, int64_t thread, int64_t site, const void* address, int64_t value): a thread is at
/// KernelInfo::watched.sites[site]; `address` is that of an access, `value` the bits that a store will write or a swap
/// expects, or the mask of a warp's operation. Both numbers are linear, x fastest.
inline constexpr const char* kObserveSymbol = "pykc_observe";
/// Who has met at a place where threads wait for one another.
enum class Meeting : std::int64_t { Warp, Block, Grid };
/// void pykc_observe_meeting(int64_t block, int64_t meeting): those of the block's threads that are still there have
/// met, in the way that `meeting`, a Meeting, says.
inline constexpr const char* kObserveMeetingSymbol = "pykc_observe_meeting";

}  // namespace pykc::abi
