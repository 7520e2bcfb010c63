"""Raw images, to be looked at: pixels of any kind, colours and channels included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats import format_of
from softpq.io.formats.tiff_header import check_directories

if TYPE_CHECKING:
    from numpy.typing import NDArray

PILLOW = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")
"""Suffixes of pictures that Pillow reads."""

_MODES = {"P": "RGB", "RGBA": "RGB", "PA": "RGB", "LA": "L", "CMYK": "RGB"}
"""What transparency, palettes and the like are turned into."""


def read(place: Place) -> Content:
    """Read the pixels of a picture, in a process of its own; transparency is dropped."""
    place.must_be_alone()
    suffix = place.path.suffix.lower()
    if suffix in PILLOW:
        return Content(_with_pillow(place))
    if suffix in (".tif", ".tiff"):
        return Content(_tiff(place))
    found = format_of(place.path).read(place).labels
    if not isinstance(found, np.ndarray):
        raise ReadError("holds outlines, not pixels")
    return Content(found)


def _with_pillow(place: Place) -> NDArray[Any]:
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # this process is ours; the limit is below
    with Image.open(place.path) as image:
        place.check_size(image.width * image.height * len(image.getbands()))
        return np.asarray(image.convert(_MODES.get(image.mode, image.mode)))


def _tiff(place: Place) -> NDArray[Any]:
    import tifffile

    check_directories(place.path)
    with tifffile.TiffFile(place.path) as tiff:
        series = tiff.series[0]
        place.check_size(series.nbytes)
        pixels: NDArray[Any] = series.asarray()
        return pixels


PICTURE = Format("picture", (), read)
"""Not one of FORMATS: whoever asks for a picture gets whatever is there."""
