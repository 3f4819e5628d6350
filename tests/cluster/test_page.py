"""The page on clusters: its code for SLURM runs, with an `sbatch` that runs the script at once."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

import notebooks
import warpcell

PAGE = (notebooks.LESSONS / "cluster/README.md").read_text(encoding="utf-8")
SBATCH = """#!/bin/bash
# As SLURM's, it keeps the script, which is removed.
cp "$1" "$0.script"
setsid bash "$0.script" >"$0.log" 2>&1 </dev/null &
echo $! >>"$0.pids"
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/bash
for job; do kill -- -"$job"; done
"""


def test_the_code_for_slurm(environment, tmp_path, monkeypatch):
    (code,) = (code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "SLURMCluster" in code)
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{environment['PATH']}")
    monkeypatch.chdir(tmp_path)
    # The jobs of one node are enough here, and it has less memory.
    made: dict = {}
    exec(code.replace("jobs=4", "jobs=1").replace("64GB", "2GB").replace("processes=4", "processes=2"), made)
    try:
        made["client"].wait_for_workers(2, timeout=120)
        scale = warpcell.function("fn scale(a: &DeviceArray<f64>, by: f64) -> DeviceArray<f64> { a * by }")
        results = made["client"].map(scale, [np.full(2, float(number)) for number in range(8)], by=2.0)
        assert [result.tolist() for result in made["client"].gather(results)] == [[2.0 * number] * 2 for number in range(8)]
        assert set(made["client"].run(lambda: (sys.executable, __import__("os").environ["RAYON_NUM_THREADS"])).values()) == {(sys.executable, "4")}
    finally:
        made["client"].close()
        made["cluster"].close()


def test_the_versions_are_those_that_are_tested():
    pinned = dict(line.split("==") for line in (Path(__file__).parent / "requirements.txt").read_text().splitlines() if "==" in line)
    named = dict(re.findall(r'"([\w-]+(?:\[[\w,]+\])?)==([\d.]+)"', PAGE))
    assert named
    for name, version in named.items():
        package = name.split("[")[0]
        assert version in {wanted for other, wanted in pinned.items() if other.split("[")[0] == package}, name
