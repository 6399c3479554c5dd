// Sources that a server would rather not have been sent. Under CompileOptions::untrusted each is answered, by a result
// or an error, within 2 s and 500 MB, for either kind of device.
#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/embedding/answer.h"

namespace pykc {
namespace {

using Lines = std::function<std::string(int)>;

std::string repeated(int times, const Lines& line) {
  std::string all;
  for (int i = 0; i < times; ++i) all += line(i);
  return all;
}
std::string repeated(int times, std::string_view text) {
  return repeated(times, [&](int) { return std::string(text); });
}
std::string number(int value) { return std::to_string(value); }
/// Shorter: 100,000 of them fit into the megabyte that a source may have.
std::string hexadecimal(int value) {
  std::array<char, 8> digits{};
  return {digits.data(), std::to_chars(digits.begin(), digits.end(), value, 16).ptr};
}

/// A kernel `k` of `x`, with `before` above it.
std::string kernel(const std::string& body, const std::string& before = {}) {
  return "import math\nfrom pykc import *\n" + before + "@kernel\ndef k(x: f32[:]):\n" + body;
}

/// Blocks within each other, with a statement in the innermost.
std::string nested(int depth, const Lines& head) {
  return repeated(depth, [&](int i) { return std::string(static_cast<std::size_t>(i) + 1, ' ') + head(i) + ":\n"; }) +
         std::string(static_cast<std::size_t>(depth) + 1, ' ') + "x[1] = 2\n";
}

std::string unrolled(int outer, int inner, const std::string& statement) {
  return "    for a in unroll(range(" + number(outer) + ")):\n        for b in unroll(range(" + number(inner) +
         ")):\n            " + statement + "\n";
}

/// Functions that call the next one twice each.
std::string chain(int length, const std::string& first, const std::string& second, const std::string& last) {
  return repeated(length,
                  [&](int i) {
                    const std::string next = "f" + number(i + 1);
                    return "def f" + number(i) + "(a):\n    return " + next + "(" + first + ") + " + next + "(" +
                           second + ")\n";
                  }) +
         "def f" + number(length) + "(a):\n    return " + last + "\n";
}

std::string tuple_of(int size, const Lines& element) {
  return "(" + repeated(size, [&](int i) { return element(i) + ", "; }) + ")";
}

/// The line that makes a tuple of the one before.
std::string doubled(int i) { return "t" + number(i + 1) + " = t" + number(i) + " + t" + number(i) + "\n"; }

struct Trial {
  const char* name;
  std::string source;
};

std::vector<Trial> trials() {
  const std::string barrier = "    t[i] = x[i]\n    syncthreads()\n";
  const std::string shared = "    t = shared.array(32, f32)\n    i = threadIdx.x\n";
  const std::string variables = repeated(2000, [](int i) { return "    v" + number(i) + " = x[" + number(i) + "]\n"; });
  const std::string stores = repeated(2000, [](int i) { return "    x[" + number(i) + "] = v" + number(i) + "\n"; });
  return {
      // What is unrolled.
      {"unroll 1024 x 8 around sin", kernel(unrolled(1024, 8, "x[a] = math.sin(x[b])"))},
      {"unroll 128 x 8 around sin", kernel(unrolled(128, 8, "x[a] = math.sin(x[b])"))},
      {"unroll 16 x 16 around math",
       kernel(unrolled(16, 16, "x[a + b] = math.sin(x[a]) / math.gamma(x[b]) ** x[a - b]"))},
      {"80-element tuple through nested calls",
       kernel("    t = " + tuple_of(80, [](int) { return "x[0]"; }) +
                  "\n    for a in unroll(range(16)):\n        for b in unroll(range(16)):\n"
                  "            t = f(t)\n    x[0] = t[0]\n",
              "def f(t):\n    return g(g(t))\ndef g(t):\n    return h(h(t))\ndef h(t):\n    return " +
                  tuple_of(80, [](int i) { return "t[" + number((i + 1) % 80) + "] + 1"; }) + "\n")},
      // Many of something.
      {"4,000 barriers", kernel(shared + repeated(4000, barrier))},
      {"700 barriers", kernel(shared + repeated(700, barrier))},
      {"barriers that keep 1,000 values",
       kernel(shared + repeated(1000, [](int j) { return "    v" + number(j) + " = x[" + number(j) + "]\n"; }) +
              repeated(1000, [](int j) { return "    syncthreads()\n    t[i] = v" + number(j) + "\n"; }) +
              repeated(1000, [](int j) { return "    x[" + number(j) + "] = v" + number(j) + "\n"; }))},
      {"10,000 kernels",
       "import math\nfrom pykc import *\n" + repeated(10'000,
                                                      [](int i) {
                                                        return "@kernel\ndef k" + number(i) +
                                                               "(x: f32[:]):\n    x[grid(1)] = math.sin(x[0])\n";
                                                      })},
      {"2,000 kernels",
       "from pykc import *\n" +
           repeated(2000, [](int i) { return "@kernel\ndef k" + number(i) + "(x: f32[:]):\n    x[grid(1)] = 1\n"; })},
      {"print of 10,000", kernel("    print(" + repeated(10'000, "x[0], ") + "x[0])\n")},
      {"print of 100,000", kernel("    print(" + repeated(100'000, "x[0], ") + "x[0])\n")},
      {"100,000 autotunes",
       "from pykc import *\n" + repeated(100'000, "@autotune\n") + "@kernel\ndef k(x: f32[:]):\n    x[0] = 1\n"},
      {"30,000 autotunes", "from pykc import *\n" + repeated(30'000, "@autotune(configs=[config(T=32)])\n") +
                               "@kernel\ndef k(x: f32[:], T: constexpr):\n    x[0] = T\n"},
      {"30,000 configurations", "from pykc import *\n@autotune(configs=[" +
                                    repeated(30'000, [](int i) { return "config(T=" + number(i) + "), "; }) +
                                    "])\n@kernel\ndef k(x: f32[:], T: constexpr):\n    x[0] = T\n"},
      {"60,000 fields", "from pykc import *\n@struct\nclass S:\n" +
                            repeated(60'000, [](int i) { return "    f" + number(i) + ": f32\n"; }) +
                            "@kernel\ndef k(x: S[:]):\n    x[0].f0 = 1\n"},
      {"100,000 fields", "from pykc import *\n@struct\nclass S:\n" +
                             repeated(100'000, [](int i) { return " a" + hexadecimal(i) + ":i8\n"; }) +
                             "@kernel\ndef k(x: S[:]):\n    x[0].a0 = 1\n"},
      {"200,000 errors", kernel(repeated(200'000, " y\n"))},
      {"60,000 errors", kernel(repeated(60'000, "    x[0] = y\n"))},
      {"20,000 functions",
       kernel(repeated(10'000, [](int i) { return "    x[0] += f" + number(i) + "(x[1])\n"; }),
              repeated(10'000, [](int i) { return "def f" + number(i) + "(a):\n    return a\n"; }))},
      {"10,000 parameters", "from pykc import *\n@kernel\ndef k(" +
                                repeated(10'000, [](int i) { return "a" + number(i) + ": f32, "; }) + "):\n    pass\n"},
      {"10,000 asserts", kernel(repeated(10'000, [](int i) { return "    assert x[" + number(i) + "] > 0\n"; }))},
      {"40,000 statements", kernel(repeated(40'000, "    x[0] += 1\n"))},
      {"10,000 calls of sin", kernel(repeated(10'000, "    x[0] = math.sin(x[1])\n"))},
      {"2,000 powers", kernel(repeated(2000, [](int i) { return "    x[0] = x[0] ** " + number(i % 1000) + "\n"; }))},
      {"a power of 190 powers", kernel("    x[0] = " + repeated(189, "x[0] ** ") + "x[0]\n")},
      {"2,000 variables in a loop",
       kernel(
           variables + "    for j in range(100):\n" +
           repeated(2000, [](int i) { return "        v" + number(i) + " += v" + number((i * 7 + 1) % 2000) + "\n"; }) +
           stores)},
      {"300 checked accesses in a loop",
       kernel("    for q in range(len(x) - 5000):\n" + repeated(300,
                                                                [](int i) {
                                                                  return "        x[q + " + number(i) + "] = x[q + " +
                                                                         number(i * 37 % 5000) + "] * 2\n";
                                                                }))},
      {"400 counters of a loop",
       kernel(repeated(400, [](int i) { return "    v" + number(i) + " = i64(x[" + number(i) + "])\n"; }) +
              "    for q in range(len(x)):\n" +
              repeated(400,
                       [](int i) {
                         const std::string v = "v" + number(i);
                         return "        x[" + v + " & 1023] += " + v + "\n        " + v + " += " + number(i * 3) +
                                "\n";
                       }) +
              repeated(400, [](int i) { return "    x[" + number(i) + "] = v" + number(i) + "\n"; }))},
      {"1,600 values across checked accesses",
       kernel(repeated(1600, [](int i) { return "    v" + number(i) + " = x[" + number(i) + "]\n"; }) +
              repeated(1600, [](int i) { return "    x[" + number(i) + "] = v" + number(i * 7919 % 1600) + "\n"; }))},
      {"copies of constant arrays of wide records",
       kernel("    x[0] = A99[0].x[0]\n",
              "import numpy as np\nD = np.dtype([('x', np.float32, (250,))])\nA0 = np.zeros(262144, D)\n" +
                  repeated(99, [](int i) { return "A" + number(i + 1) + " = A" + number(i) + ".copy()\n"; }))},
      {"a local array, filled by hand",
       kernel("    t = local.array(131072, f32)\n" +
              repeated(3000, [](int i) { return "    t[" + number(i) + "] = x[" + number(i) + "]\n"; }) +
              "    x[0] = t[int(x[1])]\n")},
      {"10,000 imports", repeated(10'000, [](int i) { return "import m" + number(i) + "\n"; })},
      {"and of 16,000", kernel("    x[0] = 1 if " + repeated(16'000, "x[1] > 1 and ") + "x[2] > 1 else 0\n")},
      // What doubles.
      {"16 generic functions for two types each", kernel("    x[0] = f0(1)\n", chain(16, "(a, 1)", "(a, 1.5)", "1"))},
      {"16 functions that double types of numbers", kernel("    x[0] = f0(1)\n", chain(16, "a", "a * 1.5", "a + 1"))},
      {"a tree of 2^30 calls", kernel("    x[0] = f0(x[1])\n", chain(30, "a", "a + 1", "a * a"))},
      {"a tree of 2^11 barriers", kernel("    t = shared.array(64, f32)\n    g11(t)\n    x[0] = t[0]\n",
                                         "def g0(t):\n    syncthreads()\n    t[threadIdx.x] += 1\n    return 1\n" +
                                             repeated(11,
                                                      [](int i) {
                                                        return "def g" + number(i + 1) + "(t):\n    return g" +
                                                               number(i) + "(t) + g" + number(i) + "(t)\n";
                                                      }))},
      {"40 constants, each the tuple before it twice",
       kernel("    x[0] = t40[0]\n", "t0 = (1, 2)\n" + repeated(40, doubled))},
      {"40 variables, each the tuple before it twice",
       kernel("    t0 = (1, 2)\n" + repeated(40, [](int i) { return "    " + doubled(i); }) + "    x[0] = t40[0]\n")},
      {"named tuples, each of the one before twice",
       "from typing import NamedTuple\nfrom pykc import *\nclass P0(NamedTuple):\n    a: f32\n" +
           repeated(30,
                    [](int i) {
                      return "class P" + number(i + 1) + "(NamedTuple):\n    a: P" + number(i) + "\n    b: P" +
                             number(i) + "\n";
                    }) +
           "@kernel\ndef k(x: f32[:], p: P30):\n    x[0] = 1\n"},
      {"a function that hands on its arguments twice",
       kernel("    x[0] = f(1, 2)\n", "def f(*a):\n    return f(*a, *a)\n")},
      {"functions nested 22 deep", kernel(repeated(22,
                                                   [](int i) {
                                                     return std::string(static_cast<std::size_t>(i) + 1, ' ') +
                                                            "def g" + number(i) + "(a):\n";
                                                   }) +
                                          std::string(23, ' ') + "return a\n x[0] = 1\n")},
      // What is deep.
      {"150 brackets", kernel("    x[0] = " + std::string(150, '(') + "1.0" + std::string(150, ')') + "\n")},
      {"100,000 brackets",
       kernel("    x[0] = " + std::string(100'000, '(') + "1.0" + std::string(100'000, ')') + "\n")},
      {"100,000 times minus", kernel("    x[0] = " + std::string(100'000, '-') + "1.0\n")},
      {"100,000 times not", kernel("    x[0] = " + repeated(100'000, "not ") + "1.0\n")},
      {"a sum of 100,000", kernel("    x[0] = " + repeated(100'000, "x[1] + ") + "1.0\n")},
      {"90 ifs", kernel(nested(90, [](int) { return "if x[0] > 1"; }))},
      {"90 loops", kernel(nested(90, [](int i) { return "for i" + number(i) + " in range(10)"; }))},
      {"90 loops, each from the counter around it",
       kernel(nested(90,
                     [](int i) {
                       return "for i" + number(i + 1) + " in range(" + (i == 0 ? "0" : "i" + number(i)) + ", len(x))";
                     }))},
      {"160 slices", kernel("    v = x" + repeated(160, "[len(x) // 2:]") + "\n    x[0] = v[0]\n")},
      {"squares of squares",
       kernel("    p = len(x)\n" + repeated(500, "    p = p * p + blockIdx.x\n") + "    x[0] = x[p]\n")},
      {"5,000 elifs",
       kernel("    if x[0] == 0:\n        x[1] = 0\n" +
              repeated(5000, [](int i) { return "    elif x[0] == " + number(i) + ":\n        x[1] = 1\n"; }))},
      // What is huge.
      {"an integer of 900,000 digits", kernel("    x[0] = " + std::string(900'000, '9') + "\n")},
      {"10 to the power of powers", kernel("    x[0] = 10 ** 10 ** 10 ** 10\n")},
      {"a shift by 10 to the 18", kernel("    x[0] = 1 << 10 ** 18\n")},
      {"a table of 200,000 numbers", kernel("    x[0] = T[0]\n", "T = [" + repeated(200'000, "1.5, ") + "]\n")},
      {"a constant array of 16,000 numbers",
       kernel("    x[0] = T[grid(1)]\n", "T = const.array_like([" + repeated(16'000, "1, ") + "])\n")},
      {"shared memory of 8 GB", kernel("    t = shared.array(2000000000, f32)\n    t[0] = 1\n")},
      {"a text of 900 KB", kernel("    print('" + std::string(900'000, 'a') + "')\n")},
      {"a name of 900 KB", kernel("    " + std::string(900'000, 'a') + " = 1\n")},
      {"2 MB of nothing", std::string(2 << 20, '\n')},
      {"400 sums of 200,000 numbers",
       kernel("    x[0] = A400[0]\n",
              "import numpy as np\nA0 = np.zeros(200000)\n" +
                  repeated(400, [](int i) { return "A" + number(i + 1) + " = A" + number(i) + " + 1\n"; }))},
      // What is not text.
      {"bytes that are no UTF-8", kernel("    x[0] = b'\xff'[0]\n")},
  };
}

TEST(Trials, AreAnsweredWithin2SecondsAnd500Megabytes) {
  for (const Trial& trial : trials())
    for (const char* target : {"cpu", "sm_90"}) {
      Answer found = answer(trial.source, target);
      // What else runs on the same core takes half of it, which counts as time: then once more.
      for (int again = 0; again < 2 && found.seconds >= 2; ++again) found = answer(trial.source, target);
      std::printf("%-42s %-6s %5.2f s %4.0f MB  %s\n", trial.name, target, found.seconds, found.megabytes,
                  found.told.c_str());
      EXPECT_TRUE(found.is_proper()) << trial.name << ", " << target << ": " << found.told;
      EXPECT_LT(found.seconds, 2) << trial.name << ", " << target;
      EXPECT_LT(found.megabytes, 500) << trial.name << ", " << target;
    }
}

}  // namespace
}  // namespace pykc
