"""Of equally good matchings one is taken, whatever the labels, the side that is called truth, and the scale."""

from __future__ import annotations

import numpy as np
import pytest
from made_up import tied_scene
from strategies import relabelled

from softpq import Masks, Overlap, Settings, match, metrics
from softpq.explain.repairs import attribution
from softpq.explain.verdicts import SIDES, verdict_counts, verdicts_of
from softpq.metrics._softpq import softpq_sums
from softpq.table.ties import tie_breaks

HIGHS = (0.1, 1 / 7, 0.2, 0.25, 1 / 3, 0.4, 0.5)
OTHER = {"over": "under", "under": "over", "truth": "pred", "pred": "truth"}


def numbers(overlap: Overlap, high: float, *, exchanged: bool = False) -> list[float]:
    """Everything that a matching decides, as it must be after the sides are exchanged."""
    found: list[float] = [match(overlap, high).tp, match(overlap, high).iou_sum]
    for reading in ("text", "figures", "unified"):
        for priority in ("over", "under"):
            settings = Settings(0.05, high, "sqrt", OTHER[priority] if exchanged else priority, reading)
            parts = softpq_sums(overlap, settings)
            found += [parts[name] for name in ("matched", "matched_iou", "soft", "soft_iou", "forgiven")]
    counts = verdict_counts(overlap, Settings(0.05, high))
    for side in SIDES:
        seen = OTHER[side] if exchanged else side
        names = [name for name in verdicts_of(seen) if name != "duplicate"]  # of which label images have none
        found += [counts.get((seen, name), 0) for name in names]
    return [*found, float(metrics.sorted_ap(overlap)), float(metrics.aji_plus(overlap))]


def gains(overlap: Overlap, high: float) -> list[float]:
    return [gain for repair in attribution(overlap, Settings(0.05, high)).values() for gain in repair.values()]


@pytest.mark.parametrize("seed", range(50))
def test_no_number_depends_on_labels_sides_or_scale(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, pred = tied_scene(rng, seed % 5)
    here = Overlap.from_labels(truth, pred)
    renamed = Overlap.from_labels(relabelled(truth, seed), relabelled(pred, seed + 1))
    mirrored = Overlap.from_labels(relabelled(np.flip(truth), seed + 2), relabelled(np.flip(pred), seed + 3))
    exchanged = Overlap.from_labels(relabelled(pred, seed + 4), relabelled(truth, seed + 5))
    thrice = np.ones((3,) * truth.ndim, int)
    scaled = Overlap.from_labels(np.kron(truth, thrice), np.kron(pred, thrice))
    for high in HIGHS:
        expected, gained = numbers(here, high), gains(here, high)
        for other in (renamed, mirrored, scaled):
            assert numbers(other, high) == pytest.approx(expected, abs=1e-12)
            assert gains(other, high) == pytest.approx(gained, abs=1e-12)
        assert numbers(exchanged, high, exchanged=True) == pytest.approx(expected, abs=1e-12)


def test_both_priorities_see_one_matching() -> None:
    """Seen: .3729, and .3351 with the pairs of match."""
    overlap = Overlap.from_labels([1, 2, 0, 2, 1, 1], [1, 1, 2, 2, 0, 0])
    parts = softpq_sums(overlap, Settings(0.05, 1 / 3, priority="under"))
    matched = match(overlap, 1 / 3)
    soft = np.setdiff1d(np.flatnonzero(overlap.pair_iou > 0.05), matched.pairs)
    groups = overlap.pair_pred[soft]
    expected = (overlap.pair_iou[soft] / np.sqrt(np.bincount(groups)[groups] + 1)).sum()
    assert parts["matched_iou"] == matched.iou_sum
    assert parts["soft_iou"] == pytest.approx(expected, abs=1e-15)


def test_repairs_do_not_depend_on_label_numbers() -> None:
    """Seen: merges separated .189, and .245 with other labels."""
    truth, pred = np.array([0, 2, 3, 2, 3, 0, 3]), np.array([2, 1, 1, 1, 3, 1, 1])
    values = set()
    for k in range(40):
        overlap = Overlap.from_labels(relabelled(truth, k), relabelled(pred, 2 * k + 1))
        values.add(round(attribution(overlap)["merges separated"]["softpq"], 12))
    assert len(values) == 1


def test_twins_are_many() -> None:
    """A hundred thousand specks on one object, all alike: told apart at once and not one by one."""
    n = 100_000
    truth = np.ones(2 * n, int)
    pred = np.zeros(2 * n, int)
    pred[::2] = np.arange(1, n + 1)
    assert len(set(tie_breaks(Overlap.from_labels(truth, pred)).tolist())) > 0.99 * n


def test_the_largest_sum_is_exact() -> None:
    """Two matchings whose sums differ by less than ties would weigh as fractions: the larger one is taken."""
    n = 30_000_001
    overlap = Overlap.from_pairs([1, 1, 2, 2], [1, 2, 1, 2], [n, n, n, n + 1])
    assert match(overlap, 0.2).pairs.tolist() == [0, 3]


def drawn(*masks: str) -> np.ndarray:
    """A line of pixels for each mask."""
    return np.array([[[pixel == "#" for pixel in mask]] for mask in masks])


MIRRORED = (  # which of those that look the same is marked first changes SoftPQ
    drawn("#.##.#.", "######.", "#..###.", ".#.##.#", ".######", ".###..#"),
    drawn(".##....", "..#....", "##.####", "......#", "#.#..##", "....##.", "....#..", "####.##", "#......", "##..#.#"),
)
CROSSED = drawn("##..", "..##"), drawn("#.#.", ".#.#")  # the sum of what is known of each object decides nothing


def symmetric_masks(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Few pixels, copies on a side, copies of truth, and everything again turned round: full of ties."""
    shape = (int(rng.integers(2, 5)), int(rng.integers(2, 5))) if rng.random() < 0.6 else (1, int(rng.integers(3, 9)))
    sides = [rng.random((int(rng.integers(1, 6)), *shape)) < rng.choice([0.3, 0.5, 0.7]) for _ in range(2)]
    sides = [np.concatenate([side, side[: rng.integers(len(side) + 1)]]) for side in sides]
    if rng.random() < 0.3:
        sides[1] = np.concatenate([sides[1], sides[0][: rng.integers(len(sides[0]) + 1)]])
    if rng.random() < 0.5:
        sides = [np.concatenate([side, side[:, ::-1, ::-1]]) for side in sides]
    return sides[0], sides[1]


def check_order_of_masks(truth: np.ndarray, pred: np.ndarray, rng: np.random.Generator) -> None:
    def sums(truth: np.ndarray, pred: np.ndarray) -> list[float]:
        overlap = Overlap.from_masks(Masks.from_stack(truth), Masks.from_stack(pred))
        settings = [Settings(0.05, high, reading="unified") for high in (0.2, 1 / 3, 0.5, 0.75)]
        settings += [Settings(0.05, 0.25, priority="under", reading="figures")]
        return [value for one in settings for value in softpq_sums(overlap, one).values()]

    expected = sums(truth, pred)
    for _ in range(4):
        assert sums(rng.permutation(truth), rng.permutation(pred)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_no_number_depends_on_the_order_of_masks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    check_order_of_masks(*symmetric_masks(rng), rng)


@pytest.mark.parametrize("scene", [MIRRORED, CROSSED])
def test_scenes_in_which_it_did(scene: tuple[np.ndarray, np.ndarray]) -> None:
    rng = np.random.default_rng(1)
    for _ in range(8):
        check_order_of_masks(*scene, rng)
