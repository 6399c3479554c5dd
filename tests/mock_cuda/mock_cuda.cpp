// The fake driver's doors: every call of the driver counts, and fails if that is asked for.
#include "tests/mock_cuda/mock_cuda.h"

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/mock_cuda/state.h"

namespace fake {

State& state() {
  static auto* state = new State;
  return *state;
}

State::State() {
  if (const char* count = std::getenv("MOCK_CUDA_DEVICES")) devices = std::atoi(count);
  const char* list = std::getenv("MOCK_CUDA_FAIL");
  std::istringstream rows(list == nullptr ? "" : list);
  for (std::string row; std::getline(rows, row, ',');) {
    std::istringstream fields(row);
    std::string function, nth, code;
    std::getline(fields, function, ':');
    std::getline(fields, nth, ':');
    std::getline(fields, code);
    failures[function].push_back({std::atoi(nth.c_str()), std::atoi(code.c_str())});
  }
}

}  // namespace fake

namespace {

using namespace fake;

/// What every call does first: count, and fail if that is asked for.
CUresult begin(const std::string& function) {
  ++state().calls[function];
  for (Failure& failure : state().failures[function])
    if (--failure.countdown == 0) return failure.code;
  const bool works_when_broken = function.starts_with("cuGetError") || function.starts_with("cuCtxGet") ||
                                 function.starts_with("cuCtxSet") || function.starts_with("cuDevice");
  return works_when_broken ? CUDA_SUCCESS : state().broken;
}

/// Functions that free what they are given even when they fail, as the driver's do, which mostly report what went wrong
/// before.
bool gives_back(std::string_view function) {
  return function.ends_with("Destroy") || function.ends_with("Release") || function.ends_with("Unload") ||
         function.starts_with("cuMemFree");
}

}  // namespace

extern "C" {

#define DRIVER_FUNCTION(name, symbol, parameters, arguments)         \
  CUresult symbol parameters {                                       \
    const std::lock_guard lock(state().mutex);                       \
    const CUresult failed = begin(#name);                            \
    if (failed != CUDA_SUCCESS && !gives_back(#name)) return failed; \
    const CUresult result = fake::name arguments;                    \
    return failed != CUDA_SUCCESS ? failed : result;                 \
  }
#include "runtime/cuda/driver_api.def"
}

namespace mock_cuda {

void mock_reset() {
  const std::lock_guard lock(state().mutex);
  current = nullptr;
  captures_of_thread = 0;
  capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  state().devices = 1;
  state().has_peers = true;
  state().memory = std::size_t{1} << 30;
  state().max_threads = 1024;
  state().words = 0;
  state().calls.clear();
  state().failures.clear();
  state().log.clear();
  state().next_fault = {};
  state().break_code = state().broken = 0;
}
void mock_set_devices(int count) { state().devices = count; }
void mock_set_peers(bool possible) { state().has_peers = possible; }
void mock_set_memory(std::size_t bytes) { state().memory = bytes; }
std::size_t* mock_stack_limit() { return &state().contexts[0].stack_bytes; }
void mock_set_max_threads(int threads) { state().max_threads = threads; }
void mock_set_words(int count) { state().words = count; }
void mock_fail(const char* function, int nth, int code) { state().failures[function].push_back({nth, code}); }
void mock_fail_next_load(const char* log) { state().log = log; }
void mock_fault_at_next_launch(const pykc::abi::FaultRecord* record) { state().next_fault = *record; }
void mock_break_at_next_launch(int code) { state().break_code = code; }

int mock_calls(const char* function) { return state().calls[function]; }
int mock_live_objects() {
  int live = static_cast<int>(state().objects.size() + state().blocks.size());
  for (const CUctx_st& context : state().contexts) live += context.retained;
  return live;
}
int mock_assembler_level() { return state().assembler_level; }
const Launch* mock_last_launch() { return &state().last_launch; }
void mock_set_driver_version(int version) { state().driver_version = version; }
int mock_early_launches() { return state().early_launches; }
const TensorMap* mock_last_tensor_map() { return &state().last_tensor_map; }

}  // namespace mock_cuda
