#include "cli/embed.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "base/errors.h"
#include "pykc/embedded.h"

namespace pykc::cli {
namespace {

/// What a name in C++ may not be: words of the language, and macros.
constexpr std::string_view kReserved =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct "
    "switch template this thread_local throw true try typedef typeid typename union unsigned using virtual "
    "void volatile wchar_t while xor xor_eq linux unix NULL EOF stdin stdout stderr errno assert offsetof std "
    "pykc main ";

/// A parameter's name is nobody's business, so one that may be a macro of a header is another.
std::string parameter_name(const std::string& name) {
  const bool may_be_macro = name.size() > 1 && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  return may_be_macro ? name + "_" : name;
}

/// Names of one scope: each is turned into a C++ identifier that no other has.
class Names {
 public:
  explicit Names(std::set<std::string> taken = {}) : taken_(std::move(taken)) {}
  std::string add(std::string_view name) {
    std::string identifier;
    for (const char c : name) {
      const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      identifier += is_plain || static_cast<unsigned char>(c) >= 0x80 ? c : '_';
    }
    while (kReserved.find(" " + identifier + " ") != std::string_view::npos || !taken_.insert(identifier).second)
      identifier += '_';
    return identifier;
  }

 private:
  std::set<std::string> taken_;
};

std::string cpp_scalar(ScalarType type) {
  constexpr std::array<std::string_view, kScalarTypeCount> kNames = {
      "bool",           "std::int8_t",   "std::int16_t",  "std::int32_t",     "std::int64_t",
      "std::uint8_t",   "std::uint16_t", "std::uint32_t", "std::uint64_t",    "pykc::Half",
      "pykc::BFloat16", "float",         "double",        "pykc::Float8E4M3", "pykc::Float8E5M2"};
  return std::string(kNames[static_cast<std::size_t>(type)]);
}

/// The records that kernels take, each as a struct, those that others are made of first.
class Records {
 public:
  explicit Records(std::string name_space) : name_space_(std::move(name_space)) {}

  std::string cpp_type(const ElementType& type) {
    if (!type.is_record()) return cpp_scalar(type.scalar);
    if (type.record->kind == RecordType::Kind::Complex)
      return "std::complex<" + cpp_scalar(type.record->fields.front().type.scalar) + ">";
    return "::" + name_space_ + "::" + declare(type.record);
  }
  const std::string& text() const { return text_; }

 private:
  const std::string& declare(const RecordRef& record) {
    const auto known = std::ranges::find(declared_, record, &std::pair<RecordRef, std::string>::first);
    if (known != declared_.end()) return known->second;
    std::string fields, offsets;
    const std::string name = names_.add(record->name);
    Names names({name});
    for (const RecordField& field : record->fields) {
      const std::string field_name = names.add(field.name);
      fields += "  " + (field.type.is_record() ? "alignas(" + std::to_string(alignment_of(field.type)) + ") " : "") +
                cpp_type(field.type) + " " + field_name;
      for (const std::int64_t extent : field.extents) fields += "[" + std::to_string(extent) + "]";
      fields += ";\n";
      offsets += " && offsetof(" + name + ", " + field_name + ") == " + std::to_string(field.offset);
    }
    text_ += "struct alignas(" + std::to_string(record->alignment) + ") " + name + " {\n" + fields +
             "};\nstatic_assert(sizeof(" + name + ") == " + std::to_string(record->bytes) + offsets +
             ",\n              \"laid out as in the kernels\");\n\n";
    return declared_.emplace_back(record, name).second;
  }

  const std::string name_space_;
  Names names_{{"Kernels", "load"}};
  std::vector<std::pair<RecordRef, std::string>> declared_;
  std::string text_;
};

std::string cpp_parameter(const ParameterInfo& parameter, Records& records) {
  if (parameter.is_array) return "const pykc::Array<" + records.cpp_type(parameter.array.element) + ">&";
  if (parameter.value.is_record()) return "const " + records.cpp_type(parameter.value) + "&";
  return "pykc::ScalarParameter<" + cpp_scalar(parameter.value.scalar) + ">";
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }  // names and types alone

/// "scale#2" is a second signature of "scale".
std::string_view name_in_source(const KernelInfo& kernel) {
  return std::string_view(kernel.name).substr(0, kernel.name.find('#'));
}

std::string symbol_of(const EmbeddedName& name) { return "pykc_embedded_" + name.name_space + "_" + name.identity; }

}  // namespace

std::string embedded_namespace(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  const bool starts_with_digit = !stem.empty() && stem.front() >= '0' && stem.front() <= '9';
  return Names().add((starts_with_digit ? "kernels_" : "") + stem);
}

void make_names_unique(Artifact& artifact) {
  std::map<std::string, int> count;
  for (KernelInfo& kernel : artifact.kernels)
    if (const int nth = ++count[kernel.name]; nth > 1) kernel.name += "#" + std::to_string(nth);
}

Result<std::string> embedded_header(const Artifact& artifact, const EmbeddedName& name) {
  Records records(name.name_space);
  Names function_names({"Kernels", "kernels_", "module_"});
  std::map<std::string, std::string> functions;  // by the name in the source: signatures of a kernel are overloads
  std::set<std::string> signatures;
  std::string members, loads;
  for (std::size_t i = 0; i < artifact.kernels.size(); ++i) {
    const KernelInfo& kernel = artifact.kernels[i];
    const std::string source_name(name_in_source(kernel));
    std::string& function = functions[source_name];
    if (function.empty()) function = function_names.add(source_name);

    Names names({"config", "kernels_"});
    std::string types, parameters, arguments;
    for (const ParameterInfo& parameter : kernel.parameters) {
      const std::string type = cpp_parameter(parameter, records), name = names.add(parameter_name(parameter.name));
      types += type + ", ";
      parameters += ",\n      " + type + " " + name;
      arguments += ", " + name;
    }
    if (!signatures.insert(function + "(" + types).second)
      return invalid_argument("two signatures of kernel `" + source_name + "` have the same C++ types (" +
                              types.substr(0, types.size() - 2) + "); put them into headers of their own");
    members += "  /// def " + source_name + "(" + parameter_text(kernel) + ")\n  pykc::Result<void> " + function +
               "(const pykc::LaunchConfig& config" + parameters +
               ") const {\n    return pykc::detail::launch_embedded(kernels_[" + std::to_string(i) + "], config" +
               arguments + ");\n  }\n";
    loads += "  if (auto found = kernel(" + in_quotes(kernel.name) + ", " + in_quotes(parameter_text(kernel)) +
             "); !found) return found.error();\n";
  }
  for (const ConstantInfo& constant : artifact.constants) {
    const std::string type = records.cpp_type(constant.type.element);
    members += "  /// " + constant.name + ", constant memory: " + to_string(constant.type) +
               "\n  pykc::Result<pykc::Array<" + type + ">> " + function_names.add(constant.name) +
               "() const { return module_->constant<" + type + ">(" + in_quotes(constant.name) + "); }\n";
  }
  const bool keeps_module = !artifact.constants.empty();
  const std::string symbol = symbol_of(name);
  return "// Made by `pykc compile --emit header`; do not edit. <pykc/embedded.h> says how to use it.\n"
         "#pragma once\n\n#include <pykc/embedded.h>\n\n#include <complex>\n#include <cstddef>\n#include "
         "<optional>\n#include <vector>\n\n"
         "extern \"C\" const pykc::EmbeddedArtifact " +
         symbol + "[];\n\nnamespace " + name.name_space + " {\ninline namespace source_" + name.identity + " {\n\n" +
         records.text() +
         "/// The kernels, loaded on a device: a function each, which launches it.\nclass Kernels {\n public:\n" +
         members +
         "\n private:\n  Kernels() = default;\n  friend inline pykc::Result<Kernels> load(const pykc::Device& "
         "device);\n"
         "  std::vector<pykc::Kernel> kernels_;\n" +
         (keeps_module ? "  std::optional<pykc::Module> module_;\n" : "") +
         "};\n\n"
         "/// Loads what was compiled for this kind of device.\n"
         "inline pykc::Result<Kernels> load(const pykc::Device& device) {\n"
         "  const pykc::Result<pykc::Module> loaded = pykc::load_embedded(device, " +
         symbol +
         ");\n  if (!loaded) return loaded.error();\n  Kernels result;\n"
         "  const auto kernel = [&](const char* name, const char* parameters) -> pykc::Result<void> {\n"
         "    pykc::Result<pykc::Kernel> found = pykc::embedded_kernel(*loaded, name, parameters);\n"
         "    if (!found) return found.error();\n    result.kernels_.push_back(*found);\n    return {};\n  };\n" +
         loads + (keeps_module ? "  result.module_ = *loaded;\n" : "") +
         "  return result;\n}\n\n}  // namespace source_" + name.identity + "\n}  // namespace " + name.name_space +
         "\n";
}

std::string embedded_source(const std::vector<Artifact>& artifacts, const EmbeddedName& name) {
  constexpr std::size_t kBytesInLine = 24;
  std::string text =
      "/* Made by `pykc compile --emit c`; do not edit. The kernels that the header of the same name "
      "launches. */\n#include <stddef.h>\n\n";
  std::string list;
  for (std::size_t i = 0; i < artifacts.size(); ++i) {
    const std::string bytes = artifacts[i].serialize(), array = "artifact" + std::to_string(i);
    text += "/* " + artifacts[i].target + " */\nstatic const unsigned char " + array + "[] = {";
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      text += at % kBytesInLine == 0 ? "\n  " : "";
      text += std::to_string(static_cast<unsigned char>(bytes[at])) + ",";
    }
    text += "\n};\n";
    list += "  {" + array + ", sizeof " + array + "},\n";
  }
  const std::string declaration = "const struct pykc_embedded_artifact " + symbol_of(name) + "[]";
  return text +
         "\nstruct pykc_embedded_artifact {\n  const unsigned char* bytes;\n  size_t size;\n};\n"
         "#ifdef __cplusplus\nextern \"C\"\n#else\nextern\n#endif\n" +
         declaration + ";\n" + declaration + " = {\n" + list + "  {0, 0}};\n";
}

}  // namespace pykc::cli
