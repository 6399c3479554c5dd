/* pykc's version, for the preprocessor of C and C++. CMake's project takes its version from here.
 *
 *   #if PYKC_VERSION >= 200   // 0.2.0 or later
 *
 * A program that is linked with a shared library may have been compiled with another version of the headers: what runs
 * is told by pykc::version() and pykc_version(). docs/promises.md says which versions go together. */
#ifndef PYKC_VERSION_H
#define PYKC_VERSION_H

#define PYKC_VERSION_MAJOR 0
#define PYKC_VERSION_MINOR 1
#define PYKC_VERSION_PATCH 0
#define PYKC_VERSION (PYKC_VERSION_MAJOR * 10000 + PYKC_VERSION_MINOR * 100 + PYKC_VERSION_PATCH)

#define PYKC_VERSION_TEXT_OF(number) #number
#define PYKC_VERSION_JOIN(major, minor, patch) \
  PYKC_VERSION_TEXT_OF(major) "." PYKC_VERSION_TEXT_OF(minor) "." PYKC_VERSION_TEXT_OF(patch)
#define PYKC_VERSION_STRING PYKC_VERSION_JOIN(PYKC_VERSION_MAJOR, PYKC_VERSION_MINOR, PYKC_VERSION_PATCH) /* "0.1.0" \
                                                                                                           */

#endif
