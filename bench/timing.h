// What the programs of this folder share: medians, and two kinds of launches timed in turn.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "pykc/runtime.h"

namespace pykc::bench {

inline double median(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

constexpr int kBatches = 101;

/// Microseconds that a launch takes the host, of so many timed as one.
template <typename Launch>
double microseconds(const Device& device, int batch, Launch launch) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < batch; ++i) launch();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  device.synchronize().value();
  return time.count() / batch;
}

/// Medians in microseconds.
struct InTurn {
  double ours = 0, other = 0;
};

/// Times a batch of ours, a batch of the other's, and so on; prints the medians and that of the differences.
template <typename Ours, typename Other>
InTurn in_turn(const Device& device, int batch, const std::string& what, const char* our_name, Ours our_launch,
               const char* other_name, Other other_launch) {
  std::vector<double> ours, other, differences;
  for (int i = 0; i < kBatches; ++i) {
    ours.push_back(microseconds(device, batch, our_launch));
    other.push_back(microseconds(device, batch, other_launch));
    differences.push_back(ours.back() - other.back());
  }
  const InTurn medians{median(ours), median(other)};
  const auto [least, most] = std::ranges::minmax(differences);
  std::printf("%s: %s %.3f us, %s %.3f us, difference %.3f us (min %.3f, max %.3f)\n", what.c_str(), our_name,
              medians.ours, other_name, medians.other, median(differences), least, most);
  return medians;
}

}  // namespace pykc::bench
