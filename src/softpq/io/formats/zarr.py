"""Zarr and OME-Zarr, versions 2 and 3, with zarr; a pyramid gives its full resolution."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq.errors import ReadError, needs
from softpq.io.format import Content, Format, Place
from softpq.io.formats.zarr_chunks import check_chunks
from softpq.io.stored import Block, StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_store(path: Path) -> bool:
    """Whether a folder is a Zarr array or group."""
    return any((path / name).exists() for name in (".zarray", ".zgroup", "zarr.json"))


def read(place: Place) -> Content:
    """Read one array into memory."""
    array = _opened(place)
    place.check_size(array.nbytes)
    whole = tuple(slice(0, size) for size in array.shape)
    check_chunks(array, whole, place)
    return Content(array[...].squeeze(), notes=_notes(array, place))


def open_parts(place: Place) -> StoredArray:
    """Open the array for reading parts of it."""
    array = _opened(place)
    if place.options.require_chunks:
        _notes(array, place)
    chunks = getattr(array, "shards", None) or array.chunks
    return StoredArray(
        partial(_read_block, array, place),
        array.shape,
        array.dtype,
        chunks,
        place.path.name,
        partial(_notes, array, place),
    )


def _notes(array: Any, place: Place) -> tuple[str, ...]:
    """Chunks that are not stored are the fill value by definition; it should be said."""
    lost = array.nchunks - array.nchunks_initialized
    if not lost:
        return ()
    said = f"{lost} of {array.nchunks} chunks are not stored and stand for {array.fill_value}"
    if place.options.require_chunks:
        raise ReadError(f"is not complete: {said}")
    return (said,)


def _read_block(array: Any, place: Place, block: Block) -> NDArray[Any]:
    """Read in an event loop of this thread: in Zarr's own, all threads would wait for each other."""
    check_chunks(array, block, place)
    asynchronous = getattr(array, "async_array", None) or getattr(array, "_async_array", None)
    if asynchronous is None or _in_event_loop():
        plain: NDArray[Any] = array[block]
        return plain
    found: NDArray[Any] = asyncio.run(asynchronous.getitem(block))
    return found


def _in_event_loop() -> bool:
    """In the main thread of a notebook there is one already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _opened(place: Place) -> Any:
    zarr = needs("zarr", "zarr", "Reading .zarr")
    node = zarr.open(str(place.path), mode="r")
    return _full_resolution(node[place.inner] if place.inner else node)


def _full_resolution(node: Any) -> Any:
    if hasattr(node, "shape"):
        return node
    attributes = dict(node.attrs)
    ome = {**attributes, **attributes.get("ome", {})}
    scales, listed = ome.get("multiscales"), ome.get("labels")
    if listed and not scales:  # the group that holds the label images of an OME-Zarr image
        if len(listed) > 1:
            raise ReadError(
                f"holds several label images, say which as store.zarr:labels/NAME; there are {', '.join(listed)}"
            )
        return _full_resolution(node[listed[0]])
    if scales and "labels" in node and "image-label" not in ome:
        inside = dict(node["labels"].attrs)
        names = inside.get("labels") or inside.get("ome", {}).get("labels") or []
        raise ReadError(
            "is an image with label images inside, say which as "
            f"{' or '.join(f'store.zarr:labels/{name}' for name in names) or 'store.zarr:labels/NAME'}"
        )
    if scales:
        return node[scales[0]["datasets"][0]["path"]]
    arrays = [name for name, item in node.members() if hasattr(item, "shape")]
    if len(arrays) != 1:
        raise ReadError(f"holds several arrays, say which as store.zarr:NAME; there are {', '.join(arrays) or 'none'}")
    return node[arrays[0]]


FORMAT = Format("Zarr", (".zarr",), read, extra="zarr", open_parts=open_parts, has_inside=True)
