"""Raw images, to be looked at: pixels of any kind, colours and channels included."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place, printable
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
        return _tiff(place)
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


def _tiff(place: Place) -> Content:
    import tifffile

    check_directories(place.path)
    with tifffile.TiffFile(place.path) as tiff:
        series = tiff.series[0]
        place.check_size(series.nbytes)
        return Content(series.asarray(), channels=_channel_names(tiff))


def _channel_names(tiff: Any) -> tuple[str, ...]:
    """What OME calls the channels of the first image."""
    image = re.search(r"<(?:\w+:)?Pixels\b.*?</(?:\w+:)?Pixels>", tiff.ome_metadata or "", re.S)
    found = re.findall(r'<(?:\w+:)?Channel\b[^>]*?\bName="([^"]*)"', image[0]) if image else []
    return tuple(printable(html.unescape(name))[:40] for name in found)


PICTURE = Format("picture", (), read)
"""Not one of FORMATS: whoever asks for a picture gets whatever is there."""
