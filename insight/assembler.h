// NVIDIA's assembler and disassembler, where they are installed: what they make of PTX, and say of it.
#pragma once

#include <string>

#include "pykc/artifact.h"
#include "pykc/error.h"

namespace pykc::insight {

/// The programs, by name or path; what is empty is not asked.
struct Tools {
  std::string ptxas = "ptxas", nvdisasm = "nvdisasm";
};

/// Turns PTX into a cubin of the same kernels.
Result<Artifact> assemble(const Artifact& ptx, const std::string& ptxas);

/// What became of PTX.
struct MachineCode {
  std::string messages;  // of `ptxas -v`: registers, spilled bytes
  std::string sass;      // with the lines of the source, as far as the PTX has them
};
/// A text is empty where the program that gives it is not there or fails.
MachineCode machine_code_of(const Artifact& ptx, const Tools& tools);

}  // namespace pykc::insight
