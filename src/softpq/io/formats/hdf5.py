"""HDF5, with h5py: ``file.h5:dataset``, the only dataset of integers, or the frames of a movie.

Its library was not made for files of strangers: damaged ones end the process. So a process of its own reads them; what
is read in parts is looked at there first.
"""

from __future__ import annotations

import math
from typing import Any

from softpq.errors import ReadError, needs
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.formats.inside import chosen, frame_names, frames
from softpq.io.stored import StoredArray


def read(place: Place) -> Content:
    """Read one dataset."""
    place.must_be_alone()
    dataset, index = _opened(place)
    try:
        part = _part(dataset, index, place)
        place.check_size(dataset.dtype.itemsize * math.prod(one.stop - one.start for one in part))
        return Content(dataset[part].squeeze())
    finally:
        dataset.file.close()


def open_parts(place: Place) -> StoredArray:
    """Open the dataset for reading parts of it; the file stays open as long as that is used."""
    place.must_be_alone()
    dataset, index = _opened(place)
    chunks, close = dataset.chunks, dataset.file.close
    stored = StoredArray(
        lambda block: dataset[block], dataset.shape, dataset.dtype, chunks, place.path.name, close=close
    )
    return stored.part(_part(dataset, index, place))


def names(place: Place) -> list[str]:
    """List the images: the frames of a movie, the moments of an axis that somebody calls time, or one."""
    place.must_be_alone()
    h5py = needs("h5py", "hdf5", "Reading .h5")
    with h5py.File(place.path, "r") as file:
        listed = frames(_inside(file, place, h5py))
    if listed:
        return frame_names(place.stem, listed)
    if place.options.axes is None or "T" not in place.options.axes:
        return [place.stem]
    dataset, _ = _opened(place)
    try:
        return Axes.unstated(dataset.shape).asked(place.options.axes).names(place.stem)
    finally:
        dataset.file.close()


def _part(dataset: Any, index: int, place: Place) -> tuple[slice, ...]:
    return Axes.unstated(dataset.shape).asked(place.options.axes).part(index, place.options.channel)


def _opened(place: Place) -> tuple[Any, int]:
    """The dataset, and which of its moments is meant."""
    h5py = needs("h5py", "hdf5", "Reading .h5")
    file = h5py.File(place.path, "r")
    name, index = _name(file, place, h5py)
    _check_links(file, name, place, h5py)
    dataset = file.get(name)
    if not isinstance(dataset, h5py.Dataset):
        raise ReadError(f"holds no dataset {name!r}; there are {', '.join(_datasets(file, h5py))}")
    _check_sources(dataset, place)
    return dataset, index


def _name(file: Any, place: Place, h5py: Any) -> tuple[str, int]:
    """What the dataset is called; a movie has one for each frame."""
    inside = _inside(file, place, h5py)
    if listed := frames(inside):
        return listed[place.index], 0
    if place.inner and not inside:
        return place.inner, place.index
    return chosen(inside, "dataset", "file.h5"), place.index


def _inside(file: Any, place: Place, h5py: Any) -> list[str]:
    """Datasets of whole numbers: of the file, or of the group that somebody names; a dataset has none."""
    prefix = f"{place.inner.strip('/')}/" if place.inner else ""
    found = _datasets(file, h5py).items()
    return [name for name, item in found if name.startswith(prefix) and item.dtype.kind in "iu" and item.ndim > 1]


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


FORMAT = Format(
    "HDF5", (".h5", ".hdf5", ".hdf"), read, (b"\x89HDF",), extra="hdf5", names=names, open_parts=open_parts,
    has_inside=True,
)  # fmt: skip
