"""MATLAB files of label images: CoNSeP, Kumar, CPM, Lizard, HoVer-Net. Version 5 is read here, 7.3 is HDF5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError, needs
from softpq.io.format import Content, Format, Place
from softpq.io.formats.mat_elements import variables

if TYPE_CHECKING:
    from numpy.typing import NDArray

INSTANCES = ("inst_map", "instance_map", "instances", "labels", "label", "masks", "mask")
"""What maps of instances are called."""

Arrays = Mapping[str, Callable[[], "NDArray[Any]"]]


def read(place: Place) -> Content:
    """Read the map of instances, and the class of each if the file knows it."""
    with _opened(place) as arrays:
        name = place.inner or _only(arrays)
        if name not in arrays:
            raise ReadError(f"holds no array {name!r}; there are {', '.join(arrays) or 'none'}")
        labels = arrays[name]()
        return Content(labels.squeeze(), _classes(labels, arrays))


@contextmanager
def _opened(place: Place) -> Iterator[Arrays]:
    """Name -> what reads the array, rows first."""
    with place.path.open("rb") as file:
        head = file.read(16)
    if head.startswith(b"MATLAB 7.3"):
        place.must_be_alone()
        h5py = needs("h5py", "hdf5", "Reading .mat of version 7.3")
        with h5py.File(place.path, "r") as opened:
            own = [name for name in opened if isinstance(opened.get(name, getlink=True), h5py.HardLink)]
            yield {name: _reader(opened[name], place) for name in own if isinstance(opened[name], h5py.Dataset)}
        return
    place.check_size(place.path.stat().st_size)
    found = variables(place.path.read_bytes(), place.options.limit)
    yield {one.name: one.array for one in found}


def _reader(dataset: Any, place: Place) -> Callable[[], NDArray[Any]]:
    def array() -> NDArray[Any]:
        if dataset.external or dataset.is_virtual:
            raise ReadError("holds an array that is stored in another file")
        place.check_size(dataset.nbytes)
        return np.ascontiguousarray(np.asarray(dataset[()]).T)

    return array


def _only(arrays: Arrays) -> str:
    usual = next((name for name in INSTANCES if name in arrays), None)
    if usual is None and len(arrays) != 1:
        raise ReadError(f"holds no inst_map, say which array as file.mat:NAME; there are {', '.join(arrays) or 'none'}")
    return usual or next(iter(arrays))


def _classes(labels: NDArray[Any], arrays: Arrays) -> dict[int, str] | None:
    """Label -> class: of a list of classes and one of labels, of a list in the order of labels, or of a map."""
    ids = [int(label) for label in np.unique(labels) if label != 0]
    for kinds, numbers in (("class", "id"), ("inst_type", "inst_uid"), ("inst_type", "")):
        if kinds not in arrays or (numbers and numbers not in arrays):
            continue
        own = [int(value) for value in arrays[numbers]().ravel()] if numbers else ids
        values = arrays[kinds]().ravel()
        if len(own) == len(values):
            known = {label: str(int(value)) for label, value in zip(own, values, strict=True)}
            return {label: known.get(label, "") for label in ids}
    if "type_map" not in arrays:
        return None
    return most_frequent(labels, arrays["type_map"]())


def most_frequent(labels: NDArray[Any], kinds: NDArray[Any]) -> dict[int, str] | None:
    """Label -> the class that most of its pixels have; 0 is none, and of equal ones the smallest is taken."""
    if kinds.shape != labels.shape:
        return None
    inside = (labels != 0) & (kinds != 0)
    pairs, counts = np.unique(np.stack([labels[inside], kinds[inside]]).astype(np.int64), axis=1, return_counts=True)
    order = np.lexsort((-pairs[1], counts))  # the largest comes last, and stays
    found = {int(label): str(int(kind)) for label, kind in pairs[:, order].T}
    return {int(label): found.get(int(label), "") for label in np.unique(labels) if label != 0}


def is_mat(path: Path) -> bool:
    """Whether it is a MATLAB file of a version that is read."""
    with path.open("rb") as file:
        return file.read(10).startswith((b"MATLAB 5.0", b"MATLAB 7.3"))


FORMAT = Format("MATLAB", (".mat",), read, (b"MATLAB",), is_mat, extra="hdf5", has_inside=True)
