// The built-in modules, and what stands behind the dots of values, by their names.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "script/values/value.h"

namespace pykc::script {

struct LibraryInfo {
  Library id;
  std::string_view name;         // as programs spell it: "np"
  std::string_view module = {};  // as imports spell it: "numpy"; empty for what cannot be imported
};
/// A function that several of them have is documented by the first.
std::span<const LibraryInfo> all_libraries();
const LibraryInfo& info(Library id);

/// A built-in module by its name in an import: "numpy", "numba.cuda".
std::optional<Library> library_named(std::string_view name);
/// A module behind the dot of another: `np.random`.
std::optional<Library> module_in(Library library, std::string_view name);

}  // namespace pykc::script
