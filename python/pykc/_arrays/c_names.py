"""What C has under other names than the language: types, functions, constants; and functions of the language that
mean what C's do."""
from __future__ import annotations

import keyword
import math

import numpy

TYPES = {"bool": "bool", "char": "i8", "signed char": "i8", "signed": "i32", "signed int": "i32",
         "short": "i16", "int": "i32", "long": "i64", "long long": "i64",
         "unsigned": "u32", "unsigned int": "u32", "unsigned char": "u8", "unsigned short": "u16",
         "unsigned long": "u64", "unsigned long long": "u64", "size_t": "u64", "ptrdiff_t": "i64", "float": "f32",
         "double": "f64", **{f"{sign}int{bits}{end}": f"{kind}{bits}" for sign, kind in (("", "i"), ("u", "u"))
                             for bits in (8, 16, 32, 64) for end in ("", "_t")},
         "float16": "f16", "float32": "f32", "float64": "f64", "complex<float>": "c64", "complex<double>": "c128",
         "complex64": "c64", "complex128": "c128"}
_MATH = ("atan2 exp10 cbrt rcbrt hypot rhypot norm3d norm4d fmod remainder copysign nextafter fdim erf erfc erfinv "
         "erfcinv erfcx normcdf normcdfinv lgamma j0 j1 y0 y1 sinpi cospi isinf isfinite ldexp logb ilogb").split()
_OF_COMPLEX = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
               "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh",
               "atanh": "arctanh", **{name: name for name in "exp exp2 expm1 log log2 log10 log1p sqrt".split()}}
#: The bytes of the language's types.
SIZES = {"bool": 1, **{f"{kind}{bits}": bits // 8 for kind, widths in (("i", (8, 16, 32, 64)), ("u", (8, 16, 32, 64)),
                                                                   ("f", (16, 32, 64)), ("c", (64, 128)))
                       for bits in widths}}
CALLS = {**{name + end: f"math.{name}" for name in _MATH for end in ("", "f")},
          **{name + end: f"np.{numpys}" for name, numpys in _OF_COMPLEX.items() for end in ("", "f")},
          "pow": "c_pow", "powf": "c_pow", "conj": "c_conj", "norm": "c_norm", "real": "c_real", "imag": "c_imag",
          "arg": "cmath.phase", "polar": "cmath.rect",
          **{f"__{name}{end}": f"c_{name}{bits}" for name in ("popc", "clz", "ffs", "brev")
             for end, bits in (("", 32), ("ll", 64))},
          "round": "c_round", "roundf": "c_round", "rint": "np.rint", "rintf": "np.rint", "tgamma": "math.gamma",
          "tgammaf": "math.gamma", "fabs": "abs", "fabsf": "abs", "abs": "abs", "min": "min", "max": "max",
          "floor": "np.floor", "floorf": "np.floor", "ceil": "np.ceil", "ceilf": "np.ceil", "trunc": "np.trunc",
          "truncf": "np.trunc", "isnan": "math.isnan", "fmin": "np.fmin", "fmax": "np.fmax", "fminf": "np.fmin",
          "fmaxf": "np.fmax", "rsqrt": "rsqrt", "rsqrtf": "rsqrt", "fma": "fma", "fmaf": "fma", "signbit": "np.signbit",
          **{f"__{name}f": f"math.{name}" for name in "exp exp10 log log2 log10 sin cos tan".split()},
          **{f"__{name}": name for name in "float_as_int int_as_float double_as_longlong longlong_as_double".split()},
          **{f"__{letter}{name}_{way}": f"{name}_{way}" for letter in "fd" for name in "add mul div sqrt".split()
             for way in ("rn", "rd", "ru", "rz")},
          "__powf": "c_pow", "__fdividef": "c_cut", "__saturatef": "saturate", "__half2float": "f32",
          "__float2half": "f16"}
_BITS = {"INT": 31, "LONG": 63, "LLONG": 63}  # but for the sign
_FLOATS = {"FLT": numpy.finfo("f4"), "DBL": numpy.finfo("f8")}
CONSTANTS = {
    "M_PI": math.pi, "M_PI_2": math.pi / 2, "M_PI_4": math.pi / 4, "M_1_PI": 1 / math.pi, "M_2_PI": 2 / math.pi,
    "M_2_SQRTPI": 2 / math.sqrt(math.pi), "M_E": math.e, "M_LOG2E": 1 / math.log(2), "M_LOG10E": 1 / math.log(10),
    "M_LN2": math.log(2), "M_LN10": math.log(10), "M_SQRT2": math.sqrt(2), "M_SQRT1_2": math.sqrt(0.5),
    "NAN": "math.nan", "INFINITY": "math.inf", "HUGE_VAL": "math.inf",
    **{f"CUDART_{name}{end}": value for end in ("", "_F")
       for name, value in (("INF", "math.inf"), ("NAN", "math.nan"), ("PI", math.pi))},
    **{f"{name}_MAX": 2 ** bits - 1 for name, bits in _BITS.items()}, "UINT_MAX": f"u32({2 ** 32 - 1})",
    **{f"{name}_MIN": f"(-{2 ** bits})" for name, bits in _BITS.items()},
    **{f"{name}_{what}": float(value) for name, found in _FLOATS.items()
       for what, value in (("MAX", found.max), ("MIN", found.tiny), ("EPSILON", found.eps))}}
#: Names that C may have and the text of the language may not.
TAKEN = set(keyword.kwlist) - {"if", "else", "for", "while", "break", "continue", "return"} | {
    "math", "cmath", "np", "atomic", "local", "grid"}
ATOMICS = {"atomicAdd": "add", "atomicSub": "sub", "atomicMax": "max", "atomicMin": "min", "atomicAnd": "and_",
            "atomicOr": "or_", "atomicXor": "xor", "atomicExch": "exch", "atomicInc": "inc", "atomicDec": "dec",
            "atomicCAS": "cas"}

#: The functions of operators whose sides C converts in another way than the language where one has no sign.
COMPARISONS = {"==": "c_equal", "!=": "c_unequal", "<": "c_less", "<=": "c_at_most", ">": "c_greater",
               ">=": "c_at_least"}
ARITHMETIC = {"+": "c_sum", "-": "c_difference", "*": "c_product", "&": "c_and", "|": "c_or", "^": "c_xor"}
SHIFTS = {"<<": "c_shifted_up", ">>": "c_shifted_down"}

#: What the translated text calls.
PRELUDE = """import math
import cmath
import numpy as np


def c_beside(x, y):
    # an integer as C converts it beside another one
    if isinstance(y, u64) and isinstance(x, int):
        return u64(x)
    if isinstance(y, u32) and (isinstance(x, i32) or isinstance(x, i16) or isinstance(x, i8)):
        return u32(x)
    return x


def c_quotient(a, b):
    return c_cut(c_beside(a, b), c_beside(b, a))


def c_cut(a, b):
    if isinstance(a, int) and isinstance(b, int):
        quotient = a // b
        return quotient + 1 if quotient < 0 and quotient * b != a else quotient
    return a / b


def c_rest(a, b):
    return c_left(c_beside(a, b), c_beside(b, a))


def c_left(a, b):
    rest = a % b
    return rest - b if rest != 0 and (a < 0) != (b < 0) else rest


def c_inverse(x):
    if isinstance(x, bool) or isinstance(x, i8) or isinstance(x, u8) or isinstance(x, i16) or isinstance(x, u16):
        return ~i32(x)
    return ~x


def c_as(x, y):
    # y in the type of x
    if isinstance(x, c64):
        return c64(y)
    elif isinstance(x, c128):
        return c128(y)
    else:
        return x.dtype(y)


def c_round(x):
    return math.copysign(np.floor(abs(x) + 0.5), x)


def c_pow(x, y):
    if isinstance(x, complex) or isinstance(y, complex):
        return np.power(x, y)
    return math.pow(x, y)


def c_conj(x):
    if isinstance(x, complex):
        return x.conjugate()
    return x


def c_real(x):
    return x.real


def c_imag(x):
    return x.imag


def c_with_real(z, x):
    return c128(x, z.imag)


def c_with_imag(z, x):
    return c128(z.real, x)


def c_norm(x):
    return x.real * x.real + x.imag * x.imag

""" + "".join(f"""
def c_{name}{bits}(x):
    return {f"{kind}{bits}({name}({argument}{bits}(x)))"}

""" for name, kind, argument in (("popc", "i", "u"), ("clz", "i", "u"), ("ffs", "i", "i"), ("brev", "u", "u"))
    for bits in (32, 64)) + "".join(f"""
def {name}(a, b):
    return c_beside(a, b) {operator} c_beside(b, a)

""" for operator, name in {**COMPARISONS, **ARITHMETIC}.items()) + "".join(f"""
def {name}(a, b):
    if isinstance(a, u64):
        return a {operator} u64(b)
    if isinstance(a, u32):
        return a {operator} u32(b)
    return a {operator} i32(b)

""" for operator, name in SHIFTS.items()) + """

"""
