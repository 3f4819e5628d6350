"""The user's cache of compiled cells: what was compiled before is used, unless anything that it was made of has changed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from .session import Session

CELLS = [
    "use std::collections::BTreeMap;",
    "#[derive(Debug, Clone, Copy)]\nstruct Point {\n    x: f64,\n}",
    "fn twice(x: f64) -> f64 {\n    2.0 * x\n}",
    "#[vectorize]\nfn shifted(x: f64, by: f64) -> f64 {\n    x + by\n}",
    "let p = Point { x: 1.5 };\nlet mut seen: BTreeMap<&str, f64> = BTreeMap::new();",
    'seen.insert("a", twice(p.x));\nseen["a"]',
    "let a = gpu::map(shifted, (&gpu::arange(3.0), p.x));\na.sum()",
    "let y = gpu::linspace(0.0, 1.0, 5);\n(2.0 * &y).sum()",
    "println!(\"{p:?} {seen:?}\");",
]
VALUES = [None, None, None, None, None, "3.0", "7.5", "5.0", None]


@pytest.fixture
def cached(fresh_kernel, tmp_path):
    """Starts kernels that share a cache of their own."""

    def start(**env):
        return fresh_kernel(env={"WARPCELL_CACHE_DIR": str(tmp_path / "cache"), **env})

    start.folder = tmp_path / "cache"
    return start


def entries(folder: Path) -> set[str]:
    """What the compiler has made a library of, or has refused."""
    return {path.name for path in folder.glob("crates/*/cells/*")}


def run_all(session) -> None:
    values = [session.check(cell).value for cell in CELLS]
    assert values == VALUES


def test_another_session_and_a_restarted_one_compile_nothing(cached):
    first = cached()
    run_all(first)
    made = entries(cached.folder)
    assert len(made) >= len(CELLS)
    first.manager.restart_kernel(now=False)
    first.client.wait_for_ready(timeout=480)
    run_all(first)
    run_all(cached())
    assert entries(cached.folder) == made


def test_a_cell_that_is_run_again_is_not_compiled_again(cached):
    session = cached()
    run_all(session)
    session.check("twice(2.0)")
    made = entries(cached.folder)
    for _ in range(3):
        assert session.check("twice(2.0)").value == "4.0"
    assert entries(cached.folder) == made


def test_the_cache_can_be_turned_off(cached):
    session = cached(WARPCELL_CELL_CACHE="0")
    run_all(session)
    assert entries(cached.folder) == set()


def test_each_run_has_its_own_statics_and_each_library_its_own_initialisers(cached):
    counts = ["use std::sync::atomic::{AtomicU32, Ordering};", "static COUNT: AtomicU32 = AtomicU32::new(5);"]
    block = "{ static INNER: AtomicU32 = AtomicU32::new(1); INNER.fetch_add(1, Ordering::Relaxed) }"
    for _ in range(2):
        session = cached()
        for cell in counts:
            session.check(cell)
        assert [session.check("COUNT.fetch_add(1, Ordering::Relaxed)").value for _ in range(3)] == ["5", "6", "7"]
        # A cell that is run again has new statics, as if it were compiled again.
        assert [session.check(block).value for _ in range(3)] == ["1", "1", "1"]
        session.close()


@pytest.mark.parametrize(
    ("before", "after", "use", "values"),
    [
        ("fn f() -> i32 {\n    1\n}", "fn f() -> i32 {\n    2\n}", "f()", ("1", "2")),
        ("const N: usize = 3;", "const N: usize = 4;", "[0u8; N].len()", ("3", "4")),
        ("struct S {\n    a: u8,\n}", "struct S {\n    a: u8,\n    b: u64,\n}", "std::mem::size_of::<S>()", ("1", "16")),
        ("type T = u8;", "type T = u32;", "T::MAX", ("255", "4294967295")),
        ("macro_rules! m {\n    () => { 1 };\n}", "macro_rules! m {\n    () => { 2 };\n}", "m!()", ("1", "2")),
        ("trait V {\n    fn v(&self) -> u8 {\n        1\n    }\n}\nimpl V for u8 {}", "trait V {\n    fn v(&self) -> u8 {\n        2\n    }\n}\nimpl V for u8 {}",
         "0u8.v()", ("1", "2")),
        ("#[device]\nfn inner(x: f64) -> f64 {\n    x + 1.0\n}\n#[vectorize]\nfn outer(x: f64) -> f64 {\n    inner(x)\n}",
         "#[device]\nfn inner(x: f64) -> f64 {\n    x + 2.0\n}\n#[vectorize]\nfn outer(x: f64) -> f64 {\n    inner(x)\n}",
         "gpu::map(outer, &gpu::ones::<f64>(2)).sum()", ("4.0", "6.0")),
    ],
)  # fmt: skip
def test_a_changed_definition_is_noticed(cached, before, after, use, values):
    # In one session, and in others that share the cache; each of them twice.
    session = cached()
    for cell, value in ((before, values[0]), (after, values[1])) * 2:
        session.check(cell)
        assert session.check(use).value == value
    session.close()
    for cell, value in ((after, values[1]), (before, values[0])):
        session = cached()
        session.check(cell)
        assert session.check(use).value == value
        session.close()


def type_of(session, name: str) -> str:
    return session.check(f"std::any::type_name_of_val(&{name}).to_owned()").value.strip('"')


@pytest.mark.parametrize(
    ("before", "after", "let", "types"),
    [
        (["fn f() -> u8 {\n    1\n}"], ["fn f() -> u16 {\n    1\n}"], "let v = f();", ("u8", "u16")),
        (["type T = u8;"], ["type T = u32;"], "let v = T::MAX;", ("u8", "u32")),
        (["const N: usize = 2;"], ["const N: usize = 3;"], "let v = [0u8; N];", ("[u8; 2]", "[u8; 3]")),
        (["macro_rules! m {\n    () => { 1u8 };\n}"], ["macro_rules! m {\n    () => { 1i64 };\n}"], "let v = m!();", ("u8", "i64")),
        (["let a = 1u8;"], ["let a = 1i64;"], "let v = a;", ("u8", "i64")),
        (["let a = vec![1.0f32];"], ["let a = gpu::ones::<f32>(1);"], "let v = a.len();", ("usize", "usize")),
        (["use std::sync::atomic::AtomicU8 as A;"], ["use std::sync::atomic::AtomicU16 as A;"], "let v = A::new(1).into_inner();", ("u8", "u16")),
        (["trait V {\n    type O;\n}\nimpl V for u8 {\n    type O = u8;\n}\nfn o<T: V>() -> Option<T::O> {\n    None\n}"],
         ["trait V {\n    type O;\n}\nimpl V for u8 {\n    type O = i8;\n}\nfn o<T: V>() -> Option<T::O> {\n    None\n}"],
         "let (v, w) = (o::<u8>(), 1);", ("core::option::Option<u8>", "core::option::Option<i8>")),
    ],
)  # fmt: skip
def test_types_are_remembered_for_the_same_cells_only(cached, before, after, let, types):
    for cells, expected in ((before, types[0]), (after, types[1]), (before, types[0]), (after, types[1])):
        session = cached()
        for cell in [*cells, let]:
            session.check(cell)
        assert type_of(session, "v") == expected
        session.close()


def test_the_types_of_variables_are_kept_with_the_compiled_cells(cached):
    cells = ["let count = 1 + 2;", "let (mut name, size) = (String::from(\"a\"), count * 2);"]
    for is_again in (False, True):
        session = cached()
        for cell in cells:
            session.check(cell)
            assert ("not started" in session.check("%celltime").stdout) == is_again
        assert [type_of(session, name) for name in ("count", "name", "size")] == ["i32", "alloc::string::String", "i32"]
        assert session.check("name.push('b'); name.clone()").value == '"ab"'
        session.close()
    heads = [json.loads(path.read_bytes().split(b"\n")[0]) for path in cached.folder.glob("crates/*/cells/*")]
    types = [head["types"] for head in heads if head["types"]]
    assert {"count": "i32"} in types and {"name": "std::string::String", "size": "i32"} in types


def test_an_error_in_a_cell_with_remembered_types_has_its_place(cached):
    cell = "let parsed = \"12\".parse::<u8>().unwrap(); let other = parsed * 2;\nassert!(parsed > 20, \"too small\");"
    shown = []
    for _ in range(2):
        session = cached()
        shown.append(session.run(cell).error_text)
        session.close()
    assert shown[0] == shown[1]
    assert "too small" in shown[0] and "line 2" in shown[0]


def test_changed_files_and_variables_are_noticed(cached, tmp_path):
    data = tmp_path / "data.txt"
    text = f'include_str!("{data}").trim().to_owned()'
    asks = 'option_env!("MINE").unwrap_or("nothing")'
    for content, env in (("one", {"MINE": "1"}), ("one", {"MINE": "1"}), ("two", {"MINE": "2"}), ("two", {}), ("one", {"MINE": "1"})):
        data.write_text(content)
        session = cached(**env)
        assert session.check(text).value == f'"{content}"'
        assert session.check(asks).value == f'"{env.get("MINE", "nothing")}"'
        # Also while the session goes on.
        data.write_text("three")
        assert session.check(text).value == '"three"'
        session.close()
    data.unlink()
    session = cached()
    assert "data.txt" in session.run(text).error_text
    data.write_text("four")
    assert session.check(text).value == '"four"'


def test_a_crate_that_is_edited_is_noticed(cached, tmp_path):
    crate = tmp_path / "mine"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text('[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2024"\n')
    for number in (7, 8, 7):
        (crate / "src" / "lib.rs").write_text(f"#[inline(always)]\npub fn number() -> u8 {{ {number} }}\n")
        session = cached()
        session.check(f':dep mine = {{ path = "{crate}" }}')
        assert session.check("mine::number()").value == str(number)
        session.close()


def test_a_panic_in_a_cached_cell_has_its_place(cached):
    for _ in range(2):
        session = cached()
        error = session.run("let n = 3;\nlet list = vec![1, 2];\nlist[n]").error_text
        assert "line 3, column 5: list[n]" in error and "index is 3" in error, error
        error = session.run("let x: i32 = 1;\nx.foo()").error_text
        assert "no method named `foo`" in error and "line 2, column 3" in error, error
        session.close()


def test_a_variable_that_a_cell_moves_away_takes_no_other_with_it(cached):
    """The compiler's messages name lines, and each session has its variables in another order."""
    for _ in range(5):
        session = cached()
        session.check("let list = vec![1, 2]; let k1 = 5; let k2 = 6; let k3 = 7; let k4 = 8;")
        session.check("let sum: i32 = list.into_iter().sum();")
        assert session.check("sum + k1 + k2 + k3 + k4").value == "29"
        assert "list" in session.run("list").error_text
        session.check("%time let more = vec![k1]; let len = more.into_iter().count();")
        assert session.check("k1 + k2 + k3 + k4").value == "26"
        session.close()


def test_statics_of_the_notebook_do_not_turn_it_off(cached):
    for _ in range(2):
        session = cached()
        session.check("use std::sync::atomic::{AtomicU32, Ordering};\nstatic SEEN: AtomicU32 = AtomicU32::new(1);")
        session.check("SEEN.fetch_add(1, Ordering::Relaxed);")
        before = entries(cached.folder)
        assert session.check("SEEN.load(Ordering::Relaxed)").value == "2"
        made = entries(cached.folder) - before
        session.close()
    assert not made and before


def test_damaged_entries_are_made_again(cached):
    session = cached()
    run_all(session)
    session.close()
    for number, path in enumerate(sorted(cached.folder.glob("crates/*/cells/*"))):
        whole = path.read_bytes()
        path.write_bytes((whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1]), b"")[number % 3])
    run_all(cached())
    run_all(cached())


def test_an_entry_that_others_can_write_is_not_used(cached):
    session = cached()
    assert session.check("40 + 2").value == "42"
    session.close()
    for path in cached.folder.glob("crates/*/cells/*"):
        path.chmod(0o666)
    before = {path: path.stat().st_ino for path in cached.folder.glob("crates/*/cells/*")}
    assert cached().check("40 + 2").value == "42"
    after = {path: path.stat().st_ino for path in cached.folder.glob("crates/*/cells/*")}
    changed = {path for path in after if before.get(path) != after[path]}
    assert changed, "it was compiled again, and its entry replaced"
    assert all(path.stat().st_mode & 0o077 == 0 for path in changed)


def test_kernels_side_by_side_share_the_cache(cached):
    sessions = [cached() for _ in range(3)]
    for cell, value in zip(CELLS, VALUES, strict=True):
        requests = [session.send(cell) for session in sessions]
        for session, request in zip(sessions, requests, strict=True):
            result = session.collect(request)
            assert result.ok and result.value == value, result.summary()


@pytest.fixture(scope="module")
def precompiled(tmp_path_factory):
    """An installation that has the compiled cells of a notebook; gives its binary and their folder."""
    root = tmp_path_factory.mktemp("precompiled")
    prefix, notebook = root / "prefix", root / "lesson.ipynb"
    subprocess.run(["cp", "--archive", "--link", os.environ["WARPCELL_TEST_PREFIX"], prefix], check=True)
    cells = [{"cell_type": "markdown", "source": "# A lesson"}]
    cells += [{"cell_type": "code", "source": source} for source in (*CELLS, 'panic!("on purpose")')]
    notebook.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    binary, folder = prefix / "bin/warpcell", prefix / "lib/warpcell/cells"
    run = [binary, "lessons", "precompile", notebook]
    said = subprocess.run(run, capture_output=True, text=True, timeout=1200, check=True).stdout.splitlines()
    assert said[0].startswith(f"{notebook}: {len(CELLS) + 1} cells in ") and said[0].endswith(", 1 of them with errors")
    assert said[1].endswith(f"MB, in {folder}") and int(said[1].split()[0]) == len(list(folder.iterdir())) >= len(CELLS)
    return binary, folder


@pytest.fixture
def of_installation(precompiled, tmp_path):
    """Starts kernels of that installation, for a user who has compiled nothing."""
    sessions = []

    def start():
        command = [str(precompiled[0]), "kernel", "--connection-file", "{connection_file}"]
        sessions.append(Session(command=command, env={"WARPCELL_CACHE_DIR": str(tmp_path / "cache")}))
        return sessions[-1]

    start.folder = tmp_path / "cache"
    yield start
    for session in sessions:
        session.close()


def test_users_of_an_installation_do_not_compile_its_cells(precompiled, of_installation):
    before = {path.name: path.read_bytes() for path in precompiled[1].iterdir()}
    session = of_installation()
    run_all(session)
    assert entries(of_installation.folder) == set(), "no cell was compiled"
    session.check("twice(p.x) + 1.0")
    assert len(entries(of_installation.folder)) == 1, "another cell was"
    assert {path.name: path.read_bytes() for path in precompiled[1].iterdir()} == before


def test_what_others_could_have_written_is_not_used(precompiled, of_installation):
    precompiled[1].chmod(0o777)
    try:
        run_all(of_installation())
        assert len(entries(of_installation.folder)) >= len(CELLS)
    finally:
        precompiled[1].chmod(0o755)


def test_only_who_may_write_to_the_installation_compiles_for_all(precompiled, tmp_path):
    text = tmp_path / "text.ipynb"
    text.write_text("# no notebook")
    for notebook, problem in ((text, "is not a notebook that can be read"), (tmp_path / "none.ipynb", "cannot be read")):
        run = subprocess.run([precompiled[0], "lessons", "precompile", notebook], capture_output=True, text=True, check=False)
        assert run.returncode == 1 and problem in run.stderr and str(notebook) in run.stderr, run.stderr
