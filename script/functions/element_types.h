// Types of elements by the names that modules have for them, by texts, and as values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "script/functions/libraries.h"
#include "script/values/array.h"
#include "script/values/value.h"

namespace pykc::script {

/// What a module calls so: `np.intc`, `f32x4`; `numba.i8`, which has eight bytes.
std::optional<ElementType> element_type_in(Library library, std::string_view name);
/// What a string names, as for NumPy: "float64", "f4", "<i8", "int". None, and the reason in `error`, for any other.
std::optional<ElementType> element_type_named(std::string_view text, std::string& error);
/// The type that a value names: `np.float32`, 'f4', a record, or fields: `[("x", np.float32), ("w", np.int16, (3,))]`.
std::optional<ElementType> element_type_of(const Value& value);

}  // namespace pykc::script
