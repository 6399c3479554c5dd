// Any sequence of calls of pykc.h on a few arrays and a kernel of the CPU device, with extents, strides and types that
// make sense or not: each succeeds or says why not. The kernel is checked, so what it is given cannot hurt.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>

#include "pykc.h"

namespace {

/// The input, as the numbers that calls take.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool is_empty() const { return at_ == end_; }
  std::uint8_t byte() { return is_empty() ? 0 : *at_++; }
  std::int64_t extent() {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kStrange[] = {-1,   -8,        kMost, -kMost - 1, kMost / 8, std::int64_t{1} << 48,
                                         1000, 1LL << 62, -1000, kMost / 4};
    const std::uint8_t choice = byte();
    return choice < std::size(kStrange) ? kStrange[choice] : choice % 9;
  }
  /// Mostly a type, and a rank, that there is.
  std::int32_t type() { return byte() % 18 - 1; }
  std::int32_t rank() { return byte() % 11 - 1; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

constexpr char kSource[] =
    "from pykc import *\n"
    "\n"
    "@struct\n"
    "class Pair:\n"
    "    a: i32\n"
    "    b: f32\n"
    "\n"
    "@kernel\n"
    "def mix(pairs: Pair[:], x: f32[::, ::], y: i64[:], factor: f32):\n"
    "    i, j = grid(2)\n"
    "    if i < x.shape[0] and j < x.shape[1]:\n"
    "        x[i, j] *= factor\n"
    "        pairs[i].a = y[j]\n";

void require(pykc_error* error) {
  if (error != nullptr) std::abort();
}

class Calls {
 public:
  Calls() {
    pykc_compile_options options;
    pykc_compile_options_init(&options, sizeof options);
    options.target = "cpu";
    options.checked = 1;
    options.cache = 0;
    pykc_artifact* artifact = nullptr;
    pykc_module* module = nullptr;
    require(pykc_device_open("cpu", &device_));
    require(pykc_compile(kSource, sizeof kSource - 1, nullptr, &options, &artifact));
    require(pykc_module_load(device_, artifact, &module));
    require(pykc_module_kernel(module, "mix", &kernel_));
    require(pykc_stream_create(device_, &stream_));
    pykc_module_free(module);
    pykc_artifact_free(artifact);
  }

  void run(Input input) {
    while (!input.is_empty()) call(input);
    for (pykc_array*& array : arrays_) keep(nullptr, array);
    (void)heard(pykc_device_synchronize(device_));
  }

 private:
  /// Whether the call succeeded; its error, as everything, is read and freed.
  static bool heard(pykc_error* error) {
    if (error == nullptr) return true;
    if (pykc_error_code(error) == PYKC_OK || std::strlen(pykc_error_text(error)) == 0) std::abort();
    if (pykc_error_code(error) == PYKC_INTERNAL) std::abort();
    pykc_error_free(error);
    return false;
  }

  static void keep(pykc_array* made, pykc_array*& place) {
    pykc_array_free(place);
    place = made;
  }

  pykc_array*& array(Input& input) { return arrays_[input.byte() % arrays_.size()]; }
  const pykc_stream* stream(Input& input) { return input.byte() % 2 == 0 ? nullptr : stream_; }

  void read_shape(Input& input) {
    rank_ = input.rank();
    for (std::int64_t& extent : shape_) extent = 1;
    for (std::int32_t i = 0; i < rank_ && i < 9; ++i) shape_[static_cast<std::size_t>(i)] = input.extent();
  }

  static constexpr std::int64_t kMany = 1 << 16;

  /// Whether so many elements would be given, and take long to clear.
  bool is_large() const {
    constexpr std::int64_t kTooMany = std::int64_t{1} << 44;
    std::int64_t size = 1;
    for (const std::int64_t extent : shape_)
      if (__builtin_mul_overflow(size, extent, &size)) return false;
    return size > kMany && size < kTooMany;
  }

  void make(Input& input) {
    const std::int32_t type = input.type();
    read_shape(input);
    if (is_large()) return;
    pykc_array* made = nullptr;
    const std::uint8_t how = input.byte();
    pykc_error* error = nullptr;
    if (how % 4 == 0)
      error = pykc_array_zeros(device_, type, rank_, shape_.data(), &made);
    else if (how % 4 == 1)
      error = pykc_array_allocate_in(device_, how / 4 % 4, type, rank_, shape_.data(), &made);
    else if (how % 4 == 2)
      error = pykc_array_allocate_on(stream_, type, rank_, shape_.data(), &made);
    else
      error = pykc_array_allocate(device_, type, rank_, shape_.data(), &made);
    if (heard(error)) keep(made, array(input));
  }

  void view(Input& input) {
    const pykc_array* const of = array(input);
    read_shape(input);
    std::array<std::int64_t, 9> strides{};
    for (std::int64_t& stride : strides) stride = input.extent();
    pykc_array* made = nullptr;
    if (!heard(pykc_array_view(of, rank_, shape_.data(), strides.data(), input.extent(), &made))) return;
    if (pykc_array_size(made) > kMany)  // a few elements, seen so often that a copy takes for ever
      pykc_array_free(made);
    else
      keep(made, array(input));
  }

  void as_parameter(Input& input) {
    const pykc_array* const bytes = array(input);
    pykc_array* made = nullptr;
    if (heard(pykc_array_as_parameter(bytes, pykc_kernel_get_info(kernel_), input.byte() % 5, &made)))
      keep(made, array(input));
  }

  void touch(Input& input) {
    const pykc_array* const touched = array(input);
    if (touched == nullptr) return;
    std::array<std::uint8_t, 64> element;
    element.fill(input.byte());
    const auto bytes =
        static_cast<std::size_t>(pykc_array_size(touched) * pykc_array_element_bytes(touched)) + input.byte() % 2;
    if (bytes > memory_.size()) return;
    switch (input.byte() % 4) {
      case 0:
        return (void)heard(pykc_array_fill(touched, stream(input), element.data()));
      case 1:
        return (void)heard(pykc_array_fill_zero(touched, stream(input)));
      case 2:
        return (void)heard(pykc_array_copy_from_host(touched, stream(input), memory_.data(), bytes));
      default:
        return (void)heard(pykc_array_copy_to_host(touched, stream(input), memory_.data(), bytes));
    }
  }

  void launch(Input& input) {
    pykc_launch_config config;
    pykc_launch_config_init(&config, sizeof config);
    config.size -= input.byte() % 3 == 0 ? input.byte() % sizeof config : 0;
    for (std::int64_t& extent : config.block) extent = input.extent();
    for (std::int64_t& extent : config.grid) extent = input.extent() % 100;
    config.shared_bytes = input.extent();
    config.stream = stream(input);
    std::array<pykc_argument, 12> arguments{};
    for (pykc_argument& argument : arguments) {
      argument.kind = input.byte() % 4;
      argument.type = input.type();
      if (argument.kind == PYKC_ARGUMENT_ARRAY)
        argument.value.array = array(input);
      else if (argument.kind == PYKC_ARGUMENT_RECORD)
        argument.value.record = memory_.data();
      else
        argument.value.number.u64 = input.byte() * 0x0101010101010101U;
    }
    const std::size_t count = input.byte() % 3 != 0 ? 4 : input.byte() % (arguments.size() + 1);
    (void)heard(pykc_kernel_launch(kernel_, &config, arguments.data(), count));
  }

  void call(Input& input) {
    switch (input.byte() % 6) {
      case 0:
        return make(input);
      case 1:
        return view(input);
      case 2:
        return as_parameter(input);
      case 3:
        return touch(input);
      case 4:
        return (void)heard(pykc_array_copy(array(input), stream(input), array(input)));
      default:
        return launch(input);
    }
  }

  pykc_device* device_ = nullptr;
  pykc_kernel* kernel_ = nullptr;
  pykc_stream* stream_ = nullptr;
  std::array<pykc_array*, 4> arrays_{};
  std::array<std::int64_t, 10> shape_{};
  std::int32_t rank_ = 0;
  std::array<std::uint8_t, 1 << 16> memory_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Calls calls;
  calls.run(Input(data, size));
  return 0;
}
