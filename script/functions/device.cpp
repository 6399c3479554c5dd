// The device seen from the host: copies, events, streams, in Numba's spelling and in pykc's own.
#include "script/arithmetic/elementwise.h"
#include "script/functions/functions.h"
#include "script/values/device_operations.h"
#include "script/values/scope.h"

namespace pykc::script {
namespace {

constexpr std::uint32_t kBoth = in(Library::Prelude, Library::Cuda);
constexpr std::uint32_t kCuda = in(Library::Cuda);

/// Copies are complete when they return, so a stream can only be wrong.
Status check_stream(const Arguments& arguments, std::size_t i) {
  const bool is_stream = arguments[i].is<StreamValue>() || arguments.is_none(i) || as_integer(arguments[i]) == 0;
  return is_stream ? Status(Done{}) : Status(arguments.wrong_type(i, "a stream"));
}

Outcome<Value> host_to_device(Run& run, const Arguments& arguments) {
  RETURN_IF_FAILED(check_stream(arguments, 1));
  ASSIGN_OR_RETURN(const ArrayRef given, arguments.any_array(0));
  if (const ArrayRef* target = arguments[3].as<ArrayRef>()) {
    if ((*target)->shape != given->shape)
      return fail(DiagnosticId::HostShapeMismatch, shape_text((*target)->shape), shape_text(given->shape));
    RETURN_IF_FAILED(assign_array(**target, given));
    return arguments[3];
  }
  ASSIGN_OR_RETURN(DeviceOperations* const device, run.operations());
  const Order order = given->order();
  ASSIGN_OR_RETURN(const ArrayRef source, dense_array(given, order));
  ASSIGN_OR_RETURN(const ArrayRef copy, make_array(source->element(), source->shape, order));
  ASSIGN_OR_RETURN(const std::byte* bytes, source->read());
  RETURN_IF_FAILED(copy->storage->copy_from(*device, bytes));
  copy->storage->set_home(device);
  return Value(copy);
}

Outcome<Value> placed(Run& run, const ElementType& type, const Shape& shape, Order order) {
  ASSIGN_OR_RETURN(DeviceOperations* const device, run.operations());
  const std::optional<Scalar> fill =
      type.is(ScalarType::Bool) ? std::optional(Scalar{ScalarType::Bool, 0}) : std::nullopt;
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(type, shape, order, fill));
  array->storage->leave_unset(device);
  RETURN_IF_FAILED(array->storage->place_on(*device));
  array->storage->set_home(device);
  return Value(array);
}

Outcome<Value> host_device_array(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(0));
  ASSIGN_OR_RETURN(const ElementType type, arguments.element_type(1));
  ASSIGN_OR_RETURN(const Order order, arguments.order(2));
  return placed(run, type, shape, order);
}

Outcome<Value> host_device_array_like(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef model, arguments.any_array(0));
  return placed(run, model->element(), model->shape, model->order());
}

Outcome<Value> host_pinned_array(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(0));
  ASSIGN_OR_RETURN(const ScalarType type, arguments.type(1));
  ASSIGN_OR_RETURN(const Order order, arguments.order(2));
  ASSIGN_OR_RETURN(const Device device, run.device());
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(type, shape, order, Scalar{type, 0}));
  RETURN_IF_FAILED(array->storage->pin(device));
  return Value(array);
}

Outcome<Value> host_const_array(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Shape shape, arguments.shape(0));
  ASSIGN_OR_RETURN(const ElementType type, arguments.element_type(1));
  return make_array(type, shape, Order::RowMajor, Scalar{type.is_record() ? ScalarType::U8 : type.scalar, 0});
}

Outcome<Value> host_copy_to_host(Run&, const Arguments& arguments) {
  RETURN_IF_FAILED(check_stream(arguments, 2));
  ASSIGN_OR_RETURN(const ArrayRef source, arguments.any_array(0));
  if (arguments.is_none(1)) return copy_on_host(*source, source->order());
  const ArrayRef* target = arguments[1].as<ArrayRef>();
  if (!target) return arguments.wrong_type(1, "an array");
  if ((*target)->shape != source->shape)
    return fail(DiagnosticId::HostShapeMismatch, shape_text((*target)->shape), shape_text(source->shape));
  if (source->is_whole() && (*target)->is_whole() && source->element() == (*target)->element()) {
    ASSIGN_OR_RETURN(std::byte* const bytes, (*target)->write());
    RETURN_IF_FAILED(source->storage->copy_to(bytes));
  } else {
    RETURN_IF_FAILED(assign_array(**target, source));
  }
  return arguments[1];
}

Outcome<Value> host_get(Run&, const Arguments& arguments) {
  RETURN_IF_FAILED(check_stream(arguments, 1));
  ASSIGN_OR_RETURN(const ArrayRef source, arguments.any_array(0));
  return copy_on_host(*source, source->order());
}

Outcome<Value> host_same(Run&, const Arguments& arguments) { return arguments.array(0); }

Outcome<Value> host_synchronize(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  RETURN_IF_FAILED(outcome_of(device.synchronize()));
  return Value();
}

Outcome<Value> host_nothing(Run&, const Arguments&) { return Value(); }

Outcome<Value> host_device_name(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  return Value(device.is_cpu() ? std::string("cpu") : device.info().description);
}

// ---- kernels ----

Outcome<Value> host_forall(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t tasks, arguments.integer(1));
  ASSIGN_OR_RETURN(const std::int64_t threads, arguments.integer(2));
  ASSIGN_OR_RETURN(const std::int64_t shared_bytes, arguments.integer(4));
  const auto* stream = arguments[3].as<StreamValue>();
  if (!stream && !arguments.is_none(3) && as_integer(arguments[3]) != 0) return arguments.wrong_type(3, "a stream");
  if (tasks < 0 || threads < 0) return arguments.wrong_type(tasks < 0 ? 1 : 2, "0 or more");
  LaunchShape shape{.grid = {},
                    .block = {threads, 1, 1},
                    .shared_bytes = shared_bytes,
                    .stream = stream ? stream->stream : nullptr,
                    .tasks = tasks};
  return Value(std::make_shared<const LaunchValue>(
      LaunchValue{.kernel = *arguments[0].as<FunctionValue>(), .shapes = {std::move(shape)}}));
}

/// What `specialize` has compiled; else a kernel whose parameters state their types.
Outcome<CompiledKernel> compiled_kernel(const Run& run, const Arguments& arguments, std::size_t i) {
  const auto* kernel = arguments[i].as<FunctionValue>();
  if (!kernel || kernel->kind != FunctionValue::Kind::Kernel) return arguments.wrong_type(i, "a kernel");
  if (kernel->context && kernel->context->compiled) return *kernel->context->compiled;
  return run.compile(*kernel, nullptr);
}

Outcome<Value> host_specialize(Run& run, const Arguments& arguments) {
  FunctionValue kernel = *arguments[0].as<FunctionValue>();
  ASSIGN_OR_RETURN(CompiledKernel compiled, run.compile(kernel, &arguments.rest));
  kernel.context =
      kernel.context ? std::make_shared<FunctionContext>(*kernel.context) : std::make_shared<FunctionContext>();
  kernel.context->compiled = std::make_shared<const CompiledKernel>(std::move(compiled));
  return Value(std::move(kernel));
}

Outcome<Value> host_shared_mem_per_block(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const CompiledKernel compiled, compiled_kernel(run, arguments, 0));
  return Value(compiled.kernel.info().static_shared_bytes);
}

/// A number among the resources.
template <auto kMember>
Outcome<Value> host_resource(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const CompiledKernel compiled, compiled_kernel(run, arguments, 0));
  ASSIGN_OR_RETURN(const KernelResources resources, outcome_of(compiled.kernel.resources()));
  return Value(std::int64_t{resources.*kMember});
}

Outcome<Value> host_const_mem_size(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const CompiledKernel compiled, compiled_kernel(run, arguments, 0));
  std::int64_t bytes = 0;
  for (const ConstantInfo& constant : compiled.module.constants())
    bytes += constant.type.count() * size_in_bytes(constant.type.element);
  return Value(bytes);
}

Outcome<std::int64_t> active_blocks(const CompiledKernel& compiled, std::int64_t threads, std::int64_t bytes) {
  ASSIGN_OR_RETURN(const int blocks, outcome_of(compiled.kernel.active_blocks_per_multiprocessor(
                                         {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .shared_bytes = bytes})));
  return std::int64_t{blocks};
}

Outcome<Value> host_active_blocks(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const CompiledKernel compiled, compiled_kernel(run, arguments, 1));
  ASSIGN_OR_RETURN(const std::int64_t threads, arguments.integer(2));
  ASSIGN_OR_RETURN(const std::int64_t bytes, arguments.integer(3));
  ASSIGN_OR_RETURN(const std::int64_t blocks, active_blocks(compiled, threads, bytes));
  return Value(blocks);
}

/// The least grid that fills the device, and the block.
Outcome<Value> host_potential_block_size(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const CompiledKernel compiled, compiled_kernel(run, arguments, 1));
  if (!arguments.is_none(2)) return arguments.wrong_type(2, "None: `memsize` holds for blocks of all sizes");
  ASSIGN_OR_RETURN(const std::int64_t bytes, arguments.integer(3));
  ASSIGN_OR_RETURN(const std::int64_t limit, arguments.integer(4));
  ASSIGN_OR_RETURN(const Device device, run.device());
  ASSIGN_OR_RETURN(const int suggested, outcome_of(compiled.kernel.suggested_block_size(bytes)));
  const std::int64_t threads = limit > 0 ? std::min<std::int64_t>(suggested, limit) : suggested;
  ASSIGN_OR_RETURN(const std::int64_t blocks, active_blocks(compiled, threads, bytes));
  return make_tuple({Value(blocks * device.info().multiprocessors), Value(threads)});
}

constexpr HostFunction kDeviceFunctions[] = {
    {"to_device", kBoth, "a, stream=None, copy=True, to=None", host_to_device,
     "A copy of the array on the device, or in the array `to` there. It is there when the call returns, on whatever "
     "stream."},
    {"device_array", kCuda, "shape, dtype=f64, order='C', stream=None", host_device_array,
     "Device memory; the elements are anything."},
    {"device_array_like", kCuda, "a, stream=None", host_device_array_like,
     "Device memory in the shape and type of `a`."},
    {"pinned_array", kCuda, "shape, dtype=f64, order='C'", host_pinned_array,
     "Host memory that the device reaches directly: copies are fastest."},
    {"as_cuda_array", kCuda, "a", host_same, "The array itself: every array is a device array where it must be."},
    {"array", in(Library::Constants), "shape, dtype", host_const_array,
     "Constant memory under a name of the module: zeros, until it is assigned to. A launch takes what it holds then."},
    {"copy_to_host", in(Library::ArrayMethod), "self, ary=None, stream=None", host_copy_to_host,
     "A copy on the host, or into a host array.", true},
    {"get", in(Library::ArrayMethod), "self, stream=None", host_get, "A copy on the host, in CuPy's word.", true},
    {"asnumpy", in(Library::Cupy), "a, stream=None", host_get, "A copy on the host.", true},
    {"synchronize", kBoth, "", host_synchronize, "Waits until the device has done all its work."},
    {"profile_start", kCuda, "", host_nothing, "Does nothing: a profiler sees the whole program."},
    {"profile_stop", kCuda, "", host_nothing, "Does nothing, too."},
    {"device_name", in(Library::Prelude), "", host_device_name, "What kernels run on: 'cpu', or the GPU's name."},
    {"forall", in(Library::KernelMethod), "self, ntasks, tpb=0, stream=None, sharedmem=0", host_forall,
     "A launch of at least `ntasks` threads along x, in blocks of `tpb` threads or as the device runs most of them."},
    {"specialize", in(Library::KernelMethod), "self, *args", host_specialize,
     "The kernel, compiled for the types of these arguments."},
    {"get_shared_mem_per_block", in(Library::KernelMethod), "self, signature=None", host_shared_mem_per_block,
     "Bytes of shared memory whose size the kernel states, of a kernel that has types or is specialized."},
    {"get_regs_per_thread", in(Library::KernelMethod), "self, signature=None",
     host_resource<&KernelResources::registers_per_thread>,
     "Registers of a thread; 0 on the CPU device, which counts none."},
    {"get_local_mem_per_thread", in(Library::KernelMethod), "self, signature=None",
     host_resource<&KernelResources::local_bytes_per_thread>,
     "Bytes of local memory of a thread; 0 on the CPU device, which counts none."},
    {"get_max_threads_per_block", in(Library::KernelMethod), "self, signature=None",
     host_resource<&KernelResources::max_threads_per_block>, "The most threads that a block of the kernel can have."},
    {"get_const_mem_size", in(Library::KernelMethod), "self, signature=None", host_const_mem_size,
     "Bytes of the constant memory that the kernel's module declares."},
    {"get_active_blocks_per_multiprocessor", in(Library::DeviceMethod), "self, func, blocksize, memsize=0, flags=None",
     host_active_blocks,
     "How many blocks of `blocksize` threads and `memsize` bytes of dynamic shared memory a multiprocessor runs at a "
     "time."},
    {"get_max_potential_block_size", in(Library::DeviceMethod),
     "self, func, b2d_func=None, memsize=0, blocksizelimit=0, flags=None", host_potential_block_size,
     "The least number of blocks that fills the device, and the threads of a block that keep it busiest."},
};

}  // namespace

std::span<const HostFunction> device_functions() { return kDeviceFunctions; }

}  // namespace pykc::script
