// Kernels with barriers, split and unsplit: what they compute, and what becomes of them.
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

/// Begins most kernels: %t the thread, %b the block, %w its width, %x the thread's element of `in`, %o its of `out`.
const std::string kGridStart = R"(
  %t = builtin threadIdx.x : i64
  %b = builtin blockIdx.x : i64
  %w = builtin blockDim.x : i64
  %f = mul %b, %w
  %i = add %f, %t
  %p = element %in, %i
  %x = load %p : i64
  %o = element %out, %i
)";

const reference::Launch kLaunches[] = {
    {.grid = {3}, .block = {1}}, {.grid = {2}, .block = {31}}, {.grid = {2}, .block = {192}}};

void expect_same_for_all_launches(const std::string& text, std::int64_t n) {
  for (const reference::Launch& launch : kLaunches) expect_same(text, launch, n);
}

/// `s[t] = in[i]`, halves until one is left, `out[block] = s[0]`.
const std::string kReduction = R"(
  local $d: i64
  shared_array s: i64[256] align 16
)" + kGridStart + R"(
  %s = shared_array 0 : ptr<i64, shared>
  %own = element %s, %t
  store %own, %x
  %half = floordiv %w, i64 2
  store_local $d, %half
  loop L0 {
    %d = load_local $d : i64
    %more = gt %d, i64 0
    if %more {
    } else {
      break L0
    }
    builtin syncthreads
    %d1 = load_local $d : i64
    %low = lt %t, %d1
    if %low {
      %d2 = load_local $d : i64
      %other = add %t, %d2
      %q = element %s, %other
      %y = load %q : i64
      %z = load %own : i64
      %sum = add %z, %y
      store %own, %sum
    }
    %d3 = load_local $d : i64
    %next = floordiv %d3, i64 2
    store_local $d, %next
  }
  %first = eq %t, i64 0
  if %first {
    %all = load %s : i64
    %o0 = element %out, %b
    store %o0, %all
  }
  return
)";

TEST(SplitBarriers, ReductionIsAScalarLoopAroundOneRegion) {
  const auto out = expect_same(kernel_text(kReduction), {.grid = {3}, .block = {128}}, 0);
  EXPECT_EQ(out[0], 128 * 5 + 3 * 127 * 64);
  EXPECT_EQ(split_text(kernel_text(kReduction)),
            R"(kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64) {
  local $d: i64
  shared_array s: i64[256] align 16
  %0 = builtin blockIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = mul %0, %1
  %3 = shared_array 0 : ptr<i64, shared>
  %4 = floordiv %1, i64 2
  store_local $d, %4
  threads {
    %5 = builtin threadIdx.x : i64
    %6 = add %2, %5
    %7 = element %in, %6
    %8 = load %7 : i64
    %9 = element %3, %5
    store %9, %8
  }
  loop L0 {
    %10 = load_local $d : i64
    %11 = gt %10, i64 0
    if %11 {
    } else {
      break L0
    }
    %12 = load_local $d : i64
    %13 = load_local $d : i64
    %14 = load_local $d : i64
    %15 = floordiv %14, i64 2
    store_local $d, %15
    threads {
      %16 = builtin threadIdx.x : i64
      %17 = element %3, %16
      %18 = lt %16, %12
      if %18 {
        %19 = add %16, %13
        %20 = element %3, %19
        %21 = load %20 : i64
        %22 = load %17 : i64
        %23 = add %22, %21
        store %17, %23
      }
    }
  }
  threads {
    %24 = builtin threadIdx.x : i64
    %25 = eq %24, i64 0
    if %25 {
      %26 = load %3 : i64
      %27 = element %out, %0
      store %27, %26
    }
  }
}
)");
}

TEST(SplitBarriers, KernelWithoutMeetingIsOneRegion) {
  const std::string text = kernel_text(kGridStart + R"(
  %inside = lt %i, %n
  if %inside {
    store %o, %x
  }
  return
)");
  expect_same_for_all_launches(text, 40);
  EXPECT_EQ(count_of(split_text(text), "threads {"), 1);
  EXPECT_FALSE(contains(split_text(text), "slot"));
}

/// Each thread reads its neighbour's element; `guard` stands before the barrier.
std::string neighbour_kernel(const std::string& guard) {
  return kernel_text("  shared_array s: i64[256] align 16\n" + kGridStart + R"(
  %s = shared_array 0 : ptr<i64, shared>
  %own = element %s, %t
  store %own, %x
)" + guard + R"(
  builtin syncthreads
  %t1 = add %t, i64 1
  %u = mod %t1, %w
  %q = element %s, %u
  %y = load %q : i64
  store %o, %y
  return
)");
}

TEST(SplitBarriers, ThreadsThatHaveReturnedAreNotWaitedFor) {
  const std::string text = neighbour_kernel(R"(
  %outside = ge %i, %n
  if %outside {
    return
  }
)");
  for (const std::int64_t n : {0, 1, 40, 1000}) expect_same_for_all_launches(text, n);
  const std::string divided = split_text(text);
  EXPECT_EQ(count_of(divided, "threads {"), 2);
  EXPECT_EQ(count_of(divided, "any_slot"), 1);   // whether anybody is left
  EXPECT_EQ(count_of(divided, "slot bool"), 1);  // the mask of those alive
}

TEST(SplitBarriers, UniformReturnNeedsNoMask) {
  const std::string text = neighbour_kernel(R"(
  %outside = lt %n, i64 3
  if %outside {
    return
  }
)");
  for (const std::int64_t n : {0, 7}) expect_same_for_all_launches(text, n);
  EXPECT_FALSE(contains(split_text(text), "slot"));
}

TEST(SplitBarriers, ReturnBehindTheLastBarrierNeedsNoMask) {
  const std::string text = kernel_text(kGridStart + R"(
  builtin syncthreads
  %odd = and %x, i64 1
  %is_odd = eq %odd, i64 1
  if %is_odd {
    return
  }
  store %o, %x
  return
)");
  expect_same_for_all_launches(text, 0);
  EXPECT_FALSE(contains(split_text(text), "slot bool"));
}

TEST(SplitBarriers, BranchAroundTheRestIsAnEarlyReturn) {
  const std::string text = kernel_text("  local $d: i64\n  shared_array s: i64[256] align 16\n" + kGridStart + R"(
  %s = shared_array 0 : ptr<i64, shared>
  %inside = lt %i, %n
  if %inside {
    %own = element %s, %t
    store %own, %x
    store_local $d, i64 3
    loop L0 {
      %d = load_local $d : i64
      %done = eq %d, i64 0
      if %done {
        break L0
      }
      builtin syncthreads
      %dt = add %t, %d
      %u = mod %dt, %w
      %q = element %s, %u
      %y = load %q : i64
      store %o, %y
      %e = sub %d, i64 1
      store_local $d, %e
    }
  }
  return
)");
  // Full blocks or none: a neighbour that is out has no element.
  expect_same(text, {.grid = {3}, .block = {32}}, 64);
  const std::string divided = split_text(text);
  EXPECT_FALSE(contains(divided, "fault"));
  EXPECT_TRUE(contains(divided, "local $d"));    // the loop's counter is the block's
  EXPECT_EQ(count_of(divided, "slot bool"), 1);  // alive
}

TEST(SplitBarriers, LoopThatOnlyReturnsLeaveEnds) {
  const std::string text = kernel_text("  local $k: i64\n" + kGridStart + R"(
  store_local $k, i64 0
  loop L0 {
    %k = load_local $k : i64
    %turns = mod %x, i64 7
    %done = ge %k, %turns
    if %done {
      return
    }
    builtin syncthreads
    store %o, %k
    %next = add %k, i64 1
    store_local $k, %next
  }
)");
  expect_same_for_all_launches(text, 0);
}

/// A barrier in a branch that threads take for `condition`, with more to do behind it.
std::string branch_kernel(const std::string& condition) {
  return kernel_text("  shared_array s: i64[256] align 16\n" + kGridStart + condition + R"(
  %s = shared_array 0 : ptr<i64, shared>
  %own = element %s, %t
  if %c {
    store %own, %x
    builtin syncthreads
    %t1 = add %t, i64 1
    %u = mod %t1, %w
    %q = element %s, %u
    %y = load %q : i64
    store %o, %y
  }
  builtin syncthreads
  %old = load %o : i64
  %new = add %old, i64 1000
  store %o, %new
  return
)");
}

TEST(SplitBarriers, BranchThatIsUniformIsTheBlocks) {
  const std::string text = branch_kernel("  %c = gt %n, i64 3\n");
  for (const std::int64_t n : {3, 4}) expect_same_for_all_launches(text, n);
  EXPECT_FALSE(contains(split_text(text), "any_slot"));
}

TEST(SplitBarriers, BranchThatAllTakeThoughItCannotBeSeen) {
  const std::string text = branch_kernel("  %v = load %in : i64\n  %c = gt %v, %n\n");  // in[0] is 5
  for (const std::int64_t n : {4, 5}) expect_same_for_all_launches(text, n);
}

TEST(SplitBarriers, BarrierThatSomeDoNotReachIsAFault) {
  const auto module = read(branch_kernel("  %c = ne %t, i64 20\n"));
  const reference::Launch launch{.grid = {2}, .block = {40}};
  EXPECT_FALSE(run(*module, launch, 0).outcome.error.empty());
  module->source = std::make_shared<SourceFile>("k.pyk", "def k():\n    syncthreads()\n");
  for (const auto& function : module->functions)
    for (Instruction& instruction : function->instructions) instruction.range = {13, 26};
  split(*module);
  const reference::Outcome outcome = run(*module, launch, 0).outcome;
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->thread, (Dim3{20, 0, 0}));
  const FaultSite& site = module->faults.at(static_cast<std::size_t>(outcome.fault->site));
  EXPECT_EQ(site, (FaultSite{"syncthreads() is reached by only some of the threads of a block", "k.pyk", 2, 5}));
}

TEST(SplitBarriers, LoopsWithTheSameTurnsThoughItCannotBeSeen) {
  const std::string text =
      kernel_text("  local $k: i64\n  local $sum: i64\n  shared_array s: i64[256] align 16\n" + kGridStart + R"(
  %s = shared_array 0 : ptr<i64, shared>
  %own = element %s, %t
  %m = load %in : i64
  store_local $k, i64 0
  store_local $sum, %x
  loop L0 {
    %k = load_local $k : i64
    %more = lt %k, %m
    if %more {
    } else {
      break L0
    }
    %sum = load_local $sum : i64
    store %own, %sum
    builtin syncthreads
    %tk = add %t, %k
    %u = mod %tk, %w
    %q = element %s, %u
    %y = load %q : i64
    %odd = and %y, i64 1
    %is_odd = eq %odd, i64 1
    builtin syncthreads
    if %is_odd {
      continue L0
    }
    %sum1 = load_local $sum : i64
    %sum2 = add %sum1, %y
    store_local $sum, %sum2
  } continuing {
    %k1 = load_local $k : i64
    %k2 = add %k1, i64 1
    store_local $k, %k2
  }
  %all = load_local $sum : i64
  store %o, %all
  return
)");
  expect_same_for_all_launches(text, 0);
}

TEST(SplitBarriers, LoopsThatThreadsLeaveAtDifferentTimesAreFaults) {
  const auto module = read(kernel_text("  local $k: i64\n" + kGridStart + R"(
  store_local $k, i64 0
  loop L0 {
    %k = load_local $k : i64
    %done = gt %k, %t
    if %done {
      break L0
    }
    builtin syncthreads
    %k2 = add %k, i64 1
    store_local $k, %k2
  }
  builtin syncthreads
  store %o, %x
  return
)"));
  const reference::Launch launch{.block = {3}};
  split(*module);
  const reference::Outcome outcome = run(*module, launch, 0).outcome;
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->thread, (Dim3{0, 0, 0}));
}

TEST(SplitBarriers, FaultInFrontOfABarrierIsTheSame) {
  const std::string text = "fault \"odd\" \"k.pyk\" 1 1\n" + neighbour_kernel(R"(
  %bad = eq %t, %n
  if %bad {
    fault 0 %x
  }
)");
  const auto module = read(text);
  const reference::Launch launch{.grid = {2}, .block = {40}};
  const RunResult before = run(*module, launch, 33);
  split(*module);
  const RunResult after = run(*module, launch, 33);
  ASSERT_TRUE(before.outcome.fault && after.outcome.fault);
  EXPECT_EQ(before.outcome.fault->thread, after.outcome.fault->thread);
  EXPECT_EQ(before.outcome.fault->values, after.outcome.fault->values);
  EXPECT_TRUE(run(*module, launch, 100).outcome.is_clean());
  const std::string divided = print_function(*module->find("k"));
  EXPECT_EQ(count_of(divided, "any_fault"), 1);  // ends the block behind the region
  EXPECT_FALSE(contains(divided, "slot"));
}

TEST(SplitBarriers, BlocksOfTwoDimensions) {
  const std::string text = kernel_text(R"(
  shared_array s: i64[272] align 16
  %s = shared_array 0 : ptr<i64, shared>
  %x = builtin threadIdx.x : i64
  %y = builtin threadIdx.y : i64
  %w = builtin blockDim.x : i64
  %yw = mul %y, i64 17
  %j = add %yw, %x
  %q = element %s, %j
  %row = mul %y, %w
  %i = add %row, %x
  %p = element %in, %i
  %v = load %p : i64
  store %q, %v
  builtin syncthreads
  %xw = mul %x, i64 17
  %k = add %xw, %y
  %r = element %s, %k
  %z = load %r : i64
  %o = element %out, %i
  store %o, %z
  return
)");
  const auto out = expect_same(text, {.block = {16, 16}}, 0);
  EXPECT_EQ(out[1], 5 + 3 * 16);
  EXPECT_FALSE(contains(split_text(text), "slot"));  // addresses are computed again
}

}  // namespace
}  // namespace pykc::ir
