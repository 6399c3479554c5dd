"""NumPy's ufuncs as expressions of the language. A name of `LIBRARY` is the language's own function of that name."""
from __future__ import annotations

LIBRARY = """
    sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg
    radians degrees sqrt cbrt exp exp2 expm1 log log2 log10 log1p fabs copysign isnan isinf isfinite
    sign signbit logaddexp logaddexp2
    fmod fmin fmax gcd lcm absolute minimum maximum
    logical_and logical_or logical_xor logical_not positive negative invert
    add subtract multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor left_shift right_shift
    equal not_equal less less_equal greater greater_equal
""".split()

_NEXT_HALF = """z = x0 + x1
if x0 == x1:
    z = x1
elif x0 == 0 and x1 == x1:
    z = math.copysign(5.960464477539063e-08, x1)
elif x0 == x0 and x1 == x1:
    z = short_as_half(i16(half_as_short(x0) + (1 if (x0 < x1) == (x0 > 0) else -1)))"""


def _rounding(name: str) -> dict[str, str]:
    return {"f": f"z = np.{name}(x0)", "c": f"z = np.{name}(x0)", "": "z = x0"}


_COMPLEX_POWER = ("z = np.power(x0, x1) if x0 != 0 or x1 == 0 else complex(0 if x1.real > 0 else math.nan, "
                  "0 if x1.real > 0 else math.nan)")


#: What the language has by another name, or in other words for some kinds of numbers: lines by the type of the first
#: input ("f16"), or its kind ("b", "i", "u", "f", "c"); "" is for the others.
OWN: dict[str, dict[str, str]] = {
    "divide": {"c": "z = x0 / x1 if x1 != 0 else complex(x0.real / abs(x1.real), x0.imag / abs(x1.real))",
               "": "z = x0 / x1"},
    "power": {"c": _COMPLEX_POWER, "": "z = np.power(x0, x1)"},
    "square": {"b": "z = x0", "": "z = x0 * x0"},
    "reciprocal": {"f": "z = 1 / x0", "c": "z = 1 / x0", "i": "z = x0 if x0 == 1 or x0 == -1 else 0",
                   "": "z = 1 if x0 == 1 else 0"},
    "nextafter": {"f16": _NEXT_HALF, "": "z = np.nextafter(x0, x1)"},
    "conjugate": {"c": "z = x0.conjugate()", "": "z = x0"},
    "floor": _rounding("floor"), "ceil": _rounding("ceil"), "trunc": _rounding("trunc"),
    "rint": {"": "z = np.rint(x0)"},
    "heaviside": {"": "z = x0 if x0 != x0 else 0 if x0 < 0 else 1 if x0 > 0 else x1"},
    "float_power": {"c": _COMPLEX_POWER, "": "z = x0 ** x1"},
    "ldexp": {"": "z = np.ldexp(x0, max(-10000, min(10000, x1)))"},
    "bitwise_count": {"b": "z = x0", "i": "z = popc(abs(x0))", "": "z = popc(x0)"},
    "divmod": {"": "z0 = x0 // x1\nz1 = x0 % x1"},
    "modf": {"": "z1 = np.trunc(x0)\nz0 = math.copysign(0 if np.isinf(x0) else x0 - z1, x0)"},
    "frexp": {"": "z0, z1 = math.frexp(x0)"},
}

ALIASES = {
    "abs": "absolute", "conj": "conjugate", "true_divide": "divide", "mod": "remainder", "bitwise_not": "invert",
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "pow": "power", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}

NAMES = (*LIBRARY, *OWN)

#: Those in which a Python integer may lie outside of the array's type.
COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal".split())


#: What an integer below 0 is beside one without a sign, on the left and on the right.
_BELOW = {"equal": (False, False), "not_equal": (True, True), "less": (True, False), "less_equal": (True, False),
          "greater": (False, True), "greater_equal": (False, True)}


def operation(name: str, types: list[str], kinds: str) -> str:
    """The lines that compute z, or z0 and z1, of x0 and x1, which have these types."""
    if name in OWN:
        rules = OWN[name]
        return next(rules[key] for key in (types[0], kinds[0], "") if key in rules)
    if name.startswith("logical_"):
        return f"z = np.{name}({', '.join(f'x{number} != 0' for number in range(len(types)))})"
    if kinds == "iu":
        return f"z = np.{name}(u64(x0), x1) if x0 >= 0 else {_BELOW[name][0]}"
    if kinds == "ui":
        return f"z = np.{name}(x0, u64(x1)) if x1 >= 0 else {_BELOW[name][1]}"
    return f"z = np.{name}({', '.join(f'x{number}' for number in range(len(types)))})"
