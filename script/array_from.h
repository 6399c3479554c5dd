// Arrays from nests of lists and tuples: `array([[1, 2], [3, 4]])`.
#pragma once

#include <optional>

#include "script/array.h"

namespace pykc::script {

/// A number, an array or a nest of sequences of equal lengths. Without a type: the one that all elements fit.
Outcome<ArrayRef> array_from(const Value& value, std::optional<ScalarType> type);

}  // namespace pykc::script
