"""Zarr and OME-Zarr, versions 2 and 3, with zarr; a pyramid gives its full resolution."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq.errors import ReadError, needs
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.formats.inside import chosen
from softpq.io.formats.zarr_chunks import MOST_CHUNKS, check_chunks, check_claim
from softpq.io.formats.zarr_store import check_array, check_files
from softpq.io.geometry import Geometry, unit_of
from softpq.io.stored import Block, StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_store(path: Path) -> bool:
    """Whether a folder is a Zarr array or group."""
    return any((path / name).exists() for name in (".zarray", ".zgroup", "zarr.json"))


def read(place: Place) -> Content:
    """Read one moment into memory."""
    array, axes, geometry = _described(place)
    part = axes.part(place.index, place.options.channel)
    place.check_size(array.dtype.itemsize * math.prod(one.stop - one.start for one in part))
    check_chunks(array, part, place)
    stated = "Y" in axes.letters
    notes = (*_notes(array, place), *_taken(array, place))
    return Content(array[part], geometry=geometry, notes=notes, stated=stated).squeezed()


def open_parts(place: Place) -> StoredArray:
    """Open the array for reading parts of it."""
    array, axes, _ = _described(place)
    if place.options.require_chunks:
        _notes(array, place)
    chunks = getattr(array, "shards", None) or array.chunks
    notes = partial(_notes, array, place)
    stored = StoredArray(partial(_read_block, array, place), array.shape, array.dtype, chunks, place.path.name, notes)
    return stored.part(axes.part(place.index, place.options.channel))


def names(place: Place) -> list[str]:
    """List the moments, if the store states that an axis is time, or somebody says so."""
    head = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in (place.path / ".zattrs", place.path / "zarr.json")
        if path.is_file() and path.stat().st_size < 1 << 22
    )
    if place.options.axes is None and not re.search(r'"type"\s*:\s*"time"', head):
        return [place.stem]
    return _described(place)[1].names(place.stem)


def _described(place: Place) -> tuple[Any, Axes, Geometry | None]:
    """The array, what its axes are, and the size of its pixels."""
    zarr = needs("zarr", "zarr", "Reading .zarr")
    check_files(place.path)
    node = zarr.open(str(place.path), mode="r")
    node = node[place.inner] if place.inner else node
    array, scales = _full_resolution(node)
    check_array(array)
    check_claim(array)
    axes, geometry = Axes.unstated(array.shape), None
    stated = (scales or {}).get("axes", [])
    if len(stated) == array.ndim:
        letters = "".join(str(one["name"] if isinstance(one, dict) else one)[:1] for one in stated)
        axes = Axes.stated(letters, array.shape)
        geometry = _geometry(scales, array.ndim)
    return array, axes.asked(place.options.axes), geometry


def _geometry(scales: Any, n_axes: int) -> Geometry | None:
    """The scale of the first level, if it is stated for all axes."""
    found = [one.get("scale") for one in scales["datasets"][0].get("coordinateTransformations", []) if "scale" in one]
    if not found or len(found[0]) != n_axes:
        return None
    units = {
        unit_of(one["unit"])
        for one in scales["axes"]
        if isinstance(one, dict) and one.get("type") == "space" and "unit" in one
    }
    return Geometry(tuple(float(size) for size in found[0]), unit=units.pop() if len(units) == 1 else "")


def _notes(array: Any, place: Place) -> tuple[str, ...]:
    """Chunks that are not stored are the fill value by definition; it should be said."""
    if array.nchunks > MOST_CHUNKS:
        said = f"has {array.nchunks} chunks, of which nobody can say which are stored"
        if place.options.require_chunks:
            raise ReadError(said)
        return (said,)
    lost = array.nchunks - array.nchunks_initialized
    if not lost:
        return ()
    said = f"{lost} of {array.nchunks} chunks are not stored and stand for {array.fill_value}"
    if place.options.require_chunks:
        raise ReadError(f"is not complete: {said}")
    return (said,)


def _taken(array: Any, place: Place) -> tuple[str, ...]:
    """Which label image of a store was taken, where nobody said so."""
    path = str(getattr(array, "path", ""))
    return (f"its only label image, {path.rpartition('/')[0]}, is taken",) if "/" in path and not place.inner else ()


def _read_block(array: Any, place: Place, block: Block) -> NDArray[Any]:
    """Read in an event loop of this thread: in Zarr's own, all threads would wait for each other."""
    check_chunks(array, block, place)
    asynchronous = getattr(array, "async_array", None) or getattr(array, "_async_array", None)
    if asynchronous is None or _in_event_loop():
        plain: NDArray[Any] = array[block]
        return plain
    import asyncio

    found: NDArray[Any] = asyncio.run(asynchronous.getitem(block))
    return found


def _in_event_loop() -> bool:
    """In the main thread of a notebook there is one already."""
    import asyncio  # which takes long to import

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _full_resolution(node: Any) -> tuple[Any, Any]:
    """The array, and what the store says of it, if it is a pyramid."""
    if hasattr(node, "shape"):
        return node, None
    attributes = dict(node.attrs)
    ome = {**attributes, **attributes.get("ome", {})}
    scales, listed = ome.get("multiscales"), ome.get("labels")
    if listed and not scales:  # the group that holds the label images of an OME-Zarr image
        return _full_resolution(node[_only_labels(listed, "holds several label images")])
    if "labels" in node and "image-label" not in ome and not hasattr(node["labels"], "shape"):
        inside = dict(node["labels"].attrs)
        names = inside.get("labels") or inside.get("ome", {}).get("labels") or sorted(node["labels"].group_keys())
        said = "is an image with label images inside" if scales else "holds several label images"
        return _full_resolution(node["labels"][_only_labels(names, said)])
    if scales:
        return node[scales[0]["datasets"][0]["path"]], scales[0]
    arrays = {name: item for name, item in node.members() if hasattr(item, "shape")}
    whole = [name for name, item in arrays.items() if item.dtype.kind in "iu"]
    return node[chosen(sorted(whole or arrays), "array", "store.zarr")], None


def _only_labels(names: list[str], said: str) -> str:
    """The only label image of a store; among several somebody must choose."""
    if len(names) != 1:
        listed = ", ".join(f"labels/{name}" for name in names)
        raise ReadError(f"{said}, say which as store.zarr:NAME; there are {listed or 'none'}")
    return names[0]


FORMAT = Format("Zarr", (".zarr",), read, extra="zarr", names=names, open_parts=open_parts, has_inside=True)
