"""Masks: what they are made from, what they hold, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import softpq
from softpq import Masks

STACKS = hnp.arrays(bool, st.tuples(st.integers(0, 4), st.integers(1, 5), st.integers(1, 150)))


def runs_of(mask: np.ndarray) -> list[tuple[int, int]]:
    """The obvious way."""
    steps = np.diff(np.concatenate([[0], mask.ravel().astype(int), [0]]))
    return list(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True))


@given(STACKS)
def test_a_stack_is_kept_as_its_runs(stack: np.ndarray) -> None:
    masks = Masks.from_stack(stack)
    for k, mask in enumerate(stack):
        own = slice(masks.offsets[k], masks.offsets[k + 1])
        assert list(zip(masks.starts[own].tolist(), masks.stops[own].tolist(), strict=True)) == runs_of(mask)
    assert np.array_equal(masks.to_stack(), stack)
    assert np.array_equal(masks.areas, stack.sum(axis=(1, 2)))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int32, np.uint64, np.int64, ">i4"])
def test_integers_of_0_and_1_are_masks(dtype: str) -> None:
    stack = np.random.default_rng(1).random((3, 20, 31)) < 0.5
    assert Masks.from_stack(stack.astype(dtype)) == Masks.from_stack(stack)


def test_0_and_255_are_masks_and_other_values_are_not() -> None:
    stack = np.random.default_rng(2).random((2, 20, 31)) < 0.5
    assert Masks.from_stack(255 * stack.astype(np.uint8)) == Masks.from_stack(stack)
    for wrong in (stack * 2, stack * -1, np.where(stack, 1, 255), -stack.astype(np.int8)):
        with pytest.raises(ValueError, match="only 0 and 1, or only 0 and 255; found"):
            Masks.from_stack(wrong)


def test_a_stack_need_not_be_contiguous() -> None:
    stack = np.random.default_rng(3).random((20, 31, 4)) < 0.5
    assert Masks.from_stack(stack.transpose(2, 0, 1)) == Masks.from_stack(np.moveaxis(stack, 2, 0).copy())


@given(STACKS)
def test_lists_stacks_and_volumes_agree(stack: np.ndarray) -> None:
    assert Masks.from_list(list(stack), shape=stack.shape[1:]) == Masks.from_stack(stack)
    volumes = Masks.from_stack(stack[:, :, np.newaxis])
    assert np.array_equal(volumes.starts, Masks.from_stack(stack).starts)
    assert volumes.shape == (stack.shape[1], 1, stack.shape[2])


@given(hnp.arrays(np.uint8, st.tuples(st.integers(1, 6), st.integers(1, 90)), elements=st.integers(0, 4)))
def test_label_images_become_one_mask_a_label(labels: np.ndarray) -> None:
    ids = np.unique(labels[labels > 0])
    masks = Masks.from_labels(labels)
    assert masks.ids is not None
    assert masks.ids.tolist() == ids.tolist()
    assert masks.with_(ids=None) == Masks.from_list([labels == label for label in ids], shape=labels.shape)
    twice = Masks.from_layers([labels, labels])
    assert np.array_equal(twice.to_stack(), np.concatenate([masks.to_stack()] * 2))
    assert twice.ids is None


def test_probabilities_need_a_threshold() -> None:
    stack = np.array([[[0.2, 0.5, 0.9]]])
    with pytest.raises(TypeError, match=r"got probabilities.*mask_threshold=0\.5"):
        Masks.from_stack(stack)
    assert Masks.from_stack(stack, mask_threshold=0.5).areas.tolist() == [2]
    with pytest.raises(TypeError, match="mask_threshold must be left out"):
        Masks.from_stack(np.ones((1, 2, 2), np.uint8), mask_threshold=0.5)


def test_outlines_are_drawn_by_the_centres_of_pixels() -> None:
    square, hole = [(1, 1), (5, 1), (5, 5), (1, 5)], [2, 2, 4, 2, 4, 4, 2, 4]
    masks = Masks.from_polygons([[square, hole], [square], []], (6, 7), classes=["ring", "full", "none"])
    assert masks.areas.tolist() == [12, 16, 0]
    expected = np.zeros((6, 7), bool)
    expected[1:5, 1:5] = True
    assert np.array_equal(masks.to_stack()[1], expected)
    whole = Masks.from_polygons([[[(-9, -9), (99, -9), (99, 99), (-9, 99)]]], (6, 7))
    assert (whole.starts.tolist(), whole.stops.tolist()) == ([0], [42])


@pytest.mark.parametrize(
    ("ring", "message"),
    [
        ([(0, 0), (1, 1)], "object 1 must have rings of at least three corners; got one of 2"),
        ([(0, 0), (1, np.nan), (2, 2)], "object 1 must have finite corners; found nan"),
        ([(0, 0), (1, np.inf), (2, 2)], "object 1 must have finite corners; found inf"),
        ([0, 0, 1, 1, 2], "object 1 must have rings of corners"),
    ],
)
def test_outlines_that_cannot_be_drawn_are_named(ring: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Masks.from_polygons([[[(0, 0), (1, 0), (1, 1)]], [ring]], (4, 4))


def test_masks_of_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one shape; got \(2, 3\) for mask 1 and \(2, 2\)"):
        Masks.from_list([np.ones((2, 2), bool), np.ones((2, 3), bool)])
    with pytest.raises(ValueError, match=r"one shape; got \(2, 2\) for layer 0 and \(2, 3\) for layer 1"):
        Masks.from_layers([np.ones((2, 2), int), np.ones((2, 3), int)])
    with pytest.raises(ValueError, match="shape must be given"):
        Masks.from_list([])


def test_what_there_is_one_of_each_mask_is_checked() -> None:
    masks = Masks.from_labels([[1, 2, 3]])
    for wrong, message in (
        ({"scores": [1, 2]}, r"scores must be one of each of 3 masks; got shape \(2,\)"),
        ({"scores": [1, np.nan, np.nan]}, "found NaN at mask 1"),
        ({"ids": [4, 4, 5]}, "ids must differ from each other; got the same one, 4, 2 times"),
        ({"ids": [-1, 4, 5]}, "ids must be from 0"),
        ({"crowd": [0, 1, 2]}, "crowd must be true or false; got 2"),
    ):
        with pytest.raises(ValueError, match=message):
            masks.with_(**wrong)
    with pytest.raises(TypeError, match="with_ must be given some of scores, classes, crowd, ids; got names"):
        masks.with_(names=[1, 2, 3])


def test_masks_are_chosen_by_booleans_or_positions() -> None:
    masks = Masks.from_labels([[1, 2, 3, 3]]).with_(scores=[0.1, 0.2, 0.3], classes=["a", "b", "a"], crowd=[0, 1, 0])
    assert masks.select([True, False, True]) == masks.select([0, 2]) == masks.select(np.array([0, -1]))
    assert masks.select([2, 0]).areas.tolist() == [2, 1]
    assert len(masks.select([])) == 0
    for wrong in ([0, 3], [True]):
        with pytest.raises((IndexError, ValueError), match="keep must be"):
            masks.select(wrong)


def test_masks_never_change_and_survive_pickling() -> None:
    masks = Masks.from_stack(np.ones((2, 3, 3), bool), scores=[1, 2], classes=["a", "b"])
    assert pickle.loads(pickle.dumps(masks)) == masks
    assert hash(pickle.loads(pickle.dumps(masks))) == hash(masks)
    assert masks != masks.with_(scores=None)
    for name in ("offsets", "starts", "stops", "scores", "classes", "areas"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(masks, name)[0] = 1


@pytest.mark.parametrize(
    "runs",
    [
        ([0, 1], [0], [10]),
        ([0, 2], [0, 2], [2, 3]),
        ([0, 2], [4, 0], [5, 1]),
        ([0, 1], [3], [3]),
        ([0, 1], [-1], [3]),
        ([0, 2], [1], [3]),
        ([1, 1], [], []),
    ],
)
def test_runs_that_are_no_masks_are_refused(runs: tuple) -> None:
    with pytest.raises(ValueError, match="must"):
        Masks((3, 3), *runs)


def test_no_masks_are_fine() -> None:
    none = Masks.from_stack(np.zeros((0, 4, 5), bool))
    assert (len(none), none.shape, none.areas.tolist()) == (0, (4, 5), [])
    assert none == Masks.from_list([], shape=(4, 5)) == Masks.from_labels(np.zeros((4, 5), int)).with_(ids=None)


@given(STACKS)
def test_transposed_masks_are_the_masks_of_the_transposed_stack(stack: np.ndarray) -> None:
    scores = np.linspace(0, 1, len(stack))
    masks = Masks.from_stack(stack.transpose(0, 2, 1), scores=scores).transposed()
    expected = Masks.from_stack(stack, scores=scores)
    assert (len(masks), masks.shape) == (len(expected), expected.shape)
    assert np.array_equal(masks.areas, expected.areas)
    chosen = masks.select(np.arange(len(stack))[::-1]).with_(ids=np.arange(len(stack)))
    assert chosen == expected.select(np.arange(len(stack))[::-1]).with_(ids=np.arange(len(stack)))
    assert masks == expected == pickle.loads(pickle.dumps(masks))
    assert masks.transposed().transposed() == expected
    assert np.array_equal(masks.to_stack(), stack)


def test_only_two_dimensions_can_be_transposed() -> None:
    with pytest.raises(ValueError, match="must be of two dimensions to be transposed"):
        Masks.from_stack(np.ones((1, 2, 2, 2), bool)).transposed()
    with pytest.raises(AttributeError, match="Masks have no area"):
        Masks.from_stack(np.ones((1, 2, 2), bool)).transposed().area  # noqa: B018


def test_arrays_that_masks_are_made_of_may_change() -> None:
    offsets, starts, stops = np.array([0, 1]), np.array([0]), np.array([3])
    masks = Masks((1, 6), offsets, starts, stops)
    starts[0], stops[0] = 2, 9
    assert masks.areas.tolist() == [3]
    assert masks.to_stack().sum() == 3


def test_classes_of_one_side_are_said_not_to_count() -> None:
    masks = Masks.from_labels([[1, 1, 2, 2]], classes=["a", "b"])
    plain = masks.with_(classes=None)
    for pair in ((masks, plain), (plain, masks)):
        (note,) = softpq.evaluate(*pair).notes
        assert "has classes: objects of all classes are matched together" in note
    assert softpq.evaluate(masks, masks).notes == ()


def test_lists_of_masks_are_a_dataset() -> None:
    masks = Masks.from_labels([[1, 1, 2, 2]])
    with pytest.raises(TypeError, match=r"softpq\.evaluate_dataset"):
        softpq.score([masks, masks], [masks, masks])


def test_negative_run_lengths_are_named() -> None:
    with pytest.raises(ValueError, match="has a negative run-length"):
        Masks.from_rle([{"size": [20, 20], "counts": [405, -5]}])
