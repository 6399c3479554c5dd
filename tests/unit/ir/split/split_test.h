// A kernel must do the same before and after split_at_barriers; the interpreter runs both.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/module.h"
#include "tests/reference/interpreter.h"

namespace pykc::ir {

/// Reads and verifies a module in the text form, in which values may have names (%x) instead of numbers.
std::unique_ptr<Module> read(const std::string& text);
/// Runs the passes of the CPU path over the module and verifies the result.
void split(Module& module);

struct RunResult {
  reference::Outcome outcome;
  std::vector<std::int64_t> out;
};

/// Runs kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64) of a module: `in` holds 5, 8, 11 …, `out`
/// as many elements as the grid has threads, all -1 at first.
RunResult run(const Module& module, reference::Launch launch, std::int64_t n);

/// Two blocks of more threads than a warp has.
inline const reference::Launch kLaunch{.grid = {2}, .block = {40}};

/// The kernel head that `run` expects, around a body.
std::string kernel_text(const std::string& body);
/// The start of a body: thread %t of the block, number %i of the grid, reads %x and has its place for a result, %o.
inline const std::string kStart = R"(
  %t = builtin threadIdx.x : i64
  %p = element %in, %t
  %x = load %p : i64
  %b = builtin blockIdx.x : i64
  %w = builtin blockDim.x : i64
  %f = mul %b, %w
  %i = add %f, %t
  %o = element %out, %i
)";

/// Expects that the kernel in `text` runs without fault and does the same split and unsplit; returns what it wrote.
std::vector<std::int64_t> expect_same(const std::string& text, const reference::Launch& launch, std::int64_t n);

/// The text of kernel @k once split.
std::string split_text(const std::string& text);

bool contains(const std::string& text, const std::string& part);
int count_of(const std::string& text, const std::string& part);

}  // namespace pykc::ir
