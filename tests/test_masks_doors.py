"""The doors of the package for masks: the same answer through each, and what is refused."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from coco_scenes import rle
from hypothesis import given
from hypothesis import strategies as st
from overlapping import stacks
from strategies import label_pairs

import softpq
from softpq import Masks
from softpq.dataset.rescoring import rescored
from softpq.io import read_labels, read_masks

ROWS, COLUMNS = np.mgrid[:48, :48]


def discs(*places: tuple[int, int, int]) -> np.ndarray:
    return np.array([(ROWS - y) ** 2 + (COLUMNS - x) ** 2 <= r * r for y, x, r in places])


TRUTH = Masks.from_stack(discs((12, 12, 9), (18, 18, 9), (36, 30, 8)), classes=["worm", "worm", "egg"])
PRED = Masks.from_stack(
    discs((12, 12, 8), (12, 13, 9), (19, 18, 9), (40, 8, 5)),
    scores=[0.9, 0.6, 0.8, 0.3],
    classes=["worm", "worm", "worm", "egg"],
)


def test_every_door_gives_the_same_number() -> None:
    value = softpq.score(TRUTH, PRED)
    evaluation = softpq.evaluate(TRUTH, PRED)
    results = softpq.evaluate_dataset({"a": TRUTH}, {"a": PRED}, keep_tables=True)
    counted = softpq.evaluate(softpq.count(TRUTH, PRED))
    assert value == evaluation["softpq"] == results.pooled()["softpq"] == counted["softpq"]
    assert rescored(results, iou_low=0.3).pooled()["softpq"] == softpq.score(TRUTH, PRED, iou_low=0.3)
    assert pickle.loads(pickle.dumps(evaluation))["softpq"] == value


def test_a_saved_dataset_is_read_as_it_was(tmp_path: Path) -> None:
    results = softpq.evaluate_dataset([TRUTH], [PRED], keep_tables=True)
    results.to_json(tmp_path / "results.json", keep_tables=True)
    read = softpq.Results.from_json(tmp_path / "results.json")
    assert rescored(read, iou_low=0.2).pooled() == rescored(results, iou_low=0.2).pooled()
    assert read.images[0].table() == results.images[0].table()


@given(label_pairs())
def test_label_images_have_the_same_values_as_masks(pair: tuple[np.ndarray, np.ndarray]) -> None:
    truth, pred = (side if side.ndim > 1 else side[np.newaxis] for side in pair)
    for reading in ("text", "released"):
        options = {"boundary": 1, "check": False, "reading": reading}
        one = softpq.evaluate(truth, pred, **options)
        other = softpq.evaluate(Masks.from_labels(truth), pred, **options)
        assert list(one) == list(other)
        assert np.array_equal(list(one.values()), list(other.values()), equal_nan=True)
        for name, column in one.objects.columns.items():
            expected = column.tolist() if column.dtype.kind in "Uiu" else pytest.approx(column.tolist())
            assert other.objects[name].tolist() == expected, name


@given(label_pairs(), st.integers(0, 99))
def test_ignored_pixels_count_nowhere_through_the_doors(pair: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    truth, pred = (side if side.ndim > 1 else side[np.newaxis] for side in pair)
    ignore = np.random.default_rng(seed).random(truth.shape) < 0.4
    one = softpq.evaluate(truth, pred, ignore=ignore, boundary=1, check=False)
    other = softpq.evaluate(truth, Masks.from_labels(pred), ignore=ignore, boundary=1, check=False)
    assert np.array_equal(list(one.values()), list(other.values()), equal_nan=True)
    for name, column in one.objects.columns.items():
        exact = column.dtype.kind in "Uiu"
        assert other.objects[name].tolist() == (column.tolist() if exact else pytest.approx(column.tolist())), name
    labelled = [softpq.score(truth, side, ignore=1, check=False) for side in (pred, Masks.from_labels(pred))]
    assert np.array_equal(labelled[:1], labelled[1:], equal_nan=True)


def test_predictions_are_kept_by_their_score() -> None:
    kept = PRED.select(PRED.scores >= 0.6)
    assert softpq.score(TRUTH, PRED, score_threshold=0.6) == softpq.score(TRUTH, kept)
    assert softpq.evaluate(TRUTH, PRED, score_threshold=0.6)["n_pred"] == 3
    assert (
        softpq.evaluate_dataset([TRUTH], [PRED], score_threshold=0.7).pooled()["pq"]
        == softpq.evaluate(TRUTH, PRED, score_threshold=0.7)["pq"]
    )
    for wrong in (PRED.with_(scores=None), np.eye(48, dtype=int)):
        with pytest.raises(ValueError, match="score_threshold must be left out where predictions have no scores"):
            softpq.score(TRUTH, wrong, score_threshold=0.5)
    with pytest.raises(ValueError, match="score_threshold must be a number; got nan"):
        softpq.score(TRUTH, PRED, score_threshold=math.nan)


@given(stacks(), st.data())
def test_a_curve_over_scores_is_the_metric_at_each(stack: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    count = len(stack[1])
    scores = data.draw(st.lists(st.sampled_from([0.1, 0.5, 0.5, 0.9]), min_size=count, max_size=count))
    truth, pred = Masks.from_stack(stack[0]), Masks.from_stack(stack[1], scores=scores)
    for metric in ("softpq", "f1"):
        curve = softpq.score_curve(truth, pred, metric)
        assert curve.thresholds.tolist() == sorted(set(scores))
        each = [softpq.evaluate(truth, pred, metrics=[metric], score_threshold=t)[metric] for t in curve.thresholds]
        assert np.array_equal(curve.values, each, equal_nan=True)
        if len(each) and not np.isnan(each).all():
            assert curve.best_value == np.nanmax(each)
            assert curve.best_threshold == max(
                t for t, v in zip(curve.thresholds, each, strict=True) if v == np.nanmax(each)
            )


def test_a_set_of_images_has_one_threshold() -> None:
    truth, pred = [TRUTH, TRUTH], [PRED, PRED.with_(scores=[0.2, 0.3, 0.4, 0.5])]
    curve = softpq.score_curve(truth, pred, "pq")
    for threshold, value in zip(curve.thresholds, curve.values, strict=True):
        expected = softpq.evaluate_dataset(truth, pred, metrics=["pq"], score_threshold=threshold).pooled()["pq"]
        assert value == pytest.approx(expected, abs=1e-12)
    named = softpq.score_curve(dict(zip("ab", truth, strict=True)), dict(zip("ab", pred, strict=True)), "pq")
    assert named.values.tolist() == curve.values.tolist()
    with pytest.raises(ValueError, match="pred must be Masks with scores"):
        softpq.score_curve(TRUTH, TRUTH)


def test_classes_of_masks_are_scored_by_themselves() -> None:
    results = softpq.evaluate_dataset([TRUTH], [PRED], classes="auto", boundary=2)
    egg = softpq.evaluate(TRUTH.select([2]), PRED.select([3]), boundary=2)
    found = results.images[0].classes["egg"]
    assert found["pq"].value == egg["pq"]
    assert found["boundary_pq"].value == egg["boundary_pq"]


def test_arrays_are_never_guessed_to_be_stacks() -> None:
    stack = TRUTH.to_stack()
    with pytest.raises(TypeError, match=r"booleans of shape \(3, 48, 48\).*Masks\.from_stack"):
        softpq.score(stack, stack)
    notes = softpq.evaluate(stack.astype(np.uint8), stack.astype(np.uint8)).notes
    assert any("Masks.from_stack" in note for note in notes)
    cube = np.ones((20, 20, 20), int)
    assert not any("Masks.from_stack" in note for note in softpq.evaluate(cube, cube).notes)


def test_what_overlaps_is_noted_and_what_cannot_be_is_left_out_or_refused() -> None:
    evaluation = softpq.evaluate(TRUTH, PRED)
    assert any(note.startswith("pred: ") and "pixels have several objects" in note for note in evaluation.notes)
    assert any("left out" in note and "vi" in note for note in evaluation.notes)
    assert "vi" not in evaluation
    with pytest.raises(ValueError, match="vi must be given one object per pixel"):
        softpq.evaluate(TRUTH, PRED, metrics=["vi"])
    with pytest.raises(ValueError, match='label image for the reading "released"'):
        softpq.score(TRUTH, PRED, reading="released")
    with pytest.raises(TypeError, match="must not be Masks on a cluster"):
        softpq.count(TRUTH, PRED, dask="local")


def test_empty_masks_are_counted_and_noted() -> None:
    empty = Masks.from_stack(np.zeros((2, 48, 48), bool))
    evaluation = softpq.evaluate(TRUTH, empty)
    assert evaluation["fp"] == 2
    assert any("pred: 2 of 2 masks are empty" in note for note in evaluation.notes)
    assert evaluation.objects["bbox_max_0"].tolist()[-2:] == [0, 0]


def test_metrics_that_some_images_refuse_are_left_out_of_all() -> None:
    plain = Masks.from_labels(np.eye(48, dtype=int))
    results = softpq.evaluate_dataset([TRUTH, plain], [PRED, plain])
    assert "vi" not in results.metrics
    assert any("objects overlap in 1 of 2 images" in note for note in results.notes)
    assert "vi" in softpq.evaluate_dataset([plain], [plain]).metrics


def test_files_whose_objects_overlap_are_not_flattened(tmp_path: Path) -> None:
    def square(low: int, high: int) -> dict:
        ring = [[low, low], [high, low], [high, high], [low, high], [low, low]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        return {"type": "Feature", "properties": {"objectType": "cell"}, "geometry": geometry}

    for name, squares in (("truth", [(0, 6), (4, 10)]), ("apart", [(0, 4), (4, 10)])):
        features = {"type": "FeatureCollection", "features": [square(*one) for one in squares]}
        (tmp_path / f"{name}.geojson").write_text(json.dumps(features))
    masks = read_masks(tmp_path / "truth.geojson")
    assert masks.areas.tolist() == [36, 36]
    with pytest.raises(softpq.ReadError, match="overlap"):
        read_labels(tmp_path / "truth.geojson")
    assert read_labels(tmp_path / "apart.geojson").max() == 2
    results = softpq.evaluate_dataset(tmp_path / "truth.geojson", tmp_path / "truth.geojson")
    assert results.pooled()["pq"] == 1
    assert "truth: 4 pixels have several objects" in results.images[0].notes


def test_run_length_tables_whose_objects_overlap_are_not_flattened(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ImageId,EncodedPixels,Height,Width\na,1 6,3,4\na,4 6,3,4\n")
    results = softpq.evaluate_dataset(tmp_path / "a.csv", tmp_path / "a.csv", keep_tables=True)
    table = results.images[0].table()
    assert table is not None
    assert (table.truth_areas.tolist(), table.covered.truth) == ([6, 6], 9)


def test_pannuke_keeps_what_lies_in_two_channels(tmp_path: Path) -> None:
    stack = np.zeros((1, 8, 8, 6))
    stack[0, :4, :4, 0], stack[0, 2:6, 2:6, 1] = 1, 1
    np.save(tmp_path / "masks.npy", stack)
    results = softpq.evaluate_dataset(tmp_path / "masks.npy", tmp_path / "masks.npy", classes="auto")
    assert results.images[0].counts["n_truth"] == 2
    assert results.images[0].classes["inflammatory"]["pq"].value == 1


def test_what_models_return_is_known_by_its_fields() -> None:
    stack, scores = PRED.to_stack(), np.array([0.9, 0.6, 0.8, 0.3])
    expected = Masks.from_stack(stack, scores=scores, classes=["1", "1", "1", "2"])
    numbers = np.array([1, 1, 1, 2])
    torchvision = {"masks": stack[:, np.newaxis].astype(np.float32), "scores": scores, "labels": numbers}
    assert Masks.of(torchvision, mask_threshold=0.5) == expected
    with pytest.raises(TypeError, match="mask_threshold"):
        Masks.of(torchvision)
    detectron = SimpleNamespace(pred_masks=stack, scores=scores, pred_classes=numbers)
    assert Masks.of(detectron) == Masks.of({"instances": detectron}) == expected
    mmdet = SimpleNamespace(pred_instances=SimpleNamespace(masks=stack, scores=scores, labels=numbers))
    assert Masks.of(mmdet) == expected
    written_down = [rle(mask) for mask in stack]
    mmdet = SimpleNamespace(pred_instances=SimpleNamespace(masks=written_down, scores=scores, labels=numbers))
    assert Masks.of(mmdet) == expected
    supervision = SimpleNamespace(mask=stack, confidence=scores, class_id=numbers, data={})
    assert Masks.of(supervision) == expected
    boxes = SimpleNamespace(conf=scores, cls=numbers.astype(float))
    data = SimpleNamespace(data=stack.astype(np.float32))
    ultralytics = SimpleNamespace(masks=data, boxes=boxes, orig_shape=(48, 48), names={1: "1", 2: "2"})
    assert Masks.of(ultralytics) == expected
    sam = [{"segmentation": mask, "predicted_iou": score} for mask, score in zip(stack, scores, strict=True)]
    assert Masks.of(sam) == expected.with_(classes=None)
    assert Masks.of(expected) is expected


@pytest.mark.parametrize("output", [3, [], [3], {"boxes": 1}, SimpleNamespace(mask=None, confidence=1, class_id=1)])
def test_what_is_no_output_of_a_model_is_refused(output: object) -> None:
    with pytest.raises((TypeError, ValueError), match="output must"):
        Masks.of(output)


def test_masks_of_ultralytics_must_have_the_size_of_the_image() -> None:
    data = SimpleNamespace(data=np.ones((1, 4, 4)))
    output = SimpleNamespace(masks=data, boxes=[1], orig_shape=(8, 8), names={})
    with pytest.raises(ValueError, match="retina_masks=True"):
        Masks.of(output)
    nothing = SimpleNamespace(masks=None, boxes=None, orig_shape=(8, 8), names={})
    assert len(Masks.of(nothing)) == 0


def test_objects_keep_their_numbers_where_others_are_left_out() -> None:
    """Those below a score, and crowds; classes are looked up by number."""
    stack = np.zeros((3, 4, 9), bool)
    for k in range(3):
        stack[k, :, 3 * k : 3 * k + 2] = True
    masks = Masks.from_stack(stack, classes=["a", "b", "b"])
    scored = masks.with_(scores=[0.2, 0.9, 0.8])
    kept = softpq.evaluate(masks, scored, score_threshold=0.5)
    assert kept.overlap.pred_ids.tolist() == [2, 3]
    crowded = softpq.evaluate(masks.with_(crowd=[True, False, False]), masks, class_agnostic=True)
    assert crowded.overlap.truth_ids.tolist() == [2, 3]
    by_class = softpq.evaluate_dataset({"i": masks}, {"m": {"i": scored}}, classes="auto", score_threshold=0.5)
    assert {name: row["f1"] for name, row in by_class.per_class("m").items()} == {"a": 0, "b": 1}
