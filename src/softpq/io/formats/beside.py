"""The picture that a text of outlines is of, which lies beside it: only its size is looked at."""

from __future__ import annotations

from pathlib import Path

from softpq.io.format import Place

_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")
_DECODERS = ("PNG", "JPEG", "TIFF", "BMP", "WEBP")
_ORIENTATION, _ON_ITS_SIDE = 0x0112, (5, 6, 7, 8)


def size_beside(place: Place) -> tuple[int, int] | None:
    """Height and width of the picture with the name of a text; it lies beside it, or in ``images`` for ``labels``."""
    path = next((path for path in _candidates(place.path) if path.is_file()), None)
    if path is None:
        return None
    place.others.append(path)
    return _size(path)


def _candidates(path: Path) -> list[Path]:
    stems = [path.with_suffix("")]
    if "labels" in path.parts[:-1]:
        at = len(path.parts) - 1 - path.parts[::-1].index("labels")
        stems.append(Path(*path.parts[:at], "images", *path.parts[at + 1 :]).with_suffix(""))
    suffixes = [form(suffix) for suffix in _SUFFIXES for form in (str.lower, str.upper)]
    return [stem.with_name(stem.name + suffix) for stem in stems for suffix in suffixes]


def _size(path: Path) -> tuple[int, int] | None:
    """As the picture is shown: cameras that were turned say so."""
    from PIL import Image

    try:
        with Image.open(path, formats=_DECODERS) as image:
            turned = image.getexif().get(_ORIENTATION) in _ON_ITS_SIDE
            return image.size if turned else (image.height, image.width)
    except Exception:  # what is no picture tells no size
        return None
