// The bytes of stdlib/*.pyk; embed.cmake writes the file that defines them.
#pragma once

#include <span>
#include <string_view>

namespace pykc {

struct LibraryModule {
  std::string_view name;  // "pykc.reduce"
  std::string_view source;
};

std::span<const LibraryModule> library_data();

}  // namespace pykc
