"""What a kernel gives up while nobody uses it, and that nothing is missing afterwards."""

from __future__ import annotations

import time

import psutil
import pytest

from .session import Session
from .test_assistance import Running

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
    """The helpers, as soon as the assistant is among them. It comes with the first question, if it is not there."""
    assert session.completed("kept.is_em")
    deadline = time.monotonic() + 240
    while not any(map(is_assistant, found := helpers(session))):
        assert time.monotonic() < deadline, "no assistant was started"
        psutil.wait_procs(found, timeout=0.1)
    return found


def assert_given_up(session: Session) -> None:
    """The helpers are there after a question, and end while nobody asks."""
    _, alive = psutil.wait_procs(wait_for_helpers(session), timeout=240)
    assert not alive and not helpers(session)


def test_an_idle_kernel_gives_up_its_helpers_and_has_them_again(fresh_kernel, tmp_path):
    session = fresh_kernel(env={"WARPCELL_IDLE_SECONDS": str(IDLE_SECONDS)})
    session.check("let kept = vec![1, 2, 3];")
    # Ended and started again, whichever the user comes back with: a cell, or a completion while a cell runs.
    for again in range(2):
        assert_given_up(session)
        assert session.check(f"kept.len() + {again}").value == str(3 + again)
    assert_given_up(session)
    with Running(session, tmp_path):
        assert session.completed("kep") == ["kept"]
    assert session.completed("kept.is_em")


def test_helpers_that_only_questions_have_started_are_given_up(fresh_kernel):
    session = fresh_kernel(env={"WARPCELL_IDLE_SECONDS": str(IDLE_SECONDS)})
    session.check("let kept = vec![1, 2, 3];")
    # No cell runs in between: the evaluator has nothing to do after the first time.
    for _ in range(2):
        assert_given_up(session)


def test_a_question_that_takes_longer_than_the_rest(fresh_kernel):
    """The process that answers stands still while the kernel wants to end it."""
    session = fresh_kernel(env={"WARPCELL_IDLE_SECONDS": str(IDLE_SECONDS)})
    session.check("let kept = vec![1, 2, 3];")
    found = wait_for_helpers(session)
    assistants = list(filter(is_assistant, found))
    for process in assistants:
        process.suspend()
    question = session.client.complete("kept.is_em", len("kept.is_em"))
    # It rests after two seconds, and is idle after four more.
    psutil.wait_procs(assistants, timeout=IDLE_SECONDS + 4)
    for process in assistants:
        process.resume()
    assert session.ask(question)["matches"]
    _, alive = psutil.wait_procs(found, timeout=240)
    assert not alive


def test_a_kernel_that_rests_prepares_for_questions(fresh_kernel):
    # Kernels of other tests must not take all places.
    session = fresh_kernel(env={"WARPCELL_ASSISTANTS": "1000"})
    session.check("let kept = vec![1, 2, 3];")
    deadline = time.monotonic() + 240
    while not (found := [process.pid for process in session.processes() if is_assistant(process)]):
        assert time.monotonic() < deadline, "nobody has asked yet"
        psutil.wait_procs(helpers(session), timeout=0.1)
    assert session.completed("kept.is_em")
    assert set(found) & {process.pid for process in session.processes()}, "it answers, and is not started again"


@pytest.mark.parametrize("setting", ["0", "never"])
def test_a_kernel_that_never_gives_up_its_helpers(fresh_kernel, setting):
    session = fresh_kernel(env={"WARPCELL_IDLE_SECONDS": setting})
    session.check("let kept = vec![1, 2, 3];")
    # What it starts itself may come to an end.
    assistant = min(filter(is_assistant, wait_for_helpers(session)), key=psutil.Process.create_time)
    ended, _ = psutil.wait_procs([assistant], timeout=2 * IDLE_SECONDS)
    assert not ended
