// What the tests of the checker share: a text, and what became of it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/checked/tree.h"
#include "frontend/frontend.h"
#include "stdlib/library.h"

namespace pykc {

struct CheckedText {
  Program program;
  checked::Module module;
  std::vector<Diagnostic> diagnostics;
};

struct CheckSetup {
  std::vector<std::string> signatures = {};
  std::map<std::string, std::string> modules = {};  // what can be imported
  CheckOptions options = {};
  /// Most statements of the tests are about one thing, and do without a guard.
  std::vector<std::string> silenced = {"W0509", "W0510"};
};

inline CheckedText check_text(std::string text, const CheckSetup& setup = {}) {
  CheckedText result;
  Diagnostics diagnostics;
  for (const std::string& code : setup.silenced) diagnostics.silence("", 0, code);
  const ImportResolver resolve = [&](std::string_view name) -> std::shared_ptr<const SourceFile> {
    const auto found = setup.modules.find(std::string(name));
    if (found != setup.modules.end()) return std::make_shared<SourceFile>(found->first, found->second);
    const std::string_view library = library_source(name);
    return library.empty() ? nullptr : std::make_shared<SourceFile>(std::string(name), std::string(library));
  };
  result.program = load_program(std::make_shared<SourceFile>("test.pyk", std::move(text)), resolve, diagnostics);
  std::vector<KernelRequest> requests;
  for (const std::string& signature : setup.signatures) requests.push_back(parse_signature(signature).value());
  result.module = check(result.program, requests, setup.options, diagnostics);
  result.diagnostics = diagnostics.take();
  return result;
}

/// "E0201 3:5 gird; W0505 …": code, place and the text under the caret of each diagnostic.
inline std::string reports_in(std::string text, const CheckSetup& setup = {}) {
  std::string reports;
  for (const Diagnostic& d : check_text(std::move(text), setup).diagnostics) {
    const std::string& line = d.place.source_line;
    const auto begin = static_cast<std::size_t>(d.place.column - 1);
    const bool is_one_line = d.place.end_line == d.place.line;
    const auto length = is_one_line ? static_cast<std::size_t>(d.place.end_column - d.place.column) : std::string::npos;
    reports += (reports.empty() ? "" : "; ") + d.code + " " + std::to_string(d.place.line) + " " +
               (begin <= line.size() ? line.substr(begin, length) : "?");
  }
  return reports;
}

/// The checked tree of a text that must be sound, else its reports.
inline std::string tree_of(std::string text, const CheckSetup& setup = {}) {
  const CheckedText checked = check_text(text, setup);
  for (const Diagnostic& d : checked.diagnostics)
    if (d.severity == Severity::Error) return reports_in(std::move(text), setup);
  return checked::print(checked.module);
}

/// `cuda.` comes with an import of numba, and so do Numba's types.
inline std::string import_for(const std::string& text) {
  return text.find("cuda.") != std::string::npos ? "from numba import cuda\n" : "from pykc import *\n";
}

/// A kernel around statements, with parameters of many types.
inline std::string in_kernel(const std::string& statements) {
  std::string text =
      "import math\n"
      "import numpy as np\n" +
      import_for(statements) +
      "@kernel\n"
      "def k(x: f32[:], y: f32[:], a: f32[:, :], d: f64[:], h: f16[:], bf: bf16[:], image: u8[:], small: i16[:], "
      "count: i32[:], marks: u32[:], hashes: u64[:], n: i64, flag: bool):\n"
      "    i = grid(1)\n";
  std::string line;
  for (const char c : statements + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (!line.empty()) text += "    " + line + "\n";
    line.clear();
  }
  return text;
}

}  // namespace pykc
