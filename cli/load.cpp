#include "cli/load.h"

#include <algorithm>
#include <filesystem>

#include "base/errors.h"
#include "driver/driver.h"
#include "script/check_host.h"

namespace pykc::cli {

Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::status_known(status))
      return Error{ErrorCode::InputOutput, "cannot read " + path + ": " + error.message()};
    if (!std::filesystem::is_directory(status)) {
      files.push_back(path);
      continue;
    }
    const std::size_t first = files.size();
    for (std::filesystem::recursive_directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".pyk") files.push_back(entry->path().string());
    if (error) return Error{ErrorCode::InputOutput, "cannot read the folder " + path + ": " + error.message()};
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

Result<Program> load(const std::string& path, const CompileOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<const SourceFile> file, driver::read_source(path));
  Diagnostics diagnostics;
  const driver::Imports imports = driver::imports_of(path, options);
  Program program = load_program(file, imports.resolver, diagnostics, imports.package);
  if (!diagnostics.has_errors()) return program;
  return Error{ErrorCode::InvalidSource, path + " has errors", diagnostics.take()};
}

std::vector<Diagnostic> check_file(const std::shared_ptr<const SourceFile>& file, const CompileOptions& options) {
  std::vector<Diagnostic> found = driver::check_source(file, options);
  Diagnostics told;  // by the line above
  const driver::Imports imports = driver::imports_of(file->name(), options);
  const Program program = load_program(file, imports.resolver, told, imports.package);
  if (told.has_errors()) return found;
  std::ranges::move(script::check_host(program), std::back_inserter(found));
  return found;
}

}  // namespace pykc::cli
