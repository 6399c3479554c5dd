# libpykc.so, with compiler and runtime, and libpykc_runtime.so, with the runtime alone: the archives' code, of which only
# pykc.h and what the public headers declare can be seen (shared_symbols.map). What they have of LLVM is their own, so
# another LLVM in the same process does not matter. Two in one process do not mix either: each calls its own functions.
function(pykc_shared_library name)
  cmake_parse_arguments(ARG "" "FILE" "LINK" ${ARGN})
  set(shown ${PROJECT_SOURCE_DIR}/cmake/shared_symbols.map)
  add_library(${name}_shared SHARED ${shown})
  add_library(pykc::${name}_shared ALIAS ${name}_shared)
  list(JOIN ARG_LINK "," whole)
  set_target_properties(${name}_shared PROPERTIES
    OUTPUT_NAME ${ARG_FILE}
    LINKER_LANGUAGE CXX
    LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${whole}"
    LINK_DEPENDS ${shown}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${name}_shared INTERFACE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name}_shared PRIVATE ${ARG_LINK})
  target_link_options(${name}_shared PRIVATE -Wl,-Bsymbolic -Wl,-z,defs
    -Wl,--version-script=${shown} $<$<CONFIG:Release>:-s>)
  install(TARGETS ${name}_shared)
endfunction()

set(runtime pykc_capi_runtime pykc_runtime pykc_base)
pykc_shared_library(runtime FILE pykc_runtime LINK ${runtime})
pykc_shared_library(compiler FILE pykc
  LINK pykc_capi_compiler pykc_jit pykc_driver pykc_frontend pykc_codegen pykc_ir pykc_stdlib ${runtime})
pykc_in_order(compiler_shared)
