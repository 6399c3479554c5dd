// The front end's doors, in the order in which the driver goes through them:
//   text → lex → tokens → parse → ast::Module → check → checked::Module → lower → ir::Module
// Each takes one value and returns one; what is wrong goes to Diagnostics. After an error the returned value is still
// sound, so that one run reports every error of a file; the driver stops before `lower`, which cannot fail.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "frontend/syntax/ast.h"
#include "pykc/configuration.h"
#include "pykc/error.h"
#include "pykc/types.h"

namespace pykc::checked {
struct Module;  // frontend/checked/tree.h
}
namespace pykc::ir {
struct Module;  // ir/module.h
}

namespace pykc {

struct Token;  // frontend/syntax/token.h

std::vector<Token> lex(const SourceFile& file, Diagnostics& diagnostics);

std::unique_ptr<ast::Module> parse(std::shared_ptr<const SourceFile> file, const std::vector<Token>& tokens,
                                   Diagnostics& diagnostics);

/// Finds the source of `from NAME import …`; null when there is none, an error where it cannot be had.
using ImportResolver = std::function<Result<std::shared_ptr<const SourceFile>>(std::string_view module_name)>;

/// A program: a module and everything that it imports, parsed. Cycles and missing modules are reported. Programs may
/// share modules.
struct Program {
  std::shared_ptr<const ast::Module> main;
  struct Imported {
    std::string name;     // in full, from the folder where the program starts: "pykc.reduce"
    std::string package;  // the folder it stands in: "pykc"
    std::shared_ptr<const ast::Module> module;
  };
  std::vector<Imported> imports;  // dependencies first
  std::string package;            // of the main file
  const ast::Module* find(std::string_view name) const;
  std::string package_of(const ast::Module& module) const;
};
/// The module of constants that the host program passes in; the main file has its names without importing it.
inline constexpr std::string_view kConstantsModule = "<constants>";

/// Behind it, every import of the trees names its module in full. `package` is the folder of the file, as a dotted
/// name, where the program starts in another one. `constants` is the text of the module of constants.
Program load_program(std::shared_ptr<const SourceFile> file, const ImportResolver& resolve, Diagnostics& diagnostics,
                     const std::string& package = {}, const std::string& constants = {});

/// The program whose main file is a module of another one, which is parsed already. `further` is text behind it, right
/// and without imports of its own but of what the program has; with it, the module alone is parsed again.
Program program_from(const Program& program, const ast::Module& module, const std::string& further = {});

struct CheckOptions {
  bool asserts = true;
  bool bounds_checks = false;
  bool warnings = true;
  bool fast_math = false;
  bool contract = true;
  bool all_configurations = false;  // of kernels with `@autotune`; only the first is in the checked module all the same
  bool untrusted = false;           // neither PTX nor functions of libraries, but in the library that is built in
};

/// A function by its name in a module of the program: in full, empty for the main file.
struct FunctionName {
  std::string module;
  std::string name;
};
/// What a parameter is known to be while compiling: a number, a function, a type, or what somebody wrote in a
/// signature, which is read as an expression of the main file. Nothing where a type is all that is known.
using ConstantArgument =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, ScalarType, FunctionName, std::string>;
ConstantArgument constant_argument(const Constant& constant);
/// The spelling of messages and keys.
std::string constant_text(const ConstantArgument& constant);

/// The type of an argument, as a request or a signature states it. A tuple of numbers is all constants: for a
/// `constexpr` parameter its value.
struct ArgumentType {
  ParameterInfo parameter;  // of a number, a record or an array
  bool is_tuple = false;
  std::vector<ArgumentType> elements;   // of a tuple
  std::vector<std::string> names = {};  // of the elements of a named tuple
  ConstantArgument constant = {};       // instead of a type
  bool is_pointer = false;              // `CPointer(T)`: an array of a length that nobody may ask for
  bool is_constant() const { return !std::holds_alternative<std::monostate>(constant); }
};
/// As a signature spells it: "f32[:, :]", "tuple[f32, 16]".
std::string to_string(const ArgumentType& type);

/// What to specialise: a kernel by name with its argument types; those that configurations set may be left out, and
/// are then as in the first one. Without requests, every kernel whose parameters are all typed, or set by
/// configurations, is checked; kernels without types are checked for syntax and names only as far as types allow.
struct KernelRequest {
  std::string kernel;
  std::vector<ArgumentType> arguments;  // with `use_annotations` of the parameters that these leave open, in order
  bool use_annotations = false;
  std::string module = {};  // that has the kernel, in full; empty for the main file
};
/// Reads "saxpy(f32, f32[:], f32[:])", in pykc's or in Numba's spelling; "fold(tuple[f32[:], i32], 16, add)".
Result<KernelRequest> parse_signature(std::string_view text);

/// The records that a module of the program declares (`@struct class`), by name. What is wrong with them is reported
/// where kernels are checked.
std::map<std::string, RecordRef> declared_records(const Program& program, const ast::Module& module);

/// What `@autotune` lets the kernel of a module choose from; nothing without one, or where something is reported.
std::vector<Configuration> configurations_of(const Program& program, const ast::Module& module,
                                             const ast::FunctionDef& kernel, Diagnostics& diagnostics);
/// Whether a kernel has an `@autotune`, by its spelling.
bool is_autotuned(const ast::FunctionDef& function);
/// Whether a request has no arguments for the parameters that the configuration sets.
bool leaves_out(const KernelRequest& request, const ast::FunctionDef& kernel, const Configuration& configuration);
/// The request with values for `constexpr` parameters of the kernel, which it lacks until then.
KernelRequest with_constants(KernelRequest request, const ast::FunctionDef& kernel, const Configuration& constants);

/// Whether the name means something in kernels without an import: `threadIdx`, `shared`, `syncthreads`.
bool is_kernel_name(std::string_view name);
/// One of Python's exceptions.
bool is_exception_name(std::string_view name);
/// A number that a module has a name for: `pi` of "math" and "numpy".
std::optional<double> number_named(std::string_view module, std::string_view name);

/// Whether an import of the module is right though no file has it: `numpy`, `os`, `numba.core.errors`.
bool is_importable(std::string_view module);

checked::Module check(const Program& program, const std::vector<KernelRequest>& requests, const CheckOptions& options,
                      Diagnostics& diagnostics);

/// Cannot fail on a module that was checked without an error.
std::unique_ptr<ir::Module> lower(const checked::Module& module);

/// What a function is by its decorators, whose names are followed through the imports of its module.
enum class FunctionKind : std::uint8_t {
  Plain,
  Test,
  Device,
  Kernel,
  Vectorized,   // `@vectorize`
  Generalized,  // `@guvectorize`
  Reduction,    // `@cuda.reduce`
  Compiled,     // Numba's `@jit`: host code calls it, and kernels
};
FunctionKind kind_of(const ast::Module& module, const ast::FunctionDef& function);
/// Whether the compiler knows what the decorator means; others are functions, which the host calls.
bool is_known_decorator(const ast::Module& module, const ast::Expr& decorator);

/// The kernels of a module, of several with one name the last.
std::vector<const ast::FunctionDef*> kernels_of(const ast::Module& module);
std::vector<std::string> kernel_names(const ast::Module& module);

/// A kernel by the name that a module has for it.
struct NamedKernel {
  std::string name;
  const ast::FunctionDef* definition;
  const ast::Module* module;  // that defines it
};
/// The kernels of a program's main file, and those that it imports by name (`from pykc.matmul import gemm`).
std::vector<NamedKernel> kernels_of(const Program& program);

/// Whether the value of a module's `NAME = …` is spelled as a call of `const.array`.
bool declares_host_constant(const ast::Expr& value);
/// The names of a module that stand for constants which the host fills.
std::vector<std::string> host_constant_names(const ast::Module& module);

/// The signature that a decorator gives as its first argument: a string, or the first string of a list. Empty without.
std::string signature_of(const ast::FunctionDef& function);
/// Whether the parameter is annotated `constexpr`: a kernel is compiled for each of its values.
bool is_constexpr(const ast::Parameter& parameter);
/// A kernel's parameters are typed, by annotations or by a signature: its arguments are converted to them.
bool is_typed_kernel(const ast::FunctionDef& function);
/// Whether its decorator states signatures: then there is a kernel for each.
bool has_signatures(const ast::FunctionDef& function);
/// Whether the types of a kernel's parameters are known where a configuration sets its `constexpr` parameters.
bool is_typed_with(const Configuration& configuration, const ast::FunctionDef& kernel);

}  // namespace pykc
