// The compiler, and sources whose kernels are compiled when they are used.
#include <limits>

#include "capi/handles.h"
#include "pykc/compiler.h"
#include "pykc/source.h"
#include "pykc/source_module.h"

struct pykc_output {
  pykc::CompileOutput value;
  std::unique_ptr<pykc_artifact> artifact;
  pykc_diagnostics warnings;
};

struct pykc_import_answer {
  pykc::Result<std::string> text = pykc::Error{pykc::ErrorCode::NotFound, "no such module"};
};

struct pykc_source_module {
  pykc::SourceModule value;
};

struct pykc_generic_kernel {
  pykc::GenericKernel value;
};

using namespace pykc::capi;
using pykc::Constant;
using pykc::Result;

namespace {

pykc_compile_options defaults() {
  const pykc::CompileOptions of;
  pykc_compile_options options{};
  options.size = sizeof options;
  options.optimization = of.optimization;
  options.fast_math = of.fast_math ? 1 : 0;
  options.asserts = of.asserts ? 1 : 0;
  options.checked = of.checked ? 1 : 0;
  options.contract = of.contract ? 1 : 0;
  options.line_info = of.line_info ? 1 : 0;
  options.cache = of.cache ? 1 : 0;
  options.warnings = of.warnings ? 1 : 0;
  options.warnings_are_errors = of.warnings_are_errors ? 1 : 0;
  return options;
}

pykc_compile_limits limits_from(const pykc::CompileLimits& of) {
  pykc_compile_limits limits{};
  limits.size = sizeof limits;
  limits.time_milliseconds = of.time.count();
  limits.memory = of.memory;
  limits.source_bytes = of.source_bytes;
  limits.specializations = of.specializations;
  limits.unrolled_turns = of.unrolled_turns;
  limits.unrolled_statements = of.unrolled_statements;
  limits.operations = of.operations;
  limits.output_bytes = of.output_bytes;
  limits.diagnostics = of.diagnostics;
  return limits;
}

Result<pykc::CompileLimits> limits_of(const pykc_compile_limits& given) {
  ASSIGN_OR_RETURN(const pykc_compile_limits from, read(given, limits_from({}), "pykc_compile_limits"));
  // A limit beyond what an int holds limits nothing that an int counts.
  const auto as_int = [](std::int64_t limit) {
    return static_cast<int>(std::clamp<std::int64_t>(limit, 0, std::numeric_limits<int>::max()));
  };
  pykc::CompileLimits limits;
  limits.time = std::chrono::milliseconds(from.time_milliseconds);
  limits.memory = from.memory;
  limits.source_bytes = from.source_bytes;
  limits.specializations = as_int(from.specializations);
  limits.unrolled_turns = as_int(from.unrolled_turns);
  limits.unrolled_statements = as_int(from.unrolled_statements);
  limits.operations = from.operations;
  limits.output_bytes = from.output_bytes;
  limits.diagnostics = as_int(from.diagnostics);
  return limits;
}

Result<std::vector<std::string>> strings(const char* const* list, std::size_t count, const char* what) {
  std::vector<std::string> copies;
  for (std::size_t i = 0; i < count; ++i) {
    if (list == nullptr || list[i] == nullptr) return pykc::invalid_argument(std::string(what) + " are NULL");
    copies.emplace_back(list[i]);
  }
  return copies;
}

Result<Constant> constant_of(const pykc_constant& from) {
  using pykc::ScalarType;
  if (from.name == nullptr) return pykc::invalid_argument("a constant has no name");
  const ScalarType type = scalar_type(from.type);
  if (from.kind == PYKC_CONSTANT_TYPE) return Constant(from.name, type);
  const pykc_value& value = from.value;
  switch (from.kind == PYKC_CONSTANT_NUMBER ? type : ScalarType::F16) {
    case ScalarType::Bool:
      return Constant(from.name, value.boolean != 0);
    case ScalarType::I8:
      return Constant(from.name, value.i8);
    case ScalarType::I16:
      return Constant(from.name, value.i16);
    case ScalarType::I32:
      return Constant(from.name, value.i32);
    case ScalarType::I64:
      return Constant(from.name, value.i64);
    case ScalarType::U8:
      return Constant(from.name, value.u8);
    case ScalarType::U16:
      return Constant(from.name, value.u16);
    case ScalarType::U32:
      return Constant(from.name, value.u32);
    case ScalarType::U64:
      return Constant(from.name, value.u64);
    case ScalarType::F32:
      return Constant(from.name, value.f32);
    case ScalarType::F64:
      return Constant(from.name, value.f64);
    default:
      return pykc::invalid_argument("the constant `" + std::string(from.name) +
                                    "` is of no kind and type that there are (" + std::to_string(from.kind) + ", " +
                                    std::to_string(from.type) + ")");
  }
}

Result<std::vector<Constant>> constants_of(const pykc_constant* list, std::size_t count) {
  std::vector<Constant> constants;
  if (count > 0 && list == nullptr) return pykc::invalid_argument("the constants are NULL");
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Constant constant, constant_of(list[i]));
    constants.push_back(std::move(constant));
  }
  return constants;
}

Result<std::vector<pykc::Library>> libraries_of(const pykc_library* list, std::size_t count) {
  std::vector<pykc::Library> libraries;
  if (count > 0 && list == nullptr) return pykc::invalid_argument("the libraries are NULL");
  for (const pykc_library& library : std::span(list, count)) {
    if (library.name == nullptr || library.bytes == nullptr) return pykc::invalid_argument("a library is NULL");
    libraries.push_back({library.name, {static_cast<const char*>(library.bytes), library.byte_count}});
  }
  return libraries;
}

Result<pykc::Source> call_import(pykc_import_function import, void* context, std::string_view name) {
  try {
    pykc_import_answer answer;
    import(context, std::string(name).c_str(), &answer);
    if (!answer.text) return std::move(answer.text).error();
    return pykc::Source(*std::move(answer.text));
  } catch (...) {
    return pykc::Error{pykc::ErrorCode::OutOfMemory, "no memory left"};
  }
}

Result<pykc::CompileOptions> options_of(const pykc_compile_options* given) {
  if (given == nullptr) return pykc::CompileOptions();
  ASSIGN_OR_RETURN(const pykc_compile_options from, read(*given, defaults(), "pykc_compile_options"));
  pykc::CompileOptions options;
  options.target = from.target == nullptr ? "" : from.target;
  options.optimization = from.optimization;
  options.fast_math = from.fast_math != 0;
  options.asserts = from.asserts != 0;
  options.checked = from.checked != 0;
  options.contract = from.contract != 0;
  options.line_info = from.line_info != 0;
  options.cache = from.cache != 0;
  options.warnings = from.warnings != 0;
  options.warnings_are_errors = from.warnings_are_errors != 0;
  ASSIGN_OR_RETURN(options.signatures, strings(from.signatures, from.signature_count, "signatures"));
  ASSIGN_OR_RETURN(options.silenced_warnings,
                   strings(from.silenced_warnings, from.silenced_warning_count, "silenced warnings"));
  ASSIGN_OR_RETURN(options.constants, constants_of(from.constants, from.constant_count));
  ASSIGN_OR_RETURN(options.libraries, libraries_of(from.libraries, from.library_count));
  options.untrusted = from.untrusted != 0;
  if (from.limits != nullptr) {
    ASSIGN_OR_RETURN(options.limits, limits_of(*from.limits));
  }
  if (from.import != nullptr)
    options.import = [import = from.import, context = from.import_context](std::string_view name) {
      return call_import(import, context, name);
    };
  return options;
}

const char* name_of(const char* file_name) { return file_name == nullptr ? "<memory>" : file_name; }

}  // namespace

extern "C" {

void pykc_import_reply(pykc_import_answer* answer, const char* text, size_t length) {
  try {
    answer->text = std::string(text, length);
  } catch (...) {
    answer->text = pykc::Error{pykc::ErrorCode::OutOfMemory, "no memory left"};
  }
}

void pykc_import_fail(pykc_import_answer* answer, const char* message) {
  try {
    answer->text = pykc::Error{pykc::ErrorCode::InputOutput, message};
  } catch (...) {
    answer->text = pykc::Error{pykc::ErrorCode::OutOfMemory, "no memory left"};
  }
}

void pykc_compile_limits_init(pykc_compile_limits* limits, size_t size, int32_t strict) {
  initialize(limits, size, limits_from(strict != 0 ? pykc::CompileLimits::strict() : pykc::CompileLimits()));
}

void pykc_compile_options_init(pykc_compile_options* options, size_t size) { initialize(options, size, defaults()); }

pykc_error* pykc_compile(const char* source, size_t length, const char* file_name, const pykc_compile_options* options,
                         pykc_artifact** artifact) {
  return make(
      artifact,
      [&]() -> Result<pykc::Artifact> {
        ASSIGN_OR_RETURN(const pykc::CompileOptions how, options_of(options));
        return pykc::compile({source, length}, how, name_of(file_name));
      },
      source);
}

pykc_error* pykc_compile_file(const char* path, const pykc_compile_options* options, pykc_artifact** artifact) {
  return make(
      artifact,
      [&]() -> Result<pykc::Artifact> {
        ASSIGN_OR_RETURN(const pykc::CompileOptions how, options_of(options));
        return pykc::compile_file(path, how);
      },
      path);
}

pykc_error* pykc_compile_to(int32_t emit, const char* source, size_t length, const char* file_name,
                            const pykc_compile_options* options, pykc_output** output) {
  static_assert(static_cast<int>(pykc::Emit::CpuIr) == PYKC_EMIT_CPU_IR &&
                static_cast<int>(pykc::Emit::Code) == PYKC_EMIT_CODE);
  return guarded(
      [&]() -> Result<void> {
        if (emit < PYKC_EMIT_TOKENS || emit > PYKC_EMIT_CODE)
          return pykc::invalid_argument("there is no stage " + std::to_string(emit));
        ASSIGN_OR_RETURN(const pykc::CompileOptions how, options_of(options));
        ASSIGN_OR_RETURN(pykc::CompileOutput compiled,
                         pykc::compile_to(static_cast<pykc::Emit>(emit), {source, length}, how, name_of(file_name)));
        auto made = std::make_unique<pykc_output>();
        if (emit == PYKC_EMIT_CODE) made->artifact = std::make_unique<pykc_artifact>(std::move(compiled.artifact));
        made->warnings.list = std::move(compiled.warnings);
        made->value = std::move(compiled);
        *output = made.release();
        return {};
      },
      source, output);
}

const char* pykc_output_text(const pykc_output* output) { return output->value.text.c_str(); }
const pykc_artifact* pykc_output_artifact(const pykc_output* output) { return output->artifact.get(); }
const pykc_diagnostics* pykc_output_warnings(const pykc_output* output) { return &output->warnings; }
void pykc_output_free(pykc_output* output) { delete output; }

const char* pykc_llvm_version(void) {
  static const std::string version = pykc::llvm_version();
  return version.c_str();
}

pykc_error* pykc_source_module_load(const pykc_device* device, const char* source, size_t length, const char* file_name,
                                    const pykc_compile_options* options, pykc_source_module** module) {
  return make(
      module,
      [&]() -> Result<pykc::SourceModule> {
        ASSIGN_OR_RETURN(const pykc::CompileOptions how, options_of(options));
        const pykc::Source text(std::string(source, length), name_of(file_name));
        return pykc::SourceModule::load(device->value, text, how);
      },
      device, source);
}

pykc_error* pykc_source_module_kernel(const pykc_source_module* module, const char* name,
                                      pykc_generic_kernel** kernel) {
  return make(
      kernel, [&] { return module->value.kernel(name); }, module, name);
}

void pykc_source_module_free(pykc_source_module* module) { delete module; }

pykc_error* pykc_generic_kernel_bind(const pykc_generic_kernel* kernel, const pykc_constant* constants, size_t count,
                                     pykc_generic_kernel** bound) {
  return make(
      bound,
      [&]() -> Result<pykc::GenericKernel> {
        ASSIGN_OR_RETURN(std::vector<Constant> values, constants_of(constants, count));
        return kernel->value.bind(pykc::Configuration(std::move(values)));
      },
      kernel);
}

void pykc_generic_kernel_free(pykc_generic_kernel* kernel) { delete kernel; }

pykc_error* pykc_generic_kernel_launch(const pykc_generic_kernel* kernel, const pykc_launch_config* config,
                                       const pykc_argument* arguments, size_t argument_count) {
  return guarded(
      [&]() -> Result<void> {
        ASSIGN_OR_RETURN(const pykc::LaunchConfig how, launch_config(*config));
        ASSIGN_OR_RETURN(const ArgumentList list, ArgumentList::of(arguments, argument_count, nullptr));
        return kernel->value.launch_with(how, list.list());
      },
      kernel, config);
}

}  // extern "C"
