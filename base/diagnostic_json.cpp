#include "base/json.h"
#include "pykc/diagnostic.h"

namespace pykc {

namespace {

std::string number_field(const char* name, int value) {
  return "\"" + std::string(name) + "\": " + std::to_string(value);
}
std::string text_field(const char* name, std::string_view value) {
  return "\"" + std::string(name) + "\": " + json_string(value);
}

std::string place_fields(const SourcePlace& place) {
  return text_field("file", place.file) + ", " + number_field("line", place.line) + ", " +
         number_field("column", place.column) + ", " + number_field("end_line", place.end_line) + ", " +
         number_field("end_column", place.end_column);
}

/// `["a", "b"]`, each element made by `element_text`.
template <typename T, typename Function>
std::string list_field(const char* name, const std::vector<T>& elements, Function element_text) {
  std::string text = "\"" + std::string(name) + "\": [";
  for (const T& element : elements) {
    if (&element != &elements.front()) text += ", ";
    text += element_text(element);
  }
  return text + "]";
}

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      break;
  }
  return "note";
}

std::string object(const Diagnostic& d) {
  const auto label = [](const DiagnosticLabel& l) {
    return "{" + place_fields(l.place) + ", " + text_field("message", l.text) + "}";
  };
  return "{" + text_field("code", d.code) + ", " + text_field("severity", severity_name(d.severity)) + ", " +
         text_field("message", d.message) + ", " + place_fields(d.place) + ", " +
         list_field("labels", d.labels, label) + ", " +
         list_field("notes", d.notes, [](const std::string& note) { return json_string(note); }) + ", " +
         text_field("fix", d.fix) + "}";
}

}  // namespace

std::string to_json(const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.empty()) return "[]\n";
  std::string text = "[";
  for (const Diagnostic& diagnostic : diagnostics)
    text += (&diagnostic == &diagnostics.front() ? "\n  " : ",\n  ") + object(diagnostic);
  return text + "\n]\n";
}

}  // namespace pykc
