// What this machine's processor is and can run.
#pragma once

#include <string_view>

#include "pykc/runtime.h"

namespace pykc::cpu {

/// Name, cores and memory, from the operating system.
DeviceInfo device_info();

/// All memory of this machine. Linux promises more than there is, and ends the program that uses it: ask here first.
std::int64_t memory_bytes();
/// What of it programs can still have.
std::int64_t available_bytes();

/// Whether this processor has the instructions that code for `chip` ("znver4", "x86-64-v3") uses. True for a name that
/// is not known here.
bool can_run(std::string_view chip);

/// The higher, the more of a processor's instructions code for `chip` uses; 0 for a name that is not known here.
int instruction_level(std::string_view chip);

}  // namespace pykc::cpu
