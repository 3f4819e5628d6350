"""Whether cells get slower with use: `python tests/bench/latency --growth`.

A session of 200 cells that ends with 50 variables alive and 30 functions defined, 15 of them `#[vectorize]`; then the
same probe cells in that kernel and in a fresh one, which has only what the probes name, in turns.
"""

from __future__ import annotations

import statistics

CELLS = 200
VARIABLES = 50
FUNCTIONS = 30
ROUNDS = 5
GOAL = 1.25

# What the probes name; the fresh kernel has no more than this.
NEEDED = [
    "let host = Array2::<f32>::from_shape_fn((96, 128), |(i, j)| ((i * 7 + j * 3) % 11) as f32);",
    "let image = gpu::asarray(&host);",
    'let names = vec!["one".to_owned(), "two".to_owned()];',
    "let height = 96usize;",
    "fn area(width: f64, height: f64) -> f64 {\n    width * height\n}",
    "#[vectorize]\nfn brighter(x: f32, by: f32) -> f32 {\n    (x * by).min(255.0)\n}",
]

PROBES = [
    "1 + 1",
    "height * 2",
    "image.mean()",
    "(&image * 2.0f32).sum()",
    "area(3.0, 4.5)",
    "gpu::map(brighter, (&image, 1.5)).max()",
    "let probe_array = &image + 1.0f32;",
    "let probe_number = area(height as f64, 2.0);",
    "let probe_mapped = gpu::map(brighter, (&image, 2.0));",
    'println!("{} by {}", height, names[1]);',
    'println!("{:.3}", host[[3, 4]]);',
    "host.sum()",
]

# Values of the kinds that notebooks keep, `{n}` being a number.
VALUES = [
    "gpu::full::<f32>((32, 32), {n}.0)",
    "vec![{n}i64, 2, 3]",
    'format!("name {n}")',
    "{n}.5f64",
    "Array1::<f64>::linspace(0.0, {n}.0, 64)",
    "gpu::linspace(0.0f64, {n}.0, 100)",
    'std::collections::HashMap::from([("key".to_owned(), {n})])',
    "Some({n}u32)",
    "gpu::asarray(&host)",
    'vec![("pair".to_owned(), {n}.0f32)]',
]

PLAIN = [
    "fn plain_{n}(x: f64) -> f64 {{\n    (x + {n}.0).sqrt()\n}}",
    "fn plain_{n}(values: &[f64]) -> f64 {{\n    values.iter().sum::<f64>() / {n}.0\n}}",
    "fn plain_{n}(text: &str) -> usize {{\n    text.len() + {n}\n}}",
]

VECTORIZED = [
    "#[vectorize]\nfn over_{n}(x: f32) -> f32 {{\n    x * x - {n}.0\n}}",
    "#[vectorize]\nfn over_{n}(x: f64, mean: f64, width: f64) -> f64 {{\n    (-0.5 * ((x - mean) / width).powi(2)).exp() / {n}.0\n}}",
    "#[vectorize]\nfn over_{n}(value: i64) -> bool {{\n    let mut d = 2;\n    while d * d <= value && value % d != 0 {{\n        d += 1;\n    }}\n    value > 1 && d * d > value\n}}",
]

# What is done between definitions, in turns.
WORK = [
    "image.sum()",
    'println!("{:?}", value_{n});',
    "&image * 2.0f32",
    "host.mapv(|v| v + {n}.0).sum()",
    "let value_{n} = {again};",
    "names.len() + height",
    'let wrong: i32 = "text";',
    "gpu::map(brighter, (&image, {n}.0)).sum()",
]


def long_session() -> list[str]:
    """The cells of the long session; what the probes name comes first."""
    variables = VARIABLES - sum(cell.startswith("let") for cell in NEEDED)
    plain = FUNCTIONS // 2 - sum(cell.startswith("fn") for cell in NEEDED)
    vectorized = FUNCTIONS - FUNCTIONS // 2 - sum(cell.startswith("#[vectorize]") for cell in NEEDED)
    value = lambda n: VALUES[n % len(VALUES)].replace("{n}", str(n + 1))
    lets = [f"let value_{n} = {value(n)};" for n in range(variables)]
    functions = [PLAIN[n % len(PLAIN)].format(n=n + 1) for n in range(plain)]
    functions += [VECTORIZED[n % len(VECTORIZED)].format(n=n + 1) for n in range(vectorized)]
    work = []
    for n in range(CELLS - len(NEEDED) - len(lets) - len(functions)):
        # A definition anew, and a print, of a variable that is there by then.
        of = n % 8
        work.append(WORK[n % len(WORK)].replace("{n}", str(of)).replace("{again}", value(of)))
    # The definitions are spread over the session, the first values before what uses them.
    cells, rest = NEEDED + lets[:8], lets[8:] + functions
    for n in range(max(len(rest), len(work))):
        cells += rest[n : n + 1] + work[n : n + 1]
    assert len(cells) == CELLS
    return cells


def growth(start) -> int:
    """Runs both kernels; prints the figures; gives the exit status."""
    used, fresh = start(), start()
    try:
        for code in NEEDED:
            fresh.must(code)
        for code in long_session():
            reply, _ = used.run(code)
            if (reply["status"] == "error") != ("wrong" in code):
                raise SystemExit(f"status {reply['status']} of\n{code}")
        times = {kernel: [[] for _ in PROBES] for kernel in (used, fresh)}
        for turn in range(ROUNDS):
            for number, code in enumerate(PROBES):
                for kernel in (used, fresh) if (turn + number) % 2 else (fresh, used):
                    times[kernel][number].append(kernel.must(code))
        memory = used.memory(), fresh.memory()
    finally:
        used.close()
        fresh.close()
    medians = {kernel: [statistics.median(seconds) for seconds in columns] for kernel, columns in times.items()}
    for code, after, before in zip(PROBES, medians[used], medians[fresh], strict=True):
        print(f"{after * 1e3:6.0f} {before * 1e3:6.0f} ms  {code.splitlines()[0]}")
    after, before = (statistics.median(medians[kernel]) for kernel in (used, fresh))
    ratio = after / before
    print(f"after {CELLS} cells, {VARIABLES} variables and {FUNCTIONS} functions: {after * 1e3:.0f} ms, {memory[0]:.0f} MiB")
    print(f"fresh: {before * 1e3:.0f} ms, {memory[1]:.0f} MiB; ratio of medians {ratio:.2f}, goal at most {GOAL}")
    return 0 if ratio <= GOAL else 1
