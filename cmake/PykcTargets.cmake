# What every target of pykc shares: language level, warnings, sanitizers; and where LLVM and GoogleTest come from.

add_library(pykc_options INTERFACE)
target_compile_options(pykc_options INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # "…" + std::string warns of an overlap that cannot be (GCC bug 105651).
  target_compile_options(pykc_options INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A unique symbol, as an inline variable is one, keeps the plugin that has it loaded for ever.
  target_compile_options(pykc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A source file in another counts as a header, whose classes must not have members of unnamed namespaces.
  target_compile_options(pykc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
target_include_directories(pykc_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12 uses a buffer in <algorithm> that it calls deprecated itself.
  target_compile_options(pykc_options INTERFACE -Wno-deprecated-declarations)
endif()
if(PYKC_SANITIZE)
  add_compile_options(-fsanitize=${PYKC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PYKC_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses GCC's flow analysis: it warns of <regex> and <variant> (GCC bug 105562).
    target_compile_options(pykc_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(PYKC_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage
endif()
# Unused functions of LLVM cost start-up time and size.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)
# LLVM 22's linker, where it is installed (package lld-22, which does not put a plain `ld.lld` on the PATH).
find_program(PYKC_LLD NAMES ld.lld PATHS /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
if(PYKC_LLD)
  get_filename_component(PYKC_LLD_FOLDER ${PYKC_LLD} DIRECTORY)
  set(PYKC_LLD_OPTIONS -fuse-ld=lld -B${PYKC_LLD_FOLDER})
  add_link_options(${PYKC_LLD_OPTIONS} -Wl,--icf=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It folds equal code without a look at how it is unwound. The cold ends that GCC takes out of functions are often
    # equal, where the frames are not: an exception that passes one would end the program.
    add_compile_options(-fno-reorder-blocks-and-partition)
  endif()
endif()

# pykc_in_order(TARGET): links what compiles in the order in which compilations enter functions.
if(PYKC_LLD AND NOT PYKC_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(PYKC_FUNCTION_ORDER ${PROJECT_BINARY_DIR}/cli/function_order.txt)
endif()
function(pykc_in_order target)
  if(PYKC_FUNCTION_ORDER)
    add_dependencies(${target} pykc_function_order)
    target_link_options(${target} PRIVATE -Wl,--symbol-ordering-file=${PYKC_FUNCTION_ORDER} -Wl,--no-warn-symbol-ordering)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PYKC_FUNCTION_ORDER})
  endif()
endfunction()

# LLVM by llvm-config, not by its CMake package: that one wants the development packages of libraries (libedit, libffi,
# z3, curl, libxml2) of which not one byte is linked here.
find_program(PYKC_LLVM_CONFIG NAMES llvm-config-22 HINTS /usr/lib/llvm-22/bin REQUIRED)
execute_process(COMMAND ${PYKC_LLVM_CONFIG} --includedir OUTPUT_VARIABLE PYKC_LLVM_INCLUDE_DIR
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_library(PYKC_ZLIB NAMES libz.a REQUIRED)
find_library(PYKC_ZSTD NAMES libzstd.a REQUIRED)

# Functions of the C and C++ libraries that codegen/memory_may_end.cpp has others for.
set(PYKC_WRAPPED __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort pthread_mutex_lock pthread_mutex_unlock
  pthread_once)
list(TRANSFORM PYKC_WRAPPED PREPEND -Wl,--wrap=)

# pykc_library(NAME SOURCES … LINK …): the library of one folder. Who links it gets the public headers, and none of pykc's
# own flags.
function(pykc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE pykc_options PUBLIC ${ARG_LINK})
endfunction()

# pykc_llvm(TARGET COMPONENT …): links LLVM's static libraries; the target's own files may include LLVM's headers.
function(pykc_llvm target)
  execute_process(COMMAND ${PYKC_LLVM_CONFIG} --link-static --libfiles ${ARGN} OUTPUT_VARIABLE files
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(files UNIX_COMMAND "${files}")
  target_include_directories(${target} SYSTEM PRIVATE ${PYKC_LLVM_INCLUDE_DIR})
  target_compile_options(${target} PRIVATE -Wno-unused-parameter)
  target_link_libraries(${target} PRIVATE ${files} ${PYKC_ZLIB} ${PYKC_ZSTD} rt dl m pthread)
endfunction()

# pykc_test(NAME SOURCES … LINK …): a GoogleTest program; CTest runs it as one test.
function(pykc_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE pykc_options ${ARG_LINK} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "PYKC_SOURCE_DIR=${PROJECT_SOURCE_DIR};PYKC_CACHE=off")
endfunction()
if(PYKC_TESTS)
  find_package(GTest REQUIRED)
endif()
