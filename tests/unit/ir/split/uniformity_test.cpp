#include "ir/analysis/uniformity.h"

#include "ir/passes/passes.h"
#include "ir/walk.h"
#include "tests/unit/ir/split/split_test.h"

namespace pykc::ir {
namespace {

/// For each store to out[0], out[1] …: whether the value stored is uniform, and whether all threads come there.
struct Found {
  std::vector<bool> is_uniform;
  std::vector<bool> is_convergent;
};

Found analyse(const std::string& text) {
  const auto module = read(text);
  const Function& kernel = *module->find("k");
  const Uniformity uniformity(kernel);
  Found found;
  for_each_instruction(kernel.body, [&](const Instruction* instruction) {
    if (instruction->opcode != Opcode::Store) return;
    found.is_uniform.push_back(uniformity.is_uniform(instruction->operands[1]));
    found.is_convergent.push_back(uniformity.is_convergent(instruction));
  });
  return found;
}

using Answers = std::vector<bool>;

TEST(Uniformity, Values) {
  const Found found = analyse("constant c: i64 = \"0100000000000000\"\n" + kernel_text(R"(
  %t = builtin threadIdx.x : i64
  %b = builtin blockIdx.x : i64
  %sum = add %b, %n
  store %out, %sum
  %mixed = add %sum, %t
  store %out, %mixed
  %loaded = load %in : i64
  store %out, %loaded
  %c = constant_array 0 : ptr<i64, constant>
  %p = element %c, %b
  %weight = load %p : i64
  store %out, %weight
  %q = element %c, %t
  %other = load %q : i64
  store %out, %other
  %is_low = lt %t, i64 3
  %count = builtin syncthreads_count %is_low : i32
  %wide = cast %count : i64
  store %out, %wide
  %lane = builtin shfl_sync u32 4294967295, %n, i32 0, i32 32 : i64
  store %out, %lane
  return
)"));
  EXPECT_EQ(found.is_uniform, (Answers{true, false, false, true, false, true, false}));
}

TEST(Uniformity, LocalsStoredUnderDivergentControl) {
  const Found found = analyse(kernel_text(R"(
  local $u: i64
  local $v: i64
  %t = builtin threadIdx.x : i64
  store_local $u, i64 1
  store_local $v, i64 1
  %big = gt %n, i64 3
  if %big {
    store_local $u, i64 2
  }
  %low = lt %t, i64 3
  if %low {
    store_local $v, i64 2
  }
  %u = load_local $u : i64
  store %out, %u
  %v = load_local $v : i64
  store %out, %v
  return
)"));
  EXPECT_EQ(found.is_uniform, (Answers{true, false}));
  EXPECT_EQ(found.is_convergent, (Answers{true, true}));
}

TEST(Uniformity, ThreadsMeetAgainBehindWhatTheyLeave) {
  const Found found = analyse(kernel_text(R"(
  %t = builtin threadIdx.x : i64
  %low = lt %t, i64 3
  scope L0 {
    store %out, %n
    scope L1 {
      if %low {
        store %out, %n
        break L0
      }
      store %out, %n
    }
    store %out, %n
  }
  store %out, %n
  return
)"));
  EXPECT_EQ(found.is_convergent, (Answers{true, false, false, false, true}));
}

TEST(Uniformity, LoopThatThreadsLeaveAloneIsDivergent) {
  const Found found = analyse(kernel_text(R"(
  local $k: i64
  %t = builtin threadIdx.x : i64
  store_local $k, i64 0
  loop L0 {
    %k = load_local $k : i64
    store %out, %k
    %done = gt %k, %t
    if %done {
      break L0
    }
    %next = add %k, i64 1
    store_local $k, %next
  }
  store %out, %n
  return
)"));
  EXPECT_EQ(found.is_uniform, (Answers{false, true}));
  EXPECT_EQ(found.is_convergent, (Answers{false, true}));
}

TEST(Uniformity, WhoRepeatsALoopEarlyMeetsTheOthersInItsNextTurn) {
  const Found found = analyse(kernel_text(R"(
  local $k: i64
  %t = builtin threadIdx.x : i64
  store_local $k, i64 0
  loop L0 {
    %k = load_local $k : i64
    %done = eq %k, %n
    if %done {
      break L0
    }
    store %out, %k
    %low = gt %k, %t
    if %low {
      continue L0
    }
    store %out, %k
  } continuing {
    %k1 = load_local $k : i64
    %next = add %k1, i64 1
    store_local $k, %next
  }
  return
)"));
  EXPECT_EQ(found.is_uniform, (Answers{true, true}));
  EXPECT_EQ(found.is_convergent, (Answers{true, false}));
}

TEST(Uniformity, ReturnPartsNobody) {
  const Found found = analyse(kernel_text(R"(
  %t = builtin threadIdx.x : i64
  %low = lt %t, i64 3
  if %low {
    return
  }
  store %out, %n
  return
)"));
  EXPECT_EQ(found.is_convergent, (Answers{true}));
}

TEST(Uniformity, CallsOfFunctionsOfTheirArguments) {
  const Found found = analyse(R"(
device @pure(%a: i64) -> i64 {
  local $l: i64
  store_local $l, %a
  %l = load_local $l : i64
  return %l
}
device @reads(%q: ptr<i64, global>) -> i64 {
  %r = load %q : i64
  return %r
}
device @again(%b: i64) -> i64 {
  %c = call @again %b
  %d = extract 0 %c : i64
  return %d
}
)" + kernel_text(R"(
  %t = builtin threadIdx.x : i64
  %c1 = call @pure %n
  %r1 = extract 0 %c1 : i64
  store %out, %r1
  %c2 = call @pure %t
  %r2 = extract 0 %c2 : i64
  store %out, %r2
  %c3 = call @reads %in
  %r3 = extract 0 %c3 : i64
  store %out, %r3
  %c4 = call @again %n
  %r4 = extract 0 %c4 : i64
  store %out, %r4
  return
)"));
  EXPECT_EQ(found.is_uniform, (Answers{true, false, false, false}));
}

// --- check_uniformity ----------------------------------------------------------------------------------------------

std::vector<Diagnostic> check(const std::string& text) {
  Diagnostics diagnostics;
  check_uniformity(*read(text), diagnostics);
  return diagnostics.take();
}

TEST(CheckUniformity, BarrierUnderADivergentCondition) {
  const auto found = check(kernel_text(R"(
  %t = builtin threadIdx.x : i64
  %low = lt %t, i64 3
  if %low {
    builtin syncthreads
  }
  store %out, %n
  return
)"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "W0550");
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(found[0].message, "`syncthreads` stands under a condition that may differ between the threads of a block");
  EXPECT_EQ(found[0].labels.size(), 1u);
}

TEST(CheckUniformity, EarlyReturnAndBranchAroundTheRestAreFine) {
  EXPECT_TRUE(check(kernel_text(R"(
  %t = builtin threadIdx.x : i64
  %high = gt %t, i64 30
  if %high {
    return
  }
  builtin syncthreads
  %low = lt %t, %n
  if %low {
    builtin syncthreads
    store %out, %n
  }
  return
)"))
                  .empty());
}

TEST(CheckUniformity, BarrierInAFunctionIsJudgedWhereItIsCalled) {
  const std::string function = "device @wait() {\n  builtin syncthreads\n  return\n}\n";
  EXPECT_TRUE(check(function + kernel_text("  call @wait\n  return\n")).empty());
  EXPECT_EQ(check(function + kernel_text(R"(
  %t = builtin threadIdx.x : i64
  %low = lt %t, i64 3
  if %low {
    call @wait
  }
  store %out, %n
  return
)"))
                .size(),
            1u);
}

TEST(CheckUniformity, RecursiveFunctionThatWaitsIsAnError) {
  const auto found = check(R"(
device @wait(%a: i64) {
  %done = le %a, i64 0
  if %done {
    return
  }
  builtin syncthreads
  %b = sub %a, i64 1
  call @wait %b
  return
}
)" + kernel_text("  call @wait %n\n  return\n"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "E0350");
}

}  // namespace
}  // namespace pykc::ir
