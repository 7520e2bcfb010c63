"""Outlines in files: YOLO, VIA, LabelMe, Segment Anything; bad ones get one line that names the object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coco_scenes import disc, rle

import softpq
from softpq.io import images_in


def read(folder: Path, name: str, content: Any) -> Any:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return images_in(path)[0].read()


def test_yolo_lines_are_fractions_of_an_image_that_others_know(tmp_path: Path) -> None:
    found = read(tmp_path, "a.txt", "0 0 0 0.5 0 0.5 1 0 1\n3 0.5 0 1 0 1 0.5 0.5 0.5\n")
    masks = found.labels.masks((10, 20))
    assert masks.areas.tolist() == [100, 50]
    assert masks.classes.tolist() == ["0", "3"]
    assert masks.scores is None


def test_a_last_odd_number_of_yolo_is_the_score(tmp_path: Path) -> None:
    masks = read(tmp_path, "a.txt", "0 0 0 1 0 1 1 0.75").labels.masks((4, 4))
    assert masks.scores.tolist() == [0.75]


@pytest.mark.parametrize("text", ["17\n0 0 0 1 0 1 1\n", "17 0.9\n0 0 0 1 0 1 1 0.5\n", "0 0 0 1 0 1 1\n17\n"])
def test_a_class_alone_is_an_object_without_pixels(text: str, tmp_path: Path) -> None:
    """As ultralytics writes masks that have no outline."""
    masks = read(tmp_path, "a.txt", text).labels.masks((4, 4))
    assert sorted(masks.areas.tolist())[0] == 0
    assert len(masks) == 2


def test_corners_may_lie_outside_by_what_was_rounded(tmp_path: Path) -> None:
    assert read(tmp_path, "a.txt", "0 -0.0000001 0 1.0000001 0 1 1 0 1").labels.masks((4, 4)).areas.tolist() == [16]


def test_an_empty_yolo_file_has_no_objects(tmp_path: Path) -> None:
    assert len(read(tmp_path, "a.txt", "").labels.masks((4, 4))) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 0.5 0.5 0.2 0.2", "line 1 has a box and no outline"),
        ("0 0.5 0.5 0.2 0.2 0.9", "line 1 has a box and no outline"),
        ("0 0 0 1 0 1 1\n0 0 0 2 0 1 1", "line 2 must have corners from 0 to 1; got 2"),
        ("0 0 0 1 0 1 1\n0 0 0 nan 0 1 1", "line 2 must have corners from 0 to 1"),
        ("0 0 0 1 0 1 1 7", "line 1 must have a score from 0 to 1 at its end; got 7"),
        ("0 0 0 1 0 1 1\n1.5 0 0 1 0 1 1", "line 2 must begin with the number of a class"),
        ("0 0 0 1 0 1 1\nworm 0 0 1 0 1 1", "line 2 must be numbers"),
        ("0 0 0 1 0 1 1\n0 0 0 1 0 1 1 0.5", "a score on all of its lines or on none"),
    ],
)
def test_yolo_lines_that_are_no_outlines_are_named(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(softpq.ReadError, match=message):
        read(tmp_path, "a.txt", text)


def test_text_that_is_no_yolo_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(softpq.ReadError, match="format that is not known"):
        read(tmp_path, "readme.txt", "These are labels of worms.")


def labelme(*shapes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"shapes": list(shapes), "imageHeight": 10, "imageWidth": 20, "imageData": "A" * 1000, **fields}


def shape(form: str, points: Any, label: str = "worm", **fields: Any) -> dict[str, Any]:
    return {"label": label, "points": points, "shape_type": form, "group_id": None, **fields}


def test_shapes_of_one_label_and_group_are_one_object(tmp_path: Path) -> None:
    parts = [shape("rectangle", [[0, 0], [4, 4]], group_id=1), shape("rectangle", [[2, 2], [6, 6]], group_id=1)]
    found = read(tmp_path, "a.json", labelme(*parts, shape("rectangle", [[0, 0], [4, 4]], "egg", group_id=1)))
    assert found.labels.areas.tolist() == [16 + 16 - 4, 16]
    assert found.labels.classes.tolist() == ["worm", "egg"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (labelme(shape("polygon", [[0, 0], [1, 1]])), r"shape 0 \(worm\) must have at least three corners; got 2"),
        (labelme(shape("polygon", [[0, 0], [1, 1], [float("inf"), 2]])), "not a number, or too far away"),
        (labelme(shape("polygon", [["0", 0], [1, 1], [2, 2]])), "must have corners"),
        (labelme(shape("circle", [[0, 0]])), "must have two points"),
        (labelme(shape("star", [[0, 0], [1, 1]])), "is a star, which is not known"),
        (labelme(shape("mask", [[0, 0], [1, 1]], mask="!!")), "must have its mask as a PNG in base64"),
        (labelme(imageHeight="10"), "must have a whole number as imageHeight; got '10'"),
        (labelme(3), "shape 0 must be an object"),
        (json.dumps(labelme())[:-9] + '"shapes" "imageHeight"', "is not JSON"),
    ],
)
def test_labelme_shapes_that_cannot_be_drawn_are_named(content: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(softpq.ReadError, match=message):
        read(tmp_path, "a.json", content)


def via(**attributes: Any) -> dict[str, Any]:
    return {
        "x": {
            "filename": "photos/a.jpg",
            "regions": [{"shape_attributes": attributes, "region_attributes": {"name": "worm"}}],
        }
    }


@pytest.mark.parametrize(
    ("attributes", "area"),
    [
        ({"name": "rect", "x": 1, "y": 2, "width": 3, "height": 4}, 12),
        ({"name": "circle", "cx": 20, "cy": 20, "r": 10}, np.pi * 100),
        ({"name": "ellipse", "cx": 20, "cy": 20, "rx": 10, "ry": 5, "theta": 0.5}, np.pi * 50),
        ({"name": "polygon", "all_points_x": [0, 10, 10, 0], "all_points_y": [0, 0, 10, 10]}, 100),
    ],
)
def test_shapes_of_via_are_drawn(attributes: dict, area: float, tmp_path: Path) -> None:
    masks = read(tmp_path, "a.json", via(**attributes)).labels.masks((40, 40))
    assert masks.areas[0] == pytest.approx(area, rel=0.04)
    assert masks.classes.tolist() == ["worm"]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"name": "polygon", "all_points_x": [1, 2], "all_points_y": [1]}, "region 0 of image a must have as many"),
        ({"name": "circle", "cx": 1, "cy": 1, "r": "3"}, "must have a number as r; got '3'"),
        ({"name": "blob"}, "is a blob, which is not known"),
    ],
)
def test_regions_that_cannot_be_drawn_are_named(attributes: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(softpq.ReadError, match=message):
        read(tmp_path, "a.json", via(**attributes))


def test_one_image_of_segment_anything_has_scores(tmp_path: Path) -> None:
    mask = disc(20, 30, 10, 12, 5)
    annotation = {"segmentation": rle(mask), "predicted_iou": 0.9, "area": int(mask.sum())}
    found = read(tmp_path, "sa_1.json", {"image": {"height": 20, "width": 30}, "annotations": [annotation]})
    assert found.labels.areas.tolist() == [mask.sum()]
    assert found.labels.scores.tolist() == [0.9]
    with pytest.raises(softpq.ReadError, match="must have the size of its image, 20 x 31"):
        read(tmp_path, "sa_2.json", {"image": {"height": 20, "width": 31}, "annotations": [annotation]})


def test_frames_of_segment_anything_are_images(tmp_path: Path) -> None:
    mask = disc(20, 30, 10, 12, 5)
    path = tmp_path / "video.json"
    frames = [[rle(mask), rle(~mask)], [rle(np.zeros_like(mask)), rle(mask)]]
    path.write_text(json.dumps({"masklet": frames, "video_height": 20.0, "video_width": 30.0}))
    images = images_in(path)
    assert [image.name for image in images] == ["video_0000", "video_0001"]
    assert [image.read().labels.areas.tolist() for image in images] == [[mask.sum(), (~mask).sum()], [0, mask.sum()]]


def square(left: int, top: int, size: int) -> list[list[list[int]]]:
    right, bottom = left + size, top + size
    return [[[left, top], [right, top], [right, bottom], [left, bottom], [left, top]]]


def cells_with_nuclei(*corners: tuple[int, int]) -> dict[str, Any]:
    """As QuPath writes cells."""
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"objectType": "cell"},
                "geometry": {"type": "Polygon", "coordinates": square(x, y, 8)},
                "nucleusGeometry": {"type": "Polygon", "coordinates": square(x + 2, y + 2, 4)},
            }
            for x, y in corners
        ],
    }


def test_cells_of_qupath_have_nuclei_that_can_be_asked_for(tmp_path: Path) -> None:
    cells = read(tmp_path, "a.geojson", cells_with_nuclei((0, 0), (20, 20)))
    assert cells.labels.masks((40, 40)).areas.tolist() == [64, 64]
    assert cells.notes == ("its cells have nuclei, which are left out; 'FILE.geojson:nuclei' takes those",)
    nuclei = images_in(f"{tmp_path}/a.geojson:nuclei")[0].read()
    assert nuclei.labels.masks((40, 40)).areas.tolist() == [16, 16]
    assert not nuclei.notes
    named = read(tmp_path, "a_nuclei.geojson", cells_with_nuclei((0, 0)))
    assert named.labels.masks((40, 40)).areas.tolist() == [16]
    with pytest.raises(softpq.ReadError, match="holds cells and nuclei, not walls"):
        images_in(f"{tmp_path}/a.geojson:walls")[0].read()


def test_nuclei_of_a_folder_are_scored_by_a_glob(tmp_path: Path) -> None:
    (tmp_path / "pred").mkdir(), (tmp_path / "truth").mkdir()
    for name in "ab":
        labels = np.zeros((40, 40), np.uint16)
        labels[2:6, 2:6], labels[22:26, 22:26] = 1, 2
        np.save(tmp_path / "truth" / f"{name}.npy", labels)
        (tmp_path / "pred" / f"{name}.geojson").write_text(json.dumps(cells_with_nuclei((0, 0), (20, 20))))
    results = softpq.evaluate_dataset(tmp_path / "truth", f"{tmp_path}/pred/*.geojson:nuclei", metrics=["pq"])
    assert results.pooled(results.models[0]) == {"pq": 1.0}


def test_outlines_beyond_the_image_are_said_or_refused(tmp_path: Path) -> None:
    (tmp_path / "pred").mkdir(), (tmp_path / "truth").mkdir()
    labels = np.zeros((40, 40), np.uint16)
    labels[:8, :8], labels[20:28, 20:28] = 1, 2
    np.save(tmp_path / "truth" / "a.npy", labels)
    inside, outside = [(0, 0), (20, 20)], [(80, 80)]
    for corners, said in (
        (inside + outside, "1 of 3 outlines lie outside"),
        (outside * 3 + inside, "does not fit: 3 of 5"),
    ):
        (tmp_path / "pred" / "a.geojson").write_text(json.dumps(cells_with_nuclei(*corners)))
        results = softpq.evaluate_dataset(tmp_path / "truth", tmp_path / "pred", metrics=["pq"])
        notes = [note for image in results.images for note in image.notes]
        assert said in " ".join([*notes, *(failure.reason for failure in results.failures)])


def test_a_file_of_points_has_no_objects_to_score(tmp_path: Path) -> None:
    point = {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [3, 4]}}
    with pytest.raises(softpq.ReadError, match="holds 2 features, and none of them is a polygon"):
        read(tmp_path, "a.geojson", {"type": "FeatureCollection", "features": [point, point]})
