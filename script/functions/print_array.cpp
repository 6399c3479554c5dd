// Arrays as NumPy prints them: all numbers of one width, rows in brackets, lines of at most 75 columns, and only three
// elements from either end of each axis where there are more than a thousand.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "script/functions/format.h"
#include "script/functions/indexing.h"
#include "script/functions/records.h"

namespace pykc::script {
namespace {

constexpr std::int64_t kThreshold = 1000;
constexpr std::int64_t kEdge = 3;
constexpr std::size_t kLineWidth = 75;
constexpr int kPrecision = 8;

/// The positions of an axis that are shown; -1 stands for "...".
std::vector<std::int64_t> shown_positions(std::int64_t extent, bool summarise) {
  std::vector<std::int64_t> positions;
  const bool cut = summarise && extent > 2 * kEdge;
  for (std::int64_t i = 0; i < (cut ? kEdge : extent); ++i) positions.push_back(i);
  if (!cut) return positions;
  positions.push_back(-1);
  for (std::int64_t i = extent - kEdge; i < extent; ++i) positions.push_back(i);
  return positions;
}

bool needs_exponent(const std::vector<Scalar>& elements) {
  double least = INFINITY, most = 0;
  for (const Scalar& element : elements) {
    const double x = std::fabs(element.as<double>());
    if (!std::isfinite(x) || x == 0) continue;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  return most >= 1e8 || (most > 0 && (least < 0.0001 || most / least > 1000.0));
}

/// At most eight digits behind the point, and no more than tell the number from its neighbours.
std::string positional(const Scalar& element) {
  char buffer[512];
  const auto number = element.as<double>();
  std::snprintf(buffer, sizeof(buffer), "%.*f", kPrecision, number);
  std::string rounded = buffer;
  const std::string exact = float_text(element);
  if (exact.find('e') == std::string::npos && exact.size() < rounded.size()) rounded = exact;
  while (rounded.back() == '0') rounded.pop_back();
  return rounded;
}

std::string scientific(const Scalar& element, int precision) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*e", precision, element.as<double>());
  return buffer;
}

/// The fewest digits behind the point that keep the number, or what it is with eight of them.
int scientific_precision(const Scalar& element) {
  const auto shown = [&](int precision) { return std::strtod(scientific(element, precision).c_str(), nullptr); };
  const double rounded = shown(kPrecision);
  for (int precision = 0; precision < kPrecision; ++precision)
    if (Scalar::of(shown(precision), element.type).bits == element.bits || shown(precision) == rounded)
      return precision;
  return kPrecision;
}

/// Of one width where points and exponents stand below each other; what is not finite is shorter.
std::vector<std::string> float_texts(const std::vector<Scalar>& elements) {
  const bool exponent = needs_exponent(elements);
  int precision = 0;
  if (exponent)
    for (const Scalar& element : elements)
      if (std::isfinite(element.as<double>())) precision = std::max(precision, scientific_precision(element));
  std::vector<std::string> texts;
  std::size_t fraction = 0, exponent_width = 0;
  for (const Scalar& element : elements) {
    const bool finite = std::isfinite(element.as<double>());
    texts.push_back(!finite ? float_text(element) : exponent ? scientific(element, precision) : positional(element));
    if (exponent && finite) {
      if (precision == 0) texts.back().insert(texts.back().find('e'), ".");
      exponent_width = std::max(exponent_width, texts.back().size() - texts.back().find('e'));
    }
    if (finite && !exponent) fraction = std::max(fraction, texts.back().size() - texts.back().find('.') - 1);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {  // points and exponents stand below each other
    if (!std::isfinite(elements[i].as<double>())) continue;
    if (exponent)
      texts[i].insert(texts[i].find('e') + 2, exponent_width - (texts[i].size() - texts[i].find('e')), '0');
    else
      texts[i].append(fraction - (texts[i].size() - texts[i].find('.') - 1), ' ');
  }
  return texts;
}

void align_right(std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
}

/// Each part as the floats of an array, the `j` behind its last digit.
std::vector<std::string> complex_texts(const std::vector<Scalar>& real, const std::vector<Scalar>& imaginary) {
  std::vector<std::string> texts = float_texts(real), behind = float_texts(imaginary);
  for (std::string& text : behind) {
    if (!text.starts_with('-')) text.insert(0, "+");
    text.insert(text.find_last_not_of(' ') + 1, "j");
  }
  align_right(texts);
  align_right(behind);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] += behind[i];
  return texts;
}

/// Numbers, real or complex: reads the elements that are shown, and walks them again in the same order to write them.
class Printer {
 public:
  Printer(const Array& array, const std::byte* first)
      : array_(array), first_(first), summarise_(array.size() > kThreshold) {}

  std::string print() {
    collect(0, 0);
    texts_ = array_.record           ? complex_texts(elements_, imaginary_)
             : is_float(array_.type) ? float_texts(elements_)
                                     : other_texts();
    align_right(texts_);
    return write(0, 1);
  }

 private:
  void collect(std::size_t axis, std::int64_t offset) {
    if (axis == array_.rank()) {
      const std::byte* const element = first_ + offset * array_.unit_bytes();
      const ScalarType type = array_.record ? array_.record->fields[0].type.scalar : array_.type;
      elements_.push_back(Scalar::load(type, element));
      if (array_.record) imaginary_.push_back(Scalar::load(type, element + size_in_bytes(type)));
      return;
    }
    for (const std::int64_t i : shown_positions(array_.shape[axis], summarise_))
      if (i >= 0) collect(axis + 1, offset + i * array_.strides[axis]);
  }

  std::vector<std::string> other_texts() const {
    std::vector<std::string> texts;
    for (const Scalar& element : elements_) {
      texts.push_back(*to_text(Value(element)));
      if (texts.back() == "True") texts.back() = " True";  // as wide as False, even where there is none
    }
    return texts;
  }

  /// The rows below `axis`; `indent` is the column behind the brackets that are open.
  std::string write(std::size_t axis, std::size_t indent) {
    if (axis == array_.rank()) return texts_[next_++];
    if (axis + 1 == array_.rank()) return write_line(axis, indent);
    std::string text = "[";
    const std::string gap = std::string(array_.rank() - axis - 1, '\n') + std::string(indent, ' ');
    bool is_first = true;
    for (const std::int64_t i : shown_positions(array_.shape[axis], summarise_)) {
      if (!is_first) text += gap;
      text += i < 0 ? "..." : write(axis + 1, indent + 1);
      is_first = false;
    }
    return text + "]";
  }

  std::string write_line(std::size_t axis, std::size_t indent) {
    const std::size_t limit = kLineWidth - array_.rank();  // leaves room for the closing brackets
    std::string text = "[", line(indent, ' ');
    bool is_first_line = true;
    const auto flush = [&] {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      text += is_first_line ? line.substr(std::min(indent, line.size())) : "\n" + line;
      is_first_line = false;
      line.assign(indent, ' ');
    };
    for (const std::int64_t i : shown_positions(array_.shape[axis], summarise_)) {
      const std::string word = i < 0 ? "..." : write(axis + 1, indent);
      if (line.size() > indent && line.size() + word.size() > limit) flush();
      line += word + " ";
    }
    line.pop_back();  // the last separator
    text += is_first_line ? line.substr(indent) : "\n" + line;
    return text + "]";
  }

  const Array& array_;
  const std::byte* first_;
  bool summarise_;
  std::vector<Scalar> elements_;   // of complex numbers the real parts
  std::vector<Scalar> imaginary_;  // and the others
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

/// In brackets, all of them on one line.
Outcome<std::string> records_text(const Array& array) {
  if (array.rank() == 0) return record_text(array);
  std::string text = "[";
  const bool summarise = array.size() > kThreshold;
  for (const std::int64_t i : shown_positions(array.shape[0], summarise)) {
    if (text.size() > 1) text += ' ';
    if (i < 0) {
      text += "...";
      continue;
    }
    ASSIGN_OR_RETURN(const Value item, item_at(Value(std::make_shared<const Array>(array)), i));
    ASSIGN_OR_RETURN(const std::string part, to_repr(item));
    text += part;
  }
  return text + "]";
}

}  // namespace

Outcome<std::string> array_text(const Array& array) {
  ASSIGN_OR_RETURN(const std::byte* first, array.read());
  if (array.size() == 0) return std::string("[]");
  const bool is_complex = array.record && array.record->kind == RecordType::Kind::Complex;
  if (array.record && (array.rank() == 0 || !is_complex)) return records_text(array);
  if (array.rank() == 0) return to_text(Value(Scalar::load(array.type, first)));
  return Printer(array, first).print();
}

}  // namespace pykc::script
