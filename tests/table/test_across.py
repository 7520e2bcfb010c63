"""Objects are matched within their class; what is said of pixels is said of the image, whatever the classes are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import softpq
from softpq import Masks, Overlap
from softpq.metrics import METRICS
from softpq.synthetic import cells
from softpq.table.tables import Tables

SCENE = cells((96, 96), 15, seed=3)
OF_PIXELS = ("iou", "dice", "vi", "vi_split", "adapted_rand_error", "adapted_rand_recall")


def with_classes(labels: np.ndarray, seed: int, names: tuple[str, ...] = ("a", "b", "c")) -> Masks:
    masks = Masks.from_labels(labels)
    return masks.with_(classes=np.random.default_rng(seed).choice(names, len(masks)))


@pytest.mark.parametrize("name", OF_PIXELS)
def test_metrics_of_pixels_do_not_know_classes(name: str) -> None:
    apart = Overlap.from_masks(with_classes(SCENE.truth, 0), with_classes(SCENE.pred, 1))
    plain = Overlap.from_labels(SCENE.truth, SCENE.pred)
    assert METRICS[name](apart).value == METRICS[name](plain).value
    assert METRICS["pq"](apart).value < METRICS["pq"](plain).value


def test_a_table_of_classes_knows_the_pixels_of_its_image() -> None:
    table = Overlap.from_masks(with_classes(SCENE.truth, 0), with_classes(SCENE.pred, 1))
    plain = Overlap.from_labels(SCENE.truth, SCENE.pred)
    assert (table.pixels, table.background, table.covered) == (plain.pixels, plain.background, plain.covered)
    assert table.across == plain
    assert table.is_partition


def test_objects_of_two_classes_over_each_other_are_no_partition() -> None:
    both = Masks.from_list([np.ones((10, 10), bool)] * 2, classes=["x", "y"])
    found = softpq.evaluate(Masks.from_list([np.ones((10, 10), bool)], classes=["x"]), both)
    assert "pred: 100 pixels have several objects" in found.notes
    assert not set(OF_PIXELS[2:]) & set(found)
    assert found["iou"] == 1
    with pytest.raises(ValueError, match="vi must be given one object per pixel on each side; got 100 pixels"):
        softpq.evaluate(both, both, metrics=["vi"])


def test_what_is_made_of_such_a_table_knows_the_pixels_too() -> None:
    table = Overlap.from_masks(with_classes(SCENE.truth, 0), with_classes(SCENE.pred, 1))
    plain = Overlap.from_labels(SCENE.truth, SCENE.pred)
    keep = [np.arange(count) % 2 == 0 for count in (table.n_truth, table.n_pred)]
    assert table.restricted(*keep).across == plain.restricted(*keep)
    assert table.swapped.across == plain.swapped
    assert table.swapped.swapped == table
    ids = np.arange(table.n_truth)[::-1] + 50, np.arange(table.n_pred)[::-1] + 90
    assert table.renumbered(*ids).across == plain.renumbered(*ids)
    assert pickle.loads(pickle.dumps(table)) == table
    assert Tables.from_json(Tables(table).to_json()).objects == table


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_tiles_add_within_classes_and_across(seed: int) -> None:
    truth, pred = with_classes(SCENE.truth, seed), with_classes(SCENE.pred, seed + 1)
    whole = Overlap.from_masks(truth, pred)
    halves = []
    for part in (slice(0, 40), slice(40, 96)):
        sides = []
        for masks, labels in ((truth, SCENE.truth), (pred, SCENE.pred)):
            tile = Masks.from_labels(np.ascontiguousarray(labels[part]))
            of = dict(zip(masks.numbers.tolist(), masks.classes.tolist(), strict=True))
            sides.append(tile.with_(classes=[of[number] for number in tile.ids.tolist()]))
        halves.append(Overlap.from_masks(*sides))
    assert halves[0] + halves[1] == whole


def test_truth_is_the_same_whatever_the_predictions_are_called() -> None:
    """Results of two models with other classes of predictions can be compared."""
    truth = with_classes(SCENE.truth, 0)
    one, other = (
        softpq.evaluate_dataset([truth], {model: [with_classes(SCENE.pred, 1, names)]})
        for model, names in (("a", ("a", "b", "c")), ("b", ("c", "d")))
    )
    assert set((one + other).models) == {"a", "b"}


def test_crowds_forgive_objects_of_all_classes_where_classes_are_not_looked_at() -> None:
    crowd = Masks.from_labels([[1, 1, 1, 0]], classes=["egg"], crowd=[True])
    pred = Masks.from_labels([[1, 1, 0, 0]], classes=["worm"])
    assert softpq.evaluate(crowd, pred)["n_pred"] == 1
    assert softpq.evaluate(crowd, pred, class_agnostic=True)["n_pred"] == 0


def test_classes_that_have_none_in_common_are_said() -> None:
    truth, pred = (Masks.from_labels([[1, 2]], classes=names) for names in (["Cell", "Egg"], ["1", "2"]))
    (note,) = softpq.evaluate(truth, pred).notes
    assert note.startswith("no class in common, so that nothing matches: truth has Cell, Egg, pred 1, 2")
    assert softpq.evaluate(truth, pred, class_agnostic=True).notes == ()
    assert softpq.score(truth, pred) == 0
    assert softpq.score(truth, pred, class_agnostic=True) == 1


def test_confused_classes_are_those_of_what_was_scored() -> None:
    truth = Masks.from_labels([[1, 1, 0, 2, 2]], classes=["x", "y"])
    pred = Masks.from_labels([[1, 1, 0, 2, 2]], classes=["y", "y"], scores=[0.9, 0.3])
    results = softpq.evaluate_dataset([truth], [pred], classes="auto", score_threshold=0.5)
    assert results.confused() == {"x": {"y": 1}}
    ignored = softpq.evaluate_dataset([truth], [pred], classes="auto", ignore=[np.array([[0, 0, 0, 1, 1]], bool)])
    assert ignored.confused() == {"x": {"y": 1}}
