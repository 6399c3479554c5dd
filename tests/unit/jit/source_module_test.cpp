// Generic kernels from C++: what they are specialised for, that each specialisation is compiled once, what is refused.
#include "pykc/source_module.h"

#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/unit/jit/device.h"
#include "tests/unit/runtime/allocations.h"

namespace pykc {
namespace {

constexpr SourceLiteral kModuleSource = R"pyk(
  from helper import scaled

  @kernel
  def saxpy(a, x, y):
      i = grid(1)
      if i < len(x):
          y[i] += scaled(a, x[i])

  @kernel
  def typed(a: f32, x: f32[:]):
      if grid(1) < len(x):
          x[grid(1)] = a

  @kernel
  def copy(target, source):
      for i in range(source.shape[0]):
          for j in range(source.shape[1]):
              target[i, j] = source[i, j]
)pyk"_pyk;

class Generic : public ::testing::Test {
 protected:
  /// Counts the compilations: each asks for what the source imports.
  SourceModule load(const Source& source = kModuleSource) {
    return SourceModule::load(device_, source, {.import = [](std::string_view) -> Result<Source> {
                                return Source("def scaled(a, x):\n    return a * x\n");
                              }})
        .value();
  }
  template <typename T>
  Array<T> array(std::vector<T> values) {
    return device_.copy_from<T>(values).value();
  }
  template <typename T>
  static std::vector<T> host(const Array<T>& array) {
    std::vector<T> values(static_cast<std::size_t>(array.size()));
    array.copy_to(values).value();
    return values;
  }
  const Device device_ = testing::device();
  const LaunchConfig config_{.grid = {1}, .block = {32}};
};

std::string types_of(const Result<Kernel>& kernel) {
  std::string text;
  for (const ParameterInfo& parameter : kernel.value().info().parameters)
    text += (text.empty() ? "" : ", ") + (parameter.is_array ? to_string(parameter.array) : to_string(parameter.value));
  return text;
}

TEST_F(Generic, KernelsAreSpecialisedForTheirArguments) {
  const SourceModule module = load();
  const Array<float> x = array<float>({1, 2, 3}), y = array<float>({10, 20, 30});
  module.launch("saxpy", config_, 2.0F, x, y).value();
  EXPECT_EQ(host(y), (std::vector<float>{12, 24, 36}));
  const Array<std::int32_t> a = array<std::int32_t>({1, 2, 3}), b = array<std::int32_t>({1, 1, 1});
  module.launch("saxpy", config_, -3, a, b).value();
  EXPECT_EQ(host(b), (std::vector<std::int32_t>{-2, -5, -8}));
  const GenericKernel saxpy = module.kernel("saxpy").value();
  EXPECT_EQ(saxpy.name(), "saxpy");
  EXPECT_EQ(types_of(saxpy.specialization(2.0F, x, y)), "f32, f32[:], f32[:]");
  EXPECT_EQ(types_of(saxpy.specialization(std::int8_t{2}, x, b)), "i8, f32[:], i32[:]");
  EXPECT_EQ(module.kernel_names(), (std::vector<std::string>{"saxpy", "typed", "copy"}));
}

TEST_F(Generic, ASpecialisationIsMadeOnce) {
  const GenericKernel saxpy = load().kernel("saxpy").value();  // which keeps the module
  const Array<float> x = array<float>({1}), y = array<float>({1});
  const Kernel first = saxpy.specialization(1.0F, x, y).value();
  EXPECT_EQ(&saxpy.specialization(2.0F, y, x).value().info(), &first.info());
  EXPECT_NE(&saxpy.specialization(2.0, x, y).value().info(), &first.info());
  EXPECT_EQ(&saxpy.specialization(2.0F, y, x).value().info(), &first.info());
}

TEST_F(Generic, MemoryOrderIsPartOfTheType) {
  const GenericKernel copy = load().kernel("copy").value();
  const auto rows = device_.allocate<float>({2, 3}).value();
  const auto columns = device_.allocate<float>({2, 3}, Layout::ColumnMajor).value();
  const auto one_row = device_.allocate<float>({1, 3}, Layout::ColumnMajor).value();
  EXPECT_EQ(types_of(copy.specialization(columns, rows)), "f32[::1, :], f32[:, :]");
  EXPECT_EQ(types_of(copy.specialization(rows, one_row)), "f32[:, :], f32[:, :]");
  Argument strided = Argument::of(rows);
  strided.strides[0] = 8;
  const Argument list[] = {strided, strided};
  EXPECT_EQ(types_of(copy.specialization_with(list)), "f32[::, ::], f32[::, ::]");
  Argument empty = strided;
  empty.extents[1] = 0;
  const Argument with_empty[] = {empty, strided};
  EXPECT_EQ(types_of(copy.specialization_with(with_empty)), "f32[:, :], f32[::, ::]");

  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  rows.copy_from(values).value();
  copy.launch({.grid = {1}, .block = {1}}, columns, rows).value();
  EXPECT_EQ(host(columns), values);
  EXPECT_EQ(host(columns.transpose()), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST_F(Generic, ArraysOfComplexNumbersAreSuch) {
  const SourceModule module = load(R"pyk(
    @kernel
    def turn(x):
        i = grid(1)
        if i < len(x):
            x[i] = x[i] * 1j
  )pyk"_pyk);
  const GenericKernel turn = module.kernel("turn").value();
  const auto turned = [&]<typename Number>(Number number) {
    std::vector<Number> values(3, number);
    const Array<Number> x = device_.copy_from<Number>(values).value();
    turn.launch({.grid = {1}, .block = {32}}, x).value();
    x.copy_to(values).value();
    return values.back();
  };
  EXPECT_EQ(turned(std::complex<float>(1, 2)), std::complex<float>(-2, 1));
  EXPECT_EQ(turned(std::complex<double>(1, 2)), std::complex<double>(-2, 1));
}

TEST_F(Generic, RecordsAreToldApartByTheirTypes) {
  const SourceModule module = load(R"pyk(
    @kernel
    def first(p, x):
        x[0] = p[0]
        x[1] = p[1]
  )pyk"_pyk);
  const GenericKernel first = module.kernel("first").value();
  Argument point;
  point.record = complex_type(ScalarType::F32);
  point.is_array = true;
  point.rank = 1;
  point.extents[0] = 2;
  point.strides[0] = 1;
  const auto memory = device_.allocate<float>(8).value();
  point.address = memory.address();
  const auto specialise = [&](RecordRef record) {
    point.record = std::move(record);
    const Argument list[] = {point, point};
    return first.specialization_with(list);
  };
  const Kernel complex = specialise(complex_type(ScalarType::F32)).value();
  const RecordRef equal(RecordType(*complex_type(ScalarType::F32)));  // the same type, of another origin
  EXPECT_EQ(&specialise(equal).value().info(), &complex.info());
  EXPECT_EQ(types_of(specialise(vector_type(ScalarType::F32, 2))), "f32x2[:], f32x2[:]");
  EXPECT_EQ(types_of(complex), "c64[:], c64[:]");
}

TEST_F(Generic, AnnotatedKernelsAreCompiledOnce) {
  const SourceModule module = load();
  const Array<float> x = array<float>({1, 2});
  const GenericKernel typed = module.kernel("typed").value();
  typed.launch(config_, 5, x).value();  // an integer that an f32 holds
  EXPECT_EQ(host(x), (std::vector<float>{5, 5}));
  EXPECT_EQ(&typed.specialization(5, x).value().info(), &typed.specialization(5.0F, x).value().info());
  const Result<void> refused = typed.launch(config_, 5.0, x);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("parameter `a`: expected a scalar f32"), std::string::npos);
}

TEST_F(Generic, WhatIsWrongIsSaid) {
  const SourceModule module = load();
  const Array<float> x = array<float>({1, 2});
  EXPECT_EQ(module.launch("saxpi", config_, x).error().message,
            "the source has no kernel `saxpi`; it has: saxpy, typed, copy");
  EXPECT_EQ(module.launch("saxpy", config_, 1.0F, x).error().message, "kernel `saxpy` takes 3 arguments, 2 given");
  const Error error = module.launch("saxpy", config_, x, x, x).error();
  EXPECT_EQ(error.code, ErrorCode::InvalidSource);
  EXPECT_TRUE(error.message.starts_with("kernel `saxpy` does not compile for (f32[:], f32[:], f32[:]): "))
      << error.message;
  ASSERT_FALSE(error.diagnostics.empty());
  Argument deep = Argument::of(x);
  deep.rank = 9;
  const Argument list[] = {Argument::of(1), deep, deep};
  EXPECT_EQ(module.kernel("saxpy").value().launch_with(config_, list).error().message,
            "kernel `saxpy` is given an array of rank 9; at most 8 are possible");
  Argument strange = Argument::of(x);
  strange.type = static_cast<ScalarType>(99);
  const Argument strangers[] = {Argument::of(1), strange, strange};
  EXPECT_EQ(module.kernel("saxpy").value().launch_with(config_, strangers).error().message,
            "an argument has an invalid ScalarType (99)");
  const Result<SourceModule> broken = SourceModule::load(device_, R"pyk(
    @kernel
    def k(x:
  )pyk"_pyk);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::InvalidSource);
  EXPECT_EQ(broken.error().diagnostics.front().place.line, __LINE__ - 4);
}

TEST_F(Generic, ManyThreadsAskForTheSame) {
  constexpr int kThreads = 16, kKernels = 4;
  const SourceModule module = load();
  const Array<float> x = array<float>(std::vector<float>(100, 1)), y = array<float>(std::vector<float>(100));
  std::atomic<int> waiting = kThreads;
  const KernelInfo* found[kThreads][kKernels] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const GenericKernel saxpy = module.kernel("saxpy").value();
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      found[t][0] = &saxpy.specialization(1.0F, x, y).value().info();
      found[t][1] = &saxpy.specialization(1.0, x, y).value().info();
      found[t][2] = &saxpy.specialization(std::int8_t{1}, x, y).value().info();
      found[t][3] = &saxpy.specialization(std::uint8_t{1}, x, y).value().info();
    });
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t)
    for (int k = 0; k < kKernels; ++k) EXPECT_EQ(found[t][k], found[0][k]);
}

TEST_F(Generic, AWarmLaunchTakesNothingFromTheHeap) {
  const SourceModule module = load();
  const Array<float> x = array<float>(std::vector<float>(100, 1)), y = array<float>(std::vector<float>(100));
  const GenericKernel saxpy = module.kernel("saxpy").value();
  const auto launch = [&] {
    saxpy.launch(config_, 1.0F, x, y).value();
    module.launch("saxpy", config_, 1.0F, x, y).value();
  };
  launch();
  const long before = testing::allocations();
  launch();
  EXPECT_EQ(testing::allocations(), before);
}

constexpr const char* kTwice = R"(.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 a)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [a];
  add.s32 %r1, %r0, %r0;
  st.param.b32 [result], %r1;
  ret;
}
)";

// The driver's linker joins them: what a checked kernel reports by must still be found then.
TEST_F(Generic, AFaultIsFoundInAKernelThatTheDriverLinked) {
  if (device_.is_cpu()) GTEST_SKIP() << "skipped: the CPU device links no PTX";
  constexpr SourceLiteral kCaller = R"pyk(
    @extern
    def twice(a: i32) -> i32: ...

    @kernel
    def k(y: i32[:], n: i64):
        i = grid(1)
        if i < n:
            y[i] = twice(y[i])
  )pyk"_pyk;
  const SourceModule module =
      SourceModule::load(device_, kCaller, {.checked = true, .libraries = {{"twice.ptx", kTwice}}}).value();
  const Array<std::int32_t> y = array<std::int32_t>({1, 2, 3});
  module.launch("k", config_, y, 3).value();
  EXPECT_EQ(host(y), (std::vector<std::int32_t>{2, 4, 6}));
  module.launch("k", config_, y, 4).value();
  const Result<void> fault = device_.synchronize();
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().code, ErrorCode::KernelFault);
  EXPECT_NE(fault.error().message.find("source_module_test.cpp:"), std::string::npos) << fault.error().message;
}

TEST(SourceModule, HasKernelsThatTheSourceImportsByName) {
  const Device device = testing::device();
  const SourceModule module = SourceModule::load(device, R"pyk(
    from pykc.reduce import block_sum, partial_sums as sums_of, row_norms
    from pykc.gemv import gemv_rows

    @kernel
    def own(x: f32[:]):
        x[grid(1)] = 1.0

    @kernel
    def row_norms(x: f32[:]):
        x[grid(1)] = 2.0
  )pyk"_pyk)
                                  .value();
  EXPECT_EQ(module.kernel_names(), (std::vector<std::string>{"own", "row_norms", "sums_of", "gemv_rows"}));
  const Array<float> x = device.zeros<float>({8}).value(), sums = device.zeros<float>({1}).value();
  module.launch("row_norms", {.grid = {1}, .block = {8}}, x).value();  // its own
  module.launch("sums_of", {.grid = {1}, .block = {8}}, sums, x).value();
  EXPECT_EQ(testing::host(sums), std::vector<float>{16});
  EXPECT_NE(module.kernel("partial_sums").error().message.find("it has: own, row_norms, sums_of, gemv_rows"),
            std::string::npos);
}

TEST(BoundConstants, AreTypesToo) {
  const Device device = Device::open("cpu").value();
  const SourceModule module = SourceModule::load(device, R"pyk(
    @kernel
    def k(x: f64[:], T: constexpr):
        s = shared.array(32, T)
        s[0] = T(1.5)
        x[0] = s[0]
  )pyk"_pyk)
                                  .value();
  const Array<double> x = device.zeros<double>(1).value();
  module.kernel("k").value().bind({{"T", ScalarType::F16}}).value().launch({}, x).value();
  EXPECT_EQ(x.to_vector().value().front(), 1.5);
  module.kernel("k").value().bind({{"T", ScalarType::I32}}).value().launch({}, x).value();
  EXPECT_EQ(x.to_vector().value().front(), 1);
}

}  // namespace
}  // namespace pykc
