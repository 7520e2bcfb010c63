"""Masks of Segment Anything: SA-V, whose frames are images; SA-1B, and lists of masks, one image a file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.json_fields import number_of, whole
from softpq.io.json_items import START, items_of
from softpq.io.json_keys import holds, opening
from softpq.table.masks import Masks
from softpq.table.segmentations import WrongMask, runs_of

Frames = list[list[Any]]


def is_sam(path: Path) -> bool:
    """Whether a JSON file has masklets, or annotations with a predicted IoU; or is a list of such."""
    if opening(path) == "[":
        return holds(path, "segmentation", "predicted_iou") and not holds(path, "image_id")
    if opening(path) != "{":
        return False
    return holds(path, "masklet") or (holds(path, "annotations", "predicted_iou") and not holds(path, "images"))


@lru_cache(maxsize=2)
def _parsed(path: Path, changed: int, length: int) -> tuple[Frames, tuple[int, int], list[float] | None]:
    """Frames of run-lengths, the size, and scores, of SA-1B."""
    found: dict[str, Any] = {}
    for key, item in items_of(path):
        if item is START:
            found[key] = []
        elif isinstance(found.get(key), list):
            found[key].append(item)
        else:
            found[key] = item
    if "masklet" in found:
        size = tuple(whole(found, f"video_{side}", "the video", least=1) for side in ("height", "width"))
        frames = found["masklet"]
        if not isinstance(frames, list):
            raise ReadError(f"must have a list of frames as masklet; got {type(frames).__name__}")
        return frames, (size[0], size[1]), None
    if "" in found:  # a list, as the generator of masks writes it
        rows = found[""]
        return [[_segmentation(row, k) for k, row in enumerate(rows)]], _size_of(rows), _scores(rows)
    image, rows = found.get("image"), found.get("annotations")
    if not isinstance(image, dict) or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ReadError("must have an image and annotations, as SA-1B has them; it has not")
    size = tuple(whole(image, side, "the image", least=1) for side in ("height", "width"))
    return [[row.get("segmentation") for row in rows]], (size[0], size[1]), _scores(rows)


def _scores(rows: list[Any]) -> list[float]:
    return [number_of(row, "predicted_iou", f"annotation {k}") for k, row in enumerate(rows)]


def _segmentation(row: Any, k: int) -> Any:
    found = row.get("segmentation") if isinstance(row, dict) else None
    if not isinstance(found, dict):
        raise ReadError(f"mask {k} must have run-lengths as segmentation; got {type(found).__name__}")
    return found


def _size_of(rows: list[Any]) -> tuple[int, int]:
    """Of the image, as the first mask says."""
    size = rows[0]["segmentation"].get("size")
    if not isinstance(size, list) or len(size) != 2 or not all(type(side) is int and side > 0 for side in size):
        raise ReadError(f"mask 0 must have two whole numbers as size; got {str(size)[:40]}")
    return size[0], size[1]


def _of(place: Place) -> tuple[Frames, tuple[int, int], list[float] | None]:
    status = place.path.stat()
    return _parsed(place.path, status.st_mtime_ns, status.st_size)


def names(place: Place) -> list[str]:
    """List the frames; one image is named after its file."""
    frames, _, scores = _of(place)
    if scores is not None:
        return [place.stem]
    return [f"{place.stem}_{k:04d}" for k in range(len(frames))]


def read(place: Place) -> Content:
    """Read the masks of one frame; an object that is not to be seen there has an empty one."""
    frames, size, scores = _of(place)
    masks = frames[place.index]
    if not isinstance(masks, list):
        raise ReadError(f"frame {place.index} must be a list of run-lengths; got {type(masks).__name__}")
    try:
        runs = runs_of(masks, *(np.full(len(masks), side, np.int64) for side in size))
    except WrongMask as error:
        raise ReadError(f"mask {error.position} of frame {place.index} {error.reason}") from error
    down = Masks(size[::-1], *runs, scores=None if scores is None else np.array(scores))
    found = down.transposed()
    if scores is not None:
        return Content(found, stated=True)
    return Content(found.with_(ids=np.arange(1, len(masks) + 1)), stated=True)


FORMAT = Format("Segment Anything", (".json",), read, claims=is_sam, names=names)
