"""COCO and panoptic files: images are paired by their ids; those without results of COCO have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from softpq.errors import ReadError
from softpq.io.coco import check_results, read_results, read_truth
from softpq.io.format import Content, ReadOptions
from softpq.io.formats import coco, coco_results, panoptic, split_inner
from softpq.io.image import Image, LabelImage
from softpq.io.panoptic import check_segments, read_panoptic


@dataclass(frozen=True)
class ResultsImage:
    """The results of one image of the truth, which knows its size and the names of classes.

    Attributes
    ----------
    name
        Of the image of the truth.
    results, truth
        The two files.
    index
        Which image of the truth.
    """

    name: str
    results: str
    truth: str
    index: int

    @property
    def shown(self) -> str:
        """The name of the file."""
        return Path(self.results).name

    def read(self, options: ReadOptions | None = None) -> Content:
        """Read the masks."""
        truth = read_truth(Path(self.truth))
        found = coco_results.results_of(
            read_results(Path(self.results)), truth.images.ids[self.index], coco.classes_of(truth)
        )
        shape = (int(truth.images.heights[self.index]), int(truth.images.widths[self.index]))
        return Content(found.masks(shape), stated=True)


def results_by_id(truth: Iterable[Image], pred: Iterable[Image]) -> Sequence[Image | None] | None:
    """Return the results of every truth image; None where these are no COCO truth and results, nor panoptic files.

    Raises
    ------
    ReadError
        If there are results of images or categories that the truth does not have.
    """
    images, preds = list(truth), list(pred)
    if (found := _segments_by_id(images, preds)) is not None:
        return found
    files = [_file_of(side, record.name) for side, record in ((images, coco.FORMAT), (preds, coco_results.FORMAT))]
    if files[0] is None or files[1] is None:
        return None
    try:
        check_results(read_results(Path(files[1])), read_truth(Path(files[0])))
    except ReadError as error:
        raise ReadError(f"{Path(files[1]).name} {error}") from error
    return [
        ResultsImage(image.name, files[1], image.location, image.index)
        for image in images
        if isinstance(image, LabelImage)
    ]


def _segments_by_id(truth: list[Image], pred: list[Image]) -> list[Image | None] | None:
    """Images of a panoptic file with the ids of the truth, whatever their PNGs are called; None where there is none."""
    places = [_file_of(side, panoptic.FORMAT.name) for side in (truth, pred)]
    if places[0] is None or places[1] is None:
        return None
    files = [read_panoptic(split_inner(place)[0]) for place in places if place is not None]
    try:
        check_segments(*files)
    except ReadError as error:
        raise ReadError(f"{files[1].path.name} {error}") from error
    by_id = {segments.image_id: image for segments, image in zip(files[1].images, pred, strict=True)}
    return [by_id.get(segments.image_id) for segments in files[0].images]


def _file_of(images: list[Image], format_name: str) -> str | None:
    """The one file of this format that all images are of."""
    places = {
        image.location if isinstance(image, LabelImage) and image.format == format_name else "" for image in images
    }
    return places.pop() or None if len(places) == 1 else None
