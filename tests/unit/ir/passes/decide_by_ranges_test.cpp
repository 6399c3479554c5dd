// What a comparison's ranges decide must hold for every value: held against evaluate() at the edges of each type.
#include <gtest/gtest.h>

#include "ir/analysis/value_range.h"
#include "ir/evaluate/evaluate.h"
#include "ir/text/parser.h"

namespace pykc::ir {
namespace {

constexpr ScalarType kIntegers[] = {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64,
                                    ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64};

constexpr std::uint64_t kEdges[] = {0,
                                    1,
                                    2,
                                    0x7e,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fff'ffff,
                                    0x8000'0000,
                                    0xffff'ffff,
                                    0x1'0000'0000,
                                    0x7fff'ffff'ffff'fffe,
                                    0x7fff'ffff'ffff'ffff,
                                    0x8000'0000'0000'0000,
                                    0x8000'0000'0000'0001,
                                    0xffff'ffff'8000'0000,
                                    0xffff'ffff'ffff'fffe,
                                    0xffff'ffff'ffff'ffff};

constexpr const char* kComparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};

std::string constant(ScalarType type, std::uint64_t bits) {
  const std::int64_t number = integer_from_bits(type, bits);
  const std::string digits =
      type == ScalarType::U64 ? std::to_string(static_cast<std::uint64_t>(number)) : std::to_string(number);
  return std::string(to_string(type)) + " " + digits;
}

/// A comparison of a parameter, cast to another type, with a constant.
struct Comparison {
  ScalarType source, type;
  const char* name;
  std::uint64_t bits;  // of the constant
  bool is_constant_left;

  std::string text() const {
    const std::string number = constant(type, bits);
    return std::string(name) + " " + (is_constant_left ? number + ", %0" : "%0, " + number);
  }

  bool holds_for(Opcode opcode, std::uint64_t value) const {
    const Scalar given = {source, wrap_into(source, value)};
    const Scalar cast = {type, *evaluate(Opcode::Cast, type, std::span(&given, 1))};
    const Scalar number = {type, bits};
    const Scalar operands[] = {is_constant_left ? number : cast, is_constant_left ? cast : number};
    return *evaluate(opcode, ScalarType::Bool, operands) != 0;
  }
};

std::vector<Comparison> all_comparisons(ScalarType source, ScalarType type) {
  std::vector<Comparison> comparisons;
  for (const char* name : kComparisons)
    for (const std::uint64_t edge : kEdges)
      for (const bool is_constant_left : {false, true})
        comparisons.push_back({source, type, name, wrap_into(type, edge), is_constant_left});
  return comparisons;
}

std::string kernel_of(const std::vector<Comparison>& comparisons) {
  const Comparison& first = comparisons.front();
  std::string text = "kernel @k(%v: " + std::string(to_string(first.source)) +
                     ") {\n  %0 = cast %v : " + std::string(to_string(first.type)) + "\n";
  int number = 0;
  for (const Comparison& comparison : comparisons)
    text += "  %" + std::to_string(++number) + " = " + comparison.text() + "\n";
  return text + "}\n";
}

void check(const Comparison& comparison, const Instruction* instruction, const Function& function) {
  bool always = true, never = true;
  for (const std::uint64_t value : kEdges) {
    const bool holds = comparison.holds_for(instruction->opcode, value);
    always &= holds;
    never &= !holds;
  }
  const std::optional<bool> decided = decide_by_ranges(instruction, function);
  EXPECT_TRUE(!decided || (*decided ? always : never)) << to_string(comparison.source) << ": " << comparison.text();
  const bool is_full = comparison.source == comparison.type;  // the edges of its range are among the values
  EXPECT_TRUE(!is_full || decided.has_value() == (always || never)) << comparison.text();
}

TEST(DecideByRanges, HoldsForEveryValue) {
  for (const ScalarType source : kIntegers)
    for (const ScalarType type : kIntegers) {
      const std::vector<Comparison> comparisons = all_comparisons(source, type);
      std::vector<std::string> errors;
      const std::unique_ptr<Module> module = parse_module(kernel_of(comparisons), errors);
      ASSERT_TRUE(module) << errors.front();
      const Function& function = *module->find("k");
      auto comparison = comparisons.begin();
      for (const Instruction* instruction : function.body.instructions)
        if (is_comparison(instruction->opcode)) check(*comparison++, instruction, function);
      EXPECT_EQ(comparison, comparisons.end());
    }
}

}  // namespace
}  // namespace pykc::ir
