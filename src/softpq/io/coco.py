"""COCO's files: truth, and results, read piece by piece into columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from softpq._checks import how_many
from softpq.errors import ReadError
from softpq.io.coco_records import CocoObjects, CocoTruth
from softpq.io.coco_rows import ClassRows, ImageRows, Rows
from softpq.io.ids import shown_id
from softpq.io.json_items import START, items_of
from softpq.io.json_keys import holds, opening


def read_truth(path: Path) -> CocoTruth:
    """Read a file of truth; it is read once as long as it does not change."""
    status = path.stat()
    return _truth(path, status.st_mtime_ns, status.st_size)


def read_results(path: Path) -> CocoObjects:
    """Read a file of results; it is read once as long as it does not change."""
    status = path.stat()
    return _results(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _truth(path: Path, changed: int, length: int) -> CocoTruth:
    return truth_in(items_of(path))


@lru_cache(maxsize=2)
def _results(path: Path, changed: int, length: int) -> CocoObjects:
    wrapped = opening(path) == "{"
    if wrapped and not holds(path, "annotations", "score"):
        raise ReadError("must be a list of results, each with image_id, category_id and score; it is an object")
    return results_in(item for key, item in items_of(path) if key == ("annotations" if wrapped else ""))


Items = Iterable[tuple[str, Any]]


def truth_in(items: Items) -> CocoTruth:
    """Take what a file holds, as :func:`items_of` gives it."""
    images, classes, rows = ImageRows(), ClassRows(), Rows("annotation")
    takers: dict[str, Callable[[Any], None]] = {
        "images": images.add, "categories": classes.add, "annotations": rows.add,
    }  # fmt: skip
    seen = set()
    for key, item in items:
        if item is START:
            seen.add(key)
        elif key in takers:
            takers[key](item)
    if missing := [key for key in ("images", "annotations") if key not in seen]:
        raise ReadError(f"must be a COCO file with images and annotations; it has no list of {missing[0]}")
    truth = CocoTruth(images.finished(), classes.finished(), rows.finished())
    _check_known(truth.objects, truth)
    return truth


def results_in(items: Iterable[Any]) -> CocoObjects:
    """Take results one by one."""
    rows = Rows("result")
    for item in items:
        if item is not START:
            rows.add(item)
    return rows.finished()


def items_in(content: Mapping[str, Any]) -> Items:
    """What a file that is loaded already holds, as :func:`items_of` gives it."""
    for key, value in content.items():
        if not isinstance(value, list | tuple):
            yield key, value
            continue
        yield key, START
        yield from ((key, plain_item(item)) for item in value)


def plain_item(item: Any) -> Any:
    """The same with Python's numbers in place of NumPy's."""
    if not isinstance(item, Mapping):
        return item
    return {key: value.item() if isinstance(value, np.generic) else value for key, value in item.items()}


def _check_known(objects: CocoObjects, truth: CocoTruth) -> None:
    """Raise where annotations name images or categories that the file does not have."""
    for ids, known, what in (
        (objects.image_ids, truth.images.ids, "image"), (objects.class_ids, truth.classes.ids, "category"),
    ):  # fmt: skip
        unknown = ~np.isin(ids, np.array(known, np.int64))
        if unknown.any():
            k = int(np.argmax(unknown))
            raise ReadError(f"{objects.named(k)} is of {what} {shown_id(int(ids[k]))}, which the file does not have")


def check_results(objects: CocoObjects, truth: CocoTruth) -> None:
    """Raise where results are of images or categories that the truth does not have.

    Raises
    ------
    ReadError
        Which names the first.
    """
    known = np.isin(objects.image_ids, np.array(truth.images.ids, np.int64))
    if len(objects) and not known.any():
        raise ReadError("has no image in common with the truth: it must be of another data set")
    if not known.all():
        k = int(np.argmin(known))
        lost = len(np.unique(objects.image_ids[~known]))
        raise ReadError(
            f"result {k} is of image {shown_id(int(objects.image_ids[k]))}, which the truth does not have "
            f"({how_many(lost, 'such image')})"
        )
    of_class = np.isin(objects.class_ids, np.array(truth.classes.ids, np.int64))
    if not of_class.all():
        k = int(np.argmin(of_class))
        raise ReadError(f"{objects.named(k)} is of category {objects.class_ids[k]}, which the truth does not have")
