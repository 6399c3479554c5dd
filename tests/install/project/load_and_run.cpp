// The runtime alone: what `pykc compile --emit artifact` wrote is loaded and launched.
#include <fstream>
#include <sstream>

#include "launch.h"

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return launch(pykc::Device::open("cpu").value(), pykc::Artifact::parse(bytes.str()).value());
}
