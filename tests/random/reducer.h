// Shrinks the text of a program while it still shows something: delta debugging on blocks of lines, then on brackets
// and operators of expressions, then on the kernel's parameters. It knows indentation and brackets, nothing else: what
// no longer compiles is the caller's to refuse.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace pykc::random_test {

/// Whether a text still shows what is looked for.
using Shows = std::function<bool(const std::string&)>;

/// The smallest text found until `deadline`; `text` itself shows it.
std::string reduce(std::string text, const Shows& shows, std::chrono::steady_clock::time_point deadline);

}  // namespace pykc::random_test
