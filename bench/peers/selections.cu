// What CUB and cuSPARSE take for what `selections.pyk` gives the library: a line for each, with the median in
// milliseconds.
#include <cusparse.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <string>
#include <vector>

namespace {

constexpr int kRounds = 7, kLaunches = 20;
constexpr std::int64_t kN = std::int64_t{1} << 28;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

void check(cusparseStatus_t status) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s\n", cusparseGetErrorString(status));
  std::exit(1);
}

template <typename T>
struct Array {
  explicit Array(std::int64_t size) : size(size) { check(cudaMalloc(&data, size * sizeof(T))); }
  ~Array() { cudaFree(data); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data = nullptr;
  std::int64_t size;
};

template <typename T, typename Value>
__global__ void fill_kernel(T* x, std::int64_t n, Value value) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<T>(value(i));
}

template <typename T, typename Value>
void fill(Array<T>& x, Value value) {
  fill_kernel<<<static_cast<unsigned>((x.size + 255) / 256), 256>>>(x.data, x.size, value);
  check(cudaDeviceSynchronize());
}

/// Numbers from 0 to before `high`, of the hash splitmix64.
struct Random {
  std::uint64_t high;
  __device__ std::uint64_t operator()(std::int64_t i) const {
    std::uint64_t x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return __umul64hi(x ^ x >> 31, high);
  }
};

struct Counted {
  std::int64_t times = 1, of_each = 1;
  __device__ std::int64_t operator()(std::int64_t i) const { return i / of_each * times; }
};

struct One {
  __device__ int operator()(std::int64_t) const { return 1; }
};

struct IsEven {
  __device__ bool operator()(int x) const { return x % 2 == 0; }
};

template <typename Run>
void measure(const std::string& name, Run run) {
  run();
  run();
  std::vector<float> times(kRounds);
  cudaEvent_t start, end;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  for (float& time : times) {
    check(cudaEventRecord(start));
    for (int i = 0; i < kLaunches; ++i) run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&time, start, end));
  }
  std::sort(times.begin(), times.end());
  std::printf("%s: %g\n", name.c_str(), times[kRounds / 2] / kLaunches);
  std::fflush(stdout);
}

/// `call(memory, size)`, an algorithm of CUB, which asks for its memory first.
template <typename Call>
void measure_cub(const std::string& name, Call call) {
  std::size_t size = 0;
  check(call(nullptr, size));
  Array<char> memory(static_cast<std::int64_t>(size));
  measure(name, [&] { check(call(memory.data, size)); });
}

template <typename T>
void sorts(const std::string& kind, int log) {
  Array<T> x(std::int64_t{1} << log), out(x.size);
  fill(x, Random{(1u << 31) - 1});
  measure_cub("sort " + kind + " 2^" + std::to_string(log), [&](void* memory, std::size_t& size) {
    return cub::DeviceRadixSort::SortKeys(memory, size, x.data, out.data, x.size);
  });
}

void sorts_of_pairs() {
  Array<int> keys(kN / 2), values(kN / 2), sorted_keys(kN / 2), sorted_values(kN / 2);
  fill(keys, Random{(1u << 31) - 1});
  fill(values, Counted{});
  measure_cub("sort_pairs i32 2^27", [&](void* memory, std::size_t& size) {
    return cub::DeviceRadixSort::SortPairs(memory, size, keys.data, sorted_keys.data, values.data, sorted_values.data,
                                           keys.size);
  });
}

void choices() {
  Array<int> x(kN), out(kN), count(1);
  Array<std::uint8_t> flags(kN);
  fill(x, Random{1u << 30});
  fill(flags, Random{2});
  measure_cub("select i32 half", [&](void* memory, std::size_t& size) {
    return cub::DeviceSelect::Flagged(memory, size, x.data, flags.data, out.data, count.data, kN);
  });
  measure_cub("select_if i32 half", [&](void* memory, std::size_t& size) {
    return cub::DeviceSelect::If(memory, size, x.data, out.data, count.data, kN, IsEven{});
  });
  fill(x, Random{2});
  measure_cub("unique i32 half", [&](void* memory, std::size_t& size) {
    return cub::DeviceSelect::Unique(memory, size, x.data, out.data, count.data, kN);
  });
}

void runs(std::int64_t of_each) {
  Array<int> x(kN), values(kN), lengths(kN), count(1);
  fill(x, Counted{1, of_each});
  measure_cub("run_length i32 of " + std::to_string(of_each), [&](void* memory, std::size_t& size) {
    return cub::DeviceRunLengthEncode::Encode(memory, size, x.data, values.data, lengths.data, count.data, kN);
  });
}

void segments(std::int64_t length) {
  Array<float> x(kN), results(kN / length);
  Array<int> starts(kN / length + 1);
  fill(x, One{});
  fill(starts, Counted{length});
  measure_cub("segmented_reduce f32 of " + std::to_string(length), [&](void* memory, std::size_t& size) {
    return cub::DeviceSegmentedReduce::Sum(memory, size, x.data, results.data, results.size, starts.data,
                                           starts.data + 1);
  });
}

void sparse(std::int64_t rows, std::int64_t of_each) {
  Array<int> starts(rows + 1), columns(rows * of_each);
  Array<float> values(rows * of_each), x(rows), y(rows);
  fill(starts, Counted{of_each});
  fill(columns, Random{static_cast<std::uint64_t>(rows)});
  fill(values, One{});
  fill(x, One{});
  cusparseHandle_t handle;
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t from, to;
  check(cusparseCreate(&handle));
  check(cusparseCreateCsr(&matrix, rows, rows, values.size, starts.data, columns.data, values.data, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  check(cusparseCreateDnVec(&from, rows, x.data, CUDA_R_32F));
  check(cusparseCreateDnVec(&to, rows, y.data, CUDA_R_32F));
  const float one = 1, zero = 0;
  std::size_t size = 0;
  check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_32F,
                                CUSPARSE_SPMV_ALG_DEFAULT, &size));
  Array<char> memory(static_cast<std::int64_t>(size) + 1);
  measure("spmv f32 of " + std::to_string(of_each), [&] {
    check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_32F,
                       CUSPARSE_SPMV_ALG_DEFAULT, memory.data));
  });
}

}  // namespace

int main() {
  for (const int log : {10, 14, 16, 20, 24, 28}) sorts<int>("i32", log);
  sorts<float>("f32", 28);
  sorts<std::uint64_t>("u64", 27);
  sorts_of_pairs();
  choices();
  for (const int of_each : {1, 2, 100}) runs(of_each);
  for (const int length : {32, 1000, 1 << 16}) segments(length);
  sparse(1 << 20, 32);
}
