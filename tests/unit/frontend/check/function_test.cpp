// Functions: specialisation, results, recursion, imports; kernels, their options and requests.
#include <gtest/gtest.h>

#include "checked_text.h"

namespace pykc {
namespace {

std::string with_use(const std::string& functions, const std::string& use) {
  return functions + "@kernel\ndef k(x: f32[:], d: f64[:], a: f32[:, :], n: i64):\n    " + use + "\n";
}

bool has(const std::string& tree, const std::string& part) { return tree.find(part) != std::string::npos; }

TEST(Function, IsSpecialisedOncePerArgumentTypes) {
  const std::string tree = tree_of(
      with_use("def add(p, q):\n    return p + q\n", "x[0] = add(x[0], x[1]) + add(x[1], x[0]); d[0] = add(d[0], n)"));
  EXPECT_TRUE(has(tree, "function add__f32_f32(p: f32, q: f32) -> f32\n")) << tree;
  EXPECT_TRUE(has(tree, "function add__f64_i64(p: f64, q: i64) -> f64\n")) << tree;
  EXPECT_EQ(tree.find("function add__f32_f32"), tree.rfind("function add__f32_f32"));
}

TEST(Function, StandsBeforeItsCallers) {
  const std::string tree = tree_of(with_use("def f(p):\n    return g(p)\ndef g(p):\n    return p\n", "x[0] = f(n)"));
  EXPECT_LT(tree.find("function g__i64"), tree.find("function f__i64"));
  EXPECT_LT(tree.find("function f__i64"), tree.find("kernel k"));
}

TEST(Function, FloatLiteralsStayWeakInUntypedParameters) {
  const std::string tree =
      tree_of(with_use("def clamp(v, lo, hi):\n    return min(max(v, lo), hi)\n", "x[0] = clamp(x[0], 0.0, 1.0)"));
  EXPECT_TRUE(has(tree, "-> f32\n  return min<f32>(max<f32>(v, cast<f32>(lo)), cast<f32>(hi))")) << tree;
}

TEST(Function, ReturnsTheJoinOfItsReturns) {
  EXPECT_TRUE(has(tree_of(with_use("def f(p):\n    if p > 0:\n        return 0.0\n    return p\n", "x[0] = f(x[0])")),
                  "-> f32\n"));
  EXPECT_TRUE(has(tree_of(with_use("def f(p):\n    return p, 1\n", "x[0], n = f(x[0])")), "-> tuple[f32, i64]\n"));
  EXPECT_TRUE(has(tree_of(with_use("def f(p) -> f64:\n    return p\n", "x[0] = f(x[0])")), "return cast<f64>(p)\n"));
}

TEST(Function, TakesArraysWhereverTheyLie) {
  const std::string tree = tree_of(
      with_use("def first(p: f32[::]):\n    return p[0]\n", "s = shared.array(4, f32); x[0] = first(s) + first(x)"));
  EXPECT_TRUE(has(tree, "(p: f32[4] in shared memory)")) << tree;
  EXPECT_TRUE(has(tree, "(p: f32[:])")) << tree;
}

TEST(Function, CallsItselfWithAnAnnotatedResult) {
  EXPECT_TRUE(has(tree_of(with_use("def f(p: i64) -> i64:\n    return 1 if p < 1 else p * f(p - 1)\n", "x[0] = f(n)")),
                  "f__i64<i64>(sub<i64>(p, 1<i64>))"));
}

TEST(Function, KeywordsAndDefaults) {
  EXPECT_TRUE(has(tree_of(with_use("SCALE = 3\ndef f(p, q=SCALE):\n    return p * q\n", "x[0] = f(q=2, p=n) + f(n)")),
                  "f__i64_i64<i64>(n, 3<i64>)"));
}

TEST(Function, ComesFromOtherModules) {
  const CheckSetup setup{
      .modules = {{"helpers", "SIZE = 4\ndef twice(p):\n    return 2 * p\n"},
                  {"pkg.deep", "from helpers import twice\ndef four(p):\n    return twice(twice(p))\n"}}};
  EXPECT_TRUE(has(
      tree_of("from helpers import twice, SIZE as S\nimport helpers as hp\nimport pkg.deep\nfrom pkg import deep\n" +
                  with_use("", "x[S] = twice(x[0]) + hp.twice(x[1]) + pkg.deep.four(n) + deep.four(n)"),
              setup),
      "kernel k"));
  EXPECT_EQ(reports_in("from helpers import thrice\n", setup), "E0202 1 thrice");
  EXPECT_EQ(reports_in("import nothing\n", setup), "E0210 1 nothing");
}

TEST(Function, ImportCyclesAreReported) {
  const CheckSetup setup{.modules = {{"a", "import b\n"}, {"b", "import a\n"}}};
  EXPECT_EQ(reports_in("import a\n", setup), "E0211 1 a");
}

TEST(Kernel, NumbasSpellings) {
  const std::string tree = tree_of(
      "import numba\nimport numba.cuda as cuda\nfrom numba import cuda as c2, float32, vectorize\nimport numpy as "
      "np\nimport math\n"
      "SQRT_2PI = np.float32((2*math.pi)**0.5)\n"
      "@vectorize(['float32(float32, float32)'], target='cuda')\n"
      "def pdf(x, s):\n    return math.exp(-0.5 * (x / s)**2) / (s * SQRT_2PI)\n"
      "@cuda.jit('void(float64[:,:], Array(float64, 1, \"C\"), float32[:, ::1], float32)')\n"
      "def k(A, x, B, f):\n"
      "    tile = cuda.shared.array(shape=(32, 33), dtype=numba.float32)\n"
      "    i, j = c2.grid(2)\n"
      "    tile[cuda.threadIdx.y, cuda.threadIdx.x] = B[j, i]\n"
      "    cuda.syncthreads()\n"
      "    A[i, j] = x[i] * np.float32(pdf(1, f))\n");
  EXPECT_TRUE(has(tree, "kernel k(A: f64[::, ::], x: f64[:], B: f32[:, :], f: f32)\n  shared tile: f32[32, 33]\n"))
      << tree;
  EXPECT_TRUE(has(tree, "function pdf__f32_f32(x: f32, s: f32) -> f32\n")) << tree;
  EXPECT_TRUE(has(tree, "2.50662827<f32>")) << tree;
}

TEST(Kernel, SignaturesWithoutQuotes) {
  const std::string head = "import numba\nfrom numba import cuda, float32, void\n";
  for (const char* signature : {"(float32[:], float32)", "numba.void(numba.float32[:], numba.types.float32)",
                                "void(float32[:], float32)", "['void(float32[:], float32)']"}) {
    const std::string tree = tree_of(head + "@cuda.jit(" + signature + ")\ndef k(x, f):\n    x[0] = f\n");
    EXPECT_TRUE(has(tree, "kernel k(x: f32[::], f: f32)\n")) << signature << ":\n" << tree;
  }
}

TEST(Kernel, SymbolsOfTheCompilersOwnAreNotTaken) {
  EXPECT_TRUE(has(tree_of("@kernel\ndef fma(x: f32[:]):\n    x[0] = 1\n"), "kernel fma__f32x1("));
}

TEST(Kernel, SharedArrays) {
  const std::string tree = tree_of(
      with_use("TILE = 16\nPAD = TILE + 1\n",
               "w = blockDim.x * 2; s = shared.array((TILE, PAD), f32); t = shared.array((blockDim.y, w + 1), f64); "
               "u = shared.array(0, i32); s[0, 0] = t[0, 0] + u[0]"));
  EXPECT_TRUE(has(tree,
                  "  shared s: f32[16, 17]\n  shared t: f64[:, :]\n    extent blockDim.y<i64>()\n"
                  "    extent add<i64>(mul<i64>(blockDim.x<i64>(), 2<i64>), 1<i64>)\n  shared u: i32[:]\n"))
      << tree;
}

TEST(Kernel, LaunchExpressionsAreForTheRuntimeToo) {
  const CheckedText checked = check_text(with_use("", "s = shared.array(blockDim.x // 32 + 1, f32); s[0] = 1"));
  ASSERT_EQ(checked.module.functions.size(), 1u);
  const checked::SharedArray& array = checked.module.functions.front().shared_arrays.at(0);
  using Op = LaunchExpression::Op;
  const std::vector<LaunchExpression::Term> terms = {
      {Op::BlockDimX, 0}, {Op::Constant, 32}, {Op::FloorDivide, 0}, {Op::Constant, 1}, {Op::Add, 0}};
  EXPECT_EQ(array.extent_sizes.at(0).terms, terms);
  EXPECT_FALSE(array.takes_launch_bytes);
}

TEST(Kernel, ConstantTables) {
  const std::string text = "import numpy as np\nW = np.array([[1, 2], [3, 4]], dtype=np.float32)\nL = [1, 2.5]\n" +
                           with_use("", "c = const.array_like(W); x[0] = c[1, 0] + L[n] + const.array_like((1, 2))[n]");
  const CheckedText checked = check_text(text);
  ASSERT_EQ(checked.module.constant_arrays.size(), 3u) << reports_in(text);
  EXPECT_EQ(to_string(checked.module.constant_arrays[0].type), "f32[2, 2]");
  EXPECT_EQ(checked.module.constant_arrays[0].bytes.substr(4, 4), std::string("\0\0\0\x40", 4));
  EXPECT_EQ(to_string(checked.module.constant_arrays[1].type), "f64[2]");
  EXPECT_EQ(to_string(checked.module.constant_arrays[2].type), "i64[2]");
}

TEST(Kernel, Options) {
  const CheckedText checked = check_text(
      "@kernel(launch_bounds=(256, 2), max_registers=64, fastmath=True, contract=False, noalias=True, "
      "wraparound=False)\n"
      "def k(x: f32[:]):\n    x[0] = 1\n");
  ASSERT_EQ(checked.module.functions.size(), 1u);
  const checked::Function& kernel = checked.module.functions.front();
  const checked::KernelOptions& options = kernel.options;
  EXPECT_EQ(options.max_threads_per_block, 256);
  EXPECT_EQ(options.min_blocks_per_multiprocessor, 2);
  EXPECT_EQ(options.max_registers, 64);
  EXPECT_TRUE(options.fast_math && !options.contract && options.no_alias);
  const auto* store = kernel.body.at(0)->as<checked::StoreElement>();
  ASSERT_NE(store, nullptr);
  EXPECT_FALSE(store->element->as<checked::Element>()->wraparound);
}

TEST(Kernel, IsSpecialisedForRequests) {
  const std::string generic = "@cuda.jit\ndef scale(x, s):\n    x[0] *= s\n";
  const std::string tree =
      tree_of("from numba import cuda\n" + generic, {.signatures = {"scale(f32[:], f32)", "scale(float64[:], i64)"}});
  EXPECT_TRUE(has(tree, "kernel scale(x: f32[:], s: f32)\n")) << tree;
  EXPECT_TRUE(has(tree, "kernel scale__f64x1_i64(x: f64[::], s: i64)\n")) << tree;
  EXPECT_EQ(tree_of("from numba import cuda\n" + generic), "") << "without types there is nothing to compile";
}

TEST(Kernel, RequestsMustFit) {
  const std::string text = "@kernel\ndef scale(x: f32[:], s):\n    x[0] *= s\n";
  EXPECT_EQ(reports_in(text, {.signatures = {"scale(f64[:], f32)"}}), "E0249 2 x");
  EXPECT_EQ(reports_in(text, {.signatures = {"scale(f32[:])"}}), "E0282 2 scale");
  EXPECT_EQ(reports_in(text, {.signatures = {"scael(f32[:])"}}), "E0280 1 ");
  const std::string sized = "@kernel\ndef scale(x: f32[:], s: constexpr):\n    x[0] *= s[1]\n";
  EXPECT_EQ(reports_in(sized, {.signatures = {"scale(f32[:], tuple[2, 3.5])"}}), "");
  EXPECT_EQ(reports_in(sized, {.signatures = {"scale(f32[:], tuple[2, f32])"}}), "E0283 2 scale");
}

TEST(Kernel, WithoutTypesOnlyItsNamesAreChecked) {
  EXPECT_EQ(reports_in("@kernel\ndef k(x, y):\n    i = gird(1)\n    x[i] = y.foo + math.sqr(y)\n    [z for z in x]\n"),
            "E0201 3 gird; E0202 4 sqr; E0209 5 [z for z in x]");
}

TEST(Kernel, HostFunctionsAreNotCheckedHere) {
  EXPECT_EQ(reports_in("import numpy as np\n@test\ndef t():\n    xs = [nothing for v in np.arange(3)]\ndef main():\n   "
                       " open('x')\n"),
            "");
}

TEST(Kernel, NamesOfKernels) {
  const CheckedText checked = check_text(
      "from numba import cuda\n@kernel\ndef a(x): pass\n@cuda.jit\ndef b(x): pass\n@cuda.jit(device=True)\ndef c(x): "
      "pass\n"
      "@device\ndef d(x): pass\n@kernel(fastmath=True)\ndef e(x): pass\ndef f(x): pass\n");
  EXPECT_EQ(kernel_names(*checked.program.main), (std::vector<std::string>{"a", "b", "e"}));
}

std::string types_of(std::string_view signature) {
  const Result<KernelRequest> request = parse_signature(signature);
  if (!request) return request.error().message;
  std::string types;
  for (const ArgumentType& argument : request->arguments)
    types +=
        (argument.parameter.is_array ? to_string(argument.parameter.array) : to_string(argument.parameter.value)) + " ";
  return types;
}

TEST(Signature, VectorsAndComplexNumbers) {
  EXPECT_EQ(types_of("k(f32x4[:, :], float64x2, u8x3[::1], c64[:], complex128, Array(complex64, 1, \"C\"))"),
            "f32x4[:, :] f64x2 u8x3[:] c64[:] c128 c64[:] ");
  for (const char* wrong : {"k(f32x5[:])", "k(f32x0[:])", "k(x4[:])", "k(c32[:])", "k(c64x2[:])"})
    EXPECT_FALSE(parse_signature(wrong).has_value()) << wrong;
}

TEST(Signature, Text) {
  EXPECT_EQ(types_of("saxpy(f32, f32[:], f32[::, ::], float32[:,:], Array(float64, 2, \"F\"), f32[4, 4], f4[::1], i8)"),
            "f32 f32[:] f32[::, ::] f32[::, ::] f64[::1, :] f32[4, 4] f32[:] i8 ");
  for (const char* wrong :
       {"", "saxpy", "saxpy(", "saxpy(f32", "saxpy(f32[)", "saxpy(f32[:, ::])", "saxpy(f32) x", "(f32)",
        "k(Array(f32, 9, \"C\"))", "k(Array(f32, 1, \"X\"))", "k(f32[:,:,:,:,:,:,:,:,:])", "k(,)"})
    EXPECT_FALSE(parse_signature(wrong).has_value()) << wrong;
}

}  // namespace
}  // namespace pykc
