"""Which class each label has: from files that know it, from JSON, or from an image of classes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import check_regular
from softpq.io.image import Image
from softpq.io.ladder import climb
from softpq.io.sources import Source, open_source
from softpq.table.layered import is_nothing
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

Classes = Mapping[int, str]


class ClassMaps:
    """Gives the class of every label of an image.

    Parameters
    ----------
    location
        ``"auto"`` where the label files know their classes (PanNuke); a JSON file; or two folders of class images,
        ``truth_folder,pred_folder``, with the names of the label images; or a mapping from truth and pred to such
        images.

    Attributes
    ----------
    said
        The location as a text.
    in_memory
        Whether they are arrays.
    """

    def __init__(self, location: str | Path | Mapping[str, Any]) -> None:
        self._json: Mapping[str, Any] | None = None
        self._images: dict[str, Source] = {}
        self._files: list[Path] = []
        self.in_memory = not isinstance(location, str | Path)
        self.said = IN_MEMORY if self.in_memory else str(location)
        if not isinstance(location, str | Path):
            self._images = _of_both_sides(location)
            return
        text = self.said
        if text == "auto":
            return
        if text.endswith(".json"):
            self._json, self._files = _read_json(Path(text)), [Path(text)]
            return
        places = text.split(",")
        if len(places) != 2:
            raise ReadError(f"classes must be auto, a .json file, or truth_folder,pred_folder; got {text[:200]}")
        self._files = [Path(place) for place in places]
        self._images = {side: open_source(place) for side, place in zip(("truth", "pred"), places, strict=True)}

    @property
    def has_images(self) -> bool:
        """Whether classes are drawn."""
        return bool(self._images)

    def files(self) -> list[Path]:
        """What the classes are read from."""
        return self._files

    def of(
        self, name: str, side: str, image: Image, labels: NDArray[Any], known: Classes | None, *, model: str = ""
    ) -> Classes:
        """Return label -> class for one image; ``side`` is "truth" or "pred"; ``known`` is what its file says."""
        if self._json is not None:
            return self._from_json(name, side, model)
        if self._images:
            return self._from_image(name, side, labels)
        if known is None:
            raise ReadError(f"{image.shown} knows no classes; pass a .json file or folders of class images")
        return known

    def _from_json(self, name: str, side: str, model: str) -> Classes:
        assert self._json is not None
        names = {
            str(key): str(value) for key, value in _mapping(self._json.get("categories", {}), "categories").items()
        }
        listed = _mapping(self._json.get("instance_classes", self._json), "instance_classes")
        entry = listed.get(name, listed)
        for key in (*([model] if side == "pred" else []), side, {"truth": "gt", "pred": "pred"}[side]):
            if isinstance(entry.get(key), Mapping):
                entry = entry[key]
                break
        try:
            return {int(label): names.get(str(value), str(value)) for label, value in entry.items()}
        except (ValueError, AttributeError, TypeError) as error:
            raise ReadError(
                f"has no classes of {name} ({side}) in the JSON file: label -> class is expected"
            ) from error

    def _from_image(self, name: str, side: str, labels: NDArray[Any]) -> Classes:
        if isinstance(labels, Masks):
            raise ReadError(
                f"{name} holds masks that overlap ({side}); give their classes with them, or in a JSON file"
            )
        partner = climb((name,), self._images[side])[0].partners.get(name)
        if partner is None:
            raise ReadError(f"{name} has no class image ({side})")
        found = self._images[side][partner]
        classes = found.read().labels
        if not isinstance(classes, np.ndarray) or classes.shape != labels.shape:
            raise ReadError(f"{found.shown} must have the shape of the labels, {labels.shape}")
        return _majority(labels, classes)


IN_MEMORY = "truth, pred"
"""What stands for arrays of classes."""


def _of_both_sides(given: Any) -> dict[str, Source]:
    if not isinstance(given, Mapping) or set(given) != {"truth", "pred"}:
        raise TypeError(
            'classes must be "auto", a .json file, two folders as "truth_folder,pred_folder", or a mapping of '
            f'"truth" and "pred" to class images; got {type(given).__name__}'
        )
    return {side: open_source(images) for side, images in given.items()}


def _read_json(path: Path) -> Mapping[str, Any]:
    try:
        check_regular(path)
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReadError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(found, dict):
        raise ReadError(f"{path} must be an object of image -> label -> class")
    return found


def _majority(labels: NDArray[Any], classes: NDArray[Any]) -> Classes:
    """The class that most pixels of each object have; of equal ones the smallest. Class 0 is no class."""
    table = Overlap.from_labels(labels, classes, threads=1)
    order = np.lexsort((-table.pair_pred, table.pair_pixels))  # the largest comes last and stays
    pairs = zip(table.truth_ids[table.pair_truth[order]], table.pred_ids[table.pair_pred[order]], strict=True)
    return {int(label): str(int(value)) for label, value in pairs}


def classes_of(side: Any) -> Classes | None:
    """Id -> class of masks that know it."""
    if is_nothing(side):
        return {}
    if not isinstance(side, Masks) or side.classes is None:
        return None
    return {int(number): str(name) for number, name in zip(side.numbers, side.classes, strict=True)}


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ReadError(f"{name} must be an object of JSON, from names to values; got {type(value).__name__}")
    return value
