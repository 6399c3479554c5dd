// A kernel of a source and its compiled variants, found by the types of their arguments. The table is read without a
// lock: its lists grow at their heads, by an atomic store, and nothing is taken out of them while the kernel lives.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/configuration.h"
#include "pykc/source_module.h"

namespace pykc::detail {

inline constexpr std::size_t kMostArguments = 512;  // more than a launch can pass

/// All that a generic kernel is compiled for, but for records: array or not, scalar type, memory order, rank.
std::uint32_t shape_of(const Argument& argument);

/// The types of a launch's arguments.
struct ArgumentTypes {
  std::span<const std::uint32_t> shapes;
  std::span<const Argument> arguments;  // for their records
  std::uint64_t hash() const;
};

/// The kernel for one list of argument types; compiled by the first who asks.
struct CompiledVariant {
  explicit CompiledVariant(const ArgumentTypes& types);
  bool is_for(const ArgumentTypes& types) const;

  std::vector<std::uint32_t> shapes;
  std::vector<RecordRef> records;
  CompiledVariant* next = nullptr;
  std::atomic<bool> is_ready = false;  // then `kernel` no longer changes
  std::mutex compiling;
  std::optional<Kernel> kernel;
};

struct GenericKernelState {
  static constexpr std::size_t kBuckets = 64;

  SourceModuleState& module;
  const NamedKernel source;
  const Configuration constants;  // of its `constexpr` parameters, those that launches leave out
  const ast::FunctionDef& definition = *source.definition;
  const std::size_t parameter_count = definition.parameters.size() - constants.constants().size();
  const bool is_typed = is_typed_kernel(definition);  // one variant serves all launches
  std::array<std::atomic<CompiledVariant*>, kBuckets> buckets{};
  std::mutex adding{};  // for writers
  std::vector<std::unique_ptr<CompiledVariant>> owned{};

  const std::string& name() const { return source.name; }
  Result<const Kernel*> kernel_for(std::span<const Argument> arguments);
  /// What the arguments ask for, without the constants.
  KernelRequest request_for(std::span<const Argument> arguments) const;

 private:
  CompiledVariant* find(const ArgumentTypes& types, std::size_t bucket) const;
  CompiledVariant& find_or_add(const ArgumentTypes& types, std::size_t bucket);
  Result<const Kernel*> compile(CompiledVariant& variant, const ArgumentTypes& types) const;
};

}  // namespace pykc::detail
