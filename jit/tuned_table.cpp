#include "jit/tuned_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "stdlib/library.h"

namespace pykc::jit {
namespace {

std::int64_t count_of(const ArraySize& array) {
  std::int64_t count = 1;
  for (const std::int64_t extent : array.extents) count *= extent;
  return count;
}

double distance(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const auto logarithm = [](std::int64_t extent) { return std::log2(std::max(1.0, static_cast<double>(extent))); };
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(logarithm(a[i]) - logarithm(b[i]));
  return sum;
}

}  // namespace

std::string library_kernel(const Program& program, const ast::Module& module, const std::string& kernel) {
  for (const Program::Imported& imported : program.imports)
    if (imported.module.get() == &module && library_source(imported.name) == module.file->text())
      return imported.name + "." + kernel;
  return {};
}

TunedLaunch::TunedLaunch(std::string kernel_name, std::string chip_name, std::span<const ArraySize> arrays)
    : kernel(std::move(kernel_name)), chip(std::move(chip_name)) {
  std::vector<std::int64_t> sizes;
  for (const ArraySize& array : arrays)
    if (std::ranges::find(sizes, array.element_bytes) == sizes.end()) sizes.push_back(array.element_bytes);
  elements = list_text(sizes);
  const auto largest = std::ranges::max_element(arrays, {}, count_of);
  if (largest != arrays.end()) shape = largest->extents;
}

const TunedRow* TunedLaunch::find_in(std::span<const TunedRow> rows) const {
  const TunedRow* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const TunedRow& row : rows) {
    if (row.kernel != kernel || row.chip != chip || row.elements != elements) continue;
    const double far = distance(extents_of_row(row), shape);
    if (far < least) nearest = &row;
    least = std::min(far, least);
  }
  return nearest;
}

std::string TunedLaunch::row(const std::string& configuration) const {
  const std::string extents = list_text(shape, {}, "x");
  return "TUNED(\"" + kernel + "\", \"" + chip + "\", \"" + elements + "\", \"" + extents + "\", \"" + configuration +
         "\")";
}

std::vector<std::int64_t> extents_of_row(const TunedRow& row) {
  std::vector<std::int64_t> extents;
  for_each_part(row.shape, 'x', [&](std::string_view part) {
    std::int64_t extent = 0;
    std::from_chars(part.data(), part.data() + part.size(), extent);
    extents.push_back(extent);
  });
  return extents;
}

}  // namespace pykc::jit
