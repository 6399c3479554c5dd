#include "codegen/cpu/passes/swap_frame_register.h"

#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace pykc::codegen {
namespace {

/// By the numbers that debuggers know them by: rbp, and r12 to r15, which no instruction takes without naming them.
constexpr std::array kPreserved = {6, 12, 13, 14, 15};

/// Two registers, whose places values change.
struct Swap {
  const llvm::TargetRegisterInfo& registers;
  llvm::MCRegister one, other;

  /// Of a register or a part of one.
  llvm::MCRegister operator()(llvm::MCRegister of) const {
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)})
      if (registers.isSubRegisterEq(from, of)) return of == from ? to : part(to, registers.getSubRegIndex(from, of));
    return of;
  }

 private:
  llvm::MCRegister part(llvm::MCRegister whole, unsigned index) const { return registers.getSubReg(whole, index); }
};

bool reads_from(const llvm::MachineInstr& instruction, llvm::MCRegister base) {
  if (!instruction.mayLoad()) return false;
  const auto described = instruction.getDesc().operands();
  for (unsigned n = 0; n < described.size(); ++n) {
    const llvm::MachineOperand& operand = instruction.getOperand(n);
    if (described[n].OperandType == llvm::MCOI::OPERAND_MEMORY && operand.isReg() && operand.getReg() == base)
      return true;
  }
  return false;
}

/// What calls and returns name is agreed with others: some conventions of the libraries' pass arguments there.
bool may_swap(const llvm::MachineInstr& instruction, const Swap& swap) {
  if (instruction.isInlineAsm()) return false;
  const bool is_agreed = instruction.isCall() || instruction.isReturn();
  const llvm::TargetInstrInfo& instructions = *instruction.getMF()->getSubtarget().getInstrInfo();
  for (const llvm::MachineOperand& operand : instruction.operands()) {
    if (operand.isRegMask() && operand.clobbersPhysReg(swap.one) != operand.clobbersPhysReg(swap.other)) return false;
    if (!operand.isReg() || !operand.getReg()) continue;
    const llvm::MCRegister now = operand.getReg().asMCReg(), then = swap(now);
    const auto* among = instruction.getRegClassConstraint(operand.getOperandNo(), &instructions, &swap.registers);
    if (then != now && (is_agreed || (among != nullptr && !among->contains(then)))) return false;
  }
  return true;
}

void swap_live_ins(llvm::MachineBasicBlock& block, const Swap& swap) {
  std::vector<llvm::MachineBasicBlock::RegisterMaskPair> before;
  block.clearLiveIns(before);
  for (const auto& [live, lanes] : before) block.addLiveIn(swap(live), lanes);
  block.sortUniqueLiveIns();
}

}  // namespace

char SwapFrameRegister::ID = 0;

void SwapFrameRegister::getAnalysisUsage(llvm::AnalysisUsage& usage) const {
  usage.setPreservesAll();  // none asks for names of registers any more
  MachineFunctionPass::getAnalysisUsage(usage);
}

bool SwapFrameRegister::runOnMachineFunction(llvm::MachineFunction& function) {
  const llvm::TargetRegisterInfo& registers = *function.getSubtarget().getRegisterInfo();
  std::array<llvm::MCRegister, kPreserved.size()> preserved;
  std::ranges::transform(kPreserved, preserved.begin(), [&](int n) { return *registers.getLLVMRegNum(n, false); });
  if (function.getRegInfo().isReserved(preserved[0])) return false;  // it does lead to the frame

  std::array<int, kPreserved.size()> reads = {};
  for (const llvm::MachineBasicBlock& block : function)
    for (const llvm::MachineInstr& instruction : block.instrs())
      for (std::size_t n = 0; n < preserved.size(); ++n) reads[n] += reads_from(instruction, preserved[n]) ? 1 : 0;
  const std::size_t least = std::ranges::min_element(reads) - reads.begin();
  const Swap swap{registers, preserved[0], preserved[least]};
  if (reads[0] == reads[least] || function.getRegInfo().isReserved(swap.other)) return false;
  const auto is_argument = [&](const auto& live) { return swap(live.PhysReg) != live.PhysReg; };
  if (std::ranges::any_of(function.front().liveins(), is_argument)) return false;
  for (const llvm::MachineBasicBlock& block : function)
    if (!llvm::all_of(block.instrs(), [&](const auto& instruction) { return may_swap(instruction, swap); }))
      return false;

  for (llvm::MachineBasicBlock& block : function) {
    swap_live_ins(block, swap);
    for (llvm::MachineInstr& instruction : block.instrs())
      for (llvm::MachineOperand& operand : instruction.operands())
        if (operand.isReg() && operand.getReg()) operand.setReg(swap(operand.getReg().asMCReg()));
  }
  return true;
}

}  // namespace pykc::codegen
