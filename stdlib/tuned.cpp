#include "stdlib/tuned.h"

namespace pykc {
namespace {

constexpr TunedRow kRows[] = {
#define TUNED(kernel, chip, elements, shape, configuration) {kernel, chip, elements, shape, configuration},
#include "stdlib/tuned.def"
};

}  // namespace

std::span<const TunedRow> tuned_rows() { return kRows; }

}  // namespace pykc
