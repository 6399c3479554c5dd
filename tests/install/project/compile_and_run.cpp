// The compiler in a program: it throws and catches, uses RTTI, and has its own flags.
#include <pykc/compiler.h>

#include <stdexcept>

#include "launch.h"

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::invalid_argument("usage: compile_and_run FILE.pyk");
    return launch(pykc::Device::open("cpu").value(), pykc::compile_file(argv[1], {.target = "cpu"}).value());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
