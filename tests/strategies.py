"""Label images for Hypothesis: ties, touching objects, gaps between labels, huge labels, missing background."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

LABELS = (0, 1, 2, 3, 7, 250)
HUGE = (0, 1, 2**31, 2**32 - 1, 2**32, 2**60, 2**64 - 1)


def shapes() -> st.SearchStrategy[tuple[int, ...]]:
    return st.one_of(
        st.tuples(st.integers(1, 24)),
        st.tuples(st.integers(1, 8), st.integers(1, 8)),
        st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 4)),
    )


@st.composite
def label_pairs(draw: st.DrawFn, labels: tuple[int, ...] = LABELS) -> tuple[np.ndarray, np.ndarray]:
    """Two images of one shape, made of blocks so that objects have some size and halves tie."""
    shape = draw(shapes())
    dtype = np.uint64 if max(labels) >= 2**63 else np.int64
    return tuple(_blocks(draw, shape, labels, dtype) for _ in range(2))  # type: ignore[return-value]


def _blocks(draw: st.DrawFn, shape: tuple[int, ...], labels: tuple[int, ...], dtype: type) -> np.ndarray:
    block = draw(st.integers(1, 4))
    coarse = [-(-size // block) for size in shape]
    values = draw(st.lists(st.sampled_from(labels), min_size=int(np.prod(coarse)), max_size=int(np.prod(coarse))))
    image = np.array(values, dtype).reshape(coarse)
    for axis in range(len(shape)):
        image = image.repeat(block, axis=axis)
    return image[tuple(slice(size) for size in shape)]


@st.composite
def softpq_settings(draw: st.DrawFn, readings: tuple[str, ...] = ("text", "figures", "unified")) -> dict[str, object]:
    low, high = sorted((draw(st.integers(0, 20)) / 20, draw(st.integers(1, 20)) / 20))
    return {
        "iou_low": low,
        "iou_high": high,
        "penalty": draw(st.sampled_from(("sqrt", "linear", "log"))),
        "priority": draw(st.sampled_from(("over", "under"))),
        "reading": draw(st.sampled_from(readings)),
    }


def relabelled(image: np.ndarray, seed: int) -> np.ndarray:
    """The same objects under other, arbitrary labels."""
    ids = np.unique(image)
    ids = ids[ids > 0]
    new = np.random.default_rng(seed).choice(np.arange(1, 10_000), len(ids), replace=False)
    out = np.zeros(image.shape, np.int64)
    for old, label in zip(ids, new, strict=True):
        out[image == old] = label
    return out
