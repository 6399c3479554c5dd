// Types of variables.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

void infer(FunctionChecker& checker);  // types/infer.cpp: fills Specialization::locals and result
void declare_locals(FunctionChecker& checker);

}  // namespace pykc::checker
