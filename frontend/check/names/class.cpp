// Classes: records (`@struct class`), enums and named tuples. Each is worked out when it is first used.
#include "frontend/check/names/class.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/advice.h"
#include "frontend/check/names/declare.h"
#include "frontend/check/types/annotation.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {
using checked::Type;
using Kind = ClassDecl::Kind;

namespace {

bool is_comment(const ast::Stmt& stmt) {
  const auto* expr = stmt.as<ast::ExprStmt>();
  return stmt.as<ast::Pass>() || (expr && expr->value->as<ast::StringLiteral>());
}

/// The words of "x y" and "x, y".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool separates = c == ' ' || c == ',';
    if (!separates) words.back() += c;
    if (separates && !words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

class ClassReader {
 public:
  ClassReader(ModuleChecker& module, ClassDecl& decl) : decl_(decl), body_(module, *decl.scope) {}

  void read() {
    decl_.kind = kind_of_class();
    if (decl_.kind == Kind::Unusable || decl_.kind == Kind::Exception) return;
    for (const ast::StmtPtr& stmt : decl_.def->body) {
      if (is_comment(*stmt)) continue;
      const bool is_enum = decl_.kind == Kind::Enum || decl_.kind == Kind::IntEnum;
      is_enum ? member(*stmt) : field(*stmt);
    }
    if (!decl_.is_right) return;
    if (decl_.names.empty()) return wrong(decl_.range, "has nothing in it", "`x: f32`");
    if (decl_.kind == Kind::Struct) finish_struct();
    if (decl_.kind == Kind::Enum)
      decl_.record = lay_out({decl_.name, RecordType::Kind::Enum, {{"value", ScalarType::I64, {}}}});
  }

 private:
  Kind kind_of_class() {
    for (const ast::ExprPtr& decorator : decl_.def->decorators) {
      const Entity found = body_.entity(*decorator);
      const auto* named = std::get_if<LanguageFunctionRef>(&found);
      if (named && named->id == LanguageFunction::Struct) return Kind::Struct;
    }
    for (const ast::ExprPtr& base : decl_.def->bases) {
      if (const auto* name = base->as<ast::Name>(); name && name->id == "object") continue;  // as without it
      const Entity found = body_.entity(*base);
      const auto* named = std::get_if<LanguageFunctionRef>(&found);
      if (named && named->id == LanguageFunction::Enum) return Kind::Enum;
      if (named && named->id == LanguageFunction::IntEnum) return Kind::IntEnum;
      if (named && named->id == LanguageFunction::NamedTupleClass) return Kind::NamedTuple;
      const auto* parent = std::get_if<ClassRef>(&found);
      const bool is_exception = named && named->id == LanguageFunction::Exception;
      if (is_exception || (parent && parent->decl->kind == Kind::Exception)) return Kind::Exception;
    }
    return Kind::Unusable;
  }

  void wrong(SourceRange range, std::string_view what, std::string_view instead) {
    decl_.is_right = false;
    body_.report(range, DiagnosticId::BadClass, decl_.name, what)
        .note("what stands in it is like " + std::string(instead));
  }

  bool is_new_name(std::string_view name, SourceRange range) {
    if (!names_.contains(name)) return true;
    wrong(range, "has " + as_code(name) + " twice", "`x: f32`, each name once");
    return false;
  }

  void add_name(const std::string& name) {
    decl_.names.push_back(name);
    names_.insert(name);
  }

  /// `x: f32`, `x: f32 = 0.0`
  void field(const ast::Stmt& stmt) {
    const auto* node = stmt.as<ast::AnnotatedAssign>();
    const auto* name = node ? node->target->as<ast::Name>() : nullptr;
    if (!name) return wrong(stmt.range, "has more than fields with types", "`x: f32`, or `x: f32 = 0.0`");
    if (!is_new_name(name->id, node->target->range)) return;
    if (!node->value && !decl_.defaults.empty() && decl_.defaults.back())
      return wrong(stmt.range, "has a field without a default after one with", "`x: f32 = 0.0`");
    const std::optional<Type> type = annotation(body_, *node->annotation);
    decl_.is_right &= type.has_value();
    if (!type) return;
    if (decl_.kind == Kind::Struct && !may_be_field(*type))
      return wrong(node->annotation->range, "has a field of type " + checked::to_string(*type),
                   "`x: f32`, `p: f32x3`, `w: f32[4]`");
    add_name(name->id);
    decl_.field_types.push_back(type);
    decl_.defaults.push_back(node->value.get());
  }

  static bool may_be_field(Type type) {
    return type.is_scalar() || type.is_record() || (type.is_array() && type->array.has_static_shape());
  }

  void finish_struct() {
    RecordType record{decl_.name, RecordType::Kind::Struct};
    for (std::size_t i = 0; i < decl_.names.size(); ++i) {
      const Type type = *decl_.field_types[i];
      if (type.is_array())
        record.fields.push_back({decl_.names[i], type->array.element, type->array.extents});
      else
        record.fields.push_back({decl_.names[i], type.is_record() ? ElementType(type->record) : type->scalar, {}});
    }
    // The extents first: what they are multiplied by may make a number that is too large to count with.
    std::int64_t elements = 0;
    for (const RecordField& field : record.fields) elements += field.count();
    const RecordRef type = lay_out(std::move(record));
    const bool is_small = elements <= static_cast<std::int64_t>(kMostNumbers) && count_numbers(type) <= kMostNumbers;
    if (!is_small)
      return wrong(decl_.range, "has more than " + std::to_string(kMostNumbers) + " numbers",
                   "a few fields; keep large arrays in arrays of their own");
    decl_.record = type;
  }

  /// `RED = 1`
  void member(const ast::Stmt& stmt) {
    const auto* node = stmt.as<ast::Assign>();
    const auto* name = node && node->targets.size() == 1 ? node->targets.front()->as<ast::Name>() : nullptr;
    if (!name) return wrong(stmt.range, "has more than members", "`RED = 1`");
    if (!is_new_name(name->id, node->targets.front()->range)) return;
    const std::optional<Int128> value = constant_integer(body_, *node->value, "a member of an enum");
    decl_.is_right &= value.has_value();
    if (!value) return;
    if (!is_wide_enough(*value, ScalarType::I64))
      return wrong(node->value->range, "has a member that does not fit i64", "`RED = 1`");
    add_name(name->id);
    decl_.members.push_back(*value);
  }

  ClassDecl& decl_;
  FunctionChecker body_;
  std::set<std::string_view> names_;  // those of decl_, as the tree has them
};

Entity call_named_tuple(FunctionChecker& checker, const ClassDecl& decl, const ast::Call& call, SourceRange range) {
  return made_of_fields(checker, decl, call, range, [&](std::vector<Value> elements) {
    return small_tuple(checker, std::move(elements), range, decl.names);
  });
}

std::map<std::string, RecordRef> records(ModuleChecker& module, const ast::Module& source) {
  declare_modules(module, module.program);
  std::map<std::string, RecordRef> records;
  for (std::size_t i = 0; i < module.classes.size(); ++i) {
    ClassDecl& decl = module.classes[i];
    if (&decl.scope->module() == &source && read_class(module, decl) && decl.kind == Kind::Struct)
      records.insert_or_assign(decl.name, decl.record);
  }
  return records;
}

const ClassDecl* add_named_tuple(ModuleChecker& module, std::string name, std::vector<std::string> names,
                                 const Scope& scope, SourceRange range) {
  ClassDecl& decl = module.classes.emplace_back();
  decl.name = std::move(name);
  decl.scope = &scope;
  decl.range = range;
  decl.kind = Kind::NamedTuple;
  decl.state = ClassDecl::State::Done;
  decl.field_types.resize(names.size());
  decl.defaults.resize(names.size());
  decl.names = std::move(names);
  return &decl;
}

}  // namespace

/// False, and reported, where it cannot be used.
bool read_class(ModuleChecker& module, ClassDecl& decl) {
  using State = ClassDecl::State;
  if (decl.state == State::InProgress) {
    decl.is_right = false;
    module.told.report(decl.scope->file(), decl.range, DiagnosticId::BadClass, decl.name, "holds itself")
        .note("hold the index of another record: `next: i64`");
  }
  if (decl.state != State::Untouched) return decl.is_right;
  decl.state = State::InProgress;
  ClassReader(module, decl).read();
  decl.state = State::Done;
  return decl.is_right;
}

Entity of_class(FunctionChecker& checker, ClassDecl& decl, SourceRange range) {
  if (!read_class(checker.module, decl)) return Unknown{};
  if (decl.kind != Kind::Unusable) return ClassRef{&decl};
  checker.report(range, DiagnosticId::UnsupportedInKernel, as_code(decl.name) + ", a class,")
      .note("records are made by `@struct class`; enums and named tuples work too");
  return Unknown{};
}

/// `Color.red` and `Color["red"]`
Entity class_member(FunctionChecker& checker, const ClassDecl& decl, const std::string& name, SourceRange range) {
  const auto found = std::ranges::find(decl.names, name);
  const bool is_enum = decl.kind == Kind::Enum || decl.kind == Kind::IntEnum;
  if (is_enum && found != decl.names.end())
    return MemberRef{&decl, static_cast<std::size_t>(found - decl.names.begin())};
  auto diagnostic = checker.report(range, DiagnosticId::UnknownAttribute, as_code(decl.name), name);
  if (is_enum) suggest_member(diagnostic, name, {decl.names.begin(), decl.names.end()});
  return Unknown{};
}

Value member_value(FunctionChecker& checker, const MemberRef& member, SourceRange range) {
  const Value number = checker.tree.weak_integer(member.decl->members[member.index], range);
  if (member.decl->kind == Kind::IntEnum) return number;
  return TreeBuilder::strong(checker.tree.record(member.decl->record, {TreeBuilder::strong(number.expr)}, range).expr);
}

Entity call_class(FunctionChecker& checker, const ClassDecl& decl, const ast::Call& call, SourceRange range) {
  if (decl.kind == Kind::Struct) return call_struct(checker, decl, call, range);
  if (decl.kind == Kind::NamedTuple) return call_named_tuple(checker, decl, call, range);
  if (decl.kind == Kind::Exception)
    return unsupported(checker, range, "an exception outside of `raise`", "write `raise` before it");
  checker.report(range, DiagnosticId::NotCallable, decl.name)
      .note("name a member: " + as_code(decl.name + "." + decl.names.front()));
  return Unknown{};
}

/// What a call gives the fields, each of its type, or else its default.
Entity made_of_fields(FunctionChecker& checker, const ClassDecl& decl, const ast::Call& call, SourceRange range,
                      const std::function<Value(std::vector<Value>)>& make) {
  const std::vector<std::string_view> names(decl.names.begin(), decl.names.end());
  const auto required = static_cast<std::size_t>(std::ranges::count(decl.defaults, nullptr));  // they stand first
  const std::optional<Arguments> arguments = bind_arguments(checker, call, range, decl.name, names, required, "");
  if (!arguments) return Unknown{};
  const std::vector<Type> parts =
      decl.record ? checker.types.components(checker.types.of(decl.record)) : std::vector<Type>();
  std::vector<Given> given;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const ast::Expr* argument = (*arguments)[i])
      given.push_back({checker.value(*argument), argument->range, argument->range.begin});
    else
      given.push_back({FunctionChecker(checker.module, *decl.scope).value(*decl.defaults[i]), range, range.end});
  }
  const std::vector<checked::Let> kept = kept_in_order(checker, given);
  std::vector<Value> values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<Type> type = decl.record ? parts[i] : decl.field_types[i];
    const bool converts = type && !type->is_array();
    values.push_back(converts ? convert_to(checker, given[i].value, InferredType::of(*type), given[i].range)
                              : given[i].value);
  }
  const Value made = behind(checker, kept, make(std::move(values)), range);
  return made.known() ? Entity(made) : Entity(Unknown{});
}

/// `namedtuple('Point', ['x', 'y'])`, `namedtuple('Point', 'x y')`
Entity make_named_tuple(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"typename", "field_names"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "namedtuple", kParameters, 2, info(LanguageFunction::NamedTuple).signature);
  if (!arguments) return Unknown{};
  const auto* name = (*arguments)[0]->as<ast::StringLiteral>();
  std::vector<std::string> names;
  bool is_right = name != nullptr;
  const auto add = [&](const ast::Expr& part) {
    const auto* text = part.as<ast::StringLiteral>();
    is_right &= text != nullptr && std::ranges::find(names, text->value) == names.end();
    if (text) names.push_back(text->value);
  };
  const ast::Expr& fields = *(*arguments)[1];
  if (const auto* list = fields.as<ast::List>())
    for (const ast::ExprPtr& part : list->elements) add(*part);
  else if (const auto* tuple = fields.as<ast::Tuple>())
    for (const ast::ExprPtr& part : tuple->elements) add(*part);
  else if (const auto* text = fields.as<ast::StringLiteral>())
    names = words_of(text->value);
  if (is_right && !names.empty())
    return ClassRef{add_named_tuple(checker.module, name->value, names, checker.scope, range)};
  checker.report(range, DiagnosticId::BadClass, "namedtuple", "takes a name and a list of different names of fields")
      .note("write `Point = namedtuple('Point', ['x', 'y'])`");
  return Unknown{};
}

/// What a named tuple's annotation stands for; none where a field has no type.
std::optional<Type> tuple_type(FunctionChecker& checker, const ClassDecl& decl, SourceRange range) {
  std::vector<Type> elements;
  for (const std::optional<Type>& type : decl.field_types) {
    if (!type) {
      checker.report(range, DiagnosticId::BadType, "the fields of " + as_code(decl.name) + " have no types")
          .note("give them types: " + as_code("class " + decl.name + "(NamedTuple):") + ", " +
                as_code("    " + decl.names.front() + ": f32"));
      return std::nullopt;
    }
    elements.push_back(*type);
  }
  return small_tuple_type(checker, std::move(elements), range, decl.names);
}

}  // namespace pykc::checker

namespace pykc {

std::map<std::string, RecordRef> declared_records(const Program& program, const ast::Module& module) {
  Diagnostics diagnostics;
  diagnostics.set_muted(true);
  checker::ModuleChecker checker(program, {}, diagnostics);
  return checker::records(checker, module);
}

}  // namespace pykc
