// NVIDIA's assembler and disassembler, where they are installed: what they make of PTX, and say of it.
#pragma once

#include <future>
#include <map>
#include <string>
#include <utility>

#include "pykc/artifact.h"
#include "pykc/error.h"

namespace pykc::insight {

/// The programs, by name or path; what is empty is not asked.
struct Tools {
  std::string ptxas = "ptxas", nvdisasm = "nvdisasm";
};

/// Turns PTX into a cubin of the same kernels.
Result<Artifact> assemble(const Artifact& ptx, const std::string& ptxas);

/// What became of PTX. A text is empty where the program that gives it is not there or fails.
struct MachineCode {
  std::string messages;  // of `ptxas -v`: registers, spilled bytes
  std::string sass;      // with the lines of the source, as far as the PTX has them
};

/// Runs the programs in the background, once for each text. Ends when they have.
class Assembly {
 public:
  explicit Assembly(Tools tools) : tools_(std::move(tools)) {}
  void start(const WatchedKernel& kernel);
  /// Starts what was not started, and waits for it.
  const MachineCode& of(const WatchedKernel& kernel);

 private:
  Tools tools_;
  std::map<std::string, std::shared_future<MachineCode>> started_;  // by the PTX, which may be that of several kernels
};

}  // namespace pykc::insight
