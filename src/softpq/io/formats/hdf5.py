"""HDF5, with h5py: ``file.h5:dataset``, or the only dataset of integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softpq.errors import ReadError, needs
from softpq.io.format import Content, Format, check_size
from softpq.io.stored import StoredArray

USUAL = ("label", "labels", "masks", "segmentation")
"""Names of datasets that are taken where there are several."""


def read(path: Path, inner: str | None, index: int) -> Content:
    """Read one dataset."""
    dataset = _opened(path, inner)
    try:
        check_size(dataset.nbytes)
        return Content(dataset[...].squeeze())
    finally:
        dataset.file.close()


def open_parts(path: Path, inner: str | None) -> StoredArray:
    """Open the dataset for reading parts of it; the file stays open as long as that is used."""
    dataset = _opened(path, inner)
    chunks, close = dataset.chunks, dataset.file.close
    return StoredArray(lambda block: dataset[block], dataset.shape, dataset.dtype, chunks, path.name, close=close)


def _opened(path: Path, inner: str | None) -> Any:
    h5py = needs("h5py", "hdf5", "Reading .h5")
    file = h5py.File(path, "r")
    name = inner or _only_integers(file, h5py)
    if name not in file or not isinstance(file[name], h5py.Dataset):
        raise ReadError(f"holds no dataset {name!r}; there are {', '.join(_datasets(file, h5py))}")
    return file[name]


def _datasets(file: Any, h5py: Any) -> list[str]:
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    return found


def _only_integers(file: Any, h5py: Any) -> str:
    found = [name for name in _datasets(file, h5py) if file[name].dtype.kind in "iu" and file[name].ndim > 1]
    usual = [name for name in found if name.rsplit("/", 1)[-1] in USUAL]
    chosen = usual or found
    if len(chosen) != 1:
        raise ReadError(f"holds several datasets, say which as file.h5:NAME; there are {', '.join(found) or 'none'}")
    return chosen[0]


FORMAT = Format(
    "HDF5", (".h5", ".hdf5", ".hdf"), read, (b"\x89HDF",), extra="hdf5", open_parts=open_parts, has_inside=True
)
