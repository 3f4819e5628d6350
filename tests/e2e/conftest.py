"""Fixtures of the end-to-end tests: a kernel for each module, on the CPU backend unless WARPCELL_DEVICE says otherwise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from e2e.session import Session

# JupyterLab and a browser, for modules that need them. Without Playwright, as on GPU hosts, these modules are not run.
try:
    from e2e.lab import browser, lab  # noqa: F401
except ModuleNotFoundError as missing:
    if missing.name != "playwright":
        raise


@pytest.fixture(scope="module")
def kernel():
    """A kernel that the tests of one module share, as the cells of a notebook do."""
    session = Session()
    yield session
    session.close()


@pytest.fixture
def fresh_kernel(tmp_path):
    """A kernel for one test, with its own folder for temporary files: `session.temporary`."""
    started = []

    def start(**options) -> Session:
        temporary = tmp_path / f"temporary-{len(started)}"
        temporary.mkdir()
        env = {"TMPDIR": str(temporary), **options.pop("env", {})}
        session = Session(env=env, **options)
        session.temporary = temporary
        started.append(session)
        return session

    yield start
    for session in started:
        session.close()


@pytest.fixture(scope="session")
def prefix() -> Path:
    """Where the kernel under test is installed."""
    return Path(os.environ["WARPCELL_TEST_PREFIX"])
