// One broken example for each rule; what the verifier says about it.
#include "ir/verify/verifier.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/text/parser.h"

namespace pykc::ir {
namespace {

/// The errors of a module in text form, one a line.
std::string errors_of(const std::string& text) {
  std::vector<std::string> errors;
  const auto module = parse_module(text, errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  std::string out;
  for (const std::string& error : verify(*module)) out += (out.empty() ? "" : "\n") + error;
  return out;
}

/// The same for a kernel's body.
std::string errors_in(const std::string& body) {
  return errors_of(
      "fault \"f\" \"\" 1 1\n"
      "constant table: f32 = \"0000803f\"\n"
      "device @two(%a: f32) -> f32, i64 {\n return %a, i64 1\n}\n"
      "kernel @k(%x: ptr<f32, global>, %n: i64, %c: bool, %f: f32, %i: i32) {\n" +
      body + "}\n");
}

TEST(Verifier, AcceptsSoundCode) {
  EXPECT_EQ(errors_in("%0 = call @two %f\n%1 = extract 1 %0 : i64\n%2 = element %x, %1\nstore %2, %f\nreturn\n"), "");
  EXPECT_EQ(
      errors_in("loop L0 {\n if %c {\n  continue L0\n }\n break L0\n} continuing {\n if %c {\n break L0\n }\n}\n"), "");
}

TEST(Verifier, AThreadsTurnReturnsNothing) {
  const auto in_turn = [](const char* statement) {
    return errors_of(std::string("device @part(%c: bool) -> i32 {\n threads {\n  if %c {\n   ") + statement +
                     "\n  }\n }\n return i32 0\n}\n");
  };
  EXPECT_EQ(in_turn("return"), "");
  EXPECT_EQ(in_turn("return i32 1"), "@part: return: operands are not the function's results");
}

struct Example {
  const char* body;
  const char* error;
};

class VerifierRule : public testing::TestWithParam<Example> {};

TEST_P(VerifierRule, IsReported) { EXPECT_EQ(errors_in(GetParam().body), std::string("@k: ") + GetParam().error); }

INSTANTIATE_TEST_SUITE_P(
    Types, VerifierRule,
    testing::Values(
        Example{"%0 = add %n, %f\n", "%0 = add: operands have types i64 and f32"},
        Example{"%0 = add %c, %c\n", "%0 = add: operands have types bool and bool"},
        Example{"%0 = div %n, %n\n", "%0 = div: operands have types i64 and i64"},
        Example{"%0 = shl %f, %f\n", "%0 = shl: operands have types f32 and f32"},
        Example{"%0 = and %f, %f\n", "%0 = and: operands have types f32 and f32"},
        Example{"%0 = lt %x, %x\n", "%0 = lt: operands have types ptr<f32, global> and ptr<f32, global>"},
        Example{"%0 = add no_wrap %i, %i\n", "%0 = add: no_wrap is for add, sub and mul of i64"},
        Example{"%0 = neg no_wrap %n\n", "%0 = neg: no_wrap is for add, sub and mul of i64"},
        Example{"%0 = add %n\n", "%0 = add: has 1 operands"},
        Example{"%0 = select %n, %f, %f : f32\n", "%0 = select: operands have types i64 and f32 and f32"},
        Example{"%0 = select %c, %f, %n : f32\n", "%0 = select: operands have types bool and f32 and i64"},
        Example{"%0 = select %c, %f, %f : f64\n", "%0 = select: has type f64 instead of f32"},
        Example{"%0 = cast %x : i64\n", "%0 = cast: operand has type ptr<f32, global>"},
        Example{"%0 = bitcast %f : i64\n", "%0 = bitcast: operand has type f32, result i64"},
        Example{"%0 = element %x, %i\n", "%0 = element: operands have types ptr<f32, global> and i32"},
        Example{"%0 = load %n : i64\n", "%0 = load: operand has type i64"},
        Example{"%0 = load %x : f64\n", "%0 = load: has type f64 instead of f32"},
        Example{"store %x, %n\n", "store: operands have types ptr<f32, global> and i64"},
        Example{"%0 = constant_array 0 : ptr<f32, constant>\nstore %0, %f\n",
                "store: operands have types ptr<f32, constant> and f32"},
        Example{"%0 = constant_array 1 : ptr<f32, constant>\n", "%0 = constant_array: no array number 1"},
        Example{"shared_array s: f64[4] align 8\n%0 = shared_array 0 : ptr<f32, shared>\n",
                "%0 = shared_array: has type ptr<f32, shared> instead of ptr<f64, shared>"},
        Example{"%0 = local_array 0 : ptr<f32, local>\n", "%0 = local_array: no array number 0"},
        Example{"%0 = launch_shared_bytes : i32\n", "%0 = launch_shared_bytes: has type i32 instead of i64"},
        Example{"%0 = atomic and %x, %f : f32\n", "%0 = atomic: operands have types ptr<f32, global> and f32"},
        Example{"shared_array s: bool[4] align 1\n%0 = shared_array 0 : ptr<bool, shared>\n"
                "%1 = atomic add %0, bool true : bool\n",
                "%1 = atomic: operands have types ptr<bool, shared> and bool"},
        Example{"%0 = atomic_cas %x, %f, %n : f32\n",
                "%0 = atomic_cas: operands have types ptr<f32, global> and f32 and i64"},
        Example{"local $s: f32\nstore_local $s, %n\n", "store_local: operand has type i64, the local f32"},
        Example{"local $s: f32\n%0 = load_local $s : i64\n", "%0 = load_local: has type i64 instead of f32"},
        Example{"assume %n\n", "assume: operand has type i64"}));

INSTANTIATE_TEST_SUITE_P(
    Builtins, VerifierRule,
    testing::Values(Example{"%0 = builtin math.sqrt %n : i64\n", "%0 = builtin: math.sqrt: operand 0 has type i64"},
                    Example{"%0 = builtin math.sqrt %f : f64\n", "%0 = builtin: math.sqrt does not give f64"},
                    Example{"%0 = builtin math.pow %f : f32\n", "%0 = builtin: math.pow takes 2 operands, not 1"},
                    Example{"%0 = builtin min %f, %n : f32\n", "%0 = builtin: min: operand 1 has type i64"},
                    Example{"%0 = builtin selp %n, %f, %f : f32\n", "%0 = builtin: selp: operand 0 has type i64"},
                    Example{"%0 = builtin syncthreads : i64\n", "%0 = builtin: syncthreads does not give i64"},
                    Example{"%0 = builtin math.frexp %f : f32\n", "%0 = builtin: math.frexp must be lowered"},
                    Example{"%0 = builtin atomic.add %x, %n, %f : f32\n", "%0 = builtin: atomic.add must be lowered"}));

INSTANTIATE_TEST_SUITE_P(
    ControlFlow, VerifierRule,
    testing::Values(
        Example{"return\nassume %c\n", "return: is not the last of its block"},
        Example{"return %n\n", "return: operands are not the function's results"},
        Example{"if %n {\n}\n", "if: operand has type i64"},
        Example{"loop L0 {\n}\nbreak L0\n", "break: its target is no loop or scope around it"},
        Example{"scope L0 {\n continue L0\n}\n", "continue: its target is no loop"},
        Example{"loop L0 {\n} continuing {\n continue L0\n}\n",
                "continue: stands in the continuing block that it goes to"},
        Example{"if %c {\n %0 = add %n, %n\n}\n%1 = neg %0\n",
                "%1 = neg: uses a value that is not defined before it in its block or one around it"},
        Example{"loop L0 {\n %0 = neg %n\n break L0\n} continuing {\n %1 = neg %0\n}\n",
                "%1 = neg: uses a value that is not defined before it in its block or one around it"},
        Example{"%0 = field 4 %n : ptr<f32, global>\n", "%0 = field: operand has type i64, result ptr<f32, global>"},
        Example{"%0 = field 4 %x : ptr<f32, shared>\n",
                "%0 = field: operand has type ptr<f32, global>, result ptr<f32, shared>"},
        Example{"%0 = element packed %x, %n\n", "%0 = element: packed is for field"},
        Example{"call @k %x, %n, %c, %f, %i\n", "call: calls a kernel"},
        Example{"%0 = call @two %n\n", "%0 = call: operands are not the parameters of @two"},
        Example{"tied_ptx_text \"add.f32 %0, %0, %1;\" : f32\n%0 = foreign 0 %n, %f\n",
                "foreign: the first operands are not the tied results"},
        Example{"%0 = tensor_map 0 %x : u64\n", "%0 = tensor_map: no box number 0"},
        Example{"tensor_box 128: 8, 64\n%0 = tensor_map 0 %n : u64\n", "%0 = tensor_map: operand has type i64"},
        Example{"%0 = extract 0 %f : f32\n", "%0 = extract: operand is no call"},
        Example{"%0 = call @two %f\n%1 = extract 2 %0 : f32\n", "%1 = extract: no result number 2"},
        Example{"%0 = call @two %f\n%1 = extract 0 %0 : i64\n", "%1 = extract: has type i64 instead of f32"},
        Example{"fault 1\n", "fault: no fault site number 1"},
        Example{"fault 0 %f\n", "fault: takes at most nine i64 values"},
        Example{"fault 0 %n, %n, %n, %n, %n, %n, %n, %n, %n, %n\n", "fault: takes at most nine i64 values"},
        Example{"print 0\n", "print: no format number 0"},
        Example{"local $s: i32 from 0\n", "local $s is no i64, but has a range"},
        Example{"format \"%lld %%\\n\"\nprint 0\n", "print: operands do not fit the format"},
        Example{"format \"%.15g\\n\"\nprint 0 %n\n", "print: operands do not fit the format"}));

INSTANTIATE_TEST_SUITE_P(
    ThreadLoops, VerifierRule,
    testing::Values(
        Example{"slot f32\n%0 = load_slot 0 : f32\n", "%0 = load_slot: stands outside a thread loop"},
        Example{"slot f32\nstore_slot 0 %f\n", "store_slot: stands outside a thread loop"},
        Example{"slot f32\nthreads {\n store_slot 1 %f\n}\n", "store_slot: no slot number 1"},
        Example{"slot f32\nthreads {\n store_slot 0 %n\n}\n", "store_slot: operand has type i64, the slot f32"},
        Example{"slot f32\n%0 = any_slot 0 : bool\n", "%0 = any_slot: the slot has type f32"},
        Example{"slot bool\nthreads {\n %0 = any_slot 0 : bool\n}\n", "%0 = any_slot: stands inside a thread loop"},
        Example{"slot f32\n%0 = many_slot 0 : bool\n", "%0 = many_slot: the slot has type f32"},
        Example{"slot bool\nthreads {\n %0 = many_slot 0 : bool\n}\n", "%0 = many_slot: stands inside a thread loop"},
        Example{"threads {\n warp_exchange activemask slots -1 -1\n}\n", "warp_exchange: stands inside a thread loop"},
        Example{"warp_exchange shfl_sync slots 0\n", "warp_exchange: no slot number 0"},
        Example{"warp_exchange math.sqrt slots\n", "warp_exchange: math.sqrt exchanges nothing"},
        Example{"warp_exchange activemask slots -1\n",
                "warp_exchange: has no slots for the active threads and the result"},
        Example{"slot f32\nwarp_exchange activemask slots 0 -1\n",
                "warp_exchange: the slot of the active threads is no bool"},
        Example{"slot f32\nwarp_exchange activemask slots -1 0\n", "warp_exchange: activemask does not give f32"},
        Example{"warp_exchange any_sync slots -1 -1 -1 -1 u32 1\n", "warp_exchange: has too few operands"},
        Example{"warp_exchange any_sync slots -1 -1 -1 -1 u32 1, %c, %c\n", "warp_exchange: has too many operands"},
        Example{"warp_exchange any_sync slots -1 -1 -1 -1 %n, %c\n", "warp_exchange: any_sync: operand 0 has type i64"},
        Example{"%0 = warp_exchange any_sync slots -1 -1 -1 -1 u32 1, %c : bool\n",
                "%0 = warp_exchange: its result belongs in a slot"},
        Example{"%0 = warp_exchange syncthreads_count slots -1 -1 -1 %c : bool\n",
                "%0 = warp_exchange: syncthreads_count does not give bool"},
        Example{"threads {\n threads {\n }\n}\n", "threads: stands inside a thread loop"},
        Example{"threads {\n builtin syncthreads\n}\n", "builtin: a barrier stands inside a thread loop"},
        Example{"%0 = builtin threadIdx.x : i64\nthreads {\n}\n", "%0 = builtin: stands outside a thread loop"},
        Example{"loop L0 {\n threads {\n  break L0\n }\n}\n", "break: its target is no loop or scope around it"}));

INSTANTIATE_TEST_SUITE_P(
    Declarations, VerifierRule,
    testing::Values(Example{"local_array a: f32 dynamic () align 16\n", "array a cannot be dynamic"},
                    Example{"local_array a: f32[-1] align 16\n", "array a has -1 elements"},
                    Example{"local_array a: f32[1] align 2\n", "array a has alignment 2"},
                    Example{"shared_array a: f32[1] align 12\n", "array a has alignment 12"},
                    Example{"shared_array a: f32 dynamic (4 mul) align 16\n", "array a: its size is not well formed"},
                    Example{"local $s: none\n", "local $s has no type"},
                    Example{"format \"x\"\n", "a print format does not end its line"},
                    Example{"slot none\n", "a slot has no type"},
                    Example{"dynamic_shared_bytes (1 2)\n", "dynamic_shared_bytes is not well formed"},
                    Example{"scratch_bytes (add)\n", "scratch_bytes is not well formed"}));

TEST(Verifier, Functions) {
  EXPECT_EQ(errors_of("kernel @k() -> f32 {\n return f32 1\n}\n"), "@k: a kernel has no results");
  EXPECT_EQ(errors_of("device @f() -> f32 {\n}\n"), "@f: can end without a return of its results");
  EXPECT_EQ(errors_of("device @f() -> none {\n return\n}\n").substr(0, 25), "@f: a result has no type\n");
  EXPECT_EQ(errors_of("device @f() {\n}\ndevice @f() {\n}\n"), "@f: defined twice");
  EXPECT_EQ(errors_of("device @f(%a: f32, %a: f32) {\n}\n"), "@f: two parameters are called %a");
  EXPECT_EQ(errors_of("device @f(%a: none) {\n}\n"), "@f: parameter %a has no type");
  EXPECT_EQ(errors_of("device @f(%a: f32 read_only) {\n}\n"),
            "@f: parameter %a is no pointer, but says no_alias or read_only");
  EXPECT_EQ(errors_of("device @f(%a: i32 non_negative) {\n}\n"), "@f: parameter %a is no i64, but says non_negative");
  EXPECT_EQ(errors_of("constant c: f32 = \"00\"\n"), "constant c: its bytes are no whole number of elements");
  EXPECT_EQ(errors_of("host constant c: u8 = \"00\"\nhost constant c: u8 = \"00\"\n"),
            "host constant c: defined twice\nhost constant c: its symbol c is defined twice");
  EXPECT_EQ(errors_of("host constant k: u8 = \"00\"\nkernel @k() {\n  return\n}\n"),
            "host constant k: its symbol k is defined twice");
  EXPECT_EQ(errors_of("host constant c: u8 = \"\"\n"), "host constant c: its bytes do not fill u8[0]");
}

/// A function of one block, for what text cannot say.
class VerifierOnBuilt : public testing::Test {
 protected:
  VerifierOnBuilt() { function.symbol = "f"; }
  std::string errors() const {
    std::string out;
    for (const std::string& error : verify(function)) out += (out.empty() ? "" : "\n") + error;
    return out;
  }
  Function function;
  Builder b{function};
};

TEST_F(VerifierOnBuilt, AnInstructionStandsInOnePlace) {
  function.body.instructions.push_back(b.constant_i64(1));
  EXPECT_EQ(errors(), "@f: const: stands in two places");
}

TEST_F(VerifierOnBuilt, ConstantsFitTheirType) {
  b.constant_int(ScalarType::I8, 1)->constant = 256;
  b.constant_int(ScalarType::Bool, 1)->constant = 2;
  EXPECT_EQ(errors(), "@f: const: value does not fit its type\n@f: const: value does not fit its type");
}

TEST_F(VerifierOnBuilt, BlocksAreAsManyAsTheOpcodeHas) {
  b.loop()->blocks.pop_back();
  EXPECT_EQ(errors(), "@f: loop: has 1 blocks");
}

TEST_F(VerifierOnBuilt, OperandsAreThere) {
  b.return_({nullptr});
  EXPECT_EQ(errors(), "@f: return: uses a value that is not defined before it in its block or one around it");
}

TEST_F(VerifierOnBuilt, ResultTypesAreTheTables) {
  Instruction* sum = b.emit(Opcode::Add, {b.constant_i64(1), b.constant_i64(2)});
  sum->type = Type::of(ScalarType::F32);
  EXPECT_EQ(errors(), "@f: %0 = add: has type f32 instead of i64");
}

TEST_F(VerifierOnBuilt, ParametersAreInRange) {
  b.emit_typed(Opcode::Parameter, Type::of(ScalarType::I64), {});
  EXPECT_EQ(errors(), "@f: param: no parameter number 0");
}

TEST_F(VerifierOnBuilt, LocalsAreTheFunctionsOwn) {
  Function other;
  b.load_local(other.create_local("s", Type::of(ScalarType::F32)));
  EXPECT_EQ(errors(), "@f: %0 = load_local: names a local of another function");
}

TEST_F(VerifierOnBuilt, CalleesAreInTheModule) {
  Function other;
  b.call(&other, {});
  EXPECT_EQ(errors(), "");
  Module module;
  module.functions.push_back(std::make_unique<Function>());
  module.functions[0]->symbol = "caller";
  Builder(*module.functions[0]).call(&other, {});
  EXPECT_EQ(verify(module).front(), "@caller: call: the callee is not in the module");
  EXPECT_EQ(errors_of("device @f() {\n}\n"), "");
}

}  // namespace
}  // namespace pykc::ir
