// Reads the text form back (form.h shows it). For tests and tools; the compiler itself never reads text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace pykc::ir {

/// Any input gives either a module or an error ("line 3: no value %7 stands before this"); stops at the first. A
/// module that reads is well formed as data; whether it keeps the IR's rules is the verifier's question.
std::unique_ptr<Module> parse_module(std::string_view text, std::vector<std::string>& errors);

}  // namespace pykc::ir
