"""install.sh in a small checkout, with a toolchain of stand-ins: what it says when something is missing, fails or is interrupted."""

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RUST = "1.95.0"
# What `cargo build` leaves: a kernel that can be asked to install itself.
KERNEL = """#!/bin/sh
case $1 in
install) while [ $# -gt 0 ]; do [ "$1" != --prefix ] || prefix=$2; shift; done
  mkdir -p "$prefix/bin" && cp "$0" "$prefix/bin/warpcell" && mkdir -p "$prefix/lib/warpcell"
  echo 'Installed the kernel'; echo 'note: other users cannot use it' ;;
doctor) echo 'Notebooks can run.' ;;
esac
"""
BUILDS = f"""case "$*" in *warpcell-kernel*) mkdir -p target/release; cat >target/release/warpcell <<'K'
{KERNEL}K
chmod +x target/release/warpcell;; esac
echo '   Compiling something v1.0.0' >&2
echo '    Finished `release` profile' >&2"""


def ends(pid: int) -> bool:
    """Whether a process comes to its end within some seconds."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 20)[0])
    finally:
        os.close(process)


class Checkout:
    """A checkout with install.sh, and a machine on which only the given toolchain can be found."""

    def __init__(self, folder: Path):
        self.folder, self.prefix, self.toolchain = folder / "a checkout", folder / "a prefix", folder / "toolchain"
        self.target = self.folder / "target"
        (self.folder / "assets").mkdir(parents=True)
        for name in ("install.sh", "rust-toolchain.toml"):
            shutil.copy(ROOT / name, self.folder)
        for path in [*(ROOT / "assets").glob("*.sh"), ROOT / "assets/requirements-lab.txt"]:
            shutil.copy(path, self.folder / "assets")
        for name in ("kernel", "prelude"):
            (self.folder / name).mkdir()
        for name in ("Cargo.toml", "Cargo.lock"):
            (self.folder / name).touch()
        self.sources = folder / "sources"
        (self.sources / "core/src").mkdir(parents=True)
        (self.sources / "core/src/lib.rs").touch()
        # No package of the distribution can be installed, and there is no rustup.
        self.programs = folder / "programs"
        self.programs.mkdir()
        for name in ("apt-get", "apt-cache", "dnf", "sudo"):
            self.program(self.programs / name, "echo 'E: nothing is to be had' >&2; exit 100")
        self.rust(RUST)
        self.cargo(BUILDS)

    def program(self, path: Path, script: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def rust(self, release: str) -> None:
        answers = f'case $* in *sysroot*) echo "{self.toolchain}";; *) echo "release: {release}";; esac'
        self.program(self.toolchain / "bin/rustc", answers)

    def cargo(self, script: str) -> None:
        self.program(self.toolchain / "bin/cargo", script)

    def env(self, **more: str) -> dict[str, str]:
        unwanted = ("WARPCELL_", "CARGO", "RUST", "CONDA", "VIRTUAL_ENV")
        env = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
        folders = [folder for folder in env["PATH"].split(":") if not (Path(folder) / "rustup").exists() and not (Path(folder) / "rustc").exists()]
        path = ":".join([str(self.programs), *folders])
        home = str(self.folder.parent / "home")
        return {**env, "PATH": path, "HOME": home, "WARPCELL_RUSTC": str(self.toolchain), "RUST_SRC_PATH": str(self.sources), **more}

    def start(self, *arguments: str, **more: str) -> subprocess.Popen:
        return subprocess.Popen(
            ["./install.sh", "--prefix", str(self.prefix), *arguments], cwd=self.folder, env=self.env(**more), text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            # What runs in the background, as under `nohup`, ignores the signal, and a script cannot change that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip

    def run(self, *arguments: str, **more: str) -> tuple[int, str]:
        process = self.start(*arguments, **more)
        said, _ = process.communicate(timeout=480)
        return process.returncode, said


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    return Checkout(tmp_path)


def test_notes_come_last_and_cargo_is_not_heard(checkout):
    status, said = checkout.run()
    assert status == 0, said
    places = [said.index(text) for text in ("[1/3] Building", "[2/3] Installing", "Installed the kernel", "[3/3]", "Warpcell is ready", "note: other users")]
    assert places == sorted(places), said
    assert "Finished" not in said and "Compiling" not in said
    status, said = checkout.run()
    assert status == 0 and "up to date" in said and "[1/" not in said, said


def test_without_sources_it_goes_on_and_says_what_to_do(checkout):
    if list(Path("/usr/src").glob("rustc-*")):
        pytest.skip("this machine has them where distributions put them")
    status, said = checkout.run(RUST_SRC_PATH="")
    assert status == 0 and "Warpcell is ready" in said, said
    note = said[said.index("note: the standard library's sources") :]
    assert "`let` takes longer" in note and "./install.sh" in note, said
    # With them it is installed anew.
    status, said = checkout.run()
    assert status == 0 and "[2/3] Installing" in said and "note: the standard" not in said, said


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("error: failed to write x: No space left on device (os error 28)", ["no room left", "Make room"]),
        ("error: failed to download `serde v1.0`\n  [56] Failure when receiving data from the peer", ["cannot be downloaded", "HTTPS_PROXY="]),
        ("error: download of config.json failed: invalid response", ["cannot be downloaded", "HTTPS_PROXY="]),
        ("error: could not compile `x` (signal: 9, SIGKILL: kill)", ["was killed", "CARGO_BUILD_JOBS=1"]),
        ("error: failed to create `x`: Permission denied (os error 13)", ["cannot be written", "--prefix DIR"]),
        ("error: something that nobody foresaw", ["something that nobody foresaw"]),
    ],
)
def test_one_message_says_why_and_what_to_do(checkout, printed, expected):
    # The other half would go on for a minute.
    checkout.cargo(f"case \"$*\" in *warpcell-kernel*) cat >&2 <<'E'\n{printed}\nE\nexit 101;; *) exec sleep 60;; esac")
    status, said = checkout.run()
    assert status == 1 and "install.sh: the kernel does not build" in said.splitlines()[-1], said
    assert all(text in said for text in expected), said
    checkout.cargo(BUILDS)
    assert checkout.run()[0] == 0, "the next try starts clean"


def test_what_is_damaged_is_removed(checkout):
    checkout.cargo("mkdir -p target/release; echo 'error[E0786]: found invalid metadata files for crate `serde`' >&2; exit 101")
    status, said = checkout.run()
    assert status == 1 and "was damaged" in said and "It is removed now. Run it again" in said, said
    assert not (checkout.target / "release").exists()
    checkout.cargo(BUILDS)
    assert checkout.run()[0] == 0


def test_a_second_one_waits_for_the_first(checkout, tmp_path):
    os.mkfifo(tmp_path / "begun")
    os.mkfifo(tmp_path / "go on")
    checkout.cargo(f"case \"$*\" in *warpcell-kernel*) echo >'{tmp_path}/begun'; cat '{tmp_path}/go on' >/dev/null;; esac\n{BUILDS}")
    first = checkout.start()
    (tmp_path / "begun").read_text()
    second = checkout.start()
    assert "Another ./install.sh works in this checkout" in second.stdout.readline()
    checkout.cargo("echo 'nothing is to be built' >&2; exit 1")
    (tmp_path / "go on").write_text("go on")
    assert "Warpcell is ready" in first.communicate(timeout=240)[0] and first.returncode == 0
    said, _ = second.communicate(timeout=240)
    assert second.returncode == 0 and "up to date" in said, said


def test_an_interrupted_one_leaves_no_process_and_no_obstacle(checkout, tmp_path):
    os.mkfifo(tmp_path / "begun")
    checkout.cargo(f"case \"$*\" in *warpcell-kernel*) echo $$ >'{tmp_path}/begun';; esac\nexec sleep 60")
    process = checkout.start()
    cargo = int((tmp_path / "begun").read_text())
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert ends(cargo), "cargo is ended too"
    checkout.cargo(BUILDS)
    assert checkout.run()[0] == 0


def test_where_one_half_fails_the_other_is_ended(checkout, tmp_path):
    os.mkfifo(tmp_path / "begun")
    os.mkfifo(tmp_path / "go on")
    kernel = f"case \"$*\" in *warpcell-kernel*) cat '{tmp_path}/go on' >/dev/null; exit 101;; esac"
    checkout.cargo(f"{kernel}\necho $$ >'{tmp_path}/begun'; exec sleep 60")
    process = checkout.start()
    prelude = int((tmp_path / "begun").read_text())
    (tmp_path / "go on").write_text("go on")
    process.communicate(timeout=120)
    assert process.returncode == 1 and ends(prelude)


def test_an_older_compiler(checkout):
    checkout.rust("1.80.0")
    (checkout.programs / "rustc").symlink_to(checkout.toolchain / "bin/rustc")
    status, said = checkout.run(WARPCELL_RUSTC="")
    assert status == 1 and f"Rust {RUST}" in said and "--with-rust" in said, said


def test_a_newer_compiler_is_taken_and_named_where_it_fails(checkout):
    checkout.rust("1.99.0")
    assert checkout.run()[0] == 0
    checkout.cargo("echo 'error: odd' >&2; exit 1")
    (checkout.folder / "kernel/changed").touch()
    status, said = checkout.run()
    assert status == 1 and f"with Rust 1.99.0; with {RUST} it does" in said, said


def test_an_active_environment_whose_python_is_too_old(checkout, tmp_path):
    active = tmp_path / "old"
    checkout.program(active / "bin/python3", 'case $1 in --version) echo "Python 3.8.18";; *) exit 1;; esac')
    process = subprocess.run(["./install.sh"], cwd=checkout.folder, env=checkout.env(VIRTUAL_ENV=str(active)), text=True, capture_output=True, stdin=subprocess.DEVNULL)
    assert process.returncode == 1 and "found: Python 3.8.18" in process.stderr and "deactivate" in process.stderr, process.stderr


def test_a_place_that_cannot_be_written(checkout):
    process = subprocess.run(["./install.sh", "--prefix", "/proc/nowhere"], cwd=checkout.folder, env=checkout.env(), text=True, capture_output=True, stdin=subprocess.DEVNULL)
    assert process.returncode == 1 and "choose another one with --prefix" in process.stderr, process.stderr
