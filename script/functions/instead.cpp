#include "script/functions/instead.h"

#include <algorithm>
#include <iterator>

namespace pykc::script {
namespace {

struct NameRow {
  Library library;
  std::string_view name, instead;
};

constexpr std::string_view kElementwise =
    "write a function of elements, `@vectorize` above `def f(x, y):`, and call it with arrays";
constexpr std::string_view kReductionKernel =
    "`@cuda.reduce` above `def f(a, b):` puts elements together; `np.sum`, `np.max`, `np.linalg.norm` reduce along "
    "axes";
constexpr std::string_view kRawKernel =
    "write the CUDA C++ kernel in Python: `@cuda.jit` above `def kernel(x, y):`, launched as "
    "`kernel[blocks, threads](x, y)` (docs/cuda.md has each word)";
constexpr std::string_view kAllocator =
    "delete the line: memory of arrays comes from the device's pool, in the order of the streams, by itself";
constexpr std::string_view kDecomposition =
    "host code has no decompositions; `save(\"a.npy\", a)` writes the matrix for NumPy, `load` reads what it made";
constexpr std::string_view kFourier =
    "there are no Fourier transforms: write one as a kernel (examples/cpp has one), or transform in NumPy and `load` "
    "the .npy file; cuFFT can be called from C++";
constexpr std::string_view kDecorator = "write it above the function: `@cuda.jit` on the line before `def kernel(x):`";
constexpr std::string_view kDevices =
    "a program has one device: `cuda.get_current_device()`, chosen by `pykc run --device`";
constexpr std::string_view kTexts =
    "`pykc compile file.pyk --emit ptx -o -` prints it; `--emit asm` for `--target cpu`";

constexpr NameRow kNames[] = {
    {Library::Cupy, "ElementwiseKernel", kElementwise},
    {Library::Cupy, "ReductionKernel", kReductionKernel},
    {Library::Cupy, "RawKernel", kRawKernel},
    {Library::Cupy, "RawModule", kRawKernel},
    {Library::Cupy, "show_config", "`pykc info` tells of devices, driver and libraries"},
    {Library::CupyCuda, "set_allocator", kAllocator},
    {Library::CupyCuda, "set_pinned_memory_allocator", kAllocator},
    {Library::CupyCuda, "using_allocator", kAllocator},
    {Library::CupyCuda, "MemoryAsyncPool", kAllocator},
    {Library::CupyCuda, "MemoryPool", kAllocator},
    {Library::CupyCuda, "PinnedMemoryPool", kAllocator},
    {Library::CupyCuda, "malloc_async", kAllocator},
    {Library::CupyCuda, "malloc_managed", kAllocator},
    {Library::CupyCuda, "alloc_pinned_memory", "`cuda.pinned_array(shape, dtype)` makes an array there"},
    {Library::CupyCuda, "runtime", "`pykc info` tells of the device; `cp.cuda.Device(0)` has its compute capability"},
    {Library::CupyCuda, "ExternalStream", "streams of other code are wrapped from C++: `Device::wrap_stream`"},
    {Library::CupyCuda, "nvtx", "delete the line; events measure a part: `start.record()`, `get_elapsed_time`"},
    {Library::CupyCuda, "profiler", "delete the line: a profiler sees the whole program"},
    {Library::CupyxProfiler, "time_range", "events measure a part: `start.record()`, `get_elapsed_time`"},
    {Library::CupyxProfiler, "profile", "delete the line: a profiler sees the whole program"},
    {Library::Linalg, "svd", kDecomposition},
    {Library::Linalg, "eig", kDecomposition},
    {Library::Linalg, "eigh", kDecomposition},
    {Library::Linalg, "eigvals", kDecomposition},
    {Library::Linalg, "eigvalsh", kDecomposition},
    {Library::Linalg, "qr", kDecomposition},
    {Library::Linalg, "cholesky", kDecomposition},
    {Library::Linalg, "inv", kDecomposition},
    {Library::Linalg, "pinv", kDecomposition},
    {Library::Linalg, "solve", kDecomposition},
    {Library::Linalg, "lstsq", kDecomposition},
    {Library::Linalg, "det", kDecomposition},
    {Library::Numpy, "fft", kFourier},
    {Library::Numpy, "einsum", "write the sums as `@`, `np.sum(a * b, axis=…)`, or as a kernel"},
    {Library::Numpy, "vectorize", "`from numba import vectorize`: its functions run on the device"},
    {Library::Numpy, "testing", "`assert np.allclose(a, b)` tells the elements that differ"},
    {Library::Numpy, "savetxt", "`np.save(\"x.npy\", x)` writes an array, `save_pgm` a matrix as an image"},
    {Library::Numpy, "loadtxt", "`np.load(\"x.npy\")` reads an array"},
    {Library::Numpy, "set_printoptions", "delete the line; `f\"{x:.3f}\"` formats a number"},
    {Library::Numpy, "mod", "`x % y`"},
    {Library::Numpy, "remainder", "`x % y`"},
    {Library::Numpy, "floor_divide", "`x // y`"},
    {Library::Numpy, "bitwise_and", "`x & y`"},
    {Library::Numpy, "bitwise_or", "`x | y`"},
    {Library::Numpy, "bitwise_xor", "`x ^ y`"},
    {Library::Numpy, "invert", "`~x`"},
    {Library::Numpy, "left_shift", "`x << y`"},
    {Library::Numpy, "right_shift", "`x >> y`"},
    {Library::Numpy, "logical_xor", "`(x != 0) != (y != 0)`"},
    {Library::Numpy, "isclose", "`abs(x - y) <= tolerance`; `np.allclose` says it of all elements"},
    {Library::Numpy, "identity", "`np.eye(n)`"},
    {Library::Numpy, "outer", "`x[:, None] * y[None, :]`"},
    {Library::Numpy, "flip", "`x[::-1]`"},
    {Library::Numpy, "expand_dims", "`x[:, None]`"},
    {Library::Numpy, "squeeze", "`x.reshape(…)`"},
    {Library::Numpy, "stack", "`np.concatenate([x[None], y[None]])`"},
    {Library::Numpy, "vstack", "`np.concatenate([x[None], y[None]])`"},
    {Library::Numpy, "hstack", "`np.concatenate([x, y])`"},
    {Library::Numpy, "median", "`np.sort(x)` has it in the middle"},
    {Library::Numpy, "nanmax", "`np.max(x[~np.isnan(x)])`"},
    {Library::Numpy, "nanmin", "`np.min(x[~np.isnan(x)])`"},
    {Library::Numpy, "nansum", "`np.sum(x[~np.isnan(x)])`"},
    {Library::Numpy, "nanmean", "`np.mean(x[~np.isnan(x)])`"},
    {Library::Prelude, "map", "`[f(x) for x in items]`"},
    {Library::Prelude, "filter", "`[x for x in items if f(x)]`"},
    {Library::Prelude, "dict", "host functions have lists, tuples and records"},
    {Library::Prelude, "set", "host functions have lists, tuples and records"},
    {Library::Prelude, "type", "`x.dtype` is the type of an array's elements"},
    {Library::Prelude, "open", "`load(\"x.npy\")` and `save(\"x.npy\", x)` read and write arrays"},
    {Library::Prelude, "input", "parameters of `main` take the command line's arguments: `def main(n: int = 1000):`"},
    {Library::Random, "default_rng", "`np.random.seed(1)` starts the numbers, `np.random.random(n)` draws them"},
    {Library::Random, "RandomState", "`np.random.seed(1)` starts the numbers, `np.random.random(n)` draws them"},
    {Library::Cuda, "gpus", kDevices},
    {Library::Cuda, "jit", kDecorator},
    {Library::Cuda, "list_devices", kDevices},
    {Library::Cuda, "declare_device",
     "declare a function of a library by `@extern`, with its types and no body; C++ links it"},
    {Library::Cuda, "mapped_array", "`cuda.pinned_array` makes host memory that copies are fast from"},
    {Library::Cuda, "managed_array", "`cuda.device_array`, or any array: it is where it is used"},
    {Library::Cuda, "external_stream", "streams of other code are wrapped from C++: `Device::wrap_stream`"},
    {Library::Cuda, "per_thread_default_stream", "`cuda.stream()` makes a stream"},
    {Library::Cuda, "compile_ptx", kTexts},
    {Library::Cuda, "compile", kTexts},
    {Library::Cuda, "runtime", "`pykc info` tells of the device and its driver"},
    {Library::Cuda, "cudadrv", "`pykc info` tells of the device and its driver"},
    {Library::Numba, "jit", "write it above the function: `@jit` on the line before `def f(x):`"},
    {Library::Numba, "njit", "write it above the function: `@njit` on the line before `def f(x):`"},
    {Library::Numba, "config", "delete the line; `--device` and the other options of `pykc run` choose"},
    {Library::Numba, "stencil", "write the loop as a kernel: `i, j = cuda.grid(2)`"},
    {Library::Numba, "typed", "kernels take arrays, numbers and tuples of them"},
    {Library::Numba, "cfunc", "a C++ program calls kernels (docs/embedding.md)"},
    {Library::Numba, "objmode", "call the host's function before or behind the kernel"},
};

constexpr std::string_view kTypes = "`pykc compile file.pyk --emit checked -o -` prints the types";

constexpr NameRow kMethods[] = {
    {Library::KernelMethod, "inspect_asm", kTexts},
    {Library::KernelMethod, "inspect_llvm", kTexts},
    {Library::KernelMethod, "inspect_types", kTypes},
    {Library::KernelMethod, "signatures", kTypes},
    {Library::KernelMethod, "inspect_sass", kTexts},
    {Library::KernelMethod, "compile",
     "a launch compiles the kernel; annotations or a signature do so before: `x: f32[:]`"},
    {Library::KernelMethod, "overloads", "`kernel.forall(n)` lets the device choose the block"},
    {Library::ArrayMethod, "copy_to_device",
     "`cuda.to_device(x, to=d_x)` copies into an array; `d_x[:] = x` does so, too"},
    {Library::ArrayMethod, "data", "arrays go to kernels as they are"},
    {Library::ArrayMethod, "device", "every array is on the program's device where it must be"},
    {Library::ArrayMethod, "set", "`a[:] = x` copies into the array"},
    {Library::ArrayMethod, "__cuda_array_interface__", "arrays go to kernels as they are"},
    {Library::StreamMethod, "ptr", "a C++ program has it: `Stream::native_handle`"},
    {Library::StreamMethod, "add_callback", "`stream.synchronize()` waits; what comes behind it is the callback"},
    {Library::StreamMethod, "done", "`stream.synchronize()` waits until it is"},
    {Library::EventMethod, "query", "`event.synchronize()` waits until it is reached"},
    {Library::EventMethod, "done", "`event.synchronize()` waits until it is reached"},
    {Library::DeviceMethod, "mem_info", "`cp.get_default_memory_pool()` tells of arrays; `pykc info` of the device"},
    {Library::DeviceMethod, "attributes", "`pykc info` tells of the device"},
    {Library::DeviceMethod, "compute_capability", "the CPU device has none"},
};

struct ModuleRow {
  std::string_view module, instead;
};
constexpr std::string_view kPlots = "delete the import; `save(\"x.npy\", x)` writes an array for a plot elsewhere";
constexpr std::string_view kCudaLibraries =
    "what it had of Numba is in `numba`; matrix products are `a @ b`, random numbers `np.random`; Fourier transforms "
    "are "
    "not here: cuFFT can be called from C++";
constexpr std::string_view kFrames = "arrays of NumPy, `load` and `save` of .npy files are here";
constexpr ModuleRow kModules[] = {
    {"IPython", "delete the import: it is for notebooks; `print` shows values"},
    {"PIL", "`save_pgm(\"x.pgm\", x)` writes a matrix as an image, `load(\"x.npy\")` reads an array"},
    {"accelerate", kCudaLibraries},
    {"argparse", "parameters of `main` take the command line's arguments: `def main(n: int = 1000):`"},
    {"ctypes", "C and C++ call kernels, not the other way round (docs/embedding.md)"},
    {"bokeh", kPlots},
    {"cudf", kFrames},
    {"cuml", kFrames},
    {"cv2", "`save_pgm(\"x.pgm\", x)` writes a matrix as an image, `load(\"x.npy\")` reads an array"},
    {"functools", "write the function with a `for` loop; `sum`, `min`, `max` and `sorted` are there"},
    {"imageio", "`save_pgm(\"x.pgm\", x)` writes a matrix as an image, `load(\"x.npy\")` reads an array"},
    {"itertools", "write the loops one in the other; `zip` and `enumerate` are there"},
    {"matplotlib", "`save(\"x.npy\", x)` writes an array for a plot elsewhere, `save_pgm` writes a matrix as an image"},
    {"numbapro", kCudaLibraries},
    {"os",
     "host code has no environment; set a variable in the shell, `CUDA_VISIBLE_DEVICES=1 pykc run file.pyk`, or "
     "choose by `--device`"},
    {"pandas", kFrames},
    {"plotly", kPlots},
    {"pyculib", kCudaLibraries},
    {"random", "`np.random` and `random(shape, seed=1)` make arrays of random numbers"},
    {"scipy",
     "what `np` and `math` have is listed by `pykc builtins --host`; write the rest as a kernel or a function"},
    {"seaborn", kPlots},
    {"subprocess", "run the command in a shell"},
    {"sys", "`arguments()` gives the command line's arguments; parameters of `main` take them, too"},
    {"threading", "streams run work beside other work: `s = cuda.stream()`, `kernel[blocks, threads, s](x)`"},
    {"timeit", "`time.perf_counter()` or events measure a loop: `start.record()`, `elapsed(start, end)`"},
    {"torch", "arrays of NumPy's functions go to kernels as they are"},
    {"tqdm", "loop over the items themselves"},
    {"warnings", "delete the line; `--warnings=off` is the compiler's"},
};
constexpr std::string_view kList =
    "`pykc builtins --host` lists what host code has; write the rest as a function or a kernel, or do it in Python and "
    "pass .npy files: `save`, `load`";

std::string_view note_for(const NameRow* begin, const NameRow* end, Library library, std::string_view name) {
  const auto* const row =
      std::find_if(begin, end, [&](const NameRow& each) { return each.library == library && each.name == name; });
  return row == end ? std::string_view() : row->instead;
}

}  // namespace

std::string_view instead_of(Library library, std::string_view name) {
  std::string_view note = note_for(std::begin(kNames), std::end(kNames), library, name);
  if (note.empty() && library == Library::Cupy)
    note = note_for(std::begin(kNames), std::end(kNames), Library::Numpy, name);
  if (note.empty() && library == Library::CupyRandom)
    note = note_for(std::begin(kNames), std::end(kNames), Library::Random, name);
  return note;
}

std::string_view instead_of_anything() { return kList; }

std::string_view instead_of_method(Library methods, std::string_view name) {
  return note_for(std::begin(kMethods), std::end(kMethods), methods, name);
}

std::string_view instead_of_module(std::string_view module) {
  const std::string_view package = module.substr(0, module.find('.'));
  for (const ModuleRow& row : kModules)
    if (row.module == package) return row.instead;
  return kList;
}

}  // namespace pykc::script
