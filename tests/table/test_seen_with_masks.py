"""What was seen to go wrong with masks: alike under two labels, empty, beyond all images, or longer than memory."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from commands import call

from softpq import Masks, average_precision, evaluate, evaluate_dataset
from softpq.errors import ReadError
from softpq.io.one_file import read_masks
from softpq.table.class_pairs import classes_of_matches
from softpq.table.matching import match
from softpq.table.overlap import Overlap


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_one_mask_under_several_labels_is_what_it_is_called_by_the_truth(order: tuple[int, ...]) -> None:
    truth = Masks.from_labels([[1, 1, 1, 0]], classes=["cat"])
    pred = Masks.from_stack([[[1, 1, 1, 0]]] * 3, classes=["cat", "dog", "ant"], scores=[0.9, 0.8, 0.7])
    results = evaluate_dataset({"i": truth}, {"i": pred.select(list(order))}, classes="auto")
    assert results.confused() == {"cat": {"cat": 1}}


@pytest.mark.parametrize("seed", range(40))
def test_the_classes_of_matches_do_not_depend_on_the_order(seed: int) -> None:
    """Random scenes in which masks repeat, under other labels, on both sides."""
    rng = np.random.default_rng(seed)
    shapes = rng.uniform(size=(3, 4, 5)) < 0.6
    sides = [
        Masks.from_stack(shapes[rng.integers(0, 3, n)], classes=rng.choice(list("abc"), n))
        for n in rng.integers(1, 7, 2)
    ]

    def found(orders: list[np.ndarray]) -> list[tuple[str, str]]:
        truth, pred = (side.select(order) for side, order in zip(sides, orders, strict=True))
        overlap = Overlap.from_masks(truth, pred, class_agnostic=True)
        names = [
            dict(zip(side.numbers.tolist(), side.classes.tolist(), strict=True))  # type: ignore[union-attr]
            for side in (truth, pred)
        ]
        return classes_of_matches(match(overlap, 0.5), names)

    expected = found([np.arange(len(side)) for side in sides])
    for _ in range(5):
        assert found([rng.permutation(len(side)) for side in sides]) == expected


def test_an_empty_mask_is_no_split_and_no_merge() -> None:
    nothing = np.zeros((1, 1, 6), bool)
    something = nothing.copy()
    something[..., :3] = True
    both, one = Masks.from_stack(np.concatenate([something, nothing])), Masks.from_stack(something)
    gains = evaluate(both, one, check=False).attribution()
    assert all(gain["softpq"] == 0 for gain in gains.values())
    gains = evaluate(one, both, check=False).attribution()
    assert {name for name, gain in gains.items() if gain["softpq"]} == {"ghosts removed"}
    gains = evaluate(Masks.from_stack(nothing), Masks.from_stack(nothing), check=False).attribution()
    assert all(gain["softpq"] == 0 for gain in gains.values())


def labelme(folder: Path, **changes: object) -> Path:
    shape = {"label": "__ignore__", "points": [[0, 0], [9, 0], [9, 9]], "shape_type": "polygon"}
    content = {"shapes": [shape] * 50, "imageHeight": 40, "imageWidth": 60, **changes}
    (folder / "a.json").write_text(json.dumps(content))
    return folder / "a.json"


def test_ignored_shapes_cost_one_image_and_no_more_than_is_allowed(tmp_path: Path) -> None:
    assert len(read_masks(labelme(tmp_path))) == 0
    path = labelme(tmp_path, imageHeight=10**6, imageWidth=10**6)
    done = call("evaluate", path, path, "--memory", "100MB", "--metrics", "pq")
    assert "claims" in done.output


def test_a_side_that_is_longer_than_memory_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shape must have sides of at most 67,108,864 pixels"):
        Masks.from_list([], shape=(10**9, 10**9))
    truth = {"images": [{"id": 7, "height": 2**31, "width": 1}], "categories": [], "annotations": []}
    with pytest.raises(ReadError, match="image 7 must have a height of at most 67,108,864; got 2147483648"):
        average_precision(truth, [])


def test_classes_of_one_side_are_not_asked_for_where_they_do_not_count() -> None:
    masks = Masks.from_labels([[1, 1, 0, 2]])
    found = average_precision([masks.with_(classes=["a", "b"])], [masks.with_(scores=[0.5, 0.4])], class_agnostic=True)
    assert found["AP"] == pytest.approx(1)


def test_boxes_may_be_arrays() -> None:
    truth = {
        "images": [{"id": 1, "height": 9, "width": 9}],
        "categories": [{"id": 1, "name": "x"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "iscrowd": 0, "area": 25, "bbox": [0, 0, 5, 5],
             "segmentation": [[0, 0, 5, 0, 5, 5, 0, 5]]}
        ],
    }  # fmt: skip
    result = {"image_id": 1, "category_id": 1, "score": 0.9, "bbox": np.array([0.0, 0, 5, 5]),
              "segmentation": [[0, 0, 5, 0, 5, 5, 0, 5]]}  # fmt: skip
    for boxes in (False, True):
        assert average_precision(truth, [result], boxes=boxes)["AP50"] == pytest.approx(1)


@pytest.mark.parametrize("corners", [[1e308, 0, -1e308, 0, 0, 1e308], [0, 1e308, 0, -1e308, 5, 5]])
def test_far_corners_are_one_error_and_no_warning(corners: list[float]) -> None:
    truth = {"images": [{"id": 1, "height": 9, "width": 9}], "categories": [{"id": 1, "name": "x"}], "annotations": []}
    result = {"image_id": 1, "category_id": 1, "score": 0.9, "segmentation": [corners]}
    with pytest.raises(ReadError, match="result 0"):  # warnings are errors here
        average_precision(truth, [result])


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": "circle", "cx": 5, "cy": 5, "r": 1e300}, "too far away"),
        ({"name": "circle", "cx": 5, "cy": 5, "r": -3}, "must have a r of at least 0"),
        ({"name": "rect", "x": 1, "y": 1, "width": -3, "height": 2}, "must have a width of at least 0"),
    ],
)
def test_forms_of_via_that_are_none_are_named(tmp_path: Path, form: dict[str, object], said: str) -> None:
    region = {"shape_attributes": form, "region_attributes": {}}
    file = {"a.png": {"filename": "a.png", "size": 1, "regions": [region], "file_attributes": {}}}
    (tmp_path / "v.json").write_text(json.dumps({"_via_img_metadata": file}))
    np.save(tmp_path / "a.npy", np.kron(np.arange(1, 5).reshape(2, 2), np.ones((8, 8), int)))
    done = call("evaluate", tmp_path / "a.npy", tmp_path / "v.json", "--metrics", "pq")
    assert said in " ".join(done.output.split())


def test_an_empty_list_is_one_however_it_is_spaced_and_a_comma_is_no_cut(tmp_path: Path) -> None:
    truth = {"images": [{"id": 1, "height": 9, "width": 9}], "categories": [{"id": 1, "name": "x"}], "annotations": []}
    (tmp_path / "t.json").write_text(json.dumps(truth))
    (tmp_path / "p.json").write_text("[ \n ]\n" + " " * 40)
    assert call("evaluate", tmp_path / "t.json", tmp_path / "p.json", "--metrics", "pq").exit_code == 0
    (tmp_path / "p.json").write_text('[{"image_id": 1, "category_id": 1, "score": 1, "segmentation": []},]')
    assert "cut off" not in call("coco", tmp_path / "t.json", tmp_path / "p.json").output
