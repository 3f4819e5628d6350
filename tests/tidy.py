"""The rules of ARCHITECTURE.md that a machine can check, as one script: `tests/tidy.py [--accept-contract]`.

Each rule is a function that yields what breaks it. `--accept-contract` writes the hashes of the output contract's
modules into its page: do that after the page says what the modules do. Needs Python 3.11 and git.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import imports

ROOT = Path(__file__).resolve().parent.parent

OURS = {"warpcell"} | {
    f"warpcell-{name}" for name in ("base", "cpu", "cuda", "driver", "kernel", "linalg", "macros", "peer", "tests", "threads", "translate")
}

# Which crates a package may depend on at run time: "only" is complete, "never" is a ban. Tests may use more.
MANIFESTS = {
    "kernel/Cargo.toml": {"never": {"warpcell", "warpcell-macros", "warpcell-translate", "cudarc", "ndarray"}},
    "prelude/Cargo.toml": {
        "never": {"cudarc", "faer", "warpcell-driver", "warpcell-kernel", "evcxr", "jupyter-protocol", "jupyter-zmq-client"}
    },
    "prelude/base/Cargo.toml": {
        "only": {
            "half", "libc", "libm", "num-complex", "rand", "rayon", "statrs", "warpcell-macros", "warpcell-threads",
            "warpcell-translate",
        }
    },
    "prelude/cpu/Cargo.toml": {"never": {"cudarc", "warpcell", "warpcell-cuda", "warpcell-driver", "warpcell-kernel"}},
    "prelude/cuda/Cargo.toml": {"never": {"cudarc", "rayon", "warpcell", "warpcell-cpu", "warpcell-kernel"}},
    "prelude/driver/Cargo.toml": {"only": {"cudarc", "libc", "libloading", "warpcell-base"}},
    "prelude/macros/Cargo.toml": {"only": {"syn", "quote", "proc-macro2", "warpcell-translate"}},
    "prelude/threads/Cargo.toml": {"only": {"corosensei", "half", "num-complex", "rayon", "rustc-hash"}},
    "prelude/linalg/Cargo.toml": {"only": {"faer", "num-complex"}},
    "prelude/translate/Cargo.toml": {"only": {"syn", "quote", "proc-macro2"}},
}

# Who may name what in the sources: (files, exceptions, what none of them may name, why).
USES = [
    (
        ["kernel/src/**/*.rs"],
        ["kernel/src/evaluator/**"],
        r"\bevcxr::",
        "only the evaluator of Rust cells knows evcxr",
    ),
    (
        ["kernel/src/**/*.rs"],
        ["kernel/src/server/**", "kernel/src/server.rs", "kernel/src/notebook/client.rs"],
        r"\b(jupyter_zmq_client|zeromq)::",
        "only the server and the client know sockets",
    ),
    (
        ["kernel/src/**/*.rs"],
        ["kernel/src/server/**", "kernel/src/server.rs", "kernel/src/wire/**", "kernel/src/wire.rs", "kernel/src/notebook/**", "kernel/src/notebook.rs"],
        r"\bjupyter_protocol::",
        "only server, wire and notebooks know Jupyter's messages",
    ),
    (
        ["kernel/src/wire/**/*.rs", "kernel/src/wire.rs"],
        [],
        r"\b(tokio|jupyter_zmq_client|zeromq|evcxr)::|\bcrate::(server|supervisor|build_step|magics|setup|installation)\b",
        "the wire is data: no sockets, nothing of the language",
    ),
    (
        ["kernel/src/server/**/*.rs", "kernel/src/server.rs"],
        [],
        r"\bcrate::(supervisor|cell_process|build_step|magics|setup|installation)\b|\bevaluator::(rust|supervisor_link)\b",
        "the server knows the language by the Evaluator trait only",
    ),
    (
        ["kernel/src/magics/**/*.rs", "kernel/src/magics.rs"],
        [],
        r"\b(evcxr|jupyter_protocol|jupyter_zmq_client|tokio)::|\bcrate::(evaluator|server|wire|supervisor|build_step)\b",
        "magics are text in, text out",
    ),
    (
        ["prelude/src/array/**/*.rs", "prelude/src/array.rs", "prelude/src/operations/**/*.rs"],
        [],
        r"\b(rayon)\b|\bbackend::cuda\b|\bwarpcell_cuda\b",
        "arrays and operations know backends by the Backend trait only",
    ),
    (
        ["prelude/src/**/*.rs"],
        ["prelude/src/backend.rs", "prelude/src/backend/**", "prelude/src/device.rs", "prelude/src/host.rs", "prelude/src/host/**"],
        r"\bcpu::|\bwarpcell_cpu\b|\bbackend::\{(.*\W)?cpu\b",
        "only the choice of a device and the functions of host arrays name the CPU backend",
    ),
]

CONTRACT = "kernel/OUTPUT_CONTRACT.md"
CONTRACT_MODULES = ["prelude/src/output.rs", "kernel/src/output_contract.rs"]

# The pages about the code, which name files by their paths from the root.
PAGES = [
    "ARCHITECTURE.md", "CONTRIBUTING.md", "DECISIONS.md", "DEPENDENCIES.md", "kernel/ARCHITECTURE.md", "prelude/ARCHITECTURE.md",
]  # fmt: skip

LONGEST = 700
MOST_IN_A_CIRCLE = 3
LONG_REASON = re.compile(r"^(//|#) Long (because|by nature): \S+", re.MULTILINE)

# Paths of somebody's machine.
PERSONAL = re.compile("|".join(["/ho" + r"me/[a-z]\w+/", "/ro" + r"ot/\w", "/wo" + r"rk/\w", "/Us" + r"ers/\w"]))


def tracked() -> list[str]:
    """The files of the repository, new ones that git does not ignore included."""
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, text=True
    )
    return sorted({path for path in listed.split("\0") if path and (ROOT / path).is_file()})


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def matches(path: str, patterns: list[str]) -> bool:
    """Whether a path fits one of the patterns; `**/` may also be nothing."""
    return any(fnmatch(path, pattern) or fnmatch(path, pattern.replace("**/", "")) for pattern in patterns)


# Strings (raw ones too), characters and comments of Rust, in the order in which they must be looked for.
NOT_CODE = re.compile(r'r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?\'(?:\\.|[^\\\'])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def code_of(text: str) -> str:
    """Rust text without strings and comments; every line keeps its number."""
    return NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def without_comments(line: str) -> str:
    return line.split("//", 1)[0]


def manifests(_files: list[str]) -> Iterator[str]:
    """Packages depend only on what the table allows."""
    for path, rule in MANIFESTS.items():
        used = set(tomllib.loads(text_of(path)).get("dependencies", {}))
        for name in sorted(used & rule.get("never", set())):
            yield f"{path}: must not depend on {name}"
        for name in sorted(used - rule.get("only", used)):
            yield f"{path}: depends on {name}, which the table does not allow"


def workspace_dependencies(files: list[str]) -> Iterator[str]:
    """Versions of dependencies stand once, in the workspace's manifest."""
    for path in files:
        if path.endswith("/Cargo.toml"):
            manifest = tomllib.loads(text_of(path))
            for table in ("dependencies", "dev-dependencies", "build-dependencies"):
                for name, value in manifest.get(table, {}).items():
                    if not (isinstance(value, dict) and value.get("workspace")):
                        yield f"{path}: {name} should be taken from the workspace"
            if manifest.get("package") and manifest.get("lints", {}).get("workspace") is not True:
                yield f"{path}: does not take the workspace's lints"


def uses(files: list[str]) -> Iterator[str]:
    """Modules name only what the table allows."""
    for patterns, exceptions, banned, reason in USES:
        expression = re.compile(banned)
        for path in files:
            if matches(path, patterns) and not matches(path, exceptions):
                for number, line in enumerate(code_of(text_of(path)).split("\n"), 1):
                    if expression.search(line):
                        yield f"{path}:{number}: {line.strip()} — {reason}"


def circles(_files: list[str]) -> Iterator[str]:
    """At most three modules of the kernel import one another in a circle."""
    for group in imports.circles(imports.imports(ROOT / "kernel/src", code_of)):
        if len(group) > MOST_IN_A_CIRCLE:
            yield f"kernel/src: {', '.join(group)} import one another; move what they share into a module below them"


def headers(files: list[str]) -> Iterator[str]:
    """Every Rust file begins with `//!`, every CUDA file and script with what it is."""
    for path in files:
        first = text_of(path)[:200] if path.endswith((".rs", ".cu", ".cuh", ".py", ".sh")) else ""
        if path.endswith(".rs") and not first.startswith("//! "):
            yield f"{path}: the first line must be a `//!` that says what this is"
        if path.endswith((".cu", ".cuh")) and not first.startswith("// "):
            yield f"{path}: the first line must be a comment that says what this is"
        if path.endswith(".py") and first and not first.startswith(('"""', '#!/usr/bin/env python3\n"""')):
            yield f"{path}: the first line must be a docstring that says what this is"


def lengths(files: list[str]) -> Iterator[str]:
    """A file has one reason to exist; a long one says why it is long. Unit tests do not count."""
    for path in files:
        if path.endswith((".rs", ".cu", ".cuh", ".py", ".sh")) and Path(path).name != "tests.rs":
            text = text_of(path).split("#[cfg(test)]\nmod ", 1)[0]
            if text.count("\n") > LONGEST and not LONG_REASON.search(text):
                yield f"{path}: {text.count(chr(10))} lines; split it, or say `// Long because: …`"


def drawers(files: list[str]) -> Iterator[str]:
    """A file is named by what it holds."""
    for path in files:
        if Path(path).stem in ("utils", "util", "misc", "base", "common", "helpers"):
            yield f"{path}: name it by what it holds"


def personal_paths(files: list[str]) -> Iterator[str]:
    """Nothing names a folder of somebody's machine."""
    for path in files:
        if not path.endswith((".png", ".ttf", ".lock")):
            for number, line in enumerate(text_of(path).splitlines(), 1):
                if PERSONAL.search(line):
                    yield f"{path}:{number}: {line.strip()[:120]}"


def lock_file(files: list[str]) -> Iterator[str]:
    """All dependencies come from crates.io, and one version of evcxr and cudarc is locked."""
    packages = tomllib.loads(text_of("Cargo.lock"))["package"]
    for package in packages:
        source = package.get("source", "")
        if source and source != "registry+https://github.com/rust-lang/crates.io-index":
            yield f"Cargo.lock: {package['name']} comes from {source}"
        if not source and package["name"] not in OURS:
            yield f"Cargo.lock: {package['name']} has no source"
    for name in ("evcxr", "cudarc", "ndarray"):
        versions = [package["version"] for package in packages if package["name"] == name]
        if len(versions) > 1:
            yield f"Cargo.lock: {name} in several versions: {', '.join(versions)}"


# Licences under which crates may be part of what we give away, as a dependency's own or one of its choice.
LICENCES = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CDLA-Permissive-2.0",
    "ISC", "MIT", "MIT-0", "MPL-2.0", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense", "Zlib",
}  # fmt: skip
# Crates that are not to come in by any way, and why.
BANNED = {
    "openssl-sys": "it needs a library of the system; rustls and ring need none",
    "libz-sys": "it needs a library of the system; zlib-rs needs none",
    "zmq-sys": "it needs a library of the system; zeromq is pure Rust",
}


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met by the licences that are allowed. `/` is an old way to write OR."""
    words = re.findall(r"[()]|[^\s()/]+(?:\s+WITH\s+[^\s()/]+)?|/", expression)

    def either() -> bool:
        result = both()
        while words and words[0] in ("OR", "/"):
            words.pop(0)
            result = both() or result
        return result

    def both() -> bool:
        result = one()
        while words and words[0] == "AND":
            words.pop(0)
            result = one() and result
        return result

    def one() -> bool:
        word = words.pop(0) if words else ""
        if word == "(":
            result = either()
            return bool(words) and words.pop(0) == ")" and result
        return re.sub(r"\s+", " ", word) in LICENCES

    return either() and not words


def licences(_files: list[str]) -> Iterator[str]:
    """Dependencies have licences that are allowed, and none of them is banned."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"]
    packages = json.loads(subprocess.check_output(command, cwd=ROOT, stderr=subprocess.DEVNULL))["packages"]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if not is_allowed(package["license"] or ""):
            yield f"{name} is under {package['license'] or 'no licence that it names'}; see LICENCES in tests/tidy.py"
        if package["name"] in BANNED:
            yield f"{name} is banned: {BANNED[package['name']]}"


def digest(path: str) -> str:
    """A hash of what a module does: comments, blank lines and its tests do not count."""
    text = text_of(path).split("#[cfg(test)]", 1)[0]
    lines = [without_comments(line).rstrip() for line in text.splitlines()]
    return hashlib.sha256("\n".join(line for line in lines if line.strip()).encode()).hexdigest()[:16]


def contract_line(path: str) -> str:
    return f"`{path}` `{digest(path)}`"


def contract(_files: list[str]) -> Iterator[str]:
    """The output contract's page holds the hashes of both modules, so code cannot change without it."""
    if not (ROOT / CONTRACT).is_file():
        yield f"{CONTRACT}: the page is missing"
        return
    page = text_of(CONTRACT)
    for path in CONTRACT_MODULES:
        if not (ROOT / path).is_file():
            yield f"{CONTRACT}: its module {path} is missing"
        elif contract_line(path) not in page:
            yield (
                f"{CONTRACT}: {path} has changed. Make the page say what the module does, "
                f"then run tests/tidy.py --accept-contract (the line is: {contract_line(path)})"
            )


def accept_contract() -> None:
    """Writes the modules' hashes into the page, replacing old ones or at its end."""
    page = text_of(CONTRACT)
    for path in CONTRACT_MODULES:
        line = re.compile(rf"`{re.escape(path)}` `[0-9a-f]{{16}}`")
        page = line.sub(contract_line(path), page) if line.search(page) else f"{page.rstrip()}\n- {contract_line(path)}\n"
    (ROOT / CONTRACT).write_text(page, encoding="utf-8")


def links(files: list[str]) -> Iterator[str]:
    """Files that the documents link to exist. What stands in code is no link, such as `kernel[1, 32](x)`."""
    for path in files:
        if path.endswith(".md"):
            text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text_of(path), flags=re.DOTALL | re.MULTILINE)
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if "://" not in target and not (ROOT / Path(path).parent / target).exists():
                    yield f"{path}: links to {target}, which does not exist"


def named_files(files: list[str]) -> Iterator[str]:
    """Files and folders that the pages about the code name exist."""
    for page in PAGES:
        for target in re.findall(r"`((?:kernel|prelude|tests|lessons|assets)/[\w./-]*)`", text_of(page)):
            if not (ROOT / target).exists():
                yield f"{page}: names {target}, which does not exist"


def recipes(files: list[str]) -> Iterator[str]:
    """A file that the map's table "Where a change goes" names is in a recipe of CONTRIBUTING.md."""
    recipes = text_of("CONTRIBUTING.md")
    table = text_of("ARCHITECTURE.md").partition("## Where a change goes")[2].partition("\n## ")[0]
    names = set(re.findall(r"`((?:kernel|prelude|tests|lessons)/[\w./-]+\.\w+)`", table))
    if len(names) < 20:
        yield f"ARCHITECTURE.md: the table names only {len(names)} files"
    for name in sorted(names):
        if name not in recipes:
            yield f"ARCHITECTURE.md: {name} is in no recipe of CONTRIBUTING.md"


def outputs(files: list[str]) -> Iterator[str]:
    """Notebooks are committed without outputs and execution counts."""
    for path in files:
        if path.endswith(".ipynb"):
            for cell in json.loads(text_of(path))["cells"]:
                if cell.get("outputs") or cell.get("execution_count"):
                    yield f"{path}: the cell {cell.get('id', '')} has outputs; tests/notebooks.py --clean strips them"


RULES = [
    manifests, workspace_dependencies, uses, circles, headers, lengths, drawers, personal_paths, lock_file, licences, contract,
    links, named_files, recipes, outputs,
]  # fmt: skip


def main() -> int:
    if sys.argv[1:] == ["--accept-contract"]:
        accept_contract()
    files = tracked()
    failed = 0
    for rule in RULES:
        broken = list(rule(files))
        failed += bool(broken)
        if broken:
            print(f"{rule.__name__}: {(rule.__doc__ or '').strip()}")
            print("".join(f"  {line}\n" for line in broken), end="")
    print(f"{len(RULES) - failed} rules hold, {failed} are broken")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
