// Steps over elements as the text of one device function, and the modules that are generated around it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "pykc/elementwise.h"
#include "pykc/source_module.h"

namespace pykc::jit {

/// The function `operation(inputs…)`, which returns the outputs, and the functions that it calls.
struct Fusion {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string text;
};
Result<Fusion> fuse(const std::vector<ElementwiseStep>& steps, const std::string& preamble);

/// Generated modules by the text that tells them apart, each made once.
class VariantCache {
 public:
  VariantCache(Device device, CompileOptions options) : device_(std::move(device)), options_(std::move(options)) {
    options_.warnings = false;  // of text that nobody wrote
  }
  /// `make_source` is called where the variant is not there yet; its kernel has the name `kernel`.
  template <typename MakeSource>
  Result<GenericKernel> kernel(const std::string& variant, const std::string& kernel, MakeSource make_source) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = kernels_.find(variant); found != kernels_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    return add(variant, kernel, make_source());
  }
  const Device& device() const { return device_; }

 private:
  Result<GenericKernel> add(const std::string& variant, const std::string& kernel, const Source& source);
  const Device device_;
  CompileOptions options_;
  std::shared_mutex mutex_;
  std::map<std::string, GenericKernel> kernels_;
};

}  // namespace pykc::jit
