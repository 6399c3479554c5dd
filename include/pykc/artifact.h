// An Artifact: what compile() returns and Device::load() takes. PTX text for a GPU, an object file for a CPU,
// and the description of its kernels. It is plain bytes on both sides, so it can be saved, shipped and cached.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/error.h"
#include "pykc/types.h"

namespace [[gnu::visibility("default")]] pykc {

/// A file of functions that somebody else compiled, which kernels declare with `@extern` and call: LLVM bitcode, linked
/// when the kernels are compiled; or, for GPUs, PTX or a cubin, linked when they are loaded.
struct Library {
  std::string name;   // in messages
  std::string bytes;  // of the file
  static Result<Library> read(const std::string& path);
};

/// ptxas' highest level in the driver; the program of that name ends at 3.
inline constexpr std::int32_t kHighestAssemblerLevel = 4;

struct Artifact {
  std::string target;  // "nvptx:sm_90" or "cpu:znver4"
  std::string code;    // PTX text, or the bytes of a relocatable ELF object
  std::vector<KernelInfo> kernels;
  std::vector<Library> libraries = {};       // PTX and cubins that define what the code calls
  std::vector<ConstantInfo> constants = {};  // what the host may set; zero at first
  std::int32_t assembler_level = kHighestAssemblerLevel;  // how much ptxas optimises PTX; code of -O 0 not at all: 0

  /// Bytes that `parse` reads back; they start with a magic word and a format version.
  std::string serialize() const;
  /// Refuses anything that `serialize` of this version did not write.
  static Result<Artifact> parse(std::string_view bytes);
};

}  // namespace pykc
