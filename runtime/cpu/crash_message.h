// What a kernel that touches memory which is not there leaves on stderr before the process ends: its name, and how to
// find the line.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "runtime/cpu/elf_object.h"

namespace pykc::cpu {

/// While it lives, the process has handlers of SIGSEGV and SIGBUS that write the message, if the fault is in the code
/// of this kernel, and hand every fault on to the handlers that were there before; one without a handler ends the
/// process as always. One lives at a time: launches take turns.
class CrashMessage {
 public:
  CrashMessage(const std::string& kernel, const ElfObject& code);
  ~CrashMessage();
  CrashMessage(const CrashMessage&) = delete;
  CrashMessage& operator=(const CrashMessage&) = delete;
};

}  // namespace pykc::cpu
