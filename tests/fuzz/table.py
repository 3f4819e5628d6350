"""All functions that are called at random. The modules of the table put them into the list, in this order."""

from . import algebra, elements, orders, parts, reductions, shapes  # noqa: F401
from .calls import FUNCTIONS, Call

__all__ = ["FUNCTIONS", "Call"]
