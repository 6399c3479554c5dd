#include "tests/random/ptxas.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstdint>

#include "runtime/cuda/driver.h"

namespace pykc::random_test {

using namespace cuda;  // the driver's own names

Result<std::string> assemble(const std::string& ptx, int level) {
  const Result<const Driver*> driver = Driver::get();
  if (!driver) return driver.error();
  const Driver& d = **driver;
  CUjit_option options[] = {CU_JIT_OPTIMIZATION_LEVEL};
  void* values[] = {reinterpret_cast<void*>(static_cast<std::uintptr_t>(level))};
  CUlinkState state = nullptr;
  if (Result<void> made = d.check("cuLinkCreate", d.cuLinkCreate(1, options, values, &state)); !made)
    return made.error();
  void* cubin = nullptr;
  std::size_t bytes = 0;
  Result<void> done = d.check("cuLinkAddData", d.cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()),
                                                               ptx.size() + 1, "the kernel", 0, nullptr, nullptr));
  if (done) done = d.check("cuLinkComplete", d.cuLinkComplete(state, &cubin, &bytes));
  const std::string result = done ? std::string(static_cast<const char*>(cubin), bytes) : std::string();
  d.cuLinkDestroy(state);
  if (!done) return done.error();
  return result;
}

Result<std::string> assemble_by(const std::string& program, const std::string& ptx, const std::string& chip,
                                int level) {
  int file = 0;
  llvm::SmallString<64> input;
  if (llvm::sys::fs::createTemporaryFile("pykc_random_test", "ptx", file, input))
    return Error{ErrorCode::InputOutput, "no temporary file can be made"};
  const llvm::FileRemover remove_input(input);
  { llvm::raw_fd_ostream(file, /*shouldClose=*/true) << ptx; }
  const std::string output = input.str().str() + ".cubin", log = input.str().str() + ".log";
  const llvm::FileRemover remove_output(output), remove_log(log);
  const std::string optimization = "-O" + std::to_string(std::min(level, 3));
  const llvm::StringRef arguments[] = {program, "-arch", chip, optimization, input, "-o", output};
  const std::optional<llvm::StringRef> redirections[] = {std::nullopt, llvm::StringRef(log), llvm::StringRef(log)};
  const int status = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, redirections);
  const auto read = [](const std::string& path) {
    const auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  };
  if (status != 0)
    return Error{ErrorCode::InputOutput, program + " ended with " + std::to_string(status) + ": " + read(log)};
  return read(output);
}

}  // namespace pykc::random_test
