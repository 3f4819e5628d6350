"""Chromium, for the tests of the player."""

from e2e.lab import browser  # noqa: F401
