"""What a kernel gives up while nobody uses it, and that nothing is missing afterwards."""

from __future__ import annotations

import time

import psutil
import pytest

from .session import Session
from .test_assistance import Running, completed

# Longer than a kernel rests before it starts the assistant.
IDLE_SECONDS = 4


def is_assistant(process: psutil.Process) -> bool:
    try:
        return process.environ().get("WARPCELL_ASSISTANT") == "1"
    except psutil.Error:
        return False


def is_compiler(process: psutil.Process) -> bool:
    try:
        return "rustc" in process.name()
    except psutil.Error:
        return False


def helpers(session: Session) -> list[psutil.Process]:
    """The processes that a kernel can do without: the assistant, with its runtime, and the compiler for the next cell."""
    return [each for each in session.processes() if is_assistant(each) or is_compiler(each)]


def wait_for_helpers(session: Session) -> list[psutil.Process]:
    """The helpers, as soon as the assistant is among them. It comes when somebody has asked for completions."""
    assert session.complete("kept.is_em")["matches"]
    deadline = time.monotonic() + 60
    while not any(map(is_assistant, found := helpers(session))):
        assert time.monotonic() < deadline, "no assistant was started"
        psutil.wait_procs(found, timeout=0.1)
    return found


def test_an_idle_kernel_gives_up_its_helpers_and_has_them_again(fresh_kernel, tmp_path):
    session = fresh_kernel(env={"WARPCELL_IDLE_SECONDS": str(IDLE_SECONDS)})
    session.check("let kept = vec![1, 2, 3];")
    # Ended and started again, whichever the user comes back with: a cell, or a completion while a cell runs.
    for again in range(2):
        found = wait_for_helpers(session)
        _, alive = psutil.wait_procs(found, timeout=60)
        assert not alive and not helpers(session)
        assert session.check(f"kept.len() + {again}").value == str(3 + again)
    psutil.wait_procs(wait_for_helpers(session), timeout=60)
    with Running(session, tmp_path):
        assert completed(session, "kep") == ["kept"]
    assert session.complete("kept.is_em")["matches"]


def test_a_kernel_that_nobody_asks_has_no_assistant(fresh_kernel, tmp_path):
    # What the user's cache has needs no compiler.
    environment = {"WARPCELL_IDLE_SECONDS": str(IDLE_SECONDS), "WARPCELL_CACHE_DIR": str(tmp_path / "cache")}
    session = fresh_kernel(env=environment)
    session.check("let kept = vec![1, 2, 3];")
    compilers = [each for each in session.processes() if is_compiler(each)]
    assert compilers, "one waits for the next cell"
    # It has rested when it gives the compiler up.
    while compilers:
        _, compilers = psutil.wait_procs(compilers, timeout=0.1)
        assert not any(map(is_assistant, session.processes()))
    assert session.check("kept.len()").value == "3"


@pytest.mark.parametrize("setting", ["0", "never"])
def test_a_kernel_that_never_gives_up_its_helpers(fresh_kernel, setting):
    session = fresh_kernel(env={"WARPCELL_IDLE_SECONDS": setting})
    session.check("let kept = vec![1, 2, 3];")
    # What it starts itself may come to an end.
    assistant = min(filter(is_assistant, wait_for_helpers(session)), key=psutil.Process.create_time)
    ended, _ = psutil.wait_procs([assistant], timeout=2 * IDLE_SECONDS)
    assert not ended
