"""Where a rule could pair wrongly in silence: eleven dangers, and what becomes of each."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from commands import call
from zoo import FLOWS, PHOTO, PRED, RAW, TRUTH, Layout, lay

from softpq import evaluate_dataset
from softpq.errors import Ambiguous, ReadError
from softpq.io.ladder import climb

P, R, T = PRED, RAW, TRUTH


def partners(truth: list[str], pred: list[str]) -> dict[str, str]:
    return climb(truth, pred)[0].partners


def said(folder: Path, layout: Layout, *options: str) -> tuple[int, str]:
    done = call("evaluate", *layout.write(folder), "--metrics", "pq", *options)
    return done.exit_code, " ".join(done.output.split())


def test_a_copy_of_the_truth_gives_way_to_the_file_of_a_tool(tmp_path: Path) -> None:
    code, text = said(tmp_path, Layout(lay({"{n}.tif": T}), lay({"{n}.tif": T, "{n}_cp_masks.tif": P})))
    assert code == 0
    assert "1.0000" not in text
    assert "left out 3 beside label images of theirs (wells_000.tif, ...)" in text
    assert "as Cellpose output" in text


def test_identical_pairs_are_counted_and_said(tmp_path: Path) -> None:
    code, text = said(tmp_path, Layout(lay({"{n}.tif": T}), lay({"{n}.tif": [T[0], P[1], T[2]]})))
    assert code == 0
    assert "2 of 3 predictions are identical to the truth" in text
    code, text = said(tmp_path / "other", Layout(lay({"{n}.tif": T}), lay({"{n}.tif": P})))
    assert "identical" not in text


def test_raw_images_are_not_taken_for_labels_even_where_the_tool_wrote_nothing(tmp_path: Path) -> None:
    """Cellpose writes no PNG where it finds nothing: the raw image of the same name must not stand for it."""
    layout = Layout(
        lay({"{n}.tif": T}), {**lay({"{n}.tif": R}), **lay({"{n}_cp_masks.png": P[:2]}, ("wells_000", "wells_001"))}
    )
    code, text = said(tmp_path, layout)
    assert code == 1
    assert "wells_002: no prediction was found" in text
    assert "--missing empty" in text


@pytest.mark.parametrize(
    ("truth", "pred", "expected"),
    [
        ("a_nuclei b_nuclei", "a_cells b_cells", {}),
        ("a_nuclei b_nuclei", "a b", {"a_nuclei": "a", "b_nuclei": "b"}),
        ("a_nuclei a_cells", "a_nuclear a_whole_cell", {"a_nuclei": "a_nuclear", "a_cells": "a_whole_cell"}),
    ],
)
def test_compartments_must_agree(truth: str, pred: str, expected: dict[str, str]) -> None:
    assert partners(truth.split(), pred.split()) == expected


def test_single_images_of_other_compartments_are_refused(tmp_path: Path) -> None:
    truth, pred = Layout({"a_nuclei.tif": T[0]}, {"a_cells.tif": P[0]}).write(tmp_path)
    with pytest.raises(ReadError, match=r"must be of one part of cells; got nuclei .* and cells"):
        evaluate_dataset(truth, pred)


def test_frames_that_are_shifted_by_one_are_noticed(tmp_path: Path) -> None:
    layout = Layout(lay({"t{n}.tif": T}, (0, 1, 2)), lay({"t{n}.tif": P}, (1, 2, 3)))
    code, text = said(tmp_path, layout)
    assert code == 1
    assert "the numbers of one side may begin with 0 and of the other with 1" in text


def test_0000_is_a_channel_only_if_it_is_the_only_one() -> None:
    assert partners(["c_1", "c_2"], ["c_1_0000", "c_2_0000"]) == {"c_1": "c_1_0000", "c_2": "c_2_0000"}
    assert partners(["c_1", "c_2"], ["c_1_0000", "c_1_0001"]) == {}


def test_plates_stay_apart() -> None:
    assert partners(["plate1/A01", "plate1/A02"], ["plate2/A01", "plate2/A02"]) == {}
    assert climb(["plate1/A01", "plate2/A01"], ["A01"])[1] is not None
    assert partners(["plateA_01", "plateA_02"], ["plateB_01", "plateB_02"]) == {}
    assert partners(["plateA_gt_01", "plateA_gt_02"], ["plateB_pred_01", "plateB_pred_02"]) == {}


def test_dates_of_two_days_are_two_images() -> None:
    assert partners(["20240101_A01", "20240101_A02"], ["20240202_A01", "20240202_A02"]) == {}
    assert partners(["20240101_A01", "20240101_A02"], ["A01_20240202", "A02_20240202"]) == {}
    assert partners(["20240101_A01", "20240101_A02"], ["A01", "A02"]) == {"20240101_A01": "A01", "20240101_A02": "A02"}


def test_zeros_behind_a_point_are_no_leading_zeros() -> None:
    assert partners(["dose_0.5", "dose_1.5"], ["dose_0.05", "dose_1.05"]) == {}
    assert partners(["A_7", "A_8"], ["a_007", "a_008"]) == {"A_7": "a_007", "A_8": "a_008"}


@pytest.mark.parametrize("other", ["modelX", "run2", "zebra"])
def test_two_models_in_folders_of_one_place_are_not_one(tmp_path: Path, other: str) -> None:
    found, clash = climb(["a", "b"], ["masks/a", "masks/b", f"{other}/a", f"{other}/b"])
    assert not found.partners
    assert clash is not None
    assert partners(["p1_a", "p1_b"], ["p1/a", "p1/b", "p2/a"]) == {"p1_a": "p1/a", "p1_b": "p1/b"}
    places = Layout(lay({"{n}.tif": T}), lay({"masks/{n}.tif": P, f"{other}/{{n}}.tif": T})).write(tmp_path)
    with pytest.raises(Ambiguous, match="instead of"):
        evaluate_dataset(*places)


def test_models_that_are_paired_by_other_rules_are_said_one_by_one(tmp_path: Path) -> None:
    truth, one = Layout(lay({"{n}.tif": T}), lay({"{n}_cp_masks.tif": P})).write(tmp_path)
    other = Layout(lay({"{n}.tif": T}), lay({"pred_{n}.tif": P})).write(tmp_path / "other")[1]
    text = " ".join(call("evaluate", truth, f"first={one}", f"second={other}", "--metrics", "pq").output.split())
    assert "paired as Cellpose output" in text
    assert "paired by names without words in front (pred)" in text


def test_numbers_alone_are_names_in_one_folder_only() -> None:
    assert partners(["SEG/man_seg002", "SEG/man_seg003"], ["mask002", "mask003"]) != {}
    assert partners(["01_GT/SEG/man_seg002", "02_GT/SEG/man_seg003"], ["mask002", "mask003"]) == {}


def test_a_plane_is_no_frame() -> None:
    assert partners(["man_seg_000_012", "man_seg_000_015"], ["mask000", "mask012"]) == {}


def test_two_single_files_are_paired_and_it_is_said(tmp_path: Path) -> None:
    code, text = said(tmp_path, Layout({"day.tif": T[0]}, {"night.tif": P[0]}))
    assert code == 0
    assert "the only images there are" in text


def test_never_by_sorted_order() -> None:
    assert partners(["apple", "berry"], ["cherry", "date"]) == {}


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ({"a.tif": T[0], "b.tif": T[1]}, {"a.png": P[0], "a.tif": R[0], "b.png": P[1], "b.tif": R[1]}),
        ({"a.tif": T[0], "b.tif": T[1]}, {"a_mask.tif": P[0], "a_masks.tif": P[0], "b_mask.tif": P[1]}),
        ({"a.tif": T[0], "b.tif": T[1]}, {"x/a_pred.tif": P[0], "y/a_pred.tif": P[0], "x/b_pred.tif": P[1]}),
    ],
)
def test_ambiguity_prints_a_command_that_works(tmp_path: Path, truth: dict, pred: dict) -> None:
    places = Layout(truth, pred).write(tmp_path)
    with pytest.raises(Ambiguous, match="instead of"):
        evaluate_dataset(*places)
    refused = call("evaluate", places[0], f"mine={places[1]}", "--metrics", "pq")
    assert refused.exit_code == 2
    commands = re.findall(r"softpq (evaluate .*?)(?= or: |$)", " ".join(refused.stderr.split()))
    assert commands
    assert all("mine=" in command and "--metrics pq" in command for command in commands)
    assert 0 in [call(*shlex.split(command)).exit_code for command in commands]


def test_what_is_no_label_image_is_left_out_and_counted(tmp_path: Path) -> None:
    layout = Layout(
        lay({"{n}.tif": T}),
        lay({"{n}.tif": P, "{n}_flows.tif": FLOWS, "{n}_overlay.png": PHOTO, "{n}.json": "{}", "log.txt": "x"}),
    )
    code, text = said(tmp_path, layout)
    assert code == 0
    assert "6 that say they are something else" in text
    assert "4 of other formats" in text


def test_what_says_it_is_something_else_is_taken_if_there_is_nothing_else(tmp_path: Path) -> None:
    code, _ = said(tmp_path, Layout(lay({"{n}_color.png": T}), lay({"{n}_color.png": P})))
    assert code == 0


def test_links_that_lead_in_circles_end(tmp_path: Path) -> None:
    truth, pred = Layout(lay({"sub/{n}.tif": T}), lay({"sub/{n}.tif": P})).write(tmp_path)
    (truth / "sub" / "again").symlink_to(truth)
    assert len(evaluate_dataset(truth, pred, metrics=["pq"]).images) == 3


def test_empty_predictions_of_empty_truth_are_not_called_copies(tmp_path: Path) -> None:
    nothing = np.zeros((96, 96), np.uint16)
    _, text = said(tmp_path, Layout({"a.tif": nothing, "b.tif": T[0]}, {"a.tif": nothing, "b.tif": P[0]}))
    assert "identical" not in text


def files_of(labels: np.ndarray, order: int) -> dict[str, np.ndarray]:
    """One PNG for each object, numbered from the first label on, or from the last."""
    found = np.unique(labels)[1:][::order]
    return {f"{k}.png": np.where(labels == label, 255, 0).astype(np.uint8) for k, label in enumerate(found)}


def test_objects_in_files_of_equal_names_are_not_paired_by_these(tmp_path: Path) -> None:
    """The numbers of files are those of objects, which every tool gives anew."""
    truth = {f"{n}/{name}": mask for n, t in enumerate(T) for name, mask in files_of(t, 1).items()}
    pred = {f"{n}/{name}": mask for n, t in enumerate(T) for name, mask in files_of(t, -1).items()}
    results = evaluate_dataset(*Layout(truth, pred).write(tmp_path), metrics=["pq"])
    assert len(results.images) == len(T)
    assert results.pooled("pred") == {"pq": 1.0}


def in_the_middle(mask: np.ndarray) -> np.ndarray:
    """The same object in the middle of the picture, where people aim."""
    center = [int(np.mean(places)) for places in np.nonzero(mask)]
    return np.roll(mask, [size // 2 - at for size, at in zip(mask.shape, center, strict=True)], (0, 1))


def test_images_with_one_object_each_stay_images(tmp_path: Path) -> None:
    files = {f"s{n}/{name}": in_the_middle(mask) for n, t in enumerate(T) for name, mask in files_of(t, 1).items()}
    results = evaluate_dataset(*Layout(files, files).write(tmp_path), metrics=["pq"], check=False)
    assert len(results.images) == len(files)


def numbered_anew(labels: np.ndarray, order: int) -> dict[str, np.ndarray]:
    """A file of each object, numbered in another order; of order 0, without the last two."""
    files = list(files_of(labels, 1).values())
    return {f"{k}.png": mask for k, mask in enumerate(files[::order] if order else files[:-2])}


@pytest.mark.parametrize("folder", ["img{n}/", "img{n}/masks/", "a{n}_"])
@pytest.mark.parametrize("order", [1, -1, 0])
def test_objects_in_files_are_objects_however_they_are_numbered(tmp_path: Path, folder: str, order: int) -> None:
    """Numbers that agree do not make them images: those of truth keep out of each other's way."""
    truth, pred = (
        {folder.format(n=n) + name: mask for n, t in enumerate(T) for name, mask in numbered_anew(t, which).items()}
        for which in (1, order)
    )
    results = evaluate_dataset(*Layout(truth, pred).write(tmp_path), metrics=["pq"])
    assert [image.counts["n_truth"] for image in results.images] == [len(np.unique(t)) - 1 for t in T]
    assert sum(image.counts["fn"] for image in results.images) == (0 if order else 2 * len(T))


def test_numbers_alone_are_objects_of_one_image(tmp_path: Path) -> None:
    sides = [numbered_anew(T[0], order) for order in (1, -1)]
    (image,) = evaluate_dataset(*Layout(*sides).write(tmp_path), metrics=["pq"]).images
    assert image.scores["pq"].value == 1


def test_a_table_beside_masks_of_objects_is_not_the_prediction(tmp_path: Path) -> None:
    """SAM writes one; a folder img0 is an image, and no folder of images."""
    files = {f"img{n}/{name}": mask for n, t in enumerate(T) for name, mask in numbered_anew(t, 1).items()}
    truth, pred = Layout(files, files).write(tmp_path)
    for n in range(len(T)):
        (Path(pred) / f"img{n}" / "metadata.csv").write_text("id,area\n0,12\n")
    assert {image.counts["fn"] for image in evaluate_dataset(truth, pred, metrics=["pq"]).images} == {0}


def test_two_models_of_known_names_in_one_folder_are_ambiguous(tmp_path: Path) -> None:
    places = Layout(lay({"{n}.tif": T}), lay({"{n}_cellpose.tif": P, "{n}_stardist.tif": T})).write(tmp_path)
    with pytest.raises(Ambiguous, match="instead of"):
        evaluate_dataset(*places)


def test_the_reason_is_told_where_nothing_could_be_scored(tmp_path: Path) -> None:
    code, text = said(tmp_path, Layout(lay({"{n}.tif": T}), lay({"{n}.tif": [p[::2, ::2] for p in P]})))
    assert code == 1
    assert "must have the same shape" in text
    assert "metric must be" not in text


def test_zeros_behind_other_points() -> None:
    assert partners(["dose0p5_1", "dose1p5_1"], ["dose0p05_1", "dose1p05_1"]) == {}
    assert partners(["dose 0,5", "dose 1,5"], ["dose 0,05", "dose 1,05"]) == {}
