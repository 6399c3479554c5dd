// Kernels in the form that split_at_barriers makes.
#include "tests/reference/kernel_text.h"

namespace pykc::reference {
namespace {

TEST(InterpreterSplit, ThreadLoopsSlotsAndBlockLevelCode) {
  // Each thread sets its slot; between the loops stands what a barrier has split; the block's own loop runs twice.
  const auto module = read(R"(
kernel @k(%out: ptr<i64, global>) {
  slot i64
  local $turn: i64
  local_array kept: i64[2] align 16
  store_local $turn, i64 0
  threads {
    %0 = builtin threadIdx.x : i64
    %1 = local_array 0 : ptr<i64, local>
    %2 = element %1, i64 1
    store %2, %0
    store_slot 0 i64 0
  }
  loop L0 {
    %3 = load_local $turn : i64
    %4 = eq %3, i64 2
    if %4 {
      break L0
    }
    threads {
      %5 = load_slot 0 : i64
      %6 = add %5, i64 100
      store_slot 0 %6
    }
  } continuing {
    %7 = load_local $turn : i64
    %8 = add %7, i64 1
    store_local $turn, %8
  }
  threads {
    %9 = builtin threadIdx.x : i64
    %10 = eq %9, i64 2
    if %10 {
      return
    }
    %11 = local_array 0 : ptr<i64, local>
    %12 = element %11, i64 1
    %13 = load %12 : i64
    %14 = load_slot 0 : i64
    %15 = add %14, %13
    %16 = element %out, %9
    store %16, %15
  }
}
)");
  ir::Function& kernel = *module->find("k");
  kernel.local_arrays[0].per_thread = true;
  std::vector<std::int64_t> out(4);
  const Outcome outcome = run(*module, kernel, {.grid = {}, .block = {4}}, {bits_of(out.data())});
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  EXPECT_EQ(out, (std::vector<std::int64_t>{200, 201, 0, 203}));
}

// What a turn leaves in a local or a private array is not there for the next one.
TEST(InterpreterSplit, TurnsStartAfresh) {
  const auto out = run_threads<std::int64_t>(R"(
  local $a: i64
  local_array kept: i64[1] align 16
  threads {
    %0 = builtin threadIdx.x : i64
    %1 = local_array 0 : ptr<i64, local>
    %2 = eq %0, i64 0
    if %2 {
      store_local $a, i64 1
      store %1, i64 2
    }
    %3 = load_local $a : i64
    %4 = load %1 : i64
    %5 = add %3, %4
    %6 = element %out, %0
    store %6, %5
  }
)",
                                             2);
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(static_cast<std::uint64_t>(out[1]), 2 * 0xa5a5a5a5a5a5a5a5);
}

TEST(InterpreterSplit, SlotAny) {
  const std::string body = R"(
  slot bool
  threads {
    %0 = builtin threadIdx.x : i64
    %1 = eq %0, i64 LAST
    store_slot 0 %1
  }
  %2 = any_slot 0 : bool
  if %2 {
    store %out, i32 1
  }
)";
  const auto with = [&](const std::string& number) {
    std::string text = body;
    return run_threads<std::int32_t>(text.replace(text.find("LAST"), 4, number), 8)[0];
  };
  EXPECT_EQ(with("7"), 1);
  EXPECT_EQ(with("8"), 0);
}

TEST(InterpreterSplit, SlotMany) {
  const std::string body = R"(
  slot bool
  threads {
    %0 = builtin threadIdx.x : i64
    %1 = lt %0, i64 COUNT
    store_slot 0 %1
  }
  %2 = many_slot 0 : bool
  if %2 {
    store %out, i32 1
  }
)";
  const auto holds_for = [&](const std::string& count, std::uint32_t threads) {
    std::string text = body;
    return run_threads<std::int32_t>(text.replace(text.find("COUNT"), 5, count), threads)[0] == 1;
  };
  EXPECT_TRUE(holds_for("8", 8));
  EXPECT_FALSE(holds_for("7", 7));  // fewer than 8
  EXPECT_TRUE(holds_for("8", 64));
  EXPECT_FALSE(holds_for("8", 72));  // fewer than one in 8
}

TEST(InterpreterSplit, WarpExchange) {
  const auto out = run_threads<std::int32_t>(R"(
  slot u32
  slot i32
  slot i32
  slot i32
  slot bool
  slot i32
  threads {
    %0 = builtin threadIdx.x : i64
    %1 = cast %0 : i32
    store_slot 0 u32 4294967295
    store_slot 1 %1
    store_slot 2 i32 1
    store_slot 3 i32 32
    %2 = ne %1, i32 5
    store_slot 4 %2
    store_slot 5 i32 -1
  }
  warp_exchange shfl_xor_sync slots 0 1 2 3 4 5
  threads {
    %3 = builtin threadIdx.x : i64
    %4 = load_slot 5 : i32
    %5 = element %out, %3
    store %5, %4
  }
)",
                                             40);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[4], 4);   // its partner takes no part
  EXPECT_EQ(out[5], -1);  // takes no part
  EXPECT_EQ(out[38], 39);
}

// Arguments that are the same for all threads are operands; without a mask all threads take part.
TEST(InterpreterSplit, ExchangesOfUniformArguments) {
  const auto out = run_threads<std::int32_t>(R"(
  slot bool
  slot u32
  local $count: i32
  threads {
    %0 = builtin threadIdx.x : i64
    %1 = ge %0, i64 30
    store_slot 0 %1
  }
  warp_exchange ballot_sync slots -1 0 -1 1 u32 4294967295
  %2 = warp_exchange syncthreads_count slots 0 -1 -1 : i32
  %3 = warp_exchange syncthreads_and slots 0 0 -1 : bool
  %4 = warp_exchange syncthreads_or slots -1 0 -1 bool false : bool
  threads {
    %5 = builtin threadIdx.x : i64
    %6 = load_slot 1 : u32
    %7 = cast %6 : i32
    %8 = add %7, %2
    %9 = cast %3 : i32
    %10 = add %8, %9
    %11 = cast %4 : i32
    %12 = add %10, %11
    %13 = element %out, %5
    store %13, %12
  }
)",
                                             40);
  EXPECT_EQ(static_cast<std::uint32_t>(out[0]), 0xc0000000u + 10 + 1);
  EXPECT_EQ(out[39], 0xff + 10 + 1);
}

TEST(InterpreterSplit, FaultsNameTheThread) {
  Outcome outcome;
  run_threads<std::int32_t>(R"(
  threads {
    %0 = builtin threadIdx.x : i64
    %1 = eq %0, i64 3
    if %1 {
      fault 0 %0
    }
  }
  store %out, i32 1
)",
                            8, &outcome);
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->thread, (Dim3{3, 0, 0}));
  EXPECT_EQ(outcome.fault->values[0], 3);
}

TEST(InterpreterSplit, ReturnAtBlockLevelEndsTheBlock) {
  const auto out = run_threads<std::int32_t>(R"(
  threads {
    %0 = atomic add %out, i32 1 : i32
  }
  if bool true {
    return
  }
  threads {
    %1 = atomic add %out, i32 1 : i32
  }
)",
                                             8);
  EXPECT_EQ(out[0], 8);
}

}  // namespace
}  // namespace pykc::reference
