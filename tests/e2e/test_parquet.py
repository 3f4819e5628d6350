"""The page on Parquet files: its cells run, between files that pyarrow has written and files that it reads.

Their crates take minutes to build, so the test runs only when it is named: `./tests/run crates`.
"""

import re

import pytest

import notebooks
from e2e.session import Session

PAGE = notebooks.LESSONS / "parquet.md"
pytestmark = [pytest.mark.named, pytest.mark.network]


def test_columns_become_arrays_and_arrays_columns(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"price": [1.5, 2.5, 4.0], "count": [10, 20, 30]}), tmp_path / "trades.parquet")
    crates, read, write = re.findall(r"```rust\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    kernel = Session(cwd=str(tmp_path))
    try:
        kernel.check(crates, seconds=1200)
        assert kernel.check(read, seconds=800).value == "185.0"
        kernel.check(write)
    finally:
        kernel.close()
    assert parquet.read_table(tmp_path / "doubled.parquet").to_pydict() == {"price": [3.0, 5.0, 8.0], "count": [10, 20, 30]}
