#include "frontend/check/names/advice.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>

#include "base/text.h"

namespace pykc::checker {
namespace {

struct ForeignRow {
  std::string_view name, write, note;
};
struct NoteRow {
  std::string_view name, note;
};

constexpr ForeignRow kNames[] = {
#define FOREIGN(name, write, note) {name, write, note},
#define FOREIGN_MODULE(name, note)
#define FOREIGN_NUMPY(name, note)
#include "frontend/check/names/foreign_names.def"
};
constexpr NoteRow kModules[] = {
#define FOREIGN(name, write, note)
#define FOREIGN_MODULE(name, note) {name, note},
#define FOREIGN_NUMPY(name, note)
#include "frontend/check/names/foreign_names.def"
};
constexpr NoteRow kNumpy[] = {
#define FOREIGN(name, write, note)
#define FOREIGN_MODULE(name, note)
#define FOREIGN_NUMPY(name, note) {name, note},
#include "frontend/check/names/foreign_names.def"
};

std::string_view note_of(std::span<const NoteRow> rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &NoteRow::name);
  return row == rows.end() ? std::string_view() : row->note;
}

/// `threadIdx_x`
Advice with_axis(std::string_view name) {
  static constexpr std::string_view kIndices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  for (const std::string_view index : kIndices)
    for (const char axis : {'x', 'y', 'z'})
      if (name == std::string(index) + "_" + axis) return {std::string(index) + "." + axis, ""};
  return {};
}

/// `atomicAdd`, `atomic_add`
Advice atomic_function(std::string_view name, const NameTable& names) {
  if (!name.starts_with("atomic") || name.size() < 9) return {};
  std::string operation(name.substr(name[6] == '_' ? 7 : 6));
  std::ranges::transform(operation, operation.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!names.find("atomic", operation)) return {};
  const std::string call = "atomic." + operation;
  return {call, "it takes the array and the index: " + as_code(call + "(x, i, value)")};
}

/// `sin`, `expf`, `native_sin`: a function that `math` has, or the prelude for all types.
std::string function_of_floats(std::string_view name, const NameTable& names) {
  for (const std::string_view prefix : {"native_", "half_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  const auto find = [&](std::string_view plain) -> std::string {
    if (names.find("math", plain)) return "math." + std::string(plain);
    return {};
  };
  if (std::string found = find(name); !found.empty() || !name.ends_with('f')) return found;
  name.remove_suffix(1);
  if (names.find("", name)) return std::string(name);
  return find(name);
}

/// `__popc`, `__sinf`
std::string intrinsic(std::string_view name, const NameTable& names) {
  if (!name.starts_with("__") || name.ends_with("__")) return {};
  name.remove_prefix(2);
  return names.find("", name) ? std::string(name) : function_of_floats(name, names);
}

}  // namespace

Advice foreign_name(std::string_view name, const NameTable& names) {
  if (const auto* row = std::ranges::find(kNames, name, &ForeignRow::name); row != std::end(kNames))
    return {std::string(row->write), std::string(row->note)};
  if (const std::string_view note = foreign_module(name); !note.empty()) return {"", std::string(note)};
  if (Advice advice = with_axis(name); !advice.is_empty()) return advice;
  if (Advice advice = atomic_function(name, names); !advice.is_empty()) return advice;
  if (std::string found = function_of_floats(name, names); !found.empty()) return {std::move(found), ""};
  return {intrinsic(name, names), ""};
}

std::string_view foreign_module(std::string_view name) { return note_of(kModules, name.substr(0, name.find('.'))); }

void suggest_member(Diagnostics::Builder diagnostic, std::string_view name,
                    const std::vector<std::string_view>& known) {
  constexpr std::size_t kFew = 12;
  if (const std::string_view near = nearest(name, known); !near.empty()) {
    diagnostic.did_you_mean(near);
    return;
  }
  if (known.empty() || known.size() > kFew) return;
  std::string list;
  for (const std::string_view known_name : known) list += (list.empty() ? "" : ", ") + std::string(known_name);
  diagnostic.note("it has " + list);
}

std::string_view host_only_numpy(std::string_view name) { return note_of(kNumpy, name); }

}  // namespace pykc::checker
