"""Warpcell in Python."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("warpcell")
except PackageNotFoundError:  # run from a checkout
    __version__ = "0"
