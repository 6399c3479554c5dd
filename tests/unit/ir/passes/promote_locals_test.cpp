#include "tests/unit/ir/passes/pass_test.h"

namespace pykc::ir {
namespace {

std::string promoted(const std::string& body) { return after(promote_locals, body); }

TEST(PromoteLocals, ReplacesLoadsInTheBlockAndInNestedOnes) {
  EXPECT_EQ(promoted(R"(
  local $a: i64
  %0 = add %n, i64 1
  store_local $a, %0
  %1 = load_local $a : i64
  %2 = mul %1, %1
  if %c {
    loop L0 {
      %3 = load_local $a : i64
      %4 = element %x, %3
      store %4, %f
      break L0
    }
  } else {
    %5 = load_local $a : i64
    %6 = element %x, %5
    store %6, %g
  }
)"),
            R"(%0 = add %n, i64 1
%1 = mul %0, %0
if %c {
  loop L0 {
    %2 = element %x, %0
    store %2, %f
    break L0
  }
} else {
  %3 = element %x, %0
  store %3, %g
}
)");
}

TEST(PromoteLocals, FollowsCopies) {
  EXPECT_EQ(promoted(R"(
  local $a: f32
  local $b: f32
  store_local $a, %f
  %0 = load_local $a : f32
  store_local $b, %0
  %1 = load_local $b : f32
  store %x, %1
)"),
            "store %x, %f\n");
}

// b keeps what a held when it was copied.
TEST(PromoteLocals, ReadsAChangingLocalWhereItWasCopied) {
  EXPECT_EQ(promoted(R"(
  local $a: f32
  local $b: f32
  store_local $a, %f
  %0 = load_local $a : f32
  store_local $b, %0
  store_local $a, %g
  %1 = load_local $b : f32
  store %x, %1
  %2 = load_local $a : f32
  store %x, %2
)"),
            R"(store_local $a, %f
%0 = load_local $a : f32
store_local $a, %g
store %x, %0
%1 = load_local $a : f32
store %x, %1
)");
}

TEST(PromoteLocals, InsideALoopOneTurnAtATime) {
  EXPECT_EQ(promoted(R"(
  local $t: f32
  loop L0 {
    %0 = load %x : f32
    store_local $t, %0
    %1 = load_local $t : f32
    store %x, %1
    if %c {
      break L0
    }
  }
)"),
            R"(loop L0 {
  %0 = load %x : f32
  store %x, %0
  if %c {
    break L0
  }
}
)");
}

TEST(PromoteLocals, DropsStoresThatNobodyReads) {
  EXPECT_EQ(promoted("local $a: f32\nif %c {\nstore_local $a, %f\n}\nstore_local $a, %g\n"), "if %c {\n}\n");
}

class Unchanged : public testing::TestWithParam<const char*> {};

TEST_P(Unchanged, StaysAsItIs) {
  const std::string body = GetParam();
  EXPECT_EQ(promoted(body), body_text(*module_with(body)));
}

INSTANTIATE_TEST_SUITE_P(PromoteLocals, Unchanged,
                         testing::Values(
                             // Stored in one branch only.
                             R"(
  local $a: f32
  if %c {
    store_local $a, %f
  }
  %0 = load_local $a : f32
  store %x, %0
)",
                             // Stored in one branch, read in the other.
                             R"(
  local $a: f32
  if %c {
    store_local $a, %f
  } else {
    %0 = load_local $a : f32
    store %x, %0
  }
)",
                             // Read before the store: in the second turn of the loop it holds the first one's value.
                             R"(
  local $a: f32
  loop L0 {
    %0 = load_local $a : f32
    store %x, %0
    store_local $a, %f
    if %c {
      break L0
    }
  }
)",
                             // One of the reads stands before.
                             R"(
  local $a: f32
  %0 = load_local $a : f32
  store %x, %0
  store_local $a, %f
  %1 = load_local $a : f32
  store %x, %1
)",
                             // A continue jumps over the store to the continuing part.
                             R"(
  local $a: f32
  loop L0 {
    if %c {
      continue L0
    }
    store_local $a, %f
  } continuing {
    %0 = load_local $a : f32
    store %x, %0
  }
)",
                             // Read behind a scope that may be left before the store.
                             R"(
  local $a: f32
  scope L0 {
    if %c {
      break L0
    }
    store_local $a, %f
  }
  %0 = load_local $a : f32
  store %x, %0
)",
                             // Stored twice.
                             R"(
  local $a: f32
  store_local $a, %f
  if %c {
    store_local $a, %g
  }
  %0 = load_local $a : f32
  store %x, %0
)"));

}  // namespace
}  // namespace pykc::ir
