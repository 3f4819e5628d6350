"""tidy.py's rules bite: each one is shown something that breaks it and something that does not."""

import json

import pytest

import notebooks
import tidy


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Writes files into an empty repository; gives what a rule says about them."""
    monkeypatch.setattr(tidy, "ROOT", tmp_path)

    def check(rule, files: dict[str, str]) -> list[str]:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return list(rule(sorted(files)))

    return check


EMPTY = {path: "[dependencies]\n" for path in tidy.MANIFESTS}


@pytest.mark.parametrize(
    ("path", "dependency"),
    [
        ("kernel/Cargo.toml", "warpcell"),
        ("prelude/Cargo.toml", "evcxr"),
        ("prelude/macros/Cargo.toml", "cudarc"),
        ("prelude/Cargo.toml", "cudarc"),
        ("prelude/base/Cargo.toml", "warpcell-cpu"),
        ("prelude/cpu/Cargo.toml", "cudarc"),
        ("prelude/cuda/Cargo.toml", "warpcell-cpu"),
        ("prelude/driver/Cargo.toml", "ndarray"),
        ("prelude/threads/Cargo.toml", "ndarray"),
        ("prelude/translate/Cargo.toml", "warpcell-macros"),
    ],
)
def test_forbidden_dependencies(tree, path, dependency):
    assert tree(tidy.manifests, EMPTY) == []
    found = tree(tidy.manifests, {**EMPTY, path: f"[dependencies]\n{dependency}.workspace = true\n"})
    assert len(found) == 1 and path in found[0] and dependency in found[0]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("kernel/src/cli.rs", "use evcxr::CommandContext;"),
        ("kernel/src/evaluator/rust.rs", "use jupyter_protocol::JupyterMessage;"),
        ("kernel/src/wire/reply.rs", "use tokio::sync::mpsc;"),
        ("kernel/src/server/kernel_loop.rs", "use crate::build_step::BuildOptions;"),
        ("kernel/src/magics/table.rs", "use crate::evaluator::Outcome;"),
        ("prelude/src/operations/reduce.rs", "use rayon::prelude::*;"),
        ("prelude/src/array.rs", "use crate::backend::cuda::open;"),
        ("prelude/src/array/transfer.rs", "use crate::backend::{Layout, cpu};"),
        ("prelude/src/files.rs", "let free = cpu::free_memory();"),
        ("prelude/src/operations/map.rs", "use warpcell_cpu::map::on_host;"),
    ],
)
def test_forbidden_uses(tree, path, line):
    assert tree(tidy.uses, {path: f"//! A module.\n{line}\n"})
    harmless = f'//! A module.\n// {line}\nconst TEXT: &str = "{line}";\nconst RAW: &str = r#"\n"{line}"\n"#;\n'
    assert tree(tidy.uses, {path: harmless}) == []


def test_circles_of_imports(tree):
    folder = "kernel/src"
    ring = {
        f"{folder}/main.rs": "//! The root.\nmod a;\nmod b;\nmod c;\n",
        f"{folder}/a.rs": "//! One.\nuse crate::{b::{self, thing as other}};\n",
        f"{folder}/b.rs": "//! Two.\nfn f() { crate::c::inner::g() }\n",
        f"{folder}/c.rs": "//! Three.\npub mod inner;\n",
        f"{folder}/c/inner.rs": "//! Four.\n// use crate::nothing;\nuse super::super::a::h;\n",
    }
    assert tree(tidy.circles, ring) == [], "c does not import inner, so this is a circle of three"
    (found,) = tree(tidy.circles, {f"{folder}/b.rs": "//! Two.\nuse crate::c::x;\n", f"{folder}/c.rs": "//! Three.\nuse inner::y;\n"})
    assert "a, b, c, c::inner import one another" in found
    tests = "//! Three.\nmod inner;\n#[cfg(test)]\nmod tests {\n    use super::inner::y;\n}\n"
    assert tree(tidy.circles, {f"{folder}/c.rs": tests}) == [], "unit tests may import what they like"


def test_missing_headers(tree):
    assert tree(tidy.headers, {"a.rs": "//! Says what.\n", "a.cu": "// Says what.\n", "a.py": '"""Says what."""\n'}) == []
    assert len(tree(tidy.headers, {"b.rs": "use a;\n", "b.cu": "int i;\n", "b.py": "import os\n"})) == 3


def test_long_files(tree):
    assert tree(tidy.lengths, {"a.rs": "//! A.\n" + "\n" * 800})
    assert tree(tidy.lengths, {"a.rs": "//! A.\n// Long because: a flat table.\n" + "\n" * 800}) == []


def test_personal_paths(tree):
    assert tree(tidy.personal_paths, {"a.md": "see /ho" "me/somebody/project\n"})
    assert tree(tidy.personal_paths, {"a.md": "see ~/.local and /usr/src\n"}) == []


def test_the_contracts_hashes(tree):
    modules = {path: f"//! {path}\nfn f() {{}}\n" for path in tidy.CONTRACT_MODULES}
    assert tree(tidy.contract, {**modules, tidy.CONTRACT: "# Contract\n"})
    tidy.accept_contract()
    assert tree(tidy.contract, {}) == []
    first = tidy.CONTRACT_MODULES[0]
    assert tree(tidy.contract, {first: modules[first].replace("//!", "//! More words:")}) == []
    assert len(tree(tidy.contract, {first: modules[first] + "fn g() {}\n"})) == 1
    tidy.accept_contract()
    assert tree(tidy.contract, {}) == []


def test_links(tree):
    assert tree(tidy.links, {"a.md": "[b](b.md) [c](https://example.org)", "b.md": ""}) == []
    assert tree(tidy.links, {"a.md": "[b](nothing.md)"})
    assert tree(tidy.links, {"a.md": "`scale[4, 256](v)` and `x[0](y)`"}) == []
    assert tree(tidy.links, {"a.md": "[`b`](nothing.md)"})


def test_recipes(tree):
    names = [f"`kernel/src/{number}.rs`" for number in range(20)]
    table = f"## Where a change goes\n{' '.join(names)}\n## More\n`kernel/src/other.rs`\n"
    assert tree(tidy.recipes, {"ARCHITECTURE.md": table, "CONTRIBUTING.md": " ".join(names)}) == []
    found = tree(tidy.recipes, {"ARCHITECTURE.md": table, "CONTRIBUTING.md": " ".join(names[1:])})
    assert found == ["ARCHITECTURE.md: kernel/src/0.rs is in no recipe of CONTRIBUTING.md"]


def test_the_canonical_form_drops_what_a_run_leaves():
    cell = {
        "cell_type": "code", "id": "one", "execution_count": 3, "outputs": [{}], "source": "1 + 1\n",
        "metadata": {"tags": ["raises-exception"], "execution": {}, "warpcell": {}},
    }  # fmt: skip
    text = notebooks.canonical({"cells": [cell], "metadata": {}})
    assert '"outputs": []' in text and '"execution_count": null' in text and '"1 + 1"' in text
    assert "raises-exception" in text and '"execution"' not in text
    assert notebooks.canonical(json.loads(text)) == text


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-2.0-only) AND Unicode-3.0", True),
        ("Apache-2.0 WITH LLVM-exception OR GPL-2.0-only", True),
        ("GPL-2.0-only WITH LLVM-exception", False),
        ("(MIT", False),
        ("", False),
    ],
)
def test_licences_are_read_as_spdx_has_them(expression, allowed):
    assert tidy.is_allowed(expression) is allowed


def test_licences_and_bans_of_packages(monkeypatch):
    packages = [
        {"name": "a", "version": "1.0.0", "license": "MIT"},
        {"name": "b", "version": "2.0.0", "license": "AGPL-3.0-only"},
        {"name": "c", "version": "3.0.0", "license": None},
        {"name": "openssl-sys", "version": "0.9.0", "license": "MIT"},
    ]
    monkeypatch.setattr(tidy.subprocess, "check_output", lambda *_, **__: json.dumps({"packages": packages}))
    found = list(tidy.licences([]))
    assert [line.split(" is ")[0] for line in found] == ["b 2.0.0", "c 3.0.0", "openssl-sys 0.9.0"]
    assert "AGPL-3.0-only" in found[0] and "no licence" in found[1] and "banned" in found[2]
