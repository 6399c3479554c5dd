// The same kernel by the interpreter, on the CPU device and on a GPU: the same bytes in every array.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/differential/execute.h"

namespace pykc::differential {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
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

    std::string error;
    CompileOptions options{.cache = false, .warnings = false};
    const std::unique_ptr<ir::Module> module = compile_to_ir(source, options, error);
    ASSERT_NE(module, nullptr) << error;

    const Device cpu = Device::open("cpu").value();
    options.target = "cpu";
    const Result<Artifact> on_cpu = compile(source, options, path_.string());
    ASSERT_TRUE(on_cpu.has_value()) << explain(on_cpu.error());
    const Result<Device> gpu = Device::open("cuda:0");
    options.target = gpu ? gpu->info().target : "sm_90";
    const Result<Artifact> on_gpu = compile(source, options, path_.string());
    ASSERT_TRUE(on_gpu.has_value()) << explain(on_gpu.error());

    for (const Case& launch : cases) {
      const Execution from_cpu = run_device(cpu, *on_cpu, launch);
      if (!launch.uses_math) {
        const Execution expected = run_interpreter(*module, launch);
        EXPECT_EQ(difference(expected, from_cpu, launch, "the interpreter and the CPU device"), "");
      }
      if (!gpu) continue;
      EXPECT_EQ(difference(from_cpu, run_device(*gpu, *on_gpu, launch), launch, "the CPU device and the GPU"), "");
    }
  }

 private:
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
