# pykc_add_kernels(TARGET FILE.pyk …
#                  [ARCHS 80 90a NATIVE]    chips of GPUs; NATIVE: those of this machine; default 80
#                  [CPU x86-64-v3 native]   processors, beside any x86-64 with SSE4.2
#                  [GPU_ONLY]               nothing for the CPU device: for kernels that need a GPU
#                  [OPTIONS --checked …]    more options of `pykc compile`
#                  [RUNTIME LIBRARY])       what TARGET links for them, in place of pykc::runtime: pykc::runtime_shared, or
#                                           pykc::compiler_shared where it links that
#
# Compiles the kernels when TARGET is built, and again when a file that they import changes. TARGET gets for each
# kernels.pyk a header "kernels.h" with a C++ function a kernel, and the code: PTX for every chip, a cubin as well where
# NVIDIA's assembler `ptxas` is found (-DPYKC_PTXAS= turns that off), and an object for the CPU device. It links
# pykc::runtime and no compiler.
find_program(PYKC_PTXAS ptxas HINTS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin
  DOC "NVIDIA's assembler: pykc_add_kernels embeds cubins where it is found")

function(pykc_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "GPU_ONLY" "RUNTIME" "ARCHS;CPU;OPTIONS")
  if(NOT ARG_ARCHS)
    set(ARG_ARCHS 80)
  endif()
  set(targets)
  foreach(arch IN LISTS ARG_ARCHS)
    if(arch STREQUAL "NATIVE")
      list(APPEND targets native)
    elseif(arch MATCHES "^[0-9]+[af]?$")
      list(APPEND targets sm_${arch})
    else()
      message(FATAL_ERROR "pykc_add_kernels: ARCHS takes numbers of chips, such as 80 or 90a, and NATIVE; not ${arch}")
    endif()
  endforeach()
  if(NOT ARG_GPU_ONLY)
    list(TRANSFORM ARG_CPU PREPEND cpu:)
    list(APPEND targets cpu ${ARG_CPU})
  endif()
  list(JOIN targets "," targets)
  set(ptxas)
  if(PYKC_PTXAS)
    set(ptxas --ptxas ${PYKC_PTXAS})
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/pykc_kernels/${target})
  file(MAKE_DIRECTORY ${folder})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(file IN LISTS ARG_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE source)
    cmake_path(GET source STEM name)
    set(output ${folder}/${name})
    add_custom_command(OUTPUT ${output}.c ${output}.h
      COMMAND pykc::pykc compile ${source} --emit header -o ${output}.h ${ARG_OPTIONS}
      COMMAND pykc::pykc compile ${source} --emit c -o ${output}.c --target ${targets} ${ptxas} --depfile ${output}.d
        ${ARG_OPTIONS}
      DEPENDS ${source} pykc::pykc ${PYKC_PTXAS}
      DEPFILE ${output}.d
      COMMENT "Compiling the kernels of ${name}.pyk for ${targets}"
      VERBATIM)
    if(NOT "C" IN_LIST languages)
      set_source_files_properties(${output}.c PROPERTIES LANGUAGE CXX)
    endif()
    target_sources(${target} PRIVATE ${output}.c ${output}.h)
  endforeach()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}>)
  if(NOT ARG_RUNTIME)
    set(ARG_RUNTIME pykc::runtime)
  endif()
  target_link_libraries(${target} PUBLIC ${ARG_RUNTIME})
endfunction()
