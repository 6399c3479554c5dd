// Kernels with several signatures: which of them takes the arguments of a request, by Numba's rules.
#include "frontend/check/types/overload.h"

#include <algorithm>
#include <array>

#include "frontend/check/calls/call.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/types/annotation.h"

namespace pykc::checker {
using checked::Type;

namespace {

/// What happens to an argument on its way to a parameter, from the best. A launch does no other conversions.
enum class Conversion : std::uint8_t { Exact, Promote, Safe, Unsafe, None };

Conversion number_conversion(ScalarType from, ScalarType to) {
  if (from == to) return Conversion::Exact;
  if (from == ScalarType::Bool) return Conversion::Safe;
  if (to == ScalarType::Bool || (is_float(from) && !is_float(to))) return Conversion::None;
  const bool is_wider = size_in_bits(to) > size_in_bits(from);
  if (is_float(from)) return is_wider ? Conversion::Promote : Conversion::Unsafe;
  if (is_float(to)) return is_wider || size_in_bits(to) == 64 ? Conversion::Safe : Conversion::Unsafe;
  if (is_signed_integer(from) == is_signed_integer(to)) return is_wider ? Conversion::Promote : Conversion::Unsafe;
  return is_wider && is_signed_integer(to) ? Conversion::Safe : Conversion::Unsafe;
}

Conversion conversion(Type from, Type to) {
  if (from.is_scalar() && to.is_scalar()) return number_conversion(from->scalar, to->scalar);
  const bool is_complex = to.is_record() && to->record->kind == RecordType::Kind::Complex;
  if (from.is_scalar() && is_complex) return Conversion::Safe;
  const bool is_pointed_at = to->is_pointer && from->array == to->array;
  if (from == to || is_pointed_at) return Conversion::Exact;
  return fits_parameter(to, from) ? Conversion::Safe : Conversion::None;
}

/// How many arguments convert unsafely, safely and by promotion: less is better, from the left.
using Rating = std::array<int, 3>;

std::optional<Rating> rating(const std::vector<Type>& given, const std::vector<Type>& wanted) {
  Rating result{};
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Conversion kind = conversion(given[i], wanted[i]);
    if (kind == Conversion::None) return std::nullopt;
    if (kind != Conversion::Exact)
      ++result[static_cast<std::size_t>(Conversion::Unsafe) - static_cast<std::size_t>(kind)];
  }
  return result;
}

std::string list_of(const std::vector<Type>& types) {
  std::string text = "(";
  for (const Type type : types) text += (text.size() > 1 ? ", " : "") + checked::to_string(type);
  return text + ")";
}

}  // namespace

bool launch_converts(Type given, Type stated) {
  const bool is_number = given.is_scalar() && (stated.is_scalar() || stated.is_record());
  return is_number && conversion(given, stated) != Conversion::None;
}

/// The types of the parameters for each signature; those that a launch cannot pass are reported.
std::vector<std::vector<Type>> overloads_of(ModuleChecker& module, const FunctionDecl& kernel) {
  std::vector<std::vector<Type>> overloads;
  for (const SignatureText& signature : kernel.overloads) {
    std::vector<Type>& types = overloads.emplace_back();
    for (const ArgumentType& parameter : signature.parameters)
      types.push_back(type_of_argument(module.output.types, parameter).value_or(Type::none()));
    const bool returns = !signature.name.empty() && signature.name != "void" && signature.name != "none";
    if (returns) module.told.report(kernel.scope->file(), kernel.def->name_range, DiagnosticId::KernelReturnsValue);
  }
  return overloads;
}

/// The signature that the arguments fit best. Where none fits, or several do equally well, that is reported.
std::optional<std::vector<Type>> best_overload(ModuleChecker& module, const FunctionDecl& kernel,
                                               const std::vector<Type>& given) {
  const std::vector<std::vector<Type>> overloads = overloads_of(module, kernel);
  const std::vector<Type>* best = nullptr;
  std::optional<Rating> best_rating;
  bool is_ambiguous = false;
  for (const std::vector<Type>& types : overloads) {
    const std::optional<Rating> fit = rating(given, types);
    if (!fit || (best_rating && *fit > *best_rating)) continue;
    is_ambiguous = best_rating == fit;
    best = &types;
    best_rating = fit;
  }
  if (best && !is_ambiguous) return *best;
  using OfKernel = DiagnosticFor<std::string, std::string>;
  const OfKernel what = best ? OfKernel(DiagnosticId::AmbiguousSignatures) : OfKernel(DiagnosticId::NoFittingSignature);
  auto diagnostic =
      module.told.report(kernel.scope->file(), kernel.def->name_range, what, kernel.def->name, list_of(given));
  for (const std::vector<Type>& types : overloads) diagnostic.note("a signature is " + list_of(types));
  diagnostic.note(best ? "give one of the arguments the type that a signature states, as in `np.float32(x)`"
                       : "pass arguments of these types, or add the signature \"" + list_of(given) + "\"");
  return std::nullopt;
}

/// What device code calls where it names a kernel of `@cuda.jit`: the same function, as a device function.
FunctionDecl& device_function_of(ModuleChecker& module, const FunctionDecl& kernel) {
  const auto [entry, is_new] = module.nested_functions.try_emplace({kernel.def, &kernel});
  FunctionDecl& function = entry->second;
  if (!is_new) return function;
  function.def = kernel.def;
  function.scope = kernel.scope;
  function.kind = FunctionDecl::Kind::Device;
  function.signature = kernel.signature;
  function.dialect = kernel.dialect;
  function.raises_errors = kernel.raises_errors;
  function.options.wraparound = kernel.options.wraparound;
  return function;
}

}  // namespace pykc::checker
