// print(parse(print(m))) == print(m), and every text gives a module or an error.
#include <gtest/gtest.h>

#include <random>

#include "ir/builder.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"

namespace pykc::ir {
namespace {

std::unique_ptr<Module> read(const std::string& text) {
  std::vector<std::string> errors;
  auto module = parse_module(text, errors);
  EXPECT_TRUE(errors.empty()) << errors.front() << "\nin\n" << text;
  return module;
}

std::string first_error(const std::string& text) {
  std::vector<std::string> errors;
  const auto module = parse_module(text, errors);
  EXPECT_EQ(module, nullptr);
  return errors.empty() ? "" : errors.front();
}

void expect_round_trip(const std::string& text) {
  const auto module = read(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(print_module(*module), text);
}

// Everything that the text can carry, as the printer writes it.
constexpr const char* kEverything = R"(module "all \"of\\it\x01\n"
constant table: f32 = "0000803f00000040"
constant "odd name": u8 = ""
host constant weights: i16 = "00000100"
fault "assert failed: n > {0}" "a.pyk" 12 5

device @pair(%a: f32, %p: ptr<f64, shared>) -> f32, ptr<f64, shared> {
  return %a, %p
}

device @nothing__f32() {
  name nothing
  return
}

kernel @"k 1"(%x: ptr<f32, global> no_alias read_only, %x.shape0: i64 non_negative, %"7": i32, %s: ptr<f64, shared>, %q: ptr<u32, parameter> align 4 bytes 8, %v: ptr<u64, global> align 16) {
  name k
  argument x: f32[?] row_major
  argument y: f64[16, 4] column_major
  argument z: i8[?, ?] strided
  argument r: i8[] row_major
  argument a: i32
  argument q: struct Pair bytes 8 align 4 (x: f32 at 0, odd: u8[2, 2] at 4)
  argument v: vector f32x4 bytes 16 align 16 (x: f32 at 0, y: f32 at 4, z: f32 at 8, w: f32 at 12)[?] row_major
  max_threads_per_block 256
  min_blocks_per_multiprocessor 2
  max_registers 64
  warps_apart
  fast_math
  no_contract
  static_shared_bytes 128
  dynamic_shared_bytes (blockDim.x 4 mul -16 add)
  uses_launch_shared_bytes
  scratch_bytes (gridDim.z blockDim.y floordiv 3 min 4 max 5 mod 6 sub)
  local $i: i64 from -1 to 9223372036854775807
  local $i.1: ptr<u8, local>
  local_array buffer: u8[7] align 1
  shared_array tile: f32[1056] align 16
  shared_array rows: f32 dynamic (blockDim.x 4 mul) align 16
  shared_array rest: f32 dynamic () align 16
  format "x = %g 100%%\n"
  format "\n"
  ptx_text "mov.f32 %0, %1;" : f32
  tied_ptx_text "add.f32 %0, %0, %1;" : f32
  external "scale" : f32
  tensor_box 128: 8, 64
  written_tensor_box 0: 16
  slot f32
  slot bool
  %0 = builtin threadIdx.x : i64
  builtin syncthreads
  %1 = add no_wrap %0, i64 -1
  %2 = lt %1, %x.shape0
  if %2 {
    return
  } else {
    store_local $i, %1
  }
  %3 = load_local $i : i64
  loop L0 {
    if bool true {
      continue L0
    }
    scope L1 {
      if bool false {
        break L1
      }
      break L0
    }
  } continuing {
    %4 = eq %"7", i32 -2147483648
    if %4 {
      break L0
    }
  }
  %5 = shared_array 1 : ptr<f32, shared>
  %6 = local_array 0 : ptr<u8, local>
  %7 = constant_array 0 : ptr<f32, constant>
  %8 = launch_shared_bytes : i64
  %9 = element %x, %8
  %10 = load %9 : f32
  %11 = atomic exchange %5, f32 0.1 : f32
  %12 = atomic_cas %5, f32 1e-45, f32 bits 2143289344 : f32
  %13 = call @pair %10, %s
  %14 = extract 0 %13 : f32
  %15 = extract 1 %13 : ptr<f64, shared>
  call @nothing__f32
  %16 = cast %14 : f64
  print 0 %16
  print 1
  %17 = select %2, f64 -0, f64 1e+300 : f64
  %18 = select %2, f16 5.960464477539063e-08, bf16 3 : f16
  %19 = select %2, u64 18446744073709551615, u64 0 : u64
  assume %2
  threads {
    %20 = load_slot 0 : f32
    store_slot 0 %20
  }
  %21 = any_slot 1 : bool
  %22 = many_slot 1 : bool
  warp_exchange shfl_sync slots -1 0 -1 1 0 u32 4294967295, i32 3
  %23 = warp_exchange syncthreads_count slots 1 -1 -1 fault 2 : i32
  %24 = field 4 %q : ptr<f32, parameter>
  %25 = field packed 3 %q : ptr<f32, parameter>
  %26 = foreign 0 %10
  %27 = foreign 1 %10, %14
  %28 = foreign 2 %10
  fault 0 %8, i64 5
}
)";

TEST(TextForm, CarriesEverything) { expect_round_trip(kEverything); }

TEST(TextForm, ReadsWhatBuildersBuild) {
  Module module;
  module.name = "m";
  Function& function = *module.functions.emplace_back(std::make_unique<Function>());
  function.name = function.symbol = "k";
  function.is_kernel = true;
  function.parameters.push_back({"x", Type::pointer(ScalarType::F32, AddressSpace::Global)});
  Local* first = function.create_local("i", Type::of(ScalarType::I64));
  Local* second = function.create_local("i", Type::of(ScalarType::I64));
  Builder b(function);
  b.store_local(first, b.constant_i64(0));
  Instruction* loop = b.loop();
  b.enter(loop->blocks[0]);
  Instruction* i = b.load_local(first);
  Instruction* branch = b.if_(b.emit(Opcode::Ge, {i, b.constant_i64(10)}));
  b.enter(branch->blocks[0]);
  b.break_(loop);
  EXPECT_TRUE(b.is_terminated());
  b.leave();
  b.store(b.emit(Opcode::ElementPointer, {b.parameter(0), i}), b.constant_float(ScalarType::F32, 0.5));
  b.store_local(second, i);
  b.leave();
  b.return_();
  EXPECT_TRUE(verify(module).empty());
  EXPECT_EQ(print_module(module), R"(module "m"

kernel @k(%x: ptr<f32, global>) {
  local $i: i64
  local $i.1: i64
  store_local $i, i64 0
  loop L0 {
    %0 = load_local $i : i64
    %1 = ge %0, i64 10
    if %1 {
      break L0
    }
    %2 = element %x, %0
    store %2, f32 0.5
    store_local $i.1, %0
  }
  return
}
)");
  expect_round_trip(print_module(module));
}

TEST(TextForm, SaysWhereItStops) {
  EXPECT_EQ(first_error("kernel @k() {\n  %0 = add %1, %1\n}\n"), "line 2: no value %1 stands before this");
  EXPECT_EQ(first_error("kernel @k() {\n  frobnicate\n}\n"), "line 2: 'frobnicate' is no instruction");
  EXPECT_EQ(first_error("kernel @k() {\n  call @f\n}\n"), "line 2: no function @f");
  EXPECT_EQ(first_error("kernel @k() {\n  break L0\n}\n"), "line 2: no loop or scope L0");
  EXPECT_EQ(first_error("kernel @k() {\n  store_local $s, i64 1\n}\n"), "line 2: no local $s");
  EXPECT_EQ(first_error("kernel @k(%a: f33) {\n}\n"), "line 1: 'f33' is no scalar type");
  EXPECT_EQ(first_error("kernel @k() {\n  store_local"), "line 2: expected '$' before ''");
  EXPECT_EQ(first_error("kernel @k() {\n  %0 = not u8 256\n}\n"), "line 2: the constant does not fit its type");
  EXPECT_EQ(first_error("kernel @k() {\n  %0 = return\n}\n"), "line 2: return gives no value");
  EXPECT_EQ(first_error("module \"m"), "line 1: a string without its closing quote");
}

TEST(TextForm, DeepNestingIsAnError) {
  std::string text = "kernel @k() {\n";
  for (int i = 0; i < 100000; ++i) text += "if bool true {\n";
  EXPECT_NE(first_error(text).find("nested too deeply"), std::string::npos);
}

// Cut, changed and shuffled text must give a module or an error, and what is a module prints and verifies somehow.
TEST(TextForm, SurvivesBrokenText) {
  std::mt19937 random(1);
  const std::string source = kEverything;
  for (int round = 0; round < 4000; ++round) {
    std::string text = source;
    for (unsigned change = random() % 4 + 1; change > 0 && !text.empty(); --change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, random() % 8);
          break;
        case 1:
          text[at] = static_cast<char>(random());
          break;
        case 2:
          text.insert(at, source, random() % source.size(), random() % 12);
          break;
        default:
          text.resize(at + 1);
          break;
      }
    }
    std::vector<std::string> errors;
    const auto module = parse_module(text, errors);
    ASSERT_EQ(module == nullptr, !errors.empty());
    if (module == nullptr) continue;
    verify(*module);
    const std::string printed = print_module(*module);
    EXPECT_EQ(print_module(*read(printed)), printed);
  }
}

}  // namespace
}  // namespace pykc::ir
