"""What is no label image is refused behind every door, and label images are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tifffile
from commands import call
from reference import PAIRS, SHARED, read_shared_labels
from scipy.ndimage import binary_erosion, gaussian_filter

from softpq import evaluate, evaluate_dataset, score, synthetic
from softpq.cli.language import in_options
from softpq.io.one_file import read_labels
from softpq.table.content import suspicion

SCENE = synthetic.cells((256, 256), 90, seed=2)
DENSE = synthetic.cells((512, 512), 340, seed=2)


def three_classes(truth: np.ndarray) -> np.ndarray:
    """Background, inside, border: what a network for nuclei often gives."""
    inside = np.zeros(truth.shape, bool)
    for label in np.unique(truth[truth > 0]):
        inside |= binary_erosion(truth == label)
    return np.where(inside, 1, np.where(truth > 0, 2, 0))


def photograph() -> np.ndarray:
    noise = np.random.default_rng(0).normal(0, 6, (256, 256))
    return np.clip(gaussian_filter((SCENE.truth > 0) * 120.0, 2) + 30 + noise, 0, 255).astype(np.uint8)


KINDS: dict[str, tuple[Callable[[], np.ndarray], str, str]] = {
    "a mask of 0 and 1": (lambda: (SCENE.truth > 0) * 1, "looks like a binary mask", "split_components=True"),
    "a mask of 0 and 255": (lambda: (SCENE.truth > 0) * 255, "looks like a binary mask", "split_components=True"),
    "three classes": (lambda: three_classes(SCENE.truth), "looks like a map of classes", "one label for each object"),
    "five types": (lambda: (SCENE.truth % 5 + 1) * (SCENE.truth > 0), "looks like a map of classes", "each object"),
    "probabilities in 8 bit": (
        lambda: np.round(255 * gaussian_filter((SCENE.truth > 0) * 1.0, 1.5)).astype(np.uint8),
        "looks like intensities or probabilities",
        "Turn it into labels first",
    ),
    "sharp probabilities": (
        lambda: np.round(255 * gaussian_filter((SCENE.truth > 0) * 1.0, 0.6)).astype(np.uint8),
        "looks like intensities or probabilities",
        "Turn it into labels first",
    ),
    "a photograph": (photograph, "looks like intensities or probabilities", "Turn it into labels first"),
    "labels in 8 bit": (lambda: DENSE.truth.astype(np.uint8), "looks like labels that ran over 255", "32 bits"),
    "labels cut at 255": (lambda: np.minimum(DENSE.truth, 255), "looks like labels that ran over 255", "32 bits"),
    "colours": (lambda: np.stack([photograph()] * 3, -1), "looks like a colour image", "Turn it into labels first"),
    "labels and their classes": (
        lambda: np.stack([SCENE.truth, (SCENE.truth % 5 + 1) * (SCENE.truth > 0)]),
        "looks like 2 channels along axis 0: one plane holds objects, another their classes",
        "channel=0",
    ),
    "cells and nuclei": (
        lambda: np.stack([SCENE.truth, np.where(three_classes(SCENE.truth) == 1, SCENE.truth * 8 % 97 + 1, 0)], -1),
        "looks like 2 channels along axis 2: objects of one plane lie inside of those of another",
        "channel=0",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_certain_cases_are_refused_behind_every_door(kind: str, tmp_path: Path) -> None:
    make, what, advice = KINDS[kind]
    wrong = make()
    for truth, pred, side in ((wrong, wrong * 0, "truth"), (wrong * 0, wrong, "pred")):
        for door in (score, evaluate):
            with pytest.raises(ValueError, match=f"{side} must hold one label per object; it {what}") as caught:
                door(truth, pred)
            assert advice in str(caught.value)
            assert "check=False" in str(caught.value)
    assert score(wrong, wrong, check=False) == pytest.approx(1.0)
    assert evaluate(wrong, wrong, check=False)["pq"] == 1.0
    results = evaluate_dataset([wrong], [wrong])
    assert what in results.failures[0].reason
    np.save(tmp_path / "a.npy", wrong)
    refused = call("evaluate", tmp_path / "a.npy", tmp_path / "a.npy")
    assert refused.exit_code == 1
    said = " ".join(refused.stdout.split())
    assert f"a.npy {what}" in said
    assert in_options(advice) in said
    assert "--no-check" in said
    assert call("evaluate", tmp_path / "a.npy", tmp_path / "a.npy", "--no-check").exit_code == 0
    assert what in " ".join(call("doctor", tmp_path / "a.npy", tmp_path / "a.npy").stdout.split())


def test_large_images_are_looked_at_too(tmp_path: Path) -> None:
    """What is counted in parts is judged by a part."""
    np.save(tmp_path / "a.npy", np.kron(np.ones((3, 3), np.uint8), (SCENE.truth > 0).astype(np.uint8)))
    (failure,) = evaluate_dataset(tmp_path / "a.npy", tmp_path / "a.npy", memory="400kB").failures
    assert "looks like a binary mask" in failure.reason


@pytest.mark.parametrize("dtype", ["f4", "f8", ">u2", ">i4", "i8", "u8", "i1"])
def test_any_type_of_label_is_looked_at(dtype: str) -> None:
    assert score(SCENE.truth.astype(dtype), SCENE.pred.astype(dtype)) == score(SCENE.truth, SCENE.pred)
    with pytest.raises(ValueError, match="looks like a binary mask"):
        score((SCENE.truth > 0).astype(dtype), SCENE.pred)
    asfortran = np.asfortranarray(SCENE.truth.astype(dtype))
    assert score(asfortran[::-1, ::2], SCENE.pred[::-1, ::2]) == score(SCENE.truth[::-1, ::2], SCENE.pred[::-1, ::2])


def test_negative_labels_that_are_ignored_do_not_matter() -> None:
    marked = np.where(np.arange(256) < 20, -1, SCENE.truth)
    assert score(marked, SCENE.pred, ignore=marked < 0) > 0


def test_likely_cases_are_noted() -> None:
    classes = (SCENE.truth % 20 + 1) * (SCENE.truth > 0)
    found = evaluate(classes, SCENE.truth)
    assert found.notes[0].startswith("truth looks like a map of classes: it has 20 labels")
    assert "map of classes" in repr(found)
    (image,) = evaluate_dataset([SCENE.truth], [classes]).images
    assert image.notes[0].startswith("pred looks like a map of classes")
    assert evaluate(SCENE.truth, SCENE.pred).notes == ()


def test_split_components_makes_objects_of_masks_but_not_of_photographs() -> None:
    mask = (SCENE.truth > 0).astype(np.uint8)
    assert evaluate_dataset([mask], [mask], split_components=True).pooled()["pq"] == 1.0
    (failure,) = evaluate_dataset([photograph()], [mask], split_components=True).failures
    assert "looks like intensities" in failure.reason


@pytest.mark.parametrize(
    "labels",
    [
        np.pad(np.ones((30, 30), int), 4),  # one object alone
        np.kron(np.array([[1, 0, 1]]), np.ones((20, 20), int)),  # in two pieces
        np.random.default_rng(0).integers(0, 5, (64, 64)),  # noise means nothing, and nothing else
        np.arange(4096).reshape(64, 64),
        np.zeros((64, 64), int),
        np.array([1, 0, 1, 0, 1, 0, 1, 0, 1]),
        np.array([[1, 0, 1, 0, 1, 0, 1, 0, 1]]),
        synthetic.cells((512, 512), 255, seed=3).truth.astype(np.uint8),  # all values in use, each once
        synthetic.cells((3, 64, 64), 20, seed=3).truth,
        synthetic.cells((64, 64, 4), 20, seed=3).truth,
    ],
)
def test_what_may_be_right_is_scored(labels: np.ndarray) -> None:
    assert not score(labels, labels) < 1


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shape", [(64, 64), (300, 200), (600, 700), (12, 90, 80), (2, 100, 100)])
def test_no_synthetic_image_is_suspected(shape: tuple[int, ...], seed: int) -> None:
    size = int(np.prod(shape))
    scene = synthetic.cells(shape, (size // 100, size // 300, size // 2000)[seed % 3], seed=seed)
    for labels in (scene.truth, scene.pred):
        assert suspicion(labels, np.unique(labels)[1:].astype(np.uint64)) is None


@pytest.mark.shared
def test_no_real_label_image_is_refused() -> None:
    names = dict.fromkeys(name for pair in PAIRS.values() for name in (pair["gt"], pair["pred"]))
    assert len(names) > 400
    for name in names:
        labels = read_shared_labels(name)
        ids = np.unique(labels)
        found = suspicion(labels, ids[ids > 0].astype(np.uint64))
        assert found is None, (name, found)


@pytest.mark.shared
@pytest.mark.parametrize("path", sorted((SHARED / "data").glob("*/image.tif")), ids=lambda path: path.parent.name)
def test_raw_images_are_no_predictions(path: Path, tmp_path: Path) -> None:
    truth = next(path.parent.glob("gt.*"))
    refused = call("evaluate", truth, path)
    assert refused.exit_code == 1
    assert "looks like intensities" in " ".join(refused.stdout.split())
    with pytest.raises(ValueError, match="looks like intensities"):
        score(read_labels(truth), tifffile.imread(path))


def test_labels_that_were_clipped_at_255_are_noticed_wherever_the_rest_lies() -> None:
    """Numbered line by line, the objects after the 255th all lie in the last lines."""
    grid = np.kron(np.arange(1, 271).reshape(18, 15), np.pad(np.ones((8, 8), int), 2))
    with pytest.raises(ValueError, match="ran over 255"):
        score(grid, np.minimum(grid, 255).astype(np.uint8))


@pytest.mark.parametrize("background", [1, 200, 65535])
def test_a_background_that_is_not_0_is_said(background: int) -> None:
    truth = SCENE.truth.astype(np.int64)
    shifted = np.where(truth == 0, background, truth + 300)
    notes = " ".join(evaluate(truth, shifted).notes)
    assert f"pred has no background 0: label {background} covers" in notes
    assert "truth" not in notes


def test_tissue_without_background_is_not_suspected_of_one() -> None:
    assert not evaluate(*synthetic.tissue((256, 256), 60, seed=1)).notes
