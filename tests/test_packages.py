"""What install.sh and tests/run do about missing packages (assets/packages.sh), with tools that only note how they are called."""

import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ". assets/packages.sh; channel=1.95.0; "
TOOLS = ("bash", "cat", "env", "grep", "sed", "sh", "tail")


class Machine:
    """A PATH with a few tools, and stand-ins that note their calls."""

    def __init__(self, folder: Path):
        self.folder, self.log = folder / "programs", folder / "calls"
        self.folder.mkdir()
        self.log.touch()
        for tool in TOOLS:
            (self.folder / tool).symlink_to(shutil.which(tool))
        self.user(0)

    def program(self, name: str, script: str) -> None:
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def user(self, number: int) -> None:
        self.program("id", f"echo {number}")

    def apt(self, candidates: dict[str, str] = {}, status: int = 0) -> None:
        """apt-get, and what apt-cache knows of."""
        self.program("apt-get", f'echo "apt-get $*" >>{self.log}\n[ "$1" = update ] || {{ echo "E: no network"; exit {status}; }}')
        known = "".join(f'{name}) echo "  Candidate: {version}";; ' for name, version in candidates.items())
        self.program("apt-cache", f'case $2 in {known}*) echo "  Candidate: (none)";; esac')

    def sudo(self) -> None:
        self.program("sudo", f'echo "sudo $*" >>{self.log}\n[ "$1" != -n ] || shift\nexec "$@"')

    @property
    def calls(self) -> list[str]:
        """The calls, but for those that read lists."""
        return [line for line in self.log.read_text().splitlines() if "update" not in line]

    @property
    def installed(self) -> list[list[str]]:
        """What each call of a manager was to install."""
        found = [line.split() for line in self.calls if line.startswith(("apt-get", "dnf"))]
        return [[word for word in words[2:] if not word.startswith("-") and "=" not in word] for words in found]

    def run(self, code: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-c", SCRIPT + code], cwd=ROOT, env={"PATH": str(self.folder)}, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240,
        )  # fmt: skip

    def on_a_terminal(self, code: str, answer: str) -> tuple[str, int]:
        child = pexpect.spawn("bash", ["-c", SCRIPT + code], cwd=str(ROOT), env={"PATH": str(self.folder)}, encoding="utf-8", timeout=240)
        said = ""
        while child.expect([r"\? \[Y/n\] ", pexpect.EOF]) == 0:
            said += child.before + child.after
            child.sendline(answer)
        said += child.before
        child.close()
        return said, child.exitstatus


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


SOURCES = {"rust-web-src": "1.96.0+dfsg1-1~deb12u2", "rust-src": "1.63.0+dfsg1-2"}


def test_root_without_a_terminal_is_not_asked(machine):
    machine.apt(SOURCES)
    done = machine.run("install_packages sources venv")
    assert done.returncode == 0 and "Installing with apt-get: rust-web-src python3-venv" in done.stdout, done.stdout
    assert machine.installed == [["rust-web-src", "python3-venv"]]


def test_others_without_a_terminal_install_nothing(machine):
    machine.apt(SOURCES)
    machine.sudo()
    machine.user(1000)
    done = machine.run("install_packages sources")
    assert done.returncode != 0 and done.stdout == "" and machine.calls == []


def test_others_use_sudo_if_they_said_yes(machine):
    machine.apt(SOURCES)
    machine.sudo()
    machine.user(1000)
    assert machine.run("yes=yes; install_packages sources").returncode == 0
    assert machine.calls[0].startswith("sudo -n env") and machine.installed == [["rust-web-src"]]


def test_without_sudo_nothing_is_tried(machine):
    machine.apt(SOURCES)
    machine.user(1000)
    assert machine.run("yes=yes; install_packages sources").returncode != 0
    assert machine.calls == []


@pytest.mark.parametrize("user", [0, 1000])
def test_a_terminal_is_asked_once(machine, user):
    machine.apt(SOURCES)
    machine.sudo()
    machine.user(user)
    said, status = machine.on_a_terminal("install_packages sources cc && install_packages venv", "y")
    assert status == 0 and said.count("[Y/n]") == 1, said
    assert "the standard library's sources" in said and "a C compiler" in said, said
    assert machine.installed == [["rust-web-src", "build-essential"], ["python3-venv"]]


def test_no_is_no(machine):
    machine.apt(SOURCES)
    said, status = machine.on_a_terminal("install_packages sources; install_packages venv", "n")
    assert status != 0 and said.count("[Y/n]") == 1 and machine.calls == [], said


def test_yes_answers_on_a_terminal_too(machine):
    machine.apt(SOURCES)
    said, status = machine.on_a_terminal("yes=yes; install_packages sources", "n")
    assert status == 0 and "[Y/n]" not in said and machine.installed == [["rust-web-src"]], said


def test_a_package_that_is_not_to_be_had_is_named(machine):
    machine.apt({}, status=0)
    done = machine.run("install_packages sources venv")
    assert "apt-get has no package with the standard library's sources" in done.stdout, done.stdout
    assert machine.installed == [["python3-venv"]], "the others are installed"


def test_why_an_installation_failed_is_said(machine):
    machine.apt(SOURCES, status=100)
    done = machine.run("install_packages sources")
    assert done.returncode != 0 and "E: no network" in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        (SOURCES, "rust-web-src"),
        ({"rust-src": "1.93.1+dfsg1-2"}, "rust-src"),
        ({"rust-src": "1.63.0+dfsg1-2"}, ""),
        ({"rust-web-src": "1.120.0"}, ""),
        ({}, ""),
    ],
)
def test_sources_of_a_release_that_is_not_far_away(machine, candidates, expected):
    machine.apt(candidates)
    assert machine.run("sources_package").stdout.strip() == expected


def test_dnf(machine):
    machine.program("dnf", f'echo "dnf $*" >>{machine.log}')
    assert machine.run("install_packages cc python node").returncode == 0
    assert machine.installed == [["gcc", "python3", "nodejs-npm"]]
    assert machine.run("package_command sources").stdout == "dnf install -y rust-src\n"


def test_a_machine_without_a_manager(machine):
    done = machine.run("install_packages cc; package_command cc")
    assert done.stdout == "" and machine.calls == []


@pytest.mark.parametrize("thing", ["cc", "python", "venv", "git", "chromium", "node", "mpirun", "sources"])
def test_each_thing_has_a_name_and_a_command(machine, thing):
    machine.apt(SOURCES)
    machine.user(1000)
    done = machine.run(f"name_of {thing}; package_command {thing}")
    name, command = done.stdout.splitlines()
    assert name and command.startswith("sudo apt-get install -y "), done.stdout


def test_a_python_that_is_too_old_is_passed_over(machine):
    machine.program("python3", "exit 1")
    machine.program("python3.12", "exit 0")
    found = machine.run("find_python 9").stdout.strip()
    assert Path(found).name in ("python3", "python3.12") and found != str(machine.folder / "python3"), found
