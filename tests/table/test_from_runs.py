"""Boxes, centroids, pieces and bands come from runs; slow, obvious programs that look at pixels say the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from strategies import HUGE, label_pairs

import softpq
from softpq import Overlap
from softpq.explain.objects import objects_of
from softpq.scale.blocks import blocks_of, with_halo
from softpq.table.images import Images
from softpq.table.partial import Partial
from softpq.table.pieces import pieces_of, pieces_overlap, split_components

Pair = tuple[np.ndarray, np.ndarray]

DTYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64)


@st.composite
def odd_pairs(draw: st.DrawFn) -> Pair:
    """Two images of any types, that lie in memory in any way."""
    small = draw(st.booleans())
    pair = draw(label_pairs((0, 1, 2, 3, 100) if small else HUGE))
    types = [draw(st.sampled_from(DTYPES if small else (np.uint64,))) for _ in pair]
    order = draw(st.permutations(range(pair[0].ndim)))
    return tuple(strided(draw, side.astype(t).transpose(order)) for side, t in zip(pair, types, strict=True))  # type: ignore[return-value]


def strided(draw: st.DrawFn, image: np.ndarray) -> np.ndarray:
    """The same values with another step, direction and order of axes in memory."""
    steps = [draw(st.sampled_from((1, 1, 2, -1, -3))) for _ in image.shape]
    order = draw(st.permutations(range(image.ndim)))
    room = np.full([size * abs(step) for size, step in zip(image.shape, steps, strict=True)], 77, image.dtype)
    room = np.ascontiguousarray(room.transpose(order)).transpose(np.argsort(order))
    view = room[tuple(slice(None, None, step) for step in steps)]
    view[...] = image
    return view


def masks(draw: st.DrawFn, shape: tuple[int, ...]) -> np.ndarray | None:
    bits = draw(st.lists(st.integers(0, 5), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return np.array(bits, int).reshape(shape) == 0 if draw(st.booleans()) else None


@given(st.data())
def test_places_are_those_of_the_pixels(data: st.DataObject) -> None:
    truth, pred = data.draw(odd_pairs())
    ignore = masks(data.draw, truth.shape)
    overlap = Overlap.from_labels(truth, pred, ignore=ignore)
    objects = objects_of(overlap, images=Images(truth, pred, ignore))
    rows = [(truth, label) for label in overlap.truth_ids] + [(pred, label) for label in overlap.pred_ids]
    for row, (side, label) in enumerate(rows):
        where = np.argwhere((side.astype(np.uint64) == label) & (True if ignore is None else ~ignore))
        for axis in range(truth.ndim):
            assert objects[f"bbox_min_{axis}"][row] == where[:, axis].min()
            assert objects[f"bbox_max_{axis}"][row] == where[:, axis].max() + 1
            assert objects[f"centroid_{axis}"][row] == where[:, axis].sum() / len(where)


def slow_pieces(image: np.ndarray) -> np.ndarray:
    """Number what scipy finds label by label, in the order of first pixels."""
    touching = np.ones((3,) * image.ndim)
    found = np.zeros(image.shape, np.int64)
    for label in np.unique(image[image != 0]):
        part, _ = ndimage.label(image == label, touching)
        found[part > 0] = part[part > 0] + found.max()
    _, first = np.unique(found[found > 0], return_index=True)
    rank = np.zeros(found.max(initial=0) + 1, np.uint64)
    rank[1:][np.argsort(first)] = np.arange(1, len(first) + 1)
    return rank[found]


@given(odd_pairs())
def test_pieces_are_those_of_scipy(pair: Pair) -> None:
    for side in pair:
        numbers = slow_pieces(side)
        assert np.array_equal(split_components(side), numbers)
        labels, firsts, areas = pieces_of(side)
        assert np.array_equal(areas, np.bincount(numbers.ravel().astype(int))[1:])
        assert np.array_equal(labels, side.ravel()[firsts].astype(np.uint64))
        assert np.array_equal(numbers.ravel()[firsts], np.arange(1, len(firsts) + 1))


@given(st.data())
def test_pieces_are_counted_as_if_they_were_drawn(data: st.DataObject) -> None:
    truth, pred = data.draw(odd_pairs())
    ignore, strict = masks(data.draw, truth.shape), data.draw(st.booleans())
    drawn = Overlap.from_labels(slow_pieces(truth), slow_pieces(pred), ignore=ignore, strict=strict)
    assert pieces_overlap(truth, pred, ignore=ignore, strict=strict) == drawn


def slow_bands(image: np.ndarray, reach: list[int]) -> np.ndarray:
    """A pixel is kept if something in its box, or beyond the border, has another label."""
    kept = np.zeros_like(image)
    for at in itertools.product(*map(range, image.shape)):
        low, high = [a - r for a, r in zip(at, reach, strict=True)], [a + r for a, r in zip(at, reach, strict=True)]
        box = image[tuple(slice(max(a, 0), b + 1) for a, b in zip(low, high, strict=True))]
        beyond = min(low) < 0 or any(b >= size for b, size in zip(high, image.shape, strict=True))
        kept[at] = image[at] if beyond or (box != image[at]).any() else 0
    return kept


@given(st.data())
def test_bands_are_counted_as_if_they_were_drawn(data: st.DataObject) -> None:
    truth, pred = data.draw(odd_pairs())
    reach = [data.draw(st.integers(1, 3)) for _ in truth.shape]
    ignore = masks(data.draw, truth.shape)
    mask = np.zeros(truth.shape, bool) if ignore is None else ignore
    drawn = Overlap.from_labels(*(np.where(mask, 0, slow_bands(side, reach)) for side in (truth, pred)))
    assert Partial.counted(truth, pred, ignore=ignore, reach=reach).overlap == drawn


@given(st.data())
def test_bands_of_tiles_are_those_of_the_image(data: st.DataObject) -> None:
    truth, pred = data.draw(odd_pairs())
    reach = [data.draw(st.integers(1, 3)) for _ in truth.shape]
    cut = tuple(data.draw(st.integers(1, size)) for size in truth.shape)
    tiles = []
    for block in blocks_of(truth.shape, cut):
        outer, inner = with_halo(block, reach, truth.shape)
        tiles.append(Partial.counted(truth[outer], pred[outer], reach=reach, inner=inner).overlap)
    assert sum(tiles) == Partial.counted(truth, pred, reach=reach).overlap


def filtered_bands(image: np.ndarray) -> np.ndarray:
    """Where the smallest and largest label of a box of five differ, or it leaves the image."""
    wide = image.astype(np.int64)
    inside = ndimage.minimum_filter(wide, 5, mode="constant", cval=-1) == ndimage.maximum_filter(wide, 5)
    return np.where(inside, 0, image)


@pytest.mark.parametrize("shape", [(1500, 1300), (40, 130, 300), (2_000_000,)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.uint64])
def test_large_images_are_the_same_with_threads_and_strides(shape: tuple[int, ...], dtype: type) -> None:
    """Large enough for several threads and for lines of several chunks."""
    rng = np.random.default_rng(len(shape))
    coarse = rng.integers(0, 100, [size // 7 + 1 for size in shape])
    truth = np.ascontiguousarray(np.kron(coarse, np.ones((7,) * len(shape), int))[tuple(map(slice, shape))], dtype)
    pred = np.roll(truth, 3, axis=-1)
    reach = [2] * len(shape)
    one = Partial.counted(truth, pred, reach=reach, threads=1).overlap
    assert one == Partial.counted(truth.T, pred.T, reach=reach, threads=3).overlap
    assert one == Overlap.from_labels(filtered_bands(truth), filtered_bands(pred))
    overlap = Overlap.from_labels(truth, pred)
    plain = objects_of(overlap, images=Images(truth, pred))
    turned = objects_of(overlap, images=Images(np.asfortranarray(truth), np.asfortranarray(pred)))
    for name in plain.columns:
        assert np.array_equal(plain[name], turned[name])
    assert np.array_equal(split_components(truth), split_components(np.asfortranarray(truth)))


def test_no_object_and_no_pixel() -> None:
    for shape in ((0,), (0, 4), (4, 0), (3, 4)):
        empty = np.zeros(shape, np.uint16)
        assert Overlap.from_labels(empty, empty, boundary=2).n_truth == 0
        assert pieces_overlap(empty, empty).n_pred == 0
        assert split_components(empty).shape == shape
        assert len(softpq.evaluate(empty, empty).objects) == 0


def test_a_reach_beyond_the_image_is_all_of_every_object() -> None:
    truth = np.kron(np.eye(4, dtype=np.uint8), np.ones((9, 9), np.uint8))
    for reach in (5, 100, 2**62):
        assert Partial.counted(truth, truth, reach=[reach] * 2).overlap == Overlap.from_labels(truth, truth)
