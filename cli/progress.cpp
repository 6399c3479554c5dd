#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace pykc::cli {

ProgressBar::ProgressBar(int steps) : steps_(steps), is_shown_(isatty(STDERR_FILENO) != 0) {}

void ProgressBar::begin(std::string_view what) {
  ++step_;
  if (!is_shown_) return;
  constexpr int kWidth = 30;
  const int filled = std::min(kWidth, kWidth * step_ / std::max(1, steps_));
  const std::string bar =
      std::string(static_cast<std::size_t>(filled), '#') + std::string(static_cast<std::size_t>(kWidth - filled), '.');
  // To the start of the line; behind the text, nothing of the last one.
  std::fprintf(stderr, "\r[%s] %d/%d %.*s\x1b[K", bar.c_str(), step_ + 1, steps_, static_cast<int>(what.size()),
               what.data());
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!is_shown_ || step_ < 0) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace pykc::cli
