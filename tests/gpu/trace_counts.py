"""What traces count against what NVIDIA's profiler counts, for ten kernels: `tests/gpu/trace_counts.py PROGRAM`.

PROGRAM is the prelude's program `integration`. Its tests `tracing::profiler` trace ten kernels on the CPU, print what was counted, and
launch each kernel twice on the GPU: without checked indices, and with them. Nsight Compute (`ncu`) counts there. The table has both
counts of each launch, and the difference.

Fails if `ncu` is absent, if it may not read the counters, or if a count differs that machine code cannot change. EXPLAINED has the other
counts, with reasons.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What a trace counts, where it stands in the line of a test, and the metrics of ncu: the first one that this ncu has is taken.
# Those with `sass` are counted per instruction. The others are counters of the hardware.
COUNTS = [
    ("global loads, requests", "loads", 0, ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]),
    ("global loads, sectors", "loads", 1, ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]),
    ("global stores, requests", "stores", 0, ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]),
    ("global stores, sectors", "stores", 1, ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]),
    ("global atomics, requests", "atomics", 0, ["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"]),
    ("global atomics, sectors", "atomics", 1, ["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"]),
    ("shared loads, requests", "shared_loads", 0, ["smsp__sass_inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_ld.sum"]),
    ("shared loads, passes", "shared_loads", 1, ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]),
    ("shared loads, conflicts", "conflicts", 0, ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"]),
    ("shared stores, requests", "shared_stores", 0, ["smsp__sass_inst_executed_op_shared_st.sum", "smsp__inst_executed_op_shared_st.sum"]),
    ("shared stores, passes", "shared_stores", 1, ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]),
    ("shared stores, conflicts", "conflicts", 1, ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]),
]
# Floating-point operations: how often threads execute an instruction, and as how many operations it counts.
FLOATING = {
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": 1,
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": 1,
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 2,
}
# Shown, and compared with nothing.
SHOWN = [
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "smsp__sass_inst_executed_op_shared_atom.sum",
]
# Counts that the machine code changes: the kernel, the beginning of the count's name, and why.
EXPLAINED: list[tuple[str, str, str]] = [
    ("counted_product", "shared loads", "the compiler reads four neighbours of a row of `left` by one instruction, in two passes"),
    ("counted_sum_interleaved", "shared loads", "in the first step the compiler reads both neighbours by one instruction; with checked indices it does not"),
]
NAMES = "counted_"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the program `integration`")
    parser.add_argument("--ncu", help="Nsight Compute (default: the one in PATH, or in the folder of CUDA)")
    parser.add_argument("--output", type=Path, help="also writes all numbers to this file, as JSON")
    parser.add_argument("--csv", type=Path, help="reads this file of an earlier run of ncu, and does not run it")
    arguments = parser.parse_args()
    traced = counted_by_traces(arguments.program)
    print(f"traces: {len(traced)} kernels")
    if arguments.csv:
        profiled = read(arguments.csv)
    else:
        ncu = arguments.ncu or found()
        if ncu is None:
            print("trace_counts: there is no ncu here (not in PATH, not in /usr/local/cuda*, not in /opt/nvidia): nothing was compared")
            show_traces(traced)
            return 1
        profiled = counted_by_ncu(ncu, arguments.program, arguments.output)
        if profiled is None:
            show_traces(traced)
            return 1
    if arguments.output:
        arguments.output.write_text(json.dumps({"traced": traced, "profiled": profiled}, indent=1))
    return compare(traced, profiled)


def found() -> str | None:
    """Where ncu is."""
    places = [shutil.which("ncu")]
    for folder, pattern in [("/usr/local", "cuda*/bin/ncu"), ("/opt/nvidia", "nsight-compute/*/ncu"), ("/usr/local", "NVIDIA-Nsight-Compute*/ncu")]:
        places += [str(path) for path in sorted(Path(folder).glob(pattern), reverse=True)]
    return next((place for place in places if place), None)


def program_command(program: Path) -> list[str]:
    return [str(program), "tracing::profiler::", "--test-threads", "1", "--nocapture"]


def counted_by_traces(program: Path) -> dict[str, dict[str, list[int]]]:
    """What the tests print, by kernel."""
    done = subprocess.run(program_command(program), capture_output=True, text=True)
    lines = re.findall(r"trace counts (\{.*\})", done.stdout)
    if done.returncode != 0 or not lines:
        sys.exit(f"trace_counts: the tests failed, without ncu:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    counts = [json.loads(line) for line in lines]
    return {one.pop("kernel"): one for one in counts}


def counted_by_ncu(ncu: str, program: Path, output: Path | None) -> list[dict] | None:
    """What ncu counts, a launch an entry; none if it cannot."""
    version = subprocess.run([ncu, "--version"], capture_output=True, text=True).stdout.strip().splitlines()
    print(f"{ncu}: {version[-1] if version else 'no version'}")
    wanted = [metric for _, _, _, metrics in COUNTS for metric in metrics] + list(FLOATING) + SHOWN
    # It gives up at a metric that it does not know.
    query = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True)
    known = set(re.findall(r"^\s*([a-z0-9_]+(?:\.\w+)*)", query.stdout, re.M))
    has = {metric for metric in wanted if metric in known or metric.rsplit(".", 1)[0] in known}
    if not has:
        print(f"ncu did not list its metrics, so all are asked for: {(query.stderr or query.stdout).strip()[-300:]}")
        has = set(wanted)
    elif lacking := [metric for metric in wanted if metric not in has]:
        print(f"this ncu does not know: {', '.join(lacking)}")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "ncu.csv")
        command = [
            ncu, "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(table), "--force-overwrite",
            "--kernel-name-base", "function", "--kernel-name", f"regex:{NAMES}", "--metrics", ",".join(sorted(has)),
            "--target-processes", "all", "--clock-control", "none", *program_command(program),
        ]  # fmt: skip
        # With caches as they are: what is counted here does not depend on what they hold.
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TMPDIR": folder})
        text = table.read_text() if table.exists() else ""
        said = f"{text}\n{done.stdout}\n{done.stderr}"
        if output:
            output.with_suffix(".csv").write_text(text)
        if "ERR_NVGPUCTRPERM" in said:
            print(
                "trace_counts: ncu was refused the GPU's performance counters (ERR_NVGPUCTRPERM). Only root, or a driver loaded "
                "with NVreg_RestrictProfilingToAdminUsers=0, may read them. Nothing was compared."
            )
            return None
        launches = parsed(text)
        if not launches:
            errors = [line for line in said.splitlines() if "==ERROR==" in line]
            words = "\n".join(errors) or said[-3000:]
            print(f"trace_counts: ncu profiled no kernel and ended with {done.returncode}. Nothing was compared. It said:\n{words}")
            return None
        return launches


def read(path: Path) -> list[dict]:
    return parsed(path.read_text())


def parsed(text: str) -> list[dict]:
    """The launches of a table of ncu, wide or long: the kernel and its metrics."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    launches: dict[str, dict] = {}
    for row in csv.DictReader(lines):
        # The second line has the units.
        if not row.get("ID"):
            continue
        kernel = row["Kernel Name"].split("(")[0].split("::")[-1].strip().removesuffix("_kernel")
        launch = launches.setdefault(row["ID"], {"kernel": kernel})
        pairs = [(row["Metric Name"], row["Metric Value"])] if "Metric Name" in row else row.items()
        for name, value in pairs:
            if name and "__" in name:
                launch[name] = number(value)
    return list(launches.values())


def number(text: str | None) -> float | None:
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


def show_traces(traced: dict[str, dict]) -> None:
    print("What the traces count: requests and sectors, or passes, in all:")
    for kernel, counts in traced.items():
        print(f"  {kernel.removeprefix(NAMES):20} {counts}")


def compare(traced: dict[str, dict], profiled: list[dict]) -> int:
    """Prints the table; fails if a count differs that is not explained."""
    launches: dict[str, list[dict]] = {}
    for launch in profiled:
        launches.setdefault(launch["kernel"], []).append(launch)
    exact = differing = unexplained = 0
    width = max(len(name) for name, *_ in COUNTS) + 1
    for kernel, counts in traced.items():
        made = launches.get(kernel, [])
        print(f"\n{kernel.removeprefix(NAMES)}: {len(made)} launches profiled")
        if not made:
            unexplained += 1
            continue
        print(f"  {'':{width}} {'trace':>8} {'ncu':>8} {'checked':>8}")
        rows = [(name, counts[key][place], metrics) for name, key, place, metrics in COUNTS]
        for name, ours, metrics in rows:
            metric = next((metric for metric in metrics if any(launch.get(metric) is not None for launch in made)), None)
            theirs = [launch.get(metric) if metric else None for launch in made[:2]]
            if ours == 0 and not any(theirs):
                continue
            shown = " ".join(f"{'-' if value is None else f'{value:.0f}':>8}" for value in theirs)
            verdict = "not counted"
            if theirs[0] is not None:
                reason = next((why for of, begin, why in EXPLAINED if of == kernel and name.startswith(begin)), None)
                if theirs[0] == ours:
                    exact += 1
                    verdict = "exact"
                else:
                    differing += 1
                    unexplained += reason is None
                    verdict = f"differs by {theirs[0] - ours:+.0f}" + (f": {reason}" if reason else "")
            print(f"  {name:{width}} {ours:>8} {shown}  {verdict}")
        if "floating" in counts:
            theirs = [sum(times * (launch.get(metric) or 0) for metric, times in FLOATING.items()) for launch in made[:2]]
            shown = " ".join(f"{value:>8.0f}" for value in theirs)
            difference = theirs[0] - counts["floating"]
            verdict = f"differs by {difference:+.0f}" if difference else "exact"
            print(f"  {'floating-point operations':{width}} {counts['floating']:>8} {shown}  {verdict}")
        for metric in SHOWN:
            values = [launch.get(metric) for launch in made[:2]]
            if any(values):
                print(f"  {metric}: {' '.join(f'{value or 0:.0f}' for value in values)}")
    print(f"\n{exact} counts exact, {differing} differ, {unexplained} of these without a reason")
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
