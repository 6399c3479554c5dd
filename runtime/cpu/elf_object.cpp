// Loading goes in five steps: read the tables; lay the sections out in one image, by what may be done with them (run,
// read, write); map the image; patch the places that the relocations name; take the right to write away from what only
// runs or reads.
//
// Code reaches 2 GiB in either direction, and the host's functions may be farther away. So the image begins with a link
// for each symbol: a jump through a word that holds the symbol's address. A far call goes to the jump, and a load from
// the "global offset table" reads the word.
#include "runtime/cpu/elf_object.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "pykc/types.h"

namespace pykc::cpu {
namespace {

constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 30;
constexpr std::uint64_t kLinkBytes = 16;
constexpr std::uint64_t kLinkWord = 8;  // where in a link the address stands
constexpr unsigned char kJumpThroughWord[] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};  // jmp *2(%rip)

Error damaged(const std::string& what) {
  return Error{ErrorCode::InputOutput, "the object of the artifact cannot be loaded: " + what};
}

struct Section {
  Elf64_Shdr header;
  bool is_loaded = false;
  std::uint64_t offset = 0;  // in the image
};

struct Symbol {
  Elf64_Sym entry;
  std::string_view name;
};

/// Sections that are protected alike, on pages of their own.
struct Region {
  std::uint64_t flags;  // of its sections: SHF_EXECINSTR, SHF_WRITE or neither
  int protection;
  std::uint64_t begin = 0, end = 0;
};

}  // namespace

class ElfLoader {
 public:
  ElfLoader(std::string_view bytes, FindFunction find_function) : bytes_(bytes), find_function_(find_function) {}

  Result<ElfObject> load() {
    using Step = Result<void> (ElfLoader::*)();
    for (Step step : {&ElfLoader::read_sections, &ElfLoader::read_symbols, &ElfLoader::lay_out, &ElfLoader::map_image,
                      &ElfLoader::relocate, &ElfLoader::protect})
      RETURN_IF_FAILED((this->*step)());
    export_symbols();
    return std::move(object_);
  }

 private:
  template <typename T>
  bool read(std::uint64_t offset, T& value) const {
    if (!lies_inside(offset, sizeof(T))) return false;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return true;
  }
  bool lies_inside(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  unsigned char* image() const { return static_cast<unsigned char*>(object_.image_); }
  std::uint64_t address_of(std::uint64_t offset) const { return reinterpret_cast<std::uintptr_t>(image() + offset); }

  Result<void> read_sections();
  Result<void> read_section(std::uint64_t offset);
  Result<void> read_symbols();
  Result<void> lay_out();
  Result<void> place(Section& section, std::uint64_t& end);
  Result<void> map_image();
  Result<void> relocate();
  Result<void> relocate_section(const Section& table);
  Result<void> apply(const Section& target, const Elf64_Rela& relocation);
  Result<std::uint64_t> address_of(const Symbol& symbol) const;
  std::uint64_t link_to(std::size_t symbol, std::uint64_t address);
  Result<void> write(std::uint64_t place, std::uint64_t value, int bytes);
  Result<void> protect();
  void export_symbols();

  const std::string_view bytes_;
  const FindFunction find_function_;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  Region regions_[3] = {{SHF_EXECINSTR, PROT_READ | PROT_EXEC}, {0, PROT_READ}, {SHF_WRITE, PROT_READ | PROT_WRITE}};
  ElfObject object_;
};

Result<void> ElfLoader::read_sections() {
  Elf64_Ehdr header;
  if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return damaged("it is no ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL)
    return damaged("it is no relocatable 64-bit object");
  if (header.e_machine != EM_X86_64)
    return Error{ErrorCode::Unsupported, "the artifact's object is not for x86-64 processors"};
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return damaged("its section headers have an unknown size");
  for (std::uint64_t i = 0; i < header.e_shnum; ++i)
    RETURN_IF_FAILED(read_section(header.e_shoff + i * sizeof(Elf64_Shdr)));
  return {};
}

Result<void> ElfLoader::read_section(std::uint64_t offset) {
  Section section;
  if (!read(offset, section.header)) return damaged("its section headers lie outside");
  const Elf64_Shdr& header = section.header;
  if (header.sh_type == SHT_NULL) section.header = {};
  if (header.sh_type != SHT_NOBITS && !lies_inside(header.sh_offset, header.sh_size))
    return damaged("a section lies outside");
  section.is_loaded = (header.sh_flags & SHF_ALLOC) != 0;
  if (section.is_loaded && (header.sh_flags & SHF_TLS) != 0) return damaged("it has thread-local variables");
  constexpr std::uint64_t kBoth = SHF_EXECINSTR | SHF_WRITE;
  if (section.is_loaded && (header.sh_flags & kBoth) == kBoth) return damaged("a section can be both written and run");
  sections_.push_back(section);
  return {};
}

Result<void> ElfLoader::read_symbols() {
  for (const Section& table : sections_) {
    if (table.header.sh_type != SHT_SYMTAB) continue;
    if (!symbols_.empty()) return damaged("it has two symbol tables");
    if (table.header.sh_link >= sections_.size()) return damaged("its symbols have no names");
    const Elf64_Shdr& names = sections_[table.header.sh_link].header;
    if (names.sh_type != SHT_STRTAB) return damaged("its symbols have no names");
    const std::string_view text = bytes_.substr(names.sh_offset, names.sh_size);
    for (std::uint64_t i = 0; i < table.header.sh_size / sizeof(Elf64_Sym); ++i) {
      Symbol symbol;
      (void)read(table.header.sh_offset + i * sizeof(Elf64_Sym), symbol.entry);  // inside, as its section is
      if (symbol.entry.st_name >= text.size()) return damaged("the name of a symbol lies outside");
      symbol.name = text.substr(symbol.entry.st_name);
      symbol.name = symbol.name.substr(0, symbol.name.find('\0'));
      symbols_.push_back(symbol);
    }
  }
  return {};
}

Result<void> ElfLoader::lay_out() {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t begin = 0;
  std::uint64_t end = symbols_.size() * kLinkBytes;  // the links stand first, with what runs
  for (Region& region : regions_) {
    region.begin = begin;
    for (Section& section : sections_) {
      const std::uint64_t flags = section.header.sh_flags & (SHF_EXECINSTR | SHF_WRITE);
      if (!section.is_loaded || flags != region.flags) continue;
      RETURN_IF_FAILED(place(section, end));
    }
    region.end = begin = end = round_up(end, page);
  }
  object_.bytes_ = end;
  return {};
}

Result<void> ElfLoader::place(Section& section, std::uint64_t& end) {
  const std::uint64_t alignment = section.header.sh_addralign == 0 ? 1 : section.header.sh_addralign;
  if (alignment > 4096 || (alignment & (alignment - 1)) != 0) return damaged("a section has a strange alignment");
  section.offset = round_up(end, alignment);
  if (section.offset > kLargestImage || section.header.sh_size > kLargestImage - section.offset)
    return damaged("it is larger than 1 GiB");
  end = section.offset + section.header.sh_size;
  return {};
}

Result<void> ElfLoader::map_image() {
  if (object_.bytes_ == 0) return {};
  void* image = mmap(nullptr, object_.bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED)
    return Error{ErrorCode::OutOfMemory,
                 "the host has no room for " + std::to_string(object_.bytes_) + " bytes of kernel code"};
  object_.image_ = image;
  for (const Section& section : sections_)
    if (section.is_loaded && section.header.sh_type != SHT_NOBITS)
      std::memcpy(this->image() + section.offset, bytes_.data() + section.header.sh_offset, section.header.sh_size);
  return {};
}

Result<void> ElfLoader::relocate() {
  for (const Section& table : sections_) {
    if (table.header.sh_type != SHT_RELA && table.header.sh_type != SHT_REL) continue;
    if (table.header.sh_info >= sections_.size()) return damaged("a relocation has no section");
    if (!sections_[table.header.sh_info].is_loaded) continue;
    if (table.header.sh_type == SHT_REL) return damaged("it has relocations without addends");
    RETURN_IF_FAILED(relocate_section(table));
  }
  return {};
}

Result<void> ElfLoader::relocate_section(const Section& table) {
  for (std::uint64_t i = 0; i < table.header.sh_size / sizeof(Elf64_Rela); ++i) {
    Elf64_Rela relocation;
    (void)read(table.header.sh_offset + i * sizeof(Elf64_Rela), relocation);  // inside, as its section is
    RETURN_IF_FAILED(apply(sections_[table.header.sh_info], relocation));
  }
  return {};
}

Result<void> ElfLoader::apply(const Section& target, const Elf64_Rela& relocation) {
  const auto type = ELF64_R_TYPE(relocation.r_info);
  if (type == R_X86_64_NONE) return {};
  const std::size_t index = ELF64_R_SYM(relocation.r_info);
  if (index >= symbols_.size()) return damaged("a relocation names no symbol");
  const int bytes = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
  const std::uint64_t size = target.header.sh_size;
  if (relocation.r_offset > size || size - relocation.r_offset < static_cast<std::uint64_t>(bytes))
    return damaged("a relocation lies outside its section");

  ASSIGN_OR_RETURN(const std::uint64_t symbol, address_of(symbols_[index]));
  const bool is_far = symbols_[index].entry.st_shndx == SHN_UNDEF;
  const std::uint64_t place = target.offset + relocation.r_offset;
  const std::uint64_t from_here = static_cast<std::uint64_t>(relocation.r_addend) - address_of(place);
  switch (type) {
    case R_X86_64_64:
      return write(place, symbol + static_cast<std::uint64_t>(relocation.r_addend), bytes);
    case R_X86_64_PC64:
      return write(place, symbol + from_here, bytes);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return write(place, (is_far ? link_to(index, symbol) : symbol) + from_here, bytes);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return write(place, link_to(index, symbol) + kLinkWord + from_here, bytes);
    case R_X86_64_32:
    case R_X86_64_32S:
      return damaged("it is not compiled as position-independent code");
    default:
      return damaged("relocation type " + std::to_string(type) + " is not supported");
  }
}

Result<std::uint64_t> ElfLoader::address_of(const Symbol& symbol) const {
  const Elf64_Sym& entry = symbol.entry;
  if (entry.st_shndx == SHN_UNDEF) {
    void* function = find_function_(symbol.name);
    if (function == nullptr) return damaged("it calls `" + std::string(symbol.name) + "`, which nobody defines");
    return reinterpret_cast<std::uintptr_t>(function);
  }
  if (entry.st_shndx == SHN_ABS) return entry.st_value;
  if (entry.st_shndx >= sections_.size() || !sections_[entry.st_shndx].is_loaded ||
      entry.st_value > sections_[entry.st_shndx].header.sh_size)
    return damaged("the symbol `" + std::string(symbol.name) + "` lies outside");
  return address_of(sections_[entry.st_shndx].offset + entry.st_value);
}

/// The address of the symbol's link, which is made the first time.
std::uint64_t ElfLoader::link_to(std::size_t symbol, std::uint64_t address) {
  unsigned char* link = image() + symbol * kLinkBytes;
  std::memcpy(link, kJumpThroughWord, sizeof(kJumpThroughWord));
  std::memcpy(link + kLinkWord, &address, sizeof(address));
  return reinterpret_cast<std::uintptr_t>(link);
}

Result<void> ElfLoader::write(std::uint64_t place, std::uint64_t value, int bytes) {
  const auto distance = static_cast<std::int64_t>(value);
  if (bytes == 4 && distance != static_cast<std::int32_t>(distance)) return damaged("a reference is out of reach");
  std::memcpy(image() + place, &value, static_cast<std::size_t>(bytes));
  return {};
}

Result<void> ElfLoader::protect() {
  for (const Region& region : regions_) {
    if (region.begin == region.end) continue;
    if (mprotect(image() + region.begin, region.end - region.begin, region.protection) != 0)
      return Error{ErrorCode::Unsupported,
                   std::string("this system does not let a program run code that it made: ") + std::strerror(errno)};
  }
  return {};
}

void ElfLoader::export_symbols() {
  for (const Symbol& symbol : symbols_) {
    const auto type = ELF64_ST_TYPE(symbol.entry.st_info);
    if (ELF64_ST_BIND(symbol.entry.st_info) == STB_LOCAL || (type != STT_FUNC && type != STT_OBJECT)) continue;
    if (symbol.entry.st_shndx >= sections_.size() || symbol.entry.st_shndx == SHN_UNDEF) continue;
    const Section& home = sections_[symbol.entry.st_shndx];
    const std::uint64_t begin = symbol.entry.st_value, size = home.header.sh_size;
    if (!home.is_loaded || begin >= size) continue;
    unsigned char* const address = image() + home.offset + begin;
    if (type == STT_FUNC && (home.header.sh_flags & SHF_EXECINSTR) != 0)
      object_.functions_.emplace(symbol.name, address);
    if (type == STT_OBJECT && (home.header.sh_flags & SHF_WRITE) != 0 && symbol.entry.st_size <= size - begin)
      object_.variables_.emplace(symbol.name, ElfObject::Variable{address, symbol.entry.st_size});
  }
}

Result<ElfObject> ElfObject::load(std::string_view bytes, FindFunction find_function) {
  return ElfLoader(bytes, find_function).load();
}

ElfObject::ElfObject(ElfObject&& other) noexcept
    : image_(std::exchange(other.image_, nullptr)),
      bytes_(other.bytes_),
      functions_(std::move(other.functions_)),
      variables_(std::move(other.variables_)) {}

ElfObject::~ElfObject() {
  if (image_ != nullptr) munmap(image_, bytes_);
}

void* ElfObject::find(std::string_view symbol) const {
  const auto found = functions_.find(symbol);
  return found == functions_.end() ? nullptr : found->second;
}

void* ElfObject::find_variable(std::string_view symbol, std::uint64_t bytes) const {
  const auto found = variables_.find(symbol);
  return found == variables_.end() || found->second.bytes != bytes ? nullptr : found->second.address;
}

}  // namespace pykc::cpu
