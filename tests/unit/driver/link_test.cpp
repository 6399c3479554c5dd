// Kernels that call functions of LLVM bitcode, on the CPU device and as PTX.
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "pykc/compiler.h"
#include "pykc/runtime.h"

namespace pykc {
namespace {

Library bitcode(const char* text, std::string name = "library.bc") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  EXPECT_NE(module, nullptr) << error.getMessage().str();
  Library library{std::move(name), {}};
  llvm::raw_string_ostream stream(library.bytes);
  llvm::WriteBitcodeToFile(*module, stream);
  return library;
}

constexpr const char* kLibrary = R"(
define i32 @twice(i32 %a) {
  %b = call i32 @half_of_it(i32 %a)
  %c = mul i32 %b, 4
  ret i32 %c
}
define internal i32 @half_of_it(i32 %a) {
  %b = sdiv i32 %a, 2
  ret i32 %b
}
define double @first(ptr %x, i64 %rows, i64 %columns) {
  %value = load float, ptr %x
  %wide = fpext float %value to double
  %n = sitofp i64 %columns to double
  %sum = fadd double %wide, %n
  ret double %sum
}
define void @store(ptr %x, i64 %extent, i64 %stride, float %value) {
  %last = sub i64 %extent, 1
  %offset = mul i64 %last, %stride
  %address = getelementptr float, ptr %x, i64 %offset
  store float %value, ptr %address
  ret void
}
)";

constexpr std::string_view kSource = R"(
@extern
def twice(a: i32) -> i32: ...

@extern
def first(x: f32[:, :]) -> f64:
    """Of C: double first(const float* x, int64_t rows, int64_t columns)."""

@extern
def store(x: f32[::], value: f32): ...

@kernel
def k(out: i32[:], numbers: f64[:], strided: f32[::], x: f32[:, :]):
    i = grid(1)
    if i < len(out):
        out[i] = twice(out[i] + 2) + twice(2)
    if i == 0:
        numbers[0] = first(x)
        store(strided, 7)
)";

Error error_of(const CompileOptions& options, std::string_view source = kSource) {
  const Result<Artifact> artifact = compile(source, options);
  return artifact ? Error{} : artifact.error();
}

TEST(Link, TheCpuDeviceRunsWhatIsLinked) {
  const Artifact artifact = compile(kSource, {.target = "cpu", .libraries = {bitcode(kLibrary)}}).value();
  const Device device = Device::open("cpu").value();
  const Kernel k = device.load(artifact).value().kernel("k").value();
  std::vector<std::int32_t> out(100);
  for (int i = 0; i < 100; ++i) out[static_cast<std::size_t>(i)] = 2 * i;
  const std::vector<float> x = {1.5F, 0, 0, 0, 0, 0};
  const auto out_array = device.copy_from<std::int32_t>(out).value();
  const auto numbers = device.allocate<double>(1).value();
  const auto strided = device.zeros<float>({6}).value();
  k.launch({.grid = {4}, .block = {32}}, out_array, numbers, strided.slice(Slice{.step = 2}).value(),
           device.copy_from<float>(x, {2, 3}).value())
      .value();
  out_array.copy_to(out).value();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 2 * (2 * i + 2) + 4);
  std::vector<double> number(1);
  numbers.copy_to(number).value();
  EXPECT_EQ(number.front(), 4.5);
  std::vector<float> values(6);
  strided.copy_to(values).value();
  EXPECT_EQ(values, (std::vector<float>{0, 0, 0, 0, 7, 0}));
}

TEST(Link, PtxHoldsWhatIsLinkedAndNothingElse) {
  const std::string ptx = compile(kSource, {.target = "sm_80", .libraries = {bitcode(kLibrary)}}).value().code;
  EXPECT_EQ(ptx.find(".extern"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find(".entry k("), std::string::npos);
}

TEST(Link, LibrariesAreLinkedInTheirOrder) {
  const Library calls =
      bitcode("declare i32 @other(i32)\ndefine i32 @twice(i32 %a) {\n %b = call i32 @other(i32 %a)\n ret i32 %b\n}\n");
  const Library defines = bitcode("define i32 @other(i32 %a) {\n ret i32 %a\n}\n");
  constexpr std::string_view kTwice =
      "@extern\ndef twice(a: i32) -> i32: ...\n@kernel\ndef k(x: i32[:]):\n    if grid(1) < len(x):\n        x[0] = "
      "twice(x[0])\n";
  EXPECT_TRUE(compile(kTwice, {.target = "cpu", .libraries = {calls, defines}}));
  EXPECT_EQ(error_of({.target = "cpu", .libraries = {calls}}, kTwice).message,
            "`other`, which a linked library calls, is defined nowhere");
}

TEST(Link, WhatIsWrongIsSaid) {
  EXPECT_TRUE(error_of({.target = "cpu"})
                  .message.ends_with("is declared with @extern and defined nowhere: link a library that defines it"));
  EXPECT_EQ(error_of({.target = "cpu", .libraries = {{"notes.txt", "hello"}}}).message,
            "notes.txt is no LLVM bitcode, PTX, cubin, fatbin, object or archive");
  Library broken = bitcode(kLibrary);
  broken.bytes.resize(broken.bytes.size() / 2);
  EXPECT_TRUE(error_of({.target = "cpu", .libraries = {broken}}).message.starts_with("library.bc: "));
  const Library other = bitcode("define i64 @twice(i64 %a) {\n ret i64 %a\n}\n");
  EXPECT_EQ(error_of({.target = "cpu", .libraries = {other}}).message,
            "`twice` is declared as i32 (i32), and defined as i64 (i64) in library.bc");
  const Library gpu = bitcode("target triple = \"nvptx64-nvidia-cuda\"\ndefine i32 @twice(i32 %a) {\n ret i32 %a\n}\n");
  EXPECT_TRUE(error_of({.target = "cpu", .libraries = {gpu}})
                  .message.starts_with("library.bc is bitcode for nvptx64-nvidia-cuda, and the target is x86_64"));
  EXPECT_EQ(Library::read("/nowhere/library.bc").error().code, ErrorCode::InputOutput);
}

TEST(Link, PtxAndCubinsAreLinkedByTheDriver) {
  const Library ptx{"twice.ptx", ".version 8.0\n.target sm_80\n"}, unused{"unused.bc", bitcode("").bytes};
  EXPECT_EQ(error_of({.target = "cpu", .libraries = {ptx}}).message,
            "twice.ptx is for GPUs: the CPU device links LLVM bitcode alone");
  const Artifact artifact = compile(kSource, {.target = "sm_80", .libraries = {unused, ptx}}).value();
  ASSERT_EQ(artifact.libraries.size(), 1U);
  EXPECT_EQ(artifact.libraries.front().name, "twice.ptx");
  EXPECT_NE(artifact.code.find(".extern .func"), std::string::npos);
  EXPECT_EQ(Artifact::parse(artifact.serialize()).value().libraries.front().bytes, ptx.bytes);
  const Artifact whole = compile(kSource, {.target = "sm_80", .libraries = {bitcode(kLibrary), ptx}}).value();
  EXPECT_TRUE(whole.libraries.empty());  // nothing is left to define
}

TEST(Link, DeclarationsAreChecked) {
  const auto diagnostics_of = [](const std::string& declaration) {
    const Error error =
        error_of({.target = "cpu"}, "@extern\n" + declaration + "\n@kernel\ndef k(x: f32[:]):\n    pass\n");
    std::string text;
    for (const Diagnostic& diagnostic : error.diagnostics) text += diagnostic.code + " " + diagnostic.message + "\n";
    return text;
  };
  EXPECT_EQ(diagnostics_of("def f(a) -> i32: ..."), "E0292 the external function `f` must state the type of `a`\n");
  EXPECT_EQ(diagnostics_of("def f(a: i8): ..."), "E0292 the external function `f` cannot take `a`\n");
  EXPECT_EQ(diagnostics_of("def f(a: bool): pass"), "E0292 the external function `f` cannot take `a`\n");
  EXPECT_EQ(diagnostics_of("def f(a: i32) -> f16: ..."), "E0292 the external function `f` cannot return this\n");
  EXPECT_EQ(diagnostics_of("def f(a: i32) -> i32:\n    return a"), "E0292 the external function `f` has a body\n");
  EXPECT_EQ(diagnostics_of("def memcpy(a: i32): ..."),
            "E0292 the external function `memcpy` has a name that compiled code uses itself\n");
  EXPECT_EQ(diagnostics_of("def f(a: i32, x: f32[:]) -> f32: ..."), "");
}

}  // namespace
}  // namespace pykc
