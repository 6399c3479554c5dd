#include "pykc/version.h"

#include "codegen/codegen.h"
#include "pykc/compiler.h"

namespace pykc {

std::string version() { return PYKC_VERSION_STRING; }
std::string llvm_version() { return codegen::llvm_version(); }
std::string math_library() { return codegen::math_library(); }

}  // namespace pykc
