// From IR to an Artifact: PTX text or an object file, by LLVM.
//
// `generate` takes a module that verifies, and that check_target has let through. On it alone it cannot fail, only
// where a library does not define what the module calls. No LLVM type shows here.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "pykc/artifact.h"
#include "pykc/compiler.h"
#include "pykc/error.h"

namespace pykc::codegen {

struct Target {
  enum class Kind : std::uint8_t { Nvptx, Cpu };
  Kind kind = Kind::Nvptx;
  std::string chip;  // "sm_90", or an LLVM processor name ("native" is resolved by parse)

  /// "sm_90", "nvptx:sm_90", "cpu", "cpu:native", "cpu:x86-64-v3".
  static Result<Target> parse(std::string_view text);
  std::string to_string() const;  // "nvptx:sm_90"
  /// Whether the code is for one chip alone, which may then be used to its full: "sm_90a".
  bool is_chip_specific() const { return kind == Kind::Nvptx && chip.ends_with('a'); }
};

/// The target with all that its code depends on: "cpu:znver4+avx2,-avx512f…" of this machine's own processor.
std::string describe_machine(const Target& target);

/// 90 for "sm_90" and "sm_90a"; 0 for a CPU.
int sm_number(const Target& target);

/// Stands around all calls of what is declared here. Where there is no memory for LLVM, it throws std::bad_alloc; what
/// it then was making for the whole process, it makes when it is called again, and what it had locked is unlocked.
class MemoryMayEnd {
 public:
  MemoryMayEnd();
  ~MemoryMayEnd();
  MemoryMayEnd(const MemoryMayEnd&) = delete;
  MemoryMayEnd& operator=(const MemoryMayEnd&) = delete;

  /// Whether one stands around what this thread does.
  static bool stands_here();
  /// What this thread begins within the innermost, and how that is taken back unless it is ended.
  static void note_begun(void* object, void (*take_back)(void*));
  static void note_ended(const void* object);

 private:
  struct Begun {
    void* object;
    void (*take_back)(void*);
  };
  MemoryMayEnd* outer_ = nullptr;
  std::array<Begun, 32> begun_;  // more than LLVM ever has at a time
  std::size_t count_ = 0;
};

struct Options {
  int optimization = 3;
  bool fast_math = false;
  bool line_info = false;
  std::vector<Library> libraries = {};  // LLVM bitcode, linked to the module
};

/// Kinds of output: Emit::Llvm (text), Emit::Assembly (PTX or host assembly text), Emit::Code.
/// CPU modules must have been through inline_calls and split_at_barriers.
Result<Artifact> generate(const ir::Module& module, const Target& target, const Options& options);
Result<std::string> generate_text(Emit emit, const ir::Module& module, const Target& target, const Options& options);

/// "22.1.8", and what the embedded math functions come from: "libclc 22.1.8".
std::string llvm_version();
std::string math_library();

}  // namespace pykc::codegen
