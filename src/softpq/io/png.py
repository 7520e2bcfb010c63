"""PNG: 8 and 16 bit, palette (the index is the label), colours that encode ids."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.io import LabelImage, ReadError, check_size, stem_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DEFLATE_LIMIT = 1100
"""Deflate shrinks data by at most about 1030 times: a file that claims more is broken or a trap."""


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the one image of the file."""
    return [LabelImage(stem_of(path), path, lambda: read(path))]


def read(path: Path) -> NDArray[Any]:
    """Read the labels."""
    import imagecodecs
    from PIL import Image

    data = path.read_bytes()
    width, height = _claimed_size(data)
    try:
        Image.MAX_IMAGE_PIXELS, before = None, Image.MAX_IMAGE_PIXELS
        try:
            image = Image.open(io.BytesIO(data), formats=["PNG"])
        finally:
            Image.MAX_IMAGE_PIXELS = before
        if image.mode == "P":
            return np.asarray(image)
        array: NDArray[Any] = imagecodecs.png_decode(data)
    except Exception as error:  # broken files raise many kinds
        raise ReadError(f"cannot be read as PNG: {str(error).splitlines()[0][:200]}") from error
    if array.shape[:2] != (height, width):
        raise ReadError("cannot be read as PNG: its size is not what it claims")
    return array if array.ndim == 2 else _ids_from_colours(array)


def _claimed_size(data: bytes) -> tuple[int, int]:
    if len(data) < 33:
        raise ReadError("cannot be read as PNG: it is cut short")
    width, height = (int.from_bytes(data[k : k + 4], "big") for k in (16, 20))
    check_size(width * height)
    if width * height > _DEFLATE_LIMIT * 8 * len(data):
        raise ReadError(f"cannot be read as PNG: {len(data)} bytes cannot hold {width} x {height} pixels")
    return width, height


def _ids_from_colours(array: NDArray[Any]) -> NDArray[Any]:
    """R + 256 G + 65536 B, as COCO's panoptic format encodes ids; photographs are refused."""
    if array.dtype != np.uint8 or array.shape[2] < 3:
        raise ReadError(f"has {array.shape[2]} channels; a label image has one")
    if (array[..., 0] == array[..., 1]).all() and (array[..., 0] == array[..., 2]).all() and array.any():
        raise ReadError("is a grey picture saved in colour; save labels with one channel")
    colour = array.astype(np.uint32)
    ids: NDArray[Any] = colour[..., 0] + 256 * colour[..., 1] + 65536 * colour[..., 2]
    if len(np.unique(ids)) > max(16, ids.size // 40):
        raise ReadError("looks like a colour photograph, not labels: too many different colours")
    return ids
