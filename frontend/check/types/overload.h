// Kernels with several signatures: which of them takes the arguments of a request.
#pragma once

#include <optional>
#include <vector>

#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"

namespace pykc::checker {

/// Whether a launch converts a number of the one type to the other: what has a fraction does not lose it.
bool launch_converts(checked::Type given, checked::Type stated);

FunctionDecl& device_function_of(ModuleChecker& module, const FunctionDecl& kernel);  // types/overload.cpp
std::vector<std::vector<checked::Type>> overloads_of(ModuleChecker& module, const FunctionDecl& kernel);
std::optional<std::vector<checked::Type>> best_overload(ModuleChecker& module, const FunctionDecl& kernel,
                                                        const std::vector<checked::Type>& given);

}  // namespace pykc::checker
