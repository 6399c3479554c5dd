// Calls: arguments to parameters, casts, functions of the program.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

struct Given {
  Value value;
  SourceRange range;
  std::size_t turn = 0;  // its place among the arguments, behind which those stand that have a default
};

/// Whether a value of type `given` may be passed, as it is, where `stated` is annotated.
bool fits_parameter(checked::Type stated, checked::Type given);
std::optional<Arguments> bind_arguments(FunctionChecker& checker, const ast::Call& call, SourceRange range,
                                        std::string_view name, std::span<const std::string_view> parameters,
                                        std::size_t required, std::string_view signature);
/// Arguments whose order is not that of the parameters become temporaries in their own order, where one has an effect;
/// the call is the body of these: `behind` puts it there.
std::vector<checked::Let> kept_in_order(FunctionChecker& checker, std::vector<Given>& arguments);
Value behind(FunctionChecker& checker, const std::vector<checked::Let>& kept, const Value& call, SourceRange range);
bool has_no_keywords(FunctionChecker& checker, const ast::Call& call, std::string_view name);
Entity call_type(FunctionChecker& checker, ScalarType type, const ast::Call& call, SourceRange range);
Value call_function(FunctionChecker& checker, FunctionDecl& function, const ast::Call& call,
                    const std::vector<Value>& captures, SourceRange range);
Value argument_value(FunctionChecker& checker, Entity given, SourceRange range);
Value call_specialized(FunctionChecker& checker, FunctionDecl& function, std::vector<Value> arguments,
                       SourceRange range);

}  // namespace pykc::checker
