#include "pykc/types.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <numeric>

namespace pykc {

namespace {

std::string dimension_text(const ArrayType& type, std::size_t dimension) {
  if (type.extents[dimension] != ArrayType::kDynamic) return std::to_string(type.extents[dimension]);
  if (type.layout == Layout::Strided) return "::";
  return type.layout == Layout::ColumnMajor && dimension == 0 ? "::1" : ":";
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// Not by -1.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/// In a kernel the same wraps: its arrays would be larger than the memory that it gets for them.
std::optional<std::int64_t> combine(LaunchExpression::Op op, std::int64_t left, std::int64_t right) {
  using Op = LaunchExpression::Op;
  std::int64_t result = 0;
  switch (op) {
    case Op::Add:
      return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case Op::Subtract:
      return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case Op::Multiply:
      return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case Op::FloorDivide:
      return right == -1 ? combine(Op::Subtract, 0, left) : floor_divide(left, right);
    case Op::Modulo:
      return floor_modulo(left, right);
    case Op::Minimum:
      return std::min(left, right);
    case Op::Maximum:
      return std::max(left, right);
    default:
      return 0;
  }
}

}  // namespace

std::optional<ScalarType> find_scalar_type(std::string_view name, bool or_numpy) {
  for (int i = 0; i < kScalarTypeCount; ++i)
    if (const auto type = static_cast<ScalarType>(i);
        name == info(type).spelling || (or_numpy && name == info(type).numpy))
      return type;
  return std::nullopt;
}

RecordRef::RecordRef(RecordType type) : type_(std::make_shared<const RecordType>(std::move(type))) {}

bool operator==(const RecordRef& a, const RecordRef& b) {
  return a.type_ == b.type_ || (a.type_ != nullptr && b.type_ != nullptr && *a.type_ == *b.type_);
}

std::int64_t size_in_bytes(const ElementType& type) {
  return type.is_record() ? type.record->bytes : size_in_bytes(type.scalar);
}

int alignment_of(const ElementType& type) {
  return type.is_record() ? type.record->alignment : std::max(size_in_bytes(type.scalar), 1);
}

std::string to_string(const ElementType& type) {
  return type.is_record() ? type.record->name : std::string(to_string(type.scalar));
}

std::string layout_text(const ElementType& type) {
  if (!type.is_record()) return to_string(type);
  std::string text = type.record->name + "{";
  for (const RecordField& field : type.record->fields) {
    if (text.back() != '{') text += ", ";
    text += field.name + ": " + layout_text(field.type);
    for (const std::int64_t extent : field.extents) text += "[" + std::to_string(extent) + "]";
    text += " @ " + std::to_string(field.offset);
  }
  return text + "}";
}

std::int64_t RecordField::count() const { return product(extents); }
std::int64_t ArrayType::count() const { return product(extents); }

const RecordField* RecordType::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &RecordField::name);
  return found == fields.end() ? nullptr : &*found;
}

bool have_same_layout(const RecordRef& a, const RecordRef& b) {
  if (a == b) return true;
  if (!a || !b || a->bytes != b->bytes) return false;
  return std::ranges::equal(a->fields, b->fields, [](const RecordField& x, const RecordField& y) {
    const bool same_type = x.type.is_record() ? have_same_layout(x.type.record, y.type.record) : x.type == y.type;
    return same_type && x.name == y.name && x.offset == y.offset && x.extents == y.extents;
  });
}

RecordRef lay_out(RecordType type, int least_alignment) {
  type.bytes = 0;
  type.alignment = least_alignment;
  for (RecordField& field : type.fields) {
    const int alignment = alignment_of(field.type);
    field.offset = round_up(type.bytes, alignment);
    type.bytes = field.offset + field.count() * size_in_bytes(field.type);
    type.alignment = std::max(type.alignment, alignment);
  }
  type.bytes = round_up(type.bytes, type.alignment);
  return RecordRef(std::move(type));
}

namespace {

RecordRef make_complex_type(ScalarType part) {
  const std::string name = part == ScalarType::F32 ? "c64" : "c128";
  return lay_out({name, RecordType::Kind::Complex, {{"real", part, {}}, {"imag", part, {}}}}, 2 * size_in_bytes(part));
}

RecordRef make_vector_type(ScalarType element, int count) {
  constexpr int kWidestAccess = 16;
  constexpr std::string_view kFields[] = {"x", "y", "z", "w"};
  RecordType type{std::string(to_string(element)) + "x" + std::to_string(count), RecordType::Kind::Vector};
  for (int i = 0; i < count; ++i) type.fields.push_back({std::string(kFields[i]), element, {}});
  const int bytes = count * size_in_bytes(element);
  return lay_out(std::move(type), count == 3 ? 1 : std::min(bytes, kWidestAccess));
}

}  // namespace

RecordRef complex_type(ScalarType part) {
  static const RecordRef single = make_complex_type(ScalarType::F32), wide = make_complex_type(ScalarType::F64);
  return part == ScalarType::F32 ? single : wide;
}

// There is one handle for each: launches pass them, and compare them with those that a kernel was compiled for.
RecordRef vector_type(ScalarType element, int count) {
  constexpr int kFewest = 1, kMost = 4;
  using Types = std::array<std::array<RecordRef, kMost - kFewest + 1>, kScalarTypeCount>;
  static const Types types = [] {
    Types made;
    for (int type = 0; type < kScalarTypeCount; ++type)
      for (int n = kFewest; n <= kMost; ++n)
        made[static_cast<std::size_t>(type)][static_cast<std::size_t>(n - kFewest)] =
            make_vector_type(static_cast<ScalarType>(type), n);
    return made;
  }();
  if (!is_valid(element) || count < kFewest || count > kMost) return {};
  return types[static_cast<std::size_t>(element)][static_cast<std::size_t>(count - kFewest)];
}

RecordRef text_type(ScalarType character, std::int64_t width) {
  const std::string name = (character == ScalarType::U8 ? "S" : "U") + std::to_string(width);
  return lay_out({name, RecordType::Kind::Text, {{"characters", character, {width}}}});
}

RecordRef find_text_type(std::string_view name) {
  constexpr std::size_t kMostDigits = 6;
  if (name.size() < 2 || name.size() > 1 + kMostDigits || (name[0] != 'S' && name[0] != 'U') || name[1] == '0')
    return {};
  std::int64_t width = 0;
  for (const char digit : name.substr(1)) {
    if (digit < '0' || digit > '9') return {};
    width = width * 10 + (digit - '0');
  }
  return text_type(name[0] == 'S' ? ScalarType::U8 : ScalarType::U32, width);
}

bool is_text(const ElementType& type) { return type.is_record() && type.record->kind == RecordType::Kind::Text; }

ScalarType character_of(const RecordRef& text) { return text->fields.front().type.scalar; }

std::int64_t width_of(const RecordRef& text) { return text->fields.front().extents.front(); }

std::string to_string(const ArrayType& type) {
  std::string text(to_string(type.element));
  if (type.extents.empty()) return text + "[()]";
  for (std::size_t i = 0; i < type.extents.size(); ++i) text += (i == 0 ? "[" : ", ") + dimension_text(type, i);
  return text + "]";
}

std::optional<std::int64_t> LaunchExpression::evaluate(Dim3 grid, Dim3 block) const {
  if (terms.empty()) return 0;
  // On this function's own stack, unless an expression is deeper than any that is written by hand: launches come here.
  std::array<std::byte, 512> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<std::int64_t> stack(&memory);
  stack.reserve(room.size() / sizeof(std::int64_t) / 2);
  const auto pop = [&] {
    if (stack.empty()) return std::int64_t{0};
    const std::int64_t top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Term& term : terms) {
    switch (term.op) {
      case Op::Constant:
        stack.push_back(term.constant);
        break;
      case Op::BlockDimX:
        stack.push_back(block.x);
        break;
      case Op::BlockDimY:
        stack.push_back(block.y);
        break;
      case Op::BlockDimZ:
        stack.push_back(block.z);
        break;
      case Op::GridDimX:
        stack.push_back(grid.x);
        break;
      case Op::GridDimY:
        stack.push_back(grid.y);
        break;
      case Op::GridDimZ:
        stack.push_back(grid.z);
        break;
      default: {
        const std::int64_t right = pop(), left = pop();
        const std::optional<std::int64_t> result = combine(term.op, left, right);
        if (!result) return std::nullopt;
        stack.push_back(*result);
      }
    }
  }
  return pop();
}

}  // namespace pykc
