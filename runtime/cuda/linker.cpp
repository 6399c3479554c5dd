#include "runtime/cuda/linker.h"

#include <elf.h>

#include <cstring>

#include "base/errors.h"
#include "base/gpu_code.h"
#include "runtime/cuda/jit_log.h"

namespace pykc::cuda {
namespace {

/// The driver reads a cubin as far as its headers say, so they must not say more than there is.
bool is_whole_cubin(const std::string& code) {
  Elf64_Ehdr header;
  if (code.size() < sizeof(header)) return false;
  std::memcpy(&header, code.data(), sizeof(header));
  const auto fits = [&](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= code.size() && bytes <= code.size() - offset;
  };
  if (!fits(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)) ||
      !fits(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)))
    return false;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, code.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_NOBITS && !fits(section.sh_offset, section.sh_size)) return false;
  }
  return true;
}

bool is_text(const std::string& code) {
  const auto first = static_cast<unsigned char>(code.empty() ? 0 : code.front());
  return (first >= ' ' && first < 0x7f) || first == '\n' || first == '\t' || first == '\r';
}

/// Whether whole ELF code is a cubin; else it is an object of the host that carries code for GPUs.
bool is_for_gpu(const std::string& elf) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof(header));
  return header.e_machine == EM_CUDA;
}

CUjitInputType type_of(const std::string& code) {
  if (code.starts_with(kElfMagic)) return is_for_gpu(code) ? CU_JIT_INPUT_CUBIN : CU_JIT_INPUT_OBJECT;
  if (code.starts_with(kFatbinMagic)) return CU_JIT_INPUT_FATBINARY;
  return code.starts_with(kArchiveMagic) ? CU_JIT_INPUT_LIBRARY : CU_JIT_INPUT_PTX;
}

bool is_linkable(const std::string& code) {
  return is_code(code) || code.starts_with(kFatbinMagic) || code.starts_with(kArchiveMagic);
}

/// One run of the linker.
class Linker {
 public:
  Linker(const Driver& driver, std::int32_t level) : driver_(driver), log_(level) {}
  ~Linker() {
    if (state_ != nullptr) driver_.cuLinkDestroy(state_);
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  Result<void> create() {
    return check("cuLinkCreate", driver_.cuLinkCreate(JitLog::kOptions, log_.options(), log_.values(), &state_));
  }
  /// PTX ends with a zero byte, which counts.
  Result<void> add(const std::string& name, const std::string& code) {
    const CUjitInputType type = type_of(code);
    const std::size_t bytes = code.size() + (type == CU_JIT_INPUT_PTX ? 1 : 0);
    return check("cuLinkAddData", driver_.cuLinkAddData(state_, type, const_cast<char*>(code.c_str()), bytes,
                                                        name.c_str(), 0, nullptr, nullptr));
  }
  Result<std::string> complete() {
    void* cubin = nullptr;
    std::size_t bytes = 0;
    RETURN_IF_FAILED(check("cuLinkComplete", driver_.cuLinkComplete(state_, &cubin, &bytes)));
    return std::string(static_cast<const char*>(cubin), bytes);
  }

 private:
  Result<void> check(const char* call, CUresult result) const { return log_.check(driver_, call, result); }
  const Driver& driver_;
  JitLog log_;
  CUlinkState state_ = nullptr;
};

}  // namespace

bool is_code(const std::string& bytes) { return bytes.starts_with(kElfMagic) ? is_whole_cubin(bytes) : is_text(bytes); }

Result<std::string> link(const Driver& driver, const Artifact& artifact) {
  Linker linker(driver, artifact.assembler_level);
  RETURN_IF_FAILED(linker.create());
  RETURN_IF_FAILED(linker.add("the kernels", artifact.code));
  for (const Library& library : artifact.libraries) {
    if (!is_linkable(library.bytes))
      return Error{ErrorCode::InputOutput,
                   library.name + " is neither PTX nor a whole cubin, nor a fatbin, object or archive"};
    RETURN_IF_FAILED(linker.add(library.name, library.bytes));
  }
  return linker.complete();
}

}  // namespace pykc::cuda
