#include "stdlib/library.h"

#include <utility>

#include "stdlib/library_data.h"

namespace pykc {
namespace {

/// Modules of Numba that the library stands in for.
constexpr std::pair<std::string_view, std::string_view> kStandIns[] = {
    {"numba.cuda.random", "pykc.random"},
    {"numba.cuda.fp16", "pykc.fp16"},
    {"numba.cuda.bf16", "pykc.bf16"},
    {"numba.cuda._internal.cuda_bf16", "pykc.bf16"},
};

}  // namespace

std::string_view library_source(std::string_view module_name) {
  for (const auto& [numba, ours] : kStandIns)
    if (module_name == numba) module_name = ours;
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
