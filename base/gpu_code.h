// How the kinds of compiled code for GPUs begin, apart from PTX, which is text.
#pragma once

#include <string_view>

namespace pykc {

inline constexpr std::string_view kElfMagic = "\177ELF";  // a cubin, or an object of the host with code for GPUs in it
inline constexpr std::string_view kFatbinMagic = "\x50\xed\x55\xba";
inline constexpr std::string_view kArchiveMagic = "!<arch>\n";  // of such objects

}  // namespace pykc
