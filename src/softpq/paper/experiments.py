"""The paper's experiments as tables of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from softpq import metrics
from softpq.paper import scenes
from softpq.settings import PENALTIES, Priority, Reading
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from collections.abc import Callable

    from softpq.dataset.results import Results

Rows = list[dict[str, Any]]

LOWS = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.01)
ENVELOPE = (0.05, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)


def classic(overlap: Overlap) -> dict[str, float]:
    """The metrics SoftPQ is compared with."""
    pq = metrics.pq(overlap)
    return {
        "n_gt": overlap.n_truth,
        "n_pred": overlap.n_pred,
        "tp": pq.parts["tp"],
        "F1": float(metrics.f1(overlap)),
        "mAP": float(metrics.map_(overlap)),
        "IoU": float(metrics.iou(overlap)),
        "PQ": float(pq),
        "SQ": float(metrics.sq(overlap)),
    }


def readings(overlap: Overlap, **settings: Any) -> dict[str, float]:
    """SoftPQ in every reading and priority."""
    return {
        f"{reading}_{priority}": float(metrics.softpq(overlap, reading=reading, priority=priority, **settings))
        for priority in get_args(Priority)
        for reading in get_args(Reading)
    }


def limitations() -> Rows:
    """Six scenes that conventional metrics cannot tell apart."""
    tables = {name: Overlap.from_labels(*pair) for name, pair in scenes.limitations().items()}
    return [
        {"case": name, **classic(table), **readings(table)}
        | {f"l025_{key}": value for key, value in readings(table, iou_low=0.25).items()}
        for name, table in tables.items()
    ]


def progressive(operation: str, case: str) -> Rows:
    """Erosion or dilation of one disc or two, step by step."""
    start = {"single": scenes.single, "paired": scenes.paired}[case]()
    return [
        {"iteration": k, **classic(overlap), **readings(overlap)}
        for k, overlap in enumerate(scenes.progressive(start, operation))
    ]


def low_sweep(operation: str, case: str) -> Rows:
    """The same for several lower thresholds."""
    start = {"single": scenes.single, "paired": scenes.paired}[case]()
    return [
        {"iteration": k, "iou_low": low, "PQ": float(metrics.pq(overlap)), **readings(overlap, iou_low=low)}
        for k, overlap in enumerate(scenes.progressive(start, operation))
        for low in LOWS
    ]


def _over_segmentation(tables: dict[int, Overlap], key: str) -> Rows:
    rows = []
    for k, overlap in tables.items():
        row = {key: k, **classic(overlap), **readings(overlap)}
        for low in ENVELOPE:
            for reading in ("released", "text", "figures"):
                value = metrics.softpq(overlap, iou_low=low, reading=reading)
                row[f"{reading}_over_l{low:g}"] = float(value)
        rows.append(row)
    return rows


def over_segmentation() -> Rows:
    """25 objects, 0 to 100 % of them split in two."""
    rows = _over_segmentation({k: scenes.over_segmented(k) for k in range(26)}, "k")
    return [{"k": row["k"], "percent": 4 * row["k"], **row} for row in rows]


def fragments_per_object() -> Rows:
    """25 objects in one to five fragments each, as the text describes it."""
    return _over_segmentation({n: scenes.fragmented(n) for n in range(1, 6)}, "fragments")


def fragments_among_others() -> Rows:
    """One object in 1 to 10 fragments among sixteen others, for several lower thresholds."""
    rows = []
    for k in range(1, 11):
        overlap = scenes.fragments_among_others(k)
        for low in (0.5, 0.4, 0.3, 0.2, 0.1, 0.05):
            rows.append({"k": k, "iou_low": low, **classic(overlap), **readings(overlap, iou_low=low)})
    return rows


def penalty_ablation() -> Rows:
    """One object in 1 to 10 fragments, for every penalty."""
    rows = []
    for k in range(1, 11):
        overlap = scenes.one_in_fragments(k)
        row: dict[str, Any] = {"k": k, "n_pred": overlap.n_pred}
        row |= {"PQ": float(metrics.pq(overlap)), "F1": float(metrics.f1(overlap))}
        for penalty in PENALTIES:
            for reading in get_args(Reading):
                value = metrics.softpq(overlap, penalty=penalty, reading=reading)  # type: ignore[arg-type]  # a name
                row[f"{reading}_{penalty.replace('-', '_')}"] = float(value)
        rows.append(row)
    return rows


def penalty_functions() -> Rows:
    """What a soft IoU is multiplied by, for n soft matches; the paper's raw logarithm has no value at 0."""
    rows = []
    for n in range(11):
        weights = {name: 1 / divisor(n) if divisor(n) else float("inf") for name, divisor in PENALTIES.items()}
        rows.append({"n": n, **{name.replace("-", "_"): weight for name, weight in weights.items()}})
    return rows


def real_images(results: Results, model: str, reading: str = "text") -> Rows:
    """PQ and SoftPQ of every image of a dataset, in any reading if its tables were kept."""
    rows: Rows = []
    for image in results.of(model):
        ours = image.scores["softpq"].value
        if reading != "text" and image.tables is not None:
            table = image.tables.of_released if reading == "released" else image.tables.objects
            ours = float(metrics.softpq(table, reading=reading))  # type: ignore[arg-type]  # a name
        rows.append({"image": image.name, "PQ": image.scores["pq"].value, "SoftPQ": ours})
    return [row | {"difference": row["SoftPQ"] - row["PQ"]} for row in rows if row["PQ"] == row["PQ"]]


EXPERIMENTS: dict[str, Callable[[], Rows]] = {
    "fig1_cases": limitations,
    "erosion_single": lambda: progressive("erosion", "single"),
    "erosion_paired": lambda: progressive("erosion", "paired"),
    "dilation_single": lambda: progressive("dilation", "single"),
    "dilation_paired": lambda: progressive("dilation", "paired"),
    "iou_low_sweep_erode_single": lambda: low_sweep("erosion", "single"),
    "iou_low_sweep_erode_paired": lambda: low_sweep("erosion", "paired"),
    "iou_low_sweep_dilate_single": lambda: low_sweep("dilation", "single"),
    "iou_low_sweep_dilate_paired": lambda: low_sweep("dilation", "paired"),
    "oversegmentation_25_objects": over_segmentation,
    "oversegmentation_fragments": fragments_per_object,
    "oversegmentation_k_effect": fragments_among_others,
    "penalty_ablation": penalty_ablation,
    "penalty_functions": penalty_functions,
}
"""Name of the table -> what makes it."""
