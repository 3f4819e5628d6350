"""The kernel as processes: how it starts, what it leaves behind, and what it says when something is missing."""

import json
import os
import shutil
import signal
import subprocess

import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager

from e2e.session import KERNEL, plain


def listing(folder) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_kernel_info(kernel):
    info = kernel.ask(kernel.client.kernel_info())
    assert info["status"] == "ok" and info["implementation"] == "warpcell"
    language = info["language_info"]
    assert (language["name"], language["file_extension"]) == ("rust", ".rs")
    assert language["mimetype"] == "text/x-rustsrc" and language["pygments_lexer"] == "rust"
    assert info["protocol_version"].startswith("5.")


def test_the_banner_names_the_device(kernel):
    kernel.check("1")  # by then the kernel knows it
    banner = kernel.ask(kernel.client.kernel_info())["banner"]
    assert "Warpcell" in banner and ("CPU" in banner or "NVIDIA" in banner), banner


def test_the_kernelspec():
    spec = KernelSpecManager().get_kernel_spec(KERNEL)
    assert spec.display_name == "Rust GPU" and spec.language == "rust" and spec.interrupt_mode == "message"
    assert os.access(spec.argv[0], os.X_OK)


def test_shutdown_leaves_no_process_and_no_file(fresh_kernel):
    session = fresh_kernel()
    session.check("let a = gpu::ones::<f32>((8, 8)); a.sum()")
    processes = session.processes()
    assert len(processes) >= 3, "kernel, supervisor and cell process"
    session.manager.shutdown_kernel(now=False)
    _, alive = psutil.wait_procs(processes, timeout=80)
    assert not alive, f"still alive: {alive}"
    assert listing(session.temporary) == []


def test_shutdown_ends_a_running_cell(fresh_kernel):
    session = fresh_kernel()
    request = session.send('println!("running"); loop { std::hint::spin_loop() }')
    processes = []

    class Running(Exception):
        pass

    def stop(message):
        if message.kind == "stream":
            processes.extend(session.processes())
            raise Running

    with pytest.raises(Running):
        session.collect(request, on_message=stop)
    session.manager.shutdown_kernel(now=False)
    _, alive = psutil.wait_procs(processes, timeout=80)
    assert not alive, f"still alive: {alive}"
    assert listing(session.temporary) == []


def test_a_killed_kernel_takes_its_children_along(fresh_kernel):
    session = fresh_kernel()
    session.check("1 + 1")
    processes = session.processes()
    os.kill(session.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(processes, timeout=80)
    assert not alive, f"still alive: {alive}"


def test_restart(fresh_kernel):
    session = fresh_kernel()
    session.check("let gone = 1;")
    session.manager.restart_kernel(now=False)
    session.client.wait_for_ready(timeout=480)
    assert not session.run("gone").ok
    result = session.check("let back = 2; back")
    assert result.value == "2"


def test_the_users_environment_reaches_the_cells(fresh_kernel):
    session = fresh_kernel(env={"RUSTFLAGS": "--cfg mine", "CARGO_TARGET_DIR": "/nonexistent/target", "MINE": "yes"})
    assert session.check('std::env::var("MINE").unwrap()').value == '"yes"'
    assert session.check('std::env::var("RUSTFLAGS").unwrap()').value == '"--cfg mine"'
    path = session.check('std::env::var("PATH").unwrap()').value
    assert path == f'"{os.environ["PATH"]}"'


def test_a_session_in_a_folder_with_spaces(fresh_kernel, tmp_path):
    folder = tmp_path / "a folder with spaces"
    folder.mkdir()
    session = fresh_kernel(cwd=folder)
    assert session.check("std::env::current_dir().unwrap().display().to_string()").value == f'"{folder}"'


def test_two_kernels_at_once(fresh_kernel):
    one, two = fresh_kernel(), fresh_kernel()
    one.check("let x = 1;")
    two.check("let x = 2;")
    assert (one.check("x").value, two.check("x").value) == ("1", "2")


@pytest.fixture
def broken_copy(prefix, tmp_path):
    """A copy of the installation whose recorded toolchain does not exist."""
    copy = tmp_path / "copy"
    for part in ("bin/warpcell", "lib/warpcell", "share/jupyter/kernels/warpcell"):
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        if (prefix / part).is_dir():
            shutil.copytree(prefix / part, copy / part, symlinks=True)
        else:
            shutil.copy(prefix / part, copy / part)
    record = copy / "lib/warpcell/installation.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "toolchain": "/nonexistent/toolchain"}))
    spec = copy / "share/jupyter/kernels/warpcell/kernel.json"
    spec.write_text(spec.read_text().replace(str(prefix), str(copy)))
    return copy


def test_doctor_says_that_the_compiler_is_gone(broken_copy):
    doctor = subprocess.run([broken_copy / "bin/warpcell", "doctor"], capture_output=True, text=True, timeout=240)
    text = plain(doctor.stdout + doctor.stderr)
    assert doctor.returncode != 0 and "/nonexistent/toolchain" in text and "install.sh" in text, text


def test_no_compiler_at_run_time_is_said_in_the_cell(broken_copy, monkeypatch, fresh_kernel):
    monkeypatch.setenv("JUPYTER_PATH", str(broken_copy / "share/jupyter"))
    session = fresh_kernel()
    for _ in range(2):
        result = session.run("1 + 1")
        assert not result.ok and "/nonexistent/toolchain" in result.error_text, result.summary()
        assert "install.sh" in result.error_text, "it says what to do"
    assert session.check("%lsmagic").ok, "what needs no compiler works"


def test_doctor_finds_everything_here(prefix):
    doctor = subprocess.run([prefix / "bin/warpcell", "doctor"], capture_output=True, text=True, timeout=480)
    text = plain(doctor.stdout + doctor.stderr)
    assert doctor.returncode == 0, text
    for word in ("rustc", "prelude", "GPU", "kernelspec"):
        assert word.lower() in text.lower(), f"nothing about {word} in:\n{text}"


def test_a_missing_gpu_is_a_reason_not_a_crash(fresh_kernel):
    session = fresh_kernel(env={"WARPCELL_DEVICE": "cuda:7"})
    assert session.check("1 + 1").value == "2"
    result = session.run("gpu::zeros::<f32>([2])")
    assert not result.ok and "cuda:7" in result.error_text
    assert session.check("1 + 1").value == "2"


def test_a_wrong_device_name_is_said_clearly(fresh_kernel):
    session = fresh_kernel(env={"WARPCELL_DEVICE": "toaster"})
    result = session.run("gpu::zeros::<f32>([2])")
    assert not result.ok and "toaster" in result.error_text and "cpu" in result.error_text


# It waits for cargo's lock while the unit tests are built beside it.
@pytest.mark.timeout(1500)
def test_install_and_uninstall(prefix, tmp_path):
    target = tmp_path / "a new prefix"
    root = os.environ["WARPCELL_TEST_ROOT"]
    script = os.path.join(root, "install.sh")
    subprocess.run([script, "--prefix", target], check=True, timeout=1200, stdout=subprocess.DEVNULL)
    spec = target / "share/jupyter/kernels/warpcell/kernel.json"
    assert spec.is_file() and (target / "bin/warpcell").is_file()
    # It may have to wait for another stage's install.sh; tests/run looks at how quick it is.
    again = subprocess.run([script, "--prefix", target], check=True, timeout=1200, capture_output=True, text=True)
    assert "up to date" in again.stdout
    subprocess.run([script, "--uninstall", "--prefix", target], check=True, timeout=240, stdout=subprocess.DEVNULL)
    left = [path for path in target.rglob("*") if path.is_file()]
    assert not left, f"left behind: {left}"


def test_settings_of_the_users_toolchain_do_not_reach_the_cells(fresh_kernel, tmp_path):
    home, notebooks, programs = (tmp_path / name for name in ("home", "notebooks", "programs"))
    for folder in (home / ".cargo", home / ".config" / "evcxr", notebooks, programs):
        folder.mkdir(parents=True)
    (home / ".cargo" / "config.toml").write_text('[build]\nrustflags = ["-Cno-such-flag"]\ntarget-dir = "/nonexistent"\n')
    # evcxr would take the first of these settings, and run the second with its own start.
    (notebooks / "evcxr.toml").write_text('[evcxr]\ntmpdir = "/nonexistent"\n')
    (home / ".config" / "evcxr" / "init.evcxr").write_text(":dep no-such-crate-at-all\n")
    (home / ".config" / "evcxr" / "prelude.rs").write_text("this is not Rust\n")
    for program in ("mold", "lld", "cargo", "rustc", "rustup", "sccache"):
        (programs / program).write_text(f"#!/bin/sh\necho {program} must not run >&2\nexit 1\n")
        (programs / program).chmod(0o755)
    crate = tmp_path / "mine"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text('[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2024"\n')
    (crate / "src" / "lib.rs").write_text("pub fn seven() -> u8 { 7 }\n")
    env = {
        "HOME": str(home),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "RUSTUP_TOOLCHAIN": "no-such-toolchain",
        "RUSTFLAGS": "-Cno-such-flag",
        "WARPCELL_CACHE_DIR": str(tmp_path / "cache"),
        **dict.fromkeys(("RUSTC", "CARGO", "RUSTC_WRAPPER", "CARGO_BUILD_RUSTC"), "/bin/false"),
    }
    session = fresh_kernel(env=env, cwd=notebooks)
    assert session.check("let seen = vec![1, 2]; seen.len()").value == "2"
    session.check(f':dep mine = {{ path = "{crate}" }}')
    assert session.check("mine::seven()").value == "7"
    assert session.check('std::env::var("RUSTC").unwrap()').value == '"/bin/false"'
    assert session.check("!command -v mold").stdout.strip() == str(programs / "mold")
    assert session.check("seen").value == "[1, 2]"
