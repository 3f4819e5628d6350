"""Which modules of a Rust crate import which, and the circles among them, as text shows it: `tests/imports.py FOLDER` prints them.

A module may import its children and what is beside it. Where imports run in a circle, none of its modules can be understood, tested or
moved without the others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:])(\w+(?:::\w+)+)")


def leaves(tree: str) -> Iterator[str]:
    """The paths of a `use`: `a::{b, c::{d, e}}` has `a::b`, `a::c::d` and `a::c::e`."""
    head, brace, rest = tree.partition("{")
    if not brace:
        yield tree.split(" as ")[0].strip()
        return
    depth, start = 0, 0
    inner = rest.rpartition("}")[0] + ","
    for at, character in enumerate(inner):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            if part := inner[start:at].strip():
                yield from (head.strip() + leaf for leaf in leaves(part))
            start = at + 1


def module_of(path: Path, root: Path) -> tuple[str, ...]:
    """A file's module: `a/b.rs` and `a/b/mod.rs` are `a::b`, the crate's root is empty."""
    parts = path.relative_to(root).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "main", "lib") else parts


def imports(root: Path, code_of: Callable[[str], str]) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """What each module below `root` imports. Unit tests do not count."""
    files = {module_of(path, root): path for path in root.rglob("*.rs") if path.name != "tests.rs"}
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for module, path in files.items():
        code = code_of(path.read_text(encoding="utf-8")).split("#[cfg(test)]\nmod ", 1)[0]
        used = [leaf for tree in USE.findall(code) for leaf in leaves(" ".join(tree.split()))]
        names = {leaf.removesuffix("::self").rpartition("::")[2]: leaf.removesuffix("::self") for leaf in used}
        for named in PATH.findall(USE.sub("", code)):
            first, _, rest = named.partition("::")
            used.append(f"{names[first]}::{rest}" if first in names else named)
        targets = (target(leaf.split("::"), module, files) for leaf in used)
        found[module] = {one for one in targets if one is not None and one != module}
    return found


def target(path: list[str], module: tuple[str, ...], files: dict) -> tuple[str, ...] | None:
    """The module of the crate that a path leads to or into."""
    at = list(module)
    if path[0] == "crate":
        at, path = [], path[1:]
    elif path[0] in ("self", "super"):
        while path and path[0] in ("self", "super"):
            at = at[:-1] if path[0] == "super" else at
            path = path[1:]
    elif (*module, path[0]) not in files:
        return None
    whole = (*at, *path)
    return next((whole[:length] for length in range(len(whole), 0, -1) if whole[:length] in files), None)


def circles(graph: dict[tuple[str, ...], set[tuple[str, ...]]]) -> list[list[str]]:
    """The groups of modules in which each imports each, by ways through the others; the largest first."""

    def reached(start: tuple[str, ...]) -> set[tuple[str, ...]]:
        seen: set[tuple[str, ...]] = set()
        waiting = [start]
        while waiting:
            for one in graph[waiting.pop()] - seen:
                seen.add(one)
                waiting.append(one)
        return seen

    reach = {module: reached(module) for module in graph}
    groups = {frozenset(other for other in reach[module] if module in reach[other]) for module in graph if module in reach[module]}
    return sorted((sorted("::".join(module) for module in group) for group in groups), key=lambda group: (-len(group), group))


if __name__ == "__main__":
    for group in circles(imports(Path(sys.argv[1]), lambda text: re.sub(r"//[^\n]*", "", text))):
        print(len(group), " ".join(group))
