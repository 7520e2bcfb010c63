"""Counting: against a plain count, for every dtype, layout and number of threads."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import HUGE, label_pairs

from softpq import Overlap
from softpq.synthetic import cells

INTEGERS = [np.dtype(f"{sign}{size}") for sign, size in product("iu", (1, 2, 4, 8))]


def plainly_counted(truth: np.ndarray, pred: np.ndarray) -> Overlap:
    """Count with nothing but np.unique."""
    both = np.stack([truth.ravel().astype(np.uint64), pred.ravel().astype(np.uint64)])
    pairs, pixels = np.unique(both, axis=1, return_counts=True)
    counted = Overlap.from_pairs(pairs[0], pairs[1], pixels)
    assert counted.truth_areas.tolist() == [int((truth == label).sum()) for label in counted.truth_ids]
    assert counted.pred_areas.tolist() == [int((pred == label).sum()) for label in counted.pred_ids]
    return counted


@pytest.mark.parametrize("truth_type", INTEGERS, ids=str)
@pytest.mark.parametrize("pred_type", INTEGERS, ids=str)
def test_every_pair_of_integer_types(truth_type: np.dtype, pred_type: np.dtype) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 9, (40, 7)).repeat(30, axis=1)
    pred = rng.integers(0, 9, (40, 21)).repeat(10, axis=1)
    counted = Overlap.from_labels(truth.astype(truth_type), pred.astype(pred_type))
    assert counted == plainly_counted(truth, pred)


@given(label_pairs(labels=HUGE))
def test_labels_up_to_the_largest_integer(pair: tuple[np.ndarray, np.ndarray]) -> None:
    assert Overlap.from_labels(*pair) == plainly_counted(*pair)


@given(st.integers(1, 3000), st.integers(1, 400), st.integers(0, 10_000))
def test_runs_of_any_length_at_any_place(size: int, longest: int, seed: int) -> None:
    """Covers what a block of 64 and a chunk of the kernel can get wrong at their ends."""
    rng = np.random.default_rng(seed)
    truth, pred = (np.repeat(rng.integers(0, 5, size), rng.integers(1, longest + 1, size))[:size] for _ in range(2))
    assert Overlap.from_labels(truth, pred) == plainly_counted(truth, pred)


@pytest.fixture(scope="module")
def volume() -> tuple[np.ndarray, np.ndarray]:
    scene = cells((24, 40, 50), 60, seed=3)
    return scene.truth, scene.pred


LAYOUTS = {
    "as it is": lambda a: a,
    "fortran order": np.asfortranarray,
    "transposed": lambda a: a.transpose(2, 0, 1).copy().transpose(1, 2, 0),
    "every second": lambda a: a.repeat(2, axis=2)[:, :, ::2],
    "reversed": lambda a: a[::-1, :, ::-1].copy()[::-1, :, ::-1],
    "a crop": lambda a: np.pad(a, 3, constant_values=99)[3:-3, 3:-3, 3:-3],
    "foreign byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "read only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "a field": lambda a: np.rec.fromarrays([a.astype(np.int32), a.astype(np.int8)], names="a,b")["a"],
}


@pytest.mark.parametrize("truth_layout", list(LAYOUTS))
@pytest.mark.parametrize("pred_layout", list(LAYOUTS))
def test_memory_layout_does_not_matter(
    volume: tuple[np.ndarray, np.ndarray], truth_layout: str, pred_layout: str
) -> None:
    truth, pred = volume
    assert Overlap.from_labels(LAYOUTS[truth_layout](truth), LAYOUTS[pred_layout](pred)) == plainly_counted(*volume)


def test_broadcast_arrays() -> None:
    truth, pred = np.broadcast_to(np.arange(5), (7, 5)), np.broadcast_to(np.arange(7)[:, None], (7, 5))
    assert Overlap.from_labels(truth, pred) == plainly_counted(truth, pred)


def test_memory_mapped_files(tmp_path, volume: tuple[np.ndarray, np.ndarray]) -> None:
    np.save(tmp_path / "truth.npy", volume[0])
    assert Overlap.from_labels(np.load(tmp_path / "truth.npy", mmap_mode="r"), volume[1]) == plainly_counted(*volume)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_any_number_of_threads_counts_the_same(threads: int) -> None:
    scene = cells((1500, 1100), 400, seed=5)
    assert Overlap.from_labels(scene.truth, scene.pred, threads=threads) == Overlap.from_labels(
        scene.truth, scene.pred, threads=1
    )
    crop = (slice(3, -5), slice(7, -2))
    assert Overlap.from_labels(scene.truth[crop], scene.pred[crop], threads=threads) == Overlap.from_labels(
        scene.truth[crop].copy(), scene.pred[crop].copy(), threads=1
    )


def test_every_pixel_a_new_pair() -> None:
    truth = np.arange(300_000, dtype=np.uint32)
    overlap = Overlap.from_labels(truth, truth[::-1])
    assert overlap.n_truth == overlap.n_pred == 299_999
    assert len(overlap.pair_pixels) == 299_998
    shuffled = np.random.default_rng(0).integers(0, 2**63, 300_000)
    assert len(Overlap.from_labels(shuffled, np.arange(300_000)).truth_ids) == len(np.unique(shuffled))


def test_one_object_with_many_partners() -> None:
    truth, pred = np.ones(5000, np.int32), np.arange(5000, dtype=np.int32)
    overlap = Overlap.from_labels(truth, pred)
    assert overlap.n_truth == 1
    assert len(overlap.pair_pixels) == 4999
    assert overlap.swapped == Overlap.from_labels(pred, truth)


@given(label_pairs())
def test_swapping_the_table_is_swapping_the_images(pair: tuple[np.ndarray, np.ndarray]) -> None:
    assert Overlap.from_labels(*pair).swapped == Overlap.from_labels(pair[1], pair[0])


def test_ignore_lets_negative_labels_pass() -> None:
    truth, pred = np.array([1, 1, -1, 2]), np.array([1, 1, -3, -3])
    overlap = Overlap.from_labels(truth, pred, ignore=(truth < 0) | (pred < 0))
    assert overlap.truth_ids.tolist() == [1]
    assert overlap.pred_ids.tolist() == [1]


def test_pairs_may_repeat_and_come_in_any_order() -> None:
    overlap = Overlap.from_pairs([2, 1, 2, 0, 0], [1, 1, 1, 1, 0], [3, 4, 5, 6, 7])
    assert overlap.pair_pixels.tolist() == [4, 8]
    assert overlap.pred_areas.tolist() == [18]
    assert overlap.background == 7


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1], [1, 2], [1]), "flat lists of the same length"),
        (([[1]], [[1]], [[1]]), "flat lists of the same length"),
        (([1], [-1], [1]), "pred must not be negative; found -1"),
        (([1], [1], [-1]), "pixels must not be negative"),
        (([1, 1], [1, 1], [2**63 - 1] * 2), r"pixels must sum to less than 2\*\*63"),
        (([1, 1], [1, 1], [2**62] * 2), r"pixels must sum to less than 2\*\*63"),
    ],
)
def test_pairs_that_make_no_sense(columns: tuple[list, list, list], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Overlap.from_pairs(*columns)


@given(label_pairs())
def test_pairs_by_truth_object_and_falling_iou(pair: tuple[np.ndarray, np.ndarray]) -> None:
    overlap = Overlap.from_labels(*pair)
    order = overlap.by_truth_and_iou
    keys = list(zip(overlap.pair_truth[order].tolist(), (-overlap.pair_iou[order]).tolist(), strict=True))
    assert keys == sorted(keys)
    assert sorted(order.tolist()) == list(range(len(overlap.pair_iou)))


def test_the_table_cannot_be_changed() -> None:
    overlap = Overlap.from_labels([1, 1], [1, 0])
    with pytest.raises(ValueError, match="read-only"):
        overlap.pair_pixels[0] = 5
    with pytest.raises(AttributeError):
        overlap.background = 3  # type: ignore[misc]


@given(label_pairs())
def test_tables_survive_pickling(pair: tuple[np.ndarray, np.ndarray]) -> None:
    overlap = Overlap.from_labels(*pair)
    again = pickle.loads(pickle.dumps(overlap))
    assert again == overlap
    assert hash(again) == hash(overlap)
    assert not again.pair_pixels.flags.writeable


def test_the_table_describes_itself() -> None:
    assert repr(Overlap.from_labels([1, 1, 2], [4, 0, 0])) == (
        "Overlap(2 truth objects, 1 pred object, 1 pair, 3 + 1 pixels)"
    )
    assert Overlap.from_labels([1], [1]) != "something else"


def test_threads_must_be_positive() -> None:
    with pytest.raises(ValueError, match="threads must be a whole number of at least 1; got 0"):
        Overlap.from_labels([1], [1], threads=0)


@given(label_pairs())
def test_pixels_that_an_object_shares_with_nobody(pair: tuple[np.ndarray, np.ndarray]) -> None:
    truth, pred = pair
    overlap = Overlap.from_labels(truth, pred)
    assert overlap.truth_alone.tolist() == [int(((truth == k) & (pred == 0)).sum()) for k in overlap.truth_ids]
    assert overlap.pred_alone.tolist() == [int(((pred == k) & (truth == 0)).sum()) for k in overlap.pred_ids]
    assert overlap.pixels == truth.size
    assert overlap.background == int(((truth == 0) & (pred == 0)).sum())
    renamed = overlap.renumbered(overlap.truth_ids + np.uint64(5), overlap.pred_ids + np.uint64(7))
    assert renamed.same_but_for_labels(overlap)
    assert renamed.pixels == overlap.pixels
