// Any bytes are read as an artifact or refused; what was read is what it writes. Hardly any have the size and the hash
// that stand before them, so they are read behind a header that is right as well.
#include <cstdlib>

#include "pykc/artifact.h"

namespace {

/// In the order of the file: the lowest byte first.
void append(std::string& bytes, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift);
}

std::string with_header(std::string_view payload) {
  constexpr std::size_t kMagicAndVersion = 8 + 4;
  std::string bytes = pykc::Artifact().serialize().substr(0, kMagicAndVersion);
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : payload) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  append(bytes, payload.size());
  append(bytes, hash);
  return bytes += payload;
}

void read(std::string_view bytes) {
  const pykc::Result<pykc::Artifact> artifact = pykc::Artifact::parse(bytes);
  if (artifact && artifact->serialize() != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(with_header(bytes));
  return 0;
}
