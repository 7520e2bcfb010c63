"""Codes of classes and numbers, containers with several arrays, outlines in texts, ovals: by content, and not more."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from commands import call
from hypothesis import given
from hypothesis import strategies as st
from zoo import PRED, TRUTH, h5, write
from zoo_codes import drawn_ovals, nucls, outlines, ovals, street, zarr_store
from zoo_formats import BP, PB, SHAPE

from softpq import evaluate, evaluate_dataset
from softpq.errors import ReadError
from softpq.io import images_in, read_labels
from softpq.io.formats.cellpose_outlines import is_outlines
from softpq.io.formats.imagej_roi import _oval
from softpq.table.codes import codes_in
from softpq.table.mask_pictures import as_labels_if_plain, cover_of
from softpq.table.masks import Masks

LABELS = TRUTH[0]


@pytest.mark.parametrize("factor", [256, 1000])
def test_codes_are_refused_behind_every_door(factor: int) -> None:
    codes = street(LABELS, factor)
    with pytest.raises(ValueError, match=f"truth must hold one label per object; it looks like class x {factor}"):
        evaluate(codes, codes)
    assert evaluate(codes, codes, check=False)["pq"] == 1


@pytest.mark.parametrize(
    "ids",
    [
        np.arange(1, 3000),
        np.arange(1, 3000, 7),
        np.r_[1:40, 1001:1040, 2001:2030],  # tiles whose labels begin with 1000, 2000
        256 * np.arange(1, 40),  # 8 bits that were made 16
        np.r_[256, 512, 770, 900],
        np.random.default_rng(0).choice(60_000, 300, replace=False) + 1,
    ],
)
def test_labels_are_not_taken_for_codes(ids: np.ndarray) -> None:
    full = np.resize(ids, (64, 64))
    assert codes_in(full, np.unique(full).astype(np.uint64)) is None


def test_codes_on_background_are_objects() -> None:
    codes = np.where(LABELS > 0, street(LABELS, 256), 0)
    assert codes_in(codes, np.unique(codes)[1:].astype(np.uint64)) is None


def test_nucls_knows_classes_and_the_field_of_view(tmp_path: Path) -> None:
    write(tmp_path / "a.png", nucls(LABELS))
    found = images_in(tmp_path / "a.png")[0].read()
    assert len(np.unique(found.labels)) == len(np.unique(LABELS[6:]))  # type: ignore[arg-type]
    assert np.array_equal(found.labels != 0, (LABELS != 0) & (np.arange(96) >= 6)[:, None])
    assert found.void is not None
    assert found.void[:6].all()
    assert not found.void[6:].any()
    assert found.classes is not None
    assert set(found.classes.values()) == {"1", "2", "3"}


def test_colours_without_a_field_of_view_are_ids(tmp_path: Path) -> None:
    colours = nucls(LABELS)
    colours[colours[..., 0] == 253] = 0
    write(tmp_path / "a.png", colours)
    found = images_in(tmp_path / "a.png")[0].read()
    assert found.classes is None
    assert found.void is None


def test_frames_of_yeaz_are_images_by_number(tmp_path: Path) -> None:
    write(tmp_path / "m.h5", h5(FOV0__T0=TRUTH[0], FOV0__T10=TRUTH[1], FOV0__T2=TRUTH[2]))
    images = images_in(tmp_path / "m.h5")
    assert [image.name for image in images] == ["m_t000", "m_t002", "m_t010"]
    for image, labels in zip(images, (TRUTH[0], TRUTH[2], TRUTH[1]), strict=True):
        assert np.array_equal(image.read().labels, labels)
        assert np.array_equal(image.open_parts()[slice(0, 96), slice(0, 96)], labels)
    assert np.array_equal(read_labels(f"{tmp_path}/m.h5:FOV0/T2"), TRUTH[2])
    assert len(images_in(f"{tmp_path}/m.h5:FOV0")) == 3
    write(tmp_path / "n.h5", h5(A__T0=TRUTH[0], B__T0=TRUTH[1]))
    assert [image.name for image in images_in(tmp_path / "n.h5")] == ["n_A_t000", "n_B_t000"]


def test_sparse_frames_are_not_paired_by_their_order(tmp_path: Path) -> None:
    write(tmp_path / "t.h5", h5(T0=TRUTH[0], T1=TRUTH[1], T10=TRUTH[2]))
    write(tmp_path / "p.h5", h5(T0=PRED[0], T1=PRED[1], T2=PRED[2]))
    results = evaluate_dataset(tmp_path / "t.h5", tmp_path / "p.h5", metrics=["pq"])
    assert [failure.name for failure in results.failures] == ["010"]


@pytest.mark.parametrize("writer", [h5, zarr_store])
def test_several_arrays_are_refused_with_their_names(tmp_path: Path, writer: object) -> None:
    place = tmp_path / f"a.{'h5' if writer is h5 else 'zarr'}"
    write(place, writer(one=LABELS, two=LABELS))  # type: ignore[operator]
    with pytest.raises(ReadError, match=r"say which as \w+\.\w+:NAME; there are one, two"):
        images_in(place)[0].read()
    assert np.array_equal(read_labels(f"{place}:two"), LABELS)
    fitting = evaluate_dataset(f"{tmp_path}/*{place.suffix}:one", f"{tmp_path}/*{place.suffix}:two", metrics=["pq"])
    assert fitting.images[0].name == "a"


def test_outlines_hold_the_pixels_of_objects(tmp_path: Path) -> None:
    (tmp_path / "a_cp_outlines.txt").write_text(outlines(PB[0]))
    assert np.array_equal(read_labels(tmp_path / "a_cp_outlines.txt", SHAPE), BP[0])


@pytest.mark.parametrize("text", ["1,120,33,20\n", "0.5,0.5,0.6\n", "label,area\n1,2\n", "3,4,9,9,3,9\n", "1,1,1,2\n"])
def test_other_texts_are_no_outlines(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert not is_outlines(tmp_path / "a.txt")


@pytest.mark.parametrize("line", ["1,2,3", "1,2,x,4,5,6", "-1,2,3,4,5,6", "99999999999,1,2,2,3,3"])
def test_broken_outlines_name_the_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.txt").write_text(outlines(PB[0]) + line + "\n")
    with pytest.raises(ReadError, match=f"in whole pixels; line {len(PB[0]) + 1} is something else"):
        images_in(tmp_path / "a.txt")[0].read()


@given(*[st.floats(0, 9).map(lambda x: round(4 * x) / 4)] * 2, *[st.floats(1, 12).map(lambda x: round(4 * x) / 4)] * 2)
def test_ovals_are_filled_by_the_centres_of_pixels(left: float, top: float, width: float, height: float) -> None:
    y, x = np.mgrid[:24, :24] + 0.5
    a, b = width / 2, height / 2
    inside = ((x - left - a) / a) ** 2 + ((y - top - b) / b) ** 2 <= 1 + 1e-12
    ring = _oval(left, top, width, height)
    drawn = cover_of(Masks.from_polygons([[ring]], (24, 24))) if len(ring) else np.zeros((24, 24), bool)
    surely = ((x - left - a) / a) ** 2 + ((y - top - b) / b) ** 2 <= 1 - 1e-12
    assert (surely <= drawn).all()
    assert (drawn <= inside).all()


def test_rois_of_imagej_that_are_no_areas_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.zip", ovals(PB[0], kind=10))
    with pytest.raises(ReadError, match=r"holds 0000.roi, which is a line or a point and no area"):
        images_in(tmp_path / "a.zip")[0].read()
    write(tmp_path / "b.zip", ovals(PB[0]))
    found = images_in(tmp_path / "b.zip")[0].read().labels
    assert np.array_equal(as_labels_if_plain(found.masks(SHAPE)), drawn_ovals(PB[0]))  # type: ignore[union-attr]
    with zipfile.ZipFile(tmp_path / "c.zip", "w"):
        pass
    assert not read_labels(tmp_path / "c.zip", (9, 9)).any()


def test_the_label_image_that_was_taken_is_said(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    write(tmp_path / "t" / "a.tif", LABELS)
    write(tmp_path / "p.zarr", zarr_store(labels__cells__0=PRED[0], images__raw__0=TRUTH[1]))
    said = " ".join(call("evaluate", tmp_path / "t", tmp_path / "p.zarr").output.split())
    assert "pred: its only label image, labels/cells, is taken" in said
