#include "script/functions/libraries.h"

#include <algorithm>
#include <utility>

#include "script/values/host_function.h"

namespace pykc::script {
namespace {

constexpr LibraryInfo kLibraries[] = {
    {Library::Prelude, "pykc", "pykc"},
    {Library::Numpy, "np", "numpy"},
    {Library::Random, "np.random", "numpy.random"},
    {Library::Linalg, "np.linalg", "numpy.linalg"},
    {Library::Cuda, "cuda", "numba.cuda"},
    {Library::Numba, "numba", "numba"},
    {Library::Cupy, "cupy", "cupy"},
    {Library::CupyCuda, "cupy.cuda", "cupy.cuda"},
    {Library::CupyRandom, "cupy.random", "cupy.random"},
    {Library::Cupyx, "cupyx", "cupyx"},
    {Library::CupyxJit, "cupyx.jit", "cupyx.jit"},
    {Library::CupyxProfiler, "cupyx.profiler", "cupyx.profiler"},
    {Library::Constants, "const"},
    {Library::Math, "math", "math"},
    {Library::Time, "time", "time"},
    {Library::Classes, "collections", "collections"},
    {Library::ArrayMethod, "array"},
    {Library::ListMethod, "list"},
    {Library::StringMethod, "str"},
    {Library::EventMethod, "event"},
    {Library::StreamMethod, "stream"},
    {Library::GraphMethod, "graph"},
    {Library::DeviceMethod, "device"},
    {Library::MemoryPoolMethod, "pool"},
    {Library::PinnedPoolMethod, "pinned_pool"},
    {Library::KernelMethod, "kernel"},
};

/// Other names of modules in imports.
constexpr std::pair<std::string_view, Library> kOtherNames[] = {
    {"cupy.linalg", Library::Linalg},     {"enum", Library::Classes},      {"operator", Library::Classes},
    {"typing", Library::Classes},         {"numba.types", Library::Numba}, {"numba.cuda.types", Library::Numba},
    {"numba.core.types", Library::Numba}, {"numbapro", Library::Numba},    {"numbapro.cuda", Library::Cuda},
};

struct InnerModule {
  std::string_view name;
  std::uint32_t libraries;
  Library module;
};
constexpr InnerModule kInnerModules[] = {
    {"random", in(Library::Numpy), Library::Random},
    {"random", in(Library::Cupy), Library::CupyRandom},
    {"jit", in(Library::Cupyx), Library::CupyxJit},
    {"profiler", in(Library::Cupyx), Library::CupyxProfiler},
    {"linalg", in(Library::Numpy, Library::Cupy), Library::Linalg},
    {"cuda", in(Library::Cupy), Library::CupyCuda},
    {"cuda", in(Library::Numba, Library::Prelude), Library::Cuda},
    {"types", in(Library::Numba, Library::Cuda), Library::Numba},
    {"math", in(Library::Prelude), Library::Math},
    {"const", in(Library::Prelude, Library::Cuda), Library::Constants},
};

}  // namespace

std::span<const LibraryInfo> all_libraries() { return kLibraries; }

const LibraryInfo& info(Library id) { return *std::ranges::find(kLibraries, id, &LibraryInfo::id); }

std::optional<Library> library_named(std::string_view name) {
  for (const LibraryInfo& library : kLibraries)
    if (!name.empty() && library.module == name) return library.id;
  for (const auto& [other, library] : kOtherNames)
    if (other == name) return library;
  return std::nullopt;
}

std::optional<Library> module_in(Library library, std::string_view name) {
  for (const InnerModule& row : kInnerModules)
    if (row.name == name && (row.libraries & in(library)) != 0) return row.module;
  return std::nullopt;
}

}  // namespace pykc::script
