#include "frontend/check/limits.h"

namespace pykc::checker {
namespace {

constexpr std::int64_t kMostSharedBytes = 227 * 1024;
constexpr std::int64_t kMostStaticSharedBytes = 48 * 1024;  // what a GPU gives without being asked
constexpr std::int64_t kMostLocalBytes = 512 * 1024;
constexpr std::int64_t kMostParameterBytes = 4096;

std::int64_t bytes_of(const ArrayType& type) { return type.count() * size_in_bytes(type.element); }

std::int64_t parameter_bytes(checked::Type type) {
  if (type.is_tuple() || type.is_static()) {
    std::int64_t sum = 0;
    for (const checked::Type element : type->elements) sum += parameter_bytes(element);
    return sum;
  }
  if (type.is_record()) return type->record->bytes;
  const int extents = type.is_array() && !type->array.has_static_shape() ? type->array.rank() : 0;
  return 8 + 8 * extents * (type->array.layout == Layout::Strided ? 2 : 1);
}

/// The bytes of a kernel's arrays of static shape. More than static shared memory holds go to dynamic shared memory.
std::int64_t place_shared_arrays(const std::vector<const Specialization*>& functions) {
  std::vector<checked::SharedArray*> arrays;
  std::int64_t bytes = 0;
  for (const Specialization* function : functions)
    for (checked::SharedArray& array : function->function->shared_arrays) {
      if (!array.extents.empty() || array.takes_launch_bytes) continue;
      arrays.push_back(&array);
      bytes += round_up(bytes_of(array.type), 16);
    }
  for (checked::SharedArray* array : arrays) array->is_beyond_static |= bytes > kMostStaticSharedBytes;
  return bytes;
}

}  // namespace

void check_limits(ModuleChecker& module, const FunctionDecl& decl, const Specialization& kernel) {
  std::vector<const Specialization*> reached{&kernel};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Specialization* callee : reached[i]->callees)
      if (std::find(reached.begin(), reached.end(), callee) == reached.end()) reached.push_back(callee);
  const std::int64_t shared = place_shared_arrays(reached);
  std::int64_t local = 0, parameters = 0;
  for (const Specialization* function : reached)
    for (const checked::LocalArray& array : function->function->local_arrays) local += bytes_of(array.type);
  for (const checked::Variable* parameter : kernel.function->parameters) parameters += parameter_bytes(parameter->type);
  std::int64_t constant = 0;
  for (const checked::ConstantArray& array : module.output.constant_arrays)
    constant += static_cast<std::int64_t>(array.bytes.size());
  const struct {
    std::int64_t used, most;
    DiagnosticFor<std::string, std::int64_t, std::int64_t> id;
  } limits[] = {{shared, kMostSharedBytes, DiagnosticId::TooMuchShared},
                {local, kMostLocalBytes, DiagnosticId::TooMuchLocal},
                {constant, kMostConstantBytes, DiagnosticId::TooMuchConstant},
                {parameters, kMostParameterBytes, DiagnosticId::TooManyParameters}};
  for (const auto& limit : limits)
    if (limit.used > limit.most)
      module.told.report(decl.scope->file(), decl.def->name_range, limit.id, decl.def->name, limit.used, limit.most);
}

}  // namespace pykc::checker
