// Generic kernels found by the types of their arguments. The table of a kernel is read without a lock: its lists grow
// at their heads, by an atomic store, and nothing is taken out of them while the module lives.
#include "pykc/source_module.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "driver/driver.h"
#include "jit/specialize.h"

namespace pykc {
namespace detail {
namespace {

constexpr std::size_t kBuckets = 64;
constexpr std::size_t kMostArguments = 512;  // more than a launch can pass

/// All that a generic kernel is compiled for, but for records: array or not, scalar type, memory order, rank.
std::uint32_t shape_of(const Argument& argument) {
  const auto type = static_cast<std::uint32_t>(argument.type) << 1;
  if (!argument.is_array) return type;
  const auto rank = static_cast<std::size_t>(argument.rank);
  const bool is_vector = rank == 1 && argument.strides[0] == 1;  // the common case
  const Layout layout =
      is_vector ? Layout::RowMajor : jit::layout_of({argument.extents, rank}, {argument.strides, rank});
  return 1U | type | static_cast<std::uint32_t>(layout) << 8 | static_cast<std::uint32_t>(rank) << 12;
}

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

/// The types of a launch's arguments.
struct Key {
  std::span<const std::uint32_t> shapes;
  std::span<const Argument> arguments;  // for their records
  std::uint64_t hash() const {
    std::uint64_t hash = 0;
    for (const std::uint32_t shape : shapes) hash = (hash ^ shape) * 0x9E3779B97F4A7C15U;
    return hash >> 32;
  }
};

/// One list of argument types; compiled by the first who asks.
struct Specialization {
  explicit Specialization(const Key& key) : shapes(key.shapes.begin(), key.shapes.end()) {
    for (std::size_t i = 0; i < shapes.size(); ++i) records.push_back(key.arguments[i].record);
  }
  bool is_for(const Key& key) const {
    if (!std::ranges::equal(shapes, key.shapes)) return false;
    for (std::size_t i = 0; i < records.size(); ++i)
      if (records[i] != key.arguments[i].record) return false;
    return true;
  }

  std::vector<std::uint32_t> shapes;
  std::vector<RecordRef> records;
  Specialization* next = nullptr;
  std::atomic<bool> is_ready = false;  // then `kernel` no longer changes
  std::mutex compiling;
  std::optional<Kernel> kernel;
};

}  // namespace

struct GenericKernelState {
  SourceModuleState& module;
  const std::string name;
  const std::size_t parameter_count;
  const bool is_typed;  // one specialisation serves all launches
  std::array<std::atomic<Specialization*>, kBuckets> buckets{};
  std::mutex adding;  // for writers
  std::vector<std::unique_ptr<Specialization>> owned{};

  Result<const Kernel*> kernel_for(std::span<const Argument> arguments);

 private:
  Specialization* find(const Key& key, std::size_t bucket) const;
  Specialization& find_or_add(const Key& key, std::size_t bucket);
  Result<const Kernel*> compile(Specialization& specialization, const Key& key) const;
};

/// A constant as the host has set it.
struct ConstantSetting {
  std::string name;
  ConstantElement element;
  std::int64_t count;
  std::vector<std::byte> bytes;
};

struct SourceModuleState {
  Device device;
  CompileOptions options;
  Program program;
  std::vector<std::unique_ptr<GenericKernelState>> kernels{};
  std::mutex setting{};                     // the two below
  std::vector<Module> loaded{};             // of specialisations, each with constants of its own
  std::vector<ConstantSetting> settings{};  // for those to come

  Result<void> add(const Module& module);
  Result<void> set_constant(ConstantSetting wanted);
  std::vector<std::string> constant_names() const;
  static Result<void> apply(const ConstantSetting& setting, const Module& module);
};

Specialization* GenericKernelState::find(const Key& key, std::size_t bucket) const {
  Specialization* candidate = buckets[bucket].load(std::memory_order_acquire);
  while (candidate != nullptr && !candidate->is_for(key)) candidate = candidate->next;
  return candidate;
}

Specialization& GenericKernelState::find_or_add(const Key& key, std::size_t bucket) {
  const std::lock_guard lock(adding);
  if (Specialization* found = find(key, bucket)) return *found;
  Specialization& added = *owned.emplace_back(std::make_unique<Specialization>(key));
  added.next = buckets[bucket].load(std::memory_order_relaxed);
  buckets[bucket].store(&added, std::memory_order_release);
  return added;
}

/// A failure is not kept: it may be the device's, and a program does not launch again what does not compile.
Result<const Kernel*> GenericKernelState::compile(Specialization& specialization, const Key& key) const {
  const std::lock_guard lock(specialization.compiling);
  if (specialization.kernel) return &*specialization.kernel;
  KernelRequest request{.kernel = name, .arguments = {}, .use_annotations = is_typed};
  for (std::size_t i = 0; i < key.shapes.size(); ++i)
    request.arguments.push_back(type_of(key.arguments[i], key.shapes[i]));
  Result<Module> loaded = jit::specialize(module.device, module.program, request, module.options);
  if (!loaded) {
    Error error = std::move(loaded.error());
    if (!error.diagnostics.empty())
      error.message = "kernel `" + name + "` does not compile for " + jit::signature_text(request) + ": " +
                      error.diagnostics.front().message;
    return error;
  }
  Result<Kernel> kernel = loaded->kernel(name);
  if (!kernel) return kernel.error();
  if (Result<void> added = module.add(*loaded); !added) return added.error();
  specialization.kernel = std::move(*kernel);
  specialization.is_ready.store(true, std::memory_order_release);
  return &*specialization.kernel;
}

Result<void> SourceModuleState::apply(const ConstantSetting& setting, const Module& module) {
  const Result<ConstantMemory> memory = module.constant_memory(setting.name, setting.element, setting.count);
  if (!memory) return memory.error();
  return memory->buffer.copy_from_host(setting.bytes.data(), static_cast<std::int64_t>(setting.bytes.size()));
}

/// One that a module was imported for, but this kernel does not use, is not in its module.
Result<void> SourceModuleState::add(const Module& module) {
  const std::lock_guard lock(setting);
  for (const ConstantSetting& known : settings)
    if (std::ranges::find(module.constants(), known.name, &ConstantInfo::name) != module.constants().end())
      if (Result<void> set = apply(known, module); !set) return set;
  loaded.push_back(module);
  return {};
}

std::vector<std::string> SourceModuleState::constant_names() const {
  std::vector<std::string> names = host_constant_names(*program.main);
  for (const Program::Imported& imported : program.imports)
    for (const std::string& name : host_constant_names(*imported.module)) names.push_back(imported.name + "." + name);
  return names;
}

Result<void> SourceModuleState::set_constant(ConstantSetting wanted) {
  const std::vector<std::string> names = constant_names();
  if (std::ranges::find(names, wanted.name) == names.end()) {
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    return Error{ErrorCode::NotFound,
                 "the source has no constant `" + wanted.name + "` that the host sets; " +
                     (known.empty() ? "`" + wanted.name + " = const.array(shape, dtype)` at its top level declares one"
                                    : "it has: " + known)};
  }
  const std::lock_guard lock(setting);
  for (const Module& module : loaded)
    if (std::ranges::find(module.constants(), wanted.name, &ConstantInfo::name) != module.constants().end())
      if (Result<void> set = apply(wanted, module); !set) return set;
  std::erase_if(settings, [&](const ConstantSetting& other) { return other.name == wanted.name; });
  settings.push_back(std::move(wanted));
  return {};
}

Result<const Kernel*> GenericKernelState::kernel_for(std::span<const Argument> arguments) {
  const auto invalid = [&](const std::string& what) {
    return Error{ErrorCode::InvalidLaunch, "kernel `" + name + "` " + what};
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
  const Key key{{shapes, count}, arguments};
  const std::size_t bucket = key.hash() % kBuckets;
  Specialization* found = find(key, bucket);
  if (found != nullptr && found->is_ready.load(std::memory_order_acquire)) return &*found->kernel;
  return compile(found != nullptr ? *found : find_or_add(key, bucket), key);
}

}  // namespace detail

const std::string& GenericKernel::name() const { return state_->name; }

Result<void> GenericKernel::launch_with(const LaunchConfig& config, std::span<const Argument> arguments) const {
  const Result<const Kernel*> kernel = state_->kernel_for(arguments);
  if (!kernel) return kernel.error();
  return (*kernel)->launch_with(config, arguments);
}

Result<Kernel> GenericKernel::specialization_with(std::span<const Argument> arguments) const {
  const Result<const Kernel*> kernel = state_->kernel_for(arguments);
  if (!kernel) return kernel.error();
  return **kernel;
}

Result<SourceModule> SourceModule::load(const Device& device, const Source& source, const CompileOptions& options) {
  Result<Program> program = driver::load_source(source, options);
  if (!program) return program.error();
  std::shared_ptr<detail::SourceModuleState> state(new detail::SourceModuleState{device, options, std::move(*program)});
  for (const ast::FunctionDef* kernel : kernels_of(*state->program.main))
    state->kernels.push_back(std::unique_ptr<detail::GenericKernelState>(
        new detail::GenericKernelState{*state, kernel->name, kernel->parameters.size(), is_typed_kernel(*kernel)}));
  return SourceModule(std::move(state));
}

Result<GenericKernel> SourceModule::kernel(std::string_view name) const {
  for (const std::unique_ptr<detail::GenericKernelState>& kernel : state_->kernels)
    if (kernel->name == name) return GenericKernel({state_, kernel.get()});
  std::string known;
  for (const std::string& other : kernel_names()) known += (known.empty() ? "" : ", ") + other;
  return Error{ErrorCode::NotFound, "the source has no kernel `" + std::string(name) + "`; it has: " + known};
}

Result<void> SourceModule::set_constant_bytes(std::string_view name, const detail::ConstantElement& element,
                                              std::span<const std::byte> bytes) const {
  const auto count = static_cast<std::int64_t>(bytes.size()) / element.bytes;
  return state_->set_constant({std::string(name), element, count, {bytes.begin(), bytes.end()}});
}

std::vector<std::string> SourceModule::kernel_names() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<detail::GenericKernelState>& kernel : state_->kernels) names.push_back(kernel->name);
  return names;
}

}  // namespace pykc
