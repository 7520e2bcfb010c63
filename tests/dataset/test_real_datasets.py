"""Real datasets, and what other tools answer on them."""

from __future__ import annotations

import numpy as np
import pytest
from reference import PAIRS, SHARED, shared_json

from softpq import Overlap, evaluate_dataset, mean, metrics
from softpq.io.sources import open_source

DATA = SHARED / "data"
DATASETS = (shared_json("data/golden.json") or {"datasets": {}})["datasets"]
DSB = ("peter0749", "DatName", "kanashov", "advaitsave", "CodyMaughan")


@pytest.mark.shared
def test_five_models_on_the_nuclei_of_the_data_science_bowl() -> None:
    results = evaluate_dataset(DATA / "dsb2018/gt", {model: DATA / f"dsb2018/pred_{model}" for model in DSB})
    for model in DSB:
        golden = DATASETS[f"dsb2018:{model}"]
        stardist = golden["stardist.matching_dataset"]
        assert results.pooled(model)["pq"] == pytest.approx(
            stardist["thresh=0.5,by_image=False"]["panoptic_quality"], abs=1e-6
        )
        assert results.mean(model)["pq"] == pytest.approx(
            stardist["thresh=0.5,by_image=True"]["panoptic_quality"], abs=1e-6
        )
        if model != "CodyMaughan":  # HoVer-Net fails on one of its images, which is then not in the mean
            dice = golden["hover_net mean over images"]["dice1"]
            assert results.mean(model)["dice"] == pytest.approx(dice, abs=1e-6)
    assert results.ranking("pq") == list(DSB)


@pytest.mark.shared
@pytest.mark.parametrize("model", DSB)
def test_cellpose_on_thresholds_that_were_summed_up(model: str) -> None:
    """These values were made with np.arange(0.5, 1, 0.05), whose 0.6 is 0.6000000000000001: an IoU of 0.6 is below."""
    golden = DATASETS[f"dsb2018:{model}"]["cellpose.average_precision mean over images"]
    summed_up = np.arange(0.5, 1.0, 0.05).tolist()
    truth, pred = (open_source(DATA / "dsb2018" / folder) for folder in ("gt", f"pred_{model}"))
    overlaps = [Overlap.from_labels(truth[name].read().labels, pred[name].read().labels) for name in truth]
    means = [mean(metrics.accuracy(o, threshold=t) for o in overlaps) for t in summed_up]
    assert means == pytest.approx(golden["mean_ap"], abs=1e-6)
    assert np.mean(means) == pytest.approx(golden["mean_over_thresholds"], abs=1e-6)


@pytest.mark.shared
def test_the_same_nuclei_from_run_length_tables() -> None:
    tables = DATA / "dsb2018/rle_csv"
    found = evaluate_dataset(tables / "stage1_solution.csv", {m: tables / f"{m}.csv" for m in ("peter0749", "DatName")})
    for model in ("peter0749", "DatName"):
        golden = DATASETS[f"dsb2018:{model}"]["stardist.matching_dataset"]["thresh=0.5,by_image=False"]
        assert found.pooled(model)["pq"] == pytest.approx(golden["panoptic_quality"], abs=1e-6)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("truth", "pred", "pair"),
    [
        ("spine3d_panoptica/unmatched_instance_ref.nii.gz", "spine3d_panoptica/unmatched_instance_pred.nii.gz", None),
        ("cho3d_ctc_t00/gt.tif", "cho3d_ctc_t00/pred_balanced.tif", "cho3d_ctc_t00/balanced"),
        ("cells_sortedap/cells_gt.png", "cells_sortedap/cells_pred.png", "cells_sortedap/cells/model"),
    ],
)
def test_single_files_of_other_formats(truth: str, pred: str, pair: str | None) -> None:
    name = pair or next(key for key in PAIRS if key.startswith("spine3d"))
    golden = next(value for key, value in PAIRS.items() if key.startswith(name))["tools"]["stardist.matching"]["0.5"]
    assert evaluate_dataset(DATA / truth, DATA / pred).pooled()["pq"] == pytest.approx(
        golden["panoptic_quality"], abs=1e-6
    )


@pytest.mark.shared
def test_leaves_as_palette_images() -> None:
    results = evaluate_dataset(f"{DATA}/leaves/*/gt.png", f"{DATA}/leaves/*/pred.png")
    golden = DATASETS["leaves"]["stardist.matching_dataset"]["thresh=0.5,by_image=False"]
    assert results.pooled()["pq"] == pytest.approx(golden["panoptic_quality"], abs=1e-6)
    assert len(results.images) == 87


@pytest.mark.shared
def test_consep_by_class() -> None:
    """Torchmetrics matches above 0.5; one pair, of the inflammatory class, has an IoU of exactly 0.5."""
    place = DATA / "consep"
    where = str(place / "classes.json")
    ours = evaluate_dataset(place / "gt", place / "pred_flat", classes=where, metrics=["pq"])
    above = evaluate_dataset(
        place / "gt", place / "pred_flat", classes=where, metrics=["pq"], threshold=float(np.nextafter(0.5, 1))
    )
    rows = next(iter(shared_json("data/golden.json")["consep_multiclass"].values()))
    names = ("miscellaneous", "inflammatory", "epithelial", "spindle-shaped")
    for name, (pq, _, _) in zip(names, rows, strict=False):
        assert above.per_class()[name]["pq"] == pytest.approx(pq, abs=1e-6)
        if name != "inflammatory":
            assert ours.per_class()[name]["pq"] == above.per_class()[name]["pq"]
    matches = [sum(i.classes["inflammatory"]["pq"].parts["tp"] for i in r.images if "inflammatory" in i.classes)
               for r in (ours, above)]  # fmt: skip
    assert matches[0] == matches[1] + 1
    values = [row["pq"] for row in ours.per_class().values()]
    assert ours.class_mean()["pq"] == pytest.approx(np.mean(values))


@pytest.mark.shared
def test_pannuke_by_class() -> None:
    masks = {side: DATA / "pannuke_like" / side / "masks.npy" for side in ("gt", "pred")}
    results = evaluate_dataset(masks["gt"], masks["pred"], classes="auto")
    golden = shared_json("data/golden.json")["pannuke_like"]["PanNuke-metrics"]
    for image, whole, per_class in zip(
        results.images, golden["bPQ_per_image"], golden["pq_per_image_per_class"], strict=True
    ):
        assert image.scores["pq"].value == pytest.approx(whole, abs=1e-6)
        for name, expected in zip(("neoplastic", "inflammatory", "connective", "dead"), per_class, strict=False):
            if expected is not None:  # it leaves out classes without truth objects, and false positives with them
                assert image.classes[name]["pq"].value == pytest.approx(expected, abs=1e-6)


@pytest.mark.shared
def test_qupath_outlines() -> None:
    """Against exact polygon areas: drawn on pixels, an IoU may fall on the other side of a threshold."""
    place = DATA / "qupath"
    results = evaluate_dataset(place / "single_cells.geojson", place / "perturbed_detections.geojson")
    golden = shared_json("data/golden.json")["qupath"]["shapely (exact polygon areas)"]
    parts = results.images[0].scores["pq"].parts
    assert (parts["n_truth"], parts["n_pred"]) == (golden["n_cells"], golden["n_pred"])
    assert parts["tp"] == golden["by_threshold"]["0.5"]["tp"]
    assert parts["iou_sum"] == pytest.approx(golden["by_threshold"]["0.5"]["sum_iou"], abs=0.2)
    areas = results.images[0].scores["iou"].parts
    assert areas["truth_area"] == pytest.approx(golden["area_sum_cells"], rel=0.002)


@pytest.mark.shared
def test_cellpose_files() -> None:
    place = DATA / "cellpose_seg"
    results = evaluate_dataset(place / "gt_img_seg.npy", place / "pred_img_seg.npy")
    from reference import read_shared_labels

    truth, pred = (
        read_shared_labels(f"nuclei_dense_stardist/{name}")[:256, :256] for name in ("gt.png", "pred_balanced.png")
    )
    assert results.pooled()["pq"] == pytest.approx(float(metrics.pq(Overlap.from_labels(truth, pred))))
