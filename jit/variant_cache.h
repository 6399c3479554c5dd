// Generated modules, found by what they were generated for: a launch that finds its module takes nothing from the heap.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "pykc/source_module.h"

namespace pykc::jit {

/// Which arguments are arrays and which numbers, in their order.
class ArrayFlags {
 public:
  static constexpr std::size_t kMost = 512;  // more than a launch can pass
  ArrayFlags() = default;
  ArrayFlags(std::initializer_list<bool> flags) {
    for (const bool is_array : flags) push_back(is_array);
  }
  ArrayFlags(std::size_t count, bool is_array) {
    while (count_ < count) push_back(is_array);
  }
  /// There are fewer than kMost.
  void push_back(bool is_array) { flags_[count_++] = is_array; }
  bool operator[](std::size_t i) const { return flags_[i]; }
  std::size_t size() const { return count_; }
  std::size_t hash() const { return std::hash<std::bitset<kMost>>()(flags_) + count_; }
  friend bool operator==(const ArrayFlags&, const ArrayFlags&) = default;

 private:
  std::bitset<kMost> flags_;
  std::size_t count_ = 0;
};

/// Refuses an operation with more arguments than that.
inline Result<void> check_argument_count(std::size_t count) {
  if (count <= ArrayFlags::kMost) return {};
  return invalid_argument("an operation of " + std::to_string(count) + " arguments: at most " +
                          std::to_string(ArrayFlags::kMost) + " are possible");
}

inline std::size_t hash_of(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t hash = 0;
  for (const std::uint64_t number : numbers) hash = ((hash ^ number) * 0x9E3779B97F4A7C15U) ^ (hash >> 32);
  return static_cast<std::size_t>(hash);
}

/// Each module is made once, by the first who asks for its variant. A `Variant` is a value with == and hash().
template <typename Variant>
class VariantCache {
 public:
  VariantCache(Device device, CompileOptions options) : device_(std::move(device)), options_(std::move(options)) {
    options_.warnings = false;  // of text that nobody wrote
  }
  /// `make_source` is called where the variant is not there yet; its kernel has the name `kernel`.
  template <typename MakeSource>
  Result<GenericKernel> kernel(const Variant& variant, std::string_view kernel, MakeSource make_source) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = kernels_.find(variant); found != kernels_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    if (const auto found = kernels_.find(variant); found != kernels_.end()) return found->second;
    const Result<SourceModule> module = SourceModule::load(device_, make_source(), options_);
    if (!module) return module.error();
    const Result<GenericKernel> made = module->kernel(kernel);
    if (made) kernels_.emplace(variant, *made);
    return made;
  }
  const Device& device() const { return device_; }

 private:
  struct Hash {
    std::size_t operator()(const Variant& variant) const { return variant.hash(); }
  };
  const Device device_;
  CompileOptions options_;
  std::shared_mutex mutex_;
  std::unordered_map<Variant, GenericKernel, Hash> kernels_;
};

}  // namespace pykc::jit
