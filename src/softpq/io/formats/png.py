"""PNG: 1 to 16 bit, palette (the index is the label), colours that encode ids."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.nucls import nuclei_of
from softpq.table.pieces import pieces_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DEFLATE_LIMIT = 1100
"""Deflate shrinks data by at most about 1030 times: a file that claims more is broken or a trap."""

_GREY, _PALETTE = 0, 3
"""Kinds of colour in the header."""


VOID, VOID_COLOUR = 255, [224, 224, 192]
"""Of VOC: the seam around objects, which counts nowhere."""


def read(place: Place) -> Content:
    """Read the labels."""
    array, bits, colour = _pixels(place)
    if array.ndim == 2 and array.dtype == np.uint8 and bits == 8 and _has_void(array, place, colour):
        return Content(np.where(array == VOID, 0, array), void=array == VOID)
    if array.ndim == 3:
        ids = _ids_from_colours(array)
        return nuclei_of(array, ids) or Content(ids, suspect=_equal_colours(ids))
    scale = {1: 255, 2: 85, 4: 17}.get(bits, 1) if colour == _GREY else 1  # few grey values are spread over 0 to 255
    return Content(array // scale if scale > 1 else array)


def _has_void(array: NDArray[Any], place: Place, colour: int) -> bool:
    """Whether 255 is a seam around objects: as the palette says, or as it is thin and lies along nearly all of them."""
    void = array == VOID
    if not void.any():
        return False
    if colour == _PALETTE and _colour_of_void(place) == VOID_COLOUR:
        return True
    others = np.unique(array[~void])
    others = others[others > 0]
    if not len(others) or others[-1] >= VOID - 1:
        return False
    inner, outer = _eroded(void, 3), ~_eroded(~void, 1)
    beside = np.intersect1d(array[outer & ~void], others)
    return bool(20 * inner.sum() < void.sum() and 10 * len(beside) >= 8 * len(others))


def _eroded(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Pixels with nothing but the mask within a box of this reach."""
    for axis in (0, 1):
        for _ in range(reach):
            shifted = [np.roll(mask, step, axis) for step in (1, -1)]
            mask = mask & shifted[0] & shifted[1]
    return mask


def _colour_of_void(place: Place) -> list[int]:
    """What the palette has for the last index."""
    from PIL.PngImagePlugin import PngImageFile

    with PngImageFile(io.BytesIO(place.path.read_bytes())) as image:
        return (image.getpalette() or [])[3 * VOID : 3 * VOID + 3]


def _pixels(place: Place) -> tuple[NDArray[Any], int, int]:
    """Values of pixels, how many bits they have, and the kind of colour."""
    from PIL.PngImagePlugin import PngImageFile

    data = place.path.read_bytes()
    width, height, bits, colour = _header(data, place)
    if bits == 16 and colour != _GREY:
        raise ReadError("has colours of 16 bits; a label image has one channel")
    with PngImageFile(io.BytesIO(data)) as image:  # Image.open would look at a limit that others may change
        array: NDArray[Any] = np.asarray(image.convert("L") if image.mode == "1" else image)
    if array.shape[:2] != (height, width):
        raise ReadError("cannot be read as PNG: its size is not what it claims")
    return array, bits, colour


def read_colour_ids(place: Place) -> NDArray[np.uint32]:
    """Read R + 256 G + 65536 B of every pixel, whatever it looks like.

    Raises
    ------
    ReadError
        If there are no colours.
    """
    array, _, _ = _pixels(place)
    if array.ndim != 3 or array.dtype != np.uint8 or array.shape[2] < 3:
        raise ReadError("must be a PNG in colour, whose colours are ids; it is not")
    return _as_ids(array)


def _as_ids(array: NDArray[Any]) -> NDArray[np.uint32]:
    colour = array.astype(np.uint32)
    ids: NDArray[np.uint32] = colour[..., 0] + 256 * colour[..., 1] + 65536 * colour[..., 2]
    return ids


def _header(data: bytes, place: Place) -> tuple[int, int, int, int]:
    if len(data) < 33:
        raise ReadError("cannot be read as PNG: it is cut short")
    width, height = (int.from_bytes(data[k : k + 4], "big") for k in (16, 20))
    place.check_size(width * height * (4 if data[25] not in (_GREY, _PALETTE) else 2))
    if width * height > _DEFLATE_LIMIT * 8 * len(data):
        raise ReadError(f"cannot be read as PNG: {len(data)} bytes cannot hold {width} x {height} pixels")
    return width, height, data[24], data[25]


def _ids_from_colours(array: NDArray[Any]) -> NDArray[Any]:
    """R + 256 G + 65536 B, as COCO's panoptic format encodes ids; photographs are refused."""
    if array.dtype != np.uint8 or array.shape[2] < 3:
        raise ReadError(f"has {array.shape[2]} channels; a label image has one")
    if (array[..., 0] == array[..., 1]).all() and (array[..., 0] == array[..., 2]).all() and array.any():
        raise ReadError("is a grey picture saved in colour; save labels with one channel")
    ids = _as_ids(array)
    if len(np.unique(ids)) > max(16, ids.size // 40):
        raise ReadError("looks like a colour photograph, not labels: too many different colours")
    return ids


def _equal_colours(ids: NDArray[Any]) -> str:
    """Say so if most colours come again elsewhere: pictures that are made to be looked at have few."""
    labels, _, sizes = pieces_of(ids)
    if not len(sizes):
        return ""
    kinds, counts = np.unique(labels[8 * sizes >= np.median(sizes)], return_counts=True)
    again = int((counts > 1).sum())
    if again < 5 or again < 0.8 * len(kinds):
        return ""
    what = f"looks like a picture with fewer colours than objects: {again} of its {len(kinds)} colours are in several"
    return f"{what} pieces. Give instance labels; split_components=True takes every piece as an object."


FORMAT = Format("PNG", (".png",), read, (b"\x89PNG",))
