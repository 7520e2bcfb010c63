"""Which prediction belongs to which truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tifffile
from made_up import EMPTY

from softpq import evaluate_dataset
from softpq.io import ReadError
from softpq.io.pairing import core_name, pair_up
from softpq.io.sources import open_source


def test_pairing_by_name(tmp_path: Path) -> None:
    for folder, names in {"truth": ("a_gt.png", "b_gt.png"), "pred": ("a_cp_masks.tif", "b_cp_masks.tif")}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            if name.endswith("tif"):
                tifffile.imwrite(tmp_path / folder / name, EMPTY)
            else:
                from PIL import Image

                Image.fromarray(EMPTY.astype(np.uint8)).save(tmp_path / folder / name)
        (tmp_path / folder / "notes.txt").write_text("not an image")
        (tmp_path / folder / ".hidden.tif").write_bytes(b"")
    pairing = pair_up(open_source(tmp_path / "truth"), open_source(tmp_path / "pred"))
    assert [(pair.name, pair.pred.path.name) for pair in pairing.pairs] == [
        ("a", "a_cp_masks.tif"),
        ("b", "b_cp_masks.tif"),
    ]
    tifffile.imwrite(tmp_path / "pred" / "a_pred.tif", EMPTY)
    with pytest.raises(ReadError, match=r"2 of them would be 'a': a_cp_masks.tif, a_pred.tif"):
        pair_up(open_source(tmp_path / "truth"), open_source(tmp_path / "pred"))


@pytest.mark.parametrize(
    "name", ["x_masks", "x_mask", "x_label", "x_labels", "x_gt", "x_pred", "x_cp_masks", "x_seg", "x_MASK", "x"]
)
def test_common_endings(name: str) -> None:
    assert core_name(name) == "x"


def test_globs_name_images_by_what_the_star_stands_for(tmp_path: Path) -> None:
    for plant in ("p1", "p2"):
        (tmp_path / plant).mkdir()
        for name in ("gt", "pred"):
            tifffile.imwrite(tmp_path / plant / f"{name}.tif", EMPTY)
    pairing = pair_up(open_source(f"{tmp_path}/*/gt.tif"), open_source(f"{tmp_path}/*/pred.tif"))
    assert [(pair.name, pair.pred.path.name) for pair in pairing.pairs] == [("p1", "pred.tif"), ("p2", "pred.tif")]
    for same in (f"{tmp_path}/./*/gt.tif", f"{tmp_path}/[p]*/gt.tif", f"{tmp_path}/p?/gt.tif"):
        assert len(open_source(same)) == 2
    with pytest.raises(ReadError, match="fits no file"):
        open_source(f"{tmp_path}/*/nothing.tif")


def test_a_movie_that_is_called_a_picture_is_refused_when_it_is_read(tmp_path: Path) -> None:
    movie, one = np.ones((2, 8, 8), np.uint8), np.ones((8, 8), np.uint8)
    for side in ("truth", "pred"):
        (tmp_path / side).mkdir()
        tifffile.imwrite(tmp_path / side / "several.png", movie, imagej=True, metadata={"axes": "TYX"})
        tifffile.imwrite(tmp_path / side / "single.png", one)
    results = evaluate_dataset(tmp_path / "truth", tmp_path / "pred")
    assert [image.name for image in results.images] == ["single"]
    assert "holds 2 images, but has the suffix of a picture; give it that of TIFF" in results.failures[0].reason
