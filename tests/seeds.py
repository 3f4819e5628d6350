"""What random tests have in common: seeds, and several kernels that take a share of them side by side."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def parser(doc: str, count: int) -> argparse.ArgumentParser:
    """The options that all of them have."""
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    made.add_argument("--count", type=int, default=count)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--kernels", type=int, default=2)
    return made


def side_by_side(count: int, seed: int, kernels: int, work: Callable[[list[int]], Found]) -> list[Found]:
    """Calls `work` with its share of `count` seeds, once for each kernel, in a thread each. Gives the results; raises what one of them
    raises."""
    seeds = list(range(seed, seed + count))
    share = -(-count // min(kernels, count))
    results: list[Found] = []
    raised: list[BaseException] = []

    def run(part: list[int]) -> None:
        try:
            results.append(work(part))
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(seeds[at : at + share],)) for at in range(0, count, share)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
    return results
