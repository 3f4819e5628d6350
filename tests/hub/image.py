"""A Dockerfile as data, and its steps done without a container engine, in a file tree that is laid over this machine's own.

As much of the format as our file uses: ARG, ENV, RUN, COPY of files, USER, SHELL and one FROM, one instruction a line, with
continuations.
"""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from tree import Root

KNOWN = {"ARG", "COPY", "ENV", "FROM", "RUN", "SHELL", "USER"}


@dataclass
class Step:
    """An instruction of a Dockerfile."""

    line: int
    word: str
    text: str


def parse(text: str) -> list[Step]:
    """The instructions, with continued lines put together and comments left out."""
    steps: list[Step] = []
    parts: list[str] = []
    begin = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not (line.strip() or parts):
            continue
        begin = begin if parts else number
        parts.append(line.strip().removesuffix("\\").strip())
        if not line.rstrip().endswith("\\"):
            word, _, rest = " ".join(parts).partition(" ")
            if word not in KNOWN:
                raise ValueError(f"line {begin}: {word} is not known here")
            steps.append(Step(begin, word, rest.strip()))
            parts = []
    if parts:
        raise ValueError(f"line {begin}: the file ends within an instruction")
    return steps


def substitute(text: str, values: dict[str, str]) -> str:
    """Text with the variables that a Dockerfile's own instructions may name."""
    return re.sub(r"\$\{(\w+)\}|\$(\w+)", lambda match: values.get(match[1] or match[2], ""), text)


def assignments(text: str, values: dict[str, str]) -> dict[str, str]:
    """`A=b C="d e"` of an ENV or ARG."""
    pairs = (word.partition("=") for word in shlex.split(text))
    return {name: substitute(value, values) for name, equals, value in pairs if equals}


def build(text: str, root: Root, context: Path, given: dict[str, str], env: dict[str, str]) -> dict[str, str]:
    """Does the steps; gives the environment of what runs in the image.

    `context` is the folder from which is copied, `given` are the values of ARGs, `env` is the base image's environment.
    """
    arguments: dict[str, str] = {}
    image_env, user, shell = dict(env), "0:0", ["/bin/sh", "-c"]
    for step in parse(text):
        values = {**arguments, **image_env}
        match step.word:
            case "COPY":
                *patterns, target = substitute(step.text, values).split()
                for pattern in patterns:
                    files = list(context.glob(pattern))
                    assert files, f"line {step.line}: there is no {pattern}"
                    for file in files:
                        shutil.copy(file, root.tree / target.lstrip("/"))
            case "ARG":
                arguments |= assignments(step.text, values)
                arguments |= {name: value for name, value in given.items() if name in arguments}
            case "ENV":
                image_env |= assignments(step.text, values)
            case "SHELL":
                shell = re.findall(r'"([^"]*)"', step.text)
            case "USER":
                named = substitute(step.text, values)
                user = "0:0" if named == "root" else f"{named}:{env['NB_GID']}"
            case "RUN":
                done = root.run(shell, step.text, user, values, capture_output=True, text=True)
                if done.returncode != 0:
                    raise AssertionError(f"line {step.line}: {step.text}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return image_env
