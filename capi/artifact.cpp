// Types, artifacts, and what they say of their kernels.
#include "pykc/artifact.h"

#include <algorithm>
#include <iterator>

#include "capi/handles.h"

namespace pykc::capi {
namespace {

/// The numbers of pykc.h, in the order of ScalarType.
constexpr std::int32_t kCodes[] = {PYKC_BOOL, PYKC_I8,  PYKC_I16, PYKC_I32,    PYKC_I64,
                                   PYKC_U8,   PYKC_U16, PYKC_U32, PYKC_U64,    PYKC_F16,
                                   PYKC_BF16, PYKC_F32, PYKC_F64, PYKC_F8E4M3, PYKC_F8E5M2};
static_assert(std::size(kCodes) == kScalarTypeCount);

}  // namespace

ScalarType scalar_type(std::int32_t type) {
  constexpr auto kInvalid = static_cast<ScalarType>(255);
  const auto* const found = std::ranges::find(kCodes, type);
  return found == std::end(kCodes) ? kInvalid : static_cast<ScalarType>(found - std::begin(kCodes));
}

std::int32_t type_code(const ElementType& type) {
  if (!type.is_record()) return kCodes[static_cast<std::size_t>(type.scalar)];
  if (type == ElementType(complex_type(ScalarType::F32))) return PYKC_C64;
  if (type == ElementType(complex_type(ScalarType::F64))) return PYKC_C128;
  return PYKC_RECORD;
}

}  // namespace pykc::capi

using namespace pykc::capi;
using pykc::Result;

pykc_kernel_info::pykc_kernel_info(const pykc::KernelInfo& kernel) : info(&kernel) {
  for (const pykc::ParameterInfo& parameter : kernel.parameters)
    types.push_back(parameter.is_array ? to_string(parameter.array) : to_string(parameter.value));
}

pykc_artifact::pykc_artifact(pykc::Artifact artifact)
    : value(std::move(artifact)), kernels(value.kernels.begin(), value.kernels.end()) {}

extern "C" {

const char* pykc_type_name(int32_t type) {
  if (type == PYKC_C64) return "c64";
  if (type == PYKC_C128) return "c128";
  return is_valid(scalar_type(type)) ? to_string(scalar_type(type)).data() : nullptr;
}

size_t pykc_type_size(int32_t type) {
  if (type == PYKC_C64) return 8;
  if (type == PYKC_C128) return 16;
  return static_cast<std::size_t>(size_in_bytes(scalar_type(type)));
}

pykc_error* pykc_artifact_parse(const void* bytes, size_t size, pykc_artifact** artifact) {
  return make(
      artifact,
      [&] {
        return pykc::Artifact::parse({static_cast<const char*>(bytes), size});
      },
      bytes);
}

pykc_error* pykc_artifact_serialize(const pykc_artifact* artifact, pykc_text** bytes) {
  return make(
      bytes, [&]() -> Result<std::string> { return artifact->value.serialize(); }, artifact);
}

const char* pykc_artifact_target(const pykc_artifact* artifact) { return artifact->value.target.c_str(); }

const void* pykc_artifact_code(const pykc_artifact* artifact, size_t* size) {
  if (size != nullptr) *size = artifact->value.code.size();
  return artifact->value.code.c_str();
}

size_t pykc_artifact_kernel_count(const pykc_artifact* artifact) { return artifact->kernels.size(); }

const pykc_kernel_info* pykc_artifact_kernel_info(const pykc_artifact* artifact, size_t index) {
  return index < artifact->kernels.size() ? &artifact->kernels[index] : nullptr;
}

void pykc_artifact_free(pykc_artifact* artifact) { delete artifact; }

const char* pykc_kernel_info_name(const pykc_kernel_info* info) { return info->info->name.c_str(); }
const char* pykc_kernel_info_symbol(const pykc_kernel_info* info) { return info->info->symbol.c_str(); }
size_t pykc_kernel_info_parameter_count(const pykc_kernel_info* info) { return info->types.size(); }

pykc_error* pykc_kernel_info_parameter(const pykc_kernel_info* info, size_t index, pykc_parameter* parameter) {
  return guarded(
      [&]() -> Result<void> {
        if (index >= info->types.size())
          return pykc::invalid_argument("kernel `" + info->info->name + "` has no parameter " + std::to_string(index));
        const pykc::ParameterInfo& from = info->info->parameters[index];
        const pykc::ElementType& element = from.is_array ? from.array.element : from.value;
        pykc_parameter own{};
        own.name = from.name.c_str();
        own.type_text = info->types[index].c_str();
        own.is_array = from.is_array ? 1 : 0;
        own.type = type_code(element);
        own.rank = from.is_array ? from.array.rank() : 0;
        own.is_written = from.is_written ? 1 : 0;
        own.element_bytes = size_in_bytes(element);
        return fill(*parameter, own);
      },
      info, parameter);
}

}  // extern "C"
