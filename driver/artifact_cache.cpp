#include "driver/artifact_cache.h"

#include <dlfcn.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Process.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>

#include "base/errors.h"
#include "base/files.h"
#include "driver/driver.h"

namespace pykc::driver {
namespace {

constexpr std::string_view kEntryPrefix = "llvmcache-";  // of earlier versions, too, whose entries go in time
constexpr std::string_view kPruned = "/llvmcache.timestamp";
constexpr std::int64_t kDefaultBytes = std::int64_t{256} << 20;
constexpr std::chrono::hours kUnusedFor{30 * 24};
constexpr std::chrono::minutes kBetweenPrunings{1};

std::string variable(const char* name) { return llvm::sys::Process::GetEnv(name).value_or(""); }

std::string find_folder() {
  if (std::string folder = variable("PYKC_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty()) return caches + "/pykc";
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : home + "/.cache/pykc";
}

Error no_cache(const std::string& why) { return Error{ErrorCode::NotFound, "the cache is off: " + why}; }

/// What is found there is executed, so nobody else may put anything there.
Result<void> check_folder(const std::string& folder) {
  llvm::sys::fs::file_status status;
  const std::error_code error = llvm::sys::fs::status(folder, status);
  if (error == std::errc::no_such_file_or_directory) return {};
  if (error) return no_cache("cannot look at the folder " + folder + ": " + error.message());
  using llvm::sys::fs::perms;
  if (status.getUser() == ::geteuid() && (status.permissions() & (perms::group_write | perms::others_write)) == 0)
    return {};
  return no_cache("others than this user may write to the folder " + folder);
}

std::int64_t most_bytes() {
  const std::string text = variable("PYKC_CACHE_BYTES");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size()) return kDefaultBytes;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::int64_t>::max()));
}

/// The program or library that this code is part of, by its file: compilers under development share a version.
Result<std::string> identify_compiler() {
  Dl_info found;
  if (dladdr(reinterpret_cast<const void*>(&identify_compiler), &found) == 0)
    return no_cache("the file that this code is part of cannot be found");
  // A program has the name that it was called by, from a folder that it may have left.
  const bool is_program = std::string_view(found.dli_fname) == program_invocation_name;
  llvm::sys::fs::file_status status;
  const char* const file = is_program ? "/proc/self/exe" : found.dli_fname;
  if (const std::error_code error = llvm::sys::fs::status(file, status))
    return no_cache("cannot look at " + std::string(file) + ": " + error.message());
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

struct Entry {
  std::string path;
  std::int64_t bytes;
  std::chrono::nanoseconds used;  // since 1970
};
/// Every entry; a folder that is not there has none.
Result<std::vector<Entry>> entries_of(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    const std::string path = file->path().string();
    if (!file->path().filename().string().starts_with(kEntryPrefix)) continue;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 && errno != ENOENT) {
      error.assign(errno, std::generic_category());
      break;
    }
    const auto used = std::chrono::seconds(status.st_atim.tv_sec) + std::chrono::nanoseconds(status.st_atim.tv_nsec);
    if (S_ISREG(status.st_mode)) entries.push_back({path, status.st_size, used});
  }
  if (!error || error == std::errc::no_such_file_or_directory) return entries;
  return Error{ErrorCode::InputOutput, "cannot read the folder " + folder + ": " + error.message()};
}

/// Whether nobody has looked after the folder for a while; a file's time says when somebody did.
bool is_to_be_pruned(const std::string& folder) {
  const std::string mark = folder + std::string(kPruned);
  std::error_code error;
  const auto last = std::filesystem::last_write_time(mark, error);
  if (!error && decltype(last)::clock::now() - last < kBetweenPrunings) return false;
  return write_file(mark, "").has_value();
}

/// Removes what nobody has used for long, then what was used longest ago until the rest has room.
void prune(const std::string& folder) {
  if (!is_to_be_pruned(folder)) return;
  Result<std::vector<Entry>> entries = entries_of(folder);
  if (!entries) return;
  std::ranges::sort(*entries, std::greater(), &Entry::used);
  const std::chrono::nanoseconds unused_since = std::chrono::system_clock::now().time_since_epoch() - kUnusedFor;
  const std::int64_t most = most_bytes();
  std::int64_t kept = 0;
  for (const Entry& entry : *entries) {
    kept += entry.bytes;
    if (kept > most || entry.used < unused_since) ::unlink(entry.path.c_str());
  }
}

}  // namespace

std::string digest(std::string_view text) {
  return llvm::toHex(llvm::BLAKE3::hash<8>(llvm::arrayRefFromStringRef(text)), true);
}

Result<ArtifactCache> ArtifactCache::open() {
  if (variable("PYKC_CACHE") == "off") return no_cache("PYKC_CACHE says so");
  std::string folder = find_folder();
  if (folder.empty()) return no_cache("neither PYKC_CACHE_DIR nor HOME is set");
  ASSIGN_OR_RETURN(std::string compiler, identify_compiler());
  RETURN_IF_FAILED(check_folder(folder));
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
  const Sanitize& sanitize = options.sanitize;
  for (const bool is_on : {sanitize.bounds, sanitize.races, sanitize.uninitialised, sanitize.divergence})
    hash.add(static_cast<std::uint64_t>(is_on));
  hash.add(options.costs_for);
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
  if (replace_file(path_of(key), key + '\n' + text)) prune(folder_);
}

Result<ArtifactCache::Statistics> ArtifactCache::statistics() const {
  ASSIGN_OR_RETURN(const std::vector<Entry> entries, entries_of(folder_));
  Statistics found;
  for (const Entry& entry : entries) {
    ++found.entries;
    found.bytes += entry.bytes;
  }
  return found;
}

Result<ArtifactCache::Statistics> ArtifactCache::clear() const {
  ASSIGN_OR_RETURN(const std::vector<Entry> entries, entries_of(folder_));
  Statistics removed;
  for (const Entry& entry : entries) {
    if (::unlink(entry.path.c_str()) != 0 && errno != ENOENT)
      return Error{ErrorCode::InputOutput, "cannot remove " + entry.path + ": " + std::strerror(errno)};
    ++removed.entries;
    removed.bytes += entry.bytes;
  }
  return removed;
}

}  // namespace pykc::driver
