// Arrays from and to .npy files, on the CPU device and over the fake driver.
#include "pykc/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/mock_cuda/mock_cuda.h"

namespace pykc {
namespace {

using Values = std::vector<int>;

class Npy : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("PYKC_CUDA_LIBRARY", MOCK_CUDA, 1);
    mock_cuda::mock_reset();
    device_ = Device::open(GetParam()).value();
    path_ = std::filesystem::temp_directory_path() / ("pykc_array_" + std::to_string(getpid()) + ".npy");
  }
  void TearDown() override { std::filesystem::remove(path_); }
  template <typename T>
  std::vector<T> saved_and_loaded(const Array<T>& array) {
    const Result<void> saved = save_npy(path_, array);
    EXPECT_TRUE(saved) << saved.error().message;
    const Array<T> loaded = load_npy<T>(*device_, path_).value();
    EXPECT_TRUE(std::ranges::equal(loaded.shape(), array.shape()));
    std::vector<T> values(static_cast<std::size_t>(loaded.size()));
    EXPECT_TRUE(loaded.copy_to(values));
    return values;
  }
  void write(std::string header, std::string_view elements) {
    header += '\n';
    std::ofstream file(path_, std::ios::binary);
    file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header << elements;
  }
  std::string contents() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::optional<Device> device_;
  std::string path_;
};

INSTANTIATE_TEST_SUITE_P(Devices, Npy, ::testing::Values("cpu", "cuda:0"),
                         [](const auto& info) { return std::string(info.param) == "cpu" ? "Cpu" : "Cuda"; });

TEST_P(Npy, AnyArrayIsSavedAndLoaded) {
  const Array<int> x = device_->copy_from<int>(Values{0, 1, 2, 3, 4, 5}, {2, 3}).value();
  EXPECT_EQ(saved_and_loaded(x), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(saved_and_loaded(x.transpose()), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(saved_and_loaded(x.slice(Slice{.step = -1}, Slice{0, 3, 2}).value()), (Values{3, 5, 0, 2}));
  EXPECT_EQ(saved_and_loaded(x.slice(1, 1).value()), (Values{4}));
  EXPECT_EQ(saved_and_loaded(device_->allocate<int>({0, 3}).value()), Values());
  using Complex = std::complex<double>;
  const std::vector<Complex> numbers = {{1, 2}, {3, -4}};
  EXPECT_EQ(saved_and_loaded(device_->copy_from<Complex>(numbers).value()), numbers);
  const std::vector<Half> halves = {{0x3c00}, {0xc000}};
  EXPECT_EQ(saved_and_loaded(device_->copy_from<Half>(halves).value())[1].bits, 0xc000);
}

TEST_P(Npy, WritesWhatNumPyWrites) {
  const Array<int> x = device_->copy_from<int>(Values{1, 2}, {1, 2}).value();
  ASSERT_TRUE(save_npy(path_, x));
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }";
  expected.append(127 - expected.size(), ' ');
  expected += "\n" + std::string("\1\0\0\0\2\0\0\0", 8);
  EXPECT_EQ(contents(), expected);
  ASSERT_TRUE(save_npy(path_, device_->zeros<int>({2, 2}, Layout::ColumnMajor).value()));
  EXPECT_NE(contents().find("'fortran_order': True"), std::string::npos);
  EXPECT_EQ(load_npy<int>(*device_, path_).value().strides()[1], 2);
}

TEST_P(Npy, ReadsBothByteOrdersAndBools) {
  write("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }", std::string_view("\0\0\1\2\0\0\0\3", 8));
  Values values(2);
  ASSERT_TRUE(load_npy<int>(*device_, path_).value().copy_to(values));
  EXPECT_EQ(values, (Values{258, 3}));
  write("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", std::string_view("\0\7", 2));
  bool flags[2] = {true, false};
  ASSERT_TRUE(load_npy<bool>(*device_, path_).value().copy_to(flags));
  EXPECT_FALSE(flags[0]);
  EXPECT_TRUE(flags[1]);
}

TEST_P(Npy, SaysWhatIsWrong) {
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "1234");
  EXPECT_EQ(load_npy<double>(*device_, path_).error().message,
            "the file " + path_ + " holds elements of type f32, the array's are f64");
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234");
  EXPECT_EQ(load_npy<float>(*device_, path_).error().message,
            "the file " + path_ + ": it is cut short: 8 bytes of elements are announced, 4 are there");
  EXPECT_EQ(load_npy<float>(*device_, "no-such.npy").error().message,
            "the file no-such.npy: No such file or directory");
  EXPECT_EQ(load_npy<float>(*device_, "no-such.npy").error().code, ErrorCode::InputOutput);
  const Array<float> x = device_->zeros<float>({1}).value();
  EXPECT_EQ(save_npy("no-such-folder/x.npy", x).error().message,
            "the file no-such-folder/x.npy: No such file or directory");
  EXPECT_EQ(save_npy(path_, device_->allocate<BFloat16>(2).value()).error().message,
            "NumPy has no type for elements of type bf16; save them as another, such as f32");
}

}  // namespace
}  // namespace pykc
