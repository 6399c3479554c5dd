// Memory of others: wrapped by its address, and exchanged as DLPack tensors, on the CPU device and over the fake
// driver.
#include "pykc/dlpack.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "tests/mock_cuda/mock_cuda.h"

namespace pykc {
namespace {

using Shape = std::vector<std::int64_t>;
using Values = std::vector<int>;

void use_mock() {
  setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
  mock_cuda::mock_reset();
}

class ForeignMemory : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    use_mock();
    device_ = Device::open(GetParam()).value();
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(mock_cuda::mock_live_objects(), 0);
  }
  static Values values_of(const Array<int>& array) {
    Values values(static_cast<std::size_t>(array.size()));
    EXPECT_TRUE(array.copy_to(values));
    return values;
  }
  Array<int> six() { return device_->copy_from<int>(Values{0, 1, 2, 3, 4, 5}).value(); }

  std::optional<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Devices, ForeignMemory, ::testing::Values("cpu", "cuda:0"),
                         [](const auto& info) { return std::string(info.param) == "cpu" ? "Cpu" : "Cuda"; });

TEST_P(ForeignMemory, IsWrapped) {
  const Array<int> memory = six();
  const Array<int> x = device_->wrap(memory.address(), {2, 3}).value();
  EXPECT_EQ(x.address(), memory.address());
  EXPECT_EQ(values_of(x.transpose()), (Values{0, 3, 1, 4, 2, 5}));
  const Array<int> reversed = device_->wrap(memory.address() + 5, {3}, {-2}).value();
  EXPECT_EQ(values_of(reversed), (Values{5, 3, 1}));
  EXPECT_EQ(reversed.address(), memory.address() + 5);
  ASSERT_TRUE(reversed.fill_zero());
  EXPECT_EQ(values_of(memory), (Values{0, 0, 2, 0, 4, 0}));
  EXPECT_EQ(device_->wrap<int>(nullptr, {0}).value().size(), 0);
}

TEST_P(ForeignMemory, KeepsItsOwner) {
  const Array<int> memory = six();
  auto owner = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = owner;
  {
    const Array<int> x = device_->wrap(memory.address(), {6}, std::move(owner)).value();
    const Array<int> view = x.slice(Slice{2, 4}).value();
    EXPECT_FALSE(watched.expired());
    EXPECT_EQ(values_of(view), (Values{2, 3}));
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(values_of(memory), (Values{0, 1, 2, 3, 4, 5}));
}

TEST_P(ForeignMemory, RefusesWhatIsNoMemory) {
  EXPECT_EQ(device_->wrap<int>(nullptr, {3}).error().message, "a null pointer is no memory of 12 bytes");
  EXPECT_EQ(device_->wrap_bytes(nullptr, -1).error().message, "a buffer cannot have -1 bytes");
  const Array<int> memory = six();
  auto* const odd = reinterpret_cast<int*>(reinterpret_cast<char*>(memory.address()) + 2);
  EXPECT_EQ(device_->wrap(odd, {2}).error().message,
            "the address of the buffer is not aligned to 4 bytes, as its elements must be");
  EXPECT_FALSE(device_->wrap(memory.address(), {-1}));
  EXPECT_FALSE(device_->wrap(memory.address(), {2, 2}, {1}));
}

TEST(ForeignMemoryOfGpus, IsWhereItShouldBe) {
  use_mock();
  mock_cuda::mock_set_devices(2);
  const Device first = Device::open("cuda:0").value(), second = Device::open("cuda:1").value();
  const Array<int> there = second.allocate<int>(4).value();
  EXPECT_EQ(first.wrap(there.address(), {4}).error().message, "the address is no memory of cuda:0: it lies on cuda:1");
  int on_the_host[4] = {};
  EXPECT_EQ(first.wrap(on_the_host, {4}).error().message,
            "the address is no memory of cuda:0: the driver does not know it; copy from the host's memory");
  const PinnedArray<int> pinned = second.allocate_pinned<int>(4).value();
  EXPECT_TRUE(first.wrap(pinned.span().data(), {4}));
  for (int call = 1; call <= 3; ++call) {
    mock_cuda::mock_fail("cuPointerGetAttribute", call, 3);
    EXPECT_TRUE(second.wrap(there.address(), {4}).error().message.starts_with("cuPointerGetAttribute failed"));
  }
}

template <typename Managed>
class Exchange : public ::testing::Test {};
using Tensors = ::testing::Types<DLManagedTensorVersioned, DLManagedTensor>;
TYPED_TEST_SUITE(Exchange, Tensors);

TYPED_TEST(Exchange, ThereAndBack) {
  use_mock();
  for (const char* name : {"cpu", "cuda:0"}) {
    {
      const Device device = Device::open(name).value();
      TypeParam* tensor = nullptr;
      {
        const Array<int> x = device.copy_from<int>(Values{0, 1, 2, 3, 4, 5}, {2, 3}).value();
        tensor = to_dlpack<TypeParam>(x.slice(Slice{.step = -1}, Slice{1, 3}).value()).value();
      }
      const DLTensor& data = tensor->dl_tensor;
      EXPECT_EQ(data.device.device_type, device.is_cpu() ? kDLCPU : kDLCUDA);
      EXPECT_EQ(data.ndim, 2);
      EXPECT_EQ(data.dtype.code, kDLInt);
      EXPECT_EQ(data.dtype.bits, 32);
      EXPECT_EQ(data.shape[1], 2);
      EXPECT_EQ(data.strides[0], -3);
      const Array<int> y = from_dlpack<int>(device, tensor).value();
      Values values(4);
      ASSERT_TRUE(y.copy_to(values));
      EXPECT_EQ(values, (Values{4, 5, 1, 2}));
      TypeParam* const unused = to_dlpack<TypeParam>(y).value();
      unused->deleter(unused);
    }
    EXPECT_EQ(mock_cuda::mock_live_objects(), 0);
  }
}

/// A tensor of another library: five floats on the host, of which an array sees some.
struct Foreign {
  std::array<float, 6> memory = {9, 0, 1, 2, 3, 4};
  std::array<std::int64_t, 2> shape = {2, 2}, strides = {2, 1};
  int deleted = 0;
  DLManagedTensorVersioned tensor{};
  Foreign() {
    tensor.version = {1, 9};
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
    tensor.dl_tensor = {.data = memory.data(),
                        .device = {kDLCPU, 0},
                        .ndim = 2,
                        .dtype = {kDLFloat, 32, 1},
                        .shape = shape.data(),
                        .strides = strides.data(),
                        .byte_offset = 4};
  }
};

TEST(DlpackTensor, IsDeletedOnceWithTheLastHandle) {
  const Device cpu = Device::open("cpu").value();
  Foreign foreign;
  {
    const Array<float> x = from_dlpack<float>(cpu, &foreign.tensor).value();
    const Array<float> row = x.slice(1).value();
    std::vector<float> values(2);
    ASSERT_TRUE(row.copy_to(values));
    EXPECT_EQ(values, (std::vector<float>{2, 3}));
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
  foreign.tensor.dl_tensor.strides = nullptr;
  foreign.tensor.deleter = nullptr;
  EXPECT_EQ(from_dlpack<float>(cpu, &foreign.tensor).value().strides()[0], 2);
}

TEST(DlpackTensor, RemainsTheCallersWhereItIsRefused) {
  use_mock();
  const Device cpu = Device::open("cpu").value(), gpu = Device::open("cuda:0").value();
  Foreign foreign;
  DLManagedTensorVersioned& tensor = foreign.tensor;
  const DLManagedTensorVersioned good = tensor;
  const auto expect_refusal = [&]<typename T>(T, const Device& device, const std::string& why) {
    const Result<Array<T>> array = from_dlpack<T>(device, &tensor);
    ASSERT_FALSE(array) << why;
    EXPECT_EQ(array.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(array.error().message, why);
    tensor = good;
  };
  expect_refusal(0.0, cpu, "DLPack tensor: its elements are float32, the array's float64");
  expect_refusal(0, cpu, "DLPack tensor: its elements are float32, the array's int32");
  expect_refusal(Half{}, cpu, "DLPack tensor: its elements are float32, the array's float16");
  expect_refusal(BFloat16{}, cpu, "DLPack tensor: its elements are float32, the array's bfloat16");
  expect_refusal(Float8E4M3{}, cpu, "DLPack tensor: its elements are float32, the array's float8_e4m3fn");
  expect_refusal(Float8E5M2{}, cpu, "DLPack tensor: its elements are float32, the array's float8_e5m2");
  expect_refusal(true, cpu, "DLPack tensor: its elements are float32, the array's bool8");
  expect_refusal(std::complex<float>{}, cpu, "DLPack tensor: its elements are float32, the array's complex64");
  tensor.dl_tensor.dtype.lanes = 4;
  expect_refusal(0.0F, cpu, "DLPack tensor: its elements are float32x4, the array's float32");
  tensor.dl_tensor.dtype.code = 77;
  expect_refusal(0.0F, cpu, "DLPack tensor: its elements are type 7732, the array's float32");
  expect_refusal(0.0F, gpu, "DLPack tensor: it lies on cpu, and an array of cuda:0 is asked for");
  tensor.dl_tensor.device = {kDLCUDA, 1};
  expect_refusal(0.0F, gpu, "DLPack tensor: it lies on cuda:1, and an array of cuda:0 is asked for");
  tensor.dl_tensor.device = {kDLMetal, 0};
  expect_refusal(0.0F, cpu, "DLPack tensor: it lies on a device of DLPack's type 8, and an array of cpu is asked for");
  tensor.dl_tensor.device = {kDLCUDA, 0};  // a lie: the address is of the host
  expect_refusal(0.0F, gpu,
                 "the address is no memory of cuda:0: the driver does not know it; copy from the host's memory");
  tensor.dl_tensor.ndim = 9;
  expect_refusal(0.0F, cpu, "DLPack tensor: it has 9 axes, an array at most 8");
  tensor.dl_tensor.ndim = -1;
  expect_refusal(0.0F, cpu, "DLPack tensor: it has -1 axes, an array at most 8");
  tensor.dl_tensor.shape = nullptr;
  expect_refusal(0.0F, cpu, "DLPack tensor: it has no shape");
  tensor.dl_tensor.data = nullptr;
  tensor.dl_tensor.byte_offset = 0;
  expect_refusal(0.0F, cpu, "a null pointer is no memory of 16 bytes");
  tensor.dl_tensor.byte_offset = 2;
  expect_refusal(0.0F, cpu, "the address of the buffer is not aligned to 4 bytes, as its elements must be");
  tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  expect_refusal(0.0F, cpu, "DLPack tensor: it is read-only, and an array can be written to; export a copy of it");
  tensor.version.major = 2;
  expect_refusal(0.0F, cpu, "DLPack tensor: it is of DLPack 2.9; pykc reads version 1");
  foreign.shape[0] = -2;
  expect_refusal(0.0F, cpu, "an array cannot have the extent -2: its shape is (-2, 2)");
  EXPECT_FALSE(from_dlpack<float>(cpu, static_cast<DLManagedTensor*>(nullptr)));
  EXPECT_FALSE(from_dlpack<float>(cpu, static_cast<DLManagedTensorVersioned*>(nullptr)));
  EXPECT_EQ(foreign.deleted, 0);
}

TEST(DlpackTensor, OfPinnedAndManagedMemory) {
  Foreign foreign;
  foreign.tensor.dl_tensor.device = {kDLCUDAHost, 0};
  EXPECT_TRUE(from_dlpack<float>(Device::open("cpu").value(), &foreign.tensor));
  EXPECT_EQ(foreign.deleted, 1);
  use_mock();
  const Device gpu = Device::open("cuda:0").value();
  const Array<float> memory = gpu.allocate<float>(6).value();
  foreign.tensor.dl_tensor.data = memory.address();
  foreign.tensor.dl_tensor.device = {kDLCUDAManaged, 3};
  EXPECT_TRUE(from_dlpack<float>(gpu, &foreign.tensor));
  EXPECT_EQ(foreign.deleted, 2);
}

TEST(DlpackTensor, HasTheLayoutOfTheStandard) {
  EXPECT_EQ(sizeof(DLTensor), 48U);
  EXPECT_EQ(offsetof(DLTensor, shape), 24U);
  EXPECT_EQ(offsetof(DLTensor, byte_offset), 40U);
  EXPECT_EQ(sizeof(DLManagedTensor), 64U);
  EXPECT_EQ(sizeof(DLManagedTensorVersioned), 80U);
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, dl_tensor), 32U);
}

}  // namespace
}  // namespace pykc
