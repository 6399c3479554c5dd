// What launches cost, counted on the CPU device: exact numbers for kernels whose warps can be worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace pykc {
namespace {

constexpr const char* kSource = R"(
from pykc import *


@kernel
def strided(out: f32[:], x: f32[:], step: i64):
    i = grid(1)
    out[i] = x[i * step]


@kernel
def columns(out: f32[:], pitch: i64):
    part = shared.array(33 * 32, f32)
    part[threadIdx.x * pitch] = 1.0
    syncthreads()
    out[threadIdx.x] = part[threadIdx.x * pitch]


@kernel
def halves(out: i32[:], bound: i64):
    if threadIdx.x < bound:
        out[threadIdx.x] = 1
    else:
        out[threadIdx.x] = 2


@kernel
def turns(out: i32[:], x: i32[:]):
    total = 0
    for k in range(threadIdx.x % 4 + 1):
        if k % 2 == 0:
            total += x[k * 32 + threadIdx.x]
    out[threadIdx.x] = total


@device
def at(x: i32[:], i: i64) -> i32:
    if x[i] > 100:
        return 0
    return x[i + 1]


@kernel
def calls(out: i32[:], x: i32[:]):
    total = at(x, threadIdx.x)
    for k in range(2):
        total += at(x, threadIdx.x + k)
    out[threadIdx.x] = total


@kernel
def rounds(out: i32[:], n: i64):
    for k in range(n):
        out[threadIdx.x] += 1
        syncthreads()


@kernel
def meeting(out: i32[:], share: i64):
    atomic.add(out, threadIdx.x // share, 1)


@kernel
def functions(out: f64[:], a: f64, n: i64):
    out[threadIdx.x] = math.exp(a)
    out[threadIdx.x] = a / 3.0 + f64(n // 5)
    out[threadIdx.x] = f64(f32(n // n))


@kernel(fastmath=True)
def approximations(out: f32[:], a: f32):
    out[threadIdx.x] = math.exp(a) / a


@kernel
def early(out: i32[:], bound: i64):
    if threadIdx.x >= bound:
        return
    out[threadIdx.x] = 1


@kernel
def halving(out: f32[:], x: f32[:], steps: i64):
    part = shared.array(256, f32)
    part[threadIdx.x] = x[threadIdx.x]
    step = 128
    while step > 0:
        if threadIdx.x < step:
            part[threadIdx.x] += part[threadIdx.x + step]
        syncthreads()
        step //= 2
    if threadIdx.x < 32:
        for k in range(steps):
            part[threadIdx.x] *= 2.0
    if threadIdx.x == 0:
        out[0] = part[0]


@kernel
def remainders(out: i64[:], n: i64):
    for k in (1, 2, 4):
        out[threadIdx.x % (2 * k)] = threadIdx.x
    out[0] = threadIdx.x % n


@kernel
def every(out: f32[:], x: f32[:], step: i64):
    out[threadIdx.x * step] = x[threadIdx.x]
)";

class Costs : public ::testing::Test {
 protected:
  void SetUp() override {
    CompileOptions options{.target = "cpu", .costs_for = "sm_90", .cache = false, .warnings = false};
    Result<Artifact> artifact = compile(kSource, options, "k.pyk");
    ASSERT_TRUE(artifact) << artifact.error().message;
    module_ = *device_.load(*artifact);
    ASSERT_TRUE(device_.set_cost_output([this](const LaunchCosts& costs) { told_.push_back(costs); }));
  }
  void TearDown() override { (void)device_.set_cost_output(nullptr); }

  template <typename... Arguments>
  LaunchCosts launch(const std::string& name, Dim3 grid, Dim3 block, const Arguments&... arguments) {
    told_.clear();
    const Result<void> launched = module_->kernel(name)->launch({.grid = grid, .block = block}, arguments...);
    EXPECT_TRUE(launched) << launched.error().message;
    EXPECT_EQ(told_.size(), 1U);
    return told_.empty() ? LaunchCosts() : told_.front();
  }
  template <typename T>
  Array<T> zeros(std::int64_t count) {
    return *device_.zeros<T>({count});
  }
  static std::vector<AccessCosts> accesses_of(const LaunchCosts& costs, ObservedSite::Kind kind) {
    std::vector<AccessCosts> list;
    for (const AccessCosts& access : costs.accesses)
      if (access.kind == kind) list.push_back(access);
    return list;
  }
  static AccessCosts only(const LaunchCosts& costs, ObservedSite::Kind kind, bool is_shared = false) {
    std::vector<AccessCosts> list = accesses_of(costs, kind);
    std::erase_if(list, [&](const AccessCosts& access) { return access.is_shared != is_shared; });
    EXPECT_EQ(list.size(), 1U);
    return list.empty() ? AccessCosts() : list.front();
  }

  Device device_ = *Device::open("cpu");
  std::optional<Module> module_;
  std::vector<LaunchCosts> told_;
};

TEST_F(Costs, SectorsFollowTheStride) {
  struct Case {
    std::int64_t step, sectors, lines;
  };
  for (const Case& row : {Case{1, 4, 1}, Case{2, 8, 2}, Case{8, 32, 8}, Case{32, 32, 32}, Case{0, 1, 1}}) {
    const LaunchCosts costs = launch("strided", {2}, {64}, zeros<float>(128), zeros<float>(128 * 32 + 1), row.step);
    const AccessCosts load = only(costs, ObservedSite::Kind::Load);
    EXPECT_EQ(load.requests, 4) << row.step;
    EXPECT_EQ(load.lanes, 128) << row.step;
    EXPECT_EQ(load.sectors, 4 * row.sectors) << row.step;
    EXPECT_EQ(load.lines, 4 * row.lines) << row.step;
    EXPECT_EQ(load.lane_distance, row.step * 4);
    EXPECT_EQ(load.array, "x");
    EXPECT_EQ(load.place.line, 8);
    EXPECT_EQ(only(costs, ObservedSite::Kind::Store).sectors, 16);
    EXPECT_EQ(costs.blocks_counted, 2);
  }
}

TEST_F(Costs, ABankIsPassedOncePerWord) {
  struct Case {
    std::int64_t pitch, passes;
  };
  for (const Case& row : {Case{1, 1}, Case{2, 2}, Case{16, 16}, Case{32, 32}, Case{33, 1}, Case{0, 1}}) {
    const LaunchCosts costs = launch("columns", {1}, {32}, zeros<float>(32), row.pitch);
    EXPECT_EQ(only(costs, ObservedSite::Kind::Load, true).wavefronts, row.passes) << row.pitch;
    EXPECT_EQ(only(costs, ObservedSite::Kind::Store, true).wavefronts, row.passes) << row.pitch;
    EXPECT_EQ(only(costs, ObservedSite::Kind::Load, true).ideal_wavefronts, 1);
  }
}

TEST_F(Costs, WarpsDivergeWhereTheirLanesPart) {
  for (const auto& [bound, divergent] : {std::pair<std::int64_t, std::int64_t>{16, 1}, {32, 0}, {40, 1}, {64, 0}}) {
    const LaunchCosts costs = launch("halves", {1}, {64}, zeros<std::int32_t>(64), bound);
    ASSERT_EQ(costs.branches.size(), 1U);
    EXPECT_EQ(costs.branches[0].warps, 2);
    EXPECT_EQ(costs.branches[0].divergent, divergent) << bound;
  }
}

/// Lanes with 1 to 4 turns: in turn 0 all 32 read, in turn 2 those with more than two.
TEST_F(Costs, LanesMeetInTheSameTurn) {
  const LaunchCosts costs = launch("turns", {1}, {32}, zeros<std::int32_t>(32), zeros<std::int32_t>(128));
  const AccessCosts load = only(costs, ObservedSite::Kind::Load);
  EXPECT_EQ(load.requests, 2);
  EXPECT_EQ(load.lanes, 32 + 16);
  EXPECT_EQ(load.sectors, 4 + 4);
}

/// A function that returns early, called from two places and in a loop: each call is one of the whole warp.
TEST_F(Costs, CallsKeepLanesTogether) {
  const LaunchCosts costs = launch("calls", {1}, {32}, zeros<std::int32_t>(32), zeros<std::int32_t>(40));
  std::int64_t requests = 0, lanes = 0;
  for (const AccessCosts& access : accesses_of(costs, ObservedSite::Kind::Load)) {
    requests += access.requests;
    lanes += access.lanes;
  }
  EXPECT_EQ(requests, 3 * 2);
  EXPECT_EQ(lanes, 3 * 2 * 32);
}

TEST_F(Costs, BarriersInLoopsKeepLanesTogether) {
  const LaunchCosts costs = launch("rounds", {1}, {64}, zeros<std::int32_t>(64), std::int64_t{5});
  EXPECT_EQ(only(costs, ObservedSite::Kind::Load).requests, 5 * 2);
  EXPECT_EQ(only(costs, ObservedSite::Kind::Store).sectors, 5 * 2 * 4);
}

TEST_F(Costs, AtomicsMeetAtAnAddress) {
  const LaunchCosts costs = launch("meeting", {1}, {32}, zeros<std::int32_t>(32), std::int64_t{8});
  const AccessCosts atomic = only(costs, ObservedSite::Kind::AtomicUpdate);
  EXPECT_EQ(atomic.requests, 1);
  EXPECT_EQ(atomic.meeting_lanes, 8);
  EXPECT_EQ(atomic.sectors, 1);
}

TEST_F(Costs, WhatFollowsAnEarlyReturnRunsWithTheRest) {
  const LaunchCosts costs = launch("early", {1}, {32}, zeros<std::int32_t>(32), std::int64_t{5});
  EXPECT_EQ(only(costs, ObservedSite::Kind::Store).lanes, 5);
  EXPECT_EQ(only(costs, ObservedSite::Kind::Store).requests, 1);
}

/// Of a large grid a part stands for all of it, and the kernel does all of its work.
TEST_F(Costs, LargeGridsAreSampled) {
  const std::int64_t blocks = 100'000;
  const Array<float> out = zeros<float>(blocks * 64);
  const Array<float> x = *device_.copy_from<float>(std::vector<float>(static_cast<std::size_t>(blocks * 64), 3.0F));
  const LaunchCosts costs = launch("strided", {blocks}, {64}, out, x, std::int64_t{1});
  EXPECT_LT(costs.blocks_counted, blocks / 4);
  EXPECT_GT(costs.blocks_counted, 100);
  const AccessCosts load = only(costs, ObservedSite::Kind::Load);
  EXPECT_EQ(load.sectors, costs.blocks_counted * 8);
  std::vector<float> values(static_cast<std::size_t>(blocks * 64));
  ASSERT_TRUE(out.copy_to(values));
  EXPECT_EQ(std::count(values.begin(), values.end(), 3.0F), blocks * 64);
}

TEST_F(Costs, ALaunchIsCountedOncePerShape) {
  const Array<float> out = zeros<float>(128), x = zeros<float>(128);
  launch("strided", {2}, {64}, out, x, std::int64_t{1});
  told_.clear();
  ASSERT_TRUE(module_->kernel("strided")->launch({.grid = {2}, .block = {64}}, out, x, std::int64_t{1}));
  EXPECT_TRUE(told_.empty());
  ASSERT_TRUE(device_.set_cost_output([this](const LaunchCosts& costs) { told_.push_back(costs); }));
  launch("strided", {2}, {64}, out, x, std::int64_t{1});  // the first that this output is told of
}

TEST_F(Costs, AccessesBehindAnArrayAreTold) {
  const auto elsewhere = [&](std::int64_t elements) {
    const LaunchCosts costs = launch("strided", {1}, {32}, zeros<float>(32), zeros<float>(elements), std::int64_t{1});
    return only(costs, ObservedSite::Kind::Load).lanes_elsewhere;
  };
  EXPECT_EQ(elsewhere(32), 0);
  EXPECT_EQ(elsewhere(30), 2);
}

TEST_F(Costs, KernelsHaveTheirCodeForTheGpu) {
  const LaunchCosts costs = launch("strided", {1}, {32}, zeros<float>(32), zeros<float>(32), std::int64_t{1});
  EXPECT_NE(costs.kernel.watched.ptx.find(".entry " + costs.kernel.watched.gpu_symbol), std::string::npos);
  EXPECT_EQ(costs.kernel.watched.ir, "");
}

/// Warps without a lane in a short branch issue what stands in it; not in one with a loop, or at the kernel's end.
TEST_F(Costs, AllWarpsIssueAShortBranch) {
  const LaunchCosts costs = launch("halving", {1}, {256}, zeros<float>(1), zeros<float>(256), std::int64_t{3});
  std::vector<std::pair<std::int64_t, std::int64_t>> issued_and_ran;
  for (const AccessCosts& access : costs.accesses)
    if (access.is_shared) issued_and_ran.emplace_back(access.issued, access.requests);
  const std::int64_t halves = 4 + 2 + 1 + 1 + 1 + 1 + 1 + 1, all = 8 * 8;
  const std::vector<std::pair<std::int64_t, std::int64_t>> wanted = {
      {8, 8}, {all, halves}, {all, halves}, {all, halves}, {3, 3}, {3, 3}, {1, 1}};
  EXPECT_EQ(issued_and_ran, wanted);
}

TEST_F(Costs, DivisionsByWhatTheSourceSaysAreNone) {
  const LaunchCosts costs = launch("remainders", {1}, {32}, zeros<std::int64_t>(32), std::int64_t{7});
  std::map<int, std::int64_t> of_lines;
  for (const CodeCosts& code : costs.code) of_lines[code.place.line] += code.operations.math;
  ASSERT_EQ(of_lines.size(), 2U);
  EXPECT_EQ(of_lines.begin()->second, 0);
  EXPECT_GT(of_lines.rbegin()->second, 0);
}

TEST_F(Costs, SectorsAreWrittenWholeOrInPart) {
  struct Case {
    std::int64_t step, pairs, stored, partial;
  };
  for (const Case& row : {Case{1, 2, 4, 0}, Case{2, 4, 8, 8}, Case{8, 16, 32, 32}, Case{16, 32, 32, 32}}) {
    const LaunchCosts costs = launch("every", {1}, {32}, zeros<float>(32 * 16), zeros<float>(32), row.step);
    const ArrayCosts& out = costs.arrays.at(0);
    EXPECT_EQ(out.grid_pairs, row.pairs) << row.step;
    EXPECT_EQ(out.stored_sectors, row.stored) << row.step;
    EXPECT_EQ(out.partial_sectors, row.partial) << row.step;
    EXPECT_EQ(costs.arrays.at(1).partial_sectors, 0);
  }
}

TEST_F(Costs, FunctionsAndDivisionsAreManyInstructions) {
  const LaunchCosts costs = launch("functions", {1}, {32}, zeros<double>(32), 1.5, std::int64_t{7});
  std::vector<std::pair<std::int64_t, std::int64_t>> of_lines;
  for (const CodeCosts& code : costs.code) of_lines.emplace_back(code.operations.math, code.operations.math_f64);
  const std::vector<std::pair<std::int64_t, std::int64_t>> wanted = {{38, 15}, {16, 7}, {53, 0}};
  EXPECT_EQ(of_lines, wanted);  // math_costs.def
  const LaunchCosts approximate = launch("approximations", {1}, {32}, zeros<float>(32), 1.5F);
  EXPECT_EQ(approximate.code.at(0).operations.math, 0);
}

TEST(CostsOfLines, KernelsHaveTheirIrWithLines) {
  const CompileOptions options{
      .target = "cpu", .costs_for = "sm_90", .line_info = true, .cache = false, .warnings = false};
  const Result<Artifact> artifact = compile(kSource, options, "k.pyk");
  ASSERT_TRUE(artifact) << artifact.error().message;
  const WatchedKernel& strided = artifact->kernels[0].watched;
  EXPECT_NE(strided.ir.find("kernel @strided("), std::string::npos) << strided.ir;
  EXPECT_NE(strided.ir.find(" : f32  // k.pyk:8\n"), std::string::npos) << strided.ir;
  EXPECT_NE(strided.ir.find("  return  // k.pyk:6\n"), std::string::npos) << strided.ir;
  EXPECT_EQ(strided.ir.find("@columns"), std::string::npos) << strided.ir;
  EXPECT_NE(strided.ptx.find("\t.loc\t1 8 "), std::string::npos) << strided.ptx;
}

}  // namespace
}  // namespace pykc
