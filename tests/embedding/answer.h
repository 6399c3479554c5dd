// What a stranger's source costs: it is compiled under CompileOptions::untrusted in a process of its own, whose time is
// that of the processor, for a busy machine is no fault of the compiler's.
#pragma once

#include <string>

namespace pykc {

struct Answer {
  std::string told;  // "compiled", the code of an error, or what should not be
  double seconds = 0;
  double megabytes = 0;

  /// Either a result or an error of the source.
  bool is_proper() const { return told == "compiled" || (told.size() == 5 && told.starts_with("E")); }
};

Answer answer(const std::string& source, const char* target);

}  // namespace pykc
