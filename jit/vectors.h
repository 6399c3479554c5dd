// Arrays of numbers as arrays of vectors, so that a thread moves 16 bytes at once.
#pragma once

#include <span>

#include "pykc/runtime.h"

namespace pykc::jit {

/// How many neighbours along the last axis can be accessed at once: what fills 16 bytes of the widest type, of 2 or 4
/// numbers, where each row of each array begins at such a boundary and holds whole vectors; otherwise 1. The arrays
/// have at least one axis; numbers among the arguments have no say.
int vector_width(std::span<const Argument> arguments);

/// The arrays among the arguments with vectors of so many numbers along their last axes.
void vectorize(std::span<Argument> arguments, int width);

}  // namespace pykc::jit
