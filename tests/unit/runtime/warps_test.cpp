// What goes wrong where the warps of a block, or of a cluster of blocks, wait for one another one by one, on the CPU
// device. What goes right is in tests/conformance/6_threads/named_barriers.pyk and clusters.pyk.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace pykc {
namespace {

constexpr const char* kWaitingKernels = R"(from pykc import *

@kernel
def barrier(x: i32[:], id: i64, count: i64):
    barrier_sync(i32(id), i32(count))
    x[threadIdx.x] = 1

@kernel
def nobody_arrives(x: i32[:], id: i64, count: i64):
    if threadIdx.x < 64:
        barrier_sync(i32(id), i32(count))
    else:
        syncthreads()

@kernel
def not_all_lanes(x: i32[:], id: i64, count: i64):
    if threadIdx.x != 5:
        barrier_sync(1, 96)
    x[threadIdx.x] = 1

@kernel
def not_all_lanes_of_a_warp(x: i32[:], id: i64, count: i64):
    if threadIdx.x < 40:
        syncthreads()
    wait_turn()

@kernel
def counts_differ(x: i32[:], id: i64, count: i64):
    if threadIdx.x < 32:
        barrier_arrive(1, 64)
    else:
        barrier_sync(1, 96)

@kernel
def grid_and_block(x: i32[:], id: i64, count: i64):
    if threadIdx.x < 32:
        grid_sync()
    else:
        syncthreads()
    wait_turn()

@kernel
def out_of_bounds(x: i32[:], id: i64, count: i64):
    if threadIdx.x >= 64:
        wait_turn()
        x[id] = 1
    barrier_sync(1, 96)
    x[threadIdx.x] = 2

@kernel(cluster=2)
def rank_of_nobody(x: i32[:], id: i64, count: i64):
    box = shared.array(96, i32)
    box[threadIdx.x] = 1
    cluster_sync()
    x[threadIdx.x] = map_shared_rank(box, id)[threadIdx.x]

@kernel(cluster=2)
def other_block_waits_elsewhere(x: i32[:], id: i64, count: i64):
    if cluster_ctarank() == 0:
        cluster_sync()
    else:
        barrier_sync(1, 128)

@kernel(cluster=2)
def other_block_waits_for_the_grid(x: i32[:], id: i64, count: i64):
    if threadIdx.x >= 32 or blockIdx.x % 2 == 0:
        cluster_sync()
    else:
        grid_sync()

@kernel(cluster=2)
def arrives_twice(x: i32[:], id: i64, count: i64):
    cluster_arrive()
    if id == 0:
        cluster_arrive()
    elif id == 1:
        cluster_sync()
    else:
        cluster_wait()
        cluster_wait()

@kernel
def ends(x: i32[:], id: i64, count: i64):
    barrier_sync(15, 96)
    x[threadIdx.x] = 7
)";

class Warps : public ::testing::Test {
 protected:
  Result<void> launch(const std::string& name, std::int64_t id = 1, std::int64_t count = 96, std::int64_t blocks = 3) {
    Result<void> done = module_.kernel(name).value().launch({.grid = {blocks}, .block = {96}}, x_, id, count);
    return done ? device_.synchronize() : std::move(done);
  }
  void expect_fault(const Result<void>& result, const std::string& text) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
    ASSERT_TRUE(launch("ends"));
    std::vector<std::int32_t> host(96);
    ASSERT_TRUE(x_.copy_to(host));
    EXPECT_EQ(host, std::vector<std::int32_t>(96, 7));
  }

  Device device_ = Device::open("cpu").value();
  Module module_ =
      device_.load(compile(kWaitingKernels, {.target = "cpu", .checked = true}, "warps.pyk").value()).value();
  Array<std::int32_t> x_ = device_.zeros<std::int32_t>({96}).value();
};

TEST_F(Warps, WaitForEver) {
  expect_fault(
      launch("nobody_arrives", 3, 96),
      "warps.pyk:11: barrier_sync(3, 96) waits for ever: 64 threads have come, and no warp of the block can go on");
  expect_fault(launch("barrier", 2, 128), "barrier_sync(2, 128) waits for ever: 96 threads have come");
  expect_fault(launch("grid_and_block"), "syncthreads() waits for ever: no warp of the block can go on");
}

TEST_F(Warps, HaveBarriersOfCertainNumbers) {
  for (const std::int64_t id : {0, 16, -1})
    expect_fault(launch("barrier", id), "(" + std::to_string(id) + ", 96): barriers have numbers from 1 to 15");
  for (const std::int64_t count : {0, 33, -32, 1056})
    expect_fault(launch("barrier", 1, count), "(1, " + std::to_string(count) + "): barriers have numbers");
  expect_fault(launch("counts_differ"), "barrier_sync(1, 96): another warp waits there for 64 threads");
}

TEST_F(Warps, ComeAsAWhole) {
  expect_fault(launch("not_all_lanes"), "barrier_sync() is reached by only some of the threads of a warp");
  expect_fault(launch("not_all_lanes_of_a_warp"), "syncthreads() is reached by only some of the threads of a warp");
}

TEST_F(Warps, EndWhenOneHasFaulted) {
  for (const std::int64_t blocks : {1, 100}) expect_fault(launch("out_of_bounds", 96, 0, blocks), "index 96");
}

TEST_F(Warps, OfAClusterHaveTheRanksThatThereAre) {
  for (const std::int64_t rank : {-1, 2, 1'000'000})
    expect_fault(launch("rank_of_nobody", rank, 0, 4),
                 "the cluster has no block " + std::to_string(rank) + ": it has 2");
  EXPECT_TRUE(launch("rank_of_nobody", 1, 0, 4));
  // Without checks of bounds, too.
  const Module plain = device_.load(compile(kWaitingKernels, {.target = "cpu"}, "warps.pyk").value()).value();
  ASSERT_TRUE(plain.kernel("rank_of_nobody").value().launch({.grid = {2}, .block = {96}}, x_, std::int64_t{2}, 0));
  expect_fault(device_.synchronize(), "warps.pyk:55: the cluster has no block 2: it has 2");
}

TEST_F(Warps, OfAClusterWaitForEver) {
  expect_fault(launch("other_block_waits_elsewhere", 0, 0, 2), "barrier_sync(1, 128) waits for ever: 96 threads");
  expect_fault(launch("other_block_waits_for_the_grid", 0, 0, 2),
               "cluster_sync() waits for ever: no warp of the cluster can go on");
}

TEST_F(Warps, OfAClusterArriveAndWaitInTurn) {
  expect_fault(launch("arrives_twice", 0, 0, 2), "cluster_arrive(): `cluster_arrive` and `cluster_wait` take turns");
  expect_fault(launch("arrives_twice", 1, 0, 2), "cluster_sync(): `cluster_arrive` and `cluster_wait` take turns");
  expect_fault(launch("arrives_twice", 2, 0, 2), "cluster_wait(): `cluster_arrive` and `cluster_wait` take turns");
}

TEST_F(Warps, OfAClusterAreOfItsOwnGrid) {
  const Result<void> odd = launch("rank_of_nobody", 1, 0, 3);
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().message.find("the grid (3, 1, 1) is no multiple of its clusters of (2, 1, 1)"),
            std::string::npos);
}

}  // namespace
}  // namespace pykc
