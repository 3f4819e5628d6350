"""Installing, upgrading and removing, and what can go wrong with it: all of an installation is there, or nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

from .faults import build
from .session import Session, cells_that_start_a_compiler, plain

ROOT = Path(os.environ["WARPCELL_TEST_ROOT"])
CONNECTION = ["kernel", "--connection-file", "{connection_file}"]
RUST = "1.95.0"
# Other suites run beside it, on slow machines too.
SECONDS = 1200


def run(*command, env: dict[str, str] | None = None, **options) -> subprocess.CompletedProcess:
    """A command that has ended, with all that it printed in `said`."""
    result = subprocess.run(
        [str(word) for word in command], env={**os.environ, **(env or {})}, timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options,
    )  # fmt: skip
    result.said = plain(result.stdout)
    return result


def listing(folder: Path) -> list[str]:
    """All names below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def leftovers(prefix: Path) -> list[str]:
    """What only stands there while something is being installed."""
    return [name for name in listing(prefix) if any(f".{word}-" in Path(name).name for word in ("new", "old", "package"))]


@pytest.fixture(scope="module")
def unpacked(prefix, tmp_path_factory) -> Path:
    """A bundle's folder."""
    folder = tmp_path_factory.mktemp("a bundle é")
    made = run(prefix / "bin/warpcell", "bundle", folder / "bundle.tar", "--only", "--crate", "itoa=1", "--crate", "strsim=0.11")
    assert made.returncode == 0, made.said
    assert "itoa 1." in made.said and "strsim 0.11" in made.said
    subprocess.run(["tar", "-xf", folder / "bundle.tar", "-C", folder], check=True)
    return folder / "warpcell"


@pytest.fixture(scope="module")
def faults(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def installed(unpacked, tmp_path_factory) -> Path:
    """An installation in a folder with spaces and letters beyond ASCII, which tests here may spoil."""
    target = tmp_path_factory.mktemp("installed") / "préfixe à moi ☃"
    result = install(unpacked, target)
    assert result.returncode == 0, result.said
    return target


def install(unpacked: Path, target: Path, **options) -> subprocess.CompletedProcess:
    return run(unpacked / "warpcell", "install-bundle", "--from", unpacked, "--prefix", target, **options)


def works(prefix: Path) -> bool:
    """Whether the installation is whole: the prelude loads, and the record can be read."""
    return run(prefix / "bin/warpcell", "device").returncode == 0


def open_session(prefix: Path, **options) -> Session:
    return Session(command=[str(prefix / "bin/warpcell"), *CONNECTION], **options)


# ------------------------------------------------------------------------------------------------- offline


def without_network() -> list[str]:
    for command in ["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]:
        if run(*command, "true").returncode == 0:
            return command
    pytest.skip("nobody may make a network namespace here")


def test_a_bundle_serves_a_machine_without_a_network(unpacked, tmp_path):
    target, home = tmp_path / "préfixe à moi", tmp_path / "home"
    home.mkdir()
    # Neither what was downloaded before nor the settings of this user.
    env = {"HOME": str(home), "CARGO_HOME": str(home / "cargo"), "WARPCELL_CACHE_DIR": str(home / "cache")}
    env["RUSTUP_HOME"] = os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))
    alone = without_network()
    result = run(*alone, unpacked / "install.sh", "--prefix", target, env=env)
    assert result.returncode == 0 and "Notebooks can run." in result.said, result.said
    command = [*alone, str(target / "bin/warpcell"), *CONNECTION]
    session = Session(env=env, cwd=ROOT / "lessons", command=command, transport="ipc", ip=str(tmp_path / "socket"))
    try:
        lesson = json.loads((ROOT / "lessons/01-convolution.ipynb").read_text())
        for cell in lesson["cells"]:
            tags = cell["metadata"].get("tags", [])
            if cell["cell_type"] == "code" and "raises-exception" not in tags:
                session.check("".join(cell["source"]), seconds=1200)
        session.check(':dep itoa = "1"', seconds=1200)
        assert session.check("itoa::Buffer::new().format(42u8).to_owned()").value == '"42"'
        error = session.run(':dep hex = "0.4"').error_text
        assert "came in a bundle" in error and "itoa 1." in error and "strsim 0.11" in error, error
        assert "--crate NAME=VERSION" in error and "network cannot be reached" not in error, error
        error = session.run(':dep strsim = "0.1"').error_text
        assert "strsim 0.11" in error, error
        session.check(':dep strsim = "0.11"', seconds=1200)
        assert session.check('strsim::hamming("abc", "abd").unwrap()').value == "1"
    finally:
        session.close()


def test_cells_of_the_lessons_in_a_bundle_start_no_compiler(unpacked, tmp_path):
    target = tmp_path / "another place"
    result = install(unpacked, target)
    assert result.returncode == 0, result.said
    run(target / "bin/warpcell", "lessons", "export", "--student", tmp_path / "course")
    lesson = json.loads((tmp_path / "course/01-convolution.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in lesson["cells"] if cell["cell_type"] == "code"]
    session = open_session(target, env={"WARPCELL_CACHE_DIR": str(tmp_path / "cache")}, cwd=tmp_path / "course")
    try:
        assert cells_that_start_a_compiler(session, cells) == []
        assert cells_that_start_a_compiler(session, ["1 + 2 + 3 + 4"]), "another cell does"
    finally:
        session.close()
    assert len(list((tmp_path / "cache").glob("crates/*/cells/*"))) == 1


def test_the_installer_of_a_checkout_takes_a_bundle(unpacked, tmp_path):
    target = tmp_path / "a prefix"
    bundle = unpacked.parent / "bundle.tar"
    result = run(ROOT / "install.sh", "--bundle", bundle, "--prefix", target)
    assert result.returncode == 0 and works(target), result.said
    assert [path.name for path in target.iterdir() if path.name.startswith(".")] == []


def test_a_bundle_that_is_not_whole_is_refused(unpacked, tmp_path):
    target, half = tmp_path / "prefix", tmp_path / "half.tar"
    bundle = unpacked.parent / "bundle.tar"
    with open(bundle, "rb") as whole:
        half.write_bytes(whole.read(bundle.stat().st_size // 2))
    result = run(ROOT / "install.sh", "--bundle", half, "--prefix", target)
    assert result.returncode != 0 and "not whole" in result.said, result.said
    assert listing(target) == []
    damaged = tmp_path / "damaged"
    shutil.copytree(unpacked, damaged)
    with open(damaged / "contents.tar.zst", "r+b") as contents:
        contents.seek(1000)
        contents.write(b"\0" * 100)
    result = run(damaged / "install.sh", "--prefix", target)
    assert result.returncode != 0 and "damaged" in result.said, result.said
    assert listing(target) == []
    # Even without its script.
    result = install(damaged, target)
    assert result.returncode != 0 and "contents.tar.zst cannot be unpacked" in result.said, result.said
    assert listing(target) == []


def test_a_crate_that_cannot_be_had_is_named_when_packing(prefix, tmp_path):
    result = run(prefix / "bin/warpcell", "bundle", tmp_path / "bundle.tar", "--only", "--crate", "itoa=99")
    assert result.returncode != 0 and "itoa" in result.said, result.said
    assert listing(tmp_path) == []
    result = run(prefix / "bin/warpcell", "bundle", tmp_path / "bundle.tar", "--crate", "no such=1")
    assert result.returncode != 0 and "NAME=VERSION" in result.said, result.said


# ---------------------------------------------------------------------------------- what the system refuses


def test_no_permission(unpacked, tmp_path):
    target = tmp_path / "prefix"
    target.mkdir()
    target.chmod(0o555)
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    for folder in unpacked.parents:
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    # Root may write everywhere.
    options = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    for script in (["bash", unpacked / "install.sh"], [unpacked / "warpcell", "install-bundle", "--from", unpacked]):
        result = run(*script, "--prefix", target, cwd="/", env={"HOME": "/nonexistent"}, **options)
        assert result.returncode != 0, result.said
        assert str(target) in result.said and "--prefix" in result.said, result.said
        assert listing(target) == []


def test_no_space(unpacked, tmp_path):
    mount = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    if run(*mount, "true").returncode != 0:
        pytest.skip("nobody may make a mount namespace here")
    script = 'mount -t tmpfs -o size=150m none "$1" && mkdir "$1/p" && "$2" --prefix "$1/p"; echo "ended: $?"; find "$1/p"'
    result = run(*mount, "bash", "-c", script, "-", tmp_path, unpacked / "install.sh")
    assert "ended: 1" in result.said and "No space left on device" in result.said, result.said
    assert "0.4 GB" in result.said and "Nothing was changed" in result.said, result.said
    after = result.said.split("ended: 1\n")[1].split()
    assert after == [f"{tmp_path}/p"], after


# What is killed, and at which of its calls: while files are put together, before the new takes the place of the old, while
# the start is recorded, and while the old is removed.
POINTS = ["mkdir:3:lib", "symlink:9:lib", "rename:1:", "mkdir:1:lib/warpcell/recorded", "unlinkat:5:lib"]


def test_an_installation_that_is_killed_leaves_the_old_or_the_new(unpacked, installed, faults):
    for point in POINTS:
        call, number, below = point.split(":")
        order = f"{call}:{number}:{installed / below}".rstrip("/")
        result = install(unpacked, installed, env={"LD_PRELOAD": str(faults), "WARPCELL_TEST_KILL": order})
        assert result.returncode == -9, f"not killed at {point}: {result.said}"
        assert works(installed), f"killed at {point}"
    assert install(unpacked, installed).returncode == 0
    assert works(installed) and leftovers(installed) == []


def test_a_first_installation_that_is_killed_is_no_obstacle(unpacked, tmp_path, faults):
    target = tmp_path / "prefix"
    env = {"LD_PRELOAD": str(faults), "WARPCELL_TEST_KILL": f"symlink:3:{target}"}
    assert install(unpacked, target, env=env).returncode == -9
    assert leftovers(target), "it was killed in the middle"
    assert not (target / "share").exists(), "Jupyter sees nothing of it"
    result = install(unpacked, target)
    assert result.returncode == 0 and works(target) and leftovers(target) == [], result.said


def test_an_installation_that_does_not_start_is_taken_back(unpacked, installed):
    before = (installed / "lib/warpcell/installation.json").stat().st_ino
    # No session can be made there.
    result = install(unpacked, installed, env={"TMPDIR": "/nonexistent"})
    assert result.returncode != 0 and "does not start" in result.said, result.said
    assert (installed / "lib/warpcell/installation.json").stat().st_ino == before
    assert works(installed) and leftovers(installed) == []


def test_two_installations_at_once(unpacked, tmp_path):
    target = tmp_path / "prefix"
    command = [str(unpacked / "warpcell"), "install-bundle", "--from", str(unpacked), "--prefix", str(target)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)
    ]
    said = [process.communicate(timeout=SECONDS)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("this one waits" in text for text in said) == 1, said
    assert works(target) and leftovers(target) == []


def test_a_home_without_locks(installed, unpacked, faults, tmp_path):
    """As some network file systems are: what cargo would refuse to do, or do without locks, is done elsewhere."""
    home, target = tmp_path / "home", tmp_path / "home/a prefix"
    (home / ".cargo").mkdir(parents=True)
    env = {"LD_PRELOAD": str(faults), "WARPCELL_TEST_NO_LOCKS": str(home)}
    result = install(unpacked, target, env=env)
    assert result.returncode == 0 and works(target), result.said
    env |= {"HOME": str(home), "CARGO_HOME": str(home / ".cargo"), "WARPCELL_CACHE_DIR": str(home / "cache")}
    session = open_session(target, env=env)
    try:
        result = session.check(':dep itoa = "1"\nitoa::Buffer::new().format(7u8).to_owned()', seconds=1200)
        assert result.value == '"7"'
        assert "without locks" in result.stderr and "for this session only" in result.stderr, result.stderr
        assert not list((home / "cache").rglob("*.rlib"))
    finally:
        session.close()


# -------------------------------------------------------------------------------- what changes under a kernel


def test_an_environment_that_is_deleted_under_a_kernel(installed, tmp_path):
    prefix, aside = tmp_path / "environment", tmp_path / "aside"
    shutil.copytree(installed, prefix, symlinks=True)
    session = open_session(prefix)
    try:
        session.check("let kept = vec![1, 2];")
        prefix.rename(aside)
        for _ in range(2):
            result = session.run("kept.len()")
            assert result.error["ename"] == "InstallationError", result.summary()
            assert str(prefix / "lib/warpcell") in result.error_text and "is gone" in result.error_text
        assert session.check("%lsmagic").ok
        aside.rename(prefix)
        session.run("kept.len()")  # the compiler that waited for it has seen the folder go
        assert session.check("kept.len()").value == "2", "it is back, and nothing was lost"
        shutil.rmtree(prefix)
        assert "restart the kernel" in session.run("kept").error_text
        assert not prefix.exists(), "nothing is written to where it was"
    finally:
        session.close()


def test_an_installation_that_is_replaced_under_a_kernel(installed, unpacked, tmp_path):
    prefix = tmp_path / "environment"
    shutil.copytree(installed, prefix, symlinks=True)
    session = open_session(prefix)
    try:
        session.check("let kept = vec![1, 2];")
        assert install(unpacked, prefix).returncode == 0
        error = session.run("kept.len()").error_text
        assert "installed again" in error and "Restart the kernel" in error, error
        session.manager.restart_kernel(now=False)
        session.client.wait_for_ready(timeout=480)
        assert session.check("1 + 1").value == "2"
    finally:
        session.close()


# ------------------------------------------------------------------------------------- upgrade and removal


def test_an_upgrade_leaves_no_stale_cache_and_removal_leaves_nothing(unpacked, tmp_path):
    target, cache, data = tmp_path / "prefix", tmp_path / "cache", tmp_path / "data"
    for folder in (target, data):
        folder.mkdir()
    (target / "mine.txt").write_text("not Warpcell's")
    env = {"WARPCELL_CACHE_DIR": str(cache), "JUPYTER_DATA_DIR": str(data)}
    before = listing(target)
    assert install(unpacked, target, env=env).returncode == 0
    # The version before had another prelude.
    record = target / "lib/warpcell/installation.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "identity": "fedcba9876543210"}))

    def build_a_crate() -> list[str]:
        session = open_session(target, env=env)
        try:
            session.check(':dep itoa = "1"\nitoa::Buffer::new().format(7u8).len()', seconds=1200)
        finally:
            session.close()
        return sorted(path.name for path in (cache / "crates").iterdir())

    old = build_a_crate()
    assert len(old) == 1
    assert install(unpacked, target, env=env).returncode == 0
    assert list((cache / "crates").iterdir()) == [], "what the old version built is of no use any more"
    new = build_a_crate()
    assert len(new) == 1 and new != old

    (cache / "mine.txt").write_text("not Warpcell's")
    result = run(target / "bin/warpcell", "uninstall", "--purge", "--prefix", target, env=env)
    assert result.returncode == 0, result.said
    assert listing(target) == before and listing(data) == []
    assert listing(cache) == ["mine.txt"]


def test_what_another_installation_uses_stays(unpacked, tmp_path):
    cache = tmp_path / "cache"
    env = {"WARPCELL_CACHE_DIR": str(cache)}
    targets = [tmp_path / name for name in ("one", "another")]
    for target in targets:
        assert install(unpacked, target, env=env).returncode == 0
        session = open_session(target, env=env)
        try:
            session.check(':dep itoa = "1"\nitoa::Buffer::new().format(7u8).len()', seconds=1200)
        finally:
            session.close()
    for target, left in zip(targets, (1, 0), strict=True):
        assert run(target / "bin/warpcell", "uninstall", "--prefix", target, env=env).returncode == 0
        assert len(list((cache / "crates").iterdir())) == left
        assert listing(target) == []


# -------------------------------------------------------------------------------------------- the compiler


def test_one_message_and_one_command_where_no_compiler_fits(unpacked, tmp_path):
    target, home, programs = (tmp_path / name for name in ("prefix", "home", "programs"))
    for folder in (home, programs):
        folder.mkdir()
    env = {"HOME": str(home), "CARGO_HOME": "", "RUSTUP_HOME": "", "PATH": f"{programs}:/usr/bin:/bin", "CONDA_PREFIX": ""}
    if shutil.which("rustc", path="/usr/bin:/bin"):
        pytest.skip("the system has a compiler of its own")

    def refused(what: str, remedy: str, **more) -> None:
        result = install(unpacked, target, env={**env, **more})
        assert result.returncode != 0 and what in result.said and remedy in result.said, result.said
        assert result.said.count("To fix it:") == 1
        assert listing(target) == []

    refused("no rustc in PATH", RUST)
    refused("/nowhere/rustc", "unset WARPCELL_RUSTC", WARPCELL_RUSTC="/nowhere/rustc")
    refused("no rustc in PATH", f"conda install -y -c conda-forge rust={RUST}", CONDA_PREFIX=str(tmp_path / "conda"))
    rustup = programs / "rustup"
    rustup.write_text("#!/bin/sh\nexit 1\n")
    rustup.chmod(0o755)
    refused("no rustc in PATH", f"rustup toolchain install {RUST}")


@pytest.fixture
def machine(tmp_path):
    """A user's environment without Rust, and a fake of rustup's installer that links the real toolchain."""
    home, programs = tmp_path / "home", tmp_path / "programs"
    for folder in (home, programs):
        folder.mkdir()
    for tool in ("curl", "wget", "rustup", "rustc", "cargo", "apt-get", "apt-cache", "dnf"):
        (programs / tool).write_text(f"#!/bin/sh\necho '{tool} must not run' >&2\nexit 1\n")
        (programs / tool).chmod(0o755)
    (programs / "rustup").unlink()
    sysroot = subprocess.run(
        ["rustc", "--print", "sysroot"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    installer = tmp_path / "rustup-init"
    installer.write_text(
        f'#!/bin/sh\necho "$*" >"{tmp_path}/arguments"\nmkdir -p "$HOME/.rustup/toolchains"\n'
        f'ln -s "{sysroot}" "$HOME/.rustup/toolchains/{RUST}-x86_64-unknown-linux-gnu"\n'
    )
    digest = subprocess.run(["sha256sum", installer], check=True, capture_output=True, text=True).stdout
    Path(f"{installer}.sha256").write_text(digest)
    path = f"{programs}:{os.environ['PATH']}"
    env = {"HOME": str(home), "PATH": path, "RUSTUP_INIT": f"file://{installer}", "CONDA_PREFIX": "", "VIRTUAL_ENV": ""}
    # The real home of cargo and rustup must not be found.
    return tmp_path, {**env, "CARGO_HOME": str(home / ".cargo"), "RUSTUP_HOME": str(home / ".rustup")}


def without_rustup(env: dict[str, str]) -> dict[str, str]:
    """PATH without the folders that have a rustup."""
    folders = [folder for folder in env["PATH"].split(":") if not os.path.exists(os.path.join(folder, "rustup"))]
    return {**env, "PATH": ":".join(folders)}


def test_the_installer_names_the_command_that_gets_rust(machine, tmp_path):
    _, env = machine
    result = run(ROOT / "install.sh", "--prefix", tmp_path / "prefix", env=without_rustup(env))
    assert result.returncode != 0 and f"Rust {RUST}" in result.said and "install.sh --with-rust" in result.said, result.said
    assert "Missing:" in result.said


def test_rust_is_installed_only_after_asking(machine, tmp_path):
    folder, env = machine
    env = without_rustup(env)
    script = [str(ROOT / "install.sh"), "--with-rust", "--prefix", str(tmp_path / "prefix")]
    result = run(*script, env=env)
    assert result.returncode != 0 and "nobody to ask" in result.said and "--yes" in result.said, result.said
    child = pexpect.spawn(script[0], script[1:], env={**os.environ, **env}, encoding="utf-8", timeout=240)
    child.expect("rustup, the installer of the Rust project")
    child.expect("SHA-256")
    child.expect("Go on")
    child.sendline("n")
    child.expect("Nothing was done")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus != 0
    assert not (folder / "arguments").exists() and listing(folder / "home") == []


def test_an_installer_with_another_sum_is_not_run(machine, tmp_path):
    folder, env = machine
    with open(folder / "rustup-init", "a") as installer:
        installer.write("echo something else\n")
    result = run(ROOT / "install.sh", "--with-rust", "--yes", "--prefix", tmp_path / "prefix", env=without_rustup(env))
    assert result.returncode != 0 and "was not run" in result.said, result.said
    assert not (folder / "arguments").exists()


def test_rust_is_installed_and_then_used(machine, tmp_path):
    folder, env = machine
    # It goes no further than to cargo, which may not load anything.
    env = {**without_rustup(env), "CARGO_NET_OFFLINE": "true"}
    result = run(ROOT / "install.sh", "--with-rust", "--yes", "--prefix", tmp_path / "prefix", env=env)
    arguments = (folder / "arguments").read_text()
    assert f"--default-toolchain {RUST}" in arguments and "--component rust-src" in arguments, arguments
    assert "--no-modify-path" in arguments
    assert result.returncode != 0 and "Missing:" not in result.said, result.said
    assert "Something cannot be downloaded" in result.said and "HTTPS_PROXY" in result.said, result.said
    assert "does not build" in result.said.splitlines()[-1], result.said
