"""`:dep`: crates that the user adds. They are built once, in a cache that kernels share; what the prelude carries is its own."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import psutil
import pytest


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    """A cache that the kernels of this module share."""
    return tmp_path_factory.mktemp("a cache")


@pytest.fixture
def start(fresh_kernel, cache):
    """Starts kernels that use the cache."""

    def start(**env):
        return fresh_kernel(env={"WARPCELL_CACHE_DIR": str(cache), **env})

    return start


@pytest.fixture(scope="module")
def kernel(cache):
    from e2e.session import Session

    session = Session(env={"WARPCELL_CACHE_DIR": str(cache)})
    yield session
    session.close()


def write_crate(folder: Path, name: str, source: str, more: str = "", **files: str) -> Path:
    crate = folder / name
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text(
        f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n{more}\n', encoding="utf-8"
    )
    (crate / "src/lib.rs").write_text(source, encoding="utf-8")
    for path, text in files.items():
        (crate / path.replace("_rs", ".rs").replace("_c", ".c")).write_text(text, encoding="utf-8")
    return crate


def dep(crate: Path) -> str:
    return f':dep {crate.name} = {{ path = "{crate}" }}'


# A type that shows itself only by `Debug` and a function: enough for most of what follows.
SIMPLE = 'pub fn answer() -> u32 { 42 }\n'


def test_compiling_is_shown_as_it_happens_and_the_second_kernel_does_not_compile(start):
    first = start()
    sent = time.monotonic()
    result = first.check(':dep semver = "1"\nsemver::Version::new(1, 2, 3).to_string()', seconds=1200)
    end = time.monotonic()
    assert result.value == '"1.2.3"'
    shown = [m for m in result.messages if m.kind == "stream" and "Compiling semver v1" in m.content["text"]]
    assert len(shown) == 1 and shown[0].content["name"] == "stderr"
    assert sent < shown[0].at < end - 0.1, "shown while it is built"
    again = first.check("semver::Version::new(1, 2, 4).minor")
    assert again.value == "2" and again.stderr == ""

    second = start()
    result = second.check(':dep semver = "1"\nsemver::Version::new(1, 2, 3).to_string()')
    assert result.value == '"1.2.3"'
    assert result.stderr == "", "nothing is built or asked of the network again"


def test_two_kernels_build_the_same_crate_at_the_same_time(start, tmp_path):
    crate = write_crate(tmp_path, "shared_by_two", SIMPLE)
    sessions = [start(), start()]
    results = [None, None]

    def run(index):
        results[index] = sessions[index].run(f"{dep(crate)}\nshared_by_two::answer()", seconds=1200)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.ok and result.value for result in results] == ["42", "42"]


def test_serde_is_the_preludes(kernel):
    kernel.check("let before = 13;")
    result = kernel.check(':dep serde = { version = "1", features = ["derive"] }\n:dep serde_json = "1"')
    assert "Compiling" not in result.stderr
    kernel.check(
        "#[derive(serde::Serialize, serde::Deserialize, Debug, PartialEq)]\n"
        "struct Point { x: f64, label: Option<String> }"
    )
    kernel.check('let text = serde_json::to_string(&Point { x: 1.5, label: Some("a".into()) }).unwrap();')
    assert kernel.check("text").value == '"{\\"x\\":1.5,\\"label\\":\\"a\\"}"'
    assert kernel.check("serde_json::from_str::<Point>(&text).unwrap().x").value == "1.5"
    # Arrays know the same serde.
    assert kernel.check("serde_json::to_value(ndarray::arr1(&[1.0, 2.0])).unwrap()[\"data\"][1].as_f64()").value == "Some(2.0)"
    assert kernel.check("before").value == "13"


def test_types_of_carried_crates_are_inferred(kernel):
    kernel.check(':dep rand = "0.9"')
    kernel.check("use rand::{Rng, SeedableRng}; let mut random = rand::rngs::StdRng::seed_from_u64(1);")
    assert kernel.check("let number = random.random_range(3..4); number").value == "3"
    kernel.check(':dep num = { package = "num-complex", version = "0.4" }')
    kernel.check("let z = num::Complex::new(1.0f64, 2.0);")
    assert kernel.check("z.norm_sqr()").value == "5.0"


def test_a_foreign_crate_is_built_on_the_notebooks_ndarray(kernel, tmp_path):
    source = (
        "use ndarray::prelude::*;\nuse num_traits::Float;\n"
        "pub fn double<F: Float>(a: &Array2<F>) -> Array2<F> { a.mapv(|x| x + x) }\n"
        "pub trait Peak { fn peak(&self) -> f64; }\n"
        "impl Peak for ArrayD<f64> { fn peak(&self) -> f64 { self.fold(f64::MIN, |m, &x| m.max(x)) } }\n"
    )
    crate = write_crate(tmp_path, "on_arrays", source, '[dependencies]\nndarray = "0.17"\nnum-traits = "0.2"')
    result = kernel.check(dep(crate), seconds=1200)
    assert "Compiling ndarray" not in result.stderr and "note:" not in result.stderr
    kernel.check("use on_arrays::Peak; let grid = on_arrays::double(&ndarray::arr2(&[[1.0, 2.0], [3.0, 4.0]]));")
    assert kernel.check("gpu::asarray(&grid).sum()").value.startswith("20")
    assert kernel.check("gpu::asarray(&grid).to_host().into_dyn().peak()").value == "8.0"


def test_another_ndarray_below_a_crate_is_said(kernel, tmp_path):
    crate = write_crate(
        tmp_path, "on_old_arrays", "pub fn old() -> usize { ndarray::arr1(&[1, 2]).len() }",
        '[dependencies]\nndarray = { version = "0.16", default-features = false }',
    )  # fmt: skip
    result = kernel.check(dep(crate), seconds=1200)
    assert "note: `on_old_arrays` uses `ndarray` 0.16" in result.stderr and "do not mix" in result.stderr
    assert kernel.check("on_old_arrays::old()").value == "2"
    assert kernel.check("ndarray::arr1(&[1, 2, 3]).len()").value == "3"


def test_a_path_crate_that_is_edited(start, tmp_path):
    session = start()
    crate = write_crate(tmp_path, "edited", "pub fn version() -> u32 { 1 }")
    session.check(f"{dep(crate)}\nlet kept = 5u32;", seconds=1200)
    assert session.check("edited::version()").value == "1"
    (crate / "src/lib.rs").write_text("mod part; pub fn version() -> u32 { part::VERSION }")
    (crate / "src/part.rs").write_text("pub const VERSION: u32 = 2222;")
    result = session.check("edited::version()")
    assert result.value == "2222" and "Compiling edited" in result.stderr
    assert session.check("edited::version()").stderr == ""

    (crate / "src/part.rs").write_text("pub const VERSION: u32 = \"no number\";")
    result = session.run("edited::version()")
    assert "mismatched types" in result.error_text and "edited" in result.error_text
    assert "part.rs:1" in result.error_text and "notebook" not in result.error_text.split("\n")[0]
    (crate / "src/part.rs").write_text("pub const VERSION: u32 = 3;")
    assert session.check("edited::version() + kept").value == "8"


def test_types_that_only_the_compiler_knows(kernel, tmp_path):
    """rust-analyzer does not expand procedural macros, and cells do not name the crate `below` in a `:dep`."""
    below = write_crate(tmp_path, "below_the_maker", "#[derive(Debug)] pub struct Kept<T>(pub T, pub Vec<(String, T)>);")
    macro = (
        "use proc_macro::TokenStream;\n"
        "#[proc_macro] pub fn make(_: TokenStream) -> TokenStream { \"::maker::below_the_maker::Kept(7u8, vec![])\".parse().unwrap() }\n"
        "#[proc_macro] pub fn nameless(_: TokenStream) -> TokenStream { \"[1].into_iter().map(|x: i32| x)\".parse().unwrap() }"
    )
    macros = write_crate(tmp_path, "maker_macros", macro, "[lib]\nproc-macro = true")
    maker = write_crate(
        tmp_path, "maker", "pub use maker_macros::*;\n#[doc(hidden)] pub extern crate below_the_maker;",
        f'[dependencies]\nbelow_the_maker = {{ path = "{below}" }}\nmaker_macros = {{ path = "{macros}" }}',
    )  # fmt: skip
    kernel.check(dep(maker), seconds=1200)
    kernel.check("let before = 1u8; let (made, mut other) = (maker::make!(), maker::make!());")
    assert kernel.check("other.0 += 1; made.0 + other.0 + before").value == "16"
    # In the same cell as a value, and once more by the name of a crate that no `:dep` names.
    assert kernel.check("let made = maker::make!(); made.0").value == "7"
    assert kernel.check("let kept: below_the_maker::Kept<u8> = made; kept.1.len()").value == "0"
    result = kernel.run("let closed = maker::nameless!();")
    assert "`closed` has the type `std::iter::Map<" in result.error_text, result.error_text
    assert kernel.check("kept.0 + other.0").value == "15"


def test_renamed_and_another_version(kernel, tmp_path):
    one = write_crate(tmp_path / "1", "versioned", "pub fn version() -> u32 { 1 }")
    two = write_crate(tmp_path / "2", "versioned", "pub fn version() -> u32 { 2 }")
    kernel.check(f':dep other_name = {{ package = "versioned", path = "{one}" }}', seconds=1200)
    assert kernel.check("other_name::version()").value == "1"
    kernel.check(f':dep other_name = {{ package = "versioned", path = "{two}" }}', seconds=1200)
    assert kernel.check("other_name::version()").value == "2"


def test_a_build_script_with_a_native_library(kernel, tmp_path):
    script = """
    use std::{env, process::Command};
    fn main() {
        let out = env::var("OUT_DIR").unwrap();
        let run = |program: &str, arguments: &[&str]| {
            assert!(Command::new(program).args(arguments).status().unwrap().success());
        };
        run("cc", &["-c", "-fPIC", "native.c", "-o", &format!("{out}/native.o")]);
        run("ar", &["rcs", &format!("{out}/libnative.a"), &format!("{out}/native.o")]);
        println!("cargo::rustc-link-search=native={out}");
        println!("cargo::rustc-link-lib=static=native");
        println!("cargo::rustc-env=BUILT_BY=the script");
    }
    """
    crate = write_crate(
        tmp_path, "with_native",
        'unsafe extern "C" { fn triple(x: i32) -> i32; }\n'
        "pub fn thrice(x: i32) -> i32 { unsafe { triple(x) } }\npub const BUILT_BY: &str = env!(\"BUILT_BY\");",
        build_rs=script, native_c="int triple(int x) { return 3 * x; }",
    )  # fmt: skip
    kernel.check(dep(crate), seconds=1200)
    assert kernel.check("with_native::thrice(14)").value == "42"
    assert kernel.check("with_native::BUILT_BY").value == '"the script"'


def test_what_cannot_be_added_says_why_and_changes_nothing(kernel, tmp_path):
    kernel.check("let untouched = 11;")
    broken = write_crate(tmp_path, "broken_crate", "#[deprecated] fn old() {}\npub fn f() -> u32 { old(); \"text\" }")
    program = tmp_path / "a_program"
    (program / "src").mkdir(parents=True)
    (program / "Cargo.toml").write_text('[package]\nname = "a_program"\nversion = "0.1.0"\nedition = "2021"\n')
    (program / "src/main.rs").write_text("fn main() {}")
    for code, parts in [
        (':dep no-such-crate-warpcell = "1"', ["no-such-crate-warpcell", "crates.io"]),
        (':dep semver = "=1.999.0"', ["semver", "1.999.0", "version"]),
        (dep(broken), ["broken_crate", "mismatched types", "expected `u32`"]),
        (dep(program), ["a_program", "not a library"]),
        (f':dep gone = {{ path = "{tmp_path}/gone" }}', ["gone"]),
        (':dep ndarray = "0.16"', ["ndarray", "0.16", "0.17"]),
        (':dep ndarray = { version = "0.17", features = ["blas"] }', ["ndarray", "blas", "0.17"]),
        (':dep warpcell = "1"', ["gpu"]),
    ]:
        result = kernel.run(code, seconds=1200)
        assert not result.ok, code
        for part in parts:
            assert "error: error" not in result.error_text
            assert part in result.error_text, f"{part!r} is missing after {code}:\n{result.error_text}"
        assert len(result.error_text.splitlines()) < 40, result.error_text
        assert "notebook-dependencies" not in result.error_text and "evcxr" not in result.error_text
        assert kernel.check("untouched").value == "11"


def test_a_crate_of_a_git_repository(start, tmp_path):
    crate = write_crate(tmp_path, "of_a_repository", SIMPLE)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in [["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "one"]]:
        subprocess.run(["git", *command], cwd=crate, check=True)
    session = start(CARGO_NET_RETRY="0")
    result = session.check(
        f':dep of_a_repository = {{ git = "file://{crate}" }}\nlet kept = of_a_repository::answer(); kept', seconds=1200
    )
    assert result.value == "42" and "Compiling of_a_repository" in result.stderr
    result = session.run(f':dep no_repository = {{ git = "file://{tmp_path}/nothing" }}', seconds=1200)
    assert "no git repository at that address" in result.error_text, result.error_text
    assert session.check("of_a_repository::answer() - kept").value == "0"


def test_crates_that_are_there_are_had_offline(start):
    session = start()
    assert session.check(':dep semver = "1"\nsemver::Version::new(1, 2, 3).minor', seconds=1200).value == "2"
    session.check(":offline 1\nlet kept = 3u64;")
    result = session.run(':dep no-such-crate-warpcell = "1"', seconds=1200)
    assert ":offline 0" in result.error_text, result.error_text
    # Another set, so cargo is asked again.
    code = ':dep semver = { version = "1", features = ["serde"] }\nsemver::Version::new(1, 4, 2).minor + kept'
    assert session.check(code, seconds=1200).value == "7"


def test_crates_that_cannot_be_had_together(kernel):
    kernel.check(':dep semver = "1"\nlet kept = semver::Version::new(1, 2, 3);', seconds=1200)
    result = kernel.run(':dep version_numbers = { package = "semver", version = "1" }', seconds=1200)
    assert "`semver v1" in result.error_text and "multiple times with different names" in result.error_text, result.error_text
    assert "use the name that it already has" in result.error_text
    assert kernel.check("kept.minor").value == "2"


def test_without_a_network(start):
    session = start(CARGO_HTTP_PROXY="http://127.0.0.1:9", CARGO_NET_RETRY="0")
    result = session.run(':dep no-such-crate-warpcell = "1"', seconds=1200)
    assert ":offline 1" in result.error_text, result.error_text
    assert session.check("1 + 1").value == "2"


def test_a_cache_that_cannot_be_written(fresh_kernel, tmp_path):
    crate = write_crate(tmp_path, "uncached", SIMPLE)
    (tmp_path / "no folder").write_text("")
    session = fresh_kernel(env={"WARPCELL_CACHE_DIR": str(tmp_path / "no folder")})
    result = session.check(f"{dep(crate)}\nuncached::answer()", seconds=1200)
    assert result.value == "42"
    assert "no folder" in result.stderr and "this session only" in result.stderr
    assert session.check("uncached::answer() + 1").stderr == ""


def test_a_damaged_cache_is_mended(fresh_kernel, tmp_path):
    crate = write_crate(tmp_path, "damaged", SIMPLE)
    cache = tmp_path / "cache"
    session = fresh_kernel(env={"WARPCELL_CACHE_DIR": str(cache)})
    session.check(dep(crate), seconds=1200)
    [library] = cache.glob("crates/*/target/*/debug/deps/libdamaged-*.rlib")
    library.write_bytes(library.read_bytes()[:1000])
    assert session.check("damaged::answer()").value == "42"
    for record in cache.glob("crates/*/sets/*/*.json"):
        record.write_text(record.read_text()[:100])
    assert session.check("damaged::answer()").value == "42"
    for entry in cache.iterdir():
        shutil.rmtree(entry)
    assert session.check("damaged::answer()").value == "42"


def test_a_value_of_a_type_that_has_changed_is_not_read_as_the_new_one(start, tmp_path):
    crate = write_crate(tmp_path, "changing", "#[derive(Debug)] pub struct S(pub u64);")
    session = start()
    session.check(f"{dep(crate)}\nlet s = changing::S(7); let other = 5;", seconds=1200)
    assert session.check("s.0").value == "7"
    (crate / "src/lib.rs").write_text("#[derive(Debug)] pub struct S(pub u64, pub String);")
    result = session.run("s.1.len()")
    assert not result.ok and "CellProcessDied" not in result.error_text, result.summary()
    assert session.check("let s = changing::S(1, \"a\".into()); s.1.len()").value == "1"


ENDLESS = "#[allow(long_running_const_eval)]\npub const E: u64 = { let mut n = 0u64; while n < u64::MAX { n += 1; } n };"


def test_an_interrupted_build_ends_at_once_and_loses_nothing(start, tmp_path):
    crate = write_crate(tmp_path, "slow_to_build", ENDLESS)
    session = start()
    session.check("let kept = 3u32;")
    sent = []

    def interrupt(message):
        if message.kind == "stream" and "Compiling slow_to_build" in message.content["text"] and not sent:
            sent.append(time.monotonic())
            session.manager.interrupt_kernel()

    result = session.run(dep(crate), on_message=interrupt, seconds=480)
    assert sent and time.monotonic() - sent[0] < 30
    assert result.error["ename"] == "Interrupted", result.error_text
    commands = [" ".join(process.cmdline()) for process in session.processes()]
    # A compiler may wait for the next cell, but none works on the crate.
    assert not any("cargo" in command.split(" ")[0] or "slow_to_build" in command for command in commands), commands
    (crate / "src/lib.rs").write_text(SIMPLE)
    assert session.check(f"{dep(crate)}\nslow_to_build::answer() + kept", seconds=1200).value == "45"


def test_a_bar_shows_how_far_a_build_is(start, tmp_path):
    crate = write_crate(tmp_path, "still_building", ENDLESS)
    session = start()
    bars = []

    def interrupt(message):
        if message.kind == "display_data" and "Building crates" in message.content["data"]["text/plain"]:
            bars.append(message.content)
            session.manager.interrupt_kernel()

    result = session.run(dep(crate), on_message=interrupt, seconds=480)
    assert result.error["ename"] == "Interrupted", result.error_text
    (bar,) = bars
    assert re.fullmatch(r"Building crates: +\d+%\|.{24}\| \d/\d still_building", bar["data"]["text/plain"]), bar
    assert "<progress max=" in bar["data"]["text/html"] and bar["transient"]["display_id"].startswith("build-")


def test_a_killed_build_leaves_nothing_stale(start, tmp_path):
    crate = write_crate(tmp_path, "killed", ENDLESS)
    session = start()

    def kill(message):
        if message.kind == "stream" and "Compiling killed" in message.content["text"]:
            for process in psutil.Process(session.pid).children(recursive=True):
                if process.name() == "cargo":
                    process.send_signal(signal.SIGKILL)

    result = session.run(dep(crate), on_message=kill, seconds=480)
    assert not result.ok
    for process in psutil.Process(session.pid).children(recursive=True):
        if process.name() == "rustc":
            process.kill()
    (crate / "src/lib.rs").write_text(SIMPLE)
    assert session.check(f"{dep(crate)}\nkilled::answer()", seconds=1200).value == "42"
