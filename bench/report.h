// What a program of this folder measured, as a file that peers/run.py takes into its table: a JSON list of works, each
// with the bytes that must move (0 where time alone counts) and the seconds that systems took, by name.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace pykc::bench {

struct Row {
  std::string work;
  double bytes = 0;
  std::vector<std::pair<std::string, double>> seconds;  // of each system
};

/// False where the file cannot be written.
inline bool write_report(const char* path, const std::vector<Row>& rows) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return false;
  const char* separator = "[";
  for (const Row& row : rows) {
    std::fprintf(file, "%s\n {\"work\": \"%s\", \"bytes\": %.0f, \"seconds\": {", separator, row.work.c_str(),
                 row.bytes);
    for (std::size_t i = 0; i < row.seconds.size(); ++i)
      std::fprintf(file, "%s\"%s\": %.9g", i > 0 ? ", " : "", row.seconds[i].first.c_str(), row.seconds[i].second);
    std::fprintf(file, "}}");
    separator = ",";
  }
  std::fprintf(file, "%s\n]\n", rows.empty() ? "[" : "");
  return std::fclose(file) == 0;
}

}  // namespace pykc::bench
