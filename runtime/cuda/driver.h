// libcuda, opened when the first GPU is asked for. Nothing of pykc links it, so one binary runs with and without a GPU.
#pragma once

#include <memory>

#include "pykc/error.h"
#include "runtime/cuda/driver_types.h"

namespace pykc::cuda {

/// The driver's functions, called as in C: `driver.cuInit(0)`.
struct Driver {
#define DRIVER_FUNCTION(name, symbol, parameters, arguments) CUresult(*name) parameters = nullptr;
#include "runtime/cuda/driver_api.def"

  /// Opened and initialised once; it stays for the life of the process. The environment variable PYKC_CUDA_LIBRARY
  /// names another library than libcuda.so.1. A failure is not remembered: the next call tries again.
  static Result<const Driver*> get();

  int device_count() const;  // 0 if the driver does not say
  int version() const;       // 13010 for CUDA 13.1; 0 if the driver does not say

  /// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  Error error(const char* call, CUresult result) const;
  Result<void> check(const char* call, CUresult result) const {
    if (result == CUDA_SUCCESS) [[likely]]
      return {};
    return error(call, result);
  }
};

/// Makes a context current for a scope. A thread that had another one current gets it back at the end, as CUDA code of
/// the host program expects; a thread that had none keeps this one, so its next call is cheap.
class ContextScope {
 public:
  ContextScope(const Driver& driver, CUcontext context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const Driver& driver_;
  CUcontext previous_ = nullptr;  // null: nothing to put back
};

/// For a scope, the driver lets this thread do what it forbids while a stream captures, and what is no work of a
/// stream.
class OutsideCapture {
 public:
  OutsideCapture(const Driver& driver, bool is_needed);
  ~OutsideCapture();
  OutsideCapture(const OutsideCapture&) = delete;
  OutsideCapture& operator=(const OutsideCapture&) = delete;
  /// Whether the driver does.
  Result<void> check() const { return driver_.check("cuThreadExchangeStreamCaptureMode", result_); }

 private:
  const Driver& driver_;
  CUresult result_ = CUDA_SUCCESS;
  bool has_left_ = false;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // then the thread's own
};

/// A GPU's primary context, which the CUDA runtime uses too, held until this goes.
class PrimaryContext {
 public:
  static Result<std::unique_ptr<PrimaryContext>> retain(const Driver& driver, CUdevice device);
  PrimaryContext(const Driver& driver, CUdevice device, CUcontext handle)
      : driver_(driver), device_(device), handle_(handle) {}
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  CUcontext handle() const { return handle_; }
  CUdevice device() const { return device_; }

 private:
  const Driver& driver_;
  const CUdevice device_;
  const CUcontext handle_;
};

}  // namespace pykc::cuda
