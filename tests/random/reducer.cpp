#include "tests/random/reducer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace pykc::random_test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  for_each_part(text, '\n', [&](std::string_view line) {
    if (!trim(line).empty()) lines.emplace_back(line);
  });
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::size_t indentation_of(const std::string& line) { return line.find_first_not_of(' '); }

/// Behind the line and all that is indented below it.
std::size_t end_of_statement(const Lines& lines, std::size_t first) {
  std::size_t end = first + 1;
  while (end < lines.size() && indentation_of(lines[end]) > indentation_of(lines[first])) ++end;
  return end;
}

Lines without(const Lines& lines, std::size_t first, std::size_t end) {
  Lines rest(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
  rest.insert(rest.end(), lines.begin() + static_cast<std::ptrdiff_t>(end), lines.end());
  return rest;
}

/// The lines `first` to `end` in place of the statement there.
Lines with_body_in_place(const Lines& lines, std::size_t first) {
  const std::size_t end = end_of_statement(lines, first);
  Lines result = lines;
  const std::size_t shift = indentation_of(lines[first + 1]) - indentation_of(lines[first]);
  for (std::size_t i = first + 1; i < end; ++i) result[i].erase(0, shift);
  return without(result, first, first + 1);
}

bool is_closing(char c) { return c == ')' || c == ']'; }
bool is_opening(char c) { return c == '(' || c == '['; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// Pieces of `text` between the separators that stand outside all brackets.
std::vector<std::string> split_outside_brackets(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_opening(text[i])) ++depth;
    if (is_closing(text[i])) --depth;
    if (depth != 0 || !text.substr(i).starts_with(separator)) continue;
    parts.emplace_back(trim(text.substr(begin, i - begin)));
    begin = i + separator.size();
    i = begin - 1;
  }
  parts.emplace_back(trim(text.substr(begin)));
  return parts;
}

/// A bracket with what stands before it: a call, a subscript, or a bare one.
struct Group {
  std::size_t start, open, close;
};

std::vector<Group> groups_of(std::string_view line) {
  std::vector<Group> groups;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_opening(line[i])) open.push_back(i);
    if (!is_closing(line[i]) || open.empty()) continue;
    std::size_t start = open.back();
    while (start > 0 && is_word(line[start - 1])) --start;
    groups.push_back({start, open.back(), i});
    open.pop_back();
  }
  std::ranges::sort(groups, [](const Group& a, const Group& b) { return a.close - a.start > b.close - b.start; });
  return groups;
}

constexpr std::string_view kSeparators[] = {
    ", ",  " if ", " else ", " and ", " or ", " + ",  " - ",  " * ", " // ", " % ",  " / ",  " & ", " | ",
    " ^ ", " << ", " >> ",   " < ",   " <= ", " == ", " != ", " > ", " >= ", " ** ", "not ", ": "};

/// What may stand for an expression: its operands.
std::vector<std::string> operands_of(std::string_view text) {
  std::vector<std::string> operands;
  for (const std::string_view separator : kSeparators) {
    const std::vector<std::string> parts = split_outside_brackets(text, separator);
    if (parts.size() > 1) operands.insert(operands.end(), parts.begin(), parts.end());
  }
  return operands;
}

/// Shorter forms of a line, the shortest first.
std::vector<std::string> shorter_forms(const std::string& line) {
  std::vector<std::string> forms;
  const auto add = [&](std::size_t from, std::size_t end, const std::string& by) {
    if (by.size() >= end - from) return;
    std::string form = line.substr(0, from) + by + line.substr(end);
    if (!trim(form).empty()) forms.push_back(std::move(form));
  };
  for (const Group& group : groups_of(line)) {
    const std::string_view inside = std::string_view(line).substr(group.open + 1, group.close - group.open - 1);
    for (const char* simple : {"0", "1"}) {
      add(group.start, group.close + 1, simple);
      add(group.open + 1, group.close, simple);
    }
    add(group.open, group.close + 1, "");
    add(group.start, group.close + 1, std::string(inside));
    for (const std::string& operand : operands_of(inside)) {
      add(group.start, group.close + 1, operand);
      add(group.open + 1, group.close, operand);
    }
  }
  const std::size_t indentation = indentation_of(line), assignment = line.find(" = ");
  const std::size_t value = assignment == std::string::npos ? indentation : assignment + 3;
  for (const std::string& operand : operands_of(std::string_view(line).substr(value))) add(value, line.size(), operand);
  std::ranges::stable_sort(forms, {}, &std::string::size);
  return forms;
}

class Reducer {
 public:
  Reducer(std::string text, const Shows& shows, std::chrono::steady_clock::time_point deadline)
      : lines_(lines_of(text)), shows_(shows), deadline_(deadline) {}

  std::string run() {
    for (std::size_t before = 0; before != size() && has_time();) {
      before = size();
      remove_lines();
      unwrap_blocks();
      remove_parameters();
      shorten_lines();
    }
    return text_of(lines_);
  }

 private:
  bool has_time() const { return std::chrono::steady_clock::now() < deadline_; }
  std::size_t size() const { return text_of(lines_).size(); }

  /// Takes `candidate` if it shows what is looked for.
  bool take(Lines candidate) {
    if (!has_time() || !shows_(text_of(candidate))) return false;
    lines_ = std::move(candidate);
    return true;
  }

  /// Runs of neighbouring statements, long ones first.
  void remove_lines() {
    for (std::size_t count = lines_.size() / 2; count > 0; count /= 2) {
      for (std::size_t first = 0; first < lines_.size() && has_time();) {
        std::size_t end = first;
        for (std::size_t i = 0; i < count && end < lines_.size(); ++i) {
          if (indentation_of(lines_[end]) < indentation_of(lines_[first])) break;
          end = end_of_statement(lines_, end);
        }
        if (!take(without(lines_, first, end))) first += std::max<std::size_t>(1, count / 2);
      }
    }
  }

  /// A block's body without its head.
  void unwrap_blocks() {
    for (std::size_t i = 0; i < lines_.size() && has_time(); ++i)
      if (end_of_statement(lines_, i) > i + 1) take(with_body_in_place(lines_, i));
  }

  void shorten_lines() {
    for (std::size_t i = 0; i < lines_.size() && has_time(); ++i)
      if (!lines_[i].starts_with("#"))
        while (shorten(i)) continue;
  }

  bool shorten(std::size_t i) {
    for (const std::string& form : shorter_forms(lines_[i])) {
      Lines candidate = lines_;
      candidate[i] = form;
      if (take(std::move(candidate))) return true;
    }
    return false;
  }

  /// A parameter of the kernel below a `# run:` line, and its part of that line.
  void remove_parameters() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].starts_with("# run:")) continue;
      for (std::size_t head = i + 1; head < lines_.size(); ++head)
        if (lines_[head].starts_with("def ")) return remove_parameters(i, head);
    }
  }

  void remove_parameters(std::size_t run, std::size_t head) {
    for (std::size_t k = split_outside_brackets(lines_[run], " | ").size(); k-- > 1 && has_time();) {
      std::vector<std::string> arguments = split_outside_brackets(lines_[run], " | ");
      const std::size_t open = lines_[head].find('('), close = lines_[head].rfind(')');
      std::vector<std::string> parameters =
          split_outside_brackets(std::string_view(lines_[head]).substr(open + 1, close - open - 1), ", ");
      if (parameters.size() + 1 != arguments.size()) return;
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(k));
      parameters.erase(parameters.begin() + static_cast<std::ptrdiff_t>(k) - 1);
      Lines candidate = lines_;
      candidate[run] = joined_by(arguments, " | ");
      candidate[head] = lines_[head].substr(0, open + 1) + joined_by(parameters, ", ") + lines_[head].substr(close);
      take(std::move(candidate));
    }
  }

  static std::string joined_by(const std::vector<std::string>& parts, std::string_view separator) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : std::string(separator)) + part;
    return text;
  }

  Lines lines_;
  const Shows& shows_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace

std::string reduce(std::string text, const Shows& shows, std::chrono::steady_clock::time_point deadline) {
  return Reducer(std::move(text), shows, deadline).run();
}

}  // namespace pykc::random_test
