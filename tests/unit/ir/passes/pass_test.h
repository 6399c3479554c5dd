// A pass in a test: the body of a kernel in text form goes in, the body after the pass comes out.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ir/passes/passes.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"

namespace pykc::ir {

/// A module with the kernel @k, whose parameters every test shares.
inline std::unique_ptr<Module> module_with(const std::string& body) {
  std::vector<std::string> errors;
  auto module = parse_module(
      "fault \"f\" \"\" 1 1\n"
      "device @two(%a: f32) -> f32, i64 {\n  return %a, i64 1\n}\n"
      "kernel @k(%x: ptr<f32, global>, %x.shape0: i64 non_negative, %n: i64, %i: i32, %u: u32, %w: u64, %c: bool, "
      "%f: f32, %g: f32, %d: f64, %h: f16) {\n" +
          body + "}\n",
      errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  for (const std::string& error : verify(*module)) ADD_FAILURE() << "before the pass: " << error;
  return module;
}

/// The instructions of @k, one a line and without the outermost indentation.
inline std::string body_text(const Module& module) {
  std::istringstream lines(print_function(*module.find("k")));
  std::string line, text;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "}") {
    if (!line.starts_with("  local ")) text += line.substr(2) + "\n";
  }
  return text;
}

template <typename Pass>
std::string after(Pass pass, const std::string& body) {
  const auto module = module_with(body);
  pass(*module->find("k"));
  for (const std::string& error : verify(*module)) ADD_FAILURE() << "after the pass: " << error << "\n" << body;
  return body_text(*module);
}

}  // namespace pykc::ir
