"""The image of one file: its labels, its masks, or parts of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import how_many
from softpq.errors import ReadError
from softpq.io.format import ReadOptions
from softpq.io.formats import split_inner
from softpq.io.image import images_in
from softpq.table.mask_pictures import labels_of
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.io.stored import StoredArray


def read_labels(
    location: str | Path,
    shape: tuple[int, ...] | None = None,
    *,
    axes: str | None = None,
    channel: int | None = None,
) -> NDArray[Any]:
    """Read the label image of a file.

    Parameters
    ----------
    location
        A path; ``file.h5:dataset`` for what is inside of a container.
    shape
        For polygons and runs without a size: the image they are on.
    axes, channel
        What the axes of the file are, such as ``"ZYX"``, and which of several channels holds the labels.

    See Also
    --------
    softpq.io.read_masks : Objects that may overlap.
    softpq.io.open_stored : Without reading pixels.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file.name, [[0, 1], [2, 2]])
    ...     read_labels(file.name).tolist()
    [[0, 1], [2, 2]]
    """
    found = _only_image(location, shape, ReadOptions(axes=axes, channel=channel))
    if not isinstance(found, Masks):
        return found
    some = found.areas > 0
    labels = labels_of(found.with_(ids=found.numbers).select(some))
    if labels is None:
        raise ReadError("holds objects that overlap, which no label image can hold; use softpq.io.read_masks")
    return labels.astype(np.uint32)


def read_masks(location: str | Path, shape: tuple[int, ...] | None = None) -> Masks:
    """Read the objects of a file that holds one image; they may overlap.

    Parameters
    ----------
    location
        The file; what lies inside of a container is chosen as in ``"cells.h5:nuclei"``.
    shape
        Of the image, for outlines whose file does not tell it.

    See Also
    --------
    softpq.io.read_labels : As one label image.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file.name, [[0, 1], [2, 2]])
    ...     read_masks(file.name)
    Masks(2 of shape (2, 2), with ids)
    """
    found = _only_image(location, shape, ReadOptions())
    return found if isinstance(found, Masks) else Masks.from_labels(found)


def _only_image(location: str | Path, shape: tuple[int, ...] | None, options: ReadOptions) -> NDArray[Any] | Masks:
    if not split_inner(location)[0].exists():
        raise ReadError(f"{location} does not exist")
    images = images_in(location, options)
    if len(images) != 1:
        raise ReadError(f"holds {how_many(len(images), 'image')}; one was expected")
    found = images[0].read(options).labels
    if isinstance(found, np.ndarray | Masks):
        return found
    size = shape or found.extent()
    if size is None:
        raise ReadError("does not say how large the image is; pass its shape")
    return found.masks(size)


def open_stored(location: str | Path, *, axes: str | None = None, channel: int | None = None) -> StoredArray:
    """Open an array without reading it.

    Parameters
    ----------
    location
        Path of a Zarr, OME-Zarr, HDF5, TIFF or NPY file; ``file.h5:dataset`` for what is inside.
    axes, channel
        What the axes of the file are, such as ``"ZYX"``, and which of several channels holds the labels.

    See Also
    --------
    softpq.io.read_labels : All pixels.
    softpq.count : Counts what is stored.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
    >>> np.save(path, np.array([[0, 1, 2]]))
    >>> array = open_stored(path)
    >>> array.shape, array[1:3,].tolist()
    ((3,), [1, 2])
    """
    options = ReadOptions(axes=axes, channel=channel)
    try:
        images = images_in(location, options)
    except FileNotFoundError as error:
        raise ReadError(f"{location} does not exist") from error
    except ReadError as error:
        raise ReadError(f"{location} {error}") from error
    if len(images) != 1:
        raise ReadError(f"{location} holds {how_many(len(images), 'image')}; one was expected")
    return images[0].open_parts(options)
