"""Ignored pixels count nowhere; predictions that lie mostly on them are forgiven, unless they fit."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from commands import call
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import label_pairs

import softpq
from softpq import Overlap, count, evaluate, score, synthetic

HALF = Fraction(1, 2)


def forgiven(truth: np.ndarray, pred: np.ndarray, mask: np.ndarray, *, strict: bool) -> set[int]:
    """The rule, word by word: more than half of the whole area ignored, and no truth object that it fits."""
    found = set()
    for p in set(pred[pred > 0].tolist()):
        own = pred == p
        if 2 * (own & mask).sum() <= own.sum():
            continue
        ious = [
            Fraction(int((own & (truth == t) & ~mask).sum()), int(((own | (truth == t)) & ~mask).sum()))
            for t in set(truth[(truth > 0) & ~mask].tolist())
        ]
        if not any(iou > HALF if strict else iou >= HALF for iou in ious):
            found.add(p)
    return found


def bands(labels: np.ndarray, reach: int) -> np.ndarray:
    """The pixels of objects that have another label, or the border, within reach; one by one."""
    kept = np.zeros_like(labels)
    for place in np.ndindex(labels.shape):
        low = [k - reach for k in place]
        high = [k + reach + 1 for k in place]
        outside = min(low) < 0 or any(h > size for h, size in zip(high, labels.shape, strict=True))
        around = labels[tuple(slice(max(a, 0), b) for a, b in zip(low, high, strict=True))]
        if labels[place] and (outside or (around != labels[place]).any()):
            kept[place] = labels[place]
    return kept


def expected(truth: np.ndarray, pred: np.ndarray, mask: np.ndarray, strict: bool, reach: int | None) -> Overlap:
    """What is left, counted plainly."""
    out = forgiven(truth, pred, mask, strict=strict)
    if reach is not None:
        truth, pred = bands(truth, reach), bands(pred, reach)
    left = np.where(np.isin(pred, sorted(out)), 0, pred)
    rows = np.stack([truth[~mask], left[~mask]])
    pairs, counts = np.unique(rows, axis=1, return_counts=True)
    return Overlap.from_pairs(pairs[0], pairs[1], counts)


@settings(max_examples=300)
@given(label_pairs(), st.data(), st.booleans(), st.sampled_from([None, 1, 2]))
def test_against_the_rule_word_by_word(
    pair: tuple[np.ndarray, np.ndarray], data: st.DataObject, strict: bool, reach: int | None
) -> None:
    truth, pred = pair
    chosen = data.draw(st.lists(st.booleans(), min_size=truth.size, max_size=truth.size))
    mask = np.array(chosen, bool).reshape(truth.shape)
    found = Overlap.from_labels(truth, pred, ignore=mask, strict=strict, boundary=reach)
    assert found == expected(truth, pred, mask, strict, reach)


@given(label_pairs(), st.data())
def test_a_perfect_prediction_is_perfect_under_any_mask(
    pair: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    truth = pair[0]
    chosen = data.draw(st.lists(st.booleans(), min_size=truth.size, max_size=truth.size))
    mask = np.array(chosen, bool).reshape(truth.shape)
    for strict in (False, True):
        found = evaluate(truth, truth, ignore=mask, strict=strict, boundary=1)
        assert found["fp"] == found["fn"] == 0
        for name in ("pq", "softpq", "boundary_pq", "aji"):
            assert found[name] == 1.0 or np.isnan(found[name])


def test_seen_a_prediction_that_fits_was_dropped_before_matching() -> None:
    """Truth of 10 pixels, the prediction those and 12 that are ignored: panopticapi matches, then forgives."""
    truth, pred = np.zeros(40, int), np.zeros(40, int)
    truth[:10], pred[:22] = 1, 1
    mask = (np.arange(40) >= 10) & (np.arange(40) < 22)
    assert evaluate(truth, pred, ignore=mask)["pq"] == 1.0
    assert score(truth, truth, ignore=np.arange(40) > 0) == 1.0


def test_at_one_half_exactly_strict_decides() -> None:
    """Two of four counted pixels are shared, and seven more of the prediction are ignored."""
    truth = np.array([1, 1, 1, 1] + [0] * 7)
    pred = np.array([1, 1, 0, 0] + [1] * 7)
    mask = np.arange(11) >= 4
    assert evaluate(truth, pred, ignore=mask)["pq"] == 0.5
    found = evaluate(truth, pred, ignore=mask, strict=True)
    assert (found["pq"], found["fp"], found["fn"]) == (0.0, 0, 1)


def test_ignore_can_be_a_label_of_truth() -> None:
    truth, pred = np.array([1, 1, 255, 255, 2]), np.array([1, 1, 7, 7, 7])
    assert Overlap.from_labels(truth, pred, ignore=255).pred_ids.tolist() == [1, 7]
    truth = np.array([1, 1, 255, 255, 0])
    assert Overlap.from_labels(truth, pred, ignore=255).pred_ids.tolist() == [1]


def test_boxes_and_centroids_are_of_the_pixels_that_count() -> None:
    truth = np.array([[1, 1, 1, 1], [0, 0, 0, 0]])
    objects = evaluate(truth, truth, ignore=np.array([[True, False, False, True]] * 2)).objects
    assert objects["area"].tolist() == [2, 2]
    assert objects["bbox_min_1"].tolist() == [1, 1]
    assert objects["bbox_max_1"].tolist() == [3, 3]
    assert objects["centroid_1"].tolist() == [1.5, 1.5]


@pytest.mark.parametrize("boundary", [None, 2])
@pytest.mark.parametrize("strict", [False, True])
def test_tiles_dask_folders_and_the_command_line_agree(boundary: int | None, strict: bool, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    scene = synthetic.cells((90, 110), 40, seed=4)
    mask = np.random.default_rng(1).random((10, 11)).repeat(9, 0).repeat(10, 1) < 0.4
    options = {"boundary": boundary, "strict": strict}
    expected_table = Overlap.from_labels(scene.truth, scene.pred, ignore=mask, **options)
    for side in ("truth", "pred"):
        zarr.create_array(str(tmp_path / f"{side}.zarr"), data=getattr(scene, side), chunks=(32, 32))
    np.save(tmp_path / "mask.npy", mask)
    stored = [zarr.open(str(tmp_path / f"{side}.zarr"), mode="r") for side in ("truth", "pred")]
    assert count(*stored, ignore=mask, memory="200kB", threads=1, **options) == expected_table
    arrays = [da.from_array(image, chunks=37) for image in (scene.truth, scene.pred, mask)]
    assert count(arrays[0], arrays[1], ignore=arrays[2], **options) == expected_table
    places = [str(tmp_path / f"{side}.zarr") for side in ("truth", "pred")]
    for memory in ("1GB", "150kB"):
        results = softpq.evaluate_dataset(*places, ignore=str(tmp_path / "mask.npy"), memory=memory, **options)
        whole = evaluate(scene.truth, scene.pred, ignore=mask, **options)
        assert results.images[0].values() == pytest.approx({name: whole[name] for name in results.images[0].values()})
    chosen = ["--ignore-masks", tmp_path / "mask.npy", *(["--strict"] if strict else [])]
    called = call("evaluate", *places, *chosen, "--metrics", "pq")
    assert called.exit_code == 0
    assert f"{evaluate(scene.truth, scene.pred, ignore=mask, strict=strict)['pq']:.4f}" in called.stdout
