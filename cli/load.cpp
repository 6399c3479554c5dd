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
    if (!std::filesystem::is_directory(path, error)) {
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
  Program program =
      load_program(file, driver::import_resolver(path, options), diagnostics, driver::package_of_file(path, options));
  if (!diagnostics.has_errors()) return program;
  return Error{ErrorCode::InvalidSource, path + " has errors", diagnostics.take()};
}

std::vector<Diagnostic> check_file(const std::shared_ptr<const SourceFile>& file, const CompileOptions& options) {
  std::vector<Diagnostic> found = driver::check_source(file, options);
  Diagnostics told;  // by the line above
  const Program program = load_program(file, driver::import_resolver(file->name(), options), told,
                                       driver::package_of_file(file->name(), options));
  if (told.has_errors()) return found;
  std::ranges::move(script::check_host(program), std::back_inserter(found));
  return found;
}

}  // namespace pykc::cli
