// Loops whose turns the threads of a block take together.
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

/// for i in range(first, n % 1000, step): sum += i
std::string stride(const std::string& step, const std::string& behind_head, const std::string& behind_loop) {
  return kernel_text(
      "  local $i: i64 from 0 to 100000\n  local $sum: i64\n"
      R"(
  %t = builtin threadIdx.x : i64
  %b = builtin blockIdx.x : i64
  %w = builtin blockDim.x : i64
  %g = builtin gridDim.x : i64
  %f = mul %b, %w
  %first = add %f, %t
  %all = mul %w, %g
  %far = add i64 32, i64 32
  %o = element %out, %first
  %short = mod %n, i64 1000
  store_local $sum, i64 0
  store_local $i, %first
  loop L0 {
    %i = load_local $i : i64
    %c = lt %i, %short
    %d = not %c
    if %d {
      break L0
    }
)" + behind_head +
      R"(
    %s0 = load_local $sum : i64
    %s1 = add %s0, %i
    store_local $sum, %s1
  } continuing {
    %j = load_local $i : i64
    %k = add no_wrap %j, )" +
      step + R"(
    store_local $i, %k
  }
)" + behind_loop +
      R"(
  %s = load_local $sum : i64
  store %o, %s
  return
)");
}

TEST(SplitLockstep, StrideOfTheGridIsALoopOfTheBlock) {
  const std::string text = stride("%all", "", "");
  for (const std::int64_t n : {0, 1, 39, 40, 41, 79, 80, 500, 999})
    for (const std::uint32_t threads : {1U, 7U, 40U}) expect_same(text, {.grid = {2}, .block = {threads}}, n);
  const std::string divided = split_text(text);
  // A block of few threads has the loop as it was in one region; for others it stands outside of the regions.
  EXPECT_EQ(count_of(divided, "loop L"), 2);
  EXPECT_TRUE(contains(divided, "    store_local $shift, i64 0\n    loop L1 {"));
  EXPECT_EQ(count_of(divided, "slot i64"), 1);  // the sum; the counter needs none
  EXPECT_FALSE(contains(divided, "slot bool"));
}

TEST(SplitLockstep, StridesOfTheGridAskForTheNextTurn) {
  const std::string read = "%p = element %in, %i\n%q = load %p : i64\nstore %o, %q\n";
  const auto prefetches = [&](const std::string& step, const std::string& body) {
    const std::string text = stride(step, body, "");
    for (const std::int64_t n : {0, 39, 79}) expect_same(text, {.grid = {2}, .block = {40}}, n);
    return count_of(split_text(text), "prefetch 1 ");
  };
  EXPECT_EQ(prefetches("%all", read), 4);
  EXPECT_EQ(prefetches("%all", read + "%u = element %in, %i\n%v = load %u : i64\nstore %o, %v\n"), 4);
  EXPECT_EQ(prefetches("%all", ""), 0);
  EXPECT_EQ(prefetches("%all", "%x = mul %i, i64 2\n%p = element %in, %x\n%q = load %p : i64\nstore %o, %q\n"), 0);
  EXPECT_EQ(prefetches("%w", read), 0);  // the next turn's row is beside this one's
  // They are asked for once a block.
  EXPECT_TRUE(contains(split_text(stride("%all", read, "")), "      prefetch 1 %"));
}

TEST(SplitLockstep, UniformLoopsInStridesAreTakenInTurn) {
  const std::string sum = "local $sum: i64\n";
  std::string text = stride("%all", R"(
    store_local $j, i64 0
    loop L2 {
      %p = load_local $j : i64
      %q = lt %p, %g
      %r = not %q
      if %r {
        break L2
      }
      %m = mul %p, i64 3
      %u = add %m, %t
      %v = element %in, %u
      %x = load %v : i64
      %y = load_local $sum : i64
      %z = add %x, %y
      store_local $sum, %z
    } continuing {
      %p1 = load_local $j : i64
      %p2 = add no_wrap %p1, %one
      store_local $j, %p2
    }
)",
                            "");
  text.insert(text.find(sum), "local $j: i64 from 0 to 100000\n");
  text.insert(text.find("  %o = element"), "  %one = add i64 0, i64 1\n");
  for (const std::int64_t n : {0, 39, 80, 81, 500})
    for (const std::uint32_t threads : {1U, 7U, 40U}) expect_same(text, {.grid = {2}, .block = {threads}}, n);
  // The stride and the loop in it stand outside of the regions; in blocks of few threads only the stride's regions have
  // loops, or both are in one.
  const std::string divided = split_text(text);
  EXPECT_TRUE(contains(
      divided, "          store_local $j.1, i64 0\n          %64 = add no_wrap %2, i64 -7\n          loop L4 {"));
  EXPECT_EQ(count_of(divided, "slot bool"), 0);
}

TEST(SplitLockstep, WhatIsNoStrideIsLeftAlone) {
  const auto is_one_region = [](const std::string& text) {
    for (const std::int64_t n : {0, 41, 500}) expect_same(text, {.grid = {2}, .block = {40}}, n);
    return count_of(split_text(text), "threads {") == 1;
  };
  EXPECT_TRUE(is_one_region(stride("i64 1", "", "")));  // a thread's turns lie side by side
  EXPECT_TRUE(is_one_region(stride("%all", "%e = eq %i, i64 77\nif %e {\n break L0\n}\n", "")));
  EXPECT_TRUE(is_one_region(stride("%all", "", "%l = load_local $i : i64\nstore_local $sum, %l\n")));
  EXPECT_FALSE(is_one_region(stride("%far", "", "")));
}

/// for j in range(turns): body; out[first] += sum
std::string uniform(const std::string& turns, const std::string& body) {
  return kernel_text(
      "  local $j: i64 from 0 to 100000\n  local $sum: i64\n"
      R"(
  %t = builtin threadIdx.x : i64
  %b = builtin blockIdx.x : i64
  %w = builtin blockDim.x : i64
  %f = mul %b, %w
  %first = add %f, %t
  %o = element %out, %first
  %some = mod %n, i64 5
  %many = mod %n, i64 32
  %one = add i64 0, i64 1
  %five = add i64 4, i64 1
  %forty = add i64 39, i64 1
  %ninety = add i64 89, i64 1
  store_local $sum, i64 0
  store_local $j, i64 0
  loop L0 {
    %j = load_local $j : i64
    %c = lt %j, )" +
      turns + R"(
    %d = not %c
    if %d {
      break L0
    }
)" + body +
      R"(
  } continuing {
    %k = load_local $j : i64
    %l = add no_wrap %k, %one
    store_local $j, %l
  }
  %u = load %o : i64
  %v = load_local $sum : i64
  %x = add %u, %v
  store %o, %x
  return
)");
}

/// sum += in[%p]
std::string adds_from(const std::string& place) {
  return place + R"(
    %e = element %in, %p
    %g = load %e : i64
    %h = load_local $sum : i64
    %i = add %g, %h
    store_local $sum, %i
)";
}

TEST(SplitLockstep, UniformLoopsOverNeighboursAreTakenInTurn) {
  const auto is_one_region = [](const std::string& text) {
    for (const std::int64_t n : {0, 3, 4})
      for (const std::uint32_t threads : {1U, 7U, 40U}) expect_same(text, {.grid = {2}, .block = {threads}}, n);
    return count_of(split_text(text), "threads {") == 1;
  };
  const std::string side_by_side = "%m = mul %j, i64 9\n%p = add %m, %t";
  EXPECT_FALSE(is_one_region(uniform("%some", adds_from(side_by_side))));
  EXPECT_TRUE(is_one_region(uniform("%five", adds_from(side_by_side))));  // LLVM writes it out, and keeps the sum
  EXPECT_TRUE(is_one_region(uniform("%some", adds_from("%m = mul %t, i64 2\n%p = add %m, %j"))));
  // A condition on the counter becomes one of the row, if nothing has to be kept from turn to turn.
  const auto conditional = [](const std::string& body) {
    return "%p = add %j, %t\n%q = lt %p, %n\nif %q {\n" + body + "}\n";
  };
  EXPECT_FALSE(is_one_region(uniform("%five", conditional("store %o, %j\n"))));
  EXPECT_TRUE(is_one_region(uniform("%five", "store %o, %j\n")));
  EXPECT_TRUE(is_one_region(uniform("%five", conditional(adds_from("")))));
}

TEST(SplitLockstep, UniformArithmeticIsTakenInTurnWhereNoMemoryIsFar) {
  const auto is_one_region = [](const std::string& turns, const std::string& place) {
    const std::string text = uniform(turns, place + R"(
    %e = element %in, %p
    %g = load %e : i64
    %y = cast %g : f64
    %z = mul %y, f64 0.5
    %q = cast %z : i64
    %h = load_local $sum : i64
    %i = add %q, %h
    store_local $sum, %i
)");
    for (const std::int64_t n : {0, 3, 4}) expect_same(text, {.grid = {2}, .block = {40}}, n);
    return count_of(split_text(text), "threads {") == 1;
  };
  EXPECT_FALSE(is_one_region("%some", "%p = mul %j, i64 9"));  // the same for all threads
  EXPECT_TRUE(is_one_region("%some", "%p = mul %t, i64 2"));
  EXPECT_TRUE(is_one_region("%five", "%p = mul %j, i64 9"));  // LLVM writes it out
  EXPECT_TRUE(is_one_region("%forty", "%p = add %j, %five"));
  EXPECT_FALSE(is_one_region("%ninety", "%p = add %j, %five"));
  EXPECT_FALSE(is_one_region("%some", "%r = add %t, i64 3\n%less = lt %t, i64 2\n%p = select %less, %r, %t : i64"));
}

TEST(SplitLockstep, TurnsThatCountAlikeAreJoined) {
  const auto loops_of = [](const std::string& text) {
    for (const std::int64_t n : {0, 1, 7, 8, 9, 16, 31})
      for (const std::uint32_t threads : {1U, 7U, 40U}) expect_same(text, {.grid = {2}, .block = {threads}}, n);
    return count_of(split_text(text), "loop L");
  };
  const std::string adds = adds_from("%m = mul %j, i64 3\n%p = add %m, %t");
  EXPECT_EQ(loops_of(uniform("%many", adds)), 3);  // for few threads; eight turns at a time; what they leave
  // Nothing is carried; a guard differs from turn to turn; turns are long.
  EXPECT_EQ(loops_of(uniform("%many", "%p = add %j, %t\n%q = lt %p, %n\nif %q {\nstore %o, %j\n}\n")), 1);
  EXPECT_EQ(loops_of(uniform("%many", "%r = add %j, %t\n%q = lt %r, %n\nif %q {\n" + adds + "}\n")), 2);
  std::string adds_much = "%m0 = mul %j, i64 3\n";
  for (int i = 0; i < 16; ++i)
    adds_much += "%m" + std::to_string(i + 1) + (i % 2 == 0 ? " = add %m" : " = sub %m") + std::to_string(i) + ", %n\n";
  EXPECT_EQ(loops_of(uniform("%many", adds_from(adds_much + "%p = add %m16, %t"))), 2);
}

/// The uniform loop behind `condition`, of which %n is the number of threads that have work.
std::string guarded(const std::string& condition) {
  std::string text = uniform("%some", adds_from("%m = mul %j, i64 9\n%p = add %m, %t"));
  const std::string start = "  store_local $sum, i64 0\n", end = "  return\n";
  text.insert(text.find(start), condition);
  return text.insert(text.rfind(end), "}\n");
}

TEST(SplitLockstep, UniformLoopsInGuardsAreTakenInTurn) {
  const auto is_one_region = [](const std::string& condition) {
    const std::string text = guarded(condition);
    for (const std::int64_t n : {0, 1, 3, 4, 38, 43, 64, 79, 99})
      for (const std::uint32_t threads : {1U, 7U, 40U}) expect_same(text, {.grid = {2}, .block = {threads}}, n);
    return count_of(split_text(text), "threads {") == 1;
  };
  EXPECT_FALSE(is_one_region("%q = lt %first, %n\nif %q {\n"));
  EXPECT_FALSE(is_one_region("%q = gt %n, %first\nif %q {\n"));
  EXPECT_FALSE(is_one_region("%q = ge %first, %n\n%r = not %q\nif %r {\n"));
  EXPECT_FALSE(is_one_region("%q = le %n, %first\nif %q {\n"));
  EXPECT_FALSE(is_one_region("%q = le %n, %first\n%r = lt %t, i64 30\n%y = and %q, %r\nif %y {\n"));
  EXPECT_FALSE(is_one_region("%q = le %n, %first\n%r = gt %t, i64 30\n%y = or %q, %r\n%z = not %y\nif %z {\n"));
  // Not along the threads: these would need masks.
  EXPECT_TRUE(is_one_region("%q = eq %first, %n\nif %q {\n"));
  EXPECT_TRUE(is_one_region("%y = load %o : i64\n%q = lt %y, %n\nif %q {\n"));
  EXPECT_TRUE(is_one_region("%y = sub %n, %t\n%q = lt %y, %n\nif %q {\n"));
}

TEST(SplitLockstep, WhatThreadsInAGuardDoAlikeLeavesIt) {
  const std::string divided = split_text(guarded("%q = lt %first, %n\nif %q {\n"));
  EXPECT_EQ(count_of(divided, "slot bool"), 0);
  EXPECT_EQ(count_of(divided, "slot i64"), 1);  // the sum
  // Nothing is done where the guard fails for the first thread.
  EXPECT_TRUE(contains(divided, "  %4 = add %2, i64 0\n  %5 = lt %4, %n\n  if %5 {\n"));
  EXPECT_TRUE(contains(divided, "      loop L2 {\n        %95 = load_local $j"));
}

TEST(SplitLockstep, EarlyReturnsAreGuards) {
  std::string text = guarded("%q = ge %first, %n\n%r = lt %n, i64 3\nif %q {\n return\n}\nif %r {\n return\n}\n");
  text.erase(text.rfind("}\n", text.rfind("return")), 2);
  for (const std::int64_t n : {0, 2, 38, 43, 64})
    for (const std::uint32_t threads : {1U, 7U, 40U}) expect_same(text, {.grid = {2}, .block = {threads}}, n);
  const std::string divided = split_text(text);
  EXPECT_FALSE(contains(divided, "alive"));
  EXPECT_EQ(count_of(divided, "slot bool"), 0);
}

/// Halves a float of the thread's own until it is small.
const std::string kHalving = kernel_text(
    "  local $x: f32\n  local $n: i64\n"
    R"(
  %t = builtin threadIdx.x : i64
  %b = builtin blockIdx.x : i64
  %w = builtin blockDim.x : i64
  %f = mul %b, %w
  %first = add %f, %t
  %o = element %out, %first
  %late = gt %first, i64 70
  if %late {
    return
  }
  %start = cast %first : f32
  store_local $x, %start
  store_local $n, i64 0
  loop L0 {
    %x = load_local $x : f32
    %c = gt %x, f32 0.25
    %d = not %c
    if %d {
      break L0
    }
    %y = mul %x, f32 0.5
    store_local $x, %y
    %m = load_local $n : i64
    %k = add %m, i64 1
    store_local $n, %k
  }
  %r = load_local $n : i64
  store %o, %r
  return
)");

TEST(SplitLockstep, ArithmeticRunsUnderAMaskWhileManyAreLeft) {
  for (const std::uint32_t threads : {1U, 7U, 8U, 40U, 64U})
    expect_same(kHalving, {.grid = {2}, .block = {threads}}, 0);
  const std::string divided = split_text(kHalving);
  EXPECT_EQ(count_of(divided, "many_slot"), 1);
  EXPECT_EQ(count_of(divided, "loop L"), 2);  // the block's, and that of the threads that are left
  // In a turn under the mask all threads load and store what they carry, so that it needs no masked stores.
  EXPECT_TRUE(contains(divided, "store_local $n, %17\n        scope L1"));
}

}  // namespace
}  // namespace pykc::ir
