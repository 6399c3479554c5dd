#include "frontend/check/names/names.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "frontend/check/calls/cuda_vectors.h"
#include "frontend/check/types/numba_types.h"
#include "stdlib/library.h"

namespace pykc::checker {
namespace {

struct SpecialName {
  std::string_view path;
  Special special;
};

constexpr SpecialName kSpecials[] = {
    {"grid", Special::Grid},
    {"gridsize", Special::GridSize},
    {"len", Special::Len},
    {"range", Special::Range},
    {"print", Special::Print},
    {"abs", Special::Abs},
    {"min", Special::Min},
    {"max", Special::Max},
    {"round", Special::Round},
    {"pow", Special::Pow},
    {"divmod", Special::Divmod},
    {"shared.array", Special::SharedArray},
    {"local.array", Special::LocalArray},
    {"const.array", Special::ConstArray},
    {"const.array_like", Special::ConstArrayLike},
    {"numpy.array", Special::NumpyArray},
    {"numpy.asarray", Special::NumpyArray},
    {"numpy.ascontiguousarray", Special::NumpyArray},
    {"numpy.asfortranarray", Special::NumpyArray},
    {"numpy.zeros", Special::NumpyZeros},
    {"numpy.empty", Special::NumpyZeros},
    {"numpy.ones", Special::NumpyOnes},
    {"numpy.full", Special::NumpyFull},
    {"numpy.zeros_like", Special::NumpyZerosLike},
    {"numpy.empty_like", Special::NumpyZerosLike},
    {"numpy.ones_like", Special::NumpyOnesLike},
    {"numpy.full_like", Special::NumpyFullLike},
    {"numpy.arange", Special::NumpyArange},
    {"numpy.linspace", Special::NumpyLinspace},
    {"numpy.eye", Special::NumpyEye},
    {"numpy.dtype", Special::NumpyDtype},
    {"numpy.newaxis", Special::NewAxis},
    {"enumerate", Special::Enumerate},
    {"zip", Special::Zip},
    {"reversed", Special::Reversed},
    {"unroll", Special::Unroll},
    {"sum", Special::Sum},
    {"any", Special::Any},
    {"all", Special::All},
    {"isinstance", Special::IsInstance},
    {"static_assert", Special::StaticAssert},
    {"complex", Special::PythonComplex},
    {"tuple", Special::PythonTuple},
    {"collections.namedtuple", Special::NamedTuple},
    {"constexpr", Special::Constexpr},
    {"ptx", Special::Ptx},
    {"cg.this_grid", Special::ThisGrid},
    {"kernel", Special::Kernel},
    {"device", Special::Device},
    {"extern", Special::Extern},
    {"jit", Special::CudaJit},
    {"test", Special::Test},
    {"vectorize", Special::Vectorize},
    {"reduce", Special::CudaReduce},
    {"Reduce", Special::CudaReduce},
    {"autotune", Special::Autotune},
    {"config", Special::Config},
    {"struct", Special::Struct},
    {"enum.Enum", Special::Enum},
    {"enum.IntEnum", Special::IntEnum},
    {"typing.NamedTuple", Special::NamedTupleClass},
    {"numba.jit", Special::HostJit},
    {"numba.njit", Special::HostJit},
    {"numba.vectorize", Special::Vectorize},
    {"numba.guvectorize", Special::GuVectorize},
    {"numba.literal_unroll", Special::Unroll},
    {"numba.prange", Special::Range},
    {"cupyx.jit.rawkernel", Special::Kernel},
    {"cupyx.jit.grid", Special::Grid},
    {"cupyx.jit.gridsize", Special::GridSize},
    {"cupyx.jit.range", Special::Range},
};

/// Python's exceptions, which kernels raise; classes may be made of them.
constexpr std::string_view kExceptions[] = {
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException",       "Exception",     "FloatingPointError",
    "IndexError",      "KeyError",       "LookupError",    "NotImplementedError", "OverflowError", "RuntimeError",
    "StopIteration",   "TypeError",      "ValueError",     "ZeroDivisionError",
};

struct Alias {
  std::string_view path;
  std::string_view builtin;
};

/// NumPy's and Numba's names for rows of the builtin table.
constexpr Alias kAliases[] = {
    {"numpy.isclose", "math.isclose"},
    {"fma", "math.fma"},
    {"cbrt", "math.cbrt"},
    {"rsqrt", "math.rsqrt"},
    {"rcbrt", "math.rcbrt"},
    {"exp10", "math.exp10"},
    {"sinpi", "math.sinpi"},
    {"cospi", "math.cospi"},
    {"tanpi", "math.tanpi"},
    {"sincos", "math.sincos"},
    {"sincospi", "math.sincospi"},
    {"hypot", "math.hypot"},
    {"rhypot", "math.rhypot"},
    {"norm3d", "math.norm3d"},
    {"norm4d", "math.norm4d"},
    {"rnorm3d", "math.rnorm3d"},
    {"rnorm4d", "math.rnorm4d"},
    {"fdim", "math.fdim"},
    {"erfinv", "math.erfinv"},
    {"erfcinv", "math.erfcinv"},
    {"erfcx", "math.erfcx"},
    {"normcdf", "math.normcdf"},
    {"normcdfinv", "math.normcdfinv"},
};

/// Numba's libdevice functions of floats: the plain name is for f64, with an `f` behind it for f32.
constexpr Alias kLibdeviceFloats[] = {
    {"acos", "math.acos"},
    {"acosh", "math.acosh"},
    {"asin", "math.asin"},
    {"asinh", "math.asinh"},
    {"atan", "math.atan"},
    {"atan2", "math.atan2"},
    {"atanh", "math.atanh"},
    {"cbrt", "math.cbrt"},
    {"ceil", "math.ceil"},
    {"copysign", "math.copysign"},
    {"cos", "math.cos"},
    {"cosh", "math.cosh"},
    {"cospi", "math.cospi"},
    {"erf", "math.erf"},
    {"erfc", "math.erfc"},
    {"erfcinv", "math.erfcinv"},
    {"erfcx", "math.erfcx"},
    {"erfinv", "math.erfinv"},
    {"exp", "math.exp"},
    {"exp10", "math.exp10"},
    {"exp2", "math.exp2"},
    {"expm1", "math.expm1"},
    {"fabs", "math.fabs"},
    {"fdim", "math.fdim"},
    {"floor", "math.floor"},
    {"fma", "math.fma"},
    {"fmax", "max"},
    {"fmin", "min"},
    {"fmod", "math.fmod"},
    {"frexp", "math.frexp"},
    {"hypot", "math.hypot"},
    {"ilogb", "math.ilogb"},
    {"j0", "math.j0"},
    {"j1", "math.j1"},
    {"ldexp", "math.ldexp"},
    {"lgamma", "math.lgamma"},
    {"log", "math.log"},
    {"log10", "math.log10"},
    {"log1p", "math.log1p"},
    {"log2", "math.log2"},
    {"logb", "math.logb"},
    {"modf", "math.modf"},
    {"nearbyint", "round"},
    {"nextafter", "math.nextafter"},
    {"normcdf", "math.normcdf"},
    {"normcdfinv", "math.normcdfinv"},
    {"pow", "math.pow"},
    {"rcbrt", "math.rcbrt"},
    {"remainder", "math.remainder"},
    {"rint", "round"},
    {"rsqrt", "math.rsqrt"},
    {"scalbn", "math.ldexp"},
    {"sin", "math.sin"},
    {"sincos", "math.sincos"},
    {"sincospi", "math.sincospi"},
    {"sinh", "math.sinh"},
    {"sinpi", "math.sinpi"},
    {"sqrt", "math.sqrt"},
    {"tan", "math.tan"},
    {"tanh", "math.tanh"},
    {"tgamma", "math.gamma"},
    {"trunc", "math.trunc"},
    {"y0", "math.y0"},
    {"y1", "math.y1"},
};

struct TypedAlias {
  std::string_view name;
  std::string_view builtin;
  ScalarType type;
};

/// The others, by their own names.
constexpr TypedAlias kLibdevice[] = {
    {"abs", "abs", ScalarType::I32},
    {"llabs", "abs", ScalarType::I64},
    {"clz", "clz", ScalarType::I32},
    {"clzll", "clz", ScalarType::I64},
    {"ffs", "ffs", ScalarType::I32},
    {"ffsll", "ffs", ScalarType::I64},
    {"max", "max", ScalarType::I32},
    {"llmax", "max", ScalarType::I64},
    {"min", "min", ScalarType::I32},
    {"llmin", "min", ScalarType::I64},
    {"mulhi", "mulhi", ScalarType::I32},
    {"mul64hi", "mulhi", ScalarType::I64},
    {"popc", "popc", ScalarType::I32},
    {"popcll", "popc", ScalarType::I64},
    {"sad", "sad", ScalarType::I32},
    {"saturatef", "saturate", ScalarType::F32},
    {"float_as_int", "float_as_int", ScalarType::F32},
    {"int_as_float", "int_as_float", ScalarType::F32},
    {"double_as_longlong", "double_as_longlong", ScalarType::F64},
    {"longlong_as_double", "longlong_as_double", ScalarType::F64},
};

struct RoundedOperation {
  std::string_view builtin;
  std::string_view f32, f64;
};

/// Arithmetic that says how it rounds; each name ends with one of kRoundings.
constexpr RoundedOperation kRoundedOperations[] = {
    {"add", "fadd", "dadd"}, {"mul", "fmul", "dmul"},    {"div", "fdiv", "ddiv"},
    {"fma", "fmaf", "fma"},  {"sqrt", "fsqrt", "dsqrt"},
};
constexpr std::string_view kRoundings[] = {"_rn", "_rd", "_ru", "_rz"};

struct Constant {
  std::string_view path;
  double value;
};

constexpr Constant kConstants[] = {
    {"math.pi", std::numbers::pi},
    {"math.e", std::numbers::e},
    {"math.tau", 2 * std::numbers::pi},
    {"math.inf", std::numeric_limits<double>::infinity()},
    {"math.nan", std::numeric_limits<double>::quiet_NaN()},
    {"numpy.pi", std::numbers::pi},
    {"numpy.e", std::numbers::e},
    {"numpy.inf", std::numeric_limits<double>::infinity()},
    {"numpy.nan", std::numeric_limits<double>::quiet_NaN()},
};

/// What CuPy's `jit` has of the prelude, by the same name.
constexpr std::string_view kCupyJitNames[] = {"laneid",    "warpsize",     "syncthreads",    "syncwarp",
                                              "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"};
constexpr std::string_view kCupyJitIndices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
constexpr std::string_view kCupyJitAtomics[] = {"add", "sub", "exch", "min", "max", "inc", "dec", "cas", "xor"};

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
constexpr std::pair<std::string_view, std::string_view> kLibraryNamespaces[] = {{"fp16", "pykc.fp16"}};

/// Python's modules and packages that only host code uses. They may be imported, with all that stands below them.
constexpr std::string_view kHostModules[] = {
    "IPython",      "PIL",
    "__future__",   "abc",
    "argparse",     "array",
    "ast",          "asyncio",
    "base64",       "bisect",
    "builtins",     "bz2",
    "calendar",     "cffi",
    "codecs",       "concurrent",
    "configparser", "contextlib",
    "copy",         "csv",
    "ctypes",       "cuda",
    "cupy",         "cupyx",
    "cv2",          "dataclasses",
    "datetime",     "decimal",
    "difflib",      "dis",
    "faulthandler", "filecmp",
    "fnmatch",      "fractions",
    "functools",    "gc",
    "getpass",      "glob",
    "gzip",         "hashlib",
    "heapq",        "html",
    "http",         "imageio",
    "importlib",    "inspect",
    "io",           "itertools",
    "json",         "keyword",
    "llvmlite",     "locale",
    "logging",      "lzma",
    "matplotlib",   "ml_dtypes",
    "mmap",         "multiprocessing",
    "numba",        "numbapro",
    "numbers",      "numpy",
    "nvtx",         "os",
    "pandas",       "pathlib",
    "pdb",          "pickle",
    "pkgutil",      "platform",
    "pprint",       "psutil",
    "pycuda",       "pytest",
    "queue",        "random",
    "re",           "requests",
    "resource",     "rmm",
    "scipy",        "seaborn",
    "select",       "shlex",
    "shutil",       "signal",
    "site",         "skimage",
    "sklearn",      "socket",
    "sqlite3",      "stat",
    "statistics",   "string",
    "struct",       "subprocess",
    "sys",          "sysconfig",
    "tarfile",      "tempfile",
    "textwrap",     "threading",
    "time",         "timeit",
    "tokenize",     "torch",
    "tqdm",         "traceback",
    "tracemalloc",  "types",
    "unittest",     "urllib",
    "uuid",         "warnings",
    "weakref",      "xml",
    "zipfile",      "zlib",
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
  for (const SpecialName& row : kSpecials) add(std::string(row.path), row.special);
  for (const std::string_view name : kExceptions) add(std::string(name), Special::Exception);
  for (const Builtin& row : all_builtins()) add(std::string(row.name), row.id);
  for (const Ufunc& row : all_ufuncs()) add(std::string(row.path), &row);
  for (const Reduction& row : all_reductions()) add("numpy." + std::string(row.name), &row);
  for (const Alias& row : kAliases) add(std::string(row.path), find_builtin(row.builtin)->id);
  for (const Constant& row : kConstants) add(std::string(row.path), row.value);
  add_types("");
  for (const TypeName& row : kNumbaTypes) add("numba." + std::string(row.name), row.type);
  for (const TypeName& row : kComplexCodes) add("numba." + std::string(row.name), complex_type(row.type));
  add_types("numba.");
  add_types("numpy.");
  add_libdevice();
  for (const CudaScalar& row : kCudaScalars)
    for (int count = 1; count <= 4; ++count) {
      const std::string name = std::string(row.name) + std::to_string(count);
      add(name, vector_type(row.type, count));
      add("make_" + name, vector_type(row.type, count));
    }
  add("int", ScalarType::I64);
  add("float", ScalarType::F64);
  for (const TypeName& row : kTypeAliases) {
    add("numba." + std::string(row.name), row.type);
    add("numpy." + std::string(row.name), row.type);
  }
  for (const auto& [name, module] : kLibraryNamespaces) add(std::string(name), LibraryModule{module});
  add("numba.cuda", Prefix{""});
  for (const char* path : {"types", "numba.types", "numba.core.types"}) add(path, Prefix{"numba"});
  add("numba.core", Prefix{"numba.core"});
  add_cupy_jit();
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
  const std::string prefix = "libdevice.";
  for (const Alias& row : kLibdeviceFloats) {
    const BuiltinId id = find_builtin(row.builtin)->id;
    add(prefix + std::string(row.path), TypedBuiltin{id, ScalarType::F64});
    add(prefix + std::string(row.path) + "f", TypedBuiltin{id, ScalarType::F32});
  }
  for (const TypedAlias& row : kLibdevice)
    add(prefix + std::string(row.name), TypedBuiltin{find_builtin(row.builtin)->id, row.type});
  for (const RoundedOperation& row : kRoundedOperations)
    for (const std::string_view rounding : kRoundings) {
      const BuiltinId id = find_builtin(std::string(row.builtin).append(rounding))->id;
      add(prefix + std::string(row.f32).append(rounding), TypedBuiltin{id, ScalarType::F32});
      add(prefix + std::string(row.f64).append(rounding), TypedBuiltin{id, ScalarType::F64});
    }
  for (const std::string_view name : functions_defined_by(library_source(kLibdeviceModule)))
    add(prefix + std::string(name), LibdeviceFunction{name});
}

/// CuPy's kernels have the prelude's names behind `jit.`; its atomics are functions.
void NameTable::add_cupy_jit() {
  const std::string prefix = "cupyx.jit.";
  add("cupyx.jit", Prefix{"cupyx.jit"});
  for (const std::string_view name : kCupyJitNames) add(prefix + std::string(name), find_builtin(name)->id);
  for (const std::string_view name : kCupyJitIndices) add(prefix + std::string(name), Prefix{std::string(name)});
  for (const std::string_view name : kCupyJitAtomics)
    add(prefix + "atomic_" + std::string(name), find_builtin("atomic." + std::string(name))->id);
  for (const std::string_view name : {"and", "or"})
    add(prefix + "atomic_" + std::string(name), find_builtin("atomic." + std::string(name) + "_")->id);
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

}  // namespace pykc::checker
