// What to write for a name that is not there: people bring the names of CUDA C++, OpenCL, Triton, NumPy and Python.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/check/names/names.h"

namespace pykc::checker {

struct Advice {
  std::string write;  // in place of the name; may be empty
  std::string note;   // why; may be empty
  bool is_empty() const { return write.empty() && note.empty(); }
};

/// For a name that kernels lack: by the table of foreign names, then by the rules that such names follow.
Advice foreign_name(std::string_view name, const NameTable& names);
/// For a module that is not there, by the first part of its name; "" where nothing is known of it.
std::string_view foreign_module(std::string_view name);
/// For a function of NumPy that host code has and kernels lack; "" for others.
std::string_view host_only_numpy(std::string_view name);

/// Suggests, for a name behind a dot, the one that is spelled most like it, or else all names, where they are few.
void suggest_member(Diagnostics::Builder diagnostic, std::string_view name, const std::vector<std::string_view>& known);

}  // namespace pykc::checker
