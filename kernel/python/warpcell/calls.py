"""Calls of functions in Rust that are in a library in this process, on arrays of NumPy, CuPy and PyTorch.

The library is loaded by `ctypes`, which releases the GIL during calls, and called with the arguments as numbers and as tensors of DLPack,
which share the elements. On the other side is `prelude/src/python.rs`. What a function is made of its subclasses know: `functions.py`
compiles it, a package of `warpcell export --python` brings it. The package has copies of this file, of `libraries.py` and of `errors.py`.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import keyword
import operator
import os
import re
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from .errors import SessionError, error_of
from .libraries import Library, capsule_pointer, is_scalar_of_numpy, library_of, named


class _Value(ctypes.Structure):
    """An argument or a result."""

    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("retained", ctypes.c_uint32),
        ("word", ctypes.c_uint64),
        ("real", ctypes.c_double),
        ("imaginary", ctypes.c_double),
    ]


# What values are.
_BOOL, _INT, _UINT, _FLOAT, _COMPLEX, _TENSOR, _VERSIONED_TENSOR = range(1, 8)
_WORDS = (1 << 64) - 1
#: Types of parameters, as Rust describes them, that round integers.
_ROUNDS = re.compile(r"\b(?:b?float|complex)")

# The names of capsules. They are here for as long as the module, as capsules only refer to them.
_NAME, _VERSIONED_NAME = b"dltensor", b"dltensor_versioned"
_USED_NAME, _USED_VERSIONED_NAME = b"used_dltensor", b"used_dltensor_versioned"

_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes, _is_capsule.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_rename_capsule = ctypes.pythonapi.PyCapsule_SetName
_rename_capsule.argtypes, _rename_capsule.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes, _new_capsule.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object

#: How many threads libraries may use, as it was said when this module was imported: later Dask sets it for a moment, for its workers.
_OMP_THREADS = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
#: Whether a library was loaded, and whether this process is a fork of one in which it was. Its threads are not there.
_loaded = _forked = False
_FORKED = (
    "{}: the process that this one was forked from has loaded Rust functions, and their threads are not here. Start worker processes by "
    'multiprocessing.get_context("spawn") or "forkserver", or call Rust functions only in the workers'
)
#: A library of those that are loaded.
_any: Any = None
lock = threading.RLock()


def _note_fork() -> None:
    global _forked, lock
    _forked = _loaded
    # Another thread may have held it.
    lock = threading.RLock()


os.register_at_fork(after_in_child=_note_fork)


def synchronize() -> None:
    """Waits for what Rust functions still do on GPUs. Raises `RustError` if that has failed, such as by an index out of bounds in a kernel."""
    if _any is None:
        return
    if _forked:
        raise RuntimeError(_FORKED.format("synchronize"))
    text = _any.warpcell_python_synchronize()
    if text:
        raise error_of({"ename": "Panic", "evalue": _taken(_any, text), "traceback": []})


class Opened(NamedTuple):
    """What a function is loaded from."""

    library: str
    #: Of the functions in the library this one.
    number: int
    name: str
    #: The head of the function in Rust.
    signature: str
    documentation: str


class RustFunction:
    """A function in Rust; `warpcell.function` makes it."""

    def __init__(self, name: str) -> None:
        self._library: Any = None
        self._call: Any = None
        self._kind = "function"
        self._names: List[str] = []
        self._results = 0
        self._values: Any = None
        self.__name__ = name

    def _opened(self) -> Opened:
        """Finds or makes the library."""
        raise NotImplementedError

    def _advice(self) -> str:
        """What to do about a library that cannot be loaded."""
        return "If Warpcell was installed again since, restart Python" if _loaded else "Remove it, and it is made again"

    @property
    def source(self) -> str:
        """The text in Rust."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<Rust function {getattr(self, 'signature', self.__name__)}>"

    def __call__(self, *arguments: Any, **named_arguments: Any) -> Any:
        call = self._call
        if call is None or named_arguments or _forked:
            arguments = self._prepared(arguments, named_arguments)
            call = self._call
        if self._kind == "kernel":
            given = ", ".join(self._names)
            raise TypeError(f"{self.__name__} is a kernel; write {self.__name__}.launch_for(n, {given}), or {self.__name__}.launch(grid, block, {given})")
        return self._run(arguments, None)

    def launch(self, grid: Union[int, Sequence[int]], block: Union[int, Sequence[int]], *arguments: Any) -> None:
        """Runs a kernel, a function that has `#[kernel]` before it: `grid` blocks of `block` threads each, both `n`, `(x, y)` or `(x, y, z)`."""
        self._launch("launch", (1, *_sizes("grid", grid), *_sizes("block", block)), arguments)

    def launch_for(self, n: Union[int, Sequence[int]], *arguments: Any) -> None:
        """As `launch`, with at least one thread for each of `n` elements, or `(x, y)` or `(x, y, z)`: blocks and grid are picked."""
        self._launch("launch_for", (0, *_sizes("n", n), 0, 0, 0), arguments)

    def _launch(self, method: str, sizes: Tuple[int, ...], arguments: Tuple[Any, ...]) -> None:
        if self._call is None or _forked:
            self._prepared(arguments, {})
        if self._kind != "kernel":
            raise TypeError(f"{self.__name__} is no kernel; write {self.__name__}({', '.join(self._names)}), or `#[kernel]` before the function")
        self._run(arguments, ctypes.byref((ctypes.c_int64 * 7)(*sizes)))

    def _prepared(self, arguments: Tuple[Any, ...], named_arguments: Dict[str, Any]) -> Tuple[Any, ...]:
        """Loads the library; gives the arguments in their order."""
        self._load()
        if not named_arguments:
            return arguments
        if not hasattr(self, "__signature__"):
            raise TypeError(f"{self.__name__}: its parameters ({', '.join(self._names)}) cannot be named in Python; give the arguments in their order")
        try:
            return inspect.signature(self).bind(*arguments, **named_arguments).args
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}") from None

    def _load(self) -> None:
        global _any, _loaded
        if _forked:
            raise RuntimeError(_FORKED.format(self.__name__))
        with lock:
            if self._call is not None:
                return
            opened = self._opened()
            if not _loaded:
                _limit_threads()
            try:
                library = ctypes.CDLL(opened.library)
            except OSError as error:
                raise SessionError(f"the library of {opened.name} cannot be loaded: {error}. {self._advice()}") from None
            _loaded = True
            describe = getattr(library, f"warpcell_describe_{opened.number}")
            describe.restype = ctypes.c_char_p
            library.warpcell_python_free.argtypes = [ctypes.c_void_p]
            library.warpcell_python_release.argtypes = [ctypes.c_void_p, ctypes.c_bool]
            library.warpcell_python_synchronize.restype = ctypes.c_void_p
            call = getattr(library, f"warpcell_call_{opened.number}")
            call.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p]
            description = json.loads(describe())
            self._kind = description["kind"]
            self._names = [parameter["name"] for parameter in description["parameters"]]
            #: The names of parameters that round what they are given.
            self._rounding = {parameter["name"] for parameter in description["parameters"] if _ROUNDS.search(parameter["type"])}
            self._results = description["results"]
            self._values = _Value * max(1, len(self._names) + self._results)
            self._library = _any = library
            self.__name__ = self.__qualname__ = opened.name
            #: The head of the function in Rust.
            self.signature = opened.signature
            types = "".join(f"\n{parameter['name']}: {parameter['type']}" for parameter in description["parameters"])
            self.__doc__ = "\n\n".join(part for part in (opened.documentation, opened.signature, types.strip()) if part)
            self._name_parameters(self._names)
            self._call = call

    def _name_parameters(self, names: List[str]) -> None:
        """Says what the parameters are called, if they can be named in Python."""
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])

    def _run(self, arguments: Tuple[Any, ...], launch: Any) -> Any:
        names = self._names
        count = len(names)
        if len(arguments) != count:
            takes = f"takes {count} argument{'' if count == 1 else 's'} ({', '.join(names)})"
            raise TypeError(f"{self.__name__} {takes}, but was given {len(arguments)}")
        values = self._values()
        # The capsules own their tensors, but for those that Rust keeps.
        capsules: List[Tuple[_Value, Any]] = []
        library: Optional[Library] = None
        first: Any = None
        for index, argument in enumerate(arguments):
            value = values[index]
            kind = type(argument)
            if kind is float:
                value.kind, value.real = _FLOAT, argument
                continue
            its_library = library_of(kind)
            if its_library is None:
                self._number(value, names[index], argument)
                continue
            if library is None:
                library, first = its_library, argument
            elif its_library is not library:
                other = names[next(i for i, given in enumerate(arguments) if given is first)]
                raise TypeError(
                    f"{self.__name__}: {other} is an array of {library.name}, but {names[index]} is one of {its_library.name}; convert one of them"
                )
            try:
                capsule = its_library.export(argument)
                try:
                    value.word, value.kind = capsule_pointer(capsule, _NAME), _TENSOR
                except ValueError:
                    value.word, value.kind = capsule_pointer(capsule, _VERSIONED_NAME), _VERSIONED_TENSOR
            except Exception as error:
                raise _not_exported(self.__name__, names[index], argument, its_library, error) from None
            capsules.append((value, capsule))
        if library is None:
            library = named("numpy")
        flags = library.number << 8 | library.versioned
        stream = 0 if first is None else library.stream(first)
        try:
            status = self._call(ctypes.addressof(values), stream, flags, launch)
        finally:
            # An interrupt is raised when the call has ended. What Rust has kept is not the capsules' any more.
            for value, capsule in capsules:
                if value.retained:
                    _rename_capsule(capsule, _USED_NAME if value.kind == _TENSOR else _USED_VERSIONED_NAME)
        if status:
            raise self._error(status, values[0])
        if self._results == 0:
            return None
        given = [self._result(values[count + index], library) for index in range(self._results)]
        try:
            results = tuple(value if name is None else library.array(value, first) for value, name in given)
        except BaseException:
            for value, name in given:
                # One that its library has not taken over.
                if name is not None and _is_capsule(value, name):
                    self._library.warpcell_python_release(capsule_pointer(value, name), library.versioned)
            raise
        return results[0] if self._results == 1 else results

    def _number(self, value: _Value, name: str, argument: Any) -> None:
        if is_scalar_of_numpy(argument):
            argument = argument.item()
        if isinstance(argument, bool):
            value.kind, value.word = _BOOL, argument
        elif isinstance(argument, int):
            if -(1 << 63) <= argument <= _WORDS:
                value.kind, value.word = (_INT if argument < 1 << 63 else _UINT), argument & _WORDS
            elif name in self._rounding:
                try:
                    value.kind, value.real = _FLOAT, float(argument)
                except OverflowError:
                    raise OverflowError(f"{self.__name__}: {name} is an integer that no float holds; write math.inf") from None
            else:
                raise OverflowError(f"{self.__name__}: {name} is {argument}, which no integer of 64 bits holds; let the function take a float")
        elif isinstance(argument, float):
            value.kind, value.real = _FLOAT, argument
        elif isinstance(argument, complex):
            value.kind, value.real, value.imaginary = _COMPLEX, argument.real, argument.imag
        else:
            what = f"{self.__name__}: {name} is a {type(argument).__name__}, which Rust functions do not take"
            raise TypeError(f"{what}; give a number, or an array such as numpy.array({name})")

    def _result(self, value: _Value, library: Library) -> Tuple[Any, Optional[bytes]]:
        """A result, with the name of its capsule if it is one."""
        kind = value.kind
        if kind in (_TENSOR, _VERSIONED_TENSOR):
            name = _NAME if kind == _TENSOR else _VERSIONED_NAME
            return _new_capsule(value.word, name, None), name
        if kind == _FLOAT:
            return value.real, None
        if kind == _COMPLEX:
            return complex(value.real, value.imaginary), None
        word = value.word
        if kind == _INT and word >= 1 << 63:
            word -= 1 << 64
        return (bool(word) if kind == _BOOL else word), None

    def _error(self, status: int, value: _Value) -> BaseException:
        text = _taken(self._library, value.word)
        plain: Dict[int, Callable[[str], BaseException]] = {1: TypeError, 2: ValueError, 5: MemoryError, 6: RuntimeError}
        if status in plain:
            return plain[status](text)
        line = int(value.real)
        lines = self.source.splitlines()
        place = f"`{self.__name__}`, line {line}: {lines[line - 1].strip()}" if 0 < line <= len(lines) else f"`{self.__name__}`"
        name = "Panic" if status == 3 else "Error"
        error = error_of({"ename": name, "evalue": f"{text} (in {place})", "traceback": [f"\x1b[31m{name}\x1b[39m: {text}", f"  in {place}"]})
        error.line = line or None  # type: ignore[attr-defined]
        return error


def _limit_threads() -> None:
    """Lets Rust use as many threads as other libraries may: Dask, Ray and joblib say it to their workers in this way."""
    # One that this function has set in a process above is none of the user's.
    mark = os.environ.pop("WARPCELL_NUM_THREADS", None)
    if os.environ.get("RAYON_NUM_THREADS", mark) != mark:
        return
    os.environ.pop("RAYON_NUM_THREADS", None)
    if _OMP_THREADS.isdecimal() and int(_OMP_THREADS) > 0:
        os.environ["RAYON_NUM_THREADS"] = os.environ["WARPCELL_NUM_THREADS"] = _OMP_THREADS


def _not_exported(function_name: str, name: str, value: Any, library: Library, error: Exception) -> BaseException:
    """The error for an array that its library does not make a tensor of."""
    reason = str(error).rstrip(".")
    if isinstance(error, BufferError) and "readonly" in reason.replace("-", ""):
        return ValueError(f"{function_name}: {name} is read-only, and this NumPy does not pass such arrays on; give a copy: {name}.copy()")
    if "byte order" in reason:
        return TypeError(f'{function_name}: {name} has the other byte order; write {name}.astype({name}.dtype.newbyteorder("="))')
    if "DLPack only supports" in reason or "unsupported dtype" in reason.lower():
        return TypeError(f"{function_name}: {name} has elements of {_kind_of(value)}, which Rust functions do not take; write {name}.astype(\"float64\")")
    if "stride" in reason:
        return ValueError(f"{function_name}: {name} has strides that are no multiples of its elements' size; write numpy.ascontiguousarray({name})")
    kind = TypeError if isinstance(error, (BufferError, TypeError)) else ValueError
    return kind(f"{function_name}: {name} cannot be passed on by {library.name}: {reason}")


def _kind_of(array: Any) -> str:
    """What an array calls the type of its elements."""
    return str(getattr(array, "dtype", "another type"))


def _taken(library: Any, address: int) -> str:
    """A text of Rust's, which is freed."""
    text = ctypes.string_at(address).decode("utf-8", "replace")
    library.warpcell_python_free(address)
    return text


def _sizes(name: str, given: Union[int, Sequence[int]]) -> Tuple[int, ...]:
    """Three numbers."""
    sizes = given if isinstance(given, (tuple, list)) else (given,)
    if not 1 <= len(sizes) <= 3 or not all(hasattr(size, "__index__") for size in sizes):
        raise TypeError(f"{name} is {given!r}; give a number, or a tuple of two or three, such as (16, 16)")
    return tuple(operator.index(size) for size in sizes) + (1,) * (3 - len(sizes))
