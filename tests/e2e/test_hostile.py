"""No cell, question or message kills the kernel, holds it up, or takes variables away as long as their process lives."""

import os

import pytest

from hostile.run import torture_all

# The longer runs are `tests/run hostile`.
COUNT = int(os.environ.get("WARPCELL_TEST_HOSTILE", "200"))
SEED = int(os.environ.get("WARPCELL_TEST_SEED", "1"))


@pytest.mark.timeout(7200)
def test_the_kernel_survives_random_harm():
    faults, kinds = torture_all(COUNT, SEED, 2)
    print(f"{COUNT} cases from seed {SEED}: {len(faults)} faults; {dict(kinds)}")
    assert not faults, "\n".join(map(str, faults[:3]))
