"""The magics `%%rust` and `%rust` of Python notebooks."""

from __future__ import annotations

import shlex
from typing import Any, Dict, List, Optional, Tuple

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from .arrays import from_rust, rust_name, to_rust
from .functions import function
from .outputs import RustValue, output_for
from .session import session

USAGE = """\
%%rust [-i NAME]... [-o NAME]... [--restart]    runs the cell in the Rust session, which begins with the first one
%%rust --export NAME...                         makes a function of the cell one of Python, which runs in the Python process
%rust CODE                                      runs one line; its value can be assigned: x = %rust 1 + 1
%rust --status                                  says whether there is a session
%rust --restart                                 begins a new session, with nothing of the old one
%rust --shutdown                                ends the session

-i NAME  defines a variable in Rust before the cell runs: an array for the host (Array2<f64> and the like, from a NumPy
         array or a list of numbers), i64, f64, bool or String
-o NAME  makes a NumPy array of an array in Rust, on the host or on the device, when the cell has run

--export NAME  compiles the cell by itself, without the variables and functions of the session: help(warpcell.function)
"""


@magics_class
class RustMagics(Magics):
    """`%%rust` and `%rust`."""

    # Braces and dollars are Rust's, not names of Python variables.
    @no_var_expand
    @line_cell_magic
    def rust(self, line: str, cell: Optional[str] = None) -> Optional[RustValue]:
        if cell is None:
            return self._line(line.strip())
        if line.strip() in ("--help", "-h"):
            return self._line("--help")
        inputs, outputs, exports, restart = options(line)
        if exports:
            if inputs or outputs or restart:
                raise UsageError("%%rust --export: the cell is compiled by itself and not run in the session, so leave the other options out")
            self.shell.push({name: function(cell, name) for name in exports})
            return None
        output = output_for(self.shell)
        try:
            values = {name: self.shell.user_ns[name] for name in inputs}
        except KeyError as missing:
            raise UsageError(f"-i {missing.args[0]}: there is no such variable in Python") from None
        rust = session()
        if restart:
            rust.restart(output)
        try:
            to_rust(rust, values, output)
        except (ValueError, ImportError) as error:
            raise UsageError(f"-i: {error}") from None
        value = rust.run(cell, output)
        self.shell.push(from_rust(rust, outputs, output))
        return value

    def _line(self, line: str) -> Optional[RustValue]:
        output = output_for(self.shell)
        if line in ("", "--help", "-h"):
            output.stream("stdout", USAGE)
        elif line == "--status":
            output.stream("stdout", f"{session().status()}\n")
        elif line == "--restart":
            session().restart(output)
        elif line == "--shutdown":
            session().shutdown()
        elif line.startswith("--"):
            raise UsageError(f"%rust has no option {line.split()[0]}; %rust --help lists them")
        else:
            return session().run(line, output)
        return None


RustMagics.rust.__doc__ = "Runs Rust in the session of this notebook.\n\n" + USAGE


def options(line: str) -> Tuple[List[str], List[str], List[str], bool]:
    """The options behind `%%rust`: names for `-i`, for `-o` and for `--export`, whether to restart."""
    names: Dict[str, List[str]] = {"-i": [], "-o": [], "--export": []}
    restart = False
    try:
        words: Any = iter(shlex.split(line))
        for word in words:
            word = {"--input": "-i", "--output": "-o"}.get(word, word)
            if word in names:
                try:
                    # Several names may be joined by commas.
                    names[word] += [rust_name(name) for name in next(words).split(",")]
                except StopIteration:
                    raise ValueError(f"{word} needs a name") from None
            elif word == "--restart":
                restart = True
            elif names["--export"]:
                raise ValueError(f"{word} is no option; several names are joined by commas: --export {','.join([*names['--export'], word])}")
            else:
                raise ValueError(f"{word} is no option; the code begins on the next line")
    except ValueError as error:
        raise UsageError(f"%%rust: {error}. %rust --help lists the options") from None
    return names["-i"], names["-o"], names["--export"], restart
