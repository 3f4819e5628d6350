"""Three users of one JupyterHub: each has kernels, crates and troubles of their own."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import psutil
import pytest

from hub.conftest import in_parallel
from hub.hub import Notebook

NO_SPACE = "No space left on device"


def kernel_of(notebook: Notebook) -> psutil.Process:
    """The kernel process."""
    name = str(notebook.connection_file)
    found = [process for process in psutil.process_iter(["cmdline"]) if name in (process.info["cmdline"] or [])]
    assert len(found) == 1, found
    return found[0]


def everybody(notebooks: list[Notebook], job) -> list:
    return in_parallel([lambda notebook=notebook: job(notebook) for notebook in notebooks])


def test_three_users_at_once(notebooks, shared):
    for index, notebook in enumerate(notebooks):
        notebook.check(f"let mine = {index}u32;")
    everybody(notebooks, lambda notebook: notebook.check("let ones = gpu::ones::<f32>((100, 100)); ones.sum()"))
    for index, notebook in enumerate(notebooks):
        user = notebook.user
        assert notebook.check("mine").value == str(index)
        assert notebook.check("!id -un").stdout.strip() == user.name
        assert notebook.check('std::env::var("HOME").unwrap()').value == f'"{user.home}"'
        kernel = kernel_of(notebook)
        processes = [kernel, *kernel.children(recursive=True)]
        assert len(processes) >= 3 and {process.uids().real for process in processes} == {user.uid}
        assert kernel.exe() == str((shared.prefix / "bin/warpcell").resolve())


def test_each_user_has_crates_of_their_own(notebooks):
    """A crate of the same name in every home, each with another answer, built at the same time."""
    crates = []
    for index, notebook in enumerate(notebooks):
        user = notebook.user
        crate = user.home / "answering"
        (crate / "src").mkdir(parents=True)
        (crate / "Cargo.toml").write_text('[package]\nname = "answering"\nversion = "0.1.0"\nedition = "2024"\n')
        (crate / "src/lib.rs").write_text(f"pub fn answer() -> u32 {{ {index} }}\n")
        subprocess.run(["chown", "-R", f"{user.uid}:{user.gid}", crate], check=True)
        crates.append(crate)
    results = in_parallel([
        lambda notebook=notebook, crate=crate: notebook.check(f':dep answering = {{ path = "{crate}" }}\nanswering::answer()')
        for notebook, crate in zip(notebooks, crates, strict=True)
    ])
    assert [result.value for result in results] == ["0", "1", "2"]
    for notebook in notebooks:
        user = notebook.user
        built = list(user.cache.rglob("libanswering-*.rlib"))
        assert built, f"nothing was built in {user.cache}"
        assert {path.lstat().st_uid for path in [user.cache, *user.cache.rglob("*")]} == {user.uid}
        assert stat.S_IMODE(user.cache.stat().st_mode) == 0o700


def test_a_crash_is_felt_by_nobody_else(notebooks):
    one, two, three = notebooks
    everybody(notebooks, lambda notebook: notebook.check("let kept = vec![1, 2, 3];"))
    pipe = two.user.home / "pipe"
    assert two.user.run(["mkfifo", pipe]).returncode == 0
    running = two.begin(f'println!("begun"); std::fs::read_to_string("{pipe}").unwrap()')
    two.end(running, until=lambda message: "begun" in message.content.get("text", ""))
    crashed = one.run("unsafe { std::ptr::null_mut::<u8>().write_volatile(1) }")
    assert crashed.error["ename"] == "CellProcessDied" and "SIGSEGV" in crashed.error_text, crashed.summary()
    assert one.check("1 + 1").value == "2"
    kernel = kernel_of(one)
    taken_along = kernel.children(recursive=True)
    os.kill(kernel.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs([kernel, *taken_along], timeout=80)
    assert not alive
    assert three.check("kept.len()").value == "3"
    pipe.write_text("to its end")
    assert two.end(running).value == '"to its end"', "the cell that ran meanwhile"
    assert two.check("kept.len()").value == "3"
    another = Notebook(one.hub, one.user)
    assert another.check("2 + 2").value == "4"
    another.close()


@pytest.fixture
def small_disk(hub):
    """A disk of some megabytes, on which the third user's temporary files and cache are."""
    user = hub.users[2]
    (user.home / ".cache").mkdir(exist_ok=True)
    places = [user.temporary, user.home / ".cache"]
    owner = f"uid={user.uid},gid={user.gid},mode=700"
    mounted = []
    try:
        for place in places:
            made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=16m,{owner}", "tmpfs", place], capture_output=True)
            if made.returncode != 0:
                pytest.skip(f"nothing can be mounted here: {made.stderr.decode().strip()}")
            mounted.append(place)
        yield user
    finally:
        for place in mounted:
            subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_is_felt_by_nobody_else(hub, small_disk):
    notebooks = [Notebook(hub, user) for user in hub.users]
    *others, full = notebooks
    everybody(notebooks, lambda notebook: notebook.check("let kept = vec![1, 2, 3];"))
    fillers = [small_disk.temporary / "filler", small_disk.home / ".cache/filler"]
    for filler in fillers:
        filled = small_disk.run(["sh", "-c", f"cat /dev/zero > {filler}"])
        assert NO_SPACE in filled.stderr and shutil.disk_usage(filler).free == 0
    failed = full.run("let more = kept.iter().sum::<i32>(); more")
    assert not failed.ok and NO_SPACE in failed.error_text, failed.summary()
    for result in everybody(others, lambda notebook: notebook.check("let more = kept.iter().sum::<i32>(); more")):
        assert result.value == "6"
    for filler in fillers:
        filler.unlink()
    assert full.check("let more = kept.iter().sum::<i32>(); more").value == "6", "nothing was lost"
    for notebook in notebooks:
        notebook.close()


def written(folder: Path) -> dict[str, tuple]:
    """All that is in a folder, with what would tell that it was changed."""
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        found[str(path)] = (status.st_uid, status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def test_what_is_shared_is_only_read(notebooks, shared):
    folders = [folder.resolve() for folder in shared.read_only]
    before = {folder: written(folder) for folder in folders}
    everybody(notebooks, lambda notebook: notebook.check("let a = gpu::ones::<f64>((9, 9)); &a + &a"))
    for folder in folders:
        found = written(folder)
        assert found == before[folder]
        assert {uid for uid, *_ in found.values()} == {0}
        for path, (_, mode, *_) in found.items():
            assert stat.S_ISLNK(mode) or not mode & 0o022, f"{path} can be written by others: {mode:o}"
        for user in notebooks[0].hub.users:
            found = user.run(["find", folder, "-writable", "-not", "-type", "l"])
            assert found.returncode == 0 and not found.stdout, f"{user.name} can write: {found.stdout} {found.stderr}"
