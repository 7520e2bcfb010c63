"""How each claim of the paper is tested: from the evidence and a reading to what is found, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softpq import metrics
from softpq.paper.evidence import Evidence, softpq, values
from softpq.paper.figures import column
from softpq.table.matching import match
from softpq.table.overlap import Overlap

TOLERANCE = 1e-12
Found = tuple[str, bool]
Test = Callable[[Evidence, str], Found | None]


# ---------------------------------------------------------------- definition


def is_pq(e: Evidence, reading: str) -> Found:
    """With both thresholds at one half."""
    pq = np.array([float(metrics.pq(overlap)) for overlap in e.images])
    gap = float(np.nanmax(np.abs(values(e.images, iou_low=0.5, iou_high=0.5, reading=reading) - pq)))
    return f"largest difference {gap:.3g}", gap < 1e-9


def not_below_pq(e: Evidence, reading: str) -> Found:
    """The smallest difference."""
    pq = np.array([float(metrics.pq(overlap)) for overlap in e.images])
    least = float(np.nanmin(values(e.images, reading=reading) - pq))
    return f"smallest SoftPQ - PQ is {least:.3g}", least >= -TOLERANCE


def unique_above_half(e: Evidence, reading: str) -> Found:
    """Every pair above one half is matched."""
    several = 0
    for overlap in e.images:
        found = np.flatnonzero(overlap.pair_iou > 0.5)
        several += len(found) != match(overlap, 0.5, strict=True).tp
    return f"an object has two candidates in {several} images", several == 0


def weak_overlaps(e: Evidence, reading: str) -> Found:
    """More strips, lower scores."""
    scores = e.column("oversegmentation_fragments", f"{reading}_over")
    return ", ".join(f"{score:.3f}" for score in scores), bool(np.all(np.diff(scores) < 0))


# ---------------------------------------------------------------- figure 1


def tells_apart(others: tuple[str, ...]) -> Test:
    """Of scenes with different errors, more have a value of their own, to two digits, than under any other metric."""

    def test(e: Evidence, reading: str) -> Found:
        counts = {}
        for name in (*others, f"{reading}_over"):
            groups = [[e.case(case)[name] for case in cases] for cases in _CASES]
            counts[name] = sum(len({round(value, 2) for value in group}) for group in groups)
        ours = counts.pop(f"{reading}_over")
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        return f"different values on 3 + 3 scenes: SoftPQ {ours}; {listed}", ours > max(counts.values())

    return test


_CASES = (
    ("over_case1_partial", "over_case2_split", "over_case3_partial_ghost"),
    ("under_case1_partial", "under_case2_merged", "under_case3_partial_ghost"),
)


# ---------------------------------------------------------------- figures 2 and 3


def smoothest(table: str, others: tuple[str, ...]) -> Test:
    """The largest step of ours is smaller than that of others."""

    def test(e: Evidence, reading: str) -> Found:
        ours = e.largest_step(table, f"{reading}_over")
        steps = {name: e.largest_step(table, name) for name in others}
        listed = ", ".join(f"{name} {step:.3f}" for name, step in steps.items())
        return f"largest step {ours:.3f}; {listed}", ours < min(steps.values())

    return test


def not_zero(e: Evidence, reading: str) -> Found:
    """Where PQ is 0."""
    zero, kept = 0, 0
    for table in _PROGRESSIONS:
        pq, ours = e.column(table, "PQ"), e.column(table, f"{reading}_over")
        zero, kept = zero + int((pq == 0).sum()), kept + int(((pq == 0) & (ours > 0)).sum())
    return f"SoftPQ is above 0 at {kept} of the {zero} steps where PQ is 0", kept == zero


_PROGRESSIONS = ("erosion_single", "erosion_paired", "dilation_single", "dilation_paired")
_SWEEPS = tuple(f"iou_low_sweep_{how}_{what}" for how in ("erode", "dilate") for what in ("single", "paired"))


def monotonic_in_figure(e: Evidence, reading: str) -> Found:
    """From each l to the next smaller one."""
    falls, steps = 0, 0
    for table in _SWEEPS:
        rows = e.tables[table]
        for iteration in sorted({row["iteration"] for row in rows}):
            chosen = sorted((r for r in rows if r["iteration"] == iteration), key=lambda row: -row["iou_low"])
            changes = np.diff(column(chosen, f"{reading}_over"))
            falls, steps = falls + int((changes < -TOLERANCE).sum()), steps + len(changes)
    return f"it falls in {falls} of {steps} steps", falls == 0


LOWS = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01)


def monotonic(e: Evidence, reading: str) -> Found:
    """From each l to the next smaller one."""
    curves = np.stack([values(e.images, iou_low=low, reading=reading) for low in LOWS], axis=1)
    falls = int(np.sum(np.diff(curves, axis=1) < -TOLERANCE))
    return f"it falls in {falls} of {curves.shape[0] * (len(LOWS) - 1)} steps", falls == 0


# ---------------------------------------------------------------- figure 4


def modest(e: Evidence, reading: str) -> Found:
    """At most a tenth is lost."""
    last = e.tables["oversegmentation_25_objects"][-1]
    value = last[f"{reading}_over"]
    return f"{value:.3f} with every object split in two; PQ {last['PQ']:.3f}", value > 0.9


def most_robust(others: tuple[str, ...]) -> Test:
    """Our score is above that of others."""

    def test(e: Evidence, reading: str) -> Found:
        last = e.tables["oversegmentation_25_objects"][-1]
        ours, theirs = last[f"{reading}_over"], {name: last[name] for name in others}
        listed = ", ".join(f"{name} {value:.3f}" for name, value in theirs.items())
        return f"SoftPQ {ours:.3f}; {listed}", ours > max(theirs.values())

    return test


def one_to_one(e: Evidence, reading: str) -> Found:
    """All objects are matched."""
    rows = e.tables["oversegmentation_fragments"]
    found = ", ".join(f"{row['tp']} of 25 with {row['fragments']}" for row in rows)
    return f"matched objects: {found} fragments each", all(row["tp"] == 25 for row in rows)


# ---------------------------------------------------------------- ghosts, merges, priority


def ghosts(*, matched: bool) -> Test:
    """Add a prediction where nothing is; a penalty must lower the score."""

    def test(e: Evidence, reading: str) -> Found:
        looked_at = free = 0
        for overlap in e.images:
            before = softpq(overlap, reading=reading)
            if before > 0 and (match(overlap, 0.5).tp > 0) == matched:
                looked_at += 1
                haunted = overlap + Overlap.from_pairs([0], [10**6], [4])
                free += softpq(haunted, reading=reading) >= before - TOLERANCE
        return f"free in {free} of {looked_at} images with a score above 0", free == 0

    return test


def merges_cost(e: Evidence, reading: str) -> Found:
    """Two objects, and one over both."""
    ideal, merged = (e.case(name)[f"{reading}_over"] for name in ("under_ideal", "under_case2_merged"))
    return f"{ideal:.3f} before, {merged:.3f} merged", merged < ideal - 0.01


def priority_makes_a_difference(e: Evidence, reading: str) -> Found:
    """Over and under differ on some scene."""
    rows = [e.case(name) for cases in _CASES for name in cases]
    gap = max(abs(row[f"{reading}_over"] - row[f"{reading}_under"]) for row in rows)
    return f"over and under differ by up to {gap:.3f}", gap > 0.01


def priority_as_in_words(e: Evidence, reading: str) -> Found:
    """Over scores a split higher than under does, and under a merge."""
    split, merged = e.case("over_case2_split"), e.case("under_case2_merged")
    found = {(what, how): row[f"{reading}_{how}"] for what, row in (("split", split), ("merge", merged))
             for how in ("over", "under")}  # fmt: skip
    holds = (found["split", "over"] > found["split", "under"]) and (found["merge", "under"] > found["merge", "over"])
    return "; ".join(f"a {what} under priority {how}: {value:.3f}" for (what, how), value in found.items()), holds


def l_against_merges(e: Evidence, reading: str) -> Found:
    """What is lost between l = 0.05 and 0.4 where half of the cells are merged, and where half are split."""
    lost = {}
    for kind, images in (("merges", e.merged), ("splits", e.split)):
        at = [values(images, iou_low=low, reading=reading) for low in (0.05, 0.4)]
        lost[kind] = float(np.mean(at[0] - at[1]))
    listed = ", ".join(f"{kind} {value:.3f}" for kind, value in lost.items())
    return f"mean loss from l = 0.05 to 0.4: {listed}", lost["merges"] > lost["splits"] + 0.01


# ---------------------------------------------------------------- thresholds, penalties, real images


def useful_balance(e: Evidence, reading: str) -> Found:
    """It differs from PQ somewhere."""
    key = f"l025_{reading}_over"
    rows = [e.case(name) for cases in _CASES for name in cases]
    same = sum(abs(row[key] - row["PQ"]) < 1e-9 for row in rows)
    return f"equals PQ on {same} of 6 scenes", same < 6


def precise_is_stricter(e: Evidence, reading: str) -> Found:
    """Precise is never above general."""
    general = values(e.images, iou_low=0.25, iou_high=0.5, reading=reading)
    precise = values(e.images, iou_low=0.45, iou_high=0.7, reading=reading)
    above = int(np.sum(precise > general + TOLERANCE))
    return f"l = 0.45, h = 0.7 is above l = 0.25, h = 0.5 in {above} of {len(general)} images", above == 0


def penalties(e: Evidence, reading: str) -> Found:
    """The square root scores highest."""
    row: dict[str, Any] = e.tables["penalty_ablation"][4]
    at_five = {name: row[f"{reading}_{name}"] for name in ("sqrt", "linear", "log")}
    listed = ", ".join(f"{name} {value:.3f}" for name, value in at_five.items())
    return f"{listed} at five fragments", at_five["sqrt"] > max(at_five["linear"], at_five["log"])


def raw_logarithm(e: Evidence, reading: str) -> Found:
    """No soft match counts more than fully."""
    if reading == "released":
        return "the authors' program takes max(1, ln(n+1)): one soft match costs nothing", False
    largest, weight = float(e.column("penalty_ablation", f"{reading}_log_raw").max()), 1 / float(np.log(2))
    found = f"one soft match counts 1/ln 2 = {weight:.2f} times; SoftPQ reaches {largest:.3f}"
    return found, weight <= 1 and largest <= 1


def agree_without_errors(e: Evidence, reading: str) -> Found:
    """Without a soft pair there is no difference."""
    plain = [o for o in e.apart if metrics.softpq(o, reading=reading).parts["soft"] == 0]  # type: ignore[arg-type]
    gaps = [abs(softpq(overlap, reading=reading) - float(metrics.pq(overlap))) for overlap in plain]
    worst = max((gap for gap in gaps if gap == gap), default=0.0)
    return f"largest difference {worst:.3g} on the {len(plain)} images without a soft pair", worst < 1e-9


def real_above(e: Evidence, reading: str) -> Found | None:
    """No image is below."""
    if reading not in e.real:
        return None
    gaps = column(e.real[reading], "difference")
    below = int((gaps < -TOLERANCE).sum())
    return f"{below} of {len(gaps)} images are below; {int((gaps > TOLERANCE).sum())} above", below == 0


def real_correlation(e: Evidence, reading: str) -> Found | None:
    """It is negative."""
    if reading not in e.real or len(e.real[reading]) < 3:
        return None
    rows = e.real[reading]
    found = float(np.corrcoef(column(rows, "difference"), column(rows, "PQ"))[0, 1])
    return f"Pearson correlation of the difference and PQ: {found:.3f}", found < 0
