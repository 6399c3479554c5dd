// The works by an OpenCL device that is a CPU: PoCL's. Errors end the program, with OpenCL's number.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>

#include "bench/cpu/works.h"

namespace pykc::bench {
namespace {

void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  std::fprintf(stderr, "OpenCL: error %d in %s\n", error, what);
  std::exit(1);
}

std::optional<cl_device_id> find_cpu() {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return std::nullopt;
  for (cl_uint i = 0; i < count && i < 8; ++i) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) return device;
  }
  return std::nullopt;
}

std::string text_of(cl_device_id device, cl_device_info info) {
  char text[256] = {};
  clGetDeviceInfo(device, info, sizeof(text) - 1, text, nullptr);
  return text;
}

/// A context, a queue and the program; its objects live as long as the process, as those of a benchmark may.
class Host {
 public:
  explicit Host(cl_device_id device) {
    cl_int error = 0;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &error);
    check(error, "clCreateCommandQueue");
    std::ifstream file(PYKC_BENCH_FOLDER "/kernels.cl");
    const std::string source((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  }

  template <typename T>
  cl_mem copy(const std::vector<T>& list) const {
    return create(sizeof(T) * list.size(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, const_cast<T*>(list.data()));
  }
  cl_mem allocate(std::int64_t bytes) const {
    return create(static_cast<std::size_t>(bytes), CL_MEM_READ_WRITE, nullptr);
  }
  void fill_zero(cl_mem memory, std::int64_t bytes) const {
    const cl_int zero = 0;
    check(clEnqueueFillBuffer(queue_, memory, &zero, sizeof(zero), 0, static_cast<std::size_t>(bytes), 0, nullptr,
                              nullptr),
          "clEnqueueFillBuffer");
  }

  /// The kernel of a work with its arguments, which stay; runs it to its end.
  template <typename... Arguments>
  std::function<void()> kernel(std::size_t work, const Arguments&... arguments) const {
    cl_int error = 0;
    cl_kernel kernel = clCreateKernel(program_, kWorks[work].kernel, &error);
    check(error, kWorks[work].kernel);
    cl_uint index = 0;
    (set(kernel, index++, arguments), ...);
    return [kernel, work, queue = queue_] {
      std::size_t global[2], local[2];
      for (std::size_t axis = 0; axis < 2; ++axis) {
        local[axis] = static_cast<std::size_t>(kWorks[work].block[axis]);
        global[axis] = static_cast<std::size_t>(kWorks[work].grid[axis]) * local[axis];
      }
      check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr), kWorks[work].kernel);
      check(clFinish(queue), "clFinish");
    };
  }

  /// Calls `use` with the elements where they lie.
  template <typename T, typename Use>
  void with(cl_mem memory, std::int64_t n, const Use& use) const {
    cl_int error = 0;
    void* mapped = clEnqueueMapBuffer(queue_, memory, CL_TRUE, CL_MAP_READ, 0, sizeof(T) * static_cast<std::size_t>(n),
                                      0, nullptr, nullptr, &error);
    check(error, "clEnqueueMapBuffer");
    use(static_cast<const T*>(mapped), static_cast<const T*>(mapped) + n);
    check(clEnqueueUnmapMemObject(queue_, memory, mapped, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
    check(clFinish(queue_), "clFinish");
  }

 private:
  struct LocalBytes;
  cl_mem create(std::size_t bytes, cl_mem_flags flags, void* host) const {
    cl_int error = 0;
    cl_mem memory = clCreateBuffer(context_, flags, bytes, host, &error);
    check(error, "clCreateBuffer");
    return memory;
  }
  template <typename T>
  static void set(cl_kernel kernel, cl_uint index, const T& value) {
    check(clSetKernelArg(kernel, index, sizeof(T), &value), "clSetKernelArg");
  }
  static void set(cl_kernel kernel, cl_uint index, std::size_t local_bytes) {
    check(clSetKernelArg(kernel, index, local_bytes, nullptr), "clSetKernelArg");
  }

  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

template <typename T>
std::function<std::vector<double>()> values_of(const std::shared_ptr<Host>& host, cl_mem memory, std::int64_t n) {
  return [=] {
    std::vector<double> values;
    host->with<T>(memory, n, [&](const T* begin, const T* end) { values.assign(begin, end); });
    return values;
  };
}

}  // namespace

std::optional<System> make_opencl(const Inputs& inputs, int threads) {
  // Read when the platform is first asked for.
  setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads).c_str(), 1);
  const std::optional<cl_device_id> device = find_cpu();
  if (!device) return std::nullopt;
  cl_uint units = 0;
  clGetDeviceInfo(*device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, nullptr);
  const auto host = std::make_shared<Host>(*device);
  const auto floats = [&](std::int64_t n) { return host->allocate(4 * n); };  // integers as well

  const cl_mem numbers = host->copy(inputs.numbers);
  const cl_mem c = floats(kMatrix * kMatrix), sums = floats(kNumbers / 256), turned = floats(kSide * kSide);
  const cl_mem counts = floats(kBins), call = floats(kOptions), put = floats(kOptions),
               steps = floats(kWidth * kHeight);
  const cl_mem others = host->copy(inputs.others);
  const cl_mem scaled = floats(kNumbers), smoothed = floats(kSide * kSide), pull = floats(3 * kBodies);
  const cl_mem product = floats(kRows), convolved = floats(kSamples), label = floats(kPoints);
  host->fill_zero(smoothed, 4 * kSide * kSide);
  const auto total = std::make_shared<std::vector<float>>(1);
  const auto as_int = [](std::int64_t n) { return static_cast<cl_int>(n); };
  const auto size = as_int(kMatrix), side = as_int(kSide), n = as_int(kNumbers);

  System system{.name = "PoCL",
                .description = text_of(*device, CL_DEVICE_VERSION) + ", " + std::to_string(units) + " threads"};
  system.runners = {
      {host->kernel(0, c, host->copy(inputs.a), host->copy(inputs.b), size, size, size),
       values_of<float>(host, c, kMatrix * kMatrix)},
      {[=, launch = host->kernel(1, sums, numbers, n, sizeof(float) * 256)] {
         launch();
         host->with<float>(sums, kNumbers / 256, [&](const float* begin, const float* end) {
           total->front() = std::reduce(begin, end, 0.0f);
         });
       },
       [=] { return as_doubles(*total); }},
      {host->kernel(2, turned, numbers, side, side), values_of<float>(host, turned, kSide * kSide)},
      {[=, launch = host->kernel(3, counts, host->copy(inputs.bytes), n)] {
         host->fill_zero(counts, 4 * kBins);
         launch();
       },
       values_of<cl_int>(host, counts, kBins)},
      {host->kernel(4, call, put, host->copy(inputs.price), host->copy(inputs.strike), host->copy(inputs.years),
                    as_int(kOptions), kRate, kVolatility),
       values_of<float>(host, call, kOptions)},
      {host->kernel(5, steps, as_int(kHeight), as_int(kWidth), static_cast<cl_int>(kIterations)),
       values_of<cl_int>(host, steps, kWidth * kHeight)},
      {host->kernel(6, scaled, numbers, others, n, 0.5f), values_of<float>(host, scaled, kNumbers)},
      {host->kernel(7, smoothed, numbers, side, side), values_of<float>(host, smoothed, kSide * kSide)},
      {host->kernel(8, pull, numbers, as_int(kBodies)), values_of<float>(host, pull, 3 * kBodies)},
      {host->kernel(9, product, numbers, host->copy(inputs.columns), host->copy(inputs.starts), others, as_int(kRows)),
       values_of<float>(host, product, kRows)},
      {host->kernel(10, convolved, numbers, others, as_int(kSamples), as_int(kWeights)),
       values_of<float>(host, convolved, kSamples)},
      {host->kernel(11, label, numbers, others, as_int(kPoints), as_int(kCenters)),
       values_of<cl_int>(host, label, kPoints)},
  };
  return system;
}

}  // namespace pykc::bench
