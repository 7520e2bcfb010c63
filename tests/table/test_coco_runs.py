"""COCO's masks, natively: run-lengths and polygons to runs down the columns, and those to runs by rows."""

from __future__ import annotations

import numpy as np
import pytest
from coco_masks import POLYGONS, as_text, counted
from hypothesis import given
from hypothesis import strategies as st

from softpq import _core

MOST = 1 << 20


def column(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def dense(found: tuple, mask: int, height: int, width: int) -> np.ndarray:
    """Draw the runs of one mask; they must be in order, with gaps between them."""
    offsets, starts, stops, wrong, why = found
    assert wrong == -1, why
    flat = np.zeros(height * width, bool)
    mine = slice(offsets[mask], offsets[mask + 1])
    assert (starts[mine] < stops[mine]).all()
    assert (starts[mine][1:] > stops[mine][:-1]).all()
    for start, stop in zip(starts[mine], stops[mine], strict=True):
        flat[start:stop] = True
    return flat.reshape(width, height).T


def text_runs(text: bytes, height: int, width: int, most: int = MOST) -> tuple:
    return _core.coco_text_runs(text, column(len(text)), column(height), column(width), most)


def polygon_runs(rings: list[list[float]], height: int, width: int, most: int = MOST) -> tuple:
    ends = np.cumsum([len(ring) // 2 for ring in rings]).astype(np.int64)
    corners = np.array([value for ring in rings for value in ring], np.float64)
    return _core.coco_polygon_runs(corners, ends, column(len(rings)), column(height), column(width), most)


masks = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda size: st.lists(st.booleans(), min_size=size[0] * size[1], max_size=size[0] * size[1]).map(
        lambda bits: np.array(bits).reshape(size)
    )
)


@given(st.lists(masks, min_size=1, max_size=4))
def test_text_and_numbers_give_the_pixels_that_were_counted(several: list[np.ndarray]) -> None:
    counts = [counted(mask) for mask in several]
    heights, widths = (column(*(mask.shape[axis] for mask in several)) for axis in (0, 1))
    texts = [as_text(one) for one in counts]
    text_ends, ends = (np.cumsum([len(one) for one in parts]).astype(np.int64) for parts in (texts, counts))
    of_text = _core.coco_text_runs(b"".join(texts), text_ends, heights, widths, MOST)
    of_numbers = _core.coco_count_runs(np.concatenate(counts), ends, heights, widths, MOST)
    for k, mask in enumerate(several):
        assert np.array_equal(dense(of_text, k, *mask.shape), mask)
        assert np.array_equal(dense(of_numbers, k, *mask.shape), mask)


def test_runs_of_no_length_are_nothing() -> None:
    found = _core.coco_count_runs(column(0, 2, 0, 3, 0, 0, 4), column(7), column(3), column(3), MOST)
    assert dense(found, 0, 3, 3).T.ravel().tolist() == [True] * 5 + [False] * 4


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "sum to less"),
        (b"5", "sum to less"),
        (b"Z1", "sum to more"),
        (b"02O", "negative"),
        (b"0P", "cut short"),
        (b"0 4", "outside of the code"),
        (b"0\xff", "outside of the code"),
        (b"P" * 40, "too large"),
    ],
)
def test_text_that_is_no_mask_is_refused(text: bytes, why: str) -> None:
    *_, wrong, reason = text_runs(text, 3, 3)
    assert wrong == 0
    assert why in reason


def test_the_first_wrong_mask_is_named() -> None:
    *_, wrong, reason = _core.coco_count_runs(
        column(9, 3, -1, 7), column(1, 4, 4), column(3, 3, 3), column(3, 3, 3), MOST
    )
    assert (wrong, reason) == (1, "has a negative run-length")


def test_few_bytes_cannot_fill_the_memory() -> None:
    counts = column(0, 1 << 25, 1 << 25)
    *columns, wrong, _ = _core.coco_count_runs(counts, column(3), column(1 << 25), column(2), 1 << 10)
    assert wrong == -1
    with pytest.raises(ValueError, match="has more runs than memory is allowed for"):
        _core.row_runs(tuple(columns), 1 << 25, 2, 1 << 10)
    *_, wrong, reason = _core.coco_count_runs(column(*[1] * 8), column(8), column(8), column(1), 3)
    assert (wrong, reason) == (0, "has more runs than memory is allowed for")


@given(masks)
def test_runs_by_rows_have_the_same_pixels(mask: np.ndarray) -> None:
    counts = counted(mask)
    *columns, _, _ = _core.coco_count_runs(
        counts, column(len(counts)), column(mask.shape[0]), column(mask.shape[1]), MOST
    )
    offsets, starts, stops = _core.row_runs(tuple(columns), *mask.shape, MOST)
    assert np.array_equal(dense((offsets, starts, stops, -1, ""), 0, *mask.shape[::-1]).T, mask)


@pytest.mark.parametrize("case", POLYGONS, ids=lambda case: case["what"])
def test_polygons_are_drawn_as_pycocotools_draws_them(case: dict) -> None:
    height, width = case["size"]
    expected = dense(text_runs(case["counts"].encode(), height, width), 0, height, width)
    assert np.array_equal(dense(polygon_runs(case["rings"], height, width), 0, height, width), expected)


corner = st.one_of(
    st.integers(-10, 40).map(float), st.integers(-50, 200).map(lambda v: v / 5), st.floats(-60, 90), st.floats(7, 7.9)
)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # inside of pycocotools
@given(
    st.lists(st.lists(corner, min_size=6, max_size=14).filter(lambda ring: len(ring) % 2 == 0), min_size=1, max_size=3),
    st.integers(1, 30),
    st.integers(1, 30),
)
def test_any_polygon_is_drawn_as_pycocotools_draws_it(rings: list[list[float]], height: int, width: int) -> None:
    peer = pytest.importorskip("pycocotools.mask", reason="needs pycocotools")
    expected = peer.decode(peer.merge(peer.frPyObjects(rings, height, width)))
    assert np.array_equal(dense(polygon_runs(rings, height, width), 0, height, width), expected)


@pytest.mark.parametrize("far", [float("nan"), float("inf"), 1e12, -1e300])
def test_corners_that_are_nowhere_are_refused(far: float) -> None:
    *_, wrong, reason = polygon_runs([[1, 1, 5, far, 3, 3]], 9, 9)
    assert (wrong, reason) == (0, "has a corner that is not a number, or too far away")


def test_work_grows_with_the_image_and_not_with_what_lies_outside() -> None:
    far = 1e8
    assert dense(polygon_runs([[-far, -far, far, -far, far, far, -far, far]], 5, 4), 0, 5, 4).all()


def test_outlines_that_pass_too_many_columns_are_refused() -> None:
    *_, wrong, reason = polygon_runs([[0, 0, 500, 3, 0, 6]], 9, 600, most=100)
    assert (wrong, reason) == (0, "has an outline that passes too many columns")
