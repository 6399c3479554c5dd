# Writes a C++ file that holds the bytes of the library's modules.
#   cmake -DOUTPUT=library_data.cpp "-DMODULES=reduce,transpose" -DFOLDER=stdlib -P embed.cmake
string(REPLACE "," ";" MODULES "${MODULES}")
set(arrays "")
set(rows "")
foreach(name IN LISTS MODULES)
  file(READ ${FOLDER}/${name}.pyk hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
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
