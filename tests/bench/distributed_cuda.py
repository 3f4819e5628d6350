"""Times calls of all ranks on the GPUs of a host against PyTorch's, in one run.

    python3 tests/bench/distributed_cuda.py [--program PATH] [--output FILE] [--only calls kmeans heat]

Ours is `prelude/examples/ranks.rs`, with ranks as threads of one process and as processes. PyTorch's `all_reduce` and
`batch_isend_irecv` work by NCCL, too, with one process a GPU. Both measure alike: `each` is the median time of a call that is waited for, `queued` the mean of calls that are
not. The ratio is PyTorch's time over ours; above 1 ours is faster. k-means and the heat equation run on one GPU and on all; the ratio
there is the time on one GPU over that on all. --program names the built example; beside this file in a package it is found.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

SIZES = [(4 << 10, 500), (4 << 20, 200), (1 << 30, 20)]
# What PyTorch does, too.
CALLS = ["all_reduce", "send_receive"]


def peer() -> None:
    """What a process of PyTorch does."""
    import torch
    import torch.distributed as dist

    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    for bytes_, count in SIZES:
        x, y = (torch.zeros(bytes_ // 4, device=device) for _ in range(2))

        def around(x=x, y=y) -> None:
            to, from_ = dist.P2POp(dist.isend, x, (rank + 1) % size), dist.P2POp(dist.irecv, y, (rank - 1) % size)
            for work in dist.batch_isend_irecv([to, from_]):
                work.wait()

        for name, call in zip(CALLS, [lambda x=x: dist.all_reduce(x), around], strict=True):
            for _ in range(3):
                call()
            torch.cuda.synchronize()
            dist.barrier()
            torch.cuda.synchronize()
            each = []
            for _ in range(count):
                start = time.perf_counter()
                call()
                torch.cuda.synchronize()
                each.append((time.perf_counter() - start) * 1e6)
            dist.barrier()
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(count):
                call()
            torch.cuda.synchronize()
            queued = (time.perf_counter() - start) * 1e6 / count
            if rank == 0:
                each_us = sorted(each)[count // 2]
                print(json.dumps({"name": name, "size": bytes_, "ranks": size, "each_us": each_us, "queued_us": queued, "what": "PyTorch"}), flush=True)
    dist.destroy_process_group()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def rows(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def processes(command: list[str], size: int) -> list[dict]:
    """What as many processes print as there are GPUs."""
    place = {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    started = [
        subprocess.Popen(command, env={**os.environ, **place, "RANK": str(rank), "LOCAL_RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
        for rank in range(size)
    ]
    found = []
    for process in started:
        text, _ = process.communicate(timeout=300)
        if process.returncode:
            sys.exit(f"{' '.join(command)} has failed with {process.returncode}")
        found += rows(text)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path(__file__).with_name("programs") / "ranks")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=["calls", "kmeans", "heat"])
    arguments = parser.parse_args()
    program = str(arguments.program)
    import torch

    size = torch.cuda.device_count()
    found = []
    if "calls" in arguments.only:
        # One after the other, and again: clocks change.
        for _ in range(2):
            found += [{**row, "by": "processes"} for row in processes([program, "calls"], size)]
            found += [{**row, "by": "PyTorch"} for row in processes([sys.executable, __file__, "peer"], size)]
        done = subprocess.run([program, "calls"], stdout=subprocess.PIPE, text=True, check=True)
        found += [{**row, "by": "threads"} for row in rows(done.stdout) if row["ranks"] == size]
    for name in arguments.only:
        if name != "calls":
            done = subprocess.run([program, name], stdout=subprocess.PIPE, text=True, check=True)
            found += [{**row, "by": "threads"} for row in rows(done.stdout)]
    for row in found:
        print(json.dumps(row), flush=True)
    best = {}
    for row in found:
        for what in ("each_us", "queued_us"):
            key = (row["name"], row["size"], row["ranks"], row["by"], what)
            best[key] = min(row[what], best.get(key, float("inf")))
    for (name, length, ranks, by, what), took in best.items():
        other = best.get((name, length, ranks, "PyTorch", what) if name in CALLS else (name, length, 1, by, what))
        if other is not None and other is not took:
            print(f"{name:12} {length:>12} on {ranks}, {by:10} {what:10} {took:12.1f} us, ratio {other / took:.3f}", flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    peer() if sys.argv[1:] == ["peer"] else main()
