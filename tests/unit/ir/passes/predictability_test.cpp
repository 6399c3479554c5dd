#include "ir/instrument/predictability.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/text/parser.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

/// Of each store of the kernel, in order: "p" where its address and whether it is reached depend on the launch alone,
/// "a" where only the address does, "r" where only that it is reached does, else "-".
std::string stores_of(const std::string& text) {
  std::vector<std::string> errors;
  const auto module = parse_module(text, errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  const Predictability predictability(*module);
  std::string found;
  for_each_instruction(module->find("k")->body, [&](const Instruction* instruction) {
    if (instruction->opcode != Opcode::Store) return;
    const bool address = predictability.has_value(instruction->operands[0]),
               reached = predictability.is_reached(instruction);
    found += address && reached ? "p" : address ? "a" : reached ? "r" : "-";
  });
  return found;
}

std::string kernel(const std::string& body) {
  return "kernel @k(%x: ptr<i64, global>, %n: i64, %f: f32) {\n  local $i: i64\n  %0 = builtin threadIdx.x : i64\n" +
         body + "  return\n}\n";
}

TEST(Predictability, IndicesOfTheThreadAndOfLoopsAreTheLaunchs) {
  EXPECT_EQ(stores_of(kernel("  store_local $i, i64 0\n  loop L0 {\n    %1 = load_local $i : i64\n    %2 = lt %1, %n\n"
                             "    %3 = not %2\n    if %3 {\n      break L0\n    }\n    %4 = add %1, %0\n"
                             "    %5 = element %x, %4\n    store %5, %1\n    %6 = add %1, i64 1\n"
                             "    store_local $i, %6\n  }\n")),
            "p");
}

TEST(Predictability, WhatIsLoadedIsNot) {
  EXPECT_EQ(stores_of(kernel("  %7 = element %x, %0\n  %8 = load %7 : i64\n  %5 = element %x, %8\n  store %5, %0\n"
                             "  store %7, %8\n")),
            "rp");
}

TEST(Predictability, NorIsWhatABranchOnDataReaches) {
  EXPECT_EQ(stores_of(kernel("  %7 = element %x, %0\n  %8 = load %7 : i64\n  %2 = lt %8, %n\n  if %2 {\n"
                             "    store %7, %0\n    store_local $i, i64 1\n  } else {\n    store_local $i, i64 2\n  }\n"
                             "  %1 = load_local $i : i64\n  %5 = element %x, %1\n  store %5, %0\n")),
            "ar");
}

TEST(Predictability, WhatFollowsAReturnOnDataIsNotReachedForCertain) {
  EXPECT_EQ(stores_of(kernel("  %7 = element %x, %0\n  %8 = load %7 : i64\n  %2 = lt %8, %n\n  if %2 {\n    return\n"
                             "  }\n  store %7, %0\n")),
            "a");
}

TEST(Predictability, WhatFollowsALoopThatDataEndIsReached) {
  EXPECT_EQ(stores_of(kernel("  %7 = element %x, %0\n  loop L0 {\n    %8 = load %7 : i64\n    %2 = lt %8, %n\n"
                             "    if %2 {\n      break L0\n    }\n    store %7, %0\n  }\n  store %7, %0\n")),
            "ap");
}

TEST(Predictability, AFloatAmongTheArgumentsCountsAsData) {
  EXPECT_EQ(stores_of(kernel("  %7 = element %x, %0\n  %2 = lt %f, f32 0\n  if %2 {\n    store %7, %0\n  }\n")), "a");
}

TEST(Predictability, FunctionsAreFollowed) {
  EXPECT_EQ(stores_of("device @next(%m: i64) -> i64 {\n  %9 = add %m, i64 1\n  return %9\n}\n"
                      "device @picked(%x: ptr<i64, global>, %m: i64) -> i64 {\n  %5 = element %x, %m\n"
                      "  %8 = load %5 : i64\n  return %8\n}\n" +
                      kernel("  %4 = call @next %0\n  %9 = extract 0 %4 : i64\n  %5 = element %x, %9\n"
                             "  store %5, %0\n  %2 = call @picked %x, %0\n  %10 = extract 0 %2 : i64\n"
                             "  %7 = element %x, %10\n  store %7, %0\n")),
            "pr");
}

/// Of each store of the kernel, in order, whether the source says what is stored.
std::vector<bool> known_from_source(const std::string& text) {
  std::vector<std::string> errors;
  const auto module = parse_module(text, errors);
  EXPECT_TRUE(errors.empty()) << errors.front();
  const Predictability predictability(*module, Predictability::By::Source);
  std::vector<bool> found;
  for_each_instruction(module->find("k")->body, [&](const Instruction* instruction) {
    if (instruction->opcode == Opcode::Store) found.push_back(predictability.has_value(instruction->operands[1]));
  });
  return found;
}

TEST(Predictability, TheSourceKnowsNothingOfALaunch) {
  const std::string stores =
      "  %7 = element %x, i64 0\n  store %7, %n\n  store %7, %0\n  %1 = mul i64 2, i64 3\n"
      "  store %7, %1\n  %2 = add %1, %n\n  store %7, %2\n";
  EXPECT_EQ(known_from_source(kernel(stores)), (std::vector<bool>{false, false, true, false}));
}

TEST(Predictability, TheSourceKnowsWhatALoopOfItsOwnCounts) {
  const auto loop = [](const std::string& bound) {
    return kernel("  store_local $i, i64 1\n  loop L0 {\n    %1 = load_local $i : i64\n    %2 = lt %1, " + bound +
                  "\n    %3 = not %2\n    if %3 {\n      break L0\n    }\n    %5 = element %x, i64 0\n"
                  "    store %5, %1\n    %6 = mul %1, i64 2\n    store_local $i, %6\n  }\n");
  };
  EXPECT_EQ(known_from_source(loop("i64 256")), std::vector<bool>{true});
  EXPECT_EQ(known_from_source(loop("%n")), std::vector<bool>{false});
}

}  // namespace
}  // namespace pykc::ir
