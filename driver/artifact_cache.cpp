#include "driver/artifact_cache.h"

#include <dlfcn.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>

#include "base/files.h"

namespace pykc::driver {
namespace {

constexpr std::string_view kEntryPrefix = "llvmcache-";  // what llvm::pruneCache takes for an entry
constexpr std::uint64_t kDefaultBytes = std::uint64_t{256} << 20;
constexpr std::chrono::hours kUnusedFor{30 * 24};
constexpr std::chrono::minutes kBetweenPrunings{1};

std::string variable(const char* name) { return llvm::sys::Process::GetEnv(name).value_or(""); }

std::string find_folder() {
  if (std::string folder = variable("PYKC_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty()) return caches + "/pykc";
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : home + "/.cache/pykc";
}

/// What is found there is executed, so nobody else may put anything there.
bool may_be_changed_by_others(const std::string& folder) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(folder, status)) return false;  // there is none yet
  using llvm::sys::fs::perms;
  return status.getUser() != ::geteuid() || (status.permissions() & (perms::group_write | perms::others_write)) != 0;
}

std::uint64_t most_bytes() {
  const std::string text = variable("PYKC_CACHE_BYTES");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? bytes : kDefaultBytes;
}

/// The program or library that this code is part of, by its file: compilers under development share a version.
std::string identify_compiler() {
  Dl_info found;
  if (dladdr(reinterpret_cast<const void*>(&identify_compiler), &found) == 0) return {};
  const std::string file = found.dli_fname;
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(file.find('/') == std::string::npos ? "/proc/self/exe" : file, status)) return {};
  const std::chrono::nanoseconds changed = status.getLastModificationTime().time_since_epoch();
  return version() + ' ' + std::to_string(status.getSize()) + ' ' + std::to_string(changed.count());
}

/// A hash of texts and numbers that keeps each apart from the next.
class Hash {
 public:
  void add(std::string_view text) {
    add(text.size());
    hasher_.update(llvm::StringRef(text));
  }
  void add(std::uint64_t number) {
    hasher_.update(llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(&number), sizeof(number)));
  }
  void add(const SourceFile& file) {
    add(file.name());
    add(file.text());
    add(static_cast<std::uint64_t>(file.origin().line));  // places are in messages of kernels
    add(file.origin().indentation);
  }
  void add(const ArgumentType& argument) {
    add(argument.constant.index());
    add(constant_text(argument.constant));
    add(Artifact{.kernels = {KernelInfo{.parameters = {argument.parameter}}}}.serialize());
    add(argument.is_tuple ? argument.elements.size() + 1 : 0);
    for (const ArgumentType& element : argument.elements) add(element);
    for (const std::string& name : argument.names) add(name);
  }
  std::string finish() { return llvm::toHex(hasher_.final(), true); }

 private:
  llvm::BLAKE3 hasher_;
};

/// Puts the file there whole or not at all.
bool write_whole(const std::string& path, std::string_view bytes) {
  int descriptor = 0;
  llvm::SmallString<128> unfinished;
  if (llvm::sys::fs::createUniqueFile(path + ".%%%%%%%%", descriptor, unfinished)) return false;
  llvm::raw_fd_ostream out(descriptor, true);
  out << llvm::StringRef(bytes);
  out.close();
  const bool is_written = !out.has_error() && !llvm::sys::fs::rename(unfinished, path);
  out.clear_error();  // which would end the program
  if (!is_written) llvm::sys::fs::remove(unfinished);
  return is_written;
}

bool is_entry(const std::filesystem::directory_entry& file) {
  std::error_code error;
  return file.path().filename().string().starts_with(kEntryPrefix) && file.is_regular_file(error);
}

/// Calls `visit` with every entry; a folder that is not there has none.
template <typename Visit>
void for_each_entry(const std::string& folder, Visit visit) {
  std::error_code error;
  std::filesystem::directory_iterator file(folder, error);
  for (; !error && file != std::filesystem::directory_iterator(); file.increment(error))
    if (is_entry(*file)) visit(*file);
}

}  // namespace

std::optional<ArtifactCache> ArtifactCache::open() {
  if (variable("PYKC_CACHE") == "off") return std::nullopt;
  std::string folder = find_folder();
  std::string compiler = identify_compiler();
  if (folder.empty() || compiler.empty() || may_be_changed_by_others(folder)) return std::nullopt;
  return ArtifactCache(std::move(folder), std::move(compiler));
}

std::string ArtifactCache::key(const Program& program, const std::vector<KernelRequest>& requests,
                               const CompileOptions& options, const std::string& machine) const {
  Hash hash;
  hash.add(compiler_);
  hash.add(machine);
  hash.add(*program.main->file);
  hash.add(program.imports.size());
  for (const Program::Imported& imported : program.imports) {
    hash.add(imported.name);
    hash.add(*imported.module->file);
  }
  hash.add(requests.size());
  for (const KernelRequest& request : requests) {
    hash.add(request.module);
    hash.add(request.kernel);
    hash.add(static_cast<std::uint64_t>(request.use_annotations));
    hash.add(request.arguments.size());
    for (const ArgumentType& argument : request.arguments) hash.add(argument);
  }
  for (const int option : {options.optimization, int{options.fast_math}, int{options.asserts}, int{options.checked},
                           int{options.contract}, int{options.line_info}, int{options.warnings}})
    hash.add(static_cast<std::uint64_t>(option));
  for (const std::string& code : options.silenced_warnings) hash.add(code);
  for (const Library& library : options.libraries) hash.add(library.bytes);
  return hash.finish();
}

std::string ArtifactCache::path_of(const std::string& key) const {
  return folder_ + '/' + std::string(kEntryPrefix) + key;
}

std::optional<Artifact> ArtifactCache::find(const std::string& key) const {
  const std::optional<std::string> bytes = find_text(key);
  if (!bytes) return std::nullopt;
  Result<Artifact> artifact = Artifact::parse(*bytes);
  if (artifact) return std::move(*artifact);
  std::error_code error;
  std::filesystem::remove(path_of(key), error);
  return std::nullopt;
}

void ArtifactCache::store(const std::string& key, const Artifact& artifact) const {
  store_text(key, artifact.serialize());
}

std::optional<std::string> ArtifactCache::find_text(const std::string& key) const {
  const Result<std::string> bytes = read_file(path_of(key));
  if (!bytes || !bytes->starts_with(key + '\n')) return std::nullopt;
  return bytes->substr(key.size() + 1);
}

void ArtifactCache::store_text(const std::string& key, const std::string& text) const {
  std::error_code error;
  if (std::filesystem::create_directories(folder_, error))
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, error);
  if (!write_whole(path_of(key), key + '\n' + text)) return;
  llvm::CachePruningPolicy policy;
  policy.Interval = kBetweenPrunings;
  policy.Expiration = kUnusedFor;
  policy.MaxSizeBytes = most_bytes();
  llvm::pruneCache(folder_, policy);
}

ArtifactCache::Statistics ArtifactCache::statistics() const {
  Statistics found;
  for_each_entry(folder_, [&](const std::filesystem::directory_entry& file) {
    std::error_code error;
    const std::uintmax_t bytes = file.file_size(error);
    if (error) return;  // another process has removed it
    ++found.entries;
    found.bytes += static_cast<std::int64_t>(bytes);
  });
  return found;
}

Result<ArtifactCache::Statistics> ArtifactCache::clear() const {
  const Statistics found = statistics();
  std::error_code failed;
  for_each_entry(folder_, [&](const std::filesystem::directory_entry& file) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) failed = error;
  });
  if (failed) return Error{ErrorCode::InputOutput, "cannot remove all entries of " + folder_ + ": " + failed.message()};
  return found;
}

}  // namespace pykc::driver
