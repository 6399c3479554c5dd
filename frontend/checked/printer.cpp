// The checked tree as text: one statement a line, every operation with the type of its result.
//
//   kernel vecadd(z: f32[:], x: f32[:])
//     i = add<i64>(mul<i64>(blockIdx.x<i64>(), blockDim.x<i64>()), threadIdx.x<i64>())
//     z[i] = add<f32>(x[i], 1<f32>)
#include <cstdio>
#include <unordered_map>

#include "base/float_bits.h"
#include "base/text.h"
#include "frontend/checked/tree.h"
#include "ir/evaluate/evaluate.h"

namespace pykc::checked {

namespace {

constexpr const char* kBinary[] = {"add", "sub", "mul", "div", "floordiv", "mod", "and", "or", "xor", "shl", "shr"};
constexpr const char* kUnary[] = {"neg", "invert", "not"};
constexpr const char* kCompare[] = {"eq", "ne", "lt", "le", "gt", "ge"};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '\n' ? std::string("\\n") : std::string(1, c);
  return result + "\"";
}

/// The expressions of a function, each as text. Variables without names get numbers in the order in which they are
/// asked for, which is that of the text.
class Expressions {
 public:
  explicit Expressions(const Module& module) : module_(module) {}

  void enter(const Function& function) { function_ = &function; }

  std::string name(const Variable* variable) {
    if (!variable->name.empty()) return variable->name;
    const auto [entry, is_new] = temporaries_.try_emplace(variable, temporaries_.size());
    return "$" + std::to_string(entry->second);
  }

  std::string expr(ExprRef expr) {
    return std::visit([&](const auto& node) { return show(node, expr->type); }, expr->node);
  }

  std::string list(const std::vector<ExprRef>& exprs, const char* separator = ", ") {
    return list_text(
        exprs, [this](ExprRef e) { return expr(e); }, separator);
  }

 private:
  std::string operation(const std::string& operation, Type type, const std::string& operands) {
    return operation + "<" + to_string(type) + ">(" + operands + ")";
  }

  std::string show(const Constant& node, Type type) {
    if (type->scalar == ScalarType::Bool) return node.bits ? "True" : "False";
    if (!is_float(type->scalar)) {
      const std::int64_t value = ir::integer_from_bits(type->scalar, node.bits);
      const bool is_large = type->scalar == ScalarType::U64 && value < 0;
      return (is_large ? std::to_string(node.bits) : std::to_string(value)) + "<" + to_string(type) + ">";
    }
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.9g", float_from_bits(type->scalar, node.bits));
    return std::string(digits) + "<" + to_string(type) + ">";
  }
  std::string show(const VariableRef& node, Type) { return name(node.variable); }
  std::string show(const Binary& node, Type type) {
    return operation(kBinary[static_cast<std::size_t>(node.op)], type, list({node.left, node.right}));
  }
  std::string show(const Unary& node, Type type) {
    return operation(kUnary[static_cast<std::size_t>(node.op)], type, expr(node.operand));
  }
  std::string show(const Compare& node, Type) {
    return operation(kCompare[static_cast<std::size_t>(node.op)], node.left->type, list({node.left, node.right}));
  }
  std::string show(const Logical& node, Type) {
    return "(" + list({node.left, node.right}, node.is_and ? " and " : " or ") + ")";
  }
  std::string show(const Conditional& node, Type) {
    const std::string then = expr(node.then), condition = expr(node.condition), otherwise = expr(node.otherwise);
    return "(" + then + " if " + condition + " else " + otherwise + ")";
  }
  std::string show(const Cast& node, Type type) { return operation("cast", type, expr(node.operand)); }
  std::string show(const Bitcast& node, Type type) { return operation("bitcast", type, expr(node.operand)); }
  std::string show(const Let& node, Type) {
    const std::string variable = name(node.variable), value = expr(node.value), body = expr(node.body);
    return "let " + variable + " = " + value + " in " + body;
  }
  std::string show(const Guarded& node, Type) {
    const std::string condition = expr(node.condition), body = expr(node.body);
    return "check " + condition + " in " + body;
  }
  std::string show(const Element& node, Type) {
    const std::string array = expr(node.array);
    return array + "[" + list(node.indices) + "]";
  }
  std::string show(const Field& node, Type type) {
    return operation("field", type, expr(node.place) + ", " + std::to_string(node.offset));
  }
  std::string show(const FieldView& node, Type type) {
    return operation("field_view", type, expr(node.array) + ", " + std::to_string(node.offset));
  }
  std::string show(const Extent& node, Type) {
    return expr(node.array) + ".shape[" + std::to_string(node.dimension) + "]";
  }
  std::string show(const Stride& node, Type) {
    return expr(node.array) + ".stride[" + std::to_string(node.dimension) + "]";
  }
  std::string show(const ViewAxis& axis) {
    const auto bound = [&](ExprRef e) { return e ? expr(e) : std::string(); };
    if (axis.kind == ViewAxis::Kind::New) return "None";
    if (axis.kind == ViewAxis::Kind::Index) return expr(axis.start);
    return bound(axis.start) + ":" + bound(axis.stop) + (axis.step ? ":" + expr(axis.step) : std::string());
  }
  std::string show(const View& node, Type) {
    const std::string axes = list_text(node.axes, [this](const ViewAxis& axis) { return show(axis); });
    return expr(node.array) + "[" + axes + "]";
  }
  std::string show(const Transpose& node, Type) {
    return expr(node.array) + ".transpose(" + list_text(node.order) + ")";
  }
  std::string show(const Reshape& node, Type) {
    const std::string array = expr(node.array);
    return array + ".reshape(" + list(node.extents) + ")";
  }
  std::string show(const Reinterpret& node, Type type) {
    return expr(node.array) + ".view(" + std::string(pykc::to_string(type->array.element)) + ")";
  }
  std::string show(const SharedArrayRef& node, Type) {
    return function_->shared_arrays[static_cast<std::size_t>(node.index)].name;
  }
  std::string show(const LocalArrayRef& node, Type) {
    return function_->local_arrays[static_cast<std::size_t>(node.index)].name;
  }
  std::string show(const ClusterArray& node, Type) {
    return "map_shared_rank(" + expr(node.array) + ", " + expr(node.rank) + ")";
  }
  std::string show(const ConstantArrayRef& node, Type) {
    return module_.constant_arrays[static_cast<std::size_t>(node.index)].name;
  }
  std::string show(const TupleExpr& node, Type) { return "(" + list(node.elements) + ")"; }
  std::string show(const TupleElement& node, Type) { return expr(node.tuple) + "." + std::to_string(node.index); }
  std::string show(const CallFunction& node, Type type) {
    return operation(node.callee ? node.callee->symbol : "?", type, list(node.arguments));
  }
  std::string show(const CallBuiltin& node, Type type) {
    return operation(std::string(info(node.builtin).name), type, list(node.arguments));
  }
  std::string show(const Atomic& node, Type type) {
    return operation("atomic_" + std::string(ir::to_string(node.op)), type, list({node.element, node.value}));
  }
  std::string show(const AtomicCompareAndSwap& node, Type type) {
    return operation("atomic_cas", type, list({node.element, node.expected, node.value}));
  }
  std::string show(const Access& node, Type type) {
    constexpr std::string_view kWords[] = {"atomic_load", "atomic_store", "load_hint", "store_hint", "prefetch"};
    const std::vector<ExprRef> operands =
        node.value == nullptr ? std::vector<ExprRef>{node.element} : std::vector<ExprRef>{node.element, node.value};
    return operation(std::string(kWords[static_cast<std::size_t>(node.kind)]), type, list(operands));
  }
  std::string show(const CopyAsync& node, Type type) {
    return operation("copy_async " + std::to_string(node.bytes), type, list({node.to, node.from}));
  }
  std::string show(const IsAligned& node, Type type) {
    return operation("is_aligned " + std::to_string(node.bytes), type, expr(node.array));
  }
  std::string show(const InlinePtx& node, Type type) {
    return operation(node.is_tied ? "ptx tied" : "ptx", type, list(node.operands));
  }
  std::string show(const TensorMap& node, Type type) {
    return operation("tensor_map (" + list_text(node.box) + ") swizzle " + std::to_string(node.swizzle), type,
                     list(std::vector{node.array}));
  }
  std::string show(const CallExternal& node, Type type) {
    return operation("extern " + node.symbol, type, list(node.arguments));
  }

  const Module& module_;
  const Function* function_ = nullptr;
  std::unordered_map<const Variable*, std::size_t> temporaries_;
};

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module), expressions_(module) {}

  std::string print() {
    for (std::size_t i = 0; i < module_.constant_arrays.size(); ++i) {
      const ConstantArray& array = module_.constant_arrays[i];
      text_ += std::string(array.host ? "host constant " : "constant ") + array.name + ": " +
               pykc::to_string(array.type) + '\n';
    }
    for (const Function& function : module_.functions) print(function);
    return std::move(text_);
  }

 private:
  void print(const Function& function) {
    expressions_.enter(function);
    text_ += std::string(function.is_kernel ? "kernel " : "function ") + function.symbol + "(";
    for (const Variable* parameter : function.parameters) {
      if (parameter != function.parameters.front()) text_ += ", ";
      text_ += parameter->name + ": " + to_string(parameter->type);
    }
    text_ += ")";
    if (!function.result.is_none()) text_ += " -> " + to_string(function.result);
    text_ += '\n';
    for (const SharedArray& array : function.shared_arrays) {
      line(1, "shared " + array.name + ": " + pykc::to_string(array.type));
      for (const ExprRef extent : array.extents) line(2, "extent " + expressions_.expr(extent));
    }
    for (const LocalArray& array : function.local_arrays)
      line(1, "local " + array.name + ": " + pykc::to_string(array.type));
    suite(function.body, 1);
  }

  void line(int depth, const std::string& text) {
    text_.append(static_cast<std::size_t>(2 * depth), ' ') += text + '\n';
  }

  void suite(const Suite& statements, int depth) {
    for (const Stmt* stmt : statements) std::visit([&](const auto& node) { print(node, depth); }, stmt->node);
  }

  void otherwise(const Suite& statements, int depth) {
    if (statements.empty()) return;
    line(depth, "else");
    suite(statements, depth + 1);
  }

  void print(const Evaluate& node, int depth) { line(depth, expressions_.expr(node.value)); }
  void print(const Assign& node, int depth) {
    const std::string variable = expressions_.name(node.variable);
    line(depth, variable + ": " + to_string(node.variable->type) + " = " + expressions_.expr(node.value));
  }
  void print(const StoreElement& node, int depth) { line(depth, expressions_.list({node.element, node.value}, " = ")); }
  void print(const If& node, int depth) {
    line(depth, "if " + expressions_.expr(node.condition));
    suite(node.then, depth + 1);
    otherwise(node.otherwise, depth);
  }
  void print(const While& node, int depth) {
    line(depth, "while " + expressions_.expr(node.condition));
    suite(node.body, depth + 1);
    otherwise(node.otherwise, depth);
  }
  void print(const ForRange& node, int depth) {
    const std::string variable = expressions_.name(node.variable);
    line(depth, "for " + variable + " in range(" + expressions_.list({node.start, node.stop, node.step}) + ")");
    suite(node.body, depth + 1);
    otherwise(node.otherwise, depth);
  }
  void print(const Unrolled& node, int depth) {
    for (const Suite& turn : node.turns) {
      line(depth, "turn");
      suite(turn, depth + 1);
    }
    otherwise(node.otherwise, depth);
  }
  void print(const Break&, int depth) { line(depth, "break"); }
  void print(const Continue&, int depth) { line(depth, "continue"); }
  void print(const Return& node, int depth) {
    line(depth, node.value ? "return " + expressions_.expr(node.value) : "return");
  }
  void print(const Check& node, int depth) {
    const std::string& message = module_.faults[static_cast<std::size_t>(node.fault)].message;
    line(depth, (node.condition ? "check " + expressions_.expr(node.condition) + " " : std::string("fault ")) +
                    quoted(message));
  }
  void print(const Print& node, int depth) {
    std::string text = "print";
    for (const Print::Piece& piece : node.pieces)
      text += " " + (piece.value ? expressions_.expr(piece.value) : quoted(piece.text));
    line(depth, text);
  }

  const Module& module_;
  Expressions expressions_;
  std::string text_;
};

}  // namespace

std::string print(const Module& module) { return Printer(module).print(); }

}  // namespace pykc::checked
