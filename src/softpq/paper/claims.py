"""What the paper claims, in our words, and whether it holds: computed, not typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import metrics
from softpq.paper.figures import column
from softpq.synthetic import cells
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from softpq.paper.experiments import Rows

    Tables = dict[str, Rows]

READINGS = ("text", "figures", "unified", "released")
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in our words, the reading, what was found, and whether it holds."""

    sentence: str
    reading: str
    found: str
    holds: bool


FATES = {"split": 0.25, "merged": 0.2, "missed": 0.1, "shifted": 0.15}


def random_overlaps(count: int = 300) -> list[Overlap]:
    """Random images: half of them fields of cells with many errors, half blocks that touch and tie."""
    overlaps = []
    for seed in range(count // 2):
        scene = cells((80, 80), 9, seed=seed, fates=FATES, ghosts=0.1)
        overlaps.append(Overlap.from_labels(scene.truth, scene.pred))
        rng = np.random.default_rng(seed)
        truth, pred = (rng.integers(0, 5, (4, 5)) * (rng.random((4, 5)) < 0.6) for _ in range(2))
        overlaps.append(Overlap.from_labels(truth.repeat(3, axis=1), np.roll(pred.repeat(3, axis=1), 1, axis=1)))
    return overlaps


def _softpq(overlap: Overlap, **settings: Any) -> float:
    return float(metrics.softpq(overlap, **settings))


def all_claims(tables: Tables) -> list[Claim]:
    """Compute every claim from the tables of the experiments and from random images."""
    images = random_overlaps()
    claims: list[Claim] = []
    for reading in READINGS:
        claims += _on_random_images(images, reading)
        claims += _on_experiments(tables, reading)
    claims += _on_penalties(tables)
    return sorted(claims, key=lambda claim: claim.sentence)


def _on_random_images(images: list[Overlap], reading: str) -> Iterator[Claim]:
    pq = np.array([float(metrics.pq(overlap)) for overlap in images])
    equal = np.array([_softpq(o, iou_low=0.5, iou_high=0.5, reading=reading) for o in images])
    gap = float(np.nanmax(np.abs(equal - pq)))
    yield Claim("With l = h = 0.5 SoftPQ is PQ.", reading, f"largest difference {gap:.3g} on 300 images", gap < 1e-9)
    soft = np.array([_softpq(o, reading=reading) for o in images])
    least = float(np.nanmin(soft - pq))
    yield Claim("SoftPQ is never below PQ.", reading, f"smallest SoftPQ - PQ is {least:.3g}", least >= -TOLERANCE)
    lows = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01)
    curves = np.array([[_softpq(o, iou_low=low, reading=reading) for low in lows] for o in images])
    falls = int(np.sum(np.diff(curves, axis=1) < -TOLERANCE))
    steps = curves.shape[0] * (len(lows) - 1)
    yield Claim("SoftPQ rises smoothly as l is lowered.", reading, f"it falls in {falls} of {steps} steps", falls == 0)
    yield _ghosts(images, reading)


def _ghosts(images: list[Overlap], reading: str) -> Claim:
    """Add a prediction where nothing is; a penalty must lower the score."""
    free = 0
    for overlap in images:
        haunted = overlap + Overlap.from_pairs([0], [10**6], [4])
        before, after = _softpq(overlap, reading=reading), _softpq(haunted, reading=reading)
        free += before > 0 and after >= before - TOLERANCE
    return Claim("Ghosts are penalised.", reading, f"free in {free} of {len(images)} images", free == 0)


def _largest_step(rows: Rows, name: str) -> float:
    return float(np.abs(np.diff(column(rows, name))).max())


def _on_experiments(tables: Tables, reading: str) -> Iterator[Claim]:
    erosion = tables["erosion_single"]
    ours = _largest_step(erosion, f"{reading}_over")
    steps = {name: _largest_step(erosion, name) for name in ("PQ", "F1", "mAP")}
    yield Claim(
        "Under erosion SoftPQ declines most smoothly.",
        reading,
        f"largest step {ours:.3f}; " + ", ".join(f"{name} {step:.3f}" for name, step in steps.items()),
        ours < min(steps.values()),
    )
    last = tables["oversegmentation_25_objects"][-1]
    value = last[f"{reading}_over"]
    found = f"{value:.3f} with every object split in two; PQ {last['PQ']:.3f}"
    yield Claim("The decline at 100 % over-segmentation is modest.", reading, found, value > 0.9)
    cases = [row for row in tables["fig1_cases"] if not row["case"].endswith("ideal")]
    gap = max(abs(row[f"{reading}_over"] - row[f"{reading}_under"]) for row in cases)
    found = f"over and under differ by up to {gap:.3f} on the six scenes"
    yield Claim("The priority tells splits from merges.", reading, found, gap > 0.01)
    key = f"l025_{reading}_over"
    same = sum(abs(row[key] - row["PQ"]) < 1e-9 for row in cases)
    yield Claim(
        "l = 0.25 is a useful balance that tells errors apart.", reading, f"equals PQ on {same} of 6 scenes", same < 6
    )


def _on_penalties(tables: Tables) -> Iterator[Claim]:
    rows = tables["penalty_ablation"]
    for reading in READINGS:
        at_five = {name: rows[4][f"{reading}_{name}"] for name in ("sqrt", "linear", "log")}
        found = ", ".join(f"{name} {value:.3f}" for name, value in at_five.items()) + " at five fragments"
        yield Claim(
            "Linear and logarithmic penalties are sharp, the square root is gradual.",
            reading,
            found,
            at_five["sqrt"] > max(at_five["linear"], at_five["log"]),
        )
        largest = float(column(rows, f"{reading}_log_raw").max())
        if reading != "released":
            yield Claim(
                "The logarithmic penalty ln(n+1) penalises.",
                reading,
                f"one soft match counts 1/ln 2 = {1 / np.log(2):.2f} times; SoftPQ reaches {largest:.3f}",
                largest <= 1 and 1 / np.log(2) <= 1,
            )
