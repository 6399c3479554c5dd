# Writes a C++ file that holds the bytes of the library's modules.
#   cmake -DOUTPUT=library_data.cpp "-DMODULES=reduce,transpose" -DFOLDER=stdlib -P embed.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/bytes_of_file.cmake)
string(REPLACE "," ";" MODULES "${MODULES}")
set(arrays "")
set(rows "")
foreach(name IN LISTS MODULES)
  pykc_bytes_of(${FOLDER}/${name}.pyk bytes)
  string(APPEND arrays "constexpr char k_${name}[] = {${bytes}};\n")
  set(module pykc.${name})
  if(name STREQUAL "cmath")  # Python's own name
    set(module ${name})
  endif()
  string(APPEND rows "    {\"${module}\", {k_${name}, sizeof(k_${name})}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from stdlib/*.pyk by stdlib/embed.cmake.
#include \"stdlib/library_data.h\"

namespace pykc {
namespace {
${arrays}constexpr LibraryModule kModules[] = {
${rows}};
}  // namespace

std::span<const LibraryModule> library_data() { return kModules; }

}  // namespace pykc
")
