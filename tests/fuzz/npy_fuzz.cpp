// Any bytes are read as a .npy file or refused; an array that was read is written and read again.
#include <cstdlib>

#include "script/values/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pykc::script;
  const Outcome<ArrayRef> array = parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz.npy");
  if (!array) return 0;
  const Outcome<std::string> bytes = format_npy(*array);
  if (!bytes || !parse_npy(*bytes, "fuzz.npy")) std::abort();
  return 0;
}
