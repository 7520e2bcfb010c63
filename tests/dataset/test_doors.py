"""The same question through every door: arrays, folders, the command line; and each file is read once."""

from __future__ import annotations

import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from commands import call
from made_up import write_models

import softpq
from softpq import _core
from softpq.dataset import DatasetOptions
from softpq.dataset.scoring import Scorer
from softpq.io.image import LabelImage, images_in
from softpq.plan import EvaluateOptions, Plan, PlanOptions
from softpq.settings import Settings
from softpq.synthetic import cells


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_models(tmp_path, images=3, good=0.05, poor=0.5)
    return tmp_path


def images_of(folder: Path) -> dict[str, np.ndarray]:
    return {path.stem: tifffile.imread(path) for path in sorted(folder.iterdir())}


def test_arrays_and_folders_give_the_same_results(folder: Path) -> None:
    models = {name: folder / name for name in ("good", "poor")}
    from_files = softpq.evaluate_dataset(folder / "truth", models)
    arrays = {name: images_of(place) for name, place in models.items()}
    from_arrays = softpq.evaluate_dataset(images_of(folder / "truth"), arrays)
    lists = softpq.evaluate_dataset(
        list(images_of(folder / "truth").values()), {name: list(one.values()) for name, one in arrays.items()}
    )
    assert from_arrays.rows() == from_files.rows()
    assert lists.pooled("good") == from_files.pooled("good")
    assert lists.of("good")[2].name == "2"
    assert from_arrays.compare("good", "poor", "pq") == from_files.compare("good", "poor", "pq")
    from_arrays.report(folder / "page.html")
    assert "All images are embedded" in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("truth", "pred", "message"),
    [
        (np.zeros((4, 4), int), np.zeros((4, 4), int), "For one pair of images there is softpq.evaluate"),
        ([[[1]]], [[[1]]], "image 0 must be an array or a file; got list"),
        ({"a": "a.tif", "b": 3}, {"m": {}}, "image b must be an array or a file; got int"),
    ],
)
def test_what_is_no_dataset_is_explained(truth: Any, pred: Any, message: str, tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((4, 4), np.uint8))
    if isinstance(truth, dict):
        truth = {**truth, "a": str(tmp_path / "a.tif")}
    with pytest.raises(TypeError, match=message):
        softpq.evaluate_dataset(truth, pred)


def test_images_may_be_given_as_files_one_by_one(folder: Path) -> None:
    names = ["image_0", "image_2"]
    truth = [folder / "truth" / f"{name}.tif" for name in names]
    pred = {name: str(folder / "good" / f"{name}.tif") for name in names}
    by_list = softpq.evaluate_dataset(truth, {"good": list(pred.values())})
    by_name = softpq.evaluate_dataset(dict(zip(names, truth, strict=True)), {"good": pred})
    assert [image.name for image in by_name.images] == names
    assert by_list.pooled() == by_name.pooled()


def test_ignored_pixels_and_spacing_behind_every_door(tmp_path: Path) -> None:
    """They existed for arrays only."""
    scene = cells((8, 60, 60), 20, seed=3)
    truth = np.where(np.arange(60) < 15, 200, scene.truth).astype(np.uint16)
    mask = truth == 200
    for name, array in (
        ("truth", truth),
        ("pred", scene.pred.astype(np.uint16)),
        ("mask", mask.astype(np.uint8) * 255),
    ):
        (tmp_path / name).mkdir()
        for k in (0, 1):
            tifffile.imwrite(tmp_path / name / f"{k}.tif", array)
    options: dict[str, Any] = {"boundary": 2.0, "spacing": (2.0, 1.0, 1.0), "metrics": ["pq", "boundary_pq", "iou"]}
    expected = softpq.evaluate(truth, scene.pred, ignore=200, **options)
    assert expected != softpq.evaluate(truth, scene.pred, **options)
    places = (tmp_path / "truth", tmp_path / "pred")
    by_label = softpq.evaluate_dataset(*places, ignore=200, **options)
    by_mask = softpq.evaluate_dataset(*places, ignore=tmp_path / "mask", **options)
    in_parts = softpq.evaluate_dataset(*places, ignore=tmp_path / "mask", memory="100kB", jobs=1, **options)
    in_memory = softpq.evaluate_dataset([truth], [scene.pred], ignore=[mask], **options)
    assert in_parts.images[0].pair is None  # it was counted in parts
    for results in (by_label, by_mask, in_parts, in_memory):
        assert results.images[0].values() == pytest.approx({name: expected[name] for name in options["metrics"]})
    for chosen in (["--ignore", 200], ["--ignore-masks", tmp_path / "mask"]):
        asked = [
            "--boundary",
            2,
            "--spacing",
            "2,1,1",
            "--metrics",
            "pq,boundary_pq,iou",
            "--json",
            tmp_path / "r.json",
        ]
        assert call("evaluate", *places, *chosen, *asked, "-q").exit_code == 0
        found = json.loads((tmp_path / "r.json").read_text())["images"]
        assert {name: found[name][0] for name in options["metrics"]} == pytest.approx(by_mask.images[0].values())
    refused = call("evaluate", *places, "--ignore", 1, "--ignore-masks", tmp_path / "mask")
    assert (refused.exit_code, "must not be given together" in refused.output) == (2, True)


def test_a_mask_for_every_image_is_needed(folder: Path) -> None:
    (folder / "masks").mkdir()
    for k in (0, 1):
        tifffile.imwrite(folder / "masks" / f"image_{k}.tif", np.zeros((64, 64), np.uint8))
    with pytest.raises(softpq.ReadError, match="No mask of pixels to ignore for 1 of 3 images: image_2"):
        softpq.evaluate_dataset(folder / "truth", folder / "good", ignore=folder / "masks")


class Counted:
    """Counts how often functions are called."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch, self.calls = patch, {}

    def watch(self, owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def counted(*args: Any, **options: Any) -> Any:
            self.calls[name] = self.calls.get(name, 0) + 1
            return function(*args, **options)

        self.patch.setattr(owner, name, counted)


def test_a_report_reads_every_file_once_and_counts_every_pair_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Truth was decoded six times for two models, pairs were counted seven times, intervals computed twice."""
    watched = Counted(monkeypatch)
    watched.watch(LabelImage, "read")
    watched.watch(_core, "count_objects")
    monkeypatch.setattr("softpq.table.partial._core", _core)
    places = [folder / name for name in ("truth", "good", "poor")]
    assert call("evaluate", *places, "--html", folder / "page.html", "-j", 2).exit_code == 0
    looked_at = 2  # names are numbered: for each model, one file of truth is asked whether it is one object
    assert watched.calls["read"] == 3 + 2 * 3 + looked_at
    assert watched.calls["count_objects"] == 2 * 3
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "All images are embedded" in page


def test_images_are_plain_values_that_can_be_sent_elsewhere(folder: Path) -> None:
    (image,) = images_in(folder / "truth" / "image_0.tif")
    again = pickle.loads(pickle.dumps(image))
    assert again == image == LabelImage("image_0", str(folder / "truth" / "image_0.tif"), 0, "TIFF")
    assert np.array_equal(again.read().labels, image.read().labels)
    scorer = Scorer(Plan(), 10**9)
    assert pickle.loads(pickle.dumps(scorer)) == scorer


def test_an_evaluation_keeps_its_objects_when_it_is_sent_elsewhere() -> None:
    """Their places were lost, and the copy was still equal."""
    scene = cells((64, 64), 12)
    evaluation = softpq.evaluate(scene.truth, scene.pred)
    again = pickle.loads(pickle.dumps(evaluation))
    assert again == evaluation
    assert list(again.objects.columns) == list(evaluation.objects.columns)
    assert "centroid_0" in again.objects.columns
    assert again.images is None


def test_signatures_and_texts_spell_out_all_options() -> None:
    for function, names in (
        (softpq.evaluate, EvaluateOptions.__annotations__),
        (softpq.evaluate_dataset, DatasetOptions.__annotations__),
    ):
        parameters = inspect.signature(function).parameters
        assert set(names) <= set(parameters)
        assert "{options}" not in (function.__doc__ or "")
        for name in names:
            assert name in (function.__doc__ or ""), name
    assert inspect.signature(softpq.evaluate).parameters["threshold"].default == 0.5
    assert set(PlanOptions.__annotations__) - {"preset"} == {*Plan.__annotations__, *Settings.__annotations__} - {
        "settings",
        "ignore",
    }


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(TypeError, match=r"thresold is not an option\. Did you mean threshold\?"):
        softpq.evaluate([1], [1], thresold=0.7)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"job is not an option\. Did you mean jobs\?"):
        softpq.evaluate_dataset([], [], job=3)  # type: ignore[call-arg]


def test_a_plan_can_be_written_down_and_read_again() -> None:
    plan = Plan.of(metrics=["pq"], threshold=0.7, spacing=[2, 1], preset="precise", missing="empty")
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    with pytest.raises(ValueError, match="penalty must be one of the named ones"):
        Plan.of(penalty=lambda n: n + 1.0).to_dict()


def test_classes_of_arrays_are_given_as_images_or_with_masks() -> None:
    labels = {"a": np.array([[1, 1, 2, 2, 0, 3]]), "b": np.array([[4, 4, 0, 0, 5, 5]])}
    kinds = {"a": np.array([[1, 1, 7, 7, 0, 7]]), "b": np.array([[7, 7, 0, 0, 1, 1]])}
    pred = {"a": np.array([[1, 1, 2, 0, 0, 0]]), "b": labels["b"]}
    of_pred = {"a": np.array([[1, 1, 1, 0, 0, 0]]), "b": kinds["b"]}
    as_images = softpq.evaluate_dataset(labels, {"m": pred}, classes={"truth": kinds, "pred": of_pred})
    as_lists = softpq.evaluate_dataset(
        list(labels.values()), {"m": list(pred.values())},
        classes={"truth": list(kinds.values()), "pred": list(of_pred.values())},
    )  # fmt: skip

    def masks(image: np.ndarray, kind: np.ndarray) -> softpq.Masks:
        return softpq.Masks.from_labels(
            image, classes=[str(kind[image == k].max()) for k in np.unique(image[image > 0])]
        )

    as_masks = softpq.evaluate_dataset(
        {name: masks(labels[name], kinds[name]) for name in labels},
        {"m": {name: masks(pred[name], of_pred[name]) for name in labels}},
        classes="auto",
        class_agnostic=True,
    )
    for found in (as_images, as_lists, as_masks):
        assert found.classes == ["1", "7"]
        assert [found.of_class(name).pooled("m")["f1"] for name in found.classes] == pytest.approx([4 / 5, 2 / 4])
        assert found.confused() == {"1": {"1": 2}, "7": {"1": 1, "7": 1}}
