#include "frontend/check/types/value.h"

#include <string>
#include <variant>

namespace pykc::checker {

std::string describe(const Value& value) {
  if (!value.known()) return "an unknown value";
  if (value.weak == Weak::Int) return "an integer";
  if (value.weak == Weak::Float) return "a float";
  if (value.type().is_static()) return value.type()->names.empty() ? "a function" : value.type()->names.front();
  if (value.weak == Weak::Complex) return "a complex number";
  if (value.is_tuple()) return "a tuple of " + std::to_string(value.type()->elements.size());
  if (value.is_text()) return "text (" + value.type()->record->name + ")";
  return checked::to_string(value.type());
}

std::string describe(const Entity& entity) {
  struct Describe {
    std::string operator()(const Unknown&) const { return "unknown"; }
    std::string operator()(const Value& value) const { return describe(value); }
    std::string operator()(const NoneRef&) const { return "None"; }
    std::string operator()(const NamespaceRef&) const { return "a module"; }
    std::string operator()(const TypeRef&) const { return "a type"; }
    std::string operator()(const BuiltinRef&) const { return "a function"; }
    std::string operator()(const LanguageFunctionRef&) const { return "a function"; }
    std::string operator()(const UfuncRef&) const { return "a function"; }
    std::string operator()(const ReductionRef&) const { return "a function"; }
    std::string operator()(const FunctionRef&) const { return "a function"; }
    std::string operator()(const TableRef&) const { return "a table of constants"; }
    std::string operator()(const TextRef&) const { return "a string"; }
    std::string operator()(const ClassRef&) const { return "a class"; }
    std::string operator()(const MemberRef&) const { return "a member of an enum"; }
    std::string operator()(const MethodRef&) const { return "a method"; }
  };
  return std::visit(Describe{}, entity);
}

InferredType inferred_type(const Value& value) {
  if (!value.known()) return {};
  if (value.weak == Weak::Float) return InferredType::weak_float();
  InferredType type = InferredType::of(value.type());
  type.weak = value.weak == Weak::Complex;
  for (std::size_t i = 0; i < type.elements.size() && i < value.elements.size(); ++i)
    type.elements[i] = inferred_type(value.elements[i]);
  return type;
}

}  // namespace pykc::checker
