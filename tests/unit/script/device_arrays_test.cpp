// What calls on arrays of the device ask of the driver: nothing of them may go through the host.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "host.h"
#include "tests/mock_cuda/mock_cuda.h"

namespace pykc::script {
namespace {

using namespace mock_cuda;

/// What the driver was asked for.
struct Counts {
  int to_device = 0, to_host = 0, within = 0, allocations = 0, waits = 0, launches = 0;
  static Counts now() {
    return {
        .to_device = mock_calls("cuMemcpyHtoDAsync"),
        .to_host = mock_calls("cuMemcpyDtoHAsync"),
        .within = mock_calls("cuMemcpyDtoDAsync") + mock_calls("cuMemcpy2DAsync"),
        .allocations = mock_calls("cuMemAllocFromPoolAsync") + mock_calls("cuMemAlloc"),
        .waits = mock_calls("cuCtxSynchronize") + mock_calls("cuStreamSynchronize") + mock_calls("cuEventSynchronize"),
        .launches = mock_calls("cuLaunchKernel")};
  }
  Counts operator-(const Counts& other) const {
    return {to_device - other.to_device,     to_host - other.to_host, within - other.within,
            allocations - other.allocations, waits - other.waits,     launches - other.launches};
  }
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& counts) {
    return out << counts.to_device << " to the device, " << counts.to_host << " to the host, " << counts.within
               << " within, " << counts.allocations << " allocations, " << counts.waits << " waits, " << counts.launches
               << " launches";
  }
};

constexpr std::string_view kSource = R"pyk(
import cupy as cp
import numpy as np
from numba import cuda, guvectorize, vectorize

@vectorize(["float32(float32, float32)"], target="cuda")
def add(x, y):
    return x + y

@vectorize
def twice(x):
    return x + x

@guvectorize(["void(float32[:], float32[:], float32[:])"], "(n),(n)->(n)")
def product(x, y, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * y[i]

@cuda.reduce
def total(a, b):
    return a + b

def all(x, y, out, steps):
    add(x, y, out=out)
    steps("out")
    z = add(x, y)
    steps("new")
    z = add(add(x, y), y)
    steps("chain")
    z = add(x[::2], y[::2])
    steps("slices")
    z = add(x.reshape(100, 10), y[:10])
    steps("broadcast")
    z = twice(x)
    steps("untyped")
    product(x.reshape(100, 10), y.reshape(100, 10), out.reshape(100, 10))
    steps("generalized")
    total(x, res=out)
    steps("reduced")
    with cp.cuda.Stream():
        z = add(x, 2.0)
    steps("stream")
    host = z.copy_to_host()
    steps("host")

x = cuda.to_device(np.ones(1000, dtype=np.float32))
y = cuda.to_device(np.ones(1000, dtype=np.float32))
out = cuda.device_array(1000, dtype=np.float32)
all(x, y, out, lambda name: None)  # compiles
print("start")
all(x, y, out, print)
)pyk";

class DeviceArrays : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1); }
  void SetUp() override { mock_reset(); }

  /// What each step of the program asked for, by the word that it prints at its end.
  static std::map<std::string, Counts> counts_of(std::string_view source) {
    const Program program = parse_program(source);
    std::map<std::string, Counts> counts;
    Counts before;
    RunOptions options;
    options.device = "cuda:0";
    options.print = [&](std::string_view text) {
      const Counts now = Counts::now();
      counts[std::string(text.substr(0, text.find('\n')))] = now - before;
      before = now;
    };
    const Result<int> code = run_main(program, options);
    if (!code) ADD_FAILURE() << code.error().message;
    return counts;
  }
};

TEST_F(DeviceArrays, DoNotGoThroughTheHost) {
  const std::map<std::string, Counts> counts = counts_of(kSource);
  EXPECT_EQ(counts.at("out"), (Counts{.launches = 1}));
  EXPECT_EQ(counts.at("new"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("chain"), (Counts{.allocations = 2, .launches = 2}));
  EXPECT_EQ(counts.at("slices"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("broadcast"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("untyped"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("generalized"), (Counts{.launches = 1}));
  EXPECT_EQ(counts.at("stream"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("host").to_host, 1);
  EXPECT_EQ(counts.at("host").to_device, 0);
}

/// The parts and the total are made on the device; where they stay there, nobody waits.
TEST_F(DeviceArrays, AreReducedOnTheDevice) {
  const Counts reduced = counts_of(kSource).at("reduced");
  EXPECT_EQ(reduced.to_host, 0);
  EXPECT_EQ(reduced.to_device, 0);
  EXPECT_EQ(reduced.waits, 0);
  EXPECT_EQ(reduced.launches, 2);
}

constexpr std::string_view kOperations = R"pyk(
import cupy as cp
import numpy as np
from numba import cuda

@cuda.jit
def fill(y, x):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i]

def all(x, y, host, given, steps):
    z = (x * y + 2.0 - x / y) ** 2
    steps("operators")
    z = cp.exp(-cp.sqrt(abs(x)))
    steps("functions")
    z = np.where(x > y, x, 1.0)
    steps("where")
    z = np.clip(x, 0.0, 1.0).astype(np.int32)
    steps("clipped")
    z = x[::2] + y[1::2]
    steps("slices")
    z = x.reshape(200, 10).T * y.reshape(10, 200)[:, :1]
    steps("broadcast")
    z = x.reshape(20, 100).sum(axis=0) + x.reshape(20, 100).max(axis=0)
    steps("columns")
    z = x.reshape(20, 100).std(axis=1)
    steps("deviation")
    x += y
    x[10:] = 0.0
    steps("assigned")
    z = x.copy()
    steps("copied")
    with cp.cuda.Stream():
        z = x + y
    steps("stream")
    number = x.sum()
    steps("number")
    fill[8, 256](host, given)
    z = host + host
    steps("written")
    z = np.sin(given) + given
    steps("read")
    z = x[:20] + y[:20]
    steps("few")

x, y = cuda.to_device(np.ones(2000, dtype=np.float32)), cp.ones(2000, dtype=np.float32)
host, given = np.zeros(2000, dtype=np.float32), np.ones(2000, dtype=np.float32)
all(x, y, host, given, lambda name: None)  # compiles
print("start")
all(x, y, host, given, print)
)pyk";

TEST_F(DeviceArrays, AreComputedWithOnTheDevice) {
  const std::map<std::string, Counts> counts = counts_of(kOperations);
  EXPECT_EQ(counts.at("operators"), (Counts{.allocations = 5, .launches = 5}));
  EXPECT_EQ(counts.at("functions"), (Counts{.allocations = 4, .launches = 4}));
  EXPECT_EQ(counts.at("where"), (Counts{.allocations = 2, .launches = 2}));
  EXPECT_EQ(counts.at("clipped"), (Counts{.allocations = 3, .launches = 3}));
  EXPECT_EQ(counts.at("slices"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("broadcast"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("assigned"), (Counts{.allocations = 1, .launches = 3}));
  EXPECT_EQ(counts.at("copied"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("stream"), (Counts{.allocations = 1, .launches = 1}));
  EXPECT_EQ(counts.at("written"), (Counts{.allocations = 1, .launches = 2}));
}

TEST_F(DeviceArrays, AreReducedWhereTheyAre) {
  const std::map<std::string, Counts> counts = counts_of(kOperations);
  for (const char* const step : {"columns", "deviation"}) {
    EXPECT_EQ(counts.at(step).to_host, 0) << step;
    EXPECT_EQ(counts.at(step).to_device, 0) << step;
    EXPECT_EQ(counts.at(step).waits, 0) << step;
  }
  EXPECT_EQ(counts.at("number").to_host, 1);  // the sum
}

/// What a kernel only reads is still on the host, too, and few elements are computed there.
TEST_F(DeviceArrays, AreComputedWithOnTheHostWhereThatIsCheaper) {
  const std::map<std::string, Counts> counts = counts_of(kOperations);
  EXPECT_EQ(counts.at("read"), Counts{});
  EXPECT_EQ(counts.at("few").launches, 0);
}

constexpr std::string_view kRecords = R"pyk(
from pykc import *

@struct
class Body:
    mass: f64
    force: f64

@kernel
def copies(to, source):
    to.force = source.mass

bodies = zeros(4, dtype=Body)
copies[1, 1](bodies[0], bodies[1])
print("launched")
mass = bodies[0].mass
print("read")
)pyk";

/// A record that a kernel takes by value is read before the launch, which may write to the array that it lies in.
TEST_F(DeviceArrays, AreReadAgainAfterAKernelThatTookARecordOfThemByValue) {
  const std::map<std::string, Counts> counts = counts_of(kRecords);
  EXPECT_EQ(counts.at("launched").to_host, 1);
  EXPECT_EQ(counts.at("read").to_host, 1);
}

}  // namespace
}  // namespace pykc::script
