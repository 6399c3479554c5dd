// Kernels of the interpreter's tests: text form in, verified module out.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/text/parser.h"
#include "ir/verify/verifier.h"
#include "tests/reference/interpreter.h"

namespace pykc::reference {

inline std::unique_ptr<ir::Module> read(const std::string& text) {
  std::vector<std::string> errors;
  auto module = ir::parse_module(text, errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  for (const std::string& error : ir::verify(*module)) ADD_FAILURE() << error;
  return module;
}

/// Runs kernel @k of the module in `text`.
inline Outcome run_text(const std::string& text, const Launch& launch, const std::vector<std::uint64_t>& parameters) {
  const auto module = read(text);
  return run(*module, *module->find("k"), launch, parameters);
}

/// Runs a kernel @k(%out: ptr<T, global>) with one element of `out` a thread; the kernel's body has %t, its linear
/// thread number in the block, as %0.
template <typename T>
std::vector<T> run_threads(const std::string& body, std::int64_t threads, Outcome* outcome = nullptr) {
  const std::string type(to_string(scalar_type_of<T>()));
  std::vector<T> out(static_cast<std::size_t>(threads));
  const Outcome result = run_text("fault \"f\" \"\" 1 1\nkernel @k(%out: ptr<" + type + ", global>) {\n" + body + "}\n",
                                  {.grid = {}, .block = {threads}}, {bits_of(out.data())});
  if (outcome != nullptr) {
    *outcome = result;
  } else {
    EXPECT_TRUE(result.is_clean()) << result.error;
  }
  return out;
}

}  // namespace pykc::reference
