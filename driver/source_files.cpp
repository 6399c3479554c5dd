// Where source text comes from: files, the folder of the importing file, the library built into the program.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

#include "base/errors.h"
#include "base/files.h"
#include "driver/driver.h"
#include "pykc/library.h"
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

bool says_missing(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
         error == std::errc::filename_too_long;
}

Error cannot_read(const std::filesystem::path& path, const std::error_code& error) {
  return Error{ErrorCode::InputOutput, "cannot read " + path.string() + ": " + error.message()};
}

Result<bool> is_package(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "__init__.pyk";
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (error && !says_missing(error)) return cannot_read(file, error);
  return std::filesystem::is_regular_file(status);
}

/// A path without links; empty where nothing is there.
Result<std::filesystem::path> real_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  if (!error) return real;
  if (says_missing(error)) return std::filesystem::path();
  return cannot_read(path, error);
}
Result<std::filesystem::path> real_folder(const std::filesystem::path& folder) {
  return real_path(folder.empty() ? "." : folder);
}

/// A text has a name in brackets in place of a file's, and no folder: it has the modules of the library alone.
bool is_text(std::string_view name) { return name.starts_with('<'); }

/// The folder where a program starts whose main file is `path`, and the package of that file.
struct Start {
  std::filesystem::path folder;
  std::string package;
  std::filesystem::path real;  // the folder without links
};
Result<Start> start_of(const std::string& path) {
  Start start{.folder = std::filesystem::path(path).parent_path()};
  for (;;) {
    ASSIGN_OR_RETURN(const bool is_in_package, is_package(start.folder));
    if (!is_in_package) break;
    // A relative path that ends here has no parent by its text.
    std::filesystem::path name = start.folder.filename();
    if (name.empty() || name == "." || name == "..") {
      ASSIGN_OR_RETURN(start.folder, real_folder(start.folder));
      name = start.folder.filename();
      if (name.empty()) break;
    }
    start.package = name.string() + (start.package.empty() ? "" : ".") + start.package;
    start.folder = start.folder.parent_path();
  }
  ASSIGN_OR_RETURN(start.real, real_folder(start.folder));
  return start;
}

/// A module by its file in that folder, or below it, also where links lead; null where there is none.
Result<std::shared_ptr<const SourceFile>> find_module(const Start& start, std::string_view name) {
  for (const std::string_view end : {".pyk", "/__init__.pyk"}) {
    const std::string path = module_path(name, end);
    if (path.empty() || start.real.empty()) continue;
    const std::filesystem::path file = start.folder / path;
    ASSIGN_OR_RETURN(const std::filesystem::path real, real_path(file));
    if (std::ranges::mismatch(start.real, real).in1 == start.real.end()) return read_source(file.string());
  }
  return std::shared_ptr<const SourceFile>();
}

}  // namespace

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

Imports imports_of(const std::string& path, const CompileOptions& options) {
  std::optional<Result<Start>> start;
  if (!options.import && !options.untrusted && !is_text(path)) start = start_of(path);
  const std::string package = start && *start ? (*start)->package : std::string();
  ImportResolver resolver = [start, options](std::string_view name) -> Result<std::shared_ptr<const SourceFile>> {
    std::optional<Error> failed;
    if (options.import) {
      const Result<Source> source = ask(options, name);
      if (source && source->name() != Source::kNoName) return source_file(*source);
      if (source) return std::make_shared<const SourceFile>(std::string(name) + ".pyk", source->text());
      if (source.error().code != ErrorCode::NotFound) failed = source.error();
    } else if (start) {
      if (!*start) return start->error();
      ASSIGN_OR_RETURN(std::shared_ptr<const SourceFile> source, find_module(**start, name));
      if (source) return source;
    }
    const std::string_view library = library_source(name);
    if (!library.empty())
      return std::make_shared<const SourceFile>("<" + std::string(name) + ">", std::string(library),
                                                SourceFile::built_in());
    if (failed) return *std::move(failed);
    return std::shared_ptr<const SourceFile>();
  };
  return {std::move(resolver), package};
}

}  // namespace pykc::driver

namespace pykc {

Result<Library> Library::read(const std::string& path) try {
  ASSIGN_OR_RETURN(std::string bytes, driver::read_named(path));
  return Library{path, std::move(bytes)};
} catch (...) {
  return error_in_flight();
}

std::string_view library_text(std::string_view module) { return library_source(module); }

}  // namespace pykc
