"""Formats of tools and data sets: exact against obvious implementations, with classes; bad files are one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from zoo import PRED, TRUTH, write
from zoo_formats import (
    BP,
    PB,
    SHAPE,
    TB,
    aperio,
    consep,
    cvat,
    geojson,
    hovernet,
    mat,
    mat73,
    runs,
    supervisely,
    types,
)

import softpq
from softpq import evaluate_dataset
from softpq.errors import ReadError
from softpq.io import images_in, read_labels
from softpq.io.format import ReadOptions
from softpq.table.mask_pictures import as_labels_if_plain, cover_of

LABELS = TRUTH[0]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["f8", "f4", "i4", "u2", "u1", "i8"])
def test_matlab_arrays_of_all_types(tmp_path: Path, kind: str, packed: bool) -> None:
    others = {"text": "hello", "record": {"x": 1.0}, "cells": np.array([1, "a"], object), "z": np.array([1 + 2j])}
    scipy.io.savemat(tmp_path / "a.mat", {**others, "inst_map": LABELS.astype(kind)}, do_compression=packed)
    assert np.array_equal(read_labels(tmp_path / "a.mat"), LABELS)
    scipy.io.savemat(tmp_path / "b.mat", {"one": LABELS, "two": LABELS.T}, do_compression=packed)
    assert np.array_equal(read_labels(f"{tmp_path}/b.mat:two"), LABELS.T)
    with pytest.raises(ReadError, match=r"holds no inst_map, say which array as file.mat:NAME; there are one, two"):
        read_labels(tmp_path / "b.mat")


@pytest.mark.parametrize("writer", [mat, mat73])
def test_classes_of_matlab_files(tmp_path: Path, writer: object) -> None:
    ids = np.unique(LABELS)[1:]
    expected = {int(label): str(int(kind)) for label, kind in zip(ids, types(ids), strict=True)}
    several = (
        consep(LABELS),
        {"inst_map": LABELS, "type_map": types(LABELS)},
        {"inst_map": LABELS, "inst_uid": ids[::-1, None], "inst_type": types(ids)[::-1, None]},
        {"inst_map": LABELS, "id": ids[:, None], "class": types(ids)[:, None]},
    )
    for arrays in several:
        write(tmp_path / "a.mat", writer(**arrays))  # type: ignore[operator]
        assert images_in(tmp_path / "a.mat")[0].read().classes == expected


def test_what_matlab_packs_is_bounded(tmp_path: Path) -> None:
    scipy.io.savemat(tmp_path / "a.mat", {"inst_map": np.zeros((3000, 3000))}, do_compression=True)
    with pytest.raises(ReadError, match="claims more than"):
        images_in(tmp_path / "a.mat")[0].read(ReadOptions(limit=1_000_000))


def test_version_73_reads_no_other_file(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["inst_map"] = LABELS
    write(tmp_path / "a.mat", mat73(other=LABELS))
    with h5py.File(tmp_path / "a.mat", "r+") as file:
        file["inst_map"] = h5py.ExternalLink("secret.h5", "inst_map")
        file["another"] = LABELS
    with pytest.raises(ReadError, match="holds no inst_map"):
        read_labels(tmp_path / "a.mat")


def contour_of(mask: np.ndarray) -> list[list[int]]:
    """The outline of an upright staircase, through the centres of its outermost pixels."""
    rows = np.flatnonzero(mask.any(1))
    left = [[int(np.flatnonzero(mask[y])[0]), int(y)] for y in rows]
    right = [[int(np.flatnonzero(mask[y])[-1]), int(y)] for y in rows]
    return [*left, *right[::-1]]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=12), st.integers(1, 9))
def test_contours_hold_the_pixels_they_go_through(steps: list[int], width: int) -> None:
    from softpq.io.formats.hovernet import Contours

    mask = np.zeros((20, 40), bool)
    left = 3
    for y, step in enumerate(steps):
        left += min(step, 1)  # neighbours in the outline touch
        mask[y + 2, left : left + width] = True
    drawn = Contours([[np.array(contour_of(mask), float)]]).masks((20, 40))
    assert np.array_equal(cover_of(drawn), mask)


def test_classes_of_outlines(tmp_path: Path) -> None:
    files = {
        "a.geojson": geojson(PB[0]), "a.json": hovernet(PB[0]), "a.xml": aperio(PB[0]), "b.json": supervisely(PB[0]),
        "b.xml": cvat({"a.png": PB[0]}),
    }  # fmt: skip
    names = {"a.geojson": "Tumor", "a.json": "2", "a.xml": "Epithelial", "b.json": "cell", "b.xml": "cell"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        found = images_in(tmp_path / name)[0].read()
        labels = as_labels_if_plain(found.labels.masks(SHAPE))  # type: ignore[union-attr]
        assert np.array_equal(labels != 0, BP[0] != 0), name
        assert len(np.unique(labels)) == len(np.unique(BP[0])), name
        assert found.classes is not None
        assert found.classes[1] == names[name]


def test_scores_by_class_of_qupath_and_hovernet(tmp_path: Path) -> None:
    (tmp_path / "t.geojson").write_text(geojson(PB[0]))
    (tmp_path / "p.geojson").write_text(geojson(PB[0]).replace("Tumor", "Stroma", 3))
    results = evaluate_dataset(tmp_path / "t.geojson", tmp_path / "p.geojson", classes="auto", metrics=["pq"])
    assert results.images[0].classes["Stroma"]["pq"].value == 0
    assert 0 < results.images[0].classes["Tumor"]["pq"].value < 1


@pytest.mark.parametrize(
    "text",
    [
        "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY y '&x;&x;'>]><Annotations><Annotation>&y;",
        "<?xml version='1.0'?><!DOCTYPE a SYSTEM 'file:///etc/passwd'><Annotations><Annotation></Annotation></Annotations>",
    ],
)
def test_entities_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(ReadError, match="not safe to read as Aperio's XML: it has definitions of its own"):
        images_in(tmp_path / "a.xml")[0].read()


@pytest.mark.parametrize("by_rows", [False, True])
def test_runs_go_as_the_header_says(tmp_path: Path, by_rows: bool) -> None:
    head = "id,annotation,width,height" if by_rows else "ImageId,EncodedPixels,Width,Height"
    lines = [f"a,{text},{LABELS.shape[1]},50" for text in runs(LABELS[:50], by_rows)]
    (tmp_path / "a.csv").write_text("\n".join([head, *lines]))
    assert np.array_equal(read_labels(tmp_path / "a.csv") != 0, LABELS[:50] != 0)


def test_tables_of_masks_are_no_objects(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,encoding\na,1 3 7 1\n")
    with pytest.raises(ReadError, match="is a table of masks, not of objects"):
        images_in(tmp_path / "a.csv")


def test_archives_of_other_things_are_no_rois(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", masks=LABELS)
    assert np.array_equal(read_labels(tmp_path / "a.npz"), LABELS)


@pytest.mark.parametrize("change", [{"size": {"height": 0, "width": 9}}, {"objects": 3}, {"size": None}])
def test_broken_annotations_of_supervisely(tmp_path: Path, change: dict) -> None:
    found = json.loads(supervisely(PB[0]))
    (tmp_path / "a.json").write_text(json.dumps(found | change).replace('"objects": 3', '"objects": [3]'))
    with pytest.raises(ReadError):
        images_in(tmp_path / "a.json")[0].read()


def test_objects_in_files_may_overlap_but_not_differ_in_shape(tmp_path: Path) -> None:
    one = np.eye(9, dtype=np.uint8)
    for name, other in (("overlap", np.ones((9, 9), np.uint8)), ("shape", np.ones((9, 8), np.uint8))):
        for file, labels in {"t/a.png": one, "p/a/0.png": one, "p/a/1.png": other}.items():
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            write(tmp_path / name / file, labels)
    results = [
        evaluate_dataset(tmp_path / name / "t", tmp_path / name / "p", metrics=["f1"]) for name in ("overlap", "shape")
    ]
    masks = softpq.Masks.from_stack(np.stack([one, np.ones((9, 9), np.uint8)]))
    assert results[0].pooled("p") == {"f1": softpq.evaluate(one.astype(int), masks, metrics=["f1"])["f1"]}
    assert "must hold masks of one shape" in results[1].failures[0].reason


def test_conic_knows_classes(tmp_path: Path) -> None:
    np.save(tmp_path / "labels.npy", np.stack([np.stack([p, types(p)], -1) for p in PRED]))
    images = images_in(tmp_path / "labels.npy")
    assert [image.name for image in images] == ["labels_0000", "labels_0001", "labels_0002"]
    found = images[1].read()
    assert np.array_equal(found.labels, PRED[1])
    assert found.classes == {int(k): str(int(types(k))) for k in np.unique(PRED[1])[1:]}


def test_two_slices_are_not_taken_for_ids_and_classes(tmp_path: Path) -> None:
    np.save(tmp_path / "volume.npy", np.stack([np.stack([t, np.roll(t, 3)], -1) for t in TRUTH]))
    assert len(images_in(tmp_path / "volume.npy")) == 1


def test_outlines_on_a_slide_are_counted_without_a_canvas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, boxes in (("t", TB[0]), ("p", PB[0])):
        (tmp_path / f"{name}.geojson").write_text(geojson(boxes))
    places, metrics = (tmp_path / "t.geojson", tmp_path / "p.geojson"), ["softpq", "pq", "f1", "aji"]
    drawn = evaluate_dataset(*places, metrics=metrics).pooled("p")
    monkeypatch.setattr("softpq.io.loading.LARGEST_CANVAS", 0)
    assert evaluate_dataset(*places, metrics=metrics).pooled("p") == drawn
    far = [(79_000, 59_000, 79_030, 59_040), *TB[0]]
    for name in "tp":
        (tmp_path / f"{name}.geojson").write_text(geojson(far))
    assert evaluate_dataset(*places, metrics=["pq"]).pooled("p") == {"pq": 1.0}


def test_outlines_that_need_too_much_memory_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.geojson").write_text(geojson([(0, 0, 50, 900_000)] * 50))
    found = images_in(tmp_path / "a.geojson")[0].read(ReadOptions(limit=50_000_000)).labels
    with pytest.raises(ReadError, match="has outlines that cross"):
        found.masks((900_000, 60))  # type: ignore[union-attr]
