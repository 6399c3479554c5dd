// Checked trees by hand, for the tests of lowering.
//
//   Tree t;
//   auto* x = t.parameter("x", t.array(ScalarType::F32, {-1}));
//   t.body = {t.store(t.element(x, {t.i64(0)}), t.f32(1))};
//   EXPECT_EQ(t.text(), "…");
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/checked/tree.h"
#include "frontend/frontend.h"
#include "ir/verify/verifier.h"
#include "tests/reference/interpreter.h"

namespace pykc::lowering {

using checked::BinaryOp;
using checked::CompareOp;
using checked::ExprRef;
using checked::Suite;
using checked::Variable;

constexpr std::int64_t kDynamic = ArrayType::kDynamic;

inline checked::Type scalar(ScalarType type) { return checked::Type::of(type); }

class Tree {
 public:
  /// A kernel @k; `add_function` makes others, which later calls of `parameter` belong to.
  Tree() { add_function("k", true); }

  checked::Function* add_function(std::string name, bool is_kernel, checked::Type result = checked::Type::none()) {
    function = &module.functions.emplace_back();
    function->name = function->symbol = std::move(name);
    function->is_kernel = is_kernel;
    function->result = result;
    return function;
  }
  const Variable* parameter(std::string name, checked::Type type) {
    const auto index = static_cast<int>(function->parameters.size());
    function->parameters.push_back(&module.variables.emplace_back(Variable{std::move(name), type, true, index, {}}));
    return function->parameters.back();
  }
  const Variable* variable(std::string name, checked::Type type = scalar(ScalarType::I64)) {
    return &module.variables.emplace_back(Variable{std::move(name), type, false, -1, {}});
  }

  // Types.
  checked::Type array(ScalarType element, std::vector<std::int64_t> extents, Layout layout = Layout::RowMajor,
                      ir::AddressSpace space = ir::AddressSpace::Global) {
    return module.types.of(ArrayType{element, layout, std::move(extents)}, space);
  }
  checked::Type tuple(std::vector<checked::Type> elements) { return module.types.tuple(std::move(elements)); }

  // Expressions.
  template <typename Node>
  ExprRef expr(checked::Type type, Node node) {
    return &module.exprs.emplace_back(checked::Expr{type, {}, std::move(node)});
  }
  ExprRef constant(ScalarType type, std::uint64_t bits) { return expr(scalar(type), checked::Constant{bits}); }
  ExprRef i64(std::int64_t value) { return constant(ScalarType::I64, static_cast<std::uint64_t>(value)); }
  ExprRef f32(float value) { return constant(ScalarType::F32, std::bit_cast<std::uint32_t>(value)); }
  ExprRef boolean(bool value) { return constant(ScalarType::Bool, value); }
  ExprRef ref(const Variable* variable) { return expr(variable->type, checked::VariableRef{variable}); }
  ExprRef binary(BinaryOp op, ExprRef left, ExprRef right) {
    return expr(left->type, checked::Binary{op, left, right});
  }
  ExprRef add(ExprRef left, ExprRef right) { return binary(BinaryOp::Add, left, right); }
  ExprRef compare(CompareOp op, ExprRef left, ExprRef right) {
    return expr(scalar(ScalarType::Bool), checked::Compare{op, left, right});
  }
  ExprRef logical(bool is_and, ExprRef left, ExprRef right) {
    return expr(scalar(ScalarType::Bool), checked::Logical{is_and, left, right});
  }
  ExprRef conditional(ExprRef condition, ExprRef then, ExprRef otherwise) {
    return expr(then->type, checked::Conditional{condition, then, otherwise});
  }
  ExprRef cast(ExprRef value, ScalarType to) { return expr(scalar(to), checked::Cast{value}); }
  ExprRef element(ExprRef array, std::vector<ExprRef> indices, bool wraparound = true, int fault = -1) {
    return expr(scalar(array->type->array.element.scalar),
                checked::Element{array, std::move(indices), wraparound, fault});
  }
  ExprRef element(const Variable* array, std::vector<ExprRef> indices) {
    return element(ref(array), std::move(indices));
  }
  ExprRef builtin(BuiltinId id, checked::Type type, std::vector<ExprRef> arguments = {}) {
    return expr(type, checked::CallBuiltin{id, std::move(arguments)});
  }
  ExprRef thread() { return builtin(BuiltinId::ThreadIdxX, scalar(ScalarType::I64)); }
  ExprRef call(const checked::Function* callee, std::vector<ExprRef> arguments) {
    return expr(callee->result, checked::CallFunction{callee, std::move(arguments)});
  }
  ExprRef tuple_element(ExprRef tuple, int index) {
    return expr(tuple->type->elements[static_cast<std::size_t>(index)], checked::TupleElement{tuple, index});
  }

  // Statements.
  template <typename Node>
  const checked::Stmt* stmt(Node node) {
    return &module.stmts.emplace_back(checked::Stmt{{}, std::move(node)});
  }
  const checked::Stmt* assign(const Variable* variable, ExprRef value) {
    return stmt(checked::Assign{variable, value});
  }
  const checked::Stmt* store(ExprRef element, ExprRef value) { return stmt(checked::StoreElement{element, value}); }
  const checked::Stmt* if_(ExprRef condition, Suite then, Suite otherwise = {}) {
    return stmt(checked::If{condition, std::move(then), std::move(otherwise)});
  }
  const checked::Stmt* while_(ExprRef condition, Suite body, Suite otherwise = {}) {
    return stmt(checked::While{condition, std::move(body), std::move(otherwise)});
  }
  const checked::Stmt* for_(const Variable* variable, ExprRef start, ExprRef stop, ExprRef step, Suite body,
                            Suite otherwise = {}) {
    return stmt(checked::ForRange{variable, start, stop, step, std::move(body), std::move(otherwise)});
  }
  const checked::Stmt* return_(ExprRef value = nullptr) { return stmt(checked::Return{value}); }
  const checked::Stmt* break_() { return stmt(checked::Break{}); }
  const checked::Stmt* continue_() { return stmt(checked::Continue{}); }

  /// The IR, which must verify.
  std::unique_ptr<ir::Module> lowered() const {
    auto ir = lower(module);
    for (const std::string& error : ir::verify(*ir)) ADD_FAILURE() << error << "\n" << ir::print_module(*ir);
    return ir;
  }
  /// The IR of function @k without its first and last line.
  std::string text(std::string_view name = "k") const {
    const std::string text = ir::print_function(*lowered()->find(name));
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.size() - begin - 2);
  }
  /// Runs @k with one thread.
  reference::Outcome run(const std::vector<std::uint64_t>& parameters, const reference::Launch& launch = {}) const {
    const auto ir = lowered();
    return reference::run(*ir, *ir->find("k"), launch, parameters);
  }

  checked::Module module;
  checked::Function* function = nullptr;
};

}  // namespace pykc::lowering
