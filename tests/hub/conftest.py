"""Fixtures of the tests of JupyterHub: one hub with three users, whose servers run."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator

import pytest

from hub import shared as installation
from hub.hub import Hub, Notebook, User, make_user, remove_user
from hub.shared import Shared

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="makes users of the system: run it as root")


@pytest.fixture(scope="session")
def shared() -> Iterator[Shared]:
    if os.geteuid() != 0:
        pytest.skip("makes users of the system: run it as root")
    made = installation.make()
    yield made
    shutil.rmtree(made.base)


@pytest.fixture(scope="session")
def users(shared) -> Iterator[list[User]]:
    """Three users; the last one has a folder for temporary files of its own."""
    made = []
    try:
        for index, letter in enumerate("abc"):
            made.append(make_user(f"warpcell-{os.getpid()}-{letter}", shared, private_temporary=index == 2))
        yield made
    finally:
        for user in made:
            remove_user(user)


@pytest.fixture(scope="session")
def hub(shared, users) -> Iterator[Hub]:
    running = Hub(shared, users)
    running.start()
    try:
        in_parallel([lambda user=user: running.start_server(user) for user in users])
        yield running
    finally:
        running.stop()


@pytest.fixture
def notebooks(hub) -> Iterator[list[Notebook]]:
    """A kernel for each user."""
    opened = in_parallel([lambda user=user: Notebook(hub, user) for user in hub.users])
    yield opened
    for notebook in opened:
        notebook.close()


def in_parallel(jobs: list) -> list:
    """Does all jobs at the same time, and gives their results in order."""
    results: list = [None] * len(jobs)
    errors: list[BaseException] = []

    def work(index: int) -> None:
        try:
            results[index] = jobs[index]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
