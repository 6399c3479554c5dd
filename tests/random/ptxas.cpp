#include "tests/random/ptxas.h"

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

}  // namespace pykc::random_test
