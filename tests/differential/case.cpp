#include "tests/differential/case.h"

#include <cstring>
#include <random>
#include <sstream>

#include "base/text.h"

namespace pykc::differential {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for_each_part(text, separator, [&](std::string_view part) { parts.push_back(trim(part)); });
  return parts;
}

std::vector<std::int64_t> read_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, ','))
    if (!part.empty()) numbers.push_back(std::atoll(std::string(part).c_str()));
  return numbers;
}

/// The value of `key=` in a launch: a number, or numbers in brackets.
std::vector<std::int64_t> read_key(std::string_view launch, std::string_view key) {
  const std::size_t at = launch.find(std::string(key) + "=");
  if (at == std::string_view::npos) return {};
  std::string_view rest = launch.substr(at + key.size() + 1);
  if (rest.starts_with('(')) return read_numbers(rest.substr(1, rest.find(')') - 1));
  return read_numbers(rest.substr(0, rest.find(' ')));
}

Dim3 to_dim3(const std::vector<std::int64_t>& numbers) {
  Dim3 dim;
  if (!numbers.empty()) dim.x = numbers[0];
  if (numbers.size() > 1) dim.y = numbers[1];
  if (numbers.size() > 2) dim.z = numbers[2];
  return dim;
}

bool read_argument(std::string_view text, CaseArgument& argument) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) {
    argument.number = std::atof(std::string(text).c_str());
    return true;
  }
  argument.is_array = true;
  const std::string_view fill = text.substr(0, text.find(' '));
  if (fill == "random")
    argument.fill = Fill::Random;
  else if (fill == "iota")
    argument.fill = Fill::Iota;
  else if (fill != "zeros")
    return false;
  const std::string_view type = trim(text.substr(fill.size(), bracket - fill.size()));
  const std::optional<ScalarType> element = find_scalar_type(type);
  if (!element) return false;
  argument.element = *element;
  argument.shape = read_numbers(text.substr(bracket + 1, text.find(']') - bracket - 1));
  return true;
}

template <typename T>
void fill_values(std::vector<unsigned char>& bytes, const CaseArgument& argument, std::size_t number) {
  std::mt19937_64 engine(number + 1);
  for (std::int64_t i = 0; i < argument.size(); ++i) {
    T value{};
    if (argument.fill == Fill::Iota)
      value = static_cast<T>(i);
    else if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(static_cast<double>(engine() >> 11) * 0x1p-53 * 4 - 2);
    else
      value = static_cast<T>(engine());
    std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

}  // namespace

std::int64_t CaseArgument::size() const {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

std::vector<Case> read_cases(std::string_view source, std::vector<std::string>& errors) {
  std::vector<Case> cases, pending;
  for (std::string_view line : split(source, '\n')) {
    const bool math = line.starts_with("# math: ");
    if (math || line.starts_with("# run: ")) {
      const std::vector<std::string_view> parts = split(line.substr(line.find(':') + 1), '|');
      Case launch{.kernel = {},
                  .uses_math = math,
                  .grid = to_dim3(read_key(parts[0], "grid")),
                  .block = to_dim3(read_key(parts[0], "block")),
                  .shared_bytes = 0,
                  .arguments = {}};
      if (const auto shared = read_key(parts[0], "shared"); !shared.empty()) launch.shared_bytes = shared[0];
      for (std::size_t i = 1; i < parts.size(); ++i) {
        launch.arguments.emplace_back();
        if (!read_argument(parts[i], launch.arguments.back()))
          errors.push_back("not an argument: " + std::string(parts[i]));
      }
      pending.push_back(std::move(launch));
    } else if (line.starts_with("def ") && !pending.empty()) {
      for (Case& launch : pending) {
        launch.kernel = std::string(line.substr(4, line.find('(') - 4));
        cases.push_back(std::move(launch));
      }
      pending.clear();
    }
  }
  return cases;
}

std::vector<unsigned char> initial_bytes(const CaseArgument& argument, std::size_t number) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(argument.size() * size_in_bytes(argument.element)));
  if (argument.fill == Fill::Zeros) return bytes;
  switch (argument.element) {
    case ScalarType::Bool:
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>((number += 7) & 1);
      break;
    case ScalarType::I8:
    case ScalarType::U8:
      fill_values<std::uint8_t>(bytes, argument, number);
      break;
    case ScalarType::I16:
    case ScalarType::U16:
    case ScalarType::F16:
    case ScalarType::BF16:
      fill_values<std::uint16_t>(bytes, argument, number);
      break;
    case ScalarType::I32:
    case ScalarType::U32:
      fill_values<std::uint32_t>(bytes, argument, number);
      break;
    case ScalarType::I64:
    case ScalarType::U64:
      fill_values<std::uint64_t>(bytes, argument, number);
      break;
    case ScalarType::F32:
      fill_values<float>(bytes, argument, number);
      break;
    case ScalarType::F64:
      fill_values<double>(bytes, argument, number);
      break;
  }
  return bytes;
}

}  // namespace pykc::differential
