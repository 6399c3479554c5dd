// What a kernel that touches memory which is not there, or has no stack left, leaves on stderr before the process ends:
// its name, and how to find the line.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "runtime/cpu/alternate_stack.h"
#include "runtime/cpu/elf_object.h"

namespace pykc::cpu {

/// While it lives, the process has handlers of SIGSEGV and SIGBUS that write the message, if the fault is in the code
/// of this kernel, and hand every fault on to the handlers that were there before; one without a handler ends the
/// process as always. They run on the thread's alternate stack; a launching thread that has none gets one. One lives at
/// a time: launches take turns.
class CrashMessage {
 public:
  CrashMessage(const std::string& kernel, const ElfObject& code);
  ~CrashMessage();
  CrashMessage(const CrashMessage&) = delete;
  CrashMessage& operator=(const CrashMessage&) = delete;

 private:
  inline static AlternateStackMemory memory_;
  const AlternateStack alternate_stack_{memory_};
};

}  // namespace pykc::cpu
