// Arrays from nests of lists and tuples: `array([[1, 2], [3, 4]])`.
#pragma once

#include <optional>

#include "script/values/array.h"

namespace pykc::script {

/// A number, an array or a nest of sequences of equal lengths. Without a type: the one that all elements fit.
Outcome<ArrayRef> array_from(const Value& value, std::optional<ScalarType> type);
/// A number or a nest of sequences as an array; an array as itself. Weak numbers become `weak`, which must hold them.
Outcome<ArrayRef> to_array(const Value& value, ScalarType weak);

}  // namespace pykc::script
