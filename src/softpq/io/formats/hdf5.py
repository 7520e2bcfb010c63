"""HDF5, with h5py: ``file.h5:dataset``, or the only dataset of integers.

Its library was not made for files of strangers: damaged ones end the process. So a process of its own reads them; what
is read in parts is looked at there first.
"""

from __future__ import annotations

import math
from typing import Any

from softpq.errors import ReadError, needs
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.stored import StoredArray

USUAL = ("label", "labels", "masks", "segmentation", "neuron_ids", "exported_data", "main")
"""Names of datasets that are taken where there are several."""


def read(place: Place) -> Content:
    """Read one dataset."""
    place.must_be_alone()
    dataset = _opened(place)
    try:
        part = Axes.unstated(dataset.shape).asked(place.options.axes).part(place.index, place.options.channel)
        place.check_size(dataset.dtype.itemsize * math.prod(one.stop - one.start for one in part))
        return Content(dataset[part].squeeze())
    finally:
        dataset.file.close()


def open_parts(place: Place) -> StoredArray:
    """Open the dataset for reading parts of it; the file stays open as long as that is used."""
    place.must_be_alone()
    dataset = _opened(place)
    chunks, close = dataset.chunks, dataset.file.close
    stored = StoredArray(
        lambda block: dataset[block], dataset.shape, dataset.dtype, chunks, place.path.name, close=close
    )
    return stored.part(_part(dataset, place))


def _part(dataset: Any, place: Place) -> tuple[slice, ...]:
    return Axes.unstated(dataset.shape).asked(place.options.axes).part(place.index, place.options.channel)


def _opened(place: Place) -> Any:
    h5py = needs("h5py", "hdf5", "Reading .h5")
    file = h5py.File(place.path, "r")
    name = place.inner or _only_integers(file, h5py)
    _check_links(file, name, place, h5py)
    dataset = file.get(name)
    if not isinstance(dataset, h5py.Dataset):
        raise ReadError(f"holds no dataset {name!r}; there are {', '.join(_datasets(file, h5py))}")
    _check_sources(dataset, place)
    return dataset


def _check_links(file: Any, name: str, place: Place, h5py: Any) -> None:
    """What lies in another file must be allowed to, and be there."""
    group = file
    for part in name.strip("/").split("/"):
        link = group.get(part, getlink=True) if isinstance(group, h5py.Group) else None
        if isinstance(link, h5py.ExternalLink):
            place.beside(link.filename)
        group = group.get(part) if isinstance(group, h5py.Group) else None


def _check_sources(dataset: Any, place: Place) -> None:
    """Pixels that are stored in other files: of external storage, and of virtual datasets."""
    for name, _, _ in dataset.external or ():
        place.beside(name)
    if dataset.is_virtual:
        for source in dataset.virtual_sources():
            if source.file_name != ".":
                place.beside(source.file_name)


def _datasets(file: Any, h5py: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def _only_integers(file: Any, h5py: Any) -> str:
    found = [name for name, item in _datasets(file, h5py).items() if item.dtype.kind in "iu" and item.ndim > 1]
    chosen = next((same for wanted in USUAL if (same := [n for n in found if n.rsplit("/", 1)[-1] == wanted])), found)
    if len(chosen) != 1:
        raise ReadError(f"holds several datasets, say which as file.h5:NAME; there are {', '.join(found) or 'none'}")
    return chosen[0]


FORMAT = Format(
    "HDF5", (".h5", ".hdf5", ".hdf"), read, (b"\x89HDF",), extra="hdf5", open_parts=open_parts, has_inside=True,
)  # fmt: skip
