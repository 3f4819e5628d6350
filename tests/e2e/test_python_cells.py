"""Cells of Python: what the error says to write gives the numbers that NumPy gives. Random ones have a seed that is printed;
WARPCELL_FUZZ_SEED sets it."""

from __future__ import annotations

import os
import random
import re
import warnings

import numpy as np
import pytest

from e2e.session import Result, Session

# The same values in both languages. Where an array is made from integers, NumPy's have 64 bits and those here 32.
SETUP = """
let i = gpu::array(&[7, -3, 2, 5]);
let j = gpu::array(&[2i64, 4, -5, 3]);
let a = gpu::array(&[1.5, -2.0, 0.25, 4.0]);
let z = gpu::array(&[[1, -2, 3], [4, 5, -6]]);
let mask = gpu::array(&[true, false, true, true]);
let n = 3;
"""
VARIABLES = {
    "np": np,
    "i": np.array([7, -3, 2, 5]),
    "j": np.array([2, 4, -5, 3]),
    "a": np.array([1.5, -2.0, 0.25, 4.0]),
    "z": np.array([[1, -2, 3], [4, 5, -6]]),
    "mask": np.array([True, False, True, True]),
    "n": 3,
}

# Cells whose last line gives a value to `got`.
CELLS = [
    # Quotients.
    "got = i / 2",
    "got = 1 / i",
    "got = i / i.sum()",
    "got = i.sum() / 3",
    "got = len(i) / 3",
    "got = z.shape[0] / 4",
    "got = 2 * i / 3",
    "got = -i / 2",
    "got = z / z.sum(axis=1, keepdims=True)",
    "got = np.arange(10) / 4",
    "got = np.arange(1, 4) / np.arange(2, 5)",
    "x = np.arange(4)\ngot = x / x.max()",
    "x = np.bincount([0, 1, 1, 3])\ngot = x / x.sum()",
    "x, e = np.histogram(np.arange(10.), bins=3)\ngot = x / x.sum()",
    "got = mask / 2",
    # Remainders and floored quotients.
    "got = -i % 3",
    "got = i % 3",
    "got = -i // 2",
    "got = i // 2",
    "got = -7 % 3",
    "got = -7 // 2",
    # Powers of integers, which have 64 bits.
    "got = (np.arange(100000) ** 2).max()",
    "x = np.arange(100000)\ngot = (x * x).sum()",
    "got = (np.arange(2000) ** 4).sum()",
    "got = i ** 2",
    "got = i ** 20",
    "got = np.abs(i) ** 0.5",
    "got = i ** -1.0",
    # Integers of two types, integers and floats.
    "got = i + j",
    "got = j - i",
    "got = i == j",
    "got = i < j",
    "got = np.maximum(i, j)",
    "got = np.concatenate([i, j])",
    "got = np.append(i, j)",
    "got = np.where(i > 1, i, j)",
    "got = np.where(i > 1, i, 0.5)",
    "got = np.stack([i, j])",
    "got = np.dot(i, j)",
    "got = np.array_equal(i, j)",
    "got = np.ones(2)\nm = np.array([[2.0, 0.0], [0.0, 1.0]])\nfor k in range(5):\n    got = m @ got\n    got = got / np.linalg.norm(got)",
    "got = np.arange(len(i)) + i",
    "got = i > 2.5",
    "got = i * a",
    "got = i + mask",
    # Places.
    "got = z[..., None]",
    "got = z[..., np.newaxis]",
    "got = z[..., 0]",
    "got = z[0, ...]",
    "got = z[None, ...]",
    "got = z.item(4)",
    "got = i.compress(mask, 0)",
    "got = i[~mask]",
    "got = z[~(z > 4).any(axis=1)]",
    "got = z[0]",
    "got = z[::-1][0] - z[1]",
    "got = np.fliplr(z)[1] / 2",
    "got = z[np.ix_([0, 1], [0, 2])]",
    "x = np.array([4.0, 5.0, 6.0])\nx[0], x[2] = x[2], x[0]\ngot = x",
    "x = np.zeros(3)\nx[0] = x[1] = 2\ngot = x",
    "x = np.zeros((4, 4))\nx[1:3, 1:3][0] = 5\ngot = x",
    "got = np.where(np.diff(i) > 0)[0] + 1",
    # Lengths.
    "got = np.arange(len(i))",
    "k = len(a)\ngot = np.arange(k) * 2",
    "k = a.shape[0] - 2\ngot = a[-k:]",
    "k = int(0.5 * len(a))\ngot = a[:k]",
    "got = a[:len(a) // 2]",
    "w = 2\ngot = np.convolve(a, np.ones(w) / w, mode='valid')",
    "got = 17 // 5",
    "got = n // 2",
    # Numbers and elements of two types.
    "got = i.max() + j.sum()",
    "got = j.sum() - i.max()",
    "got = a.max() + np.ones(2, dtype=np.float32).sum()",
    "got = z - z.mean(axis=0)",
    "m = (z > 0)\ngot = z * m",
    "x = np.zeros((2, 3))\nx += z\nx /= 4\ngot = x",
    "c = np.array([-100, 30])\ngot = np.sum(c / (1 + 0.1) ** np.arange(2))",
    "got = -np.sum(a)",
    # Functions.
    "def f(x):\n    return x ** 2 + 2 * x + 1\n\ngot = f(a)",
    "def f(x):\n    return 1 / (1 + np.exp(-x))\n\ngot = f(a)",
    "def f(x):\n    return (x - x.mean()) / x.std()\n\ngot = f(a)",
    # Comprehensions and lists.
    "got = [v ** 2 for v in a]",
    "got = [row.sum() for row in z]",
    "got = sum(v ** 2 for v in a)",
    "got = sum(v for v in a if v > 0)",
    "halves = []\nfor k in range(4):\n    halves.append(k * 0.5)\ngot = halves",
    "grown = [1, 2]\ngrown.append(3)\ngot = grown",
    "got = 0\nfor k, v in enumerate(a):\n    got += k * v",
    # Polynomials, and functions that give several arrays.
    "got = np.poly1d([1, -3, 2])(2)",
    "p = np.poly1d([1, -3, 2])\ngot = p(a)",
    "p = np.poly1d([1, -3, 2])\ngot = p[1]",
    "got = np.trim_zeros(np.array([0, 0, 1, 2, 0]), 'f')",
    "got = np.percentile(z, (5, 95))",
    "p, q = np.percentile(z, (5, 95))\ngot = q - p",
    "p, q = np.mgrid[0:2, 0:3]\ngot = p * 10 + q",
    # Several targets.
    "got, y = 0, 1\nfor _ in range(5):\n    got, y = y, got + y",
    # A name again.
    "x = np.arange(3)\nx = x * 2\ngot = x",
    # Blocks.
    "w = np.zeros((n, n))\nfor k in range(n):\n    for q in range(n):\n        w[k, q] = k * q\ngot = w",
    "got = 0\nfor v in np.arange(4):\n    got += v",
    "p = np.array([[1, 2], [3, 4]])\nq = np.array([5, 6])\ngot = np.linalg.solve(p, q)",
]


def numbers(text: str) -> list[float]:
    """The numbers of a printed value, without the line of its shape."""
    text = re.sub(r"^shape .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\b[Tt]rue\b", " 1 ", text)
    text = re.sub(r"\b[Ff]alse\b", " 0 ", text)
    return [float(number) for number in re.findall(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)", text, re.IGNORECASE)]


def suggested(result: Result) -> str:
    """The cell that an error says to write."""
    error = result.error_text
    assert "then the compiler says" not in error and "still at fault" not in error and "todo!" not in error, error
    whole = re.search(r"in a notebook: write\n\n(.*)\Z", error, re.DOTALL)
    line = re.search(r"in a notebook: write `([^`]*)`", error)
    assert whole or line, error
    return whole[1] if whole else line[1]


def typed(session: Session, cell: str) -> str:
    """What `got` is after a cell of Python, corrected if the kernel says so."""
    result = session.run(cell)
    if not result.ok:
        lines = suggested(result)
        count = cell.count("\n") + 1
        # A line of a cell of several is the one that begins as it does.
        if count > 1 and "\n" not in lines:
            line = int(re.search(r"--> line (\d+)", result.error_text)[1])
            lines = "\n".join(lines if at + 1 == line else text for at, text in enumerate(cell.split("\n")))
        session.check(lines)
    return session.check("got.clone()").value


def expected(cell: str) -> np.ndarray:
    """What NumPy gives."""
    names = dict(VARIABLES)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(cell, names)
    return np.asarray(names["got"])


@pytest.fixture(scope="module")
def session():
    session = Session()
    session.check(SETUP)
    yield session
    session.close()


def compare(session: Session, cell: str) -> None:
    text, right = typed(session, cell), expected(cell)
    shape = re.search(r"^shape \(([^)]*)\)", text, re.MULTILINE)
    if shape:
        assert tuple(int(length) for length in re.findall(r"\d+", shape[1])) == right.shape, (cell, text, right)
    got = numbers(text)
    assert len(got) == right.size, (cell, text, right)
    assert np.allclose(got, right.astype(float).ravel(), rtol=1e-6, equal_nan=True), (cell, text, right)


@pytest.mark.parametrize("cell", CELLS)
def test_the_corrected_cell_gives_what_numpy_gives(session, cell):
    compare(session, cell)


def expression(draw: random.Random, depth: int) -> str:
    """An expression of whole numbers and floats, with parentheses around what binds less."""
    if depth == 0:
        return draw.choice(["i", "j", "a", "n", "2", "3", "np.arange(4)", "-i"])
    left, right = expression(draw, depth - 1), expression(draw, 0)
    operator = draw.choice(["+", "-", "*", "/", "/", "/", "%"])
    if operator == "%":
        right = draw.choice(["3", "4"])
    text = f"{left} {operator} {right}"
    return f"({text})" if draw.random() < 0.4 else text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("print(7, 2.5, sep=' | ')", "7 | 2.5\n"),
        ("for k in range(10, 0, -3):\n    print(k, end=' ')", "10 7 4 1 "),
        ("print(f'{0.125:.1%}')", "12.5%\n"),
        ("print('a,b'.split(','))", '["a", "b"]\n'),
        ("found = False\nfor k in range(9):\n    if k == 5:\n        found = True\nprint(found)", "true\n"),
        ("best = 0\nfor x in [3.5, 9.5, 2.0]:\n    if x > best:\n        best = x\nprint(best)", "9.5\n"),
        ("t = 0\nwhile t < 1:\n    t += 0.5\nprint(t + 0.25)", "1.25\n"),
        ("def gcd(a, b):\n    while b != 0:\n        a, b = b, a % b\n    return a\nprint(gcd(12, 18))", "6\n"),
        ("def clamp(x):\n    if x < 0.5:\n        x = 0.5\n    return x\nprint(clamp(-3.0))", "0.5\n"),
    ],
)
def test_the_corrected_cell_prints_what_python_prints(session, cell, text):
    result = session.run(cell)
    assert not result.ok
    assert session.check(suggested(result)).stdout == text, cell


def program(draw: random.Random) -> str:
    """Assignments to `p` and `q` in loops and branches within one another, and to variables of the inner blocks."""
    lines = ["p = 0", "q = 1"]

    def block(indent: str, loops: list[str], depth: int) -> None:
        for _ in range(draw.randint(1, 2)):
            kind = draw.choice(["give", "give", "swap", "own", *(["if", "for", "while"] if depth else [])])
            own, counter = f"r{len(lines)}", f"k{len(lines)}"
            if kind == "give":
                lines.append(indent + draw.choice(["p = p + q", "q = 3", "p += 2", "q = p - 1", *(f"p = {loop}" for loop in loops)]))
            elif kind == "swap":
                lines.append(f"{indent}p, q = q, p")
            elif kind == "own":
                lines.extend([f"{indent}{own} = p + 1", f"{indent}{own} = {own} + q", f"{indent}q = {own}"])
            elif kind == "while":
                lines.extend([f"{indent}{counter} = 0", f"{indent}while {counter} < 2:", f"{indent}    {counter} = {counter} + 1"])
                block(indent + "    ", loops, depth - 1)
            else:
                loop = kind == "for"
                lines.append(f"{indent}for {counter} in range(3):" if loop else f"{indent}if {draw.choice(['p > q', 'p % 2 == 0'])}:")
                block(indent + "    ", [*loops, counter] if loop else loops, depth - 1)

    block("", [], 3)
    return "\n".join([*lines, "got = 100 * p + q"])


def test_random_programs_give_what_python_gives(session):
    seed = int(os.environ.get("WARPCELL_FUZZ_SEED", "2026"))
    print(f"WARPCELL_FUZZ_SEED={seed}")
    draw = random.Random(seed)
    for _ in range(20):
        compare(session, program(draw))


def test_a_function_of_an_earlier_cell_runs_over_arrays(session):
    session.check(suggested(session.run("def raised(x): return 1 / (1 + x ** 2)")))
    lines = suggested(session.run("raised(a)"))
    assert lines.startswith("#[vectorize]"), lines
    assert np.allclose(numbers(session.check(lines).value), 1 / (1 + VARIABLES["a"] ** 2))


def test_a_mask_after_an_exclamation_mark_is_no_command(session):
    error = session.run("!mask").error_text
    assert "write `(!&mask)`" in error, error
    assert numbers(session.check("(!&mask)").value) == [0, 1, 0, 0]


def test_random_arithmetic_gives_what_numpy_gives(session):
    seed = int(os.environ.get("WARPCELL_FUZZ_SEED", "2026"))
    print(f"WARPCELL_FUZZ_SEED={seed}")
    draw = random.Random(seed)
    for _ in range(25):
        compare(session, f"got = {expression(draw, draw.choice([1, 2, 2]))}")
