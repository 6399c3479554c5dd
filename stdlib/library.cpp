#include "stdlib/library.h"

#include "stdlib/library_data.h"

namespace pykc {

std::string_view library_source(std::string_view module_name) {
  for (const LibraryModule& module : library_data())
    if (module.name == module_name) return module.source;
  return {};
}

std::vector<std::string_view> library_modules() {
  std::vector<std::string_view> names;
  for (const LibraryModule& module : library_data()) names.push_back(module.name);
  return names;
}

}  // namespace pykc
