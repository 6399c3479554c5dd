#include "tests/unit/codegen/cpu_program.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "codegen/codegen.h"
#include "ir/passes/passes.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"
#include "runtime/cpu/elf_object.h"

namespace pykc::codegen::test {
namespace {

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "cpu_program: %s\n", message.c_str());
  std::abort();
}

void print(const char* format, ...) {
  char line[1000];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  CpuProgram::printed() += line;
}

/// Exactly what include/pykc/kernel_abi.h allows an object to call.
void* find_function(std::string_view name) {
  if (name == "fma") return reinterpret_cast<void*>(static_cast<double (*)(double, double, double)>(std::fma));
  if (name == "fmaf") return reinterpret_cast<void*>(static_cast<float (*)(float, float, float)>(std::fma));
  return name == abi::kPrintSymbol ? reinterpret_cast<void*>(&print) : nullptr;
}

/// Memory as the ABI asks for it, full of garbage.
struct Memory {
  explicit Memory(std::int64_t bytes)
      : data(std::aligned_alloc(64, static_cast<std::size_t>((bytes + 127) / 64 * 64))) {
    std::fill_n(static_cast<unsigned char*>(data), (bytes + 127) / 64 * 64, 0xa5);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { std::free(data); }
  void* data;
};

}  // namespace

struct CpuProgram::Loaded {
  cpu::ElfObject object;
};

CpuProgram::CpuProgram(const ir::Module& module, const std::string& target, int optimization) {
  Result<Target> parsed = Target::parse(target);
  if (!parsed) fail(parsed.error().message);
  Options options;
  options.optimization = optimization;
  artifact_ = generate(module, *parsed, options).value();
  Result<cpu::ElfObject> object = cpu::ElfObject::load(artifact_.code, &find_function);
  if (!object) fail(object.error().message);
  loaded_ = std::make_unique<Loaded>(std::move(*object));
}

CpuProgram CpuProgram::from_text(std::string_view text, int optimization) {
  std::vector<std::string> errors;
  const std::unique_ptr<ir::Module> module = ir::parse_module(text, errors);
  if (module == nullptr) fail(errors.front());
  ir::inline_calls(*module);
  for (const auto& function : module->functions)
    if (function->is_kernel) ir::split_at_barriers(*function, *module);
  for (const std::string& problem : ir::verify(*module)) fail(problem);
  return CpuProgram(*module, "cpu", optimization);
}

void* CpuProgram::constant(std::string_view symbol, std::uint64_t bytes) const {
  return loaded_->object.find_variable(symbol, bytes);
}

CpuProgram::~CpuProgram() = default;
CpuProgram::CpuProgram(CpuProgram&&) noexcept = default;

std::string& CpuProgram::printed() {
  static std::string text;
  return text;
}

void CpuProgram::run(std::string_view kernel, const Launch& launch, const std::vector<const void*>& parameters) {
  const KernelInfo* info = nullptr;
  for (const KernelInfo& one : artifact_.kernels)
    if (one.name == kernel || one.symbol.ends_with("_" + std::string(kernel))) info = &one;
  if (info == nullptr) fail("no kernel " + std::string(kernel));
  const auto entry = reinterpret_cast<abi::CpuKernel>(loaded_->object.find(info->symbol));

  const std::int64_t dynamic =
      launch.shared_bytes + info->dynamic_shared_bytes.evaluate(launch.grid, launch.block).value();
  const Memory shared(info->static_shared_bytes + dynamic);
  const Memory scratch(info->scratch_bytes.evaluate(launch.grid, launch.block).value());
  const abi::CpuLaunch description = {.parameters = parameters.data(),
                                      .grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                                      .block = {launch.block.x, launch.block.y, launch.block.z},
                                      .shared_bytes = dynamic,
                                      .fault = &fault_,
                                      .streams = launch.streams};
  entry(&description, shared.data, scratch.data, 0, launch.grid.x * launch.grid.y * launch.grid.z);
}

}  // namespace pykc::codegen::test
