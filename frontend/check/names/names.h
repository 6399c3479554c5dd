// The names that a .pyk file has without declaring them: the prelude, and what stands in the modules that it may
// import.
//
// Every name has one canonical dotted path: "threadIdx.x", "math.sqrt", "numpy.float32". `cuda.grid`, `np.sqrt` and
// `from math import sqrt` are other roads to the same entries: numba.cuda is the prelude under another name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "pykc/types.h"
#include "stdlib/builtins.h"
#include "stdlib/language_names.h"
#include "stdlib/reductions.h"

namespace pykc::checker {

struct Ufunc;

/// A builtin for one type: `libdevice.sinf`.
struct TypedBuiltin {
  BuiltinId id;
  ScalarType type;
};

/// A function of the module kLibdeviceModule.
struct LibdeviceFunction {
  std::string_view name;
};

struct Prefix {  // a namespace: "math", "threadIdx"; "" is the prelude
  std::string path;
};

struct LibraryModule {  // a namespace that is a module of the library: "fp16"
  std::string_view name;
};

using NameEntry = std::variant<BuiltinId, TypedBuiltin, LibdeviceFunction, LanguageFunction, const Ufunc*,
                               const Reduction*, ElementType, double, Prefix, LibraryModule>;

class NameTable {
 public:
  NameTable();
  /// The entry `name` of a namespace, or null.
  const NameEntry* find(std::string_view prefix, std::string_view name) const;
  /// All names of a namespace, for "did you mean".
  std::vector<std::string_view> names_in(std::string_view prefix) const;
  /// The words in a file that bring in a module of the library without an import, and those modules: `norm3d` of
  /// `math.norm3d` is written in the language.
  std::multimap<std::string, std::string_view, std::less<>> library_words() const;
  /// Whether `import NAME` means one of the modules that are always there.
  static bool is_known_module(std::string_view module);
  /// Whether it is one of Python's modules, or of a package, that kernels have nothing of: `os`, `numba.core.errors`.
  /// An import of it finds no file and is right; its names cannot be used in kernels.
  static bool is_host_module(std::string_view module);
  /// The namespace that an import of a known module gives: "numba.cuda" is the prelude.
  static std::string prefix_of_module(std::string_view module);

 private:
  void add(std::string path, NameEntry entry);
  void add_types(const std::string& prefix);
  void add_type_names();
  void add_libdevice();
  std::unordered_map<std::string, NameEntry> entries_;
};

/// Made when it is first asked for; it never changes.
const NameTable& name_table();

/// The module of the library that holds the builtins that are written in the language.
inline constexpr std::string_view kIntrinsicsModule = "pykc.intrinsics";
/// The module that holds NumPy's ufuncs that are written in the language; only files that name `numpy` need it.
inline constexpr std::string_view kUfuncsModule = "pykc.ufuncs";
/// The module that holds what NumPy's ufuncs do on complex numbers; only files that name `numpy` need it.
inline constexpr std::string_view kComplexUfuncsModule = "pykc.complex_ufuncs";
/// The module that holds Numba's libdevice functions that are no builtins under another name.
inline constexpr std::string_view kLibdeviceModule = "pykc.libdevice";
/// The module that holds what `print` in kernels calls.
inline constexpr std::string_view kPrintingModule = "pykc.printing";

/// Whether a builtin is a value by itself, not a function: `threadIdx.x`, `laneid`.
bool is_property(BuiltinId id);
/// Whether the prelude has a function of that name, which a variable then hides.
bool is_name_of_function(std::string_view name);

}  // namespace pykc::checker
