"""Cellpose's ``_seg.npy``: a pickled dictionary, read with a reader that makes arrays and nothing else."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy_format

from softpq.io import LabelImage, ReadError, check_size, stem_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _scalar(dtype: np.dtype[Any], data: bytes) -> Any:
    if dtype.hasobject:
        raise pickle.UnpicklingError("an object where a number was expected")
    return np.frombuffer(data, dtype)[0]


def _empty(kind: type, shape: tuple[int, ...], code: bytes) -> NDArray[Any]:
    """What NumPy calls _reconstruct: an empty array that the pickle fills."""
    return np.ndarray((0,), dtype="b")


def _latin1(text: str, encoding: str) -> bytes:
    """Bytes in old pickles are written as text and an encoding."""
    return text.encode("latin1")


_ALLOWED: dict[tuple[str, str], Any] = {("numpy", "ndarray"): np.ndarray, ("numpy", "dtype"): np.dtype}
for _module in ("numpy.core.multiarray", "numpy._core.multiarray"):
    _ALLOWED |= {(_module, "_reconstruct"): _empty, (_module, "scalar"): _scalar}
_ALLOWED["_codecs", "encode"] = _latin1


class _ArraysOnly(pickle.Unpickler):
    """Makes dictionaries, lists, numbers, text and NumPy arrays; whatever else is asked for is refused."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED:
            return _ALLOWED[module, name]
        raise ReadError(f"is not safe to read: it asks for {module}.{name}")


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the one image of the file."""
    name = stem_of(path)
    return [LabelImage(name, path, lambda: read(path))]


def read(path: Path) -> NDArray[Any]:
    """Read the masks."""
    check_size(path.stat().st_size)
    with path.open("rb") as file:
        found = _unpickled(file)
    if isinstance(found, np.ndarray) and found.dtype.hasobject and found.size == 1:
        found = found.item()
    if not isinstance(found, dict) or not isinstance(found.get("masks"), np.ndarray):
        raise ReadError("is a pickle without 'masks'; only Cellpose's _seg.npy files are read")
    masks: NDArray[Any] = found["masks"]
    return masks.squeeze()


def _unpickled(file: IO[bytes]) -> Any:
    try:
        version = npy_format.read_magic(file)
        header = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
        header(file)
        return _ArraysOnly(file).load()
    except ReadError:
        raise
    except Exception as error:  # a broken pickle can raise anything
        raise ReadError(f"cannot be read as Cellpose's _seg.npy: {str(error)[:120] or type(error).__name__}") from error
