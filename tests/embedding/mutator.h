// Sources that nobody wrote: those of the repository with a few changes, such as bytes that flip, tokens or lines that
// change places, are lost, come twice or come from another file, and halves of two files in one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pykc {

/// The same seed makes the same mutant of the same sources.
std::string mutant_of(const std::vector<std::string>& sources, std::uint64_t seed);

}  // namespace pykc
