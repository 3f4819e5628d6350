"""The libraries whose arrays Rust functions take and return: how an array goes to Rust as a tensor of DLPack, and how one comes back."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Dict, Optional, Tuple

#: Streams that Rust has used. It uses them again without asking whether they are still there, so they have to be.
_streams: Dict[int, Any] = {}


#: Where the type stands in a tensor: behind the address of its elements, its device and the number of its axes.
_KIND = 8 + 8 + 4
#: The address of a tensor, by its capsule and the capsule's name.
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.argtypes, capsule_pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


class Tensor:
    """A capsule of DLPack, as an array that others make one of their own of."""

    __slots__ = ("_capsule", "_device")

    def __init__(self, capsule: Any, device: Tuple[int, int]) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, *_: Any, **__: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> Tuple[int, int]:
        return self._device


class Library:
    """Arrays of any library that has DLPack's methods, such as JAX."""

    #: The number by which Rust knows what to advise.
    number = 3
    #: Whether it takes tensors of DLPack 1.x.
    versioned = False

    def __init__(self, name: str) -> None:
        self.name = name

    def export(self, value: Any) -> Any:
        """The capsule of an array, for the stream of `stream`."""
        return value.__dlpack__(stream=1) if value.__dlpack_device__()[0] == 2 else value.__dlpack__()

    def stream(self, value: Any) -> int:
        """The stream that the caller uses on the array's device, as the driver has it."""
        return 1

    def array(self, capsule: Any, like: Any) -> Any:
        """An array of a capsule, on the device of another array."""
        return like.__array_namespace__().from_dlpack(Tensor(capsule, like.__dlpack_device__()))


class NumPy(Library):
    number = 0
    #: The types of a tensor's elements by DLPack.
    _UINT, _BOOL = 1, 6

    def __init__(self) -> None:
        import numpy

        super().__init__("numpy")
        self._from_dlpack = numpy.from_dlpack
        self._array = numpy.ndarray
        self._masked = numpy.ma.MaskedArray
        version = tuple(int(part) for part in numpy.__version__.split(".")[:2])
        self.versioned = version >= (2, 1)
        self._has_bool = version >= (1, 25)

    def export(self, value: Any) -> Any:
        if type(value) is not self._array and isinstance(value, self._masked):
            raise TypeError("it is masked, and Rust would see the elements below the mask; give .filled(0) of it, or .compressed()")
        if self.versioned and not value.flags.aligned:
            # Arrays in messages between processes, as of Dask, begin anywhere. Functions that write to them refuse the copy.
            value = value.copy()
            value.flags.writeable = False
        if not self._has_bool and value.dtype.char == "?":
            capsule = value.view("u1").__dlpack__()
            _kind_of_elements(capsule).value = self._BOOL
            return capsule
        try:
            return value.__dlpack__()
        except BufferError:
            if value.flags.writeable or not self.versioned:
                raise
            return value.__dlpack__(max_version=(1, 0))

    def stream(self, value: Any) -> int:
        return 0

    def array(self, capsule: Any, like: Any) -> Any:
        kind = None if self._has_bool else _kind_of_elements(capsule)
        is_bool = kind is not None and kind.value == self._BOOL
        if is_bool:
            kind.value = self._UINT
        array = self._from_dlpack(Tensor(capsule, (1, 0)))
        if is_bool:
            array = array.view(bool)
        # NumPy before 2.1 makes all of them read-only.
        return array if array.flags.writeable else array.copy()


class CuPy(Library):
    number = 1

    def __init__(self) -> None:
        import cupy

        super().__init__("cupy")
        self._cupy = cupy

    def export(self, value: Any) -> Any:
        # The function's work is queued on the caller's stream, where the array was made: nothing has to wait.
        return value.__dlpack__(stream=-1)

    def stream(self, value: Any) -> int:
        stream = self._cupy.cuda.get_current_stream(value.device.id)
        return _kept(stream.ptr, stream)

    def array(self, capsule: Any, like: Any) -> Any:
        # That makes the device current by itself. `like.__dlpack_device__` would ask the driver for it.
        return self._cupy.from_dlpack(Tensor(capsule, (2, like.data.device_id)))


class Torch(Library):
    number = 2

    def __init__(self) -> None:
        import torch
        from torch.utils.dlpack import from_dlpack

        super().__init__("torch")
        self._torch = torch
        self._from_dlpack = from_dlpack

    def export(self, value: Any) -> Any:
        return value.__dlpack__(stream=-1) if value.is_cuda else value.__dlpack__()

    def stream(self, value: Any) -> int:
        if not value.is_cuda:
            return 0
        stream = self._torch.cuda.current_stream(value.device)
        return _kept(stream.cuda_stream, stream)

    def array(self, capsule: Any, like: Any) -> Any:
        return self._from_dlpack(capsule)


def _kind_of_elements(capsule: Any) -> Any:
    """The number in a tensor of DLPack 0.x that says whether its elements are integers, floats or another type."""
    return ctypes.c_uint8.from_address(capsule_pointer(capsule, b"dltensor") + _KIND)


def _kept(handle: int, stream: Any) -> int:
    if handle not in _streams:
        _streams[handle] = stream
    return handle


_KNOWN = {"numpy": NumPy, "cupy": CuPy, "torch": Torch}
_by_name: Dict[str, Library] = {}
_by_type: Dict[type, Optional[Library]] = {}


def library_of(of: type) -> Optional[Library]:
    """The library of arrays of a type; none if it is no array."""
    try:
        return _by_type[of]
    except KeyError:
        pass
    found: Optional[Library] = None
    if hasattr(of, "__dlpack__"):
        roots = [cls.__module__.split(".", 1)[0] for cls in of.__mro__]
        name = next((root for root in roots if root in _KNOWN), roots[0])
        found = named(name)
    _by_type[of] = found
    return found


def named(name: str) -> Library:
    """The library of this name, which is imported if it is one of those that are known here."""
    if name not in _by_name:
        _by_name[name] = _KNOWN[name]() if name in _KNOWN else Library(name)  # type: ignore[abstract]
    return _by_name[name]


def is_scalar_of_numpy(value: Any) -> bool:
    """Whether it is a number that NumPy has made, such as `numpy.float32(1)`."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)
