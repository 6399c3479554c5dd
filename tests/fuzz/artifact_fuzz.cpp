// Any bytes are read as an artifact or refused; what was read is what it writes.
#include "pykc/artifact.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const pykc::Result<pykc::Artifact> artifact = pykc::Artifact::parse(bytes);
  if (artifact && artifact->serialize() != bytes) std::abort();
  return 0;
}
