"""BMP, with Pillow: grey values and palettes are labels, as in PNG. Its decoder runs in a process of its own."""

from __future__ import annotations

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place


def read(place: Place) -> Content:
    """Read the labels."""
    place.must_be_alone()
    from PIL.BmpImagePlugin import BmpImageFile

    with BmpImageFile(str(place.path)) as image:
        place.check_size(image.width * image.height * 4)
        if image.width * image.height > 8 * 256 * place.path.stat().st_size:
            raise ReadError("cannot be read as BMP: it is too small for the pixels that it claims")
        if image.mode not in ("1", "L", "P"):
            raise ReadError("has colours; a label image has one channel")
        return Content(np.asarray(image.convert("L") if image.mode == "1" else image))


FORMAT = Format("BMP", (".bmp",), read, (b"BM",))
