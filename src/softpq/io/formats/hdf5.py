"""HDF5, with h5py: ``file.h5:dataset``, or the only dataset of integers.

Its library was not made for files of strangers: damaged ones end the process. So a process of its own reads them; what
is read in parts is looked at there first.
"""

from __future__ import annotations

from typing import Any

from softpq.errors import ReadError, needs
from softpq.io.format import Content, Format, Place
from softpq.io.stored import StoredArray

USUAL = ("label", "labels", "masks", "segmentation")
"""Names of datasets that are taken where there are several."""


def read(place: Place) -> Content:
    """Read one dataset."""
    place.must_be_alone()
    dataset = _opened(place)
    try:
        place.check_size(dataset.nbytes)
        return Content(dataset[...].squeeze())
    finally:
        dataset.file.close()


def open_parts(place: Place) -> StoredArray:
    """Open the dataset for reading parts of it; the file stays open as long as that is used."""
    place.must_be_alone()
    dataset = _opened(place)
    chunks, close = dataset.chunks, dataset.file.close
    return StoredArray(lambda block: dataset[block], dataset.shape, dataset.dtype, chunks, place.path.name, close=close)


def _opened(place: Place) -> Any:
    h5py = needs("h5py", "hdf5", "Reading .h5")
    file = h5py.File(place.path, "r")
    name = place.inner or _only_integers(file, h5py)
    _check_links(file, name, place, h5py)
    if name not in file or not isinstance(file[name], h5py.Dataset):
        raise ReadError(f"holds no dataset {name!r}; there are {', '.join(_datasets(file, h5py))}")
    _check_sources(file[name], place)
    return file[name]


def _check_links(file: Any, name: str, place: Place, h5py: Any) -> None:
    """What lies in another file must be allowed to, and be there."""
    parts = [part for part in name.split("/") if part]
    for k in range(1, len(parts) + 1):
        link = file.get("/".join(parts[:k]), getlink=True) if "/".join(parts[: k - 1]) in file or k == 1 else None
        if isinstance(link, h5py.ExternalLink):
            place.beside(link.filename)


def _check_sources(dataset: Any, place: Place) -> None:
    """Pixels that are stored in other files: of external storage, and of virtual datasets."""
    for name, _, _ in dataset.external or ():
        place.beside(name)
    if dataset.is_virtual:
        for source in dataset.virtual_sources():
            if source.file_name != ".":
                place.beside(source.file_name)


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
    "HDF5", (".h5", ".hdf5", ".hdf"), read, (b"\x89HDF",), extra="hdf5", open_parts=open_parts, has_inside=True,
)  # fmt: skip
