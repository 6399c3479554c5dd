// Arithmetic of Python's own numbers (bool, int, float): integers of 64 bits whose overflow is an error, division by
// zero an error, `/` always a float.
#pragma once

#include "script/arithmetic/elementwise.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

bool is_python_number(const Value& value);
/// For the operators +, -, *, /, //, %, **, &, |, ^, <<, >> and comparisons.
Outcome<Value> apply_python(BinaryFunction function, const Value& left, const Value& right);

}  // namespace pykc::script
