#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "base/errors.h"

namespace pykc::cuda {
namespace {

Error unavailable(const std::string& why) {
  return Error{ErrorCode::DriverUnavailable, why + "; the device `cpu` needs no GPU"};
}

std::string library_name() {
  const char* named = std::getenv("PYKC_CUDA_LIBRARY");
  return named != nullptr ? named : "libcuda.so.1";
}

Result<void*> open_library(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* reason = dlerror();
  return unavailable("no NVIDIA driver: " + std::string(reason != nullptr ? reason : name));
}

/// The first symbol that the library lacks, or null.
const char* find_functions(void* library, Driver& driver) {
  const char* missing = nullptr;
#define DRIVER_FUNCTION(name, symbol, parameters, arguments)                      \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #symbol)); \
  if (driver.name == nullptr && missing == nullptr) missing = #symbol;
#define NEWER_DRIVER_FUNCTION(name, symbol, parameters, arguments) \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #symbol));
#include "runtime/cuda/driver_api.def"
  return missing;
}

/// A library stays open once its functions were found: handles point into it.
Result<std::unique_ptr<Driver>> load(const std::string& name) {
  ASSIGN_OR_RETURN(void* library, open_library(name));
  auto driver = std::make_unique<Driver>();
  if (const char* missing = find_functions(library, *driver)) {
    dlclose(library);
    return unavailable("the NVIDIA driver is too old: " + name + " has no function " + missing);
  }
  return driver;
}

struct Libraries {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Driver>> by_name;
};

/// After one of these the driver refuses every further call of the process on that GPU.
bool loses_context(CUresult result) {
  return result == CUDA_ERROR_ECC_UNCORRECTABLE || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
         result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_ASSERT ||
         (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

}  // namespace

Result<const Driver*> Driver::get() {
  static auto* libraries = new Libraries;  // never destroyed: handles may outlive main
  const std::lock_guard lock(libraries->mutex);
  const std::string name = library_name();
  std::unique_ptr<Driver>& known = libraries->by_name[name];
  if (known == nullptr) {
    ASSIGN_OR_RETURN(known, load(name));
  }
  const CUresult result = known->cuInit(0);  // costs next to nothing when done before
  if (result == CUDA_ERROR_NO_DEVICE) return unavailable("the NVIDIA driver finds no GPU");
  if (result != CUDA_SUCCESS) return unavailable(known->error("cuInit", result).message);
  return known.get();
}

int Driver::device_count() const {
  int count = 0;
  return cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

int Driver::version() const {
  int version = 0;
  return cuDriverGetVersion(&version) == CUDA_SUCCESS ? version : 0;
}

Error Driver::error(const char* call, CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "the driver has no text for it";
  std::string message = std::string(call) + " failed: " + name + " (" + text + "), code " + std::to_string(result);
  if (loses_context(result))
    message +=
        "; a kernel launched before broke the CUDA context, which is lost: no further call on this GPU can succeed in "
        "this process";
  return Error{result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::OutOfMemory : ErrorCode::DriverError, message};
}

ContextScope::ContextScope(const Driver& driver, CUcontext context) : driver_(driver) {
  CUcontext current = nullptr;
  driver_.cuCtxGetCurrent(&current);
  if (current == context) return;
  driver_.cuCtxSetCurrent(context);
  previous_ = current;
}

ContextScope::~ContextScope() {
  if (previous_ != nullptr) driver_.cuCtxSetCurrent(previous_);
}

OutsideCapture::OutsideCapture(const Driver& driver, bool is_needed) : driver_(driver) {
  if (!is_needed) return;
  result_ = driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  has_left_ = result_ == CUDA_SUCCESS;
}

OutsideCapture::~OutsideCapture() {
  if (has_left_) driver_.cuThreadExchangeStreamCaptureMode(&mode_);
}

Result<std::unique_ptr<PrimaryContext>> PrimaryContext::retain(const Driver& driver, CUdevice device) {
  CUcontext handle = nullptr;
  const CUresult retained = driver.cuDevicePrimaryCtxRetain(&handle, device);
  RETURN_IF_FAILED(driver.check("cuDevicePrimaryCtxRetain", retained));
  return std::make_unique<PrimaryContext>(driver, device, handle);
}

PrimaryContext::~PrimaryContext() {
  CUcontext current = nullptr;
  driver_.cuCtxGetCurrent(&current);
  if (current == handle_) driver_.cuCtxSetCurrent(nullptr);
  driver_.cuDevicePrimaryCtxRelease(device_);
}

}  // namespace pykc::cuda
