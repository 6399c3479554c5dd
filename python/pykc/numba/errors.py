"""`numba.core.errors`, as far as programs catch or silence them."""
from .. import _native


class NumbaWarning(Warning):
    """The base of Numba's warnings."""


class NumbaPerformanceWarning(NumbaWarning):
    """Something is slower than it might be."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """Something will be gone."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """Something may be gone one day."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """Something may change."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Debugging is less than it might be."""


class NumbaPedanticWarning(NumbaWarning):
    """Something is not as strict as it might be."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """A setting is not understood."""


NumbaError = TypingError = LoweringError = UnsupportedError = _native.CompileError
UnsupportedBytecodeError = ConstantInferenceError = NumbaTypeError = NumbaValueError = _native.CompileError

__all__ = [name for name, value in list(globals().items()) if isinstance(value, type)]
