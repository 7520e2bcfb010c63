"""TIFF: plain, stacks, compressed, BigTIFF, ImageJ, OME."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq.io import LabelImage, ReadError, check_size, stem_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the one image of the file."""
    return [LabelImage(stem_of(path), path, lambda: read(path), stored=lambda: _open_parts(path))]


def _open_parts(path: Path) -> Any:
    from softpq.io.tiff_parts import open_parts

    return open_parts(path)


def read(path: Path) -> NDArray[Any]:
    """Read the first series, without axes of length 1."""
    import tifffile

    try:
        with tifffile.TiffFile(path) as tiff:
            if not tiff.series:
                raise ReadError("cannot be read as TIFF: it holds no image")
            series = tiff.series[0]
            check_size(series.nbytes)
            if series.keyframe.photometric == 2 and series.keyframe.samplesperpixel >= 3:
                raise ReadError("is a colour image, not labels")
            array: NDArray[Any] = series.asarray()
    except ReadError:
        raise
    except Exception as error:  # tifffile raises many kinds on broken files
        raise ReadError(f"cannot be read as TIFF: {_short(error)}") from error
    return array.squeeze()


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
