#include "jit/specialize.h"

#include "base/errors.h"
#include "base/text.h"
#include "driver/driver.h"

namespace pykc::jit {
namespace {

/// Does each axis step over exactly what the axes inside it hold? Axes of extent 1 step nowhere.
template <typename Axis>
bool is_dense(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides, Axis axis_inside_out) {
  std::int64_t dense = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t axis = axis_inside_out(i);
    if (extents[axis] == 1) continue;
    if (strides[axis] != dense) return false;
    dense *= extents[axis];
  }
  return true;
}

/// The layouts of the records in it.
std::string layouts_text(const ArgumentType& type) {
  const ParameterInfo& parameter = type.parameter;
  const ElementType& element = parameter.is_array ? parameter.array.element : parameter.value;
  std::string text = element.is_record() ? layout_text(element) : "";
  for (const ArgumentType& part : type.elements) text += layouts_text(part);
  return text;
}

}  // namespace

Layout layout_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
  const std::size_t rank = extents.size();
  for (const std::int64_t extent : extents)
    if (extent == 0) return Layout::RowMajor;
  if (is_dense(extents, strides, [rank](std::size_t i) { return rank - 1 - i; })) return Layout::RowMajor;
  if (is_dense(extents, strides, [](std::size_t i) { return i; })) return Layout::ColumnMajor;
  return Layout::Strided;
}

std::string signature_text(const KernelRequest& request) {
  if (request.use_annotations) return "its annotations";
  return "(" + list_text(request.arguments, [](const ArgumentType& type) { return to_string(type); }) + ")";
}

std::string request_key(const KernelRequest& request) {
  std::string key = signature_text(request);
  for (const ArgumentType& argument : request.arguments) key += layouts_text(argument);
  return key;
}

Result<Module> specialize(const Device& device, const Program& program, const KernelRequest& request,
                          const CompileOptions& options, std::vector<Diagnostic>* warnings) {
  CompileOptions for_device = options;
  for_device.target = device.info().target;
  for_device.signatures.clear();
  ASSIGN_OR_RETURN(const Artifact artifact, driver::compile_kernels(program, {request}, for_device, warnings));
  return device.load(artifact);
}

}  // namespace pykc::jit
