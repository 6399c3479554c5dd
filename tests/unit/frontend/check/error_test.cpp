// What is wrong, with its place: the text under the caret.
#include <gtest/gtest.h>

#include "checked_text.h"

namespace pykc {
namespace {

struct Mistake {
  const char *statements, *reports;  // line 7 is the first
};

constexpr Mistake kMistakes[] = {
    {"j = gird(1)", "E0201 7 gird"},
    {"syncthread()", "E0201 7 syncthread"},
    {"cuda.syncthread()", "E0202 7 syncthread"},
    {"v = cuda.blockidx.x", "E0202 7 blockidx"},
    {"v = threadIdx.w", "E0202 7 w"},
    {"v = np.sqr(x[i])", "E0202 7 sqr"},
    {"v = x.shap[0]", "E0202 7 shap"},
    {"v = v + 1\nprint(v)", "E0203 7 v"},
    {"divmod = divmod(n, 2)\nprint(divmod)", "E0203 7 divmod"},
    {"x[i] = len", "E0204 7 len"},
    {"x[i] = f32", "E0204 7 f32"},
    {"syncthreads", "E0204 7 syncthreads"},
    {"v = print(1)", "E0204 7 print(1)"},
    {"v = syncthreads()", "E0204 7 syncthreads()"},
    {"if x:\n    pass", "E0205 7 x"},
    {"v = n()", "E0206 7 n"},
    {"v = laneid()", "E0206 7 laneid"},
    {"k(x)", "E0207 7 k(x)"},
    {"k[1, 2](x)", "E0208 7 k[1, 2]"},
    {"v = [1, 2]", "E0209 7 [1, 2]"},
    {"v = {1: 2}", "E0209 7 {1: 2}"},
    {"v = f'{n}'", "E0209 7 f'{n}'"},
    {"try:\n    pass\nexcept E:\n    pass", "E0209 7 try"},
    {"with n:\n    pass", "E0209 7 with n"},
    {"def f(v):\n    return f(v)\nx[i] = f(1)", "E0243 9 f"},
    {"v = (lambda: n, 1)", "E0242 7 (lambda: n, 1)"},
    {"global g\ng = 1", "E0209 7 global"},
    {"v = n is i", "E0209 7 n is i"},
    {"v = shared.array(n, f32)", "E0212 7 n"},
    {"v = (1, x)[n]", "E0212 7 n"},
    {"v = 1 << 100", "E0213 7 1 << 100"},
    {"v = 9223372036854775807 * 3", "E0213 7 9223372036854775807 * 3"},
    {"v = 1 % 0", "E0214 7 1 % 0"},
    {"v: len = 1", "E0224 7 len"},
    {"v: f32[:, ::] = x", "E0225 7 f32[:, ::"},
    {"v = hashes[i] + n", "E0230 7 hashes[i] + n"},
    {"v = 0\nv = hashes[i]", "E0234 8 v = hashes[i]"},
    {"v = x + 1", "E0231 7 x + 1"},
    {"v = x[i] & 1", "E0231 7 x[i] & 1"},
    {"v = n << 0.5", "E0231 7 n << 0.5"},
    {"v = a @ a", "E0231 7 a @ a"},
    {"v = n in x", "E0231 7 n in x"},
    {"v = ~x[i]", "E0232 7 ~x[i]"},
    {"v = n\nv = (1, 2)", "E0234 8 v = (1, 2)"},
    {"image[i] = 300", "E0235 7 300"},
    {"image[i] = -1", "E0235 7 -1"},
    {"v: u8 = 256", "E0235 7 256"},
    {"v = i8(128)", "E0235 7 i8(128)"},
    {"v = n if flag else (1, 2)", "E0236 7 n if flag else (1, 2)"},
    {"v = x if flag else a", "E0236 7 x if flag else a"},
    {"return n", "E0239 7 n"},
    {"v = math.sqrt(1, 2)", "E0245 7 math.sqrt(1, 2)"},
    {"v = min(1)", "E0245 7 min(1)"},
    {"v = shared.array(32)", "E0246 7 shared.array(32)"},
    {"v = shared.array(32, dtyp=f32)", "E0247 7 dtyp"},
    {"print(n, flush=True)", "E0247 7 flush"},
    {"print(n, end='')", "E0247 7 end"},
    {"v = shared.array(32, shape=3, dtype=f32)", "E0248 7 shape"},
    {"v = grid(4)", "E0250 7 4"},
    {"v = popc(x[i])", "E0251 7 x[i]"},
    {"v = math.sqrt(x)", "E0251 7 x"},
    {"atomic.add(n, 0, 1)", "E0251 7 n"},
    {"atomic.inc(count, 0, 1)", "E0252 7 count"},
    {"atomic.and_(x, 0, 1)", "E0252 7 x"},
    {"v = n[0]", "E0255 7 n"},
    {"x[i, 0] = 0", "E0256 7 x[i, 0]"},
    {"x[n / 2] = 0", "E0257 7 n / 2"},
    {"x[flag] = 0", "E0257 7 flag"},
    {"v = local.array(4, f32)\nv[4] = 0", "E0258 8 4"},
    {"v = local.array(4, f32)\nv[-5] = 0", "E0258 8 -5"},
    {"v = (1, 2)[2]", "E0258 7 2"},
    {"v = local.array(0, f32)", "E0259 7 0"},
    {"v = shared.array((4, 0), f32)", "E0259 7 0"},
    {"v = shared.array(2.5, f32)", "E0259 7 2.5"},
    {"x = a", "E0234 7 x = a"},
    {"v = x\nv = a\nv[0] = 0", "E0234 8 v = a"},
    {"x[::0] = 1", "E0271 7 0"},
    {"x[1.5:] = 1", "E0257 7 1.5"},
    {"v = a.T.ravel()", "E0272 7 a.T.ravel()"},
    {"v = local.array(6, f32).reshape(4, -1)", "E0273 7 local.array(6, f32).reshape(4, -1)"},
    {"v = local.array(3, f32).view(f64)", "E0274 7 local.array(3, f32).view(f64)"},
    {"x[:] = a", "E0275 7 x[:] = a"},
    {"x[1:] = x[:-1]", "E0276 7 x[1:] = x[:-1]"},
    {"for j in unroll(range(9999)):\n    x[j] = 0", "E0278 7 unroll(range(9999))"},
    {"static_assert(3 > 4, 'no')", "E0279 7 static_assert(3 > 4, 'no')"},
    {"v = const.array_like((1, 2))\nv[0] = 1", "E0262 8 v[0]"},
    {"v = const.array_like(x)", "E0263 7 x"},
    {"if flag:\n    v = x\nv[0] = 1", "E0264 9 v"},
    {"threadIdx.x = 1", "E0265 7 threadIdx.x"},
    {"v = (1, 2)\nv[0] = 1", "E0265 8 v[0]"},
    {"v, w = grid(3)", "E0266 7 v, w"},
    {"v, w = n", "E0266 7 v, w"},
    {"for v in n:\n    pass", "E0267 7 n"},
    {"for v in enumerate(n):\n    pass", "E0267 7 n"},
    {"for v in range(x[i]):\n    pass", "E0268 7 x[i]"},
    {"for v in range(x.shape):\n    pass", "E0268 7 x.shape"},
    // An error is reported once, and does not make others.
    {"v = nothing\nw = v + 1\nx[i] = w * v[0]", "E0201 7 nothing"},
    {"v = nothing(1)\nfor j in range(v):\n    x[j] = v", "E0201 7 nothing"},
};

TEST(CheckError, HasItsPlace) {
  for (const Mistake& row : kMistakes) EXPECT_EQ(reports_in(in_kernel(row.statements)), row.reports) << row.statements;
}

constexpr Mistake kModuleMistakes[] = {
    {"@kernel(fast=True)\ndef k(x: f32[:]): pass", "E0221 1 fast"},
    {"@device(1)\ndef f(x): return x", "E0221 1 1"},
    {"@grid\ndef k(x: f32[:]): pass", "E0220 1 grid"},
    {"@kernel('void(f32*)')\ndef k(x): pass", "E0222 1 'void(f32*)'"},
    {"@kernel('void(i8[:])')\ndef k(x): pass", "E0222 1 'void(i8[:])'"},
    {"@kernel('void(f32)')\ndef k(x, y): pass", "E0223 1 'void(f32)'"},
    {"@kernel('float32(float32)')\ndef k(x): pass", "E0239 2 k"},
    {"@kernel(launch_bounds=2000)\ndef k(x: f32[:]): pass", "E0302 1 2000"},
    {"@kernel(launch_bounds=(256, 64))\ndef k(x: f32[:]): pass", "E0302 1 64"},
    {"@kernel(max_registers=0)\ndef k(x: f32[:]): pass", "E0303 1 0"},
    {"@kernel\ndef k(x: tuple[f32, None]): pass", "E0225 2 x"},
    {"@kernel\ndef k(x: f32[:], *y): pass", "E0253 2 y"},
    {"@kernel\ndef k(x: f32[:]) -> f32:\n    pass", "E0239 2 f32"},
    {"@kernel\ndef k(x: f32[:]):\n    s = shared.array((300, 300), f32)\n    s[0, 0] = x[0]", "E0301 2 k"},
    {"@kernel\ndef k(x: f32[:]):\n    s = local.array(200000, f32)\n    s[0] = x[0]", "E0304 2 k"},
    {"@device\ndef f(n: i64):\n    return f(n - 1)", "E0240 3 f(n - 1)"},
    {"@device\ndef f(n: i64):\n    if n > 0:\n        return 1", "E0238 2 f"},
    {"@device\ndef f(n: i64):\n    if n > 0:\n        return\n    return 1", "E0237 4 return"},
    {"N = N2\nN2 = N\n@kernel\ndef k(x: f32[:]):\n    x[0] = N", "E0215 1 N"},
    {"N = 1\nN = 2\n@kernel\ndef k(x: f32[:]):\n    x[0] = N", "E0216 5 N"},
    {"N = zeros(3)\n@kernel\ndef k(x: f32[:]):\n    x[0] = N", "E0201 1 zeros"},
    {"class C:\n    pass\n@kernel\ndef k(x: f32[:]):\n    C()", "E0209 5 C"},
    {"def f(p: f64[:]):\n    return p[0]\n@kernel\ndef k(x: f32[:]):\n    x[0] = f(x)", "E0249 5 x"},
    {"def f(p):\n    return p\n@kernel\ndef k(x: f32[:]):\n    x[0] = f()", "E0246 5 f()"},
    {"def f(p):\n    return f((p, p))\n@kernel\ndef k(x: f32[:]):\n    f(x[0])", "E0270 2 (p, p)"},
};

TEST(CheckError, OfModules) {
  for (const Mistake& row : kModuleMistakes)
    EXPECT_EQ(reports_in(std::string(row.statements) + "\n"), row.reports) << row.statements;
}

constexpr Mistake kWarnings[] = {
    {"if flag:\n    v = 1\nx[i] = v", "W0501 9 v"},
    {"for j in range(n):\n    v = j\nx[i] = v", "W0501 9 v"},
    {"for j in range(4):\n    v = j\nx[i] = v", ""},
    {"while True:\n    v = 1\n    if flag:\n        break\nx[i] = v", ""},
    {"if flag:\n    v = 1\nelse:\n    return\nx[i] = v", ""},
    {"count[i] = x[i]", "W0502 7 x[i]"},
    {"count[i] = int(x[i])", ""},
    {"count[i] = 2.0", ""},
    {"min = x[i]\ny[i] = min", "W0504 7 min"},
    {"v = x[i]", "W0505 7 v"},
    {"_v = x[i]", ""},
    {"v, w = grid(2)\nx[v + i] = 0", ""},
    {"y[i] = x[count[0] * count[1]]", "W0506 7 count[0] * count[1]"},
    {"y[i] = x[image[0] * image[1]]", ""},
    {"y[i] = x[count[0] * 2]", ""},
    {"x[i] == 0", "W0507 7 x[i] == 0"},
    {"atomic.add(count, i, 1)", ""},
};

TEST(CheckWarning, OnlyWhereItIsRight) {
  for (const Mistake& row : kWarnings) EXPECT_EQ(reports_in(in_kernel(row.statements)), row.reports) << row.statements;
}

TEST(CheckWarning, OfDoublesInASinglePrecisionKernel) {
  const std::string head = "@kernel\ndef k(x: f32[:], n: i64):\n    ";
  EXPECT_EQ(reports_in(head + "half = 0.5\n    x[0] = x[1] * half\n"), "W0503 4 x[1] * half");
  EXPECT_EQ(reports_in(head + "x[0] = x[1] * (n / 3)\n"), "W0503 3 x[1] * (n / 3)");
  EXPECT_EQ(reports_in(head + "x[0] = x[1] * 0.5 * n\n"), "");
  EXPECT_EQ(reports_in(head + "s = f64(0)\n    s += x[0]\n    x[0] = s\n"), "") << "who says f64 means it";
}

TEST(CheckWarning, CanBeTurnedOff) {
  EXPECT_EQ(reports_in(in_kernel("v = x[i]"), {.options = {.warnings = false}}), "");
}

TEST(CheckError, SaysWhatToWrite) {
  const auto fix_of = [](const std::string& statements) {
    const CheckedText checked = check_text(in_kernel(statements));
    return checked.diagnostics.empty() ? std::string() : checked.diagnostics.front().fix;
  };
  EXPECT_EQ(fix_of("syncthread()"), "syncthreads");
  EXPECT_EQ(fix_of("v = cuda.blockidx.x"), "blockIdx");
  EXPECT_EQ(fix_of("x[n / 2] = 0"), "int(n / 2)");
  EXPECT_EQ(fix_of("for v in range(x.shape):\n    pass"), "x.shape[0]");
  EXPECT_EQ(fix_of("v = hashes[i] + n"), "i64(hashes[i])");
  EXPECT_EQ(fix_of("v = shared.array(32, dtyp=f32)"), "dtype");
}

TEST(CheckError, AfterOneMistakeTheRestIsStillChecked) {
  EXPECT_EQ(reports_in("@kernel\ndef k(x: f32[:], x: f32[:]):\n    v = nothing\n    x[0] = v\n"),
            "E0146 2 x; E0201 3 nothing");
  EXPECT_EQ(reports_in(in_kernel("v: nothing = 1\nw = v")), "E0201 7 nothing");
  EXPECT_EQ(reports_in(in_kernel("v = const.array_like((1, 2))\nw = v[0, 1]\nx[i] = w")), "E0256 8 v[0, 1]");
}

TEST(CheckError, DeepCodeIsRefusedNotCrashedOn) {
  std::string functions;
  for (int j = 0; j < 300; ++j)
    functions += "def g" + std::to_string(j) + "(p):\n    return g" + std::to_string(j + 1) + "(p)\n";
  const std::string text = functions + "def g300(p):\n    return p\n@kernel\ndef k(x: f32[:]):\n    x[0] = g0(x[0])\n";
  EXPECT_EQ(reports_in(text).substr(0, 5), "E0269");
}

}  // namespace
}  // namespace pykc
