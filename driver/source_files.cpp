// Where source text comes from: files, the folder of the importing file, the library built into the program.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

#include "base/errors.h"
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

Result<std::string> read_named(const std::string& path, std::size_t most = std::numeric_limits<std::size_t>::max()) {
  Result<std::string> bytes = read_file(path, most);
  if (!bytes) return Error{ErrorCode::InputOutput, "cannot read " + path + ": " + bytes.error().message};
  return bytes;
}

bool is_package(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "__init__.pyk", error);
}

/// Whether a file lies in the folder, or below it, also where links lead.
bool lies_in(const std::filesystem::path& folder, const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path from = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  if (error) return false;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  return !error && std::ranges::mismatch(from, real).in1 == from.end();
}

/// A text has a name in brackets in place of a file's, and no folder: it has the modules of the library alone.
bool is_text(std::string_view name) { return name.starts_with('<'); }

/// The folder where a program starts whose main file is `path`, and the package of that file.
struct Start {
  std::filesystem::path folder;
  std::string package;
};
Start start_of(const std::string& path) {
  Start start{std::filesystem::path(path).parent_path(), {}};
  while (is_package(start.folder)) {
    // A relative path that ends here has no parent by its text.
    std::filesystem::path name = start.folder.filename();
    if (name.empty() || name == "." || name == "..") {
      std::error_code error;
      start.folder = std::filesystem::canonical(start.folder.empty() ? "." : start.folder, error);
      name = start.folder.filename();
      if (error || name.empty()) break;
    }
    start.package = name.string() + (start.package.empty() ? "" : ".") + start.package;
    start.folder = start.folder.parent_path();
  }
  return start;
}

}  // namespace

std::string package_of_file(const std::string& path, const CompileOptions& options) {
  return options.import || options.untrusted || is_text(path) ? std::string() : start_of(path).package;
}

Result<std::shared_ptr<const SourceFile>> read_source(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, read_named(path, SourceFile::kMaximumBytes + 1));
  return std::make_shared<const SourceFile>(path, std::move(text));
}

namespace {

/// What the program's own `import` gives; what it throws is an error, too.
Result<Source> ask(const CompileOptions& options, std::string_view name) {
  try {
    return options.import(name);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return error_in_flight();
  }
}

}  // namespace

ImportResolver import_resolver(const std::string& path, const CompileOptions& options) {
  std::optional<std::filesystem::path> folder;
  if (!options.import && !options.untrusted && !is_text(path)) folder = start_of(path).folder;
  return [folder, options](std::string_view name) -> Result<std::shared_ptr<const SourceFile>> {
    std::optional<Error> failed;
    if (options.import) {
      const Result<Source> source = ask(options, name);
      if (source && source->name() != Source::kNoName) return source_file(*source);
      if (source) return std::make_shared<const SourceFile>(std::string(name) + ".pyk", source->text());
      if (source.error().code != ErrorCode::NotFound) failed = source.error();
    } else if (folder) {
      for (const std::string_view end : {".pyk", "/__init__.pyk"}) {
        const std::filesystem::path file = *folder / module_path(name, end);
        if (!lies_in(*folder, file)) continue;
        if (auto source = read_source(file.string()); source) return *source;
      }
    }
    const std::string_view library = library_source(name);
    if (!library.empty())
      return std::make_shared<const SourceFile>("<" + std::string(name) + ">", std::string(library),
                                                SourceFile::built_in());
    if (failed) return *std::move(failed);
    return std::shared_ptr<const SourceFile>();
  };
}

}  // namespace pykc::driver

namespace pykc {

Result<Library> Library::read(const std::string& path) try {
  ASSIGN_OR_RETURN(std::string bytes, driver::read_named(path));
  return Library{path, std::move(bytes)};
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
