// Modules, kernels and launches.
#include "capi/handles.h"

namespace pykc::capi {
namespace {

const pykc_launch_config kDefaults = {sizeof(pykc_launch_config), {1, 1, 1}, {1, 1, 1}, 0, nullptr, 0};

Argument of_number(const pykc_argument& from) {
  Argument argument;
  argument.type = scalar_type(from.type);
  std::memcpy(argument.scalar, &from.value.number, sizeof argument.scalar);
  if (argument.type == ScalarType::Bool) argument.scalar[0] = argument.scalar[0] != 0 ? 1 : 0;
  return argument;
}

Argument of_array(const pykc_array& array) {
  Argument argument;
  argument.is_array = true;
  argument.type = array.element.scalar;
  argument.record = array.element.record;
  argument.rank = array.mapping.rank();
  argument.address = array.first();
  std::ranges::copy(array.mapping.shape(), argument.extents);
  std::ranges::copy(array.mapping.strides(), argument.strides);
  argument.device = array.buffer.device();
  return argument;
}

Result<Argument> of_record(const void* bytes, std::size_t index, const KernelInfo* kernel) {
  if (kernel == nullptr)
    return Error{ErrorCode::Unsupported,
                 "a generic kernel takes no record by value from C: compile the kernel instead"};
  if (index < kernel->parameters.size() && kernel->parameters[index].value.is_record())
    return Argument::of(kernel->parameters[index].value.record, bytes);
  return invalid_argument("kernel `" + kernel->name + "` takes no record as argument " + std::to_string(index));
}

Result<Argument> argument_of(const pykc_argument& from, std::size_t index, const KernelInfo* kernel) {
  switch (from.kind) {
    case PYKC_ARGUMENT_NUMBER:
      if (is_valid(scalar_type(from.type))) return of_number(from);
      return invalid_argument("argument " + std::to_string(index) + " is a number of type " +
                              std::to_string(from.type) + ", and there is none");
    case PYKC_ARGUMENT_ARRAY:
      if (from.value.array != nullptr) return of_array(*from.value.array);
      return invalid_argument("argument " + std::to_string(index) + " is an array that is NULL");
    case PYKC_ARGUMENT_RECORD:
      return of_record(from.value.record, index, kernel);
    default:
      return invalid_argument("argument " + std::to_string(index) + " is of no kind (" + std::to_string(from.kind) +
                              ")");
  }
}

}  // namespace

Result<ArgumentList> ArgumentList::of(const pykc_argument* arguments, std::size_t count, const KernelInfo* kernel) {
  ArgumentList list;
  if (count > 0 && arguments == nullptr) return invalid_argument("the arguments are NULL");
  if (count > list.few_.size()) list.many_.resize(count);
  Argument* const place = list.many_.empty() ? list.few_.data() : list.many_.data();
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(place[i], argument_of(arguments[i], i, kernel));
  }
  list.count_ = count;
  return list;
}

Result<LaunchConfig> launch_config(const pykc_launch_config& given) {
  ASSIGN_OR_RETURN(const pykc_launch_config config, read(given, kDefaults, "pykc_launch_config"));
  return LaunchConfig{.grid = {config.grid[0], config.grid[1], config.grid[2]},
                      .block = {config.block[0], config.block[1], config.block[2]},
                      .shared_bytes = config.shared_bytes,
                      .stream = config.stream == nullptr ? nullptr : &config.stream->value,
                      .timeout = std::chrono::nanoseconds(config.timeout_nanoseconds)};
}

}  // namespace pykc::capi

using namespace pykc::capi;
using pykc::Result;

pykc_kernel::pykc_kernel(pykc::Kernel kernel) : value(std::move(kernel)), info(value.info()) {}

pykc_module::pykc_module(pykc::Module module)
    : value(std::move(module)), kernels(value.kernels().begin(), value.kernels().end()) {}

extern "C" {

pykc_error* pykc_module_load(const pykc_device* device, const pykc_artifact* artifact, pykc_module** module) {
  return make(
      module, [&] { return device->value.load(artifact->value); }, device, artifact);
}

size_t pykc_module_kernel_count(const pykc_module* module) { return module->kernels.size(); }

const pykc_kernel_info* pykc_module_kernel_info(const pykc_module* module, size_t index) {
  return index < module->kernels.size() ? &module->kernels[index] : nullptr;
}

pykc_error* pykc_module_kernel(const pykc_module* module, const char* name, pykc_kernel** kernel) {
  return make(
      kernel, [&] { return module->value.kernel(name); }, module, name);
}

pykc_error* pykc_module_constant(const pykc_module* module, const char* name, pykc_array** constant) {
  return make(
      constant,
      [&]() -> Result<pykc_array> {
        ASSIGN_OR_RETURN(pykc::Buffer buffer, module->value.constant_bytes(name));
        const auto info = std::ranges::find(module->value.constants(), name, &pykc::ConstantInfo::name);
        pykc_array made;
        made.element = info->type.element;
        made.buffer = std::move(buffer);
        ASSIGN_OR_RETURN(made.mapping, pykc::Mapping::dense(info->type.extents));
        return made;
      },
      module, name);
}

void pykc_module_free(pykc_module* module) { delete module; }

const pykc_kernel_info* pykc_kernel_get_info(const pykc_kernel* kernel) { return &kernel->info; }

pykc_error* pykc_kernel_suggested_block_size(const pykc_kernel* kernel, int64_t shared_bytes, int32_t* threads) {
  return guarded(
      [&]() -> Result<void> {
        ASSIGN_OR_RETURN(*threads, kernel->value.suggested_block_size(shared_bytes));
        return {};
      },
      kernel, threads);
}

void pykc_kernel_free(pykc_kernel* kernel) { delete kernel; }

void pykc_launch_config_init(pykc_launch_config* config, size_t size) { initialize(config, size, kDefaults); }

pykc_error* pykc_kernel_launch(const pykc_kernel* kernel, const pykc_launch_config* config,
                               const pykc_argument* arguments, size_t argument_count) {
  return guarded(
      [&]() -> Result<void> {
        ASSIGN_OR_RETURN(const pykc::LaunchConfig how, launch_config(*config));
        ASSIGN_OR_RETURN(const ArgumentList list, ArgumentList::of(arguments, argument_count, &kernel->value.info()));
        return kernel->value.launch_with(how, list.list());
      },
      kernel, config);
}

}  // extern "C"
