"""From files to labels. Public: reading one file, the formats that are known, and the error that says what is wrong."""

from __future__ import annotations

from softpq.errors import ReadError
from softpq.io.format import Content, Format
from softpq.io.formats import FORMATS
from softpq.io.image import LabelImage, images_in
from softpq.io.one_file import open_stored, read_labels, read_masks

__all__ = [
    "FORMATS",
    "Content",
    "Format",
    "LabelImage",
    "ReadError",
    "images_in",
    "open_stored",
    "read_labels",
    "read_masks",
]
