// Streams that capture graphs.
#include "tests/unit/runtime/cuda_mock/fixture.h"

namespace pykc::testing {
namespace {

TEST_F(CudaMock, AGraphIsLaunchedAsOne) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value(), other = device.create_stream().value();
  const std::vector<float> from = {1, 2, 3};
  std::vector<float> to(3);
  int calls = 0;
  const Array<float> x = device.allocate<float>(3).value();
  Result<Graph> graph = [&] {
    const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
    EXPECT_TRUE(stream.begin_capture());
    EXPECT_TRUE(x.copy_from(stream, from));
    EXPECT_TRUE(faulty.launch({.grid = {7}, .block = {32}, .stream = &stream}));
    EXPECT_TRUE(stream.call([&] { ++calls; }));
    EXPECT_TRUE(x.copy_to(stream, to));
    return stream.end_capture();
  }();
  ASSERT_TRUE(graph);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(to[2], 0.0F);
  const int launches = mock_calls("cuLaunchKernel");
  for (const Stream* on : {&stream, &other}) ASSERT_TRUE(graph->launch(*on));
  EXPECT_EQ(mock_calls("cuLaunchKernel"), launches);
  EXPECT_EQ(mock_calls("cuGraphLaunch"), 2);
  EXPECT_EQ(mock_last_launch()->grid[0], 7U) << "the graph keeps the module";
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(to, from);
  ASSERT_TRUE(device.synchronize());
  fault_at_next_launch(4);
  ASSERT_TRUE(graph->launch(other));
  EXPECT_TRUE(stream.synchronize());
  expect_error(other.synchronize(), ErrorCode::KernelFault, "x > 4");
}

TEST_F(CudaMock, ACapturingStreamDoesNothingElse) {
  mock_set_devices(2);
  const Device device = Device::open("cuda:0").value(), elsewhere = Device::open("cuda:1").value();
  const Stream stream = device.create_stream().value();
  const Event event = stream.record().value();
  expect_error(stream.end_capture(), ErrorCode::InvalidArgument, "captures no graph; call begin_capture() first");
  expect_error(device.default_stream().begin_capture(), ErrorCode::InvalidArgument, "the default stream cannot");
  ASSERT_TRUE(stream.begin_capture());
  expect_error(stream.begin_capture(), ErrorCode::InvalidArgument, "cannot begin another");
  expect_error(stream.synchronize(), ErrorCode::InvalidArgument, "nothing to wait for; call end_capture() first");
  expect_error(stream.wait(event), ErrorCode::InvalidArgument, "waits for no event from outside of the capture");
  expect_error(stream.allocate_bytes(8), ErrorCode::InvalidArgument, "gives no memory");
  const Graph empty = stream.end_capture().value();
  EXPECT_TRUE(empty.launch(stream));
  expect_error(empty.launch(elsewhere.default_stream()), ErrorCode::InvalidArgument, "belongs to another device");
  const Stream abandoned = device.create_stream().value();
  ASSERT_TRUE(abandoned.begin_capture());
}

TEST_F(CudaMock, ACaptureSpansStreams) {
  mock_set_devices(2);
  const Device device = Device::open("cuda:0").value(), elsewhere = Device::open("cuda:1").value();
  const Stream first = device.create_stream().value(), second = device.create_stream().value();
  std::vector<int> calls;
  const auto call = [&](const Stream& stream, int number) {
    return stream.call([&calls, number] { calls.push_back(number); });
  };
  ASSERT_TRUE(first.begin_capture());
  const Event fork = first.record().value();
  expect_error(fork.synchronize(), ErrorCode::InvalidArgument, "happens at no one time");
  expect_error(elsewhere.create_stream()->wait(fork), ErrorCode::InvalidArgument, "one of another device");
  expect_error(device.default_stream().wait(fork), ErrorCode::InvalidArgument, "the default stream cannot take part");
  ASSERT_TRUE(second.wait(fork));
  expect_error(second.end_capture(), ErrorCode::InvalidArgument, "a capture that another began");
  {
    const Stream other = device.create_stream().value();
    ASSERT_TRUE(other.begin_capture());
    expect_error(second.wait(other.record().value()), ErrorCode::InvalidArgument, "takes part in another");
  }
  const Kernel faulty = device.load(test_artifact()).value().kernel("faulty").value();
  ASSERT_TRUE(call(first, 1));
  ASSERT_TRUE(call(second, 2));
  ASSERT_TRUE(faulty.launch({.grid = {7}, .block = {32}, .stream = &second}));
  ASSERT_TRUE(first.wait(second.record().value()));
  ASSERT_TRUE(call(first, 3));
  const Graph graph = first.end_capture().value();
  EXPECT_TRUE(calls.empty());
  ASSERT_TRUE(call(second, 4));
  fault_at_next_launch(4);
  ASSERT_TRUE(graph.launch(first));
  EXPECT_EQ(calls, (std::vector<int>{4, 1, 2, 3}));
  expect_error(first.synchronize(), ErrorCode::KernelFault, "x > 4");

  ASSERT_TRUE(first.begin_capture());
  ASSERT_TRUE(second.wait(first.record().value()));
  ASSERT_TRUE(call(second, 5));
  expect_error(first.end_capture(), ErrorCode::InvalidArgument, "before its first stream had waited for all work");
  ASSERT_TRUE(call(second, 6));
  EXPECT_EQ(calls.back(), 6);
}

TEST_F(CudaMock, AGraphIsUpdatedFromAnother) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  std::vector<int> calls;
  const auto capture = [&](std::vector<int> numbers) {
    EXPECT_TRUE(stream.begin_capture());
    for (const int number : numbers) EXPECT_TRUE(stream.call([&calls, number] { calls.push_back(number); }));
    return stream.end_capture().value();
  };
  const Graph graph = capture({1, 2});
  const int instantiated = mock_calls("cuGraphInstantiateWithFlags");
  ASSERT_TRUE(graph.update(capture({3, 4})));  // whose handle goes
  ASSERT_TRUE(graph.launch(stream));
  EXPECT_EQ(mock_calls("cuGraphInstantiateWithFlags"), instantiated + 1) << "of the other";
  EXPECT_EQ(mock_calls("cuCtxSynchronize"), 2) << "before the functions of the first go; and by the other's handle";
  ASSERT_TRUE(graph.update(capture({5})));  // of another form
  ASSERT_TRUE(graph.launch(stream));
  const Graph copy = capture({6});
  ASSERT_TRUE(copy.update(graph));  // what that does by now
  ASSERT_TRUE(copy.launch(stream));
  EXPECT_EQ(calls, (std::vector<int>{3, 4, 5, 5}));
  expect_failures({"cuCtxSynchronize", "cuGraphExecUpdate"}, [&] { return graph.update(capture({7})); });
  ASSERT_TRUE(graph.launch(stream));
  EXPECT_EQ(calls.back(), 5);
  mock_set_devices(2);
  const Device elsewhere = Device::open("cuda:1").value();
  const Stream there = elsewhere.create_stream().value();
  ASSERT_TRUE(there.begin_capture());
  expect_error(graph.update(there.end_capture().value()), ErrorCode::InvalidArgument, "belongs to another device");
}

TEST_F(CudaMock, AGraphKeepsWhatItIsGiven) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  const auto owner = std::make_shared<int>(1);
  expect_error(stream.keep_in_graph(owner), ErrorCode::InvalidArgument, "captures no graph");
  int calls = 0;
  {
    ASSERT_TRUE(stream.begin_capture());
    ASSERT_TRUE(stream.keep_in_graph(owner));
    ASSERT_TRUE(stream.call([&] { ++calls; }));
    Graph graph = stream.end_capture().value();
    EXPECT_EQ(owner.use_count(), 2);
    ASSERT_TRUE(stream.begin_capture());
    ASSERT_TRUE(graph.launch(stream));  // becomes a part of another
    graph = stream.end_capture().value();
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(calls, 0);
    ASSERT_TRUE(graph.launch(stream));
    EXPECT_EQ(calls, 1);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(CudaMock, MemoryAndModulesAreHadWhileAStreamCaptures) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  EXPECT_TRUE(device.allocate<float>(8));
  EXPECT_EQ(mock_calls("cuThreadExchangeStreamCaptureMode"), 0);
  ASSERT_TRUE(stream.begin_capture());
  {
    EXPECT_TRUE(device.allocate<float>(8));
    EXPECT_TRUE(device.allocate_pinned<float>(8));
    EXPECT_TRUE(device.allocate_managed<float>({8}));
    EXPECT_TRUE(device.load(test_artifact()));
    mock_fail("cuThreadExchangeStreamCaptureMode", 1, kNotInitialized);
    expect_error(device.allocate<float>(8), ErrorCode::DriverError, "cuThreadExchangeStreamCaptureMode failed:");
  }
  EXPECT_TRUE(stream.end_capture());
}

TEST_F(CudaMock, TheDefaultStreamsMemoryIsHadAndGivenBackWhileAnotherStreamCaptures) {
  const Device device = Device::open("cuda:0").value();
  const Stream stream = device.create_stream().value();
  Result<Array<float>> before = device.default_stream().allocate<float>({8});
  ASSERT_TRUE(before);
  ASSERT_TRUE(stream.begin_capture());
  {
    const Result<Array<float>> within = device.default_stream().allocate<float>({8});
    ASSERT_TRUE(within) << within.error().message;
    const int freed = mock_calls("cuMemFree"), to_pool = mock_calls("cuMemFreeAsync");
    EXPECT_EQ(device.pool().statistics().value().used, 64);
    ASSERT_TRUE(device.pool().set_limit(80));
    expect_error(device.default_stream().allocate<float>({8}), ErrorCode::OutOfMemory, "limit");
    before = within;
    EXPECT_EQ(mock_calls("cuMemFree"), freed + 1);
    EXPECT_EQ(mock_calls("cuMemFreeAsync"), to_pool);
  }
  EXPECT_TRUE(stream.end_capture());
}

TEST_F(CudaMock, EveryCallOfGraphsMayFail) {
  const Device device = Device::open("cuda:0").value();
  const auto capture = [&]() -> Result<Graph> {
    const Stream stream = device.create_stream().value();
    if (Result<void> begun = stream.begin_capture(); !begun) return begun.error();
    return stream.end_capture();
  };
  expect_failures({"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"},
                  [&] { return capture(); });
  mock_fail("cuGraphLaunch", 1, kNotInitialized);
  expect_error(capture().value().launch(device.default_stream()), ErrorCode::DriverError, "cuGraphLaunch failed:");
}

}  // namespace
}  // namespace pykc::testing
