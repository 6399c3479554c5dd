// pykc cache stat|clear: the compiled kernels that are kept on disk.
#include <cstdio>

#include "cli/command.h"
#include "cli/output.h"
#include "driver/artifact_cache.h"

namespace pykc::cli {
namespace {

using driver::ArtifactCache;

void print_entries(const char* what, const ArtifactCache::Statistics& entries, const ArtifactCache& cache) {
  std::printf("%s%lld entries, %.1f MiB in %s\n", what, static_cast<long long>(entries.entries),
              static_cast<double>(entries.bytes) / (1 << 20), cache.folder().c_str());
}

int with_cache(int (*run)(const ArtifactCache& cache)) {
  const Result<ArtifactCache> cache = ArtifactCache::open();
  return cache ? run(*cache) : report(cache.error());
}

int print_statistics(const ArtifactCache& cache) {
  const Result<ArtifactCache::Statistics> found = cache.statistics();
  if (!found) return report(found.error());
  print_entries("", *found, cache);
  return kSuccess;
}

int clear(const ArtifactCache& cache) {
  const Result<ArtifactCache::Statistics> removed = cache.clear();
  if (!removed) return report(removed.error());
  print_entries("removed ", *removed, cache);
  return kSuccess;
}

}  // namespace

void add_cache(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("cache", "Show or clear the compiled kernels and measured choices that are kept on disk");
  command->require_subcommand(1);
  command->add_subcommand("stat", "Show how many there are, how large and where")->callback([&exit_code] {
    exit_code = with_cache(print_statistics);
  });
  command->add_subcommand("clear", "Remove them all")->callback([&exit_code] { exit_code = with_cache(clear); });
}

}  // namespace pykc::cli
