// A differential case: one kernel with one launch, as its file states it in a comment above the kernel:
//
//   # run: grid=4 block=(32, 8) shared=512 | zeros f32[100, 70] | random f32[100] | 3
//   @kernel
//   def scale(y: f32[:, :], x: f32[:], n: i64): …
//
// One argument a bar: `zeros`, `random` or `iota` with a type and a shape, or a number for a scalar parameter. `#
// math:` in place of
// `# run:` says that the kernel calls the math library, whose functions the interpreter takes from the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/types.h"

namespace pykc::differential {

enum class Fill : std::uint8_t { Zeros, Random, Iota };

struct CaseArgument {
  bool is_array = false;
  Fill fill = Fill::Zeros;
  ScalarType element = ScalarType::F32;
  std::vector<std::int64_t> shape;
  double number = 0;  // a scalar argument
  std::int64_t size() const;
};

struct Case {
  std::string kernel;
  bool uses_math = false;
  Dim3 grid, block;
  std::int64_t shared_bytes = 0;
  std::vector<CaseArgument> arguments;
};

/// The cases of a file; what does not read as a case goes to `errors`.
std::vector<Case> read_cases(std::string_view source, std::vector<std::string>& errors);

/// The bytes that an array argument starts with: the same for the same argument number, always.
std::vector<unsigned char> initial_bytes(const CaseArgument& argument, std::size_t number);

}  // namespace pykc::differential
