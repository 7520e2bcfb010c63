"""COCO's panoptic files: a JSON that tells segments, and a folder of PNGs whose colours are their ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import how_many
from softpq.errors import ReadError
from softpq.io.format import Place, ReadOptions, printable
from softpq.io.formats.png import read_colour_ids
from softpq.io.ids import Id, id_in, order_of_id
from softpq.io.json_fields import whole
from softpq.io.json_items import START, items_of
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Segments:
    """What the JSON tells of one image: the PNG, and id -> category, crowd of its segments."""

    image_id: Id
    png: str
    categories: dict[int, int]
    crowds: frozenset[int]

    @property
    def name(self) -> str:
        """Of the image."""
        return PurePosixPath(self.png).stem


@dataclass(frozen=True)
class PanopticFile:
    """Images in ascending order of their ids, and categories: id -> name, and whether it is of things."""

    path: Path
    images: list[Segments]
    names: dict[int, str]
    is_thing: dict[str, bool]


def read_panoptic(path: Path) -> PanopticFile:
    """Read the JSON; it is read once as long as it does not change."""
    status = path.stat()
    return _panoptic(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _panoptic(path: Path, changed: int, length: int) -> PanopticFile:
    images: dict[Id, Segments] = {}
    names: dict[int, str] = {}
    things: dict[str, bool] = {}
    for key, item in items_of(path):
        if item is START:
            continue
        if key == "categories":
            number = whole(item, "id", f"category at position {len(names)}")
            if number in names:
                raise ReadError(f"category ids must differ from each other; got {number} twice")
            names[number] = printable(str(item.get("name", number)))
            things[names[number]] = _flag(item, "isthing", f"category {number}", default=True)
        elif key == "annotations":
            found = _segments(item, len(images))
            if found.image_id in images:
                raise ReadError(f"images must be told once; got image {found.image_id} twice")
            images[found.image_id] = found
    if len(things) != len(names):
        raise ReadError("categories must have names that differ from each other")
    return PanopticFile(path, [images[one] for one in sorted(images, key=order_of_id)], names, things)


def check_segments(truth: PanopticFile, pred: PanopticFile) -> None:
    """Refuse predictions of other images, or of categories that the truth does not have.

    Raises
    ------
    ReadError
        With the image and the id.
    """
    known = {image.image_id for image in truth.images}
    given = {image.image_id for image in pred.images}
    if given and not known & given:
        raise ReadError("has no image in common with the truth: it must be of another data set")
    if unknown := sorted(given - known, key=order_of_id):
        lost = how_many(len(unknown), "such image")
        raise ReadError(f"has image {unknown[0]}, which the truth does not have ({lost})")
    for image in pred.images:
        for segment, category in image.categories.items():
            if pred.names.get(category, "") not in ("", *truth.is_thing):
                said = f"segment {segment} of image {image.image_id} is of category {category} ({pred.names[category]})"
                raise ReadError(f"must have categories of the truth; {said}")


def _segments(item: Any, position: int) -> Segments:
    image = id_in(item, "image_id", f"annotation at position {position}")
    name = f"image {image}"
    listed = item.get("segments_info")
    if not isinstance(listed, list):
        raise ReadError(f"{name} must have a list of segments_info; it has none")
    if not isinstance(item.get("file_name"), str):
        raise ReadError(f"{name} must have a file_name, that of its PNG; got {item.get('file_name')!r}")
    categories: dict[int, int] = {}
    crowds = set()
    for segment in listed:
        number = whole(segment, "id", f"a segment of {name}", least=1)
        if number in categories:
            raise ReadError(f"segments of {name} must differ in their ids; got {number} twice")
        categories[number] = whole(segment, "category_id", f"segment {number} of {name}")
        if _flag(segment, "iscrowd", f"segment {number} of {name}", default=False):
            crowds.add(number)
    return Segments(image, item["file_name"], categories, frozenset(crowds))


def _flag(item: dict[str, Any], key: str, name: str, *, default: bool) -> bool:
    found = item.get(key, default)
    if found not in (0, 1):
        raise ReadError(f"{name} must have an {key} of 0 or 1; got {printable(repr(found)[:40])}")
    return bool(found)


def with_categories(pred: PanopticFile, truth: PanopticFile) -> PanopticFile:
    """Predictions whose file lists no categories have those of the truth, as panopticapi reads them."""
    return pred if pred.names else replace(pred, names=truth.names, is_thing=truth.is_thing)


def read_segments(
    file: PanopticFile, position: int, folder: Path | None = None, options: ReadOptions | None = None
) -> tuple[Masks, NDArray[np.bool_]]:
    """Read one image: its segments, with classes and crowds, and its void, the pixels without a segment.

    Parameters
    ----------
    file
        What the JSON tells.
    position
        Of the image.
    folder
        Of the PNGs; by default the one beside the JSON, with its name.
    options
        How files are read.

    Raises
    ------
    ReadError
        If JSON and PNG do not fit; it names image and id.
    """
    image = file.images[position]
    where = folder or file.path.with_suffix("")
    png = where / image.png
    if where.resolve() not in png.resolve().parents:
        raise ReadError(f"image {image.image_id} names a PNG outside of its folder, {printable(image.png)}")
    if not png.is_file():
        raise ReadError(
            f"image {image.image_id} has no PNG: {printable(str(where.name))}/{printable(image.png)} is not there"
        )
    try:
        ids = read_colour_ids(Place(png, options=options or ReadOptions()))
    except (ReadError, OSError, SyntaxError, ValueError) as error:
        raise ReadError(f"image {image.image_id}: {printable(image.png)} {error}") from error
    masks = Masks.from_labels(ids)
    assert masks.ids is not None
    _check(masks.ids.tolist(), image, file)
    numbers = masks.ids.tolist()
    classes = [file.names[image.categories[one]] for one in numbers]
    return masks.with_(classes=np.array(classes, str), crowd=[one in image.crowds for one in numbers]), ids == 0


def _check(drawn: list[int], image: Segments, file: PanopticFile) -> None:
    name = f"image {image.image_id}"
    if untold := [one for one in drawn if one not in image.categories]:
        raise ReadError(f"{name} has a segment {untold[0]} in its PNG that the JSON does not know")
    if lost := sorted(set(image.categories) - set(drawn)):
        raise ReadError(f"{name} has a segment {lost[0]} in the JSON that its PNG does not have")
    for number, category in image.categories.items():
        if category not in file.names:
            raise ReadError(f"segment {number} of {name} is of category {category}, which the file does not have")
