#include "tests/unit/codegen/ptx.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "ir/text/parser.h"
#include "ir/verify/verifier.h"

namespace pykc::codegen::test {
namespace {

/// ptxas, or nothing where the CUDA toolkit is not installed.
std::string find_ptxas() {
  for (const char* command : {"ptxas", "/usr/local/cuda/bin/ptxas"})
    if (std::system((std::string(command) + " --version > /dev/null 2>&1").c_str()) == 0) return command;
  return {};
}

void assemble(const std::string& ptx, const std::string& chip) {
  static const std::string ptxas = find_ptxas();
  if (ptxas.empty()) return;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string stem = (folder / ("pykc_nvptx_test_" + std::to_string(::getpid()))).string();
  std::ofstream(stem + ".ptx") << ptx;
  const std::string command = ptxas + " -arch=" + chip + " " + stem + ".ptx -o /dev/null > " + stem + ".log 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream log(stem + ".log");
  EXPECT_EQ(status, 0) << chip << ": " << std::string(std::istreambuf_iterator<char>(log), {}) << '\n' << ptx;
  std::filesystem::remove(stem + ".ptx");
  std::filesystem::remove(stem + ".log");
}

}  // namespace

std::unique_ptr<ir::Module> read(std::string_view text) {
  std::vector<std::string> errors;
  std::unique_ptr<ir::Module> module = ir::parse_module(text, errors);
  EXPECT_TRUE(module != nullptr) << (errors.empty() ? "" : errors.front());
  EXPECT_EQ(ir::verify(*module), std::vector<std::string>{});
  return module;
}

std::string ptx(const ir::Module& module, const std::string& chip, const Options& options) {
  const Artifact artifact = generate(module, Target::parse(chip).value(), options).value();
  assemble(artifact.code, chip);
  return artifact.code;
}

std::string ptx(std::string_view text, const std::string& chip, const Options& options) {
  return ptx(*read(text), chip, options);
}

void assemble_for_every_chip_and_level(std::string_view text) {
  for (const char* chip : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a",
                           "sm_103", "sm_110", "sm_120", "sm_121"})
    ptx(text, chip);
  for (const int level : {0, 1, 2}) ptx(text, "sm_80", {.optimization = level});
}

KernelInfo kernel_info(std::string_view text) {
  return generate(*read(text), Target::parse("sm_80").value(), {}).value().kernels.at(0);
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t result = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
  return result;
}

}  // namespace pykc::codegen::test
