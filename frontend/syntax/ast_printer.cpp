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
std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
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

class Printer {
 public:
  std::string take() && { return std::move(text_); }

  void operator()(const IntLiteral& n) { node("Integer", std::to_string(n.value)); }
  void operator()(const FloatLiteral& n) { node("Float", shortest(n.value)); }
  void operator()(const ImaginaryLiteral& n) { node("Imaginary", shortest(n.value)); }
  void operator()(const BoolLiteral& n) { node("Bool", n.value ? "True" : "False"); }
  void operator()(const StringLiteral& n) { node("String", quoted(n.value)); }
  void operator()(const NoneLiteral&) { node("None"); }
  void operator()(const EllipsisLiteral&) { node("Ellipsis"); }
  void operator()(const Name& n) { node("Name", n.id); }
  void operator()(const Unsupported& n) { node("Unsupported", n.what); }
  void operator()(const FormattedString& n) {
    node("FormattedString");
    for (std::size_t i = 0; i < n.parts.size(); ++i) {
      if (!n.parts[i].empty()) field("part", quoted(n.parts[i]));
      if (i == n.values.size()) continue;
      child("value", n.values[i]);
      if (!n.formats[i].empty()) field("format", quoted(n.formats[i]));
    }
  }
  void operator()(const Attribute& n) {
    node("Attribute", n.name);
    child("value", n.value);
  }
  void operator()(const Subscript& n) {
    node("Subscript");
    child("value", n.value);
    child("index", n.index);
  }
  void operator()(const Slice& n) {
    node("Slice");
    child("lower", n.lower);
    child("upper", n.upper);
    child("step", n.step);
  }
  void operator()(const Call& n) {
    node("Call");
    child("function", n.function);
    children("argument", n.arguments);
    for (const Keyword& keyword : n.keywords) child(keyword.name + "=", keyword.value);
  }
  void operator()(const Starred& n) {
    node("Starred");
    child("value", n.value);
  }
  void operator()(const Tuple& n) {
    node("Tuple");
    children("element", n.elements);
  }
  void operator()(const List& n) {
    node("List");
    children("element", n.elements);
  }
  void operator()(const Unary& n) {
    node("Unary", spelling(kUnaryOps, n.op));
    child("operand", n.operand);
  }
  void operator()(const Binary& n) {
    node("Binary", spelling(kBinaryOps, n.op));
    child("left", n.left);
    child("right", n.right);
  }
  void operator()(const Logical& n) {
    node("Logical", spelling(kBoolOps, n.op));
    children("operand", n.operands);
  }
  void operator()(const Compare& n) {
    node("Compare");
    child("first", n.first);
    for (std::size_t i = 0; i < n.ops.size(); ++i) child(spelling(kCompareOps, n.ops[i]), n.rest[i]);
  }
  void operator()(const Conditional& n) {
    node("Conditional");
    child("condition", n.condition);
    child("then", n.then);
    child("otherwise", n.otherwise);
  }
  void operator()(const Comprehension& n) {
    node("Comprehension", n.is_generator ? "generator" : "list");
    child("element", n.element);
    for (const Comprehension::Clause& clause : n.clauses) {
      child("for", clause.target);
      child("in", clause.iterable);
      children("if", clause.conditions);
    }
  }
  void operator()(const Lambda& n) {
    node("Lambda");
    for (const Parameter& parameter : n.function->parameters) field("parameter", parameter.name);
    child("body", std::get<Return>(n.function->body.front()->node).value);
  }

  void operator()(const ExprStmt& n) {
    node("ExprStmt");
    child("value", n.value);
  }
  void operator()(const Assign& n) {
    node("Assign");
    children("target", n.targets);
    child("value", n.value);
  }
  void operator()(const AnnotatedAssign& n) {
    node("AnnotatedAssign");
    child("target", n.target);
    child("annotation", n.annotation);
    child("value", n.value);
  }
  void operator()(const AugmentedAssign& n) {
    node("AugmentedAssign", spelling(kBinaryOps, n.op) + "=");
    child("target", n.target);
    child("value", n.value);
  }
  void operator()(const If& n) {
    node("If");
    child("condition", n.condition);
    suite("then", n.then);
    suite("otherwise", n.otherwise);
  }
  void operator()(const While& n) {
    node("While");
    child("condition", n.condition);
    suite("body", n.body);
    suite("otherwise", n.otherwise);
  }
  void operator()(const For& n) {
    node("For");
    child("target", n.target);
    child("iterable", n.iterable);
    suite("body", n.body);
    suite("otherwise", n.otherwise);
  }
  void operator()(const Break&) { node("Break"); }
  void operator()(const Continue&) { node("Continue"); }
  void operator()(const Pass&) { node("Pass"); }
  void operator()(const Return& n) {
    node("Return");
    child("value", n.value);
  }
  void operator()(const Assert& n) {
    node("Assert");
    child("condition", n.condition);
    child("message", n.message);
  }
  void operator()(const Raise& n) {
    node("Raise");
    child("exception", n.exception);
  }
  void operator()(const With& n) {
    node("With");
    child("context", n.context);
    child("target", n.target);
    suite("body", n.body);
  }
  void operator()(const FunctionDef& n) {
    node("FunctionDef", n.name);
    children("decorator", n.decorators);
    for (const Parameter& parameter : n.parameters) this->parameter(parameter);
    child("returns", n.returns);
    if (!n.docstring.empty()) field("docstring", quoted(n.docstring));
    suite("body", n.body);
  }
  void operator()(const ClassDef& n) {
    node("ClassDef", n.name);
    children("decorator", n.decorators);
    children("base", n.bases);
    suite("body", n.body);
  }
  void operator()(const Import& n) {
    node(n.is_from ? "ImportFrom" : "Import", n.module);
    for (const ImportAlias& alias : n.names)
      field("name", alias.as.empty() || alias.as == alias.name ? alias.name : alias.name + " as " + alias.as);
  }
  void operator()(const UnsupportedStmt& n) { node("UnsupportedStmt", n.what); }

  void module(const Module& module) {
    node("Module");
    if (!module.docstring.empty()) field("docstring", quoted(module.docstring));
    ++depth_;
    for (const StmtPtr& stmt : module.body) std::visit(*this, stmt->node);
    --depth_;
  }

 private:
  /// The line of a node; `child` has set its label.
  void node(std::string_view kind, std::string_view text = {}) {
    text_.append(depth_ * 2, ' ') += label_;
    text_ += kind;
    if (!text.empty()) (text_ += ' ') += text;
    text_ += '\n';
    label_.clear();
  }
  /// A line below a node for what is no node.
  void field(std::string_view label, std::string_view text) {
    text_.append((depth_ + 1) * 2, ' ') += label;
    (text_ += ": ") += text;
    text_ += '\n';
  }
  void child(std::string_view label, const ExprPtr& expr) {
    if (!expr) return;
    label_ = std::string(label) + ": ";
    ++depth_;
    std::visit(*this, expr->node);
    --depth_;
  }
  void children(std::string_view label, const std::vector<ExprPtr>& exprs) {
    for (const ExprPtr& expr : exprs) child(label, expr);
  }
  void parameter(const Parameter& parameter) {
    field("parameter", parameter.name);
    ++depth_;
    child("annotation", parameter.annotation);
    child("default", parameter.default_value);
    --depth_;
  }
  void suite(std::string_view label, const Suite& body) {
    if (body.empty()) return;
    text_.append((depth_ + 1) * 2, ' ') += label;
    text_ += ":\n";
    depth_ += 2;
    for (const StmtPtr& stmt : body) std::visit(*this, stmt->node);
    depth_ -= 2;
  }

  std::string text_;
  std::string label_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print(const Module& module) {
  Printer printer;
  printer.module(module);
  return std::move(printer).take();
}

}  // namespace pykc::ast
