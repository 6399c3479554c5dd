// Checks the code of one function (or one constant of a module). The class is one; its methods are spread over files by
// subject, named in the sections below.
//
// The same rules run twice. First as a trial, which only finds out types: check_infer.cpp evaluates what is assigned to
// variables until no type changes any more. Then for good: check_statement.cpp walks the body in order, reports errors
// and builds the tree. A trial reports nothing and its trees are thrown away.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/check/expressions/tree.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/scope.h"
#include "frontend/check/types/flow.h"
#include "frontend/syntax/ast.h"

namespace pykc::checker {

/// The type of a parameter in a signature or a request.
std::optional<checked::Type> type_of_argument(const ArgumentType& argument);
/// Whether a launch converts a number of the one type to the other: what has a fraction does not lose it.
bool launch_converts(const checked::Type& given, const checked::Type& stated);

/// "`+`", "`==`"
std::string spelling(ast::BinaryOp op);
std::string_view spelling(ast::CompareOp op);
/// Whether a variable that is given this value shares it, in Python, with something else.
bool shares_record(const checked::Expr& value);

/// A record of a `@struct class`, and the type of a reference to one: an array without dimensions.
inline bool is_struct(const checked::Type& type) {
  return type.is_record() && type.record->kind == RecordType::Kind::Struct;
}
inline checked::Type reference_type(const RecordRef& record, ir::AddressSpace space = ir::AddressSpace::Global) {
  return checked::Type::of(ArrayType{record, Layout::RowMajor, {}}, space);
}

/// How many numbers and arrays a value of the type is made of, and how many a tuple or a record may be made of.
std::size_t count_numbers(const checked::Type& type);
inline constexpr std::size_t kMostNumbers = 256;

/// The positions that a slice with constant bounds takes of a sequence: `count` of them, `step` apart.
struct Positions {
  Int128 start, step, count;
};
Positions positions_of(const checked::ViewAxis& slice, Int128 size);

class Body {
 public:
  /// For a constant of a module, a decorator, an annotation: no variables, reports at once.
  Body(Session& session, const Scope& scope);
  /// For a function's body.
  Body(Session& session, FunctionDecl& function, Specialization& specialization, bool is_trial);
  Body(const Body&) = delete;

  void infer();                      // check_infer.cpp: fills Specialization::locals and result
  void emit(checked::Function& to);  // check_function.cpp
  /// Only whether the names that the function uses exist: check_generic.cpp.
  void check_names(const FunctionDecl& function);

  Entity entity(const ast::Expr& expr);
  Value value(const ast::Expr& expr);
  std::optional<Int128> constant_integer(const ast::Expr& expr, std::string_view what);
  std::optional<bool> constant_bool(const ast::Expr& expr, std::string_view what);
  std::optional<ScalarType> scalar_type(const ast::Expr& expr);
  std::optional<ElementType> element_type(const ast::Expr& expr);
  /// The type that an annotation spells; none, and a report, for anything else. check_annotation.cpp
  std::optional<checked::Type> annotation(const ast::Expr& expr);
  /// Whether it is constant memory that the host fills.
  bool is_host_constant(const ConstantDecl& constant);
  Entity module_constant(const ConstantDecl& constant);
  static bool is_known_constant(const Value& value);
  static bool has_captures(const checked::Type& type);
  /// Whether a value of type `given` may be passed, as it is, where `stated` is annotated.
  static bool fits_parameter(const checked::Type& stated, const checked::Type& given);
  Entity member(const NamespaceRef& space, std::string_view name, SourceRange range);

  template <typename... Text>
  Diagnostics::Builder report(SourceRange range, DiagnosticId id, const Text&... arguments) {
    return session_.diagnostics(is_trial_).report(scope_.file(), range, id, arguments...);
  }

 private:
  using Expr = checked::Expr;
  using Arguments = std::vector<const ast::Expr*>;  // one a parameter; null where it is left out

  struct Local {
    const LocalDecl* decl = nullptr;
    InferredType type;
    bool is_fixed = false;  // by an annotation
    checked::Variable* variable = nullptr;
    const Expr* alias = nullptr;       // an array that never changes: what the name stands for
    const Expr* only_value = nullptr;  // of a variable that is assigned once
    std::optional<Value> bound;        // in a turn of an unrolled loop: the item that the name stands for
    bool needs_zero = false;           // may be read before it is assigned
    std::vector<int> readers;          // sites whose types depend on it
  };
  struct LoopFrame {
    FlowState on_break;
    FlowState on_continue;  // of an unrolled turn
  };
  struct Unified {
    ScalarType type;
    Weak weak;
  };
  /// What a `for` goes through.
  struct Iteration {
    bool is_unrolled = false;
    std::vector<Value> turns;                         // unrolled: the items
    std::array<Value, 3> range;                       // else: start, stop and step of what is counted,
    bool counts_itself = false;                       // which are the items,
    std::function<Value(const Value& counter)> item;  // or give them
  };
  static constexpr int kMostUnrolledBodies = 8192;  // of loops within each other
  /// One of the things between the brackets of `a[i, 1:n, None, ...]`.
  struct IndexItem {
    enum class Kind : std::uint8_t { Position, Slice, NewAxis, Ellipsis };
    Kind kind;
    Value position;
    checked::ViewAxis slice;
    SourceRange range;
  };

  // check_expression.cpp: one function a kind of node.
  Entity check(const ast::IntLiteral& node, const ast::Expr& expr);
  Entity check(const ast::FloatLiteral& node, const ast::Expr& expr);
  Entity check(const ast::ImaginaryLiteral& node, const ast::Expr& expr);
  Entity check(const ast::BoolLiteral& node, const ast::Expr& expr);
  Entity check(const ast::StringLiteral& node, const ast::Expr& expr);
  Entity check(const ast::FormattedString& node, const ast::Expr& expr);
  Entity check(const ast::NoneLiteral& node, const ast::Expr& expr);
  Entity check(const ast::EllipsisLiteral& node, const ast::Expr& expr);
  Entity check(const ast::Name& node, const ast::Expr& expr);
  Entity check(const ast::Attribute& node, const ast::Expr& expr);
  Entity check(const ast::Subscript& node, const ast::Expr& expr);
  Entity check(const ast::Slice& node, const ast::Expr& expr);
  Entity check(const ast::Call& node, const ast::Expr& expr);
  Entity check(const ast::Starred& node, const ast::Expr& expr);
  Entity check(const ast::Tuple& node, const ast::Expr& expr);
  Entity check(const ast::List& node, const ast::Expr& expr);
  Entity check(const ast::Unary& node, const ast::Expr& expr);
  Entity check(const ast::Binary& node, const ast::Expr& expr);
  Entity check(const ast::Logical& node, const ast::Expr& expr);
  Entity check(const ast::Compare& node, const ast::Expr& expr);
  Entity check(const ast::Conditional& node, const ast::Expr& expr);
  Entity check(const ast::Lambda& node, const ast::Expr& expr);
  Entity check(const ast::Comprehension& node, const ast::Expr& expr);
  Entity check(const ast::Unsupported& node, const ast::Expr& expr);
  Entity unsupported(SourceRange range, std::string_view what, std::string_view instead);
  Value to_value(Entity entity, SourceRange range);
  Value value_in_tuple(const ast::Expr& element);
  Value without_weakness(Value value) const;
  /// Evaluates by the rules of another dialect.
  template <typename Evaluate>
  auto under_rules(Dialect dialect, Evaluate evaluate) {
    const TypingRules* const outer = std::exchange(rules_, &rules_of(dialect));
    auto result = evaluate();
    rules_ = outer;
    return result;
  }
  void report_not_a_value(const Entity& entity, SourceRange range);
  Entity value_attribute(const Value& value, const ast::Attribute& node, SourceRange range);
  Value scalar(const ast::Expr& expr, std::string_view what);
  bool require_scalar(const Value& value, std::string_view what);

  // check_resolve.cpp: names and attributes.
  Entity resolve(std::string_view name, SourceRange range);
  Entity of_binding(const Binding& binding, std::string_view name, SourceRange range);
  Entity of_entry(const NameEntry& entry, SourceRange range);
  Entity read_local(int index, SourceRange range);
  Value placed(const Value& value, SourceRange range);
  void report_unassigned(Local& local, SourceRange range);
  Value extent(const Value& array, int dimension, SourceRange range);
  std::vector<std::string_view> visible_names() const;
  void suggest(Diagnostics::Builder diagnostic, std::string_view name,
               const std::vector<std::string_view>& known) const;

  // check_annotation.cpp
  std::optional<checked::Type> subscript_annotation(const ast::Subscript& node);
  std::optional<checked::Type> tuple_annotation(const ast::Subscript& node);
  std::optional<Dimension> dimension(const ast::Expr& part);

  // check_convert.cpp: types that meet.
  std::optional<Unified> unify(const Value& a, const Value& b, TypingRules::Meet meet);
  std::optional<Unified> unify_all(std::span<const Value> values, TypingRules::Meet meet, SourceRange range);
  void report_no_common_type(const Value& a, const Value& b, SourceRange range);
  /// As NumPy's assignment converts; warns of a lost fraction.
  const Expr* convert_for_assignment(const Value& value, ScalarType to, SourceRange range);
  Value convert_to(const Value& value, const InferredType& to, SourceRange range);
  const Expr* truth(const Value& value);
  const Expr* condition(const ast::Expr& expr);
  Value cast_value(const Value& value, ScalarType to, SourceRange range);
  /// When an f64 operation on numbers of f32 costs no more than that of f32.
  enum class Narrowing : std::uint8_t { Never, WhereStored, Always };
  void note_double(const Value& a, const Value& b, SourceRange range, Narrowing narrowing);
  void warn_of_double();
  void warn_of_late_widening(const Value& value, ScalarType to);

  // check_operator.cpp, check_compare.cpp, check_power.cpp
  Value binary(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value arithmetic(checked::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value divide(const Value& left, const Value& right, SourceRange range);
  Value bitwise(checked::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value shift(checked::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  bool raises_at(const Value& divisor) const;
  Value division_that_raises(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value fold_weak_integers(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value whole_number(Int128 value, SourceRange range);
  Value unary(ast::UnaryOp op, const Value& operand, SourceRange range);
  Value inverted_bool(const Value& operand, SourceRange range);
  bool require_numbers(std::string_view what, const Value& left, const Value& right, SourceRange range);
  Value compare(ast::CompareOp op, const Value& left, const Value& right, SourceRange range);
  const Expr* compare_mixed_signs(checked::CompareOp op, const Value& left, const Value& right, SourceRange range);
  Value compare_parts(ast::CompareOp op, const Value& left, const Value& right, SourceRange range);
  Entity compare_types(const TypeRef& left, const ast::Compare& node, SourceRange range);
  Value concatenate(const Value& left, const Value& right, SourceRange range);
  Value member_of_tuple(ast::CompareOp op, const Value& item, const Value& tuple, SourceRange range);
  Entity compare_with_none(const ast::Compare& node, SourceRange range);
  Value chain(const ast::Compare& node, std::size_t from, Value left, SourceRange range);
  Value choose(const Expr* condition, const Value& then, const Value& otherwise, SourceRange range);
  Value power(const Value& base, const Value& exponent, SourceRange range);
  std::optional<int> count_of_factors(const Value& exponent);
  const Expr* power_by_products(const Expr* base, int exponent, SourceRange range);
  const Expr* product_of(const Expr* factor, int count, SourceRange range);
  const Expr* power_of_half(const Expr* base, SourceRange range);
  Value fold_weak_power(const Value& base, const Value& exponent, SourceRange range);

  /// Evaluates `value` once for `body` to use any number of times.
  template <typename Make>
  const Expr* with_temporary(const Expr* value, Make make_body) {
    if (is_simple(*value)) return make_body(value);
    const checked::Variable* variable = temporary(value->type, value->range);
    const Expr* body = make_body(tree_.make(value->type, value->range, checked::VariableRef{variable}));
    return body ? tree_.make(body->type, value->range, checked::Let{variable, value, body}) : nullptr;
  }
  /// The elements of a tuple, each to be used once; the tuple itself is evaluated once.
  template <typename Make>
  const Expr* with_parts(const Value& tuple, Make make_body) {
    if (!tuple.elements.empty() || tuple.expr->as<checked::TupleExpr>()) return make_body(take_apart(tuple));
    return with_temporary(tuple.expr, [&](const Expr* kept) { return make_body(take_apart({kept, Weak::No, {}})); });
  }
  const checked::Variable* temporary(const checked::Type& type, SourceRange range);

  // check_index.cpp
  Value index(const Value& array, std::vector<Value> indices, SourceRange range);
  Value index_tuple(const Value& tuple, const IndexItem& item, SourceRange range);
  Value index_by_variable(const Value& tuple, const Value& index, SourceRange range);
  const Expr* in_tuple(const Expr* index, std::size_t size, const Expr* element, SourceRange range);
  Value tuple_slice(const Value& tuple, const checked::ViewAxis& slice, SourceRange range);
  std::optional<std::vector<Value>> index_list(const ast::Expr& index);
  std::vector<Value> take_apart(const Value& tuple);
  bool add_unpacked(const ast::Starred& starred, std::vector<Value>& values);
  Value component(const Value& tuple, std::size_t at, SourceRange range);
  const Expr* index_value(const Value& array, const Value& index, int dimension);
  const Expr* index_number(const Value& index);
  void report_index_count(const Value& array, int given, SourceRange range);
  std::string name_of_array(const Expr& array) const;
  int bounds_fault(const Expr& array, SourceRange range);

  // check_closure.cpp: functions as values, functions inside functions, constants as arguments.
  Value static_value(const Entity& entity, const std::vector<Value>& captures, SourceRange range);
  Entity opened(const Entity& entity) const;
  std::vector<Value> captures_of(const Entity& named);
  Value closure(const ast::FunctionDef& def, SourceRange range);
  const ast::FunctionDef* own_closure(const Value& value) const;
  Value as_of_now(const Value& value, SourceRange range);
  std::optional<Value> constant_parameter(const checked::Type& type) const;
  std::optional<Value> constant_argument(const Value& given, std::string_view parameter, SourceRange range);

  // check_view.cpp: parts of arrays, and arrays seen in another way.
  std::optional<std::vector<IndexItem>> index_items(const ast::Expr& index);
  bool add_index_item(const ast::Expr& part, bool may_be_tuple, std::vector<IndexItem>& items);
  std::optional<checked::ViewAxis> slice_axis(const ast::Slice& slice);
  Value select(const Value& array, const std::vector<IndexItem>& items, SourceRange range);
  Value view_of(const Value& array, checked::View view, SourceRange range);
  Value transposed(const Value& array, std::vector<int> order, SourceRange range);
  Value reshaped(const Value& array, const std::vector<Value>& extents, SourceRange range);
  Value flattened(const Value& array, std::string_view what, SourceRange range);
  Value reinterpreted(const Value& array, ScalarType element, SourceRange range);
  bool require_row_major(const Value& array, std::string_view what, SourceRange range);
  Entity array_attribute(const Value& array, const ast::Attribute& node, SourceRange range);
  Value measured(const Value& array, std::string_view name, SourceRange range);
  Entity call_method(const MethodRef& method, const ast::Call& call, SourceRange range);
  Value copied(const Value& array, SourceRange range);
  Value call_transpose(const Value& array, const std::vector<Value>& axes, SourceRange range);
  Value item_of(const Value& array, std::vector<Value> position, SourceRange range);

  // check_store.cpp: assignment to parts of arrays.
  const Expr& origin(const Expr& array) const;
  bool is_unchanged_parameter(const Expr& array) const;
  bool is_own_memory(const Expr& array) const;
  bool may_overlap(const Value& target, const Value& source) const;
  bool have_one_shape(const Value& target, const Value& source) const;
  void store_array(const Value& target, const Value& source, std::optional<ast::BinaryOp> op, SourceRange range);
  void store_elements(const Value& target, const Value& source, std::optional<ast::BinaryOp> op, SourceRange range);
  void over_elements(const Value& array, SourceRange range,
                     const std::function<void(const std::vector<const Expr*>&)>& body);
  void check_shapes(const Value& target, const Value& source, bool may_repeat, SourceRange range);
  Value element_in_bounds(const Value& array, const std::vector<const Expr*>& indices, SourceRange range);

  // check_ufunc.cpp
  std::optional<Arguments> ufunc_arguments(const Ufunc& ufunc, const ast::Call& call, SourceRange range);
  Entity call_ufunc(const Ufunc& ufunc, const ast::Call& call, SourceRange range);
  bool store_ufunc(const Ufunc& ufunc, const ast::Call& call, SourceRange range);
  Value apply(const Ufunc& ufunc, const std::vector<Value>& inputs, SourceRange range);
  Value apply(NumpyFunction function, const Value& x, const Value& y, SourceRange range);
  FunctionDecl* complex_form(const Ufunc& ufunc) const;
  Value call_complex_form(FunctionDecl& function, const std::vector<Value>& inputs, SourceRange range);
  const Expr* truth_of_number(const Value& number, SourceRange range);
  Value numpy_extremum(BuiltinId id, const Value& x, const Value& y, SourceRange range);
  bool require_broadcast(const Value& out, const Value& source, SourceRange range);
  Value broadcast_element(const Value& source, const Value& out, const std::vector<const Expr*>& indices,
                          SourceRange range);

  // check_reduction.cpp
  Entity call_reduction(const ReductionRef& reduction, const ast::Call& call, SourceRange range);
  bool require_numbers_of(const Value& array, const Reduction& reduction, const std::string& name);
  Value reduce(const Reduction& reduction, const Value& array, SourceRange range);

  // check_record.cpp
  Value field(const Value& record, std::size_t index, SourceRange range);
  std::optional<std::size_t> field_index(const Value& record, std::string_view name, SourceRange range);
  Entity record_attribute(const Value& record, const ast::Attribute& node, SourceRange range);
  Value index_by_name(const Value& record, const ast::Expr& index, SourceRange range);
  void assign_field(const ast::Attribute& node, const ast::Expr& target, const Value& value, SourceRange range);
  bool may_change_fields(const ast::Expr& target);
  static bool is_place_target(const ast::Attribute& target);
  Entity field_view(const Value& array, std::string_view name, SourceRange name_range, SourceRange range);
  Entity call_record(const RecordRef& type, const ast::Call& call, SourceRange range);
  Entity call_struct(const ClassDecl& decl, const ast::Call& call, SourceRange range);
  Entity call_vector(const RecordRef& type, const ast::Call& call, SourceRange range);
  const Expr* vector_of(const RecordRef& type, std::span<const Value> given, std::vector<Value> components,
                        SourceRange range);
  Value record_binary(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value vector_binary(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value record_unary(ast::UnaryOp op, const Value& operand, SourceRange range);
  Value compare_records(ast::CompareOp op, const Value& left, const Value& right, SourceRange range);

  // check_complex.cpp
  struct Parts {
    const Expr* real;
    const Expr* imaginary;  // null: the number is real
  };
  Value part_of(const Value& number);
  Unified unify_parts(const Value& a, const Value& b, SourceRange range);
  template <typename Make>
  const Expr* with_complex(const Value& number, ScalarType part, Make make);
  template <typename Make>
  Value complex_result(const Value& left, const Value& right, SourceRange range, Make make);
  Value complex_binary(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range);
  Value complex_product(Parts a, Parts b, SourceRange range);
  Value complex_quotient(Parts a, Parts b, SourceRange range);
  Value complex_power(const Value& base, const Value& exponent, SourceRange range);
  Value factors(const Value& base, int count, SourceRange range);
  Value polar_power(Parts a, Parts b, SourceRange range);
  Value complex_negate(ast::UnaryOp op, const Value& operand, SourceRange range);
  Value conjugate(const Value& operand, SourceRange range);
  Value complex_magnitude(const Value& operand, SourceRange range);
  Value compare_complex(ast::CompareOp op, const Value& left, const Value& right, SourceRange range);
  Value to_complex(const Value& number, ScalarType part, SourceRange range);
  Entity call_complex(const RecordRef& type, const ast::Call& call, SourceRange range);
  Entity call_python_complex(const ast::Call& call, SourceRange range);
  Entity complex_of_tuple(const Value& tuple, SourceRange range);
  Value complex_of(const Value& real, const Value& imaginary, SourceRange range);

  // check_class.cpp
  Entity of_class(ClassDecl& decl, SourceRange range);
  Entity class_member(const ClassDecl& decl, const std::string& name, SourceRange range);
  Value member_value(const MemberRef& member, SourceRange range);
  Entity call_class(const ClassDecl& decl, const ast::Call& call, SourceRange range);
  Entity call_named_tuple(const ClassDecl& decl, const ast::Call& call, SourceRange range);
  std::optional<std::vector<Value>> field_values(const ClassDecl& decl, const ast::Call& call, SourceRange range);
  Value with_names(Value tuple, const std::vector<std::string>& names);
  Entity make_named_tuple(const ast::Call& call, SourceRange range);
  std::optional<checked::Type> tuple_type(const ClassDecl& decl, SourceRange range);

  // check_call.cpp
  std::optional<Arguments> bind_arguments(const ast::Call& call, SourceRange range, std::string_view name,
                                          std::span<const std::string_view> parameters, std::size_t required,
                                          std::string_view signature);
  bool has_no_keywords(const ast::Call& call, std::string_view name);
  Entity call_type(ScalarType type, const ast::Call& call, SourceRange range);
  struct Given {
    Value value;
    SourceRange range;
  };
  Value call_function(FunctionDecl& function, const ast::Call& call, const std::vector<Value>& captures,
                      SourceRange range);
  std::optional<std::vector<Given>> given_arguments(const FunctionDecl& function, const ast::Call& call,
                                                    SourceRange range);
  Value argument_value(Entity given, SourceRange range);
  std::optional<std::vector<Given>> positional_arguments(const ast::Call& call);
  std::optional<Value> variadic_argument(FunctionDecl& function, std::size_t index, const Value& tuple);
  Value call_specialized(FunctionDecl& function, std::vector<Value> arguments, SourceRange range);
  std::optional<Value> argument_for(FunctionDecl& function, std::size_t index, const Value& given, SourceRange range);
  Value reference_to(const Value& record, SourceRange range);
  std::string signature_of(const FunctionDecl& function) const;

  // check_builtin.cpp, check_atomic.cpp
  Value call_builtin(const BuiltinRef& builtin, const ast::Call& call, SourceRange range);
  Value apply_builtin(const BuiltinRef& builtin, std::vector<Value> given, SourceRange range);
  std::optional<ScalarType> class_type(BuiltinId id, char letter, std::span<const Value> arguments, SourceRange range);
  std::optional<ScalarType> word_type(BuiltinId id, std::span<const Value> arguments, ScalarType type);
  bool computes_in_f32(BuiltinId id);
  const Expr* builtin_argument(BuiltinId id, const SignatureParameter& parameter, const Value& given, ScalarType type);
  Value builtin_result(BuiltinId id, std::vector<const Expr*> arguments, ScalarType type, SourceRange range);
  Value call_library(BuiltinId id, const std::vector<const Expr*>& arguments, SourceRange range);
  Value fold_math(BuiltinId id, std::span<const Value> arguments, SourceRange range);
  const Expr* fold_constants(BuiltinId id, std::span<const Expr* const> arguments, ScalarType type, SourceRange range);
  void report_argument_type(BuiltinId id, const Value& given, std::string_view wanted);
  Value call_on_element(BuiltinId id, const Arguments& arguments, SourceRange range);
  Value call_memcpy_async(const Arguments& arguments, SourceRange range);
  Value element_argument(BuiltinId id, const ast::Expr& array, const ast::Expr* index, bool is_written);
  bool require_element_type(BuiltinId id, const Value& element, SourceRange range, std::span<const ScalarType> types);
  bool read_ordering(BuiltinId id, std::size_t parameter, const ast::Expr& argument, checked::Ordering& ordering);
  Value property(BuiltinId id, SourceRange range);

  // check_special.cpp: calls that are more than a row of the table.
  Entity call_special(Special special, const ast::Call& call, SourceRange range);
  Entity call_ptx(const ast::Call& call, SourceRange range);  // check_ptx.cpp
  Value call_external(FunctionDecl& function, const std::vector<Value>& arguments, SourceRange range);
  std::optional<checked::Type> ptx_result(const ast::Expr& argument);
  std::optional<Entity> call_group_sync(const ast::Call& call, const ast::Expr& group, SourceRange range);
  Entity call_bit_count(const ast::Call& call, const ast::Expr& number, SourceRange range);
  Entity call_len(const ast::Call& call, SourceRange range);
  Entity call_abs(const ast::Call& call, SourceRange range);
  Value absolute(const Value& number, SourceRange range);
  Entity call_round(const ast::Call& call, SourceRange range);
  Entity call_sum(const ast::Call& call, SourceRange range);
  Entity call_tuple(const ast::Call& call, SourceRange range);
  Entity call_any_all(bool is_all, const ast::Call& call, SourceRange range);
  void static_assert_(const ast::Call& call, SourceRange range);
  Entity call_isinstance(const ast::Call& call, SourceRange range);
  std::string_view name_of_python(const ast::Expr& expr) const;
  std::optional<bool> is_instance(const Value& value, const ast::Expr& type);
  Entity call_pow(const ast::Call& call, SourceRange range);
  Entity call_divmod(const ast::Call& call, SourceRange range);
  Entity call_shared_array(const ast::Call& call, SourceRange range);
  Entity call_local_array(const ast::Call& call, SourceRange range);
  Value own_array(ArrayType type, SourceRange range, int alignment = 0);
  Entity host_constant(const ConstantDecl& constant, const ast::Call& call);
  Entity misplaced_const_array(SourceRange range);
  Entity call_const_array_like(const ast::Call& call, SourceRange range);
  Entity over_axes(const ast::Call& call, SourceRange range, std::string_view name,
                   Value (Body::*along)(int, SourceRange));
  Value thread_along(int axis, SourceRange range);
  Value threads_along(int axis, SourceRange range);
  Value extremum(BuiltinId id, std::string_view name, const ast::Call& call, SourceRange range);
  Value round_to_digits(const Value& number, const Value& digits, SourceRange range);

  // check_array.cpp: arrays that a kernel declares, and constant memory.
  struct Shape {
    std::vector<std::int64_t> extents;  // static, or
    std::vector<const Expr*> dynamic;   // over the launch
    std::vector<LaunchExpression> launch_sizes;
    bool takes_launch_bytes = false;
    int alignment = 0;  // in bytes; 0: as it comes
  };
  std::optional<int> alignment_of(const ast::Expr& expr, int most);
  std::optional<Shape> shape(const ast::Expr& expr, std::string_view what, bool may_be_dynamic);
  bool launch_expression(const Expr& expr, LaunchExpression& out) const;
  std::optional<std::pair<Shape, ElementType>> shape_and_type(const ast::Call& call, SourceRange range,
                                                              std::string_view name, bool may_be_dynamic);
  const Expr* launch_value(const LaunchExpression& expression, SourceRange range);
  Value table_value(const Table* table, SourceRange range);

  // check_array_function.cpp: NumPy's functions that make arrays, of constants.
  Entity call_array_function(Special special, const ast::Call& call, SourceRange range);
  std::optional<ElementType> dtype(const ast::Expr& expr);
  std::optional<RecordField> field_of_dtype(const ast::Expr& expr);
  Entity call_dtype(const Arguments& arguments, SourceRange range);
  static ElementType type_as_element(const Value& value);
  std::optional<std::vector<std::int64_t>> constant_extents(const ast::Expr& expr);
  Entity array_of_one(const std::vector<std::int64_t>& extents, const ElementType& type, const Value& fill,
                      SourceRange range);
  Entity array_of_number(const Arguments& arguments, int number, SourceRange range);
  Entity constant_zeros(const Arguments& arguments, SourceRange range);
  Entity constant_ones(const Arguments& arguments, SourceRange range);
  Entity constant_full(const Arguments& arguments, SourceRange range);
  Entity array_like(const ast::Expr& model, const ast::Expr* dtype_given, const Value& fill, SourceRange range);
  Entity constant_zeros_like(const Arguments& arguments, SourceRange range);
  Entity constant_ones_like(const Arguments& arguments, SourceRange range);
  Entity constant_full_like(const Arguments& arguments, SourceRange range);
  std::optional<Value> constant_number(const ast::Expr& expr, std::string_view what);
  Entity sequence(std::int64_t count, const ElementType& type, SourceRange range,
                  const std::function<Value(std::int64_t)>& number);
  Entity constant_arange(const Arguments& arguments, SourceRange range);
  Entity constant_linspace(const Arguments& arguments, SourceRange range);
  Entity constant_eye(const Arguments& arguments, SourceRange range);
  Value rows_of(const Table& table, SourceRange range);
  bool list_elements(const ast::Expr& expr, bool tuples_are_rows, std::size_t depth, std::vector<std::int64_t>& extents,
                     std::vector<Value>& elements);
  Entity array_of_object(const Arguments& arguments, SourceRange range);
  Entity table(const ast::Expr& expr, const ElementType* dtype);
  Entity table_of(const Value& nested, const ElementType* dtype, SourceRange range);
  Entity table_of_elements(std::vector<std::int64_t> extents, const std::vector<Value>& elements,
                           const ElementType* dtype, SourceRange range);
  std::optional<ElementType> common_element_type(const std::vector<Value>& elements, SourceRange range);
  bool flatten_table(const Value& value, std::size_t depth, std::vector<std::int64_t>& extents,
                     std::vector<Value>& numbers);

  // check_constant_array.cpp: operators, parts, attributes and methods of arrays of constants.
  bool has_table(std::span<const Entity> operands) const;
  Value constant_at(const char* bytes, const ElementType& type, SourceRange range);
  Value constant_at(const Table& table, std::int64_t index, SourceRange range);
  bool append_constant(const Value& value, const ElementType& type, std::string& bytes, SourceRange range);
  void flatten(const Value& value, const RecordField& field, std::vector<Value>& elements);
  void report_too_many_constants(SourceRange range);
  Value numpy_cast(const Value& value, const ElementType& type, SourceRange range);
  Entity elementwise(std::span<const Entity> operands, ScalarType (*computing)(ScalarType), SourceRange range,
                     const std::function<Value(const std::vector<Value>&)>& apply);
  Entity constant_binary(ast::BinaryOp op, const Entity& left, const Entity& right, SourceRange range);
  Entity constant_unary(ast::UnaryOp op, const Entity& operand, SourceRange range);
  Entity constant_compare(ast::CompareOp op, const Entity& left, const Entity& right, SourceRange range);
  Entity constant_ufunc(const Ufunc& ufunc, std::span<const Entity> operands, SourceRange range);
  Entity index_constants(const Table& table, const ast::Expr& index, SourceRange range);
  Entity constant_field(const Table& table, std::string_view name, SourceRange range);
  Entity constant_attribute(const Table& table, const ast::Attribute& node, SourceRange range);
  static Table reversed_axes(const Table& table);
  Entity converted_constants(const Table& table, const ElementType& type, SourceRange range);
  Entity reshaped_constants(const Table& table, const std::vector<Value>& given, SourceRange range);
  Entity call_constant_method(const Table& table, const ast::Call& call, SourceRange range);

  // check_statement.cpp: one function a kind of node.
  checked::Suite suite(const ast::Suite& statements);
  void statement(const ast::Stmt& stmt);
  void check(const ast::ExprStmt& node, const ast::Stmt& stmt);
  void check(const ast::Assign& node, const ast::Stmt& stmt);
  void check(const ast::AnnotatedAssign& node, const ast::Stmt& stmt);
  void check(const ast::AugmentedAssign& node, const ast::Stmt& stmt);
  void check(const ast::If& node, const ast::Stmt& stmt);
  void check(const ast::While& node, const ast::Stmt& stmt);
  void check(const ast::For& node, const ast::Stmt& stmt);
  void check(const ast::Break& node, const ast::Stmt& stmt);
  void check(const ast::Continue& node, const ast::Stmt& stmt);
  void check(const ast::Pass& node, const ast::Stmt& stmt);
  void check(const ast::Return& node, const ast::Stmt& stmt);
  void check(const ast::Assert& node, const ast::Stmt& stmt);
  void check(const ast::Raise& node, const ast::Stmt& stmt);
  void check(const ast::With& node, const ast::Stmt& stmt);
  void check(const ast::FunctionDef& node, const ast::Stmt& stmt);
  void check(const ast::ClassDef& node, const ast::Stmt& stmt);
  void check(const ast::Import& node, const ast::Stmt& stmt);
  void check(const ast::UnsupportedStmt& node, const ast::Stmt& stmt);
  void append(decltype(checked::Stmt::node) node, SourceRange range);
  void print(const ast::Call& call, SourceRange range);
  Entity along_axes(const NamespaceRef& space, SourceRange range);
  const Expr* lacks_point(const Value& number);
  void print_value(const Value& value, std::vector<checked::Print::Piece>& pieces);
  std::string fault_message(const ast::Expr& message);
  int add_fault(std::string message, SourceRange range);

  void store(const Value& element, const Value& value, SourceRange range);
  void append_check(const Expr* condition, std::string message, std::vector<const Expr*> values, SourceRange range);
  const Expr* convert_result(const Value& given, const InferredType& wanted, SourceRange range);
  bool outlives_function(const Value& value) const;

  // check_iterate.cpp
  std::optional<Special> special_of(const ast::Call& call);
  std::optional<Iteration> iteration(const ast::Expr& iterable);
  std::optional<Iteration> over_range(const ast::Call& call, SourceRange range);
  Iteration over_array(const Value& array, SourceRange range);
  Iteration over_tuple(const Value& tuple);
  std::optional<Iteration> over_enumerate(const ast::Call& call, SourceRange range);
  std::optional<Iteration> over_zip(const ast::Call& call, SourceRange range);
  std::optional<Iteration> over_reversed(const ast::Call& call, SourceRange range);
  std::optional<Iteration> over_unroll(const ast::Call& call, SourceRange range);
  Iteration from_zero(Iteration source, SourceRange range);
  Iteration counted(Iteration source, SourceRange range);
  Value range_length(const std::array<Value, 3>& bounds, SourceRange range);
  void counted_loop(const ast::For& node, const Iteration* source, SourceRange range);
  void unrolled_loop(const ast::For& node, const std::vector<Value>& turns, SourceRange range);
  const LocalSet& assigned_in(const ast::For& node);
  void bind_target(const ast::Expr& target, const Value& item, const LocalSet& assigned, bool keeps);
  void unbind_target(const ast::Expr& target);
  bool all_fit(const ast::Expr& target, const std::vector<Value>& items) const;
  bool is_read_outside(const ast::For& node) const;
  static const std::vector<ast::ExprPtr>* targets_of(const ast::Expr& target);

  // check_loop.cpp
  std::optional<std::array<Value, 3>> range_arguments(const ast::Call& call, SourceRange range);
  Value in_range(ast::CompareOp op, const Value& item, const ast::Call& call, SourceRange range);
  static bool runs_at_least_once(const std::array<Value, 3>& range);
  checked::ForRange counted_loop(const Value& count, SourceRange range);
  void enter_loop(const ast::Suite& body, const ast::Expr* target);
  void leave_loop(FlowState exhausted, const ast::Suite& otherwise, checked::Suite& otherwise_suite);
  void mark_assigned(const ast::Expr& target, LocalSet& set) const;
  void mark_assigned(const ast::Stmt& stmt, LocalSet& set) const;
  void mark_assigned(const ast::Suite& suite, LocalSet& set) const;

  // check_assign.cpp
  void assign(const ast::Expr& target, const Value& value, SourceRange range);
  void assign_local(int index, const Value& value, SourceRange range);
  bool is_fixed_array(const Local& local, const Expr& array) const;
  void name_array(const Local& local, const Expr& array);
  std::optional<std::vector<Value>> parts_for(const std::vector<ast::ExprPtr>& targets, const Value& tuple);
  void assign_tuple(const std::vector<ast::ExprPtr>& targets, const ast::Expr& target, const Value& value,
                    SourceRange range);
  Value place(const ast::Expr& target);
  Value stable_element(const Value& element);
  bool require_writable(const Value& place, SourceRange range);
  Value stored(const Value& value, SourceRange range);
  Value stored_once(const Value& value, SourceRange range);
  Value kept_apart(const Value& value, SourceRange range);
  const checked::Variable* variable_of(Local& local);
  void mark_defined(int index);
  std::optional<int> local_index(std::string_view name, SourceRange at) const;

  // check_function.cpp
  void bind_parameters();
  void set_to_zero(checked::Suite& prologue);
  bool computes_in_single() const;
  void warn_of_locals();

  // check_generic.cpp
  void check_names(const ast::Stmt& stmt);
  void check_names(const ast::Expr& expr);
  Entity static_entity(const ast::Expr& expr);

  // check_infer.cpp
  void declare_locals();
  void infer_site(const ast::Stmt& stmt);
  void under_guards(int number, const std::function<void()>& run);
  void under_condition(int number, const ast::Expr& test, const std::function<void()>& run);
  void under_loop(int number, const ast::For& loop, const std::function<void()>& run);
  void contribute_items(const ast::For& loop);
  void contribute(const ast::Expr& target, const Value& value);
  void contribute_to(int index, const InferredType& type);
  void contribute_to_result(const InferredType& type);
  void run_pending();

  Session& session_;
  const Scope& scope_;
  TreeBuilder tree_;
  FunctionDecl* function_ = nullptr;
  Specialization* specialization_ = nullptr;
  checked::Function* output_ = nullptr;
  const bool is_trial_;
  const TypingRules* rules_;  // of the function's dialect, or of the expression's
  std::vector<Local> locals_;
  std::map<const ast::For*, LocalSet> assigned_in_;
  std::set<const ast::FunctionDef*> open_closures_;  // whose captures are being read
  int unrolled_bodies_ = 1;  // how often the current statement is compiled, with the unrolled loops around it

  // While inferring.
  std::set<int> pending_;
  std::set<int> plain_guards_;  // those that take their statements once, whatever the types
  int site_ = -1;
  bool returns_value_ = false;
  bool met_own_call_ = false;  // a call of the function itself whose result is not known yet

  // While emitting.
  checked::Suite* suite_ = nullptr;
  FlowState flow_;
  std::vector<LoopFrame> loops_;
  bool warns_of_double_ = false;
  struct AccidentalDouble {
    SourceRange range, wide;
    ScalarType type;  // of what is wide
    bool narrows_where_stored;
  };
  std::optional<AccidentalDouble> accidental_double_;  // the first one
};

}  // namespace pykc::checker
