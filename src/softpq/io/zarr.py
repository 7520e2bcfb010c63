"""Zarr and OME-Zarr, versions 2 and 3, with zarr; a pyramid gives its full resolution."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq.io import LabelImage, ReadError, check_size, needs, stem_of
from softpq.io.stored import Block, StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the one array."""
    return [LabelImage(stem_of(path), path, lambda: read(path, inner), stored=lambda: open_parts(path, inner))]


def read(path: Path, inner: str | None = None) -> NDArray[Any]:
    """Read one array into memory."""
    array = _opened(path, inner)
    check_size(array.nbytes)
    try:
        labels: NDArray[Any] = array[...]
    except Exception as error:  # zarr raises many kinds on broken stores
        raise _explained(error) from error
    return labels.squeeze()


def open_parts(path: Path, inner: str | None = None) -> StoredArray:
    """Open the array for reading parts of it."""
    array = _opened(path, inner)

    def missing() -> tuple[int, int, Any]:
        return array.nchunks - array.nchunks_initialized, array.nchunks, array.fill_value

    chunks = getattr(array, "shards", None) or array.chunks
    return StoredArray(partial(_read_block, array), array.shape, array.dtype, chunks, path.name, missing)


def _read_block(array: Any, block: Block) -> NDArray[Any]:
    """Read in an event loop of this thread: in Zarr's own, all threads would wait for each other."""
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


def _opened(path: Path, inner: str | None) -> Any:
    zarr = needs("zarr", ".zarr", "zarr")
    try:
        node = zarr.open(str(path), mode="r")
        return _full_resolution(node[inner] if inner else node)
    except ReadError:
        raise
    except Exception as error:  # zarr raises many kinds on broken stores
        raise _explained(error) from error


def _explained(error: Exception) -> ReadError:
    return ReadError(f"cannot be read as Zarr: {str(error)[:160] or type(error).__name__}")


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
