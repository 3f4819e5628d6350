"""Values that go between Python and Rust: NumPy arrays by `.npy` files in the session's private folder, plain values as literals."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Tuple

from .libraries import is_scalar_of_numpy
from .outputs import Output
from .session import Session

#: NumPy's names of element types, and Rust's.
_ELEMENTS = {
    "bool": "bool",
    "uint8": "u8",
    "int8": "i8",
    "uint16": "u16",
    "int16": "i16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "float16": "gpu::f16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "gpu::Complex<f32>",
    "complex128": "gpu::Complex<f64>",
}


def rust_name(name: str) -> str:
    """The name, if it can be one of a variable in both languages."""
    if not name.isidentifier():
        raise ValueError(f"{name!r} is not the name of a variable")
    return name


def array_type(dtype: str, dimensions: int) -> Tuple[str, str]:
    """Rust's element type, and the type of a host array with so many dimensions."""
    element = _ELEMENTS.get(dtype)
    if element is None:
        raise ValueError(f"arrays of {dtype} have no counterpart in Rust; those of {', '.join(_ELEMENTS)} have")
    return element, f"{of_dimensions('Array', dimensions)}<{element}>" if dimensions <= 6 else f"ArrayD<{element}>"


def of_dimensions(name: str, dimensions: int) -> str:
    """A type of ndarray's for so many axes. The prelude has no names for none."""
    return f"{'' if dimensions else 'ndarray::'}{name}{dimensions}"


def literal(value: Any) -> str:
    """The type and the value of a plain Python value or of a number of NumPy's, as the end of a `let`; empty if it is none."""
    if is_scalar_of_numpy(value) and not isinstance(value, (float, complex, str)) and value.dtype.name in _ELEMENTS:
        # Such as `a.max()`: it keeps its type.
        return number(_ELEMENTS[value.dtype.name], value.item())
    if isinstance(value, bool):
        return f": bool = {str(value).lower()}"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{value} does not fit into an i64")
        return f": i64 = {int(value)}"
    if isinstance(value, float):
        return number("f64", float(value))
    if isinstance(value, complex):
        return number("gpu::Complex<f64>", complex(value))
    if isinstance(value, str):
        return f": String = {quoted(value)}.to_string()"
    return ""


def number(element: str, value: Any) -> str:
    """The type and the value of a number, as the end of a `let`."""
    if isinstance(value, complex):
        part = "f32" if "f32" in element else "f64"
        return f": {element} = gpu::Complex::new({floating(part, value.real)}, {floating(part, value.imag)})"
    if isinstance(value, float):
        written = f"gpu::f16::from_f64({floating('f64', value)})" if element == "gpu::f16" else floating(element, value)
        return f": {element} = {written}"
    return f": {element} = {str(value).lower()}"


def floating(element: str, value: float) -> str:
    """A number of a floating type as Rust writes it."""
    special = {"nan": "NAN", "inf": "INFINITY", "-inf": "NEG_INFINITY"}
    text = repr(value)
    return f"{element}::{special[text]}" if text in special else text


def quoted(text: str) -> str:
    """A Rust literal of this text."""
    hashes = "#"
    while f'"{hashes}' in text:
        hashes += "#"
    # A raw literal holds everything but a lone carriage return.
    if "\r" in text:
        return json.dumps(text, ensure_ascii=False).replace("\\b", "\\x08").replace("\\f", "\\x0c")
    return f'r{hashes}"{text}"{hashes}'


def to_rust(session: Session, values: Dict[str, Any], output: Output) -> None:
    """Defines variables in the Rust session: arrays on the host, `i64`, `f64`, `bool` and `String`."""
    lines: List[str] = []
    files: List[str] = []
    try:
        for name, value in values.items():
            plain = literal(value)
            if plain:
                lines.append(f"let {rust_name(name)}{plain};")
                continue
            import numpy

            if isinstance(value, numpy.ma.MaskedArray):
                raise TypeError(f"{name} is masked, and Rust would see the elements below the mask; give {name}.filled(0) or {name}.compressed()")
            array = numpy.asarray(value)
            element, kind = array_type(array.dtype.name, array.ndim)
            file = os.path.join(session.folder(output), f"to-rust-{name}.npy")
            files.append(file)
            numpy.save(file, array, allow_pickle=False)
            shaped = f".into_dimensionality::<{of_dimensions('Ix', array.ndim)}>().unwrap()" if array.ndim <= 6 else ""
            lines.append(f"let {rust_name(name)}: {kind} = gpu::host::load::<{element}>({quoted(file)}){shaped};")
        if lines:
            session.run("\n".join(lines), output, store_history=False)
    finally:
        for file in files:
            if os.path.exists(file):
                os.remove(file)


def from_rust(session: Session, names: List[str], output: Output) -> Dict[str, Any]:
    """Arrays of the Rust session, on the host or on the device, as NumPy arrays."""
    if not names:
        return {}
    import numpy

    files = {name: os.path.join(session.folder(output), f"from-rust-{rust_name(name)}.npy") for name in names}
    try:
        lines = [f"gpu::save({quoted(file)}, &{name});" for name, file in files.items()]
        session.run("\n".join(lines), output, store_history=False)
        return {name: numpy.load(file, allow_pickle=False) for name, file in files.items()}
    finally:
        for file in files.values():
            if os.path.exists(file):
                os.remove(file)
