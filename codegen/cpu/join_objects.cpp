#include "codegen/cpu/join_objects.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pykc/types.h"

namespace pykc::codegen {
namespace {

template <typename T>
std::vector<T> table_in(std::string_view bytes) {
  std::vector<T> table(bytes.size() / sizeof(T));
  if (!table.empty()) std::memcpy(table.data(), bytes.data(), table.size() * sizeof(T));
  return table;
}

template <typename T>
std::string_view bytes_of(const std::vector<T>& table) {
  return {reinterpret_cast<const char*>(table.data()), table.size() * sizeof(T)};
}

class Object {
 public:
  explicit Object(std::string_view bytes) : bytes_(bytes) {
    std::memcpy(&header_, bytes.data(), sizeof(header_));
    sections_ = table_in<Elf64_Shdr>(bytes.substr(header_.e_shoff, header_.e_shnum * sizeof(Elf64_Shdr)));
  }
  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view name_of(const Elf64_Shdr& section) const {
    return text(sections_[header_.e_shstrndx], section.sh_name);
  }
  std::string_view bytes_of(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? "" : bytes_.substr(section.sh_offset, section.sh_size);
  }
  /// The string at an offset of a table of them.
  std::string_view text(const Elf64_Shdr& table, std::uint64_t offset) const {
    const std::string_view from = bytes_of(table).substr(offset);
    return from.substr(0, from.find('\0'));
  }

 private:
  const std::string_view bytes_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
};

class Joined {
 public:
  explicit Joined(const Elf64_Ehdr& header) : header_(header) {}

  /// All of an object but its tables of symbols and names. Its relocations still name its own symbols.
  void add_sections(const Object& object) {
    std::vector<std::uint32_t>& places = places_.emplace_back(object.sections().size(), 0);
    for (std::size_t i = 1; i < places.size(); ++i) {
      const Elf64_Shdr& section = object.sections()[i];
      if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_STRTAB) continue;
      places[i] = static_cast<std::uint32_t>(sections_.size());
      sections_.push_back({section, std::string(object.bytes_of(section))});
      sections_.back().header.sh_name = name(object.name_of(section));
    }
    for (std::size_t i = 1; i < places.size(); ++i)
      if (places[i] != 0 && object.sections()[i].sh_type == SHT_RELA)
        sections_[places[i]].header.sh_info = places[object.sections()[i].sh_info];
  }

  /// The local symbols of all objects must stand before the first global one, so `wants_local` ones are added first.
  void add_symbols(std::size_t number, const Object& object, bool wants_local) {
    if (numbers_.size() <= number) numbers_.resize(number + 1);
    for (const Elf64_Shdr& section : object.sections()) {
      if (section.sh_type != SHT_SYMTAB) continue;
      const std::vector<Elf64_Sym> symbols = table_in<Elf64_Sym>(object.bytes_of(section));
      numbers_[number].resize(symbols.size());
      for (std::size_t i = 1; i < symbols.size(); ++i) {
        if ((ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL) != wants_local) continue;
        Elf64_Sym symbol = symbols[i];
        const std::string_view text = object.text(object.sections()[section.sh_link], symbol.st_name);
        if (symbol.st_shndx < SHN_LORESERVE)
          symbol.st_shndx = static_cast<std::uint16_t>(places_[number][symbol.st_shndx]);
        numbers_[number][i] = wants_local ? add(symbol, text) : find_or_add(symbol, text);
      }
    }
    if (wants_local) locals_ = symbols_.size();
  }

  void renumber_relocations(std::size_t number, const Object& object) {
    for (std::size_t i = 1; i < object.sections().size(); ++i) {
      if (places_[number][i] == 0 || object.sections()[i].sh_type != SHT_RELA) continue;
      Section& section = sections_[places_[number][i]];
      std::vector<Elf64_Rela> relocations = table_in<Elf64_Rela>(section.bytes);
      for (Elf64_Rela& relocation : relocations)
        relocation.r_info =
            ELF64_R_INFO(numbers_[number][ELF64_R_SYM(relocation.r_info)], ELF64_R_TYPE(relocation.r_info));
      section.bytes = bytes_of(relocations);
      section.header.sh_link = static_cast<std::uint32_t>(sections_.size());  // where finish() puts the symbols
    }
  }

  std::string finish() {
    Elf64_Shdr symbols = {.sh_name = name(".symtab"), .sh_type = SHT_SYMTAB};
    symbols.sh_link = static_cast<std::uint32_t>(sections_.size() + 1);
    symbols.sh_info = static_cast<std::uint32_t>(locals_);
    symbols.sh_addralign = alignof(Elf64_Sym);
    symbols.sh_entsize = sizeof(Elf64_Sym);
    sections_.push_back({symbols, std::string(bytes_of(symbols_))});
    const Elf64_Shdr names = {.sh_name = name(".strtab"), .sh_type = SHT_STRTAB, .sh_addralign = 1};
    sections_.push_back({names, names_});

    std::string object(sizeof(Elf64_Ehdr), '\0');
    std::vector<Elf64_Shdr> headers(1);
    for (Section& section : sections_) {
      if (&section == &sections_.front()) continue;
      object.resize(round_up(object.size(), std::max<std::uint64_t>(1, section.header.sh_addralign)));
      section.header.sh_offset = object.size();
      if (section.header.sh_type != SHT_NOBITS) section.header.sh_size = section.bytes.size();
      object += section.bytes;
      headers.push_back(section.header);
    }
    object.resize(round_up(object.size(), alignof(Elf64_Shdr)));
    header_.e_shoff = object.size();
    header_.e_shnum = static_cast<std::uint16_t>(headers.size());
    header_.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
    object += bytes_of(headers);
    std::memcpy(object.data(), &header_, sizeof(header_));
    return object;
  }

 private:
  struct Section {
    Elf64_Shdr header;
    std::string bytes;
  };

  std::uint32_t name(std::string_view text) {
    const auto [known, is_new] = known_names_.try_emplace(std::string(text), names_.size());
    if (is_new) names_.append(text).push_back('\0');
    return static_cast<std::uint32_t>(known->second);
  }
  std::uint32_t add(Elf64_Sym symbol, std::string_view text) {
    symbol.st_name = name(text);
    symbols_.push_back(symbol);
    return static_cast<std::uint32_t>(symbols_.size() - 1);
  }
  std::uint32_t find_or_add(const Elf64_Sym& symbol, std::string_view text) {
    const auto [known, is_new] = globals_.try_emplace(std::string(text), symbols_.size());
    if (is_new) return add(symbol, text);
    if (Elf64_Sym& other = symbols_[known->second]; other.st_shndx == SHN_UNDEF) {
      const std::uint32_t its_name = other.st_name;
      other = symbol;
      other.st_name = its_name;
    }
    return static_cast<std::uint32_t>(known->second);
  }

  Elf64_Ehdr header_;
  std::vector<Section> sections_{1};
  std::vector<Elf64_Sym> symbols_{1};
  std::size_t locals_ = 1;
  std::string names_ = std::string(1, '\0');
  std::unordered_map<std::string, std::size_t> known_names_ = {{"", 0}}, globals_;
  // Of each object: where its sections went, and what numbers its symbols have.
  std::vector<std::vector<std::uint32_t>> places_, numbers_;
};

}  // namespace

std::string join_objects(std::span<const std::string> objects) {
  const std::vector<Object> parts(objects.begin(), objects.end());
  Joined joined(parts.front().header());
  for (const Object& part : parts) joined.add_sections(part);
  for (const bool wants_local : {true, false})
    for (std::size_t i = 0; i < parts.size(); ++i) joined.add_symbols(i, parts[i], wants_local);
  for (std::size_t i = 0; i < parts.size(); ++i) joined.renumber_relocations(i, parts[i]);
  return joined.finish();
}

}  // namespace pykc::codegen
