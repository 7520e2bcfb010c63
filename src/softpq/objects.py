"""What happened to each object."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.matching import match
from softpq.metrics.softpq import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from softpq.overlap import Overlap

TRUTH_VERDICTS = ("matched", "partial", "split", "merged", "missed")
PRED_VERDICTS = ("matched", "partial", "merger", "fragment", "ghost")


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

    The first line that applies counts. A soft partner has an IoU above ``iou_low``.

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
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.columns["id"])

    def __repr__(self) -> str:
        counts = self.counts()
        truth = ", ".join(f"{n} {verdict}" for (side, verdict), n in counts.items() if side == "truth")
        pred = ", ".join(f"{n} {verdict}" for (side, verdict), n in counts.items() if side == "pred")
        return f"Objects(truth: {truth or 'none'}; pred: {pred or 'none'})"

    def counts(self) -> dict[tuple[str, str], int]:
        """Return (side, verdict) -> number of objects, in a fixed order, without zeros."""
        keys = [("truth", v) for v in TRUTH_VERDICTS] + [("pred", v) for v in PRED_VERDICTS]
        found = {key: int(((self["side"] == key[0]) & (self["verdict"] == key[1])).sum()) for key in keys}
        return {key: count for key, count in found.items() if count}

    def to_csv(self, path: str | Path) -> None:
        """Write one line per object."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(zip(*(column.tolist() for column in self.columns.values()), strict=True))

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError as error:
            raise ImportError("to_pandas needs an extra: pip install 'softpq[pandas]'.") from error
        return pd.DataFrame(dict(self.columns))


def objects_of(
    overlap: Overlap, settings: Settings | None = None, *, arrays: tuple[NDArray[Any], NDArray[Any]] | None = None
) -> Objects:
    """Say what happened to each object.

    Parameters
    ----------
    overlap
        The table.
    settings
        Of SoftPQ: its thresholds decide what is matched and what is soft.
    arrays
        The two label images, for bounding boxes and centroids.

    Examples
    --------
    >>> from softpq import Overlap
    >>> objects_of(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1]))
    Objects(truth: 1 matched, 1 merged; pred: 1 matched)
    """
    settings = settings or Settings()
    links = _Links(overlap, settings)
    truth = _side(overlap, links, "truth", TRUTH_VERDICTS)
    pred = _side(overlap.swapped, links.swapped(overlap), "pred", PRED_VERDICTS)
    columns = {name: np.concatenate([truth[name], pred[name]]) for name in truth}
    if arrays is not None:
        columns |= _places(overlap, arrays)
    return Objects(columns)


def verdict_counts(overlap: Overlap, settings: Settings | None = None) -> dict[tuple[str, str], int]:
    """Return (side, verdict) -> number of objects, as :meth:`Objects.counts`, without a table of all objects.

    Examples
    --------
    >>> from softpq import Overlap
    >>> verdict_counts(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1]))
    {('truth', 'matched'): 1, ('truth', 'merged'): 1, ('pred', 'matched'): 1}
    """
    links = _Links(overlap, settings or Settings())
    found: dict[tuple[str, str], int] = {}
    for side, names in (("truth", TRUTH_VERDICTS), ("pred", PRED_VERDICTS)):
        table = overlap if side == "truth" else overlap.swapped
        codes = _verdicts(table, links if side == "truth" else links.swapped(overlap))
        counts = np.bincount(codes, minlength=len(names)).tolist()
        found |= {(side, name): count for name, count in zip(names, counts, strict=True) if count}
    return found


class _Links:
    """For every pair: is it matched, is it soft, does pred cover most of truth, does truth cover most of pred."""

    def __init__(self, overlap: Overlap, settings: Settings) -> None:
        self.matched = np.zeros(len(overlap.pair_iou), bool)
        self.matched[match(overlap, settings.iou_high).pairs] = True
        self.soft = ~self.matched & (overlap.pair_iou > settings.iou_low)
        self.held_by_partner = 2 * overlap.pair_pixels > overlap.truth_areas[overlap.pair_truth]
        self.holds_partner = 2 * overlap.pair_pixels > overlap.pred_areas[overlap.pair_pred]

    def swapped(self, overlap: Overlap) -> _Links:
        """The same links in the order of ``overlap.swapped``."""
        order = np.lexsort((overlap.pair_truth, overlap.pair_pred))
        links = object.__new__(_Links)
        links.matched, links.soft = self.matched[order], self.soft[order]
        links.held_by_partner, links.holds_partner = self.holds_partner[order], self.held_by_partner[order]
        return links


def _side(overlap: Overlap, links: _Links, side: str, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """The rows of the objects on the truth side of this table."""
    partner, iou = _best_partners(overlap, links)
    return {
        "side": np.full(overlap.n_truth, side, dtype="<U5"),
        "id": overlap.truth_ids,
        "area": overlap.truth_areas,
        "verdict": np.array(names, "<U8")[_verdicts(overlap, links)],
        "partner": partner,
        "iou": iou,
        "n_soft": np.bincount(overlap.pair_truth[links.soft], minlength=overlap.n_truth),
    }


def _verdicts(overlap: Overlap, links: _Links) -> NDArray[np.uint8]:
    """Places in the list of verdicts of the objects on the truth side of this table."""

    def count(pairs: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(overlap.pair_truth[pairs], minlength=overlap.n_truth)

    n_soft = count(links.soft)
    several = (n_soft > 1) | ((n_soft == 0) & (count(links.holds_partner) > 1))
    partners_of_partner = np.bincount(
        overlap.pair_pred[links.matched | links.soft | links.held_by_partner], minlength=overlap.n_pred
    )
    held = count(links.held_by_partner & (partners_of_partner[overlap.pair_pred] > 1)) > 0
    verdict = np.full(overlap.n_truth, 4, np.uint8)  # missed, ghost
    verdict[n_soft == 1] = 1  # partial
    verdict[several] = 2  # split, merger
    verdict[held] = 3  # merged, fragment
    verdict[count(links.matched) > 0] = 0
    return verdict


def _best_partners(overlap: Overlap, links: _Links) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """The matched partner, else the one with the largest IoU (of equal ones the smallest label)."""
    partner, iou = np.zeros(overlap.n_truth, np.uint64), np.zeros(overlap.n_truth)
    order = np.lexsort((-overlap.pair_pred, overlap.pair_iou, links.matched))  # the best comes last and stays
    partner[overlap.pair_truth[order]] = overlap.pred_ids[overlap.pair_pred[order]]
    iou[overlap.pair_truth[order]] = overlap.pair_iou[order]
    return partner, iou


def _places(overlap: Overlap, arrays: tuple[NDArray[Any], NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Bounding boxes (half open) and centroids of all objects."""
    sides = [_regions(array, ids) for array, ids in zip(arrays, (overlap.truth_ids, overlap.pred_ids), strict=True)]
    low, high, center = (np.concatenate([side[k] for side in sides]) for k in range(3))
    columns: dict[str, NDArray[Any]] = {}
    for axis in range(arrays[0].ndim):
        columns |= {f"bbox_min_{axis}": low[:, axis], f"bbox_max_{axis}": high[:, axis]}
    return columns | {f"centroid_{axis}": center[:, axis] for axis in range(arrays[0].ndim)}


def _regions(
    labels: NDArray[Any], ids: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    inside = np.nonzero(labels)
    place = np.searchsorted(ids, labels[inside].astype(np.uint64))
    place = np.minimum(place, max(len(ids) - 1, 0))
    known = ids[place] == labels[inside].astype(np.uint64) if len(ids) else np.zeros(len(place), bool)
    place = place[known]
    low = np.full((len(ids), labels.ndim), np.iinfo(np.int64).max)
    high, center = np.zeros((len(ids), labels.ndim), np.int64), np.zeros((len(ids), labels.ndim))
    pixels = np.bincount(place, minlength=len(ids))
    for axis, coordinate in enumerate(inside):
        at = coordinate[known]
        np.minimum.at(low[:, axis], place, at)
        np.maximum.at(high[:, axis], place, at + 1)
        center[:, axis] = np.bincount(place, weights=at, minlength=len(ids)) / np.maximum(pixels, 1)
    return low, high, center
