"""A table of objects: what happened to each, and where it is."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq._checks import looked_up
from softpq._files import Location, atomic_file
from softpq.errors import needs
from softpq.explain.places import regions_of_masks
from softpq.explain.verdicts import SIDES, Side, verdict_codes, verdicts_of
from softpq.settings import Settings
from softpq.table.credits import matched_and_soft
from softpq.table.labels import cores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from softpq.table.images import Images
    from softpq.table.overlap import Overlap


@dataclass(frozen=True, eq=False)
class Objects:
    """One row per object of both sides, as columns.

    Truth objects come first. A row's verdict says what happened to the object:

    ========  ==========  =====================================================================================
    truth     pred        the object, if it is not matched,
    ========  ==========  =====================================================================================
    matched   matched     is in the one-to-one matching at ``iou_high``
    merged    fragment    has more than half of it covered by one object, which is also a partner of another
    split     merger      has several soft partners (or none, but covers most of several objects of the other side)
    partial   partial     has one soft partner
    missed    ghost       has none
    ========  ==========  =====================================================================================

    The first line that applies counts. A soft partner has an IoU above ``iou_low``. Where objects overlap, a prediction
    that is not matched, but could be with an object that has its match, is a ``duplicate`` before all else.

    Attributes
    ----------
    columns
        Name -> array: ``side``, ``id``, ``area``, ``verdict``, ``partner`` (label of the best partner, 0 if there is
        none), ``iou`` (with it), ``n_soft``, and, if the images were at hand, ``bbox_min_0`` ... and
        ``centroid_0`` ... .

    Examples
    --------
    >>> import softpq
    >>> objects = softpq.evaluate([1, 1, 1, 1, 0, 2], [1, 1, 0, 5, 7, 0]).objects
    >>> list(zip(objects["id"].tolist(), objects["verdict"].tolist()))
    [(1, 'matched'), (2, 'missed'), (1, 'matched'), (5, 'fragment'), (7, 'ghost')]
    """

    columns: Mapping[str, NDArray[Any]] = field(repr=False)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return looked_up(self.columns, name, "column")

    def __len__(self) -> int:
        return len(self.columns["id"])

    def __repr__(self) -> str:
        counts = self.counts()
        truth = ", ".join(f"{n} {verdict}" for (side, verdict), n in counts.items() if side == "truth")
        pred = ", ".join(f"{n} {verdict}" for (side, verdict), n in counts.items() if side == "pred")
        return f"Objects(truth: {truth or 'none'}; pred: {pred or 'none'})"

    def counts(self) -> dict[tuple[str, str], int]:
        """Return (side, verdict) -> number of objects, in a fixed order, without zeros.

        Examples
        --------
        >>> import softpq
        >>> softpq.evaluate([1, 1, 1, 0, 2], [1, 1, 0, 7, 0]).objects.counts()
        {('truth', 'matched'): 1, ('truth', 'missed'): 1, ('pred', 'matched'): 1, ('pred', 'ghost'): 1}
        """
        keys = [(side, verdict) for side in SIDES for verdict in verdicts_of(side)]
        found = {key: int(((self["side"] == key[0]) & (self["verdict"] == key[1])).sum()) for key in keys}
        return {key: count for key, count in found.items() if count}

    def to_csv(self, path: Location) -> None:
        """Write one line per object.

        Examples
        --------
        >>> import pathlib, softpq, tempfile
        >>> table = pathlib.Path(tempfile.mkdtemp(), "objects.csv")
        >>> softpq.evaluate([[1, 1, 0, 2]], [[1, 1, 0, 0]]).objects.to_csv(table)
        >>> table.read_text().splitlines()[0][:20]
        'side,id,area,verdict'
        """
        with atomic_file(path) as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(zip(*(column.tolist() for column in self.columns.values()), strict=True))

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame.

        Examples
        --------
        >>> import softpq
        >>> softpq.evaluate([[1, 1, 0, 2]], [[1, 1, 0, 0]]).objects.to_pandas().shape[0]
        3
        """
        return needs("pandas", "pandas", "to_pandas").DataFrame(dict(self.columns))


def objects_of(overlap: Overlap, settings: Settings | None = None, *, images: Images | None = None) -> Objects:
    """Say what happened to each object.

    Parameters
    ----------
    overlap
        The table.
    settings
        Of SoftPQ: its thresholds decide what is matched and what is soft.
    images
        The two label images, or masks, for bounding boxes and centroids.

    Examples
    --------
    >>> from softpq import Overlap
    >>> objects_of(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1]))
    Objects(truth: 1 matched, 1 merged; pred: 1 matched)
    """
    settings = settings or Settings()
    matched, soft, _ = matched_and_soft(overlap, settings.iou_low, settings.iou_high)
    of_truth, of_pred = verdict_codes(overlap, settings)
    order = overlap.swapped_order
    truth = _side("truth", overlap, of_truth, matched, soft)
    pred = _side("pred", overlap.swapped, of_pred, matched[order], soft[order])
    columns = {name: np.concatenate([truth[name], pred[name]]) for name in truth}
    if images is not None:
        columns |= _places(overlap, images)
    return Objects(columns)


def _side(
    side: Side, overlap: Overlap, verdicts: NDArray[np.uint8], matched: NDArray[np.bool_], soft: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    """The rows of the objects on the truth side of this table."""
    partner, iou = _best_partners(overlap, matched)
    return {
        "side": np.full(overlap.n_truth, side, dtype="<U5"),
        "id": overlap.truth_ids,
        "area": overlap.truth_areas,
        "verdict": np.array(verdicts_of(side), "<U9")[verdicts],
        "partner": partner,
        "iou": iou,
        "n_soft": np.bincount(overlap.pair_truth[soft], minlength=overlap.n_truth),
    }


def _best_partners(overlap: Overlap, matched: NDArray[np.bool_]) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """The matched partner, else the one with the largest IoU (of equal ones the smallest label)."""
    partner, iou = np.zeros(overlap.n_truth, np.uint64), np.zeros(overlap.n_truth)
    order = np.lexsort((-overlap.pair_pred, overlap.pair_iou, matched))  # the best comes last and stays
    partner[overlap.pair_truth[order]] = overlap.pred_ids[overlap.pair_pred[order]]
    iou[overlap.pair_truth[order]] = overlap.pair_iou[order]
    return partner, iou


def _places(overlap: Overlap, images: Images) -> dict[str, NDArray[Any]]:
    """Bounding boxes (half open) and centroids of all objects."""
    ids = (overlap.truth_ids, overlap.pred_ids)
    if images.has_masks:
        found = [regions_of_masks(*side) for side in zip(images.masks, ids, strict=True)]
    else:
        sides = zip((images.truth, images.pred), ids, strict=True)
        found = [_core.places(labels, images.ignored, of_side, cores()) for labels, of_side in sides]
    axes = range(len(images.truth.shape))
    low, high, center = (np.concatenate([side[k].reshape(-1, len(axes)) for side in found]) for k in range(3))
    columns: dict[str, NDArray[Any]] = {}
    for axis in axes:
        columns |= {f"bbox_min_{axis}": low[:, axis], f"bbox_max_{axis}": high[:, axis]}
    return columns | {f"centroid_{axis}": center[:, axis] for axis in axes}
