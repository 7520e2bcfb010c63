"""Masks that overlap: scenes of the reference and random ones; and what SoftPQ credits there, the obvious way."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from reference import shared_json

from softpq import Masks, Overlap, Settings, match

SCENES = (shared_json("golden/overlap_scenes.json") or {"scenes": []})["scenes"]


def masks_of(runs: list[list[list[int]]], shape: list[int]) -> Masks:
    """Masks from runs [start, length]."""
    stack = np.zeros((len(runs), int(np.prod(shape))), bool)
    for mask, parts in zip(stack, runs, strict=True):
        for start, length in parts:
            mask[start : start + length] = True
    return Masks.from_stack(stack.reshape(len(runs), *shape))


@st.composite
def stacks(draw: st.DrawFn, most: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Two stacks on one image; masks are boxes, unions and copies of each other, so that much is equal."""
    shape = draw(st.sampled_from([(1, 12), (4, 5), (6, 6), (2, 3, 4)]))
    return tuple(_stack(draw, shape, draw(st.integers(0, most))) for _ in range(2))  # type: ignore[return-value]


def _stack(draw: st.DrawFn, shape: tuple[int, ...], count: int) -> np.ndarray:
    found: list[np.ndarray] = []
    for _ in range(count):
        mask = np.zeros(shape, bool)
        corners = [sorted((draw(st.integers(0, size)), draw(st.integers(0, size)))) for size in shape]
        mask[tuple(slice(low, high) for low, high in corners)] = True
        kind = draw(st.integers(0, 4))
        if found and kind == 0:
            mask |= found[draw(st.integers(0, len(found) - 1))]
        if found and kind == 1:
            mask = found[draw(st.integers(0, len(found) - 1))].copy()
        found.append(mask)
    return np.array(found, bool).reshape(count, *shape)


def atoms_by_pixel(truth: np.ndarray, pred: np.ndarray) -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
    """The obvious way: look at every pixel."""
    pixels = int(np.prod(truth.shape[1:]))
    columns = [stack.reshape(len(stack), pixels).T for stack in (truth, pred)]
    found = Counter(
        (tuple(np.flatnonzero(t).tolist()), tuple(np.flatnonzero(p).tolist())) for t, p in zip(*columns, strict=True)
    )
    return {sets: count for sets, count in found.items() if sets != ((), ())}


def sums_by_pixel(truth: np.ndarray, pred: np.ndarray, overlap: Overlap, settings: Settings) -> dict[str, Any]:
    """Soft pairs of a matching and what each is credited, by sets of pixels."""
    sides = [[set(np.flatnonzero(mask.ravel()).tolist()) for mask in stack] for stack in (truth, pred)]
    pairs = match(overlap, settings.iou_high).pairs
    of_truth = dict(zip(overlap.pair_truth[pairs].tolist(), overlap.pair_pred[pairs].tolist(), strict=True))
    of_pred = {p: t for t, p in of_truth.items()}
    own = {}
    for t, p in product(range(len(truth)), range(len(pred))):
        if of_truth.get(t) == p or not sides[0][t] & sides[1][p]:
            continue
        taken = sides[1][of_truth[t]] if t in of_truth else set()
        taken = taken | (sides[0][of_pred[p]] if p in of_pred else set())
        own[t, p] = (sides[0][t] & sides[1][p]) - taken
    union = {(t, p): len(sides[0][t] | sides[1][p]) for t, p in own}
    soft = {pair: pixels for pair, pixels in own.items() if len(pixels) / union[pair] > settings.iou_low}
    credit = {}
    for t, p in soft:
        shares = [
            1 / max(sum(x in soft[a] for a in soft if a[0] == t), sum(x in soft[a] for a in soft if a[1] == p))
            for x in soft[t, p]
        ]
        credit[t, p] = sum(shares) / union[t, p]
    return credit
