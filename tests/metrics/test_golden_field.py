"""Real images, and what the tools of the field answer on them. Every difference is listed with its reason."""

from __future__ import annotations

import numpy as np
import pytest
from reference import PAIRS, labels_of, read_shared_labels, shared_json
from scipy.optimize import linear_sum_assignment

from softpq import Overlap, match, metrics
from softpq.metrics._aggregated import _sorted_area
from softpq.table.matching import best_sum

pytestmark = pytest.mark.shared

every_pair = pytest.mark.parametrize("name", list(PAIRS))


@pytest.fixture(scope="module")
def overlaps() -> dict[str, Overlap]:
    return {name: Overlap.from_labels(*labels_of(pair)) for name, pair in PAIRS.items()}


def close(expected: float) -> object:
    return pytest.approx(expected, abs=1e-6)


def pairs_with(tool: str) -> list[str]:
    return [name for name, pair in PAIRS.items() if tool in pair["tools"]]


@every_pair
def test_scikit_image_variation_of_information(name: str, overlaps: dict[str, Overlap]) -> None:
    golden = PAIRS[name]["tools"]["skimage"]
    for key, background in (("vi_default", True), ("vi_ignore0", False)):
        split = metrics.vi_split(overlaps[name], background=background)
        merge = metrics.vi_merge(overlaps[name], background=background)
        total = metrics.variation_of_information(overlaps[name], background=background)
        assert [float(split), float(merge)] == close(golden[key])
        assert float(total) == close(sum(golden[key]))


@every_pair
def test_scikit_image_adapted_rand(name: str, overlaps: dict[str, Overlap]) -> None:
    """Scikit-image calls recall what it divides by the pairs of pred, and the other way round."""
    golden = PAIRS[name]["tools"]["skimage"]
    for key, background in (("adapted_rand_error_prec_rec", False), ("are_ignore_none", True)):
        error, called_precision, called_recall = golden[key]
        assert float(metrics.adapted_rand_error(overlaps[name], background=background)) == close(error)
        assert float(metrics.adapted_rand_recall(overlaps[name], background=background)) == close(called_precision)
        assert float(metrics.adapted_rand_precision(overlaps[name], background=background)) == close(called_recall)


@pytest.mark.parametrize("name", pairs_with("hover_net.stats_utils"))
def test_hover_net(name: str, overlaps: dict[str, Overlap]) -> None:
    golden, overlap = PAIRS[name]["tools"]["hover_net.stats_utils"], overlaps[name]
    assert float(metrics.aji(overlap)) == close(golden["aji"])
    assert float(metrics.aji_plus(overlap)) == close(golden["aji_plus"])
    assert float(metrics.dice(overlap)) == close(golden["dice1"])
    assert float(metrics.rq(overlap, strict=True)) == close(golden["dq"])
    tp = match(overlap, strict=True).tp
    blurred = tp / (tp + 1e-6)  # it adds 1e-6 to the number of matches before dividing
    assert float(metrics.sq(overlap, strict=True)) * blurred == pytest.approx(golden["sq"], abs=1e-9)
    assert float(metrics.pq(overlap, strict=True)) * blurred == pytest.approx(golden["pq"], abs=1e-9)


# py-ctcmetrics takes the smallest label for background, also where there is none: these predictions fill their volume,
# and the object with the smallest label is lost. In "over" that object covers no truth object by more than half.
CTC_LOSES_THE_FIRST_OBJECT = {f"volume3d_plantseg_sample_ovule/{kind}" for kind in ("balanced", "under")}


@every_pair
def test_py_ctcmetrics_seg(name: str, overlaps: dict[str, Overlap]) -> None:
    golden, overlap = PAIRS[name]["tools"]["py-ctcmetrics.SEG"], overlaps[name]
    if name in CTC_LOSES_THE_FIRST_OBJECT:
        assert float(metrics.seg(overlap)) > golden["SEG"] + 0.01
        overlap = overlap.restricted(np.ones(overlap.n_truth, bool), overlap.pred_ids != overlap.pred_ids[0])
    assert float(metrics.seg(overlap)) == close(golden["SEG"])


def sorted_ap_of_the_program(overlap: Overlap) -> float:
    """The reference program matches every object it can, also with objects it does not touch, at an IoU of 0.

    Such pairs move the first point of its curve up. Pairs below 0.001 are treated like those.
    """
    iou = np.zeros((overlap.n_pred, overlap.n_truth))
    iou[overlap.pair_pred, overlap.pair_truth] = overlap.pair_pixels / (
        overlap.pred_areas[overlap.pair_pred] + overlap.truth_areas[overlap.pair_truth] - overlap.pair_pixels + 1e-12
    )
    kept = np.where(iou < 0.001, 0, iou)
    some_pred, some_truth = kept.max(axis=1) > 0, kept.max(axis=0) > 0
    rows, columns = linear_sum_assignment(1 - kept[some_pred][:, some_truth])
    ious = iou[some_pred][:, some_truth][rows, columns]
    return _sorted_area({"ious": tuple(ious), "n_truth": overlap.n_truth, "n_pred": overlap.n_pred})


@pytest.mark.parametrize("name", pairs_with("sortedAP.Evaluator"))
def test_sorted_ap(name: str, overlaps: dict[str, Overlap]) -> None:
    golden, overlap = PAIRS[name]["tools"]["sortedAP.Evaluator"], overlaps[name]
    ours, theirs = float(metrics.sorted_ap(overlap)), sorted_ap_of_the_program(overlap)
    assert theirs == close(golden["sortedAP"])
    chosen = linear_sum_assignment_ious(overlap)
    if chosen.min() >= 0.001:  # then nothing was matched without touching
        assert ours == close(golden["sortedAP"])
    assert ours <= theirs + 0.001  # matching without touching raises the curve; pairs below 0.001 add less than that


def linear_sum_assignment_ious(overlap: Overlap) -> np.ndarray:
    iou = np.zeros((overlap.n_pred, overlap.n_truth))
    iou[overlap.pair_pred, overlap.pair_truth] = overlap.pair_iou
    iou[iou < 0.001] = 0
    iou = iou[iou.max(axis=1) > 0][:, iou.max(axis=0) > 0]
    return iou[linear_sum_assignment(-iou)]


@pytest.mark.parametrize("name", pairs_with("sortedAP.Evaluator"))
def test_other_numbers_of_the_sorted_ap_program(name: str, overlaps: dict[str, Overlap]) -> None:
    golden, overlap = PAIRS[name]["tools"]["sortedAP.Evaluator"], overlaps[name]
    assert float(metrics.pq(overlap, strict=True)) == close(golden["PQ"])
    above = [float(metrics.accuracy(overlap, threshold=t / 100, strict=True)) for t in range(50, 100, 5)]
    assert np.mean(above) == close(golden["mAP"])  # it matches above the threshold


@every_pair
def test_cellpose_aggregated_jaccard_index(name: str, overlaps: dict[str, Overlap]) -> None:
    """Cellpose divides the matched intersections by the foreground, not by unions of pairs: its own variant."""
    overlap = overlaps[name]
    weight = (overlap.pair_iou >= 0.5) + overlap.pair_iou / (2 * max(min(overlap.n_truth, overlap.n_pred), 1))
    chosen = best_sum(overlap, weight)
    foreground = overlap.pixels - overlap.background
    expected = PAIRS[name]["tools"]["cellpose.aggregated_jaccard_index"]
    assert overlap.pair_pixels[chosen].sum() / foreground == close(expected)


@pytest.mark.parametrize("name", pairs_with("monai.compute_panoptic_quality"))
def test_monai_panoptic_quality(name: str, overlaps: dict[str, Overlap]) -> None:
    golden = PAIRS[name]["tools"]["monai.compute_panoptic_quality"]
    assert float(metrics.pq(overlaps[name], strict=True)) == close(golden["pq"])


@pytest.mark.parametrize("name", pairs_with("panoptica"))
def test_panoptica(name: str, overlaps: dict[str, Overlap]) -> None:
    for threshold, golden in PAIRS[name]["tools"]["panoptica"].items():
        assert match(overlaps[name], float(threshold)).tp == golden["tp"]
        assert float(metrics.pq(overlaps[name], threshold=float(threshold))) == close(golden["pq"])


# ---------------------------------------------------------------- boundary


def ids_of(side: str, file_name: str) -> np.ndarray:
    colour = read_shared_labels(f"panoptic/coco_{side}/{file_name}").astype(np.uint32)
    return colour[..., 0] + 256 * colour[..., 1] + 65536 * colour[..., 2]


def test_boundary_pq_of_the_reference_program() -> None:
    """It takes the smaller of mask and boundary IoU, matches above 0.5, and leaves void pixels (truth 0) out.

    Every class of these two images has one segment on each side.
    """
    files = {side: shared_json(f"data/panoptic/coco_{side}.json") for side in ("gt", "pred")}
    golden = shared_json("data/golden.json")["panoptic"]["panoptic boundary PQ [boundary-iou-api]"]["per_class"]
    classes = {
        side: {(a["image_id"], s["id"]): s["category_id"] for a in file["annotations"] for s in a["segments_info"]}
        for side, file in files.items()
    }
    found = {}
    for annotation in files["gt"]["annotations"]:
        truth, pred = (ids_of(side, annotation["file_name"]) for side in ("gt", "pred"))
        mask = Overlap.from_labels(truth, pred, ignore=truth == 0)
        bands = Overlap.from_labels(truth, pred, ignore=truth == 0, boundary=0.02)
        band_iou = {
            (bands.truth_ids[t], bands.pred_ids[p]): iou
            for t, p, iou in zip(bands.pair_truth, bands.pair_pred, bands.pair_iou, strict=True)
        }
        for t, p, iou in zip(mask.pair_truth, mask.pair_pred, mask.pair_iou, strict=True):
            ids = (mask.truth_ids[t], mask.pred_ids[p])
            category = classes["gt"][annotation["image_id"], int(ids[0])]
            if category == classes["pred"][annotation["image_id"], int(ids[1])]:
                smaller = min(iou, band_iou.get(ids, 0.0))
                found[str(category)] = smaller if smaller > 0.5 else 0.0
    assert found == {name: close(golden[name]["pq"]) for name in found}
    assert set(found) == {"3", "4", "5", "6"}
