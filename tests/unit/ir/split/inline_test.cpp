#include "ir/passes/passes.h"
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

std::string inlined(const std::string& text) {
  const auto module = read(text);
  inline_calls(*module);
  return print_module(*module);
}

TEST(InlineCalls, FunctionThatReturnsAtItsEndIsSpliced) {
  const std::string text = R"(
device @place() -> i64, i64 {
  %t = builtin threadIdx.x : i64
  %b = builtin blockIdx.x : i64
  return %t, %b
}
kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64) {
  %place = call @place
  %t1 = extract 0 %place : i64
  %b1 = extract 1 %place : i64
  %w = builtin blockDim.x : i64
  %f = mul %b1, %w
  %i = add %f, %t1
  %o = element %out, %i
  store %o, %t1
  return
}
)";
  EXPECT_EQ(inlined(text), R"(module ""

kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64) {
  %0 = builtin threadIdx.x : i64
  %1 = builtin blockIdx.x : i64
  %2 = builtin blockDim.x : i64
  %3 = mul %1, %2
  %4 = add %3, %0
  %5 = element %out, %4
  store %5, %0
  return
}
)");
  expect_same(text, kLaunch, 0);
}

// A function with a barrier and several returns, called twice through another, which has shared memory.
const std::string kNested = R"(
device @step(%v: i64, %s: ptr<i64, shared>) -> i64 {
  %t = builtin threadIdx.x : i64
  %q = element %s, %t
  builtin syncthreads
  store %q, %v
  builtin syncthreads
  %w = builtin blockDim.x : i64
  %t1 = add %t, i64 1
  %u = mod %t1, %w
  %r = element %s, %u
  %y = load %r : i64
  %odd = and %y, i64 1
  %is_odd = eq %odd, i64 1
  if %is_odd {
    return %y
  }
  %z = add %y, i64 100
  return %z
}
device @twice(%v1: i64) -> i64 {
  shared_array s: i64[256] align 16
  %s1 = shared_array 0 : ptr<i64, shared>
  %c1 = call @step %v1, %s1
  %r1 = extract 0 %c1 : i64
  %c2 = call @step %r1, %s1
  %r2 = extract 0 %c2 : i64
  return %r2
}
kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64) {
  %kt = builtin threadIdx.x : i64
  %c3 = call @twice %kt
  %r3 = extract 0 %c3 : i64
  %c4 = call @twice %r3
  %r4 = extract 0 %c4 : i64
  %b = builtin blockIdx.x : i64
  %kw = builtin blockDim.x : i64
  %f = mul %b, %kw
  %i = add %f, %kt
  %o = element %out, %i
  store %o, %r4
  return
}
)";

TEST(InlineCalls, FunctionsWithBarriersAndSharedMemory) {
  expect_same(kNested, kLaunch, 0);
  const std::string text = inlined(kNested);
  EXPECT_FALSE(contains(text, "call"));
  EXPECT_FALSE(contains(text, "device"));
  EXPECT_EQ(count_of(text, "shared_array s"), 1);  // all calls share it
  EXPECT_EQ(count_of(text, "scope"), 4);
}

TEST(InlineCalls, FunctionOfItsArgumentsStaysACall) {
  const std::string text = R"(
device @half(%a: i64) -> i64 {
  %h = floordiv %a, i64 2
  return %h
}
kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64) {
  local $d: i64
  %t = builtin threadIdx.x : i64
  %o = element %out, %t
  store_local $d, %n
  loop L0 {
    %d = load_local $d : i64
    %done = eq %d, i64 0
    if %done {
      break L0
    }
    builtin syncthreads
    store %o, %d
    %c = call @half %d
    %e = extract 0 %c : i64
    store_local $d, %e
  }
  return
}
)";
  expect_same(text, {.block = {40}}, 9);
  const std::string divided = split_text(text);
  EXPECT_TRUE(contains(divided, "call @half"));
  EXPECT_FALSE(contains(divided, "slot"));  // the same for all threads: the loop is the block's
}

TEST(InlineCalls, RecursionStays) {
  const std::string text = inlined(R"(
device @down(%a: i64) -> i64 {
  %t = builtin threadIdx.x : i64
  %done = le %a, %t
  if %done {
    return %a
  }
  %b = sub %a, i64 1
  %c = call @down %b
  %r = extract 0 %c : i64
  return %r
}
)");
  EXPECT_TRUE(contains(text, "call @down"));
}

}  // namespace
}  // namespace pykc::ir
