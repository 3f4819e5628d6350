"""Functions in Rust on Dask with one and two workers against one process: `tests/bench/cluster.py`.

    JUPYTER_PATH=PREFIX/share/jupyter target/tests/cluster/bin/python tests/bench/cluster.py [--output FILE] [--rounds N]

The Python is that of `tests/run cluster`, which has Dask. The work is that of the notebooks in lessons/cluster/: images that are made, convolved
and averaged; a Monte Carlo over partitions; a step of k-means. It is in tasks, each of which makes its own data. `one process` calls them one
after another, with one thread and with all; Dask has workers of one thread each, which are there before the time begins. Each measurement is a
process of its own, and the median of rounds, of which the first is not counted. The results must be the same. Ratios are `one process, one
thread` over the others: above 1 the other is faster. The load of the machine is told, as figures of a busy machine say little.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Of each kind of work: how many tasks it has, and the function in Rust that each calls.
WORK = {
    "images": (
        24,
        "fn blurred(image: &DeviceArray<f32>, weights: &DeviceArray<f32>) -> DeviceArray<f32> { gpu::convolve2d(image, weights, Mode::Same) }",
    ),
    "Monte Carlo": (
        32,
        """
        fn uniform(i: u64) -> f64 {
            let mut z = i.wrapping_add(1).wrapping_mul(0x9e3779b97f4a7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
            ((z ^ (z >> 31)) >> 11) as f64 * 1.1102230246251565e-16
        }
        fn total(first: u64, count: u64, strike: f64) -> f64 {
            (first..first + count).map(|i| {
                let normal = (-2.0 * (1.0 - uniform(2 * i)).ln()).sqrt() * (2.0 * 3.141592653589793 * uniform(2 * i + 1)).cos();
                (100.0 * (0.2 * normal - 0.02).exp() - strike).max(0.0)
            }).sum()
        }
        """,
    ),
    "k-means": (
        32,
        """
        fn step(points: ArrayView2<f32>, centres: ArrayView2<f32>) -> (Array2<f64>, f64) {
            let (mut sums, mut total) = (Array2::<f64>::zeros(centres.raw_dim()), 0.0);
            for point in points.rows() {
                let squared = |centre: ArrayView1<f32>| point.iter().zip(centre).map(|(p, c)| (p - c) * (p - c)).sum::<f32>();
                let distances = centres.rows().into_iter().map(squared).enumerate();
                let Some((nearest, distance)) = distances.min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
                sums.row_mut(nearest).zip_mut_with(&point, |sum, p| *sum += f64::from(*p));
                total += f64::from(distance);
            }
            (sums, total)
        }
        """,
    ),
}
#: How the tasks are run: the name, the threads of Rust (0: all), and the workers of Dask.
WAYS = {
    "one process, one thread": (1, 0),
    "one process, all threads": (0, 0),
    "Dask, one worker": (1, 1),
    "Dask, two workers": (1, 2),
}


def task(function: Callable, work: str, number: int) -> float:
    """One task: a number that its result is told by."""
    import numpy

    if work == "Monte Carlo":
        count = 1_000_000
        return function(number * count, count, 105.0)
    random = numpy.random.default_rng(number)
    if work == "images":
        weights = numpy.float32(numpy.outer(numpy.hanning(15), numpy.arange(15)))
        return float(function(random.random((2048, 2048), "f4"), weights / weights.sum()).mean(dtype="f8"))
    centres = numpy.float32(numpy.random.default_rng(5).uniform(-10, 10, (5, 8)))
    points = random.standard_normal((500_000, 8), "f4") + centres[numpy.arange(500_000) % 5]
    return function(points, centres)[1]


def measure(work: str, way: str, rounds: int) -> dict:
    """The seconds of each round, and the sum of the results."""
    import warpcell

    count, source = WORK[work]
    function = warpcell.function(source)
    workers = WAYS[way][1]
    seconds, total = [], 0.0

    def timed(run: Callable[[], list[float]]) -> None:
        nonlocal total
        for _ in range(rounds + 1):
            begin = time.perf_counter()
            total = sum(run())
            seconds.append(time.perf_counter() - begin)

    if workers:
        import dask
        from dask.distributed import Client, LocalCluster

        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            # New names each time: results that are known already are not computed.
            timed(lambda: list(dask.compute(*[dask.delayed(task, pure=False)(function, work, number) for number in range(count)])))
    else:
        timed(lambda: [task(function, work, number) for number in range(count)])
    return {"seconds": seconds[1:], "total": total}


def measured(work: str, way: str, rounds: int, cache: str) -> dict:
    threads = WAYS[way][0]
    env = {name: value for name, value in os.environ.items() if name not in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS")}
    # The workers import this file.
    env |= {"PYTHONPATH": os.pathsep.join([str(ROOT / "kernel/python"), str(ROOT / "tests/bench")]), "WARPCELL_CACHE_DIR": cache, "WARPCELL_DEVICE": "cpu"}
    env |= {"OMP_NUM_THREADS": str(threads)} if threads else {}
    code = f"import json, cluster\nif __name__ == '__main__': print(json.dumps(cluster.measure({work!r}, {way!r}, {rounds})))"
    ended = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(ended.stderr)
    return json.loads(ended.stdout.splitlines()[-1])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--output", type=Path, help="write the figures as JSON")
    arguments.add_argument("--rounds", type=int, default=5)
    chosen = arguments.parse_args()
    found: dict[str, dict[str, float]] = {}
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print("| work | how | s | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as cache:
        for work in WORK:
            totals, times = [], found.setdefault(work, {})
            for way in WAYS:
                result = measured(work, way, chosen.rounds, cache)
                totals.append(result["total"])
                times[way] = statistics.median(result["seconds"])
                ratio = times["one process, one thread"] / times[way]
                print(f"| {work if way == 'one process, one thread' else ''} | {way} | {times[way]:.2f} | {ratio:.2f} |", flush=True)
            if max(totals) - min(totals) > 1e-6 * abs(totals[0]):
                raise SystemExit(f"{work}: the results differ: {totals}")
    print(f"load {os.getloadavg()[0]:.1f}")
    if chosen.output:
        chosen.output.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
