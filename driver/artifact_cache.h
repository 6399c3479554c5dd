// Compiled kernels kept on disk, so that a program that has run before starts without compiling; and beside them what
// was measured (kept_choice.h).
//
// An entry is one file, named by a hash (BLAKE3) of all that it depends on: the program that compiles, every source
// with its name, the kernels asked for, the options and the target. So an entry is never out of date, only unused. The
// hash is its first line, so that one put in the place of another is not taken for it; an Artifact follows as
// serialize() writes it. Files appear whole (written beside, then renamed), so any number of processes share the
// folder; one that does not parse is removed and compiled again.
//
// The folder: PYKC_CACHE_DIR, else pykc in XDG_CACHE_HOME, else ~/.cache/pykc. PYKC_CACHE=off turns the cache off. Once
// a minute at most, a program that adds an entry removes those used longest ago beyond PYKC_CACHE_BYTES (256 MiB) or
// unused for 30 days.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/artifact.h"
#include "pykc/compiler.h"

namespace pykc::driver {

class ArtifactCache {
 public:
  /// An error where the cache is turned off, where the program or a folder for it cannot be found, and where others
  /// than this user may write the folder: what is found there is executed.
  static Result<ArtifactCache> open();

  /// What an artifact depends on, as the name of its entry.
  std::string key(const Program& program, const std::vector<KernelRequest>& requests, const CompileOptions& options,
                  const std::string& machine) const;
  std::optional<Artifact> find(const std::string& key) const;
  /// A cache that cannot be written is no error: the next program compiles again.
  void store(const std::string& key, const Artifact& artifact) const;
  /// Entries that are texts.
  std::optional<std::string> find_text(const std::string& key) const;
  void store_text(const std::string& key, const std::string& text) const;

  const std::string& folder() const { return folder_; }
  struct Statistics {
    std::int64_t entries = 0;
    std::int64_t bytes = 0;
  };
  Result<Statistics> statistics() const;
  /// Removes every entry, and nothing else that may be in the folder.
  Result<Statistics> clear() const;

 private:
  ArtifactCache(std::string folder, std::string compiler)
      : folder_(std::move(folder)), compiler_(std::move(compiler)) {}
  std::string path_of(const std::string& key) const;
  std::string folder_;
  std::string compiler_;  // tells one build of pykc from another
};

}  // namespace pykc::driver
