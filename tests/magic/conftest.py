"""Fixtures of the tests of `%%rust`: a Python notebook for each module, once for each Python environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from magic.notebook import PACKAGE, PYTHONS, Notebook

sys.path.insert(0, str(PACKAGE))


@pytest.fixture(scope="module", params=PYTHONS)
def notebook(request, tmp_path_factory):
    """A Python notebook that the tests of one module share."""
    session = Notebook(PYTHONS[request.param], tmp_path_factory.mktemp("notebook"))
    yield session
    session.close()


@pytest.fixture(params=PYTHONS)
def fresh_notebook(request, tmp_path: Path):
    """A Python notebook for one test."""
    session = Notebook(PYTHONS[request.param], tmp_path)
    yield session
    session.close()
