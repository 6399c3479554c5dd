// The same kernel by the interpreter, on the CPU device and on a GPU: the same bytes in every array.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/parser.h"
#include "pykc/compiler.h"
#include "pykc/runtime.h"
#include "tests/differential/case.h"
#include "tests/reference/interpreter.h"

namespace pykc::differential {
namespace {

using Arrays = std::vector<std::vector<unsigned char>>;  // one an argument; empty for scalars

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A scalar argument's bytes in the type of its parameter.
std::uint64_t scalar_bits(double number, ScalarType type) {
  if (type == ScalarType::F32) return reference::bits_of(static_cast<float>(number));
  if (type == ScalarType::F64) return reference::bits_of(number);
  const std::uint64_t bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  const int width = 8 * size_in_bytes(type);
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

Arrays initial_arrays(const Case& launch) {
  Arrays arrays;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    arrays.push_back(launch.arguments[i].is_array ? initial_bytes(launch.arguments[i], i) : std::vector<unsigned char>());
  return arrays;
}

/// Row-major strides in elements.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Arrays run_interpreter(const ir::Module& module, const Case& launch) {
  const ir::Function* kernel = nullptr;
  for (const auto& function : module.functions)
    if (function->is_kernel && function->name == launch.kernel) kernel = function.get();
  EXPECT_NE(kernel, nullptr) << launch.kernel;
  Arrays arrays = initial_arrays(launch);
  if (!kernel) return arrays;
  std::vector<std::uint64_t> parameters;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const CaseArgument& argument = launch.arguments[i];
    const ParameterInfo& parameter = kernel->kernel.parameters[i];
    if (!argument.is_array) {
      parameters.push_back(scalar_bits(argument.number, parameter.value.scalar));
      continue;
    }
    parameters.push_back(reference::bits_of(arrays[i].data()));
    if (parameter.array.has_static_shape()) continue;
    for (const std::int64_t extent : argument.shape) parameters.push_back(static_cast<std::uint64_t>(extent));
    if (parameter.array.layout != Layout::Strided) continue;
    for (const std::int64_t stride : strides_of(argument.shape)) parameters.push_back(static_cast<std::uint64_t>(stride));
  }
  const reference::Outcome outcome = reference::run(
      module, *kernel, {.grid = launch.grid, .block = launch.block, .launch_shared_bytes = launch.shared_bytes}, parameters);
  EXPECT_TRUE(outcome.is_clean()) << outcome.error;
  return arrays;
}

/// Runs the case on a device; the arrays as they are afterwards.
Arrays run_device(const Device& device, const Artifact& artifact, const Case& launch) {
  Arrays arrays = initial_arrays(launch);
  Result<Module> module = device.load(artifact);
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return arrays;
  }
  Result<Kernel> kernel = module->kernel(launch.kernel);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().message;
    return arrays;
  }
  std::vector<Buffer> buffers(launch.arguments.size());
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const CaseArgument& from = launch.arguments[i];
    Argument argument;
    argument.is_array = from.is_array;
    if (from.is_array) {
      const std::int64_t bytes = static_cast<std::int64_t>(arrays[i].size());
      buffers[i] = device.allocate_bytes(bytes).value();
      buffers[i].copy_from_host(arrays[i].data(), bytes).value();
      argument.type = from.element;
      argument.rank = static_cast<int>(from.shape.size());
      argument.address = buffers[i].address();
      argument.device = buffers[i].device();
      const std::vector<std::int64_t> strides = strides_of(from.shape);
      for (std::size_t k = 0; k < from.shape.size(); ++k) {
        argument.extents[k] = from.shape[k];
        argument.strides[k] = strides[k];
      }
    } else {
      argument.type = kernel->info().parameters[i].value.scalar;
      const std::uint64_t bits = scalar_bits(from.number, argument.type);
      std::memcpy(argument.scalar, &bits, sizeof bits);
    }
    arguments.push_back(argument);
  }
  const Result<void> launched = kernel->launch_with(
      {.grid = launch.grid, .block = launch.block, .shared_bytes = launch.shared_bytes, .stream = nullptr}, arguments);
  EXPECT_TRUE(launched.has_value()) << (launched ? "" : launched.error().message);
  const Result<void> waited = device.synchronize();
  EXPECT_TRUE(waited.has_value()) << (waited ? "" : waited.error().message);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (launch.arguments[i].is_array)
      buffers[i].copy_to_host(arrays[i].data(), static_cast<std::int64_t>(arrays[i].size())).value();
  return arrays;
}

std::string hex(const std::vector<unsigned char>& bytes, std::size_t element, std::size_t size) {
  std::string text = "0x";
  for (std::size_t i = size; i-- > 0;) {
    const unsigned char byte = bytes[element * size + i];
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

void expect_same(const Arrays& expected, const Arrays& given, const Case& launch, const char* what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == given[i]) continue;
    const std::size_t size = static_cast<std::size_t>(size_in_bytes(launch.arguments[i].element));
    std::size_t at = 0, count = 0;
    for (std::size_t element = expected[i].size() / size; element-- > 0;) {
      if (std::memcmp(&expected[i][element * size], &given[i][element * size], size) == 0) continue;
      at = element;
      ++count;
    }
    ADD_FAILURE() << launch.kernel << ": " << what << " differ in argument " << i << " at " << count
                  << " elements, the first is " << at << ": " << hex(expected[i], at, size) << " and "
                  << hex(given[i], at, size);
  }
}

class DifferentialFile : public testing::Test {
 public:
  explicit DifferentialFile(std::filesystem::path path) : path_(std::move(path)) {}
  void TestBody() override {
    const std::string source = read_file(path_);
    std::vector<std::string> errors;
    const std::vector<Case> cases = read_cases(source, errors);
    ASSERT_TRUE(errors.empty()) << errors.front();
    ASSERT_FALSE(cases.empty()) << "no `# run:` line";

    CompileOptions options{.warnings = false};
    Result<CompileOutput> ir = compile_to(Emit::Ir, source, options, path_.string());
    ASSERT_TRUE(ir.has_value()) << explain(ir.error());
    const std::unique_ptr<ir::Module> module = ir::parse_module(ir->text, errors);
    ASSERT_NE(module, nullptr) << errors.front();

    const Device cpu = Device::open("cpu").value();
    options.target = "cpu";
    const Result<Artifact> on_cpu = compile(source, options, path_.string());
    ASSERT_TRUE(on_cpu.has_value()) << explain(on_cpu.error());
    const Result<Device> gpu = Device::open("cuda:0");
    options.target = gpu ? gpu->info().target : "sm_80";
    const Result<Artifact> on_gpu = compile(source, options, path_.string());
    ASSERT_TRUE(on_gpu.has_value()) << explain(on_gpu.error());

    for (const Case& launch : cases) {
      const Arrays from_cpu = run_device(cpu, *on_cpu, launch);
      if (!launch.uses_math)
        expect_same(run_interpreter(*module, launch), from_cpu, launch, "the interpreter and the CPU device");
      if (gpu) expect_same(from_cpu, run_device(*gpu, *on_gpu, launch), launch, "the CPU device and the GPU");
    }
  }

 private:
  static std::string explain(const Error& error) {
    std::string text = error.message;
    for (const Diagnostic& diagnostic : error.diagnostics) text += "\n" + to_text(diagnostic);
    return text;
  }
  std::filesystem::path path_;
};

void register_files() {
  const char* root = std::getenv("PYKC_SOURCE_DIR");
  const std::filesystem::path folder = std::filesystem::path(root ? root : ".") / "tests/differential/kernels";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".pyk") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files)
    testing::RegisterTest("Differential", path.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [path]() -> testing::Test* { return new DifferentialFile(path); });
}

}  // namespace
}  // namespace pykc::differential

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  pykc::differential::register_files();
  return RUN_ALL_TESTS();
}
