"""COCO and panoptic files: images are paired by their ids; those without results of COCO have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from softpq.errors import ReadError
from softpq.io.coco import check_results, read_results, read_truth
from softpq.io.format import Content, Place, ReadOptions
from softpq.io.formats import coco, coco_results, panoptic, split_inner
from softpq.io.ids import shown_id
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


@dataclass(frozen=True)
class SegmentsImage:
    """An image of a panoptic file without categories, which the truth has.

    Attributes
    ----------
    image
        In the file.
    truth
        The file of truth.
    """

    image: LabelImage
    truth: str

    @property
    def name(self) -> str:
        """Of the image."""
        return self.image.name

    @property
    def shown(self) -> str:
        """The name of the file."""
        return self.image.shown

    def read(self, options: ReadOptions | None = None) -> Content:
        """Read the segments."""
        place = Place(self.image.path, self.image.inner, self.image.index, options or ReadOptions())
        return panoptic.segments_in(place, read_panoptic(Path(self.truth)))


def results_by_id(truth: Iterable[Image], pred: Iterable[Image]) -> Sequence[Image | None] | None:
    """Return the results of every truth image; None where these are no COCO truth and results, nor panoptic files.

    Raises
    ------
    ReadError
        If there are results of images or categories that the truth does not have, or truth is a file of results.
    """
    images, preds = list(truth), list(pred)
    if (found := _segments_by_id(images, preds)) is not None:
        return found
    file, files = _file_of(images, coco.FORMAT.name), _files_of(preds, coco_results.FORMAT.name)
    if _files_of(images, coco_results.FORMAT.name) and _file_of(preds, coco.FORMAT.name):
        raise ReadError(f"{images[0].shown} holds results, and {preds[0].shown} a truth: were the two exchanged?")
    if file is None or not files:
        return None
    known, where = read_truth(Path(file)), _where(files, Path(file))
    return [
        ResultsImage(image.name, where.get(known.images.ids[image.index], files[0]), file, image.index)
        for image in images
        if isinstance(image, LabelImage)
    ]


def _where(files: list[str], truth: Path) -> dict[int, str]:
    """Image id -> file with its results, of which there is one."""
    where: dict[int, str] = {}
    for file in files:
        try:
            results = read_results(Path(file))
            check_results(results, read_truth(truth))
        except ReadError as error:
            raise ReadError(f"{Path(file).name} {error}") from error
        for one in coco_results.image_ids(results):
            if where.setdefault(one, file) != file:
                both = f"{Path(where[one]).name} and {Path(file).name}"
                raise ReadError(
                    f"{both} hold results of image {shown_id(one)}; give files of several models one by one"
                )
    return where


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
    if not files[1].names:
        pred = [SegmentsImage(image, str(files[0].path)) for image in pred if isinstance(image, LabelImage)]
    by_id = {segments.image_id: image for segments, image in zip(files[1].images, pred, strict=True)}
    return [by_id.get(segments.image_id) for segments in files[0].images]


def _file_of(images: list[Image], format_name: str) -> str | None:
    """The one file of this format that all images are of."""
    files = _files_of(images, format_name)
    return files[0] if len(files) == 1 else None


def _files_of(images: list[Image], format_name: str) -> list[str]:
    """The files of this format that all images are of; none, if some are of others."""
    places = {
        image.location if isinstance(image, LabelImage) and image.format == format_name else "" for image in images
    }
    return [] if "" in places else sorted(places)
