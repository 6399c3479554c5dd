#include "frontend/check/names/names.h"

#include <algorithm>
#include <utility>

#include "frontend/check/calls/ufuncs.h"
#include "stdlib/language_names.h"
#include "stdlib/library.h"
#include "stdlib/type_names.h"

namespace pykc::checker {
namespace {

/// What CuPy's `jit` has of the prelude's namespaces.
constexpr std::string_view kCupyJitIndices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
struct KnownModule {
  std::string_view name;
  std::string_view prefix;
};

/// The modules of which kernels have names. Several of Numba's are other roads to one of them.
constexpr KnownModule kKnownModules[] = {
    {"pykc", ""},
    {"numba.cuda", ""},
    {"numba.cuda.libdevice", "libdevice"},
    {"numba", "numba"},
    {"numba.types", "numba"},
    {"numba.core.types", "numba"},
    {"numba.cuda.types", "numba"},
    {"numba.misc.special", "numba"},
    {"numba.cuda.misc.special", "numba"},
    {"numbapro", "numba"},
    {"numbapro.cuda", ""},
    {"cupyx", "cupyx"},
    {"cupyx.jit", "cupyx.jit"},
    {"numpy", "numpy"},
    {"math", "math"},
    {"typing", "typing"},
    {"enum", "enum"},
    {"collections", "collections"},
    {"operator", "operator"},
};

/// Namespaces of Numba's `cuda` that are written in the language.
constexpr std::pair<std::string_view, std::string_view> kLibraryNamespaces[] = {{"fp16", "pykc.fp16"},
                                                                                {"numba.cuda.random", "pykc.random"}};

/// Python's modules and packages that only host code uses. They may be imported, with all that stands below them.
constexpr std::string_view kHostModules[] = {
    "IPython",    "PIL",         "__future__", "abc",          "argparse",    "array",   "ast",
    "asyncio",    "base64",      "bisect",     "bokeh",        "builtins",    "bz2",     "calendar",
    "cffi",       "codecs",      "concurrent", "configparser", "contextlib",  "copy",    "csv",
    "ctypes",     "cuda",        "cudf",       "cuml",         "cupy",        "cupyx",   "cv2",
    "dask",       "dataclasses", "datetime",   "decimal",      "difflib",     "dis",     "faulthandler",
    "filecmp",    "fnmatch",     "fractions",  "functools",    "gc",          "getpass", "glob",
    "gzip",       "hashlib",     "heapq",      "html",         "http",        "imageio", "importlib",
    "inspect",    "io",          "itertools",  "jax",          "json",        "keyword", "llvmlite",
    "locale",     "logging",     "lzma",       "matplotlib",   "ml_dtypes",   "mmap",    "multiprocessing",
    "numba",      "numbapro",    "numbers",    "numpy",        "nvtx",        "os",      "pandas",
    "pathlib",    "pdb",         "pickle",     "pkgutil",      "platform",    "plotly",  "pprint",
    "psutil",     "pycuda",      "pytest",     "queue",        "random",      "re",      "requests",
    "resource",   "rmm",         "scipy",      "seaborn",      "select",      "shlex",   "shutil",
    "signal",     "site",        "skimage",    "sklearn",      "socket",      "sqlite3", "stat",
    "statistics", "string",      "struct",     "subprocess",   "sympy",       "sys",     "sysconfig",
    "tarfile",    "tempfile",    "tensorflow", "textwrap",     "threading",   "time",    "timeit",
    "tokenize",   "torch",       "tqdm",       "traceback",    "tracemalloc", "types",   "unittest",
    "urllib",     "uuid",        "warnings",   "weakref",      "xml",         "zipfile", "zlib",
};

/// The names of a module's functions, without the private ones.
std::vector<std::string_view> functions_defined_by(std::string_view source) {
  constexpr std::string_view kStart = "\ndef ";
  std::vector<std::string_view> names;
  for (std::size_t at = source.find(kStart); at != source.npos; at = source.find(kStart, at + 1)) {
    const std::size_t begin = at + kStart.size();
    const std::string_view name = source.substr(begin, source.find('(', begin) - begin);
    if (!name.starts_with('_')) names.push_back(name);
  }
  return names;
}

}  // namespace

NameTable::NameTable() {
  entries_.reserve(2048);
  for (const LanguageFunctionRow& row : all_language_functions()) add(std::string(row.name), row.id);
  for (const Builtin& row : all_builtins()) add(std::string(row.name), row.id);
  for (const Ufunc& row : all_ufuncs()) add(std::string(row.path), &row);
  for (const Reduction& row : all_reductions()) add("numpy." + std::string(row.name), &row);
  for (const Alias& row : all_aliases()) add(std::string(row.name), entries_.at(std::string(row.row)));
  for (const LanguageConstant& row : all_constants()) add(std::string(row.name), row.value);
  add_types("");
  add_type_names();
  add_types("numba.");
  add_types("numpy.");
  add_libdevice();
  add("int", ScalarType::I64);
  add("float", ScalarType::F64);
  for (const auto& [name, module] : kLibraryNamespaces) add(std::string(name), LibraryModule{module});
  add("numba.cuda", Prefix{""});
  for (const char* path : {"types", "numba.types", "numba.core.types"}) add(path, Prefix{"numba"});
  add("numba.core", Prefix{"numba.core"});
  add("cupyx.jit", Prefix{"cupyx.jit"});
  for (const std::string_view name : kCupyJitIndices) add("cupyx.jit." + std::string(name), Prefix{std::string(name)});
}

void NameTable::add_type_names() {
  for (const TypeName& row : all_type_names()) {
    const std::string name(row.name);
    const ScalarType type = *find_scalar_type(row.type);
    switch (row.family) {
      case TypeFamily::NumpyAndNumba:
        add("numpy." + name, type);
        add("numba." + name, type);
        break;
      case TypeFamily::Numba:
        add("numba." + name, type);
        break;
      case TypeFamily::ComplexCode:
        add("numba." + name, complex_type(type));
        break;
      case TypeFamily::CudaVector:
        for (int count = 1; count <= 4; ++count) {
          add(name + std::to_string(count), vector_type(type, count));
          add("make_" + name + std::to_string(count), vector_type(type, count));
        }
        break;
      case TypeFamily::NumpyLetter:
        break;  // texts, not names
    }
  }
}

void NameTable::add_types(const std::string& prefix) {
  for (int i = 0; i < kScalarTypeCount; ++i) {
    const auto type = static_cast<ScalarType>(i);
    add(prefix + std::string(info(type).spelling), type);
    add(prefix + std::string(info(type).numpy), type);
    for (int count = 1; count <= 4; ++count) {
      const std::string suffix = "x" + std::to_string(count);
      const ElementType vector = vector_type(type, count);
      add(prefix + std::string(info(type).spelling) + suffix, vector);
      add(prefix + std::string(info(type).numpy) + suffix, vector);
    }
  }
  const ElementType single = complex_type(ScalarType::F32), wide = complex_type(ScalarType::F64);
  for (const char* name : {"c64", "complex64"}) add(prefix + name, single);
  for (const char* name : {"c128", "complex128"}) add(prefix + name, wide);
}

void NameTable::add_libdevice() {
  for (const LibdeviceName& row : all_libdevice_names())
    add(std::string(row.name), TypedBuiltin{find_builtin(row.row)->id, *find_scalar_type(row.type)});
  for (const std::string_view name : functions_defined_by(library_source(kLibdeviceModule)))
    add("libdevice." + std::string(name), LibdeviceFunction{name});
}

void NameTable::add(std::string path, NameEntry entry) {
  const std::size_t dot = path.find('.');
  if (dot != std::string::npos) entries_.try_emplace(path.substr(0, dot), Prefix{path.substr(0, dot)});
  entries_.try_emplace(std::move(path), std::move(entry));
}

const NameEntry* NameTable::find(std::string_view prefix, std::string_view name) const {
  std::string path(prefix);
  if (!path.empty()) path += '.';
  path += name;
  const auto found = entries_.find(path);
  if (found == entries_.end()) return nullptr;
  const bool needs_import =
      prefix.empty() && (name == "numpy" || name == "numba" || name == "enum" || name == "collections" ||
                         name == "typing" || name == "operator" || name == "cupyx");
  return needs_import ? nullptr : &found->second;
}

std::vector<std::string_view> NameTable::names_in(std::string_view prefix) const {
  std::vector<std::string_view> names;
  for (const auto& [path, entry] : entries_) {
    std::string_view name = path;
    if (!prefix.empty()) {
      if (!name.starts_with(prefix) || name.size() <= prefix.size() || name[prefix.size()] != '.') continue;
      name.remove_prefix(prefix.size() + 1);
    }
    if (name.find('.') == std::string_view::npos) names.push_back(name);
  }
  std::sort(names.begin(), names.end());  // the nearest name must not depend on the order of a hash table
  return names;
}

std::multimap<std::string, std::string_view, std::less<>> NameTable::library_words() const {
  std::multimap<std::string, std::string_view, std::less<>> words{
      {"print", kPrintingModule}, {"bf16", "pykc.bf16"}, {"libdevice", kLibdeviceModule}, {"round", kIntrinsicsModule}};
  for (const auto& [path, entry] : entries_) {
    const std::string word = path.substr(path.rfind('.') + 1);
    const auto* plain = std::get_if<BuiltinId>(&entry);
    const auto* typed = std::get_if<TypedBuiltin>(&entry);
    const auto* ufunc = std::get_if<const Ufunc*>(&entry);
    if (ufunc) plain = std::get_if<BuiltinId>(&(*ufunc)->function);
    if (typed) plain = &typed->id;
    if (plain && info(*plain).cpu.kind == Lowering::Kind::Library) words.emplace(word, kIntrinsicsModule);
    if (ufunc && (*ufunc)->is_from_library()) words.emplace(word, kUfuncsModule);
    if (ufunc && (*ufunc)->has_complex_form()) words.emplace(word, kComplexUfuncsModule);
    if (const auto* module = std::get_if<LibraryModule>(&entry)) words.emplace(word, module->name);
    if (std::holds_alternative<const Reduction*>(entry)) words.emplace(word, kReductionsModule);
  }
  return words;
}

const NameTable& name_table() {
  static const NameTable table;
  return table;
}

bool NameTable::is_known_module(std::string_view module) {
  return std::any_of(std::begin(kKnownModules), std::end(kKnownModules),
                     [&](const KnownModule& known) { return known.name == module; });
}

std::string NameTable::prefix_of_module(std::string_view module) {
  for (const KnownModule& known : kKnownModules)
    if (known.name == module) return std::string(known.prefix);
  return {};
}

bool NameTable::is_host_module(std::string_view module) {
  return std::ranges::binary_search(kHostModules, module.substr(0, module.find('.')));
}

bool is_property(BuiltinId id) { return info(id).is_value; }

bool is_name_of_function(std::string_view name) {
  const NameEntry* entry = name_table().find("", name);
  if (!entry) return false;
  const auto* builtin = std::get_if<BuiltinId>(entry);
  const auto* named = std::get_if<LanguageFunction>(entry);
  return (builtin && !is_property(*builtin)) || (named && is_function(*named));
}

}  // namespace pykc::checker
