#include "tests/unit/ir/split/split_test.h"

#include <map>
#include <regex>

#include "ir/passes/passes.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"

namespace pykc::ir {
namespace {

void expect_sound(const Module& module) {
  for (const std::string& error : verify(module)) ADD_FAILURE() << error << '\n' << print_module(module);
}

/// The text form numbers its values; kernels of tests name them. A name that a line defines becomes a number.
std::string with_numbers(const std::string& text) {
  std::map<std::string, std::string> numbers;
  const std::regex definition(R"(%([a-z]\w*) =)"), use(R"(%([a-z]\w*))");
  for (std::sregex_iterator i(text.begin(), text.end(), definition), end; i != end; ++i)
    numbers.emplace((*i)[1], std::to_string(numbers.size()));
  std::string out;
  auto rest = text.begin();
  for (std::sregex_iterator i(text.begin(), text.end(), use), end; i != end; ++i) {
    const auto number = numbers.find((*i)[1]);
    out.append(rest, (*i)[0].first);
    out += number == numbers.end() ? i->str() : '%' + number->second;
    rest = (*i)[0].second;
  }
  return out.append(rest, text.end());
}

}  // namespace

std::unique_ptr<Module> read(const std::string& text) {
  std::vector<std::string> errors;
  std::unique_ptr<Module> module = parse_module(with_numbers(text), errors);
  EXPECT_TRUE(errors.empty()) << errors.front() << '\n' << text;
  expect_sound(*module);
  return module;
}

void split(Module& module) {
  inline_calls(module);
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i]->is_kernel) split_at_barriers(*module.functions[i], module);
  expect_sound(module);
}

RunResult run(const Module& module, reference::Launch launch, std::int64_t n) {
  launch.step_limit = 20'000'000;
  const Dim3 grid = launch.grid, block = launch.block;
  const auto threads = static_cast<std::size_t>(grid.x * grid.y * grid.z * block.x * block.y * block.z);
  std::vector<std::int64_t> in(threads + 2048);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int64_t>(5 + 3 * i);
  RunResult result;
  result.out.assign(threads, -1);
  result.outcome = reference::run(
      module, *module.find("k"), launch,
      {reference::bits_of(result.out.data()), reference::bits_of(in.data()), reference::bits_of<std::int64_t>(n)});
  return result;
}

std::string kernel_text(const std::string& body) {
  return "kernel @k(%out: ptr<i64, global>, %in: ptr<i64, global>, %n: i64) {\n" + body + "}\n";
}

std::vector<std::int64_t> expect_same(const std::string& text, const reference::Launch& launch, std::int64_t n) {
  const std::unique_ptr<Module> module = read(text);
  const RunResult before = run(*module, launch, n);
  EXPECT_TRUE(before.outcome.is_clean()) << before.outcome.error;
  split(*module);
  const RunResult after = run(*module, launch, n);
  EXPECT_TRUE(after.outcome.is_clean()) << after.outcome.error << (after.outcome.fault ? " fault" : "");
  EXPECT_EQ(before.out, after.out) << text << print_function(*module->find("k"));
  EXPECT_EQ(before.outcome.printed, after.outcome.printed);
  return after.out;
}

std::string split_text(const std::string& text) {
  const std::unique_ptr<Module> module = read(text);
  split(*module);
  return print_function(*module->find("k"));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace pykc::ir
