"""Exported programs on a CUDA device: kernels that a run records (`--embed`), and the libraries of CUDA that programs load."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import notebooks
from e2e.test_export import NOTEBOOKS, notebook_of, surprises
from libraries import among

HOME = Path(os.environ["JUPYTER_PATH"]).parents[1] / "lib/warpcell"
PROGRAM = HOME.parents[1] / "bin/warpcell"
# Sources of crates: where there is no network, cargo takes them from this folder.
CRATES = os.environ.get("WARPCELL_TEST_CRATES")


@pytest.fixture(autouse=True)
def crates(tmp_path, monkeypatch):
    if CRATES:
        (tmp_path / "cargo").mkdir()
        source = f'[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "{CRATES}"\n[net]\noffline = true\n'
        (tmp_path / "cargo/config.toml").write_text(source)
        monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo"))


def architecture() -> str:
    found = subprocess.check_output(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], text=True)
    return "sm_" + found.split()[0].replace(".", "")


def users_environment() -> dict[str, str]:
    """Without what tests/gpu/run sets for the programs of the tests."""
    return {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}


def export(notebook: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [PROGRAM, "export", notebook, "--to", folder, *arguments]
    return subprocess.run(command, env=users_environment(), capture_output=True, text=True, check=False)


def linked(folder: Path) -> Path:
    """A project's program, linked to the installed array library: cargo would build that library again."""
    crates = json.loads((HOME / "installation.json").read_text())["externs"]
    externs = [argument for name, file in crates for argument in ("--extern", f"{name}={HOME}/prelude/{file}")]
    options = ["--edition", "2024", "--crate-type", "bin", "--cap-lints", "allow", "-C", "opt-level=1", "-C", "prefer-dynamic"]
    std = subprocess.check_output(["rustc", "--print", "target-libdir"], text=True).strip()
    paths = ["-L", f"dependency={HOME}/prelude", "-C", f"link-arg=-Wl,-rpath,{HOME}/prelude:{std}"]
    command = ["rustc", "--crate-name", "program", *options, *paths, *externs, folder / "src/main.rs", "-o", folder / "program"]
    subprocess.run(command, check=True, env=users_environment())
    return folder / "program"


def run(program: Path, folder: Path, **more: str) -> tuple[str, set[str]]:
    """What a program prints, and the libraries of CUDA that it loads."""
    env = {**users_environment(), "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(folder / "loaded"), **more}
    ended = subprocess.run([program], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-4000:]
    # A file for each process: programs run others.
    text = "".join(path.read_text() for path in folder.glob("loaded.*"))
    opened = set(re.findall(r"calling init: \S*/([^/\s]+)", text))
    # cuSOLVER opens cuBLAS by itself.
    return ended.stdout + ended.stderr, among(opened)


def listed(folder: Path) -> set[str]:
    """The libraries that the page of a project names."""
    return set(re.findall(r"^\| (\w+) \| ", (folder / "README.md").read_text(), re.M)) - {"library"}


def check_lesson(path: Path, work: Path) -> list[str]:
    """Exports a lesson without and with its kernels, and gives what is wrong with the programs."""
    found = []
    for name, arguments in (("plain", []), ("embedded", ["--embed", architecture()])):
        folder = work / name
        # The program that records runs in the folder of the notebook, as lessons read files beside it.
        ended = export(path, folder, *arguments)
        if "the program has no kernels: export it without --embed" in ended.stderr:
            # Its kernels run on the CPU, step by step.
            assert path.stem == "puzzles", ended.stderr
            continue
        if ended.returncode != 0:
            return [*found, f"{name}: {ended.stderr[-3000:]}"]
        shutil.copytree(notebooks.LESSONS / "data", folder / "data")
        hidden = {"WARPCELL_NVRTC": "/nothing"} if arguments else {}
        output, loaded = run(linked(folder), folder, WARPCELL_CACHE_DIR=str(folder / "cache"), **hidden)
        print(f"{path.stem}, {name}: loads {sorted(loaded)}, listed are {sorted(listed(folder))}; {ended.stdout.strip()}", flush=True)
        found += [f"{name}: {surprise}" for surprise in surprises(json.loads(path.read_text()), folder, output)]
        found += [f"{name}: {library} is loaded, and not listed" for library in loaded - listed(folder)]
    return found


@pytest.mark.timeout(540)
def test_lessons_run_with_their_kernels_and_load_what_is_listed(tmp_path):
    paths = [path for path in NOTEBOOKS if path.parent.name != "distributed"]
    assert len(paths) >= 8
    with ThreadPoolExecutor(4) as pool:
        work = [tmp_path / f"{number}" for number in range(len(paths))]
        found = list(pool.map(check_lesson, paths, work))
    assert not any(found), json.dumps({path.stem: wrong for path, wrong in zip(paths, found, strict=True) if wrong}, indent=1)


def test_a_program_that_fails_while_it_records_is_named(tmp_path):
    cells = ["let a = gpu::ones::<f32>(5);", "assert_eq!(a.sum(), 6.0, \"six\");"]
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook_of(cells)))
    ended = export(tmp_path / "a.ipynb", tmp_path / "a", "--embed", architecture())
    assert ended.returncode == 1 and not (tmp_path / "a").exists()
    assert "failed while its kernels were recorded" in ended.stderr and "six" in ended.stderr, ended.stderr


@pytest.mark.timeout(540)
def test_a_program_with_crates_is_built_by_cargo_and_records(tmp_path):
    """The crates of `:dep` are not those of the installation, so that cargo builds the program that records, and then the project."""
    cells = [":dep itoa = \"1\"", "let a = gpu::arange(5).astype::<f32>();", "println!(\"{}\", itoa::Buffer::new().format(a.square().sum() as i64));"]
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook_of(cells)))
    ended = export(tmp_path / "a.ipynb", tmp_path / "a", "--embed", architecture())
    assert ended.returncode == 0, ended.stderr
    print(ended.stdout)
    assert re.search(r"^Embedded [1-9]\d* programs for sm_\d+, \d+ bytes\.$", ended.stdout, re.M), ended.stdout
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=tmp_path / "a", env=users_environment(), check=True)
    (program,) = [path for path in (tmp_path / "a/target/release").iterdir() if path.name == "a"]
    output, loaded = run(program, tmp_path / "a", WARPCELL_NVRTC="/nothing", WARPCELL_CACHE_DIR=str(tmp_path / "cache"))
    assert "30" in output.split() and "NVRTC" not in loaded, (output, loaded)
