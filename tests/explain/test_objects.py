"""Verdicts: by hand on small scenes, exhaustive and exclusive on all."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from strategies import label_pairs, relabelled, softpq_settings

import softpq
from softpq import Overlap, Settings
from softpq.explain.objects import objects_of
from softpq.explain.verdicts import VERDICTS, verdicts_of
from softpq.synthetic import cells


def runs(*lengths: tuple[int, int]) -> np.ndarray:
    """A line of (label, length) runs."""
    return np.repeat([label for label, _ in lengths], [length for _, length in lengths])


SCENES = {
    "matched": (runs((1, 10), (0, 4)), runs((1, 9), (0, 5)), ["matched"], ["matched"]),
    "partial": (runs((1, 10), (0, 4)), runs((1, 4), (0, 10)), ["partial"], ["partial"]),
    "split": (runs((1, 9)), runs((1, 3), (2, 3), (3, 3)), ["split"], ["fragment"] * 3),
    "found, with a fragment": (runs((1, 10)), runs((1, 8), (2, 2)), ["matched"], ["matched", "fragment"]),
    "merged": (runs((1, 5), (2, 5), (3, 5)), runs((1, 15)), ["merged"] * 3, ["merger"]),
    "swallowed by a match": (runs((1, 8), (2, 2)), runs((1, 10)), ["matched", "merged"], ["matched"]),
    "missed": (runs((1, 5), (0, 5)), runs((0, 10)), ["missed"], []),
    "ghost": (runs((0, 5), (0, 5)), runs((0, 5), (7, 5)), [], ["ghost"]),
    "too small an overlap": (runs((1, 50), (0, 50)), runs((0, 49), (1, 51)), ["missed"], ["ghost"]),
    "lost in a crowd": (np.repeat(np.arange(1, 31), 4), np.ones(120, int), ["merged"] * 30, ["merger"]),
    "shattered": (np.ones(120, int), np.repeat(np.arange(1, 31), 4), ["split"], ["fragment"] * 30),
}


@pytest.mark.parametrize("name", list(SCENES))
def test_verdicts_by_hand(name: str) -> None:
    truth, pred, truth_verdicts, pred_verdicts = SCENES[name]
    objects = softpq.evaluate(truth, pred).objects
    assert objects["verdict"].tolist() == truth_verdicts + pred_verdicts
    assert objects["side"].tolist() == ["truth"] * len(truth_verdicts) + ["pred"] * len(pred_verdicts)


MIRROR = dict(zip(verdicts_of("truth"), verdicts_of("pred"), strict=False))  # duplicates have no mirror


def test_the_mirror_of_each_verdict() -> None:
    assert MIRROR == {
        "matched": "matched",
        "partial": "partial",
        "split": "merger",
        "merged": "fragment",
        "missed": "ghost",
    }


@given(label_pairs(), softpq_settings())
def test_every_object_has_one_verdict_and_sides_mirror(pair: tuple[np.ndarray, np.ndarray], settings: dict) -> None:
    overlap = Overlap.from_labels(*pair)
    objects = objects_of(overlap, Settings(**settings))
    truth, pred = objects["verdict"][: overlap.n_truth], objects["verdict"][overlap.n_truth :]
    assert set(truth) <= set(verdicts_of("truth"))
    assert set(pred) <= set(verdicts_of("pred"))
    assert (truth == "matched").sum() == (pred == "matched").sum()
    if settings["iou_high"] > 0.5:  # below, which of equal assignments is taken may depend on the side
        swapped = objects_of(overlap.swapped, Settings(**settings))
        assert [MIRROR[v] for v in truth] == swapped["verdict"][overlap.n_pred :].tolist()
    assert np.all((objects["n_soft"] > 0) <= (objects["iou"] > settings["iou_low"]))


@given(label_pairs())
def test_relabelling_keeps_the_counts(pair: tuple[np.ndarray, np.ndarray]) -> None:
    one = softpq.evaluate(*pair).objects.counts()
    other = softpq.evaluate(relabelled(pair[0], 1), relabelled(pair[1], 2)).objects.counts()
    assert one == other


def test_the_known_errors_of_a_scene_are_found() -> None:
    scene = cells(objects=200, seed=4)
    objects = softpq.evaluate(scene.truth, scene.pred).objects
    verdict = dict(zip(objects["id"][objects["side"] == "truth"].tolist(), objects["verdict"].tolist(), strict=False))
    agree = {"found": "matched", "missed": "missed", "merged": "merged", "split": "split"}
    for fate, expected in agree.items():
        labels = [label for label, made in scene.fates.items() if made == fate]
        hits = sum(verdict[label] == expected for label in labels)
        assert hits >= 0.8 * len(labels), fate  # a neighbour's prediction may lie over a missed cell
    ghosts = set(objects["id"][(objects["side"] == "pred") & (objects["verdict"] == "ghost")].tolist())
    assert set(scene.ghosts) <= ghosts


def test_places_and_partners() -> None:
    truth = np.array([[1, 1, 0, 0], [1, 1, 0, 2]])
    pred = np.array([[5, 5, 5, 0], [5, 5, 0, 0]])
    objects = softpq.evaluate(truth, pred).objects
    assert objects["partner"].tolist() == [5, 0, 1]
    assert objects["iou"].tolist() == [0.8, 0.0, 0.8]
    assert objects["bbox_min_0"].tolist() == [0, 1, 0]
    assert objects["bbox_max_1"].tolist() == [2, 4, 3]
    assert objects["centroid_1"].tolist() == [0.5, 3.0, 0.8]
    assert objects["area"].tolist() == [4, 1, 5]
    assert repr(objects) == "Objects(truth: 1 matched, 1 missed; pred: 1 matched)"


def test_objects_of_a_table_have_no_places(tmp_path) -> None:
    objects = objects_of(Overlap.from_labels([1, 1, 2], [1, 1, 0]))
    assert "centroid_0" not in objects.columns
    objects.to_csv(tmp_path / "objects.csv")
    rows = list(csv.DictReader((tmp_path / "objects.csv").read_text().splitlines()))
    assert [row["verdict"] for row in rows] == ["matched", "missed", "matched"]
    assert len(objects) == 3


def test_ignored_objects_are_left_out_of_places() -> None:
    truth = np.array([1, 1, 0, 255, 255])
    objects = softpq.evaluate(truth, np.array([1, 1, 0, 3, 3]), ignore=255).objects
    assert objects["id"].tolist() == [1, 1]
    assert objects["centroid_0"].tolist() == [0.5, 0.5]


def test_one_speck_inside_is_a_miss_and_several_are_a_split() -> None:
    truth = np.ones(100, int)
    one, several = np.zeros(100, int), np.zeros(100, int)
    one[:4], several[:4], several[50:54] = 1, 1, 2
    assert [softpq.evaluate(truth, pred).objects.columns["verdict"][0] for pred in (one, several)] == [
        "missed",
        "split",
    ]


def test_errors_have_ranks_and_what_is_right_has_none() -> None:
    ranks = {(verdict.side, verdict.name): verdict.rank for verdict in VERDICTS if verdict.rank}
    assert ranks == {
        ("truth", "missed"): 1, ("truth", "merged"): 2, ("truth", "split"): 3, ("pred", "ghost"): 4,
        ("truth", "partial"): 5, ("pred", "duplicate"): 6,
    }  # fmt: skip


def test_errors_are_ranked_by_how_grave_they_are() -> None:
    ranked = {verdict.rank: verdict.name for verdict in VERDICTS if verdict.rank}
    assert [ranked[rank] for rank in sorted(ranked)] == ["missed", "merged", "split", "ghost", "partial", "duplicate"]
