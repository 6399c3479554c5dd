// Types of variables: the join of all that is assigned to them, worked out over the whole body.
#include <gtest/gtest.h>

#include "checked_text.h"

namespace pykc {
namespace {

/// The type of the variable `v`, as the first line that assigns it shows.
std::string type_of_v(const std::string& statements) {
  const std::string tree = tree_of(in_kernel(statements + "\nprint(v)"));
  const std::size_t at = tree.find(" v: ");
  if (at == std::string::npos) return tree;
  return tree.substr(at + 4, tree.find(" =", at) - at - 4);
}

struct Body {
  const char *statements, *type;
};

constexpr Body kBodies[] = {
    {"v = 0", "i64"},
    {"v = 0.0", "f64"},
    {"v = True", "bool"},
    {"v = image[i]", "u8"},
    {"v = 0.0\nv += x[i]", "f32"},
    {"v = 0.0\nfor j in range(n):\n    v += x[j]", "f32"},
    {"v = 0.0\nfor j in range(n):\n    v = v * x[j] + 1", "f32"},
    {"v = 0.0\nv += n", "f64"},
    {"v = 0.0\nv += h[i]", "f16"},
    {"v = 0\nv += image[i]", "i64"},
    {"v = 0\nv += 0.5", "f64"},
    {"v = image[i]\nv += 1", "i32"},
    {"v = 1\nv = x[i]", "f32"},
    {"v = x[i]\nv = d[i]", "f64"},
    {"v = count[i]\nif flag:\n    v = n", "i64"},
    {"v: f32 = 0\nv = d[i]", "f32"},
    {"v: u8 = 0\nv += 1", "u8"},
    {"v = 0.0\nw = v\nw += 1.0\nv += x[i]", "f32"},
    {"w = 0.5\nv = x[i] * w", "f64"},
    {"v = 0.0\nw = 0.0\nwhile flag:\n    v = w\n    w = u\n    u = x[i]", "f32"},
    {"v = (0.0, 1)\nv = (x[i], 2)", "tuple[f32, i64]"},
    {"v, w = 0.0, 1\nv += x[i]", "f32"},
    {"v = w = 0.0\nv += x[i]", "f32"},
    {"v = 0.0 if flag else 1.0", "f64"},
    {"v = -1.0 if flag else x[i]", "f32"},
    {"v = min(0.5, x[i])", "f32"},
    {"v = 0.5\nfor v in range(3):\n    pass", "f64"},
    {"v = n\nfor v in range(3):\n    v = 0.5", "f64"},
};

TEST(Inference, OfVariables) {
  for (const Body& row : kBodies) EXPECT_EQ(type_of_v(row.statements), row.type) << row.statements;
}

TEST(Inference, AssignmentsConvert) {
  EXPECT_NE(tree_of(in_kernel("v = 0\nv += x[i]\ny[i] = v")).find("v: f32 = 0<f32>"), std::string::npos);
  EXPECT_NE(tree_of(in_kernel("v: i32 = n")).find("v: i32 = cast<i32>(n)"), std::string::npos);
  EXPECT_NE(tree_of(in_kernel("x[i] = n")).find("x[i] = cast<f32>(n)"), std::string::npos);
  EXPECT_NE(tree_of(in_kernel("x[i] = 2")).find("x[i] = 2<f32>"), std::string::npos);
}

TEST(Inference, AParameterThatIsWidenedGoesOnInAVariable) {
  const std::string tree = tree_of(
      "@device\n"
      "def f(v):\n"
      "    v = v / 2\n"
      "    return v\n"
      "@kernel\n"
      "def k(x: f64[:], n: i64):\n"
      "    x[0] = f(n)\n");
  EXPECT_NE(tree.find("function f__i64(v: i64) -> f64\n  v: f64 = cast<f64>(v)\n"), std::string::npos) << tree;
}

TEST(Inference, WeakFloatsOfIntegersAreMadeInTheTypeThatDecides) {
  const std::string tree = tree_of(in_kernel("y[i] = x[i] * (n * 0.5)"));
  EXPECT_NE(tree.find("mul<f32>(x[i], mul<f32>(cast<f32>(n), 0.5<f32>))"), std::string::npos) << tree;
}

TEST(Inference, ALongReverseChainIsNoProblem) {
  std::string statements = "while flag:\n";
  for (int j = 0; j < 2000; ++j) statements += "    v" + std::to_string(j) + " = v" + std::to_string(j + 1) + "\n";
  statements += "    v2000 = x[i]\ny[i] = v0";
  EXPECT_NE(tree_of(in_kernel(statements)).find("v0: f32 = v1\n"), std::string::npos);
}

}  // namespace
}  // namespace pykc
