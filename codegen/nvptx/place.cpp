#include "codegen/nvptx/place.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace pykc::codegen {
namespace {

constexpr std::int64_t kMaxBlockThreads = 1024;
constexpr std::int64_t kMaxBlockDepth = 64;     // threads along z
constexpr std::int64_t kMaxGridX = 0x7fffffff;  // blocks along x
constexpr std::int64_t kMaxGridYZ = 0xffff;

/// The most threads that a block may have along an axis.
std::int64_t extent_limit(NvptxEmitter& emitter, int axis) {
  const std::int64_t stated = emitter.source.kernel.max_threads_per_block;
  const std::int64_t hardware = axis == 2 ? kMaxBlockDepth : kMaxBlockThreads;
  return stated > 0 && stated < hardware ? stated : hardware;
}

}  // namespace

Value* special_register(Builder& builder, llvm::Intrinsic::ID id, std::int64_t minimum, std::int64_t end) {
  llvm::CallInst* value = builder.CreateIntrinsic(id, {});
  value->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, static_cast<std::uint64_t>(minimum)),
                                             llvm::APInt(32, static_cast<std::uint64_t>(end))));
  return builder.CreateZExt(value, builder.getInt64Ty(), "", true);
}

Value* thread_index(NvptxEmitter& emitter, int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
  return special_register(emitter.builder, kRegisters[axis], 0, extent_limit(emitter, axis));
}

Value* block_index(NvptxEmitter& emitter, int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return special_register(emitter.builder, kRegisters[axis], 0, axis == 0 ? kMaxGridX : kMaxGridYZ);
}

Value* block_extent(NvptxEmitter& emitter, int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  return special_register(emitter.builder, kRegisters[axis], 1, extent_limit(emitter, axis) + 1);
}

Value* grid_extent(NvptxEmitter& emitter, int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return special_register(emitter.builder, kRegisters[axis], 1, (axis == 0 ? kMaxGridX : kMaxGridYZ) + 1);
}

}  // namespace pykc::codegen
