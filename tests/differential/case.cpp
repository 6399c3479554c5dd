#include "tests/differential/case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "base/float_bits.h"
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

std::optional<Fill> find_fill(std::string_view word) {
  constexpr std::pair<std::string_view, Fill> kFills[] = {
      {"zeros", Fill::Zeros}, {"random", Fill::Random}, {"iota", Fill::Iota}, {"edges", Fill::Edges}};
  for (const auto& [name, fill] : kFills)
    if (name == word) return fill;
  return std::nullopt;
}

/// A scalar, a complex number or a vector: "f32", "c64", "i16x3".
std::optional<ElementType> find_element_type(std::string_view name) {
  if (const std::optional<ScalarType> scalar = find_scalar_type(name)) return *scalar;
  if (name == "c64") return complex_type(ScalarType::F32);
  if (name == "c128") return complex_type(ScalarType::F64);
  const std::size_t cross = name.size() - std::min<std::size_t>(2, name.size());
  const std::optional<ScalarType> component = find_scalar_type(name.substr(0, cross));
  if (component && name[cross] == 'x') return vector_type(*component, name[cross + 1] - '0');
  return std::nullopt;
}

bool read_array(std::string_view text, std::size_t bracket, CaseArgument& argument) {
  argument.is_array = true;
  const std::size_t end = text.find(']');
  argument.shape = read_numbers(text.substr(bracket + 1, end - bracket - 1));
  const std::vector<std::string_view> head = split(trim(text.substr(0, bracket)), ' ');
  const std::vector<std::string_view> tail = split(trim(text.substr(end + 1)), ' ');
  if (head.size() == 3 && head[0] == "same") {
    argument.same_as = static_cast<std::size_t>(std::atoll(std::string(head[1]).c_str()));
  } else if (const std::optional<Fill> fill = find_fill(head[0]); fill && head.size() == 2) {
    argument.fill = *fill;
  } else {
    return false;
  }
  if (const std::optional<ElementType> element = find_element_type(head.back()))
    argument.element = *element;
  else
    argument.record = std::string(head.back());
  if (tail[0] == "columns") argument.layout = Layout::ColumnMajor;
  if (tail[0] == "spread") argument.layout = Layout::Strided;
  if (tail[0] == "from" && tail.size() == 2) argument.from = std::atoll(std::string(tail[1]).c_str());
  return true;
}

bool read_argument(std::string_view text, CaseArgument& argument) {
  const std::size_t bracket = text.find('[');
  if (bracket != std::string_view::npos) return read_array(text, bracket, argument);
  const std::string number(text);
  argument.number = std::atof(number.c_str());
  argument.integer = static_cast<std::int64_t>(number.starts_with('-') ? std::strtoll(number.c_str(), nullptr, 10)
                                                                       : std::strtoull(number.c_str(), nullptr, 10));
  return true;
}

/// Values where something ends: the type, exactness, being a number.
constexpr double kEdges[] = {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.5,
                             1.5,
                             2.5,
                             65504.0,
                             65520.0,
                             16777216.0,
                             16777217.0,
                             3.4028234e38,
                             3.5e38,
                             1e-40,
                             -1e-45,
                             1e-310,
                             2147483647.0,
                             2147483648.0,
                             -2147483648.0,
                             4294967295.0,
                             1e300,
                             -5e-324,
                             255.0,
                             9.2233720368547758e18,
                             1.8446744073709552e19,
                             -9.3e18,
                             0.1,
                             -100.75};

std::uint64_t random_bits(ScalarType type, std::mt19937_64& engine) {
  const std::uint64_t bits = engine();
  if (type == ScalarType::Bool) return bits >> 7 & 1;
  if (type != ScalarType::F32 && type != ScalarType::F64) return bits;
  return float_to_bits(type, static_cast<double>(bits >> 11) * 0x1p-53 * 4 - 2);
}

std::uint64_t edge_bits(ScalarType type, std::mt19937_64& engine) {
  const std::uint64_t choice = engine();
  if (choice % 3 == 0 || type == ScalarType::Bool) return random_bits(type, engine);
  if (is_float(type)) {
    constexpr double kNoNumbers[] = {INFINITY, -INFINITY, NAN};
    const std::uint64_t index = choice / 3 % (std::size(kEdges) + std::size(kNoNumbers));
    return float_to_bits(type, index < std::size(kEdges) ? kEdges[index] : kNoNumbers[index - std::size(kEdges)]);
  }
  const std::uint64_t half = std::uint64_t{1} << (size_in_bits(type) - 1);
  const std::uint64_t edges[] = {0, 1, ~std::uint64_t{0}, half, half - 1, half + 1, 2, half / 2, 31, 64};
  return edges[choice / 3 % std::size(edges)];
}

std::uint64_t value_bits(const CaseArgument& argument, ScalarType type, std::int64_t index, std::mt19937_64& engine) {
  switch (argument.fill) {
    case Fill::Iota:
      return is_float(type) ? float_to_bits(type, static_cast<double>(index)) : static_cast<std::uint64_t>(index);
    case Fill::Random:
      return random_bits(type, engine);
    case Fill::Edges:
      return edge_bits(type, engine);
    case Fill::Zeros:
      break;
  }
  return 0;
}

void add_scalar_fields(const ElementType& type, std::int64_t offset, std::vector<ScalarField>& fields) {
  if (!type.is_record()) {
    fields.push_back({offset, type.scalar});
    return;
  }
  for (const RecordField& field : type.record->fields)
    for (std::int64_t i = 0; i < field.count(); ++i)
      add_scalar_fields(field.type, offset + field.offset + i * size_in_bytes(field.type), fields);
}

}  // namespace

std::vector<std::int64_t> CaseArgument::strides() const {
  std::vector<std::int64_t> strides(shape.size(), layout == Layout::Strided ? 2 : 1);
  const std::size_t rank = shape.size();
  for (std::size_t i = 1; i < rank; ++i) {
    if (layout == Layout::ColumnMajor)
      strides[i] = strides[i - 1] * shape[i - 1];
    else
      strides[rank - 1 - i] = strides[rank - i] * shape[rank - i] + (layout == Layout::Strided ? 1 : 0);
  }
  return strides;
}

std::int64_t CaseArgument::size() const {
  const std::vector<std::int64_t> steps = strides();
  std::int64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return 0;
    last += (shape[i] - 1) * steps[i];
  }
  return last + 1;
}

std::vector<ScalarField> scalar_fields(const ElementType& type) {
  std::vector<ScalarField> fields;
  add_scalar_fields(type, 0, fields);
  return fields;
}

void bind_records(Case& launch, std::span<const ParameterInfo> parameters) {
  for (std::size_t i = 0; i < std::min(launch.arguments.size(), parameters.size()); ++i)
    if (!launch.arguments[i].record.empty()) launch.arguments[i].element = parameters[i].array.element;
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
  const std::int64_t stride = size_in_bytes(argument.element);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(argument.size() * stride));
  const std::vector<ScalarField> fields = scalar_fields(argument.element);
  std::mt19937_64 engine(number + 1);
  for (std::int64_t i = 0; i < argument.size(); ++i) {
    for (const ScalarField& field : fields) {
      const std::uint64_t bits = value_bits(argument, field.type, i, engine);
      std::memcpy(bytes.data() + i * stride + field.offset, &bits, static_cast<std::size_t>(size_in_bytes(field.type)));
    }
  }
  return bytes;
}

}  // namespace pykc::differential
