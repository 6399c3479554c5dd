// Parts that generated kernels are written with.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pykc::jit {

/// The text with each `$NAME` replaced. What is put in may have several lines: each gets the indentation of the place.
std::string fill(std::string_view text, const std::map<std::string, std::string>& parts);

/// "in0", "in1", … of a count.
std::vector<std::string> numbered(const std::string& prefix, int count);

/// Lines that take the number `index` of an element apart into one number for each axis, `PREFIX0` the first. The
/// extents are those of `array`'s axes from `first_axis` on. Where `is_wide` is false, the number fits 32 bits, which
/// divide several times as fast.
std::string decomposition(const std::string& index, const std::string& prefix, int rank, const std::string& array,
                          int first_axis, bool is_wide);
/// "in0[i0, i1]" of an array, "in0" of a number.
std::string element(const std::string& name, bool is_array, const std::vector<std::string>& indices);

/// More elements than 32 bits count.
bool is_wide(std::int64_t elements);

}  // namespace pykc::jit
