// Every row of the builtin table does what it says in all the places that must know it: a kernel that is made of the
// row's signature alone is checked, lowered, compiled for each target that the row has code for, and interpreted.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/text.h"
#include "stdlib/builtins.h"
#include "tests/differential/execute.h"

namespace pykc::differential {
namespace {

/// What the letters of a signature stand for.
using Letters = std::map<std::string, std::string, std::less<>>;
const std::array<Letters, 2> kLetters = {{
    {{"F", "f32"}, {"D", "f32"}, {"I", "u32"}, {"N", "f32"}, {"S", "f32"}, {"W", "i32"}},
    {{"F", "f64"}, {"D", "f64"}, {"I", "u64"}, {"N", "i64"}, {"S", "i64"}, {"W", "u32"}},
}};

/// Parameters whose values the row restricts: all lanes of the warp, and barriers that the whole block reaches.
const std::map<std::string, std::string, std::less<>> kLiterals = {
    {"mask", "0xffffffff"}, {"id", "1"}, {"count", "32"}};

struct KernelText {
  std::string arrays, parameters, arguments, before;

  /// An array parameter of the kernel, of 1 in its element 1.
  std::string array(const std::string& type) {
    const std::string name = "p" + std::to_string(count_++);
    arrays += " | iota " + type + "[64]";
    parameters += (parameters.empty() ? "" : ", ") + name + ": " + type + "[:]";
    return name;
  }

 private:
  int count_ = 0;
};

std::string type_of(std::string_view word, const Letters& letters) {
  const auto letter = letters.find(word);
  return letter == letters.end() ? std::string(word) : letter->second;
}

std::string argument(KernelText& kernel, const std::string& name, std::string_view word, const Letters& letters) {
  if (word == "index") return "0";
  if (const auto literal = kLiterals.find(name); literal != kLiterals.end()) return literal->second;
  if (!word.ends_with("[...]")) return kernel.array(type_of(word, letters)) + "[1]";
  const std::string type = type_of(word.substr(0, word.find('[')), letters);
  if (name != "dst") return kernel.array(type);
  kernel.before = "    dst = shared.array(4, " + type + ")\n";
  return name;
}

std::string call_of(KernelText& kernel, const Builtin& row, const Letters& letters) {
  if (row.is_value) return std::string(row.name);
  std::string arguments;
  const std::string_view parameters = row.signature.substr(1, row.signature.find(") -> ") - 1);
  for_each_part(parameters, ',', [&](std::string_view part) {
    const std::size_t colon = part.find(": ");
    if (colon == part.npos || part.find(" = ") != part.npos) return;  // what has a default is left out
    arguments += (arguments.empty() ? "" : ", ") +
                 argument(kernel, std::string(trim(part.substr(0, colon))), trim(part.substr(colon + 2)), letters);
  });
  return std::string(row.name) + "(" + arguments + ")";
}

std::string source_of(const Builtin& row, const Letters& letters) {
  KernelText kernel;
  const std::string call = call_of(kernel, row, letters);
  std::string_view result = row.signature.substr(row.signature.find("-> ") + 3);
  std::string body;
  if (result == "none") {
    body = "    " + call + "\n";
  } else {
    const bool is_tuple = result.starts_with("tuple[");
    if (is_tuple) result = result.substr(6, result.size() - 7);
    body = "    r = " + call + "\n";
    int n = 0;
    for_each_part(result, ',', [&](std::string_view part) {
      const std::string type = type_of(trim(part), letters);
      const std::string value = is_tuple ? "r[" + std::to_string(n++) + "]" : "r";
      body += "    " + kernel.array(type) + "[threadIdx.x] = " + type + "(" + value + ")\n";
    });
  }
  return "# run: grid=1 block=32" + kernel.arrays + "\n@kernel\ndef k(" + kernel.parameters + "):\n" + kernel.before +
         body;
}

void expect_compiles(const std::string& source, const std::string& target) {
  const Result<Artifact> artifact = compile(source, {.target = target, .cache = false, .warnings = false});
  EXPECT_TRUE(artifact.has_value()) << target << "\n" << source << explain(artifact.error());
}

class BuiltinRow : public testing::TestWithParam<Builtin> {};

TEST_P(BuiltinRow, IsKnownToTheCompilerAndTheInterpreter) {
  const Builtin& row = GetParam();
  EXPECT_TRUE(row.doc.ends_with(".") || row.doc.ends_with(".)")) << "its meaning is no sentence: " << row.doc;
  for (const Letters& letters : kLetters) {
    const std::string source = source_of(row, letters);
    if (row.nvptx.kind != Lowering::Kind::Missing) expect_compiles(source, "sm_90");
    if (row.cpu.kind == Lowering::Kind::Missing) continue;
    expect_compiles(source, "cpu");
    std::vector<std::string> errors;
    const std::vector<Case> cases = read_cases(source, errors);
    ASSERT_EQ(cases.size(), 1U) << source;
    std::string error;
    const std::unique_ptr<ir::Module> module = compile_to_ir(source, {.cache = false, .warnings = false}, error);
    ASSERT_NE(module, nullptr) << source << error;
    EXPECT_EQ(run_interpreter(*module, cases.front()).error, "") << source;
  }
}

std::string test_name(const testing::TestParamInfo<Builtin>& row) {
  std::string name(row.param.name);
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinRow, testing::ValuesIn(all_builtins().begin(), all_builtins().end()), test_name);

}  // namespace
}  // namespace pykc::differential
