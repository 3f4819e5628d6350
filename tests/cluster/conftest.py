"""Fixtures of the tests of the engines: the environment in which workers find the package and the installed program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("WARPCELL_TEST_ROOT", Path(__file__).parents[2]))
PACKAGE = ROOT / "kernel/python"
sys.path.insert(0, str(PACKAGE))


@pytest.fixture
def environment(monkeypatch, tmp_path) -> dict[str, str]:
    """That of a user whose cache is empty; also of this process, and of the workers that it starts."""
    for name, value in {
        "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(ROOT / "tests")]),
        "JUPYTER_PATH": str(Path(os.environ["WARPCELL_TEST_PREFIX"]) / "share/jupyter"),
        "WARPCELL_CACHE_DIR": str(tmp_path / "cache"),
        "RAY_COLOR_PREFIX": "0",
    }.items():
        monkeypatch.setenv(name, value)
    return dict(os.environ)
