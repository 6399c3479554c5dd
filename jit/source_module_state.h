// What stands behind a SourceModule: the parsed source, its kernels, and the constants that the host has set.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "jit/generic_kernel.h"
#include "pykc/source_module.h"

namespace pykc::detail {

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
  std::vector<Module> loaded{};             // of compiled variants, each with constants of its own
  std::vector<ConstantSetting> settings{};  // for those to come

  Result<void> add(const Module& module);
  Result<void> set_constant(ConstantSetting wanted);
  std::vector<std::string> constant_names() const;
  static Result<void> apply(const ConstantSetting& setting, const Module& module);
};

}  // namespace pykc::detail
