"""Writes random calls of functions of NumPy or SciPy and what these give, a JSON object a line; the first line has the seed.

    python -m fuzz.generate --seed 7 --count 2000 --output cases.jsonl                from the folder tests
    python -m fuzz.generate --library scipy --seed 7 --count 2000 --output cases.jsonl
    python -m fuzz.generate --seed 7 --case 123                                       shows one case

`--only signal.` draws functions whose names have these letters.

prelude/tests/integration/fuzz.rs reads the file that WARPCELL_FUZZ_CASES names, and compares.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import warnings

import numpy as np
import scipy

from .arrays import Source, plain
from .table import FUNCTIONS, LIBRARIES, Call



# NumPy takes an array without axes for one of one element in these functions.
TAKE_A_NUMBER = {"argmax", "argmin", "argsort", "nanargmax", "nanargmin", "cumsum", "cumprod", "nancumsum", "nancumprod",
                 "cumulative_sum", "cumulative_prod"}


def result(call: Call) -> tuple[list | None, str | None]:
    """What NumPy gives, or its error."""
    # SciPy's C code reads other numbers than there are from views with strides of 0.
    given = [np.copy(array.view) if "sp." in call.text else array.view for array in call.arrays]
    names = {"np": np, "sp": scipy, **{f"a{at}": array for at, array in enumerate(given)}}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            given = eval(call.text, names)  # noqa: S307: the texts are those of the table
        except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError, RuntimeError, np.linalg.LinAlgError) as error:
            return None, f"{type(error).__name__}: {error}"
    if call.changes is not None:
        given = call.arrays[call.changes].base
    given = list(given) if isinstance(given, (tuple, list)) else [given]
    return [plain(one) for one in given], None


def make(drawn: list[int], seed: int, case: int) -> dict:
    """The case of this number, of one of the functions."""
    source = Source(seed, case)
    name, dtypes, maker, notes = FUNCTIONS[drawn[source.integer(0, len(drawn) - 1)]]
    dtype = source.choice(dtypes)
    call = maker(source, dtype)
    arrays = [array.json() for array in call.arrays]
    text = "; ".join([*(f"a{at} = {array.text}" for at, array in enumerate(call.arrays)), call.text])
    expected, error = result(call)
    value = {"case": case, "function": name, "dtype": dtype, "arrays": arrays, "arguments": call.arguments, "text": text}
    value |= {"expected": expected} if error is None else {"error": error}
    value |= {key: given for key, given in {**notes, **call.notes}.items() if given}
    if call.changes is not None:
        value["changes"] = call.changes
        if any(step[0] == "broadcast" for step in arrays[call.changes]["steps"]) and "read-only" in (error or ""):
            value["accepted"] = "NumPy writes to no view by broadcast_to; ours writes where no element has two places"
    elif name in TAKE_A_NUMBER and call.arrays[0].view.ndim == 0 and call.arguments.get("axis") in (0, -1):
        value["refused"] = "an array without axes has no axis 0; NumPy takes it for 1-D in some functions"
    return value


def line(numbers: tuple[list[int], int, int]) -> str:
    return json.dumps(make(*numbers), separators=(",", ":"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--case", type=int, help="show one case, and write none")
    parser.add_argument("--output")
    parser.add_argument("--library", choices=LIBRARIES, default="numpy")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    drawn = [at for at in LIBRARIES[options.library] if options.only in FUNCTIONS[at][0]]
    if options.case is not None:
        print(json.dumps(make(drawn, options.seed, options.case), indent=1))
        return
    with open(options.output, "w", encoding="utf-8") as file, multiprocessing.Pool() as pool:
        print(json.dumps({"seed": options.seed, "count": options.count, options.library: {"numpy": np, "scipy": scipy}[options.library].__version__}), file=file)
        for text in pool.imap(line, ((drawn, options.seed, case) for case in range(options.count)), chunksize=50):
            print(text, file=file)
    print(f"seed {options.seed}: {options.count} cases of {len({FUNCTIONS[at][0] for at in drawn})} functions of {options.library}", file=sys.stderr)


if __name__ == "__main__":
    main()
