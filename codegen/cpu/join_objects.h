// Objects of parts of a program, made into one, as `ld -r` does: kernels of a file are compiled side by side.
#pragma once

#include <span>
#include <string>

namespace pykc::codegen {

/// All sections of all objects (ELF, 64 bits, little endian, as LLVM makes them here: with addends in relocations, and
/// without groups of sections), in their order, and one table of symbols. What one object defines and others name is
/// one symbol; what is local to an object stays so.
std::string join_objects(std::span<const std::string> objects);

}  // namespace pykc::codegen
