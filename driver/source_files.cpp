// Where source text comes from: files, the folder of the importing file, the library built into the program.
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "driver/driver.h"
#include "stdlib/library.h"

namespace pykc::driver {
namespace {

/// "pykc.reduce" → "pykc/reduce" and the end; empty for anything that is not a dotted name.
std::string module_path(std::string_view module_name, std::string_view end) {
  std::string path;
  for (const char c : module_name) {
    if (c == '.')
      path += '/';
    else if (c == '/' || c == '\\' || c == '\0')
      return {};
    else
      path += c;
  }
  return path.append(end);
}

Result<std::string> read_named(const std::string& path) {
  Result<std::string> bytes = read_file(path);
  if (!bytes) return Error{ErrorCode::InputOutput, "cannot read " + path + ": " + bytes.error().message};
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const SourceFile>> read_source(const std::string& path) {
  Result<std::string> text = read_named(path);
  if (!text) return text.error();
  return std::make_shared<const SourceFile>(path, std::move(*text));
}

ImportResolver import_resolver(const std::string& path, const CompileOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return [folder, import = options.import](std::string_view name) -> std::shared_ptr<const SourceFile> {
    if (import) {
      Result<std::string> text = import(name);
      if (text) return std::make_shared<const SourceFile>(std::string(name) + ".pyk", std::move(*text));
    } else {
      for (const std::string_view end : {".pyk", "/__init__.pyk"}) {
        const std::filesystem::path file = folder / module_path(name, end);
        std::error_code error;
        if (std::filesystem::is_regular_file(file, error))
          if (auto source = read_source(file.string()); source) return *source;
      }
    }
    const std::string_view library = library_source(name);
    if (library.empty()) return nullptr;
    return std::make_shared<const SourceFile>("<" + std::string(name) + ">", std::string(library));
  };
}

}  // namespace pykc::driver

namespace pykc {

Result<Library> Library::read(const std::string& path) {
  Result<std::string> bytes = driver::read_named(path);
  if (!bytes) return bytes.error();
  return Library{path, std::move(*bytes)};
}

}  // namespace pykc
