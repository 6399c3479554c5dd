// A plugin that uses pykc: what plugin_host loads.
#include <cstdio>

#include "tests/hosts/kernel.h"

extern "C" [[gnu::visibility("default")]] int run_plugin() {
  const std::string wrong = hosts::compile_launch_and_check();
  if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
  return wrong.empty() ? 0 : 1;
}
