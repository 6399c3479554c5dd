// The runtime alone: what `pykc compile --emit artifact` wrote is loaded and launched.
#include <fstream>
#include <sstream>

#include <pykc/dlpack.h>

#include "launch.h"

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const pykc::Device device = pykc::Device::open("cpu").value();
  const pykc::Artifact artifact = pykc::Artifact::parse(bytes.str()).value();
  if (!(artifact.kernels.front() == artifact.kernels.front())) return 2;
  auto* const tensor = pykc::to_dlpack(device.zeros<float>(3).value()).value();
  tensor->deleter(tensor);
  return launch(device, artifact);
}
