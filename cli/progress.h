// A bar on stderr that shows how far a command is; nothing where stderr is no terminal.
#pragma once

#include <string_view>

namespace pykc::cli {

class ProgressBar {
 public:
  explicit ProgressBar(int steps);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Begins the next step.
  void begin(std::string_view what);
  /// Takes the bar from the screen, for what is printed to stay.
  void clear();

 private:
  const int steps_;
  const bool is_shown_;
  int step_ = -1;
};

}  // namespace pykc::cli
