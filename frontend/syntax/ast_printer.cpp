// The outline of a tree: one node a line, `label: Kind text`, children indented below it.
#include <array>
#include <charconv>
#include <string_view>

#include "frontend/syntax/ast.h"

namespace pykc::ast {

namespace {

constexpr std::string_view kUnaryOps[] = {"-", "+", "~", "not"};
constexpr std::string_view kBinaryOps[] = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"};
constexpr std::string_view kBoolOps[] = {"and", "or"};
constexpr std::string_view kCompareOps[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};

template <typename Op, std::size_t size>
std::string spelling(const std::string_view (&table)[size], Op op) {
  return std::string(table[static_cast<std::size_t>(op)]);
}

/// A text between quotes on one line.
std::string quoted(std::string_view text, bool is_of_bytes = false) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || (is_of_bytes && static_cast<unsigned char>(c) > 0x7F))
      result += {'\\', 'x', digits[c >> 4 & 15], digits[c & 15]};
    else
      result += c;
  }
  return result += '"';
}

std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

/// The text so far, and where the next line goes.
struct Outline {
  /// The line of a node; `child` has set its label.
  void node(std::string_view kind, std::string_view text = {}) {
    lines.append(depth * 2, ' ') += label;
    lines += kind;
    if (!text.empty()) (lines += ' ') += text;
    lines += '\n';
    label.clear();
  }
  /// A line below a node for what is no node.
  void field(std::string_view name, std::string_view text) {
    lines.append((depth + 1) * 2, ' ') += name;
    (lines += ": ") += text;
    lines += '\n';
  }
  void child(std::string_view name, const ExprPtr& expr);
  void children(std::string_view name, const std::vector<ExprPtr>& exprs) {
    for (const ExprPtr& expr : exprs) child(name, expr);
  }
  void parameter(const Parameter& parameter) {
    field("parameter", parameter.name);
    ++depth;
    child("annotation", parameter.annotation);
    child("default", parameter.default_value);
    --depth;
  }
  void suite(std::string_view name, const Suite& body) {
    if (body.empty()) return;
    lines.append((depth + 1) * 2, ' ') += name;
    lines += ":\n";
    depth += 2;
    statements(body);
    depth -= 2;
  }
  void statements(const Suite& body);

  std::string lines;
  std::string label;
  std::size_t depth = 0;
};

void print(Outline& out, const IntLiteral& n) { out.node("Integer", std::to_string(n.value)); }
void print(Outline& out, const FloatLiteral& n) { out.node("Float", shortest(n.value)); }
void print(Outline& out, const ImaginaryLiteral& n) { out.node("Imaginary", shortest(n.value)); }
void print(Outline& out, const BoolLiteral& n) { out.node("Bool", n.value ? "True" : "False"); }
void print(Outline& out, const StringLiteral& n) { out.node("String", quoted(n.value)); }
void print(Outline& out, const BytesLiteral& n) { out.node("Bytes", quoted(n.value, true)); }
void print(Outline& out, const NoneLiteral&) { out.node("None"); }
void print(Outline& out, const EllipsisLiteral&) { out.node("Ellipsis"); }
void print(Outline& out, const Name& n) { out.node("Name", n.id); }
void print(Outline& out, const Unsupported& n) { out.node("Unsupported", n.what); }
void print(Outline& out, const FormattedString& n) {
  out.node("FormattedString");
  for (std::size_t i = 0; i < n.parts.size(); ++i) {
    if (!n.parts[i].empty()) out.field("part", quoted(n.parts[i]));
    if (i == n.values.size()) continue;
    out.child("value", n.values[i]);
    if (n.conversions[i] != ' ') out.field("conversion", std::string(1, n.conversions[i]));
    if (n.formats[i]) out.child("format", n.formats[i]);
  }
}
void print(Outline& out, const Attribute& n) {
  out.node("Attribute", n.name);
  out.child("value", n.value);
}
void print(Outline& out, const Subscript& n) {
  out.node("Subscript");
  out.child("value", n.value);
  out.child("index", n.index);
}
void print(Outline& out, const Slice& n) {
  out.node("Slice");
  out.child("lower", n.lower);
  out.child("upper", n.upper);
  out.child("step", n.step);
}
void print(Outline& out, const Call& n) {
  out.node("Call");
  out.child("function", n.function);
  out.children("argument", n.arguments);
  for (const Keyword& keyword : n.keywords) out.child(keyword.name + "=", keyword.value);
}
void print(Outline& out, const Starred& n) {
  out.node("Starred");
  out.child("value", n.value);
}
void print(Outline& out, const Tuple& n) {
  out.node("Tuple");
  out.children("element", n.elements);
}
void print(Outline& out, const List& n) {
  out.node("List");
  out.children("element", n.elements);
}
void print(Outline& out, const Unary& n) {
  out.node("Unary", spelling(kUnaryOps, n.op));
  out.child("operand", n.operand);
}
void print(Outline& out, const Binary& n) {
  out.node("Binary", spelling(kBinaryOps, n.op));
  out.child("left", n.left);
  out.child("right", n.right);
}
void print(Outline& out, const Logical& n) {
  out.node("Logical", spelling(kBoolOps, n.op));
  out.children("operand", n.operands);
}
void print(Outline& out, const Compare& n) {
  out.node("Compare");
  out.child("first", n.first);
  for (std::size_t i = 0; i < n.ops.size(); ++i) out.child(spelling(kCompareOps, n.ops[i]), n.rest[i]);
}
void print(Outline& out, const Conditional& n) {
  out.node("Conditional");
  out.child("condition", n.condition);
  out.child("then", n.then);
  out.child("otherwise", n.otherwise);
}
void print(Outline& out, const Comprehension& n) {
  out.node("Comprehension", n.is_generator ? "generator" : "list");
  out.child("element", n.element);
  for (const Comprehension::Clause& clause : n.clauses) {
    out.child("for", clause.target);
    out.child("in", clause.iterable);
    out.children("if", clause.conditions);
  }
}
void print(Outline& out, const Lambda& n) {
  out.node("Lambda");
  for (const Parameter& parameter : n.function->parameters) out.field("parameter", parameter.name);
  out.child("body", std::get<Return>(n.function->body.front()->node).value);
}

void print(Outline& out, const ExprStmt& n) {
  out.node("ExprStmt");
  out.child("value", n.value);
}
void print(Outline& out, const Assign& n) {
  out.node("Assign");
  out.children("target", n.targets);
  out.child("value", n.value);
}
void print(Outline& out, const AnnotatedAssign& n) {
  out.node("AnnotatedAssign");
  out.child("target", n.target);
  out.child("annotation", n.annotation);
  out.child("value", n.value);
}
void print(Outline& out, const AugmentedAssign& n) {
  out.node("AugmentedAssign", spelling(kBinaryOps, n.op) + "=");
  out.child("target", n.target);
  out.child("value", n.value);
}
void print(Outline& out, const If& n) {
  out.node("If");
  out.child("condition", n.condition);
  out.suite("then", n.then);
  out.suite("otherwise", n.otherwise);
}
void print(Outline& out, const While& n) {
  out.node("While");
  out.child("condition", n.condition);
  out.suite("body", n.body);
  out.suite("otherwise", n.otherwise);
}
void print(Outline& out, const For& n) {
  out.node("For");
  out.child("target", n.target);
  out.child("iterable", n.iterable);
  out.suite("body", n.body);
  out.suite("otherwise", n.otherwise);
}
void print(Outline& out, const Break&) { out.node("Break"); }
void print(Outline& out, const Continue&) { out.node("Continue"); }
void print(Outline& out, const Pass&) { out.node("Pass"); }
void print(Outline& out, const Return& n) {
  out.node("Return");
  out.child("value", n.value);
}
void print(Outline& out, const Assert& n) {
  out.node("Assert");
  out.child("condition", n.condition);
  out.child("message", n.message);
}
void print(Outline& out, const Raise& n) {
  out.node("Raise");
  out.child("exception", n.exception);
}
void print(Outline& out, const With& n) {
  out.node("With");
  out.child("context", n.context);
  out.child("target", n.target);
  out.suite("body", n.body);
}
void print(Outline& out, const FunctionDef& n) {
  out.node("FunctionDef", n.name);
  out.children("decorator", n.decorators);
  for (const Parameter& parameter : n.parameters) out.parameter(parameter);
  out.child("returns", n.returns);
  if (!n.docstring.empty()) out.field("docstring", quoted(n.docstring));
  out.suite("body", n.body);
}
void print(Outline& out, const ClassDef& n) {
  out.node("ClassDef", n.name);
  out.children("decorator", n.decorators);
  out.children("base", n.bases);
  out.suite("body", n.body);
}
void print(Outline& out, const Import& n) {
  out.node(n.is_from ? "ImportFrom" : "Import", n.module);
  for (const ImportAlias& alias : n.names)
    out.field("name", alias.as.empty() || alias.as == alias.name ? alias.name : alias.name + " as " + alias.as);
}
void print(Outline& out, const UnsupportedStmt& n) { out.node("UnsupportedStmt", n.what); }

void Outline::child(std::string_view name, const ExprPtr& expr) {
  if (!expr) return;
  label = std::string(name) + ": ";
  ++depth;
  std::visit([this](const auto& n) { print(*this, n); }, expr->node);
  --depth;
}

void Outline::statements(const Suite& body) {
  for (const StmtPtr& stmt : body) std::visit([this](const auto& n) { print(*this, n); }, stmt->node);
}

}  // namespace

std::string print(const Module& module) {
  Outline out;
  out.node("Module");
  if (!module.docstring.empty()) out.field("docstring", quoted(module.docstring));
  ++out.depth;
  out.statements(module.body);
  return std::move(out.lines);
}

}  // namespace pykc::ast
