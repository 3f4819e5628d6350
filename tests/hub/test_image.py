"""The image for JupyterHub and the values for Kubernetes, as far as they can be tried without a container engine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

import pytest
import yaml

from hub.conftest import needs_root
from hub.image import build, parse
from hub.shared import ROOT, TOOLS
from tree import Root

FOLDER = ROOT / "assets/jupyterhub"
DOCKERFILE = (FOLDER / "Dockerfile").read_text()
# What rustup's script does with the network, done with the toolchain that is here.
RUSTUP = """#!/bin/sh
cat <<'SCRIPT'
set -e
channel=none
while [ $# -gt 0 ]; do [ "$1" != --default-toolchain ] || channel=$2; shift; done
mkdir -p "$CARGO_HOME/bin" "$RUSTUP_HOME/toolchains/$channel"
cp -al "{toolchain}/bin" "{toolchain}/lib" "$RUSTUP_HOME/toolchains/$channel/" 2>/dev/null ||
  cp -a "{toolchain}/bin" "{toolchain}/lib" "$RUSTUP_HOME/toolchains/$channel/"
for tool in cargo rustc rustdoc; do ln -s "$RUSTUP_HOME/toolchains/$channel/bin/$tool" "$CARGO_HOME/bin/$tool"; done
SCRIPT
"""
USER = "1000:100"
# The spawner's attributes check names and types.
SET = """
import json, sys
from kubespawner import KubeSpawner
from traitlets import HasTraits
known = KubeSpawner.class_traits()
for name, value in json.loads(sys.argv[1]).items():
    assert name in known, f"KubeSpawner has no {name}"
    known[name].validate(HasTraits(), value)
"""
NOTEBOOK = {
    "nbformat": 4, "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "warpcell", "display_name": "Rust GPU", "language": "rust"}},
    "cells": [
        {
            "cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None,
            "source": "let a = gpu::ones::<f32>((10, 10)); a.sum()",
        }
    ],
}  # fmt: skip


@pytest.fixture
def root():
    """A tree with what the base image has beside a system: conda's place, and the user."""
    folder = Path(tempfile.mkdtemp(prefix="warpcell-image-", dir="/var/tmp"))
    folder.chmod(0o755)
    made = Root(folder)
    try:
        if not made.open():
            pytest.skip("no file tree can be laid over that of the system here")
        conda = made.tree / "opt/conda"
        for place in (conda, folder / "conda", folder / "conda-work"):
            place.mkdir()
        assert made.overlay(TOOLS / "venv", folder / "conda", folder / "conda-work", conda)
        # The script that is there belongs to the folder where it was made.
        (conda / "bin/pip").write_text('#!/bin/sh\nexec /opt/conda/bin/python -m pip "$@"\n')
        home = made.tree / "home/jovyan"
        home.mkdir(parents=True)
        shutil.chown(home, *map(int, USER.split(":")))
        yield made
    finally:
        made.close()
        shutil.rmtree(folder)


@needs_root
@pytest.mark.network
@pytest.mark.image
def test_the_images_steps_make_a_kernel_that_runs(root):
    toolchain = subprocess.check_output(["rustc", "--print", "sysroot"], cwd=ROOT, text=True).strip()
    curl = root.tree / "usr/local/bin/curl"
    curl.write_text(RUSTUP.replace("{toolchain}", str(Path(toolchain).resolve())))
    curl.chmod(0o755)
    base = {
        "PATH": "/opt/conda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/home/jovyan", "NB_UID": "1000", "NB_GID": "100", "CONDA_DIR": "/opt/conda", "DEBIAN_FRONTEND": "noninteractive",
    }  # fmt: skip
    course = root.tree / "course.ipynb"
    course.write_text(json.dumps(NOTEBOOK))
    # Of the CUDA libraries the smallest will do.
    given = {"CUDA_LIBRARIES": "nvidia-cuda-runtime", "PRECOMPILE": "warpcell lessons precompile /course.ipynb"}
    env = build(DOCKERFILE, root, ROOT, given, base)
    notebook = root.tree / "home/jovyan/first.ipynb"
    notebook.write_text(json.dumps(NOTEBOOK))
    shutil.chown(notebook, *map(int, USER.split(":")))
    command = "cd && python -c 'from nbclient.cli import main; main()' first.ipynb --inplace"
    ran = root.run(["/bin/bash", "-c"], command, USER, env, capture_output=True, text=True, timeout=1200)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (output,) = json.loads(notebook.read_text())["cells"][0]["outputs"]
    assert "".join(output["data"]["text/plain"]).startswith("100"), output
    cells = [path.name for path in (root.tree / "opt/conda/lib/warpcell/cells").iterdir()]
    own = [path.name for path in (root.tree / "home/jovyan/.cache/warpcell").glob("crates/*/cells/*")]
    assert cells and not own, "the user has compiled no cell of the course"
    for folder in ("opt/rust", "opt/conda/lib/warpcell", "opt/conda/share/warpcell"):
        found = subprocess.run(["find", root.tree / folder, "-not", "-user", "root", "-o", "-not", "-type", "l", "-perm", "/022"], capture_output=True, text=True)
        assert found.returncode == 0 and not found.stdout, found.stdout[:2000]
    left = {path.name for path in (root.tree / "home/jovyan").iterdir()}
    assert left <= {"first.ipynb", ".local", ".ipython", ".cache", ".jupyter", ".config"}, "nothing of the image is in the home"


def test_nothing_of_the_image_is_in_the_home():
    for step in parse(DOCKERFILE):
        assert "/home" not in step.text, f"line {step.line}: a hub mounts the user's own home there"


def test_the_compiler_is_the_one_that_the_prelude_is_for():
    channel = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
    assert f"ARG RUST={channel}\n" in DOCKERFILE


def test_a_dockerfile_is_read_as_it_is_meant():
    steps = parse("# no step\nARG A=1\nRUN one \\\n    && two\n\nENV B=${A}\n")
    assert [(step.line, step.word, step.text) for step in steps] == [(2, "ARG", "A=1"), (3, "RUN", "one && two"), (6, "ENV", "B=${A}")]
    with pytest.raises(ValueError, match="line 1: HEALTHCHECK"):
        parse("HEALTHCHECK NONE\n")


@pytest.fixture(scope="module")
def values() -> dict:
    return yaml.safe_load((FOLDER / "values.yaml").read_text())


def test_the_values_are_for_this_version(values):
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert values["singleuser"]["image"]["tag"] == version


def test_what_profiles_change_is_known_to_the_spawner(values):
    profiles = values["singleuser"]["profileList"]
    assert [profile["slug"] for profile in profiles if profile.get("default")] == ["cpu"]
    for profile in profiles:
        changes = json.dumps(profile.get("kubespawner_override", {}))
        checked = subprocess.run([TOOLS / "venv/bin/python", "-c", SET, changes], capture_output=True, text=True)
        assert checked.returncode == 0, f"{profile['slug']}: {checked.stderr}"
    gpu = next(profile for profile in profiles if profile["slug"] == "gpu")["kubespawner_override"]
    assert gpu["extra_resource_limits"] == {"nvidia.com/gpu": "1"}


def test_variables_that_are_set_are_read_by_somebody(values):
    named = re.findall(r"\b(WARPCELL_[A-Z_]+)", (FOLDER / "values.yaml").read_text() + (FOLDER / "README.md").read_text() + DOCKERFILE)
    sources = "".join(path.read_text() for part in ("kernel/src", "prelude") for path in (ROOT / part).rglob("*.rs"))
    assert named
    for name in named:
        assert f'"{name}"' in sources, f"nothing reads {name}"
