// Every row of the builtin table, and of the tables of ufuncs, reductions and constants, does what it says in all the
// places that must know it: a kernel that is made of the row alone is checked, lowered, compiled for each target that
// the row has code for, and interpreted. And host code has a function of that name where the row says so, and only
// there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "script/script.h"
#include "stdlib/builtins.h"
#include "stdlib/language_names.h"
#include "stdlib/reductions.h"
#include "tests/differential/execute.h"

namespace pykc::differential {
namespace {

/// What the letters of a signature stand for.
using Letters = std::map<std::string, std::string, std::less<>>;
const std::array<Letters, 2> kLetters = {{
    {{"F", "f32"}, {"D", "f32"}, {"I", "u32"}, {"N", "f32"}, {"S", "f32"}, {"W", "i32"}},
    {{"F", "f64"}, {"D", "f64"}, {"I", "u64"}, {"N", "i64"}, {"S", "i64"}, {"W", "u32"}},
}};

/// Parameters whose values the row restricts: all lanes of the warp, barriers of the whole block, powers of two.
const std::map<std::string, std::string, std::less<>> kLiterals = {
    {"mask", "0xffffffff"}, {"id", "1"}, {"count", "32"}, {"bytes", "16"}};

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
  std::string body = row.id == BuiltinId::ClusterWait ? "    cluster_arrive()\n" : "";
  if (result == "none") {
    body += "    " + call + "\n";
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

/// Why the first kernel of a text does not work on one of the targets or in the interpreter; "" where it does.
std::string fault_of(const std::string& source, bool on_gpu = true, bool on_cpu = true) {
  for (const auto& [target, is_meant] : {std::pair("sm_90", on_gpu), std::pair("cpu", on_cpu)}) {
    if (!is_meant) continue;
    const Result<Artifact> artifact = compile(source, {.target = target, .cache = false, .warnings = false});
    if (!artifact) return target + ("\n" + source) + explain(artifact.error());
  }
  if (!on_cpu) return {};
  std::vector<std::string> errors;
  const std::vector<Case> cases = read_cases(source, errors);
  if (cases.size() != 1) return "no case:\n" + source;
  std::string error;
  const std::unique_ptr<ir::Module> module = compile_to_ir(source, {.cache = false, .warnings = false}, error);
  if (module) error = run_interpreter(*module, cases.front()).error;
  return error.empty() ? "" : error + "\n" + source;
}

bool is_sentence(std::string_view doc) { return doc.ends_with(".") || doc.ends_with(".)"); }

/// Host code names a function of NumPy alone, or behind `np.`.
bool is_host_function(std::string_view name) {
  constexpr std::string_view kNumpy = "numpy.";
  const bool is_numpy = name.starts_with(kNumpy);
  const std::string own(is_numpy ? name.substr(kNumpy.size()) : name);
  return std::ranges::any_of(script::host_functions(), [&](const script::HostFunctionInfo& row) {
    return row.name == own || (is_numpy && row.name == "np." + own);
  });
}

void expect_reach(std::string_view name, Reach reach) {
  EXPECT_EQ(is_host_function(name), reach == Reach::HostToo) << name;
}

class BuiltinRow : public testing::TestWithParam<Builtin> {};

TEST_P(BuiltinRow, IsKnownToTheCompilerAndTheInterpreter) {
  const Builtin& row = GetParam();
  EXPECT_TRUE(is_sentence(row.doc)) << row.doc;
  expect_reach(row.name, row.reach);
  for (const Letters& letters : kLetters)
    EXPECT_EQ(fault_of(source_of(row, letters), row.nvptx.kind != Lowering::Kind::Missing,
                       row.cpu.kind != Lowering::Kind::Missing),
              "");
}

std::string test_name(const testing::TestParamInfo<Builtin>& row) {
  std::string name(row.param.name);
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinRow, testing::ValuesIn(all_builtins().begin(), all_builtins().end()), test_name);

/// A kernel that writes an expression of the elements, or of the whole, of two arrays.
std::string kernel_of(const std::string& expression, const std::string& type) {
  const std::string array = " | iota " + type + "[64]", parameter = ": " + type + "[:]";
  return "import math\nimport operator\nimport numpy\n# run: grid=1 block=32" + array + array + array +
         "\n@kernel\ndef k(y" + parameter + ", a" + parameter + ", b" + parameter + "):\n    y[threadIdx.x] = " + type +
         "(" + expression + ")\n";
}

TEST(LanguageFunctions, AreDescribedAndDeclareTheirReach) {
  for (const LanguageFunctionRow& row : all_language_functions()) {
    EXPECT_TRUE(is_sentence(row.doc)) << row.name;
    expect_reach(row.name, row.reach);
  }
}

TEST(Ufuncs, WorkOnFloatsOrIntegers) {
  for (const UfuncName& row : all_ufunc_names()) {
    EXPECT_FALSE(row.doc.empty()) << row.name;
    expect_reach(row.name, row.reach);
    const std::string call = std::string(row.name) + (row.inputs == 1 ? "(a[1])" : "(a[1], b[1])");
    const std::string of_floats = fault_of(kernel_of(call, "f64"));
    if (of_floats.empty()) continue;
    EXPECT_EQ(fault_of(kernel_of(call, "i64")), "") << of_floats;
  }
}

TEST(Reductions, WorkOnArrays) {
  for (const Reduction& row : all_reductions()) {
    EXPECT_TRUE(is_sentence(row.doc)) << row.name;
    expect_reach("numpy." + std::string(row.name), row.reach);
    EXPECT_EQ(fault_of(kernel_of("numpy." + std::string(row.name) + "(a)", "f64")), "");
    if (!row.is_method()) continue;
    EXPECT_EQ(fault_of(kernel_of("a." + std::string(row.name) + "()", "f64")), "");
  }
}

TEST(Constants, AreNumbers) {
  for (const LanguageConstant& row : all_constants()) {
    EXPECT_FALSE(row.doc.empty()) << row.name;
    EXPECT_EQ(fault_of(kernel_of(std::string(row.name), "f64")), "");
  }
}

}  // namespace
}  // namespace pykc::differential
