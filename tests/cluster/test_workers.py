"""What must hold of functions in workers: they are loaded once, they use a worker's threads, and what goes wrong is an exception in time."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import warpcell

from cluster import in_workers

#: Seconds after which what should fail counts as hanging.
PATIENCE = 240
SCALE = "fn scale(a: &DeviceArray<f64>, by: f64) -> DeviceArray<f64> { a * by }"
DIES = "fn dies(status: i32) { std::process::exit(status) }"
#: A crash, which no handler of Rust's sees.
CRASHES = "fn crashes(address: usize) -> u8 { unsafe { *(address as *const u8) } }"


@pytest.fixture
def client(environment):
    """Two workers of Dask with one thread each."""
    import dask
    from dask.distributed import Client, LocalCluster

    # On a busy machine a worker takes long to come again.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "300 s"})
    with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="500MiB", dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def scale(environment):
    """A function that no other test has compiled, or loaded into this process."""
    return warpcell.function(f"// {environment['WARPCELL_CACHE_DIR']}\n{SCALE}")


def libraries(environment: dict[str, str]) -> list[Path]:
    return sorted(Path(environment["WARPCELL_CACHE_DIR"]).glob("crates/*/functions/*.so"))


def test_dask_loads_a_function_once_in_each_worker(client, scale, environment):
    import dask.array as da

    assert len(client.run(in_workers.listen)) == 2
    (library,) = libraries(environment)
    written = library.stat().st_ino
    x = da.ones((64, 1000), chunks=(1, 1000))
    # The workers begin with tasks at the same time.
    for by in (2.0, 3.0):
        assert x.map_blocks(scale, by).sum().compute() == by * 64_000
    for _, asked, loaded in client.run(in_workers.loaded).values():
        assert (asked, loaded) == (1, 1)
    assert libraries(environment) == [library] and library.stat().st_ino == written
    assert set(client.run(in_workers.threads_of_rust).values()) == {"1"}, "Dask says so by OMP_NUM_THREADS"


def test_arrays_in_messages_of_dask(client):
    scale = warpcell.function(SCALE)
    slices = warpcell.function("fn total(a: &[f32], b: ArrayView1<u8>) -> f64 { f64::from(a.iter().sum::<f32>()) + f64::from(b.sum()) }")
    writes = warpcell.function("fn add_one(a: &mut DeviceArray<f64>) { *a += 1.0; }")

    def misaligned(length):
        # As they may lie in a message.
        return np.frombuffer(bytearray(8 * length + 1), "f8", length, 1)

    for length in (1, 7, 1001):
        a = np.arange(length, dtype="f8")
        assert (client.submit(scale, a, 2.0).result(PATIENCE) == 2 * a).all()
        assert client.submit(slices, np.ones(length, "f4"), np.ones(2, "u1")).result(PATIENCE) == length + 2
        assert not misaligned(length).flags.aligned
        assert (scale(misaligned(length), 2.0) == 0).all() and (scale(misaligned(length)[::-2], 2.0) == 0).all()
        with pytest.raises(ValueError, match=r"add_one: a .*; give a copy: a.copy\(\)"):
            writes(misaligned(length))


def test_a_worker_of_dask_that_dies_is_an_exception(client):
    from dask.distributed import KilledWorker

    with pytest.raises(warpcell.RustError, match="divide by zero"):
        client.submit(warpcell.function("fn divided(x: i32, y: i32) -> i32 { x / y }"), 1, 0).result(PATIENCE)
    client.cluster.scheduler.allowed_failures = 0
    for source, argument in ((DIES, 3), (CRASHES, 8)):
        with pytest.raises(KilledWorker):
            client.submit(warpcell.function(source), argument).result(PATIENCE)
    client.wait_for_workers(2, timeout=PATIENCE)
    assert client.submit(warpcell.function(SCALE), np.ones(2), 3.0).result(PATIENCE).tolist() == [3.0, 3.0]


def test_dask_names_functions_by_what_they_are(environment):
    from dask.base import tokenize

    scale, other = warpcell.function(SCALE), warpcell.function(SCALE.replace("a * by", "a + by"))
    assert tokenize(scale) == tokenize(warpcell.function(SCALE)) != tokenize(other)


def test_ray(scale, environment):
    import ray

    ray.init(num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:

        @ray.remote(max_retries=0)
        def called(function, *arguments):
            in_workers.listen()
            return function(*arguments), in_workers.loaded(), in_workers.threads_of_rust()

        array = ray.put(np.ones(1000))
        answers = ray.get([called.remote(scale, array, float(number)) for number in range(40)], timeout=PATIENCE)
        assert [answer[0].sum() for answer in answers] == [1000.0 * number for number in range(40)]
        assert {answer[1][1:] for answer in answers} == {(1, 1)} and len(libraries(environment)) == 1
        assert {answer[2] for answer in answers} == {"1"}
        for source, argument in ((DIES, 3), (CRASHES, 8)):
            with pytest.raises(ray.exceptions.WorkerCrashedError):
                ray.get(called.remote(warpcell.function(source), argument), timeout=PATIENCE)
        with pytest.raises(warpcell.RustError, match="divide by zero"):
            ray.get(called.remote(warpcell.function("fn divided(x: i32, y: i32) -> i32 { x / y }"), 1, 0), timeout=PATIENCE)
        # A batch of Arrow's memory is read-only.
        rows = ray.data.range(10_000, override_num_blocks=4).map_batches(lambda batch: {"y": scale(batch["id"].astype("f8"), 2.0)}, batch_size=1000)
        assert rows.sum("y") == 10_000 * 9_999
    finally:
        ray.shutdown()


def test_joblib(environment):
    import joblib
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    scale = warpcell.function(SCALE)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        results = joblib.Parallel()(joblib.delayed(scale)(np.ones(3), float(number)) for number in range(20))
        assert [result.tolist() for result in results] == [[number] * 3 for number in range(20)]
        begun = time.monotonic()
        with pytest.raises(TerminatedWorkerError):
            joblib.Parallel()(joblib.delayed(warpcell.function(CRASHES))(8) for _ in range(2))
        assert time.monotonic() - begun < PATIENCE


def test_processes_of_dask(environment):
    import dask

    scale = warpcell.function(SCALE)
    tasks = [dask.delayed(scale)(np.ones(3), float(number)) for number in range(8)]
    results = dask.compute(*tasks, scheduler="processes", num_workers=2)
    assert [result.tolist() for result in results] == [[number] * 3 for number in range(8)]


def test_a_pool_of_forks_is_an_error(environment):
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    scale = warpcell.function(SCALE)
    assert scale(np.ones(1), 2.0) == 2.0
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        with pytest.raises(RuntimeError, match=r'forked .*multiprocessing.get_context\("spawn"\)'):
            pool.submit(scale, np.ones(1), 2.0).result(PATIENCE)
    for method in ("spawn", "forkserver"):
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            assert pool.submit(scale, np.ones(1), 2.0).result(PATIENCE) == 2.0
            with pytest.raises(BrokenProcessPool):
                pool.submit(warpcell.function(DIES), 3).result(PATIENCE)


def test_threads_that_were_asked_for_are_used(environment):
    code = f"import warpcell; from cluster import in_workers; warpcell.function({SCALE!r}); print(in_workers.threads_of_rust())"
    for more, expected in (
        ({"OMP_NUM_THREADS": "3"}, "3"),
        ({"OMP_NUM_THREADS": "3,2"}, "3"),
        ({"OMP_NUM_THREADS": "3", "RAYON_NUM_THREADS": "2"}, "2"),
        # As below a process that has set it.
        ({"OMP_NUM_THREADS": "3", "RAYON_NUM_THREADS": "2", "WARPCELL_NUM_THREADS": "2"}, "3"),
        ({"OMP_NUM_THREADS": "many"}, ""),
    ):
        done = subprocess.run([sys.executable, "-c", code], env={**environment, **more}, capture_output=True, text=True, timeout=PATIENCE)
        assert done.stdout.strip() == expected, done.stderr
