"""All functions that are called at random. The modules of the table put them into the list, in this order."""

from . import algebra, arguments, elements, orders, parts, reductions, shapes  # noqa: F401
from .calls import FUNCTIONS, Call

NUMPY = len(FUNCTIONS)

from . import scipy_images, scipy_modules, scipy_signal, scipy_sparse, scipy_special  # noqa: E402, F401

# The functions of each library, by their numbers in the list.
LIBRARIES = {"numpy": range(NUMPY), "scipy": range(NUMPY, len(FUNCTIONS))}

__all__ = ["FUNCTIONS", "LIBRARIES", "Call"]
