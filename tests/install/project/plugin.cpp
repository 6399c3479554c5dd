// The compiler in a plugin of its own.
#include <pykc/compiler.h>

#include "launch.h"

extern "C" int launch_file(const char* path);

int launch_file(const char* path) {
  return launch(pykc::Device::open("cpu").value(), pykc::compile_file(path, {.target = "cpu"}).value());
}
