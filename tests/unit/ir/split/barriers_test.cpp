// Kernels with barriers, split and unsplit.
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

// A block reduction: s[t] = in[i], then halves until one is left.
const char* const kReduction = R"(
  local $d: i64
  shared_array s: i64[256] align 16
  %0 = builtin threadIdx.x : i64
  %1 = builtin blockIdx.x : i64
  %2 = builtin blockDim.x : i64
  %3 = mul %1, %2
  %4 = add %3, %0
  %5 = element %in, %4
  %6 = load %5 : i64
  %7 = shared_array 0 : ptr<i64, shared>
  %8 = element %7, %0
  store %8, %6
  %9 = floordiv %2, i64 2
  store_local $d, %9
  loop L0 {
    %10 = load_local $d : i64
    %11 = gt %10, i64 0
    if %11 {
    } else {
      break L0
    }
    builtin syncthreads
    %12 = load_local $d : i64
    %13 = lt %0, %12
    if %13 {
      %14 = load_local $d : i64
      %15 = add %0, %14
      %16 = element %7, %15
      %17 = load %16 : i64
      %18 = element %7, %0
      %19 = load %18 : i64
      %20 = add %19, %17
      store %18, %20
    }
    %21 = load_local $d : i64
    %22 = floordiv %21, i64 2
    store_local $d, %22
  }
  %23 = eq %0, i64 0
  if %23 {
    %24 = element %7, i64 0
    %25 = load %24 : i64
    %26 = element %out, %1
    store %26, %25
  }
  return
)";

TEST(SplitBarriers, ReductionIsAScalarLoopAroundOneRegion) {
  const auto out = expect_same(kernel_text(kReduction), {.grid = {3}, .block = {128}}, 0);
  EXPECT_EQ(out[0], 128 * 5 + 3 * 127 * 64);
  EXPECT_EQ(split_text(kernel_text(kReduction)), "");
}

}  // namespace
}  // namespace pykc::ir
