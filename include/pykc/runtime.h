// The runtime: devices, memory, loaded modules, kernels and launches. It needs no compiler and no LLVM for GPU
// artifacts, and is the same for a GPU ("cuda:0") and for the CPU device ("cpu").
//
//   auto device  = pykc::Device::open("cuda:0").value();         // or "cpu", or "" for the best one present
//   auto module  = device.load(artifact).value();
//   auto vecadd  = module.kernel("vecadd").value();
//   auto x = device.copy_from<float>(host_x).value(), y = device.copy_from<float>(host_y).value();
//   auto z = device.allocate<float>(n).value();
//   vecadd.launch({.grid = {(n + 255) / 256}, .block = {256}}, z, x, y).value();
//   z.copy_to(host_z).value();                                   // waits for the kernel
//
// Ownership: Device, Module, Kernel, Stream and Event are cheap handles that share what they name; it lives until the
// last handle is gone. An Array<T> is such a handle too: a copy is another name for the same memory.
// Opening a device twice gives the same device.
// Threads: all handles may be used from several threads at once; launches on one stream run in the order they were
// made. The thread's current CUDA context is left as it was found, so CUDA code beside pykc is not disturbed. Order:
// what a device does (launches, copies on a stream) is asynchronous on a GPU; the CPU device finishes each call before
// it returns. The default stream waits for the work of all other streams, and they for its (CUDA's legacy default
// stream); copies that name no stream go there, so they see the results of every launch before them. Faults: an assert,
// a raise or a failed check in a kernel is reported once, as ErrorCode::KernelFault, by the next call that waits for
// the kernel: synchronize() of its stream, of the device or of a later event, or a copy without a stream. A module
// reports its first fault only, also when its kernels ran on several streams.
#pragma once

#include "pykc/array.h"
#include "pykc/device.h"
#include "pykc/kernel.h"
#include "pykc/pool.h"
#include "pykc/stream.h"
