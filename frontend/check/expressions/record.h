// Records: their fields, how they are made, changed and compared.
#pragma once

#include <string_view>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// Whether a variable that is given this value shares it, in Python, with something else.
bool shares_record(const checked::Expr& value);

/// A record of a `@struct class`, and the type of a reference to one: an array without dimensions.
inline bool is_struct(checked::Type type) { return type.is_record() && type->record->kind == RecordType::Kind::Struct; }

inline checked::Type reference_type(checked::TypePool& types, const RecordRef& record,
                                    ir::AddressSpace space = ir::AddressSpace::Global) {
  return types.of(ArrayType{record, Layout::RowMajor, {}}, space);
}

/// Whether the value is a whole element of an array of such records.
bool is_record_of_array(const Value& value);
/// The element itself, for a variable that stands for it and for a function that changes its fields: in Python both are
/// given the record, not a copy.
Value reference_to(FunctionChecker& checker, const Value& record, SourceRange range);
/// The element that a reference is of.
Value referenced(FunctionChecker& checker, const Value& reference, SourceRange range);
/// Whether a variable that is given an element of an array may stand for it: where its fields are assigned, and in
/// Numba's dialect, where a record is never copied, also where such an array is written to.
bool may_refer_to_record(FunctionChecker& checker, int local, const RecordRef& record);

Entity record_attribute(FunctionChecker& checker, const Value& record, const ast::Attribute& node, SourceRange range);
Value index_by_name(FunctionChecker& checker, const Value& record, const ast::Expr& index, SourceRange range);
void assign_field(FunctionChecker& checker, const ast::Attribute& node, const ast::Expr& target, const Value& value,
                  SourceRange range);
bool is_place_target(const ast::Attribute& target);
bool has_field_of_elements(const Value& array, std::string_view name);
Value field_of_element(FunctionChecker& checker, const Value& record, std::string_view name, SourceRange name_range,
                       SourceRange range);
Entity field_view(FunctionChecker& checker, const Value& array, std::string_view name, SourceRange name_range,
                  SourceRange range);
Entity call_record(FunctionChecker& checker, const RecordRef& type, const ast::Call& call, SourceRange range);
Entity call_struct(FunctionChecker& checker, const ClassDecl& decl, const ast::Call& call, SourceRange range);
Value record_binary(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                    SourceRange range);
Value record_unary(FunctionChecker& checker, ast::UnaryOp op, const Value& operand, SourceRange range);
Value compare_records(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                      SourceRange range);

}  // namespace pykc::checker
