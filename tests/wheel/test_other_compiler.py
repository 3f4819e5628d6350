"""Another compiler than the wheel's: the prelude is built from the sources in the wheel, with progress in the notebook.

Takes minutes, so it runs only where WARPCELL_TEST_OTHER_RUSTC names such a compiler.
"""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from .test_wheel import Place, installations

OTHER = os.environ.get("WARPCELL_TEST_OTHER_RUSTC", "")
# On two processors; twice as long on a machine that does other work too.
SECONDS = 240


@pytest.mark.skipif(not OTHER, reason="WARPCELL_TEST_OTHER_RUSTC names no compiler")
def test_the_first_start_builds_the_prelude(tmp_path):
    place = Place(tmp_path)
    user = {**place.user("other compiler"), "WARPCELL_RUSTC": OTHER}
    compiler = subprocess.run([OTHER, "-V"], check=True, capture_output=True, text=True).stdout.strip()
    began = time.monotonic()
    session = place.start(user)
    try:
        first = session.check("1 + 1", seconds=1200)
        seconds = place.install_seconds + time.monotonic() - began
        assert first.value == "2"
        assert f"for this user and {compiler}" in first.stdout
        assert "building the array library: 1 of " in first.stdout
        assert session.check("gpu::ones::<f32>(3).sum()").value == "3.0"
        session.check("let names: Vec<String> = vec![\"a\".to_owned()];")
        assert "per loop" in session.check("%timeit 1 + 1").stdout
    finally:
        session.close()
    print(f"\nwheel to first result with {compiler}: {seconds:.0f} s")
    assert seconds <= SECONDS
    assert len(installations(user)) == 1
