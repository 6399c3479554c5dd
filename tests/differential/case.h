// A differential case: one kernel with one launch, as its file states it in a comment above the kernel:
//
//   # run: grid=4 block=(32, 8) shared=512 | zeros f32[100, 70] | edges f32[100] | same 1 f32[60] from 40 | 3
//   @kernel
//   def scale(y: f32[:, :], x: f32[:], tail: f32[:], n: i64): …
//
// One argument a bar: a number for a scalar parameter, or how an array is filled, its type and its shape:
//
//   zeros, iota   0, or 0 1 2 …
//   random        integers of all bits, floats from -2 to 2
//   edges         the same, between the values where types end: the largest, the smallest, NaN, infinities, -0.0 …
//   same N        the memory of argument N, from its element `from` on
//
// Behind the shape `columns` makes the array column-major, `spread` gives it strides that leave gaps. Types are
// scalars, complex numbers, vectors, and records by the name that the kernel's file gives them. `# math:` in place of
// `# run:` says that the kernel calls the math library, whose functions the interpreter takes from the host.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/types.h"

namespace pykc::differential {

enum class Fill : std::uint8_t { Zeros, Random, Iota, Edges };

struct CaseArgument {
  bool is_array = false;
  Fill fill = Fill::Zeros;
  ElementType element;
  std::string record;  // where the element is a record of the file: its name, until bind_records
  std::vector<std::int64_t> shape;
  Layout layout = Layout::RowMajor;
  std::optional<std::size_t> same_as;  // the argument whose memory it shares
  std::int64_t from = 0;               // the first element, there
  double number = 0;                   // a scalar argument …
  std::int64_t integer = 0;            // … and where it is written without a point, exactly
  /// In elements, one a dimension.
  std::vector<std::int64_t> strides() const;
  /// Elements of its memory, gaps counted.
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

/// Puts the records that the kernel's parameters hold in the place of their names.
void bind_records(Case& launch, std::span<const ParameterInfo> parameters);

/// The bytes that an array argument starts with: the same for the same argument number, always.
std::vector<unsigned char> initial_bytes(const CaseArgument& argument, std::size_t number);

/// The scalars that a value of `type` is made of, and where they lie in it.
struct ScalarField {
  std::int64_t offset;
  ScalarType type;
};
std::vector<ScalarField> scalar_fields(const ElementType& type);

}  // namespace pykc::differential
