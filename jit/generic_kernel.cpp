#include "jit/generic_kernel.h"

#include <algorithm>

#include "base/errors.h"
#include "jit/broadcast.h"
#include "jit/source_module_state.h"
#include "jit/specialize.h"

namespace pykc {
namespace detail {
namespace {

ArgumentType type_of(const Argument& argument, std::uint32_t shape) {
  const ElementType element = argument.record ? ElementType(argument.record) : ElementType(argument.type);
  ArgumentType type;
  type.parameter.is_array = argument.is_array;
  if (!argument.is_array) {
    type.parameter.value = element;
    return type;
  }
  type.parameter.array.element = element;
  type.parameter.array.layout = static_cast<Layout>(shape >> 8 & 3);
  type.parameter.array.extents.assign(static_cast<std::size_t>(argument.rank), ArrayType::kDynamic);
  return type;
}

}  // namespace

std::uint32_t shape_of(const Argument& argument) {
  const auto type = static_cast<std::uint32_t>(argument.type) << 1;
  if (!argument.is_array) return type;
  const auto rank = static_cast<std::size_t>(argument.rank);
  const bool is_vector = rank == 1 && argument.strides[0] == 1;  // the common case
  const Layout layout =
      is_vector ? Layout::RowMajor : jit::layout_of({argument.extents, rank}, {argument.strides, rank});
  return 1U | type | static_cast<std::uint32_t>(layout) << 8 | static_cast<std::uint32_t>(rank) << 12;
}

std::uint64_t ArgumentTypes::hash() const {
  std::uint64_t hash = 0;
  for (const std::uint32_t shape : shapes) hash = (hash ^ shape) * 0x9E3779B97F4A7C15U;
  return hash >> 32;
}

CompiledVariant::CompiledVariant(const ArgumentTypes& types) : shapes(types.shapes.begin(), types.shapes.end()) {
  for (std::size_t i = 0; i < shapes.size(); ++i) records.push_back(types.arguments[i].record);
}

bool CompiledVariant::is_for(const ArgumentTypes& types) const {
  if (!std::ranges::equal(shapes, types.shapes)) return false;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i] != types.arguments[i].record) return false;
  return true;
}

CompiledVariant* GenericKernelState::find(const ArgumentTypes& types, std::size_t bucket) const {
  CompiledVariant* candidate = buckets[bucket].load(std::memory_order_acquire);
  while (candidate != nullptr && !candidate->is_for(types)) candidate = candidate->next;
  return candidate;
}

CompiledVariant& GenericKernelState::find_or_add(const ArgumentTypes& types, std::size_t bucket) {
  const std::lock_guard lock(adding);
  if (CompiledVariant* found = find(types, bucket)) return *found;
  CompiledVariant& added = *owned.emplace_back(std::make_unique<CompiledVariant>(types));
  added.next = buckets[bucket].load(std::memory_order_relaxed);
  buckets[bucket].store(&added, std::memory_order_release);
  return added;
}

KernelRequest GenericKernelState::request_for(std::span<const Argument> arguments) const {
  KernelRequest request{.kernel = name(), .arguments = {}, .use_annotations = is_typed};
  if (!is_typed)
    for (const Argument& argument : arguments) request.arguments.push_back(type_of(argument, shape_of(argument)));
  return request;
}

/// A failure is not kept: it may be the device's, and a program does not launch again what does not compile.
Result<const Kernel*> GenericKernelState::compile(CompiledVariant& variant, const ArgumentTypes& types) const {
  const std::lock_guard lock(variant.compiling);
  if (variant.kernel) return &*variant.kernel;
  RETURN_IF_FAILED(jit::check_types(types.arguments));
  const KernelRequest request = with_constants(request_for(types.arguments), definition, constants);
  Result<Module> loaded = jit::specialize(module.device, module.program, request, module.options);
  if (!loaded) {
    Error error = std::move(loaded.error());
    if (!error.diagnostics.empty())
      error.message = "kernel `" + name() + "` does not compile for " + jit::signature_text(request) + ": " +
                      error.diagnostics.front().message;
    return error;
  }
  ASSIGN_OR_RETURN(Kernel kernel, loaded->kernel(definition.name));
  RETURN_IF_FAILED(module.add(*loaded));
  variant.kernel = std::move(kernel);
  variant.is_ready.store(true, std::memory_order_release);
  return &*variant.kernel;
}

Result<const Kernel*> GenericKernelState::kernel_for(std::span<const Argument> arguments) {
  const auto invalid = [&](const std::string& what) {
    return Error{ErrorCode::InvalidLaunch, "kernel `" + name() + "` " + what};
  };
  if (arguments.size() != parameter_count)
    return invalid("takes " + std::to_string(parameter_count) + " arguments, " + std::to_string(arguments.size()) +
                   " given");
  if (arguments.size() > kMostArguments)
    return invalid("has more than " + std::to_string(kMostArguments) + " parameters");
  std::uint32_t shapes[kMostArguments];  // uninitialised beyond what is asked for
  const std::size_t count = is_typed ? 0 : arguments.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].rank < 0 || arguments[i].rank > Argument::kMaxRank)
      return invalid("is given an array of rank " + std::to_string(arguments[i].rank) + "; at most 8 are possible");
    shapes[i] = shape_of(arguments[i]);
  }
  const ArgumentTypes types{{shapes, count}, arguments};
  const std::size_t bucket = types.hash() % kBuckets;
  CompiledVariant* found = find(types, bucket);
  if (found != nullptr && found->is_ready.load(std::memory_order_acquire)) return &*found->kernel;
  return compile(found != nullptr ? *found : find_or_add(types, bucket), types);
}

namespace {

/// A kernel with constants, which belongs to nobody else, and what keeps its module.
struct BoundKernel {
  std::shared_ptr<GenericKernelState> unbound;
  GenericKernelState kernel;
};

}  // namespace
}  // namespace detail

const std::string& GenericKernel::name() const { return state_->name(); }

bool GenericKernel::is_typed() const { return state_->is_typed; }

std::vector<Kernel> GenericKernel::specializations() const {
  std::vector<Kernel> made;
  const std::lock_guard lock(state_->adding);
  for (const auto& variant : state_->owned)
    if (variant->is_ready.load(std::memory_order_acquire)) made.push_back(*variant->kernel);
  return made;
}

Result<GenericKernel> GenericKernel::bind(const Configuration& constants) const try {
  std::vector<Constant> all = state_->constants.constants();
  for (const Constant& constant : constants.constants()) {
    const std::vector<ast::Parameter>& parameters = state_->definition.parameters;
    const auto found = std::ranges::find(parameters, constant.name, &ast::Parameter::name);
    const auto refuse = [&](const std::string& why) {
      return invalid_argument("`" + constant.name + "` cannot be set: kernel `" + name() + "` " + why);
    };
    if (found == parameters.end()) return refuse("has no such parameter");
    if (!is_constexpr(*found)) return refuse("takes it at its launch; annotated `constexpr` it is a constant");
    if (std::ranges::find(all, constant.name, &Constant::name) != all.end()) return refuse("has a value for it");
    all.push_back(constant);
  }
  const std::shared_ptr<detail::BoundKernel> bound(
      new detail::BoundKernel{state_, {state_->module, state_->source, Configuration(std::move(all))}});
  return GenericKernel({bound, &bound->kernel});
} catch (...) {
  return error_in_flight();
}

Result<void> GenericKernel::launch_with(const LaunchConfig& config, std::span<const Argument> arguments) const try {
  ASSIGN_OR_RETURN(const Kernel* const kernel, state_->kernel_for(arguments));
  return kernel->launch_with(config, arguments);
} catch (...) {
  return error_in_flight();
}

Result<Kernel> GenericKernel::specialization_with(std::span<const Argument> arguments) const try {
  ASSIGN_OR_RETURN(const Kernel* const kernel, state_->kernel_for(arguments));
  return *kernel;
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
