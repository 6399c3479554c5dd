// PTX of modules in text form. All of it goes through ptxas as well, where that is installed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "codegen/codegen.h"

namespace pykc::codegen::test {

/// Reads and checks.
std::unique_ptr<ir::Module> read(std::string_view text);

std::string ptx(const ir::Module& module, const std::string& chip = "sm_80", const Options& options = {});
std::string ptx(std::string_view text, const std::string& chip = "sm_80", const Options& options = {});
void assemble_for_every_chip_and_level(std::string_view text);

/// Of the first kernel.
KernelInfo kernel_info(std::string_view text);

std::size_t count(const std::string& text, std::string_view part);

#define EXPECT_HAS(text, part) EXPECT_GT(count(text, part), 0U) << part << " in\n" << (text)
#define EXPECT_HAS_NOT(text, part) EXPECT_EQ(count(text, part), 0U) << part << " in\n" << (text)

/// z[i] = a * x[i] + x[i]
inline constexpr std::string_view kVecadd = R"(
kernel @vecadd(%z: ptr<f32, global> no_alias, %n: i64 non_negative, %x: ptr<f32, global> read_only, %a: f32, %on: bool) {
  %0 = builtin blockIdx.x : i64
  %1 = builtin blockDim.x : i64
  %2 = mul %0, %1
  %3 = builtin threadIdx.x : i64
  %4 = add %2, %3
  %5 = lt %4, %n
  %6 = and %5, %on
  if %6 {
    %7 = element %x, %4
    %8 = load %7 : f32
    %9 = mul %8, %a
    %10 = add %9, %8
    %11 = element %z, %4
    store %11, %10
  }
  return
}
)";

}  // namespace pykc::codegen::test
