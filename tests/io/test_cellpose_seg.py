"""Cellpose's _seg.npy holds a pickle: it is read, never run, whatever stands in it."""

from __future__ import annotations

import io
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from softpq.io import ReadError, read_labels

MASKS = np.arange(12, dtype=np.uint16).reshape(3, 4)
U2 = ("u2", False, True), (3, "<", None, None, None, -1, -1, 0)


class Made:
    """Stands in a pickle for a call: ``function(*arguments)``, then ``__setstate__(state)``."""

    def __init__(self, function: Callable, arguments: tuple, state: object = None) -> None:
        self.parts = (function, arguments) if state is None else (function, arguments, state)

    def __reduce__(self) -> tuple:
        return self.parts


def reconstruct(shape: object, dtype: object, data: object, fortran: object = False) -> Made:
    function = np.zeros(1).__reduce__()[0]
    return Made(function, (np.ndarray, (0,), b"b"), (1, shape, dtype, fortran, data))


def dtype(arguments: tuple = U2[0], state: tuple = U2[1]) -> Made:
    return Made(np.dtype, arguments, state)


def npy(pickled: bytes) -> bytes:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "|O", "fortran_order": False, "shape": ()})
    return head.getvalue() + pickled


def seg(path: Path, masks: object, protocol: int = 4) -> Path:
    path.write_bytes(npy(pickle.dumps({"masks": masks}, protocol)))
    return path


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["u1", "<u2", ">u2", "<i4", ">i8", "<u8", "<f4", "<f8"])
def test_honest_files_are_read_whatever_protocol_type_and_order(
    tmp_path: Path, protocol: int, order: str, kind: str
) -> None:
    masks = np.asarray(MASKS.astype(kind), order=order)
    outer = np.array({"masks": masks, "outlines": MASKS, "flows": [MASKS * 0.5, []], "est_diam": np.float64(3)}, object)
    path = tmp_path / "a_seg.npy"
    path.write_bytes(npy(pickle.dumps(outer, protocol)))
    found = read_labels(path)
    assert np.array_equal(found, MASKS)
    assert found.dtype == np.dtype(kind).newbyteorder("=")


HOSTILE: dict[str, object] = {
    "an object type that says it is none": reconstruct(
        (1,), dtype(("O8", False, True), (3, "|", None, None, None, -1, -1, 0)), struct.pack("<Q", 0xDEAD)
    ),
    "an object type": reconstruct((1,), dtype(("O8", False, True), (3, "|", None, None, None, -1, -1, 63)), [1]),
    "a plain type with a forged size": reconstruct((2,), dtype(U2[0], (3, "<", None, None, None, 4096, 1, 0)), b"1234"),
    "a plain type with fields": reconstruct(
        (1,), dtype(U2[0], (3, "<", None, ("a",), {"a": (np.dtype("O"), 0)}, 8, 8, 0)), b"12345678"
    ),
    "a plain type with a subarray": reconstruct(
        (1,), dtype(U2[0], (3, "<", (np.dtype("O"), (2,)), None, None, -1, -1, 0)), b"12"
    ),
    "a void type": reconstruct((1,), dtype(("V8", False, True), (3, "|", None, (), {}, 8, 1, 63)), b"12345678"),
    "a type without a state": reconstruct((1,), Made(np.dtype, ("O",)), b"12345678"),
    "a type of types": reconstruct((1,), dtype((np.dtype,)), b"12"),
    "a type made of calls": reconstruct((1,), dtype((Made(str, (b"u2",)), False, True)), b"12"),
    "strides of zero over 2^62 pixels": Made(np.ndarray, ((2**62,), dtype(), b"12", 0, (0,))),
    "memory that is not its own": Made(np.ndarray, ((2**20,), dtype())),
    "more pixels than bytes": reconstruct((2**62,), dtype(), b"12"),
    "fewer pixels than bytes": reconstruct((1,), dtype(), b"1234"),
    "a product that runs over": reconstruct((2**32, 2**32), dtype(), b""),
    "no pixels on long axes": reconstruct((2**40, 0, 4, 6), dtype(), b""),
    "negative axes": reconstruct((-1, -1), dtype(), b"12"),
    "axes that are no numbers": reconstruct(("1",), dtype(), b"12"),
    "axes that are calls": reconstruct((Made(int, ("1",)),), dtype(), b"12"),
    "a thousand axes": reconstruct((1,) * 1000, dtype(), b"12"),
    "data that is a list": reconstruct((1,), dtype(), [1, 2]),
    "data that is a call": reconstruct((2,), dtype(), Made(bytes, (4,))),
    "data in another code": reconstruct((1,), dtype(), Made(__import__("codecs").encode, ("aa", "rot13"))),
    "no array": 7,
    "a function": np.ndarray,
    "a state that is none": Made(np.zeros(1).__reduce__()[0], (np.ndarray, (0,), b"b"), {"shape": (1,)}),
}


@pytest.mark.parametrize("masks", HOSTILE.values(), ids=HOSTILE)
def test_forged_arrays_are_refused_and_end_no_process(tmp_path: Path, masks: object) -> None:
    path = seg(tmp_path / "a_seg.npy", masks)
    code = "import sys; from softpq.io import *\ntry: read_labels(sys.argv[1])\nexcept ReadError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "is a pickle" in done.stdout or "cannot be read" in done.stdout or "not safe" in done.stdout


OPCODES = {
    "a memo of 2^32 entries": b"\x80\x04}r\xff\xff\xff\xff.",
    "a memo that is not there": b"\x80\x04h\x07.",
    "a dictionary that holds itself": b"\x80\x04}\x94(\x8c\x05masksh\x00u.",
    "a class that is given a state": b"\x80\x04\x8c\x05numpy\x8c\x07ndarray\x93}\x8c\x09__class__K\x01sb.",
    "a persistent object": b"\x80\x04K\x01Q.",
    "an extension": b"\x80\x04\x82\x01.",
    "an instance the old way": b"(iposixpath\njoin\n.",
    "a buffer from elsewhere": b"\x80\x05\x97.",
    "a new object": b"\x80\x04\x8c\x05numpy\x8c\x07ndarray\x93)\x81.",
    "keys that cannot be keys": b"\x80\x04}]K\x01s.",
    "an empty stack": b"\x80\x040000.",
    "no mark": b"\x80\x04u.",
    "no end": b"\x80\x04}",
    "nothing": b"",
    "bytes that are not there": b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",
    "a number of a million digits": b"I" + b"9" * 10**6 + b"\n.",
    "an item of a number": b"\x80\x04K\x01K\x02a.",
    "endless work": b"\x80\x04" + b"K\x010" * 2_000_000 + b".",
    "a key of deep tuples": b"\x80\x04})" + b"\x85" * 300_000 + b"K\x01s.",
    "a name of lists that hold each other": b"\x80\x04]" + b"\x94(h\x00h\x00e" * 40 + b"]\x93.",
    "deep nesting": b"\x80\x04" + b"]" * 300_000 + b"a" * 299_999 + b".",
}


@pytest.mark.parametrize("pickled", OPCODES.values(), ids=OPCODES)
def test_pickles_that_play_tricks_are_refused(tmp_path: Path, pickled: bytes) -> None:
    path = tmp_path / "a_seg.npy"
    path.write_bytes(npy(pickled))
    with pytest.raises(ReadError, match=r"cannot be read as Cellpose's _seg.npy|is a pickle without"):
        read_labels(path)


def test_what_stands_beside_the_masks_is_not_looked_at(tmp_path: Path) -> None:
    """Cellpose may save a path; nothing is made of it."""
    path = tmp_path / "a_seg.npy"
    np.save(path, np.array({"masks": MASKS, "filename": Path("a.tif")}, object), allow_pickle=True)
    assert np.array_equal(read_labels(path), MASKS)


def long_number(value: int) -> bytes:
    data = value.to_bytes(value.bit_length() // 8 + 1, "little")
    return b"\x8b" + len(data).to_bytes(4, "little") + data


def test_sizes_beyond_the_bytes_are_refused_before_they_are_multiplied(tmp_path: Path) -> None:
    """One number of 100,000 bytes, 32 times: its power, and its text, would take minutes."""
    good = pickle.dumps({"masks": reconstruct((7, 5), dtype(), MASKS.tobytes())}, 2)
    shape = b"(" + long_number(1 << 800_000) + b"q\xc8" + b"h\xc8" * 31 + b"t"
    at = good.index(b"K\x07K\x05\x86")
    path = tmp_path / "a_seg.npy"
    path.write_bytes(npy(good[:at] + shape + good[at + 5 :]))
    with pytest.raises(ReadError, match="bytes for a larger shape"):
        read_labels(path)


@pytest.mark.parametrize("what", ["keys", "places"])
def test_numbers_that_hash_alike_cost_nothing(tmp_path: Path, what: str) -> None:
    alike = [k * (2**61 - 1) for k in range(1, 20_000)]
    path = tmp_path / "a_seg.npy"
    if what == "keys":
        path.write_bytes(npy(pickle.dumps({"masks": 0, **dict.fromkeys(alike)})))
    else:
        path.write_bytes(npy(b"\x80\x02N" + b"".join(b"p%d\n" % one for one in alike) + b"."))
    with pytest.raises(ReadError, match="keys that are no text" if what == "keys" else "remembers more than it holds"):
        read_labels(path)
