# Puts style and script into the page, and writes a C++ file that holds the bytes of it.
#   cmake -DOUTPUT=page_data.cpp -P embed.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/bytes_of_file.cmake)
file(READ ${CMAKE_CURRENT_LIST_DIR}/page.html page)
foreach(part css js)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/page.${part} text)
  string(TOUPPER ${part} hole)
  string(REPLACE "@${hole}@" "${text}" page "${page}")
endforeach()
file(WRITE ${OUTPUT}.html "${page}")
pykc_bytes_of(${OUTPUT}.html bytes)
file(WRITE ${OUTPUT} "// Made from the files of insight/page/ by embed.cmake.
#include \"insight/page/page_data.h\"

namespace pykc::insight {

std::string_view page_template() {
  static constexpr char kPage[] = {${bytes}};
  return {kPage, sizeof(kPage)};
}

}  // namespace pykc::insight
")
