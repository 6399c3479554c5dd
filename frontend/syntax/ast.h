// The syntax tree: what a .pyk file says, before anybody asks what it means.
//
// It is the Python subset that the language reads, with Python's own node names (Name, Attribute, Subscript, Call …),
// as variants of small structs. Nodes are owned by their parents through unique_ptr and never change after parsing, so
// one tree serves any number of specialisations and threads. Every node has its range in the source.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "frontend/syntax/directives.h"

namespace pykc::ast {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using Suite = std::vector<StmtPtr>;

// ---- expressions ----

struct IntLiteral {
  std::uint64_t value;  // the lexer reports literals above 2^64 - 1
};
struct FloatLiteral {
  double value;
};
struct ImaginaryLiteral {  // 2j
  double value;
};
struct BoolLiteral {
  bool value;
};
struct StringLiteral {
  std::string value;  // escapes resolved, adjacent literals joined
};
struct BytesLiteral {
  std::string value;  // the bytes themselves
};
/// An f-string: `parts[0] {values[0]!conversions[0]:formats[0]} parts[1] …`; there is one more part than values.
struct FormattedString {
  std::vector<std::string> parts = {""};
  std::vector<ExprPtr> values;
  std::string conversions;       // 's', 'r', 'a', or ' ' for none
  std::vector<ExprPtr> formats;  // f-strings; null: none
};
struct NoneLiteral {};
struct EllipsisLiteral {};
struct Name {
  std::string id;
};
struct Attribute {
  ExprPtr value;
  std::string name;
  SourceRange name_range;
};
struct Subscript {
  ExprPtr value;
  ExprPtr index;  // a Tuple for `a[i, j]`; Slice stands only here
};
struct Slice {
  ExprPtr lower, upper, step;  // each may be null
};
struct Keyword {
  std::string name;
  SourceRange name_range;
  ExprPtr value;
};
struct Call {
  ExprPtr function;
  std::vector<ExprPtr> arguments;
  std::vector<Keyword> keywords;
};
struct Starred {
  ExprPtr value;
};
struct Tuple {
  std::vector<ExprPtr> elements;
};
struct List {
  std::vector<ExprPtr> elements;
};
enum class UnaryOp : std::uint8_t { Negate, Plus, Invert, Not };
struct Unary {
  UnaryOp op;
  ExprPtr operand;
};
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  And,
  Or,
  Xor,
  LeftShift,
  RightShift,
};
struct Binary {
  BinaryOp op;
  ExprPtr left, right;
  SourceRange op_range;
};
enum class BoolOp : std::uint8_t { And, Or };
struct Logical {
  BoolOp op;
  std::vector<ExprPtr> operands;  // two or more: `a and b and c`
};
enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
/// A chain: `first ops[0] rest[0] ops[1] rest[1] …`
struct Compare {
  ExprPtr first;
  std::vector<CompareOp> ops;
  std::vector<ExprPtr> rest;
};
struct Conditional {
  ExprPtr condition, then, otherwise;  // `then if condition else otherwise`
};
struct FunctionDef;
struct Lambda {
  std::shared_ptr<const FunctionDef> function;  // whose body is `return …`
};
/// `[element for target in iterable if condition …]`; without brackets, or in parentheses, a generator expression. Host
/// functions only.
struct Comprehension {
  struct Clause {
    ExprPtr target, iterable;
    std::vector<ExprPtr> conditions;
  };
  bool is_generator = false;
  ExprPtr element;
  std::vector<Clause> clauses;
  std::string_view what() const { return is_generator ? "a generator expression" : "a list comprehension"; }
};
/// Syntax that Python has and pykc has not (a dict, await, :=): parsed over as far as needed to go on, for the checker
/// to say what to use instead.
struct Unsupported {
  std::string what;  // "a list comprehension"; empty for a syntax error, which is reported already
};

struct Expr {
  SourceRange range;
  std::variant<IntLiteral, FloatLiteral, ImaginaryLiteral, BoolLiteral, StringLiteral, BytesLiteral, FormattedString,
               NoneLiteral, EllipsisLiteral, Name, Attribute, Subscript, Slice, Call, Starred, Tuple, List, Unary,
               Binary, Logical, Compare, Conditional, Lambda, Comprehension, Unsupported>
      node;
  int height = 1;  // of the tree from here down; the parser bounds it, so that later passes may recurse

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

// ---- statements ----

struct ExprStmt {
  ExprPtr value;
};
/// `targets[0] = targets[1] = … = value`
struct Assign {
  std::vector<ExprPtr> targets;
  ExprPtr value;
};
struct AnnotatedAssign {
  ExprPtr target, annotation;
  ExprPtr value;  // may be null
};
struct AugmentedAssign {
  ExprPtr target;
  BinaryOp op;
  ExprPtr value;
};
/// `elif` is an If in `otherwise`.
struct If {
  ExprPtr condition;
  Suite then, otherwise;
};
struct While {
  ExprPtr condition;
  Suite body, otherwise;
};
struct For {
  ExprPtr target, iterable;
  Suite body, otherwise;
};
struct Break {};
struct Continue {};
struct Pass {};
struct Return {
  ExprPtr value;  // may be null
};
struct Assert {
  ExprPtr condition;
  ExprPtr message;  // may be null
};
struct Raise {
  ExprPtr exception;  // may be null
};
/// `with e as name:`; the host evaluator knows a few (timers), kernels none.
struct With {
  ExprPtr context;
  ExprPtr target;  // may be null
  Suite body;
};
struct Parameter {
  std::string name;
  SourceRange range;
  ExprPtr annotation;            // may be null
  ExprPtr default_value;         // may be null
  bool is_variadic = false;      // `*args`: a tuple of all further positional arguments
  bool is_keyword_only = false;  // it stands behind `*` or `*args`
};
struct FunctionDef {
  std::string name;
  SourceRange name_range;
  std::vector<ExprPtr> decorators;
  std::vector<Parameter> parameters;
  ExprPtr returns;  // may be null
  std::string docstring;
  Suite body;
};
/// What a lambda computes.
const Expr& body_of(const Lambda& lambda);
struct ClassDef {
  std::string name;
  SourceRange name_range;
  std::vector<ExprPtr> decorators;
  std::vector<ExprPtr> bases;
  Suite body;
};
struct ImportAlias {
  std::string name;  // dotted: "numba.cuda"
  std::string as;    // the name bound; "" for `*`
  SourceRange range;
};
/// `import a, b as c` (module empty) or `from module import a as b` / `import *` (one alias named "*").
struct Import {
  bool is_from = false;
  std::string module;
  std::vector<ImportAlias> names;
};
struct UnsupportedStmt {
  std::string what;                // "`try`"; empty for a syntax error, which is reported already
  std::vector<std::string> names;  // that `global`, `nonlocal` and `del` name
};

struct Stmt {
  SourceRange range;  // of a compound statement: its header
  std::variant<ExprStmt, Assign, AnnotatedAssign, AugmentedAssign, If, While, For, Break, Continue, Pass, Return,
               Assert, Raise, With, FunctionDef, ClassDef, Import, UnsupportedStmt>
      node;

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

struct Module {
  std::shared_ptr<const SourceFile> file;
  std::string docstring;
  Suite body;
  Directives directives;
};

/// No expression is higher, and no statement lies deeper in blocks and `elif`s.
inline constexpr int kMostExpressionHeight = 500;
inline constexpr int kMostStatementDepth = 600;

/// An indented outline of the tree, one node a line, for `--emit=ast` and golden tests.
std::string print(const Module& module);

}  // namespace pykc::ast
