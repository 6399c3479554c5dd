# What `cmake --install` puts where: the program, the public headers, two libraries, and what find_package(pykc) and
# pkg-config read. `cpack` in the build folder makes a Debian package of the same files.
#
# The libraries of the folders become two archives, made when something is installed:
#
#   libpykc_runtime.a   runtime/, base/ and their part of pykc.h, a member for each source file
#   libpykc_compiler.a  all that stands behind compile(), linked into one object together with those parts of LLVM that
#                       it uses. So a program that embeds the compiler needs no LLVM package, and no list of 60 archives
#                       that must be of the very version pykc was compiled with.
#
# and two shared libraries of the same code (PykcShared.cmake).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS pykc)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES CHANGELOG.md LICENSE NOTICE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)

# What a program links beside the archives.
set(PYKC_INSTALLED_LIBRARIES -lm -ldl -lpthread -lrt)
get_target_property(PYKC_LLVM_ARCHIVES pykc_codegen LINK_LIBRARIES)
list(FILTER PYKC_LLVM_ARCHIVES INCLUDE REGEX "\\.a$")

set(installed ${PROJECT_BINARY_DIR}/installed)
configure_file(cmake/install_libraries.cmake.in ${installed}/install_libraries.in.cmake @ONLY)
file(GENERATE OUTPUT ${installed}/install_libraries.cmake INPUT ${installed}/install_libraries.in.cmake)
install(SCRIPT ${installed}/install_libraries.cmake)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pykc)
configure_package_config_file(cmake/pykcConfig.cmake.in ${installed}/pykcConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${installed}/pykcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${installed}/pykcConfig.cmake ${installed}/pykcConfigVersion.cmake cmake/PykcKernels.cmake
  DESTINATION ${package_folder})

set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PYKC_PREFIX_FROM_PKGCONFIG /${pkgconfig_folder} /)
list(JOIN PYKC_INSTALLED_LIBRARIES " " PYKC_PKGCONFIG_LIBRARIES)
foreach(library runtime compiler)
  foreach(package pykc-${library} pykc-${library}-shared)
    configure_file(cmake/${package}.pc.in ${installed}/${package}.pc @ONLY)
    install(FILES ${installed}/${package}.pc DESTINATION ${pkgconfig_folder})
  endforeach()
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The pykc authors <pykc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler and runtime for GPU kernels written in typed Python")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ (>= 4:12)")
include(CPack)
