"""Drop-in modules: their values against what the tools recorded, their corners by hand."""

from __future__ import annotations

import numpy as np
import pytest
from reference import CELLPOSE_WITHOUT_BACKGROUND, PAIRS, labels_of, released_settings, shared_json

from softpq.compat import cellpose, softpq, stardist

DATASETS = (shared_json("data/golden.json") or {"datasets": {}})["datasets"]
TRUTH, PRED = np.array([[1, 1, 0, 4], [2, 2, 0, 4]]), np.array([[1, 1, 0, 0], [0, 2, 3, 3]])


@pytest.mark.shared
@pytest.mark.parametrize("name", list(PAIRS))
def test_stardist_matching(name: str) -> None:
    golden = PAIRS[name]["tools"]["stardist.matching"]
    results = stardist.matching(*labels_of(PAIRS[name]), thresh=[float(t) for t in golden])
    for result, expected in zip(results, golden.values(), strict=True):
        assert {key: getattr(result, key) for key in expected} == pytest.approx(expected, abs=1e-6)


@pytest.mark.shared
@pytest.mark.parametrize("group", list(DATASETS))
def test_stardist_matching_dataset(group: str) -> None:
    pairs = [labels_of(PAIRS[name]) for name in DATASETS[group]["images"]]
    for key, expected in DATASETS[group]["stardist.matching_dataset"].items():
        thresh, by_image = (item.split("=")[1] for item in key.split(","))
        result = stardist.matching_dataset(
            *zip(*pairs, strict=True), thresh=float(thresh), by_image=by_image == "True", show_progress=False
        )
        assert {name: getattr(result, name) for name in expected} == pytest.approx(expected, abs=1e-6), key


@pytest.mark.shared
@pytest.mark.parametrize("name", list(PAIRS))
def test_cellpose(name: str) -> None:
    tools = PAIRS[name]["tools"]
    golden = tools["cellpose.average_precision"]
    ap, tp, fp, fn = cellpose.average_precision(*labels_of(PAIRS[name]), threshold=golden["thresholds"])
    assert (tp.tolist(), fn.tolist()) == (golden["tp"], golden["fn"])
    if name not in CELLPOSE_WITHOUT_BACKGROUND:
        assert fp.tolist() == golden["fp"]
        assert ap.tolist() == pytest.approx(golden["ap"], abs=1e-6)
    truth, pred = labels_of(PAIRS[name])
    aji = cellpose.aggregated_jaccard_index([truth], [pred])
    assert aji[0] == pytest.approx(tools["cellpose.aggregated_jaccard_index"], abs=1e-6)


@pytest.mark.shared
@pytest.mark.parametrize("name", list(PAIRS)[::5])
def test_the_authors_class(name: str) -> None:
    for key, expected in PAIRS[name]["tools"]["softpq_released"]["as_released"].items():
        settings = released_settings(key)
        scorer = softpq.SoftPQ(
            settings["iou_high"], settings["iou_low"], settings["penalty"], settings["priority"] == "under"
        )
        assert scorer.evaluate(*labels_of(PAIRS[name])) == pytest.approx(expected, abs=1e-6)


def test_stardist_reports_matches() -> None:
    result = stardist.matching(TRUTH, PRED, thresh=0.6, report_matches=True)
    assert result.matched_pairs == ((1, 1), (2, 2), (4, 3))
    assert result.matched_scores == pytest.approx((1.0, 0.5, 1 / 3))
    assert result.matched_tps == (0,)
    assert result._fields[:5] == ("criterion", "thresh", "fp", "tp", "fn")


@pytest.mark.parametrize(("criterion", "score"), [("iou", 0.5), ("iot", 0.5), ("iop", 1.0)])
def test_stardist_criteria(criterion: str, score: float) -> None:
    result = stardist.matching(TRUTH, PRED, thresh=0.4, criterion=criterion, report_matches=True)
    assert dict(zip(result.matched_pairs, result.matched_scores, strict=True))[2, 2] == score


def test_stardist_corners() -> None:
    nothing = np.zeros((3, 3), int)
    assert stardist.matching(nothing, nothing).panoptic_quality == 0
    assert stardist.matching(TRUTH, PRED, thresh=None).tp == 3
    assert stardist.matching(nothing, nothing, report_matches=True).matched_pairs == ()
    assert len(stardist.matching(TRUTH, PRED, thresh=(0.1, 0.5))) == 2
    results = stardist.matching_dataset_lazy(iter([(TRUTH, PRED)] * 2), thresh=(0.1, 0.5), parallel=True)
    assert [r.tp for r in results] == [6, 4]
    with pytest.raises(ValueError, match="criterion must be one of"):
        stardist.matching(TRUTH, PRED, criterion="dice")
    with pytest.raises(ValueError, match="same length"):
        stardist.matching_dataset([TRUTH], [])


def test_a_perfect_image_without_background() -> None:
    """Cellpose answers AP = inf here."""
    full = np.array([[1, 1], [2, 2]])
    assert cellpose.average_precision(full, full)[0].tolist() == [1, 1, 1]


def test_at_threshold_0_cellpose_matches_what_shares_nothing() -> None:
    """Its IoU of 0 reaches the threshold: as many matches as the side with fewer objects has."""
    truth, pred = np.array([1, 1, 2, 3, 0, 0]), np.array([0, 0, 0, 5, 6, 6])
    ap, tp, fp, fn = cellpose.average_precision(truth, pred, threshold=[0.0, 0.1])
    assert tp.tolist() == [2, 1]
    assert (fp.tolist(), fn.tolist()) == ([0, 1], [1, 2])
    assert ap.tolist() == pytest.approx([2 / 3, 1 / 4])


def test_cellpose_lists_and_corners() -> None:
    ap, tp, _, _ = cellpose.average_precision([TRUTH, TRUTH], [PRED, TRUTH], threshold=0.5)
    assert ap.shape == (2, 1)
    assert tp.ravel().tolist() == [2, 3]
    assert np.isnan(cellpose.average_precision(np.zeros(3, int), np.zeros(3, int))[0]).all()
    assert np.isnan(cellpose.aggregated_jaccard_index([np.zeros(3, int)], [np.zeros(3, int)]))[0]
    with pytest.raises(ValueError, match="requires len"):
        cellpose.average_precision([TRUTH], [])


def test_a_label_of_100000_on_two_pixels() -> None:
    """A table as wide as the largest label would take 80 GB for two such images."""
    assert stardist.matching([0, 100_000], [0, 100_000]).tp == 1
    assert cellpose.mask_ious(np.array([0, 3]), np.array([0, 100_000]))[1].tolist() == [0, 0, 100_000]
