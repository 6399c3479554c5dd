#include "ir/analysis/control_flow.h"

#include <gtest/gtest.h>

#include "ir/text/parser.h"

namespace pykc::ir {
namespace {

bool falls_through(const std::string& body) {
  std::vector<std::string> errors;
  const auto module = parse_module("kernel @k(%c: bool) {\n" + body + "}\n", errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  return module != nullptr && can_fall_through(module->functions.front()->body);
}

TEST(CanFallThrough, Terminators) {
  EXPECT_TRUE(falls_through(""));
  EXPECT_FALSE(falls_through("return\n"));
  EXPECT_FALSE(falls_through("fault 0\n"));
}

TEST(CanFallThrough, Branches) {
  EXPECT_TRUE(falls_through("if %c {\n return\n}\n"));
  EXPECT_FALSE(falls_through("if %c {\n return\n} else {\n return\n}\n"));
}

TEST(CanFallThrough, LoopsEndOnlyByBreak) {
  EXPECT_FALSE(falls_through("loop L0 {\n}\n"));
  EXPECT_TRUE(falls_through("loop L0 {\n if %c {\n break L0\n }\n}\n"));
  EXPECT_FALSE(falls_through("loop L0 {\n scope L1 {\n break L1\n }\n}\n"));
}

TEST(CanFallThrough, Scopes) {
  EXPECT_FALSE(falls_through("scope L0 {\n return\n}\n"));
  EXPECT_TRUE(falls_through("scope L0 {\n if %c {\n break L0\n }\n return\n}\n"));
}

}  // namespace
}  // namespace pykc::ir
