"""What some functions of arrays, `pykc.where`, are in kernels: of numbers. The others are the language's `np.NAME`."""
from __future__ import annotations

import math


def where(condition, x, y):
    return x if condition else y


def clip(a, a_min, a_max):
    return min(max(a, a_min), a_max)


def sinc(x):
    return math.sin(math.pi * x) / (math.pi * x) if x != 0 else 1.0
