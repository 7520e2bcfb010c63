"""Cellpose's ``_seg.npy``: a pickled dictionary, which is read and never run.

A pickle is a program. Python's machine for it makes objects and calls functions that the file names, and NumPy's own
types are no safe targets: a forged state makes an object type pass for a plain one, and bytes of the file become
pointers. So that machine is not used. :class:`_Reader` knows the opcodes that such files consist of, and what it makes
is plain: numbers, text, bytes, lists, tuples, dictionaries. Where the file asks for a function, a call or a state, an
:class:`_Asked` records the words. From those of ``masks``, and from nothing else, :func:`_array` makes an array: of a
plain type from a list, with as many bytes as its shape needs.
"""

from __future__ import annotations

import math
import pickletools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.npy import header_at, header_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_OPCODES = 1_000_000
"""Honest files have a few hundred: arrays are one opcode each."""

_KNOWN = re.compile(
    r"numpy ndarray|numpy dtype|numpy\._?core\.multiarray (_reconstruct|scalar)|numpy\._?core\.numeric _frombuffer|"
    r"_codecs encode|pathlib\S* \w+"
)
"""What Cellpose's files ask for. Nothing is done, whatever it is; but a file that asks for more is not Cellpose's."""


class _Broken(Exception):
    """The file is not what it should be."""


@dataclass
class _Asked:
    """A function that the file names; with arguments a call of it, with a state what is to be done to the result."""

    name: str
    arguments: Any = None
    state: Any = None


class _Reader:
    """Reads the opcodes of a pickle; a stack and a memo, as the format has them."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def read(self, pickled: bytes) -> Any:
        """Return what the pickle describes."""
        for count, (opcode, argument, _) in enumerate(pickletools.genops(pickled)):
            if count > MOST_OPCODES:
                raise _Broken("it does not come to an end")
            if opcode.name == "STOP":
                return self.pop()
            if opcode.name in _PLAIN:
                self.stack.append(argument)
            elif opcode.name in _CONSTANTS:
                self.stack.append(_CONSTANTS[opcode.name]())
            elif opcode.name in _STEPS:
                _STEPS[opcode.name](self, argument)
            else:
                raise _Broken(f"it holds {opcode.name}")

    def pop(self) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise _Broken("its stack is empty")
        return self.stack.pop()

    def pop_to_mark(self) -> list[Any]:
        if not self.marks:
            raise _Broken("it has no mark")
        start = self.marks.pop()
        found, self.stack[start:] = self.stack[start:], []
        return found

    def mark(self, argument: Any) -> None:
        self.marks.append(len(self.stack))

    def put(self, argument: int) -> None:
        if argument > MOST_OPCODES:  # places that all hash alike
            raise _Broken("it remembers more than it holds")
        self.memo[argument] = self.stack[-1]

    def memoize(self, argument: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def get(self, argument: int) -> None:
        self.stack.append(self.memo[argument])

    def several(self, count: int) -> tuple[Any, ...]:
        return tuple(reversed([self.pop() for _ in range(count)]))

    def append(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise _Broken("it adds to what is no list")
        target.extend(items)

    def set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict or len(items) % 2:
            raise _Broken("it adds to what is no dictionary")
        if not all(type(key) is str for key in items[::2]):  # hashing deep tuples overflows C's stack; numbers collide
            raise _Broken("it has keys that are no text")
        target.update(zip(items[::2], items[1::2], strict=True))

    def dictionary(self, argument: Any) -> None:
        items = self.pop_to_mark()
        self.stack.append({})
        self.set_items(items)

    def named(self, name: str) -> None:
        if not _KNOWN.fullmatch(name):
            raise ReadError(f"is not safe to read: it asks for {name.replace(' ', '.')}")
        self.stack.append(_Asked(name))

    def call(self, argument: Any) -> None:
        function, arguments = self.several(2)
        if not isinstance(function, _Asked) or function.arguments is not None or type(arguments) is not tuple:
            raise _Broken("it calls what is no function")
        self.stack.append(_Asked(function.name, arguments))

    def build(self, argument: Any) -> None:
        target, state = self.several(2)
        if not isinstance(target, _Asked) or target.arguments is None:
            raise _Broken("it gives a state to what has none")
        target.state = state
        self.stack.append(target)


_PLAIN = frozenset(
    ("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING", "BINSTRING",
     "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8", "UNICODE", "SHORT_BINUNICODE",
     "BINUNICODE", "BINUNICODE8")
)  # fmt: skip
"""Opcodes that carry a value."""

_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False, "EMPTY_TUPLE": tuple, "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
}  # fmt: skip

_STEPS: dict[str, Callable[[_Reader, Any], Any]] = {
    "PROTO": lambda reader, _: None,
    "FRAME": lambda reader, _: None,
    "MARK": _Reader.mark,
    "POP": lambda reader, _: reader.pop(),
    "POP_MARK": lambda reader, _: reader.pop_to_mark(),
    "PUT": _Reader.put,
    "BINPUT": _Reader.put,
    "LONG_BINPUT": _Reader.put,
    "MEMOIZE": _Reader.memoize,
    "GET": _Reader.get,
    "BINGET": _Reader.get,
    "LONG_BINGET": _Reader.get,
    "TUPLE": lambda reader, _: reader.stack.append(tuple(reader.pop_to_mark())),
    "TUPLE1": lambda reader, _: reader.stack.append(reader.several(1)),
    "TUPLE2": lambda reader, _: reader.stack.append(reader.several(2)),
    "TUPLE3": lambda reader, _: reader.stack.append(reader.several(3)),
    "LIST": lambda reader, _: reader.stack.append(reader.pop_to_mark()),
    "APPEND": lambda reader, _: reader.append([reader.pop()]),
    "APPENDS": lambda reader, _: reader.append(reader.pop_to_mark()),
    "DICT": _Reader.dictionary,
    "SETITEM": lambda reader, _: reader.set_items(list(reader.several(2))),
    "SETITEMS": lambda reader, _: reader.set_items(reader.pop_to_mark()),
    "GLOBAL": lambda reader, argument: reader.named(argument),
    "STACK_GLOBAL": lambda reader, _: reader.named(" ".join(reader.several(2))),
    "REDUCE": _Reader.call,
    "BUILD": _Reader.build,
}
"""Opcode -> what it does to stack and memo."""


def is_pickled(path: Path) -> bool:
    """Whether an NPY file holds objects."""
    return header_at(path)[2].hasobject


def read(place: Place) -> Content:
    """Read the masks."""
    place.check_size(place.path.stat().st_size)
    with place.path.open("rb") as file:
        header_of(file)
        return Content(_masks(_Reader().read(file.read())).squeeze())


FORMAT = Format("Cellpose's _seg.npy", (".npy",), read, (b"\x93NUMPY",), is_pickled)


def _masks(found: Any) -> NDArray[Any]:
    """The dictionary may be the one item of an array of objects."""
    if isinstance(found, _Asked) and type(found.state) is tuple and type(found.state[-1]) is list:
        found = found.state[-1][0] if len(found.state[-1]) == 1 else None
    if type(found) is not dict or not isinstance(found.get("masks"), _Asked):
        raise ReadError("is a pickle without 'masks'; only Cellpose's _seg.npy files are read")
    return _array(found["masks"])


def _array(asked: _Asked) -> NDArray[Any]:
    """Make an array of what was recorded, if it is one."""
    if asked.name.endswith(" _frombuffer"):  # protocol 5
        data, kind, shape, order = asked.arguments
        fortran = order == "F"
    elif asked.name.endswith(" _reconstruct"):
        _, shape, kind, fortran, data = asked.state
    else:
        raise _Broken("its masks are no array")
    dtype, raw = _plain_type(kind), _bytes(data)
    if type(shape) is not tuple or len(shape) > 32 or not all(type(size) is int and size > 0 for size in shape):
        raise _Broken("its masks have no shape")
    if max(shape, default=0) > len(raw):  # before they are multiplied, or shown
        raise _Broken(f"its masks have {len(raw)} bytes for a larger shape")
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise _Broken(f"its masks have {len(raw)} bytes for a shape of {shape}")
    array = np.frombuffer(raw, dtype).reshape(shape, order="F" if fortran else "C")
    return array.astype(dtype.newbyteorder("="))


def _plain_type(kind: Any) -> np.dtype[Any]:
    """A type by its letter, size and byte order, and only if nothing else is said of it."""
    if not isinstance(kind, _Asked) or kind.name != "numpy dtype":
        raise _Broken("its masks have no type")
    letters, (_, order, *more) = kind.arguments[0], kind.state
    plain = type(letters) is str and re.fullmatch(r"b1|[iu][1248]|f[248]", letters)
    if not plain or type(order) is not str or order not in ("<", ">", "|", "=") or more != _NOTHING_MORE:
        raise _Broken("its masks are not plain numbers")
    dtype: np.dtype[Any] = np.dtype(order + letters)
    return dtype


_NOTHING_MORE = [None, None, None, -1, -1, 0]
"""In the state of a plain type: no subarray, no fields, no size of its own, no flags."""


def _bytes(data: Any) -> bytes:
    """Bytes; in old protocols they are text, or text that is to be encoded."""
    if isinstance(data, _Asked) and data.name == "_codecs encode" and data.arguments[1:] in (("latin1",), ("latin-1",)):
        data = data.arguments[0]
    if type(data) is str:
        return data.encode("latin-1")
    if type(data) not in (bytes, bytearray):
        raise _Broken("its masks are no bytes")
    return bytes(data)
