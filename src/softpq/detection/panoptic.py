"""Panoptic files: SoftPQ and PQ of every class, of things, of stuff, of all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import how_many
from softpq.detection.by_class import ByClass, View, scored_by_class
from softpq.errors import ReadError
from softpq.io.panoptic import PanopticFile, check_segments, read_panoptic, read_segments, with_categories
from softpq.settings import Settings

if TYPE_CHECKING:
    from softpq.table.masks import Masks


def panoptic_scores(
    truth: str | Path,
    pred: str | Path,
    *,
    truth_folder: str | Path | None = None,
    pred_folder: str | Path | None = None,
    **settings: Any,
) -> ByClass:
    """Score COCO panoptic files: PQ as it was published, and SoftPQ, class by class.

    Void, pixels of truth without a segment, is taken out of predictions; a prediction with more than half of its area
    on void and crowd of its class is left out unless it fits an object.

    Parameters
    ----------
    truth, pred
        JSON files.
    truth_folder, pred_folder
        Folders of PNGs; by default beside the JSON files, with their names.
    settings
        Of SoftPQ; see :class:`softpq.Settings`.

    See Also
    --------
    softpq.average_precision : AP of COCO and LVIS files.
    softpq.metrics.pq : PQ of a table.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import numpy as np
    >>> from PIL import Image
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> colours = np.zeros((4, 8, 3), np.uint8)
    >>> colours[:, :5, 0] = 1  # one segment: its id is its colour
    >>> (folder / "truth").mkdir()
    >>> Image.fromarray(colours).save(folder / "truth" / "a.png")
    >>> segments = [{"id": 1, "category_id": 7, "iscrowd": 0, "area": 20, "bbox": [0, 0, 5, 4]}]
    >>> text = json.dumps({
    ...     "images": [{"id": 1, "width": 8, "height": 4, "file_name": "a.jpg"}],
    ...     "annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": segments}],
    ...     "categories": [{"id": 7, "name": "cell", "isthing": 1}],
    ... })
    >>> _ = (folder / "truth.json").write_text(text)
    >>> scores = panoptic_scores(folder / "truth.json", folder / "truth.json")
    >>> scores.mean()["pq"], scores.of_class("cell")["tp"]
    (1.0, 1)
    """
    places = [Path(truth), Path(pred)]
    folders = [None if one is None else Path(one) for one in (truth_folder, pred_folder)]
    files = [_of_file(path, lambda path=path: read_panoptic(path)) for path in places]
    _of_file(places[1], lambda: _check(files[0], files[1]))
    views = _views(files[0], with_categories(files[1], files[0]), folders)
    return scored_by_class(
        views, settings=Settings.make(**settings), strict=True, is_thing=dict(sorted(files[0].is_thing.items()))
    )


def _of_file(path: Path, work: Any) -> Any:
    try:
        return work()
    except (ReadError, OSError) as error:
        raise ReadError(f"{path.name} {getattr(error, 'strerror', None) or error}") from error


def _check(truth: PanopticFile, pred: PanopticFile) -> None:
    check_segments(truth, pred)
    given = {image.image_id for image in pred.images}
    if lost := [image.image_id for image in truth.images if image.image_id not in given]:
        raise ReadError(f"has no image {lost[0]}, which the truth has ({how_many(len(lost), 'such image')})")


def _views(truth: PanopticFile, pred: PanopticFile, folders: list[Path | None]) -> Iterator[View]:
    for k, image in enumerate(truth.images):
        first, void = _of_file(truth.path, lambda k=k: read_segments(truth, k, folders[0]))
        second, _ = _of_file(pred.path, lambda k=k: read_segments(pred, k, folders[1]))
        if first.shape != second.shape:
            raise ReadError(
                f"{pred.path.name} image {image.image_id} must be of shape {first.shape}; got {second.shape}"
            )
        for kind in sorted({*_names(first), *_names(second)}):
            yield View(kind, _of_kind(first, kind), _of_kind(second, kind), void)


def _names(masks: Masks) -> list[str]:
    return [] if masks.classes is None else np.unique(masks.classes).tolist()


def _of_kind(masks: Masks, kind: str) -> Masks:
    assert masks.classes is not None
    return masks.select(masks.classes == kind)
