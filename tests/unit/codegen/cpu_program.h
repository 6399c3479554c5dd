// Runs a CPU artifact by hand: what the runtime does with one, as small as it can be. One thread, no checks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/module.h"
#include "pykc/artifact.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen::test {

struct Launch {
  Dim3 grid{};
  Dim3 block{};
  std::int64_t shared_bytes = 0;  // the launch's own
  bool streams = false;
};

class CpuProgram {
 public:
  /// Generates code for this machine, or for `target`, and loads it. Ends the test program where that fails.
  explicit CpuProgram(const ir::Module& module, const std::string& target = "cpu", int optimization = 3);
  /// Reads, checks and splits a module in text form first.
  static CpuProgram from_text(std::string_view text, int optimization = 3);
  ~CpuProgram();
  CpuProgram(CpuProgram&&) noexcept;

  const Artifact& artifact() const { return artifact_; }
  const abi::FaultRecord& fault() const { return fault_; }
  /// Parameters by address, as cuLaunchKernel takes them. Blocks run in order; all memory starts as garbage.
  void run(std::string_view kernel, const Launch& launch, const std::vector<const void*>& parameters);
  /// Where a constant of so many bytes lies that the host fills; null if there is none.
  void* constant(std::string_view symbol, std::uint64_t bytes) const;

  /// All that the program has printed.
  static std::string& printed();

 private:
  struct Loaded;
  Artifact artifact_;
  std::unique_ptr<Loaded> loaded_;
  abi::FaultRecord fault_{};
};

using Words = std::vector<std::int32_t>;

/// Runs the kernel `k`, whose first parameter is an array of i32 and whose others are i64.
template <typename... Numbers>
void run(CpuProgram& program, const Launch& launch, Words& words, Numbers... numbers) {
  void* address = words.data();
  const std::int64_t values[] = {numbers..., 0};
  std::vector<const void*> parameters = {&address};
  for (std::size_t n = 0; n < sizeof...(numbers); ++n) parameters.push_back(&values[n]);
  program.run("k", launch, parameters);
}

}  // namespace pykc::codegen::test
