// A kernel as the compiler and NVIDIA's tools have it on the way to a GPU, and which line of the source each line of
// that is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pykc::insight {

struct ListedLine {
  std::string text;
  std::string file = {};  // of the source
  int line = 0;           // 0: of none
};
using Listing = std::vector<ListedLine>;

/// Of the text of ir::print_with_places.
Listing list_ir(std::string_view ir);
/// Of a kernel in PTX, by its `.loc` directives, which are left out as is what else only tools read.
Listing list_ptx(std::string_view ptx, std::string_view symbol);
/// Of a kernel in what `nvdisasm --print-line-info` prints.
Listing list_sass(std::string_view sass, std::string_view symbol);

}  // namespace pykc::insight
