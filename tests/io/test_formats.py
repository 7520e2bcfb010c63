"""Readers: every format is written by its own library and read back; what is no label image is explained."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from softpq.io import ReadError, images_in, read_labels
from softpq.io.formats import SUFFIXES, format_of, split_inner
from softpq.io.formats.geojson import Polygons
from softpq.synthetic import cells

LABELS = cells((60, 80), 20, seed=2).truth
VOLUME = cells((6, 40, 50), 12, seed=2).truth


def write_palette(path: Path) -> None:
    image = Image.fromarray(LABELS.astype(np.uint8), "L").convert("P")
    image.putdata(LABELS.ravel().tolist())
    image.putpalette([(7 * k) % 256 for k in range(768)])
    image.save(path)


def write_colours(path: Path) -> None:
    ids = LABELS.astype(np.uint32) * 1000
    Image.fromarray(np.stack([ids % 256, ids // 256 % 256, ids // 65536], axis=-1).astype(np.uint8)).save(path)


def write_nifti(path: Path) -> None:
    import nibabel

    nibabel.save(nibabel.Nifti1Image(VOLUME.astype(np.int16).T, np.eye(4)), path)  # x, y, z


def write_nrrd(path: Path) -> None:
    import nrrd

    nrrd.write(str(path), VOLUME, index_order="C")


def write_hdf5(path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file["raw"] = np.zeros((4, 4))
        file.create_dataset("label", data=VOLUME, compression="gzip")


def write_zarr(path: Path, version: int) -> None:
    import zarr

    store = zarr.open(str(path), mode="w", shape=VOLUME.shape, chunks=(3, 20, 20), dtype="i4", zarr_format=version)
    store[...] = VOLUME


def write_ome_zarr(path: Path) -> None:
    import zarr

    group = zarr.open_group(str(path), mode="w", zarr_format=2)
    for level, data in enumerate((VOLUME, VOLUME[:, ::2, ::2])):
        group.create_array(str(level), shape=data.shape, dtype=data.dtype)[...] = data
    group.attrs["multiscales"] = [{"datasets": [{"path": "0"}, {"path": "1"}]}]


def write_seg(path: Path) -> None:
    np.save(path, {"masks": LABELS, "outlines": LABELS * 0, "flows": [np.zeros((2, 3), np.float32)], "diam": 3.0})


WRITERS = {
    "plain.tif": (lambda p: tifffile.imwrite(p, LABELS), LABELS),
    "zlib.tif": (lambda p: tifffile.imwrite(p, LABELS, compression="zlib"), LABELS),
    "lzw.tiff": (lambda p: tifffile.imwrite(p, LABELS.astype(np.uint16), compression="lzw"), LABELS),
    "big.tif": (lambda p: tifffile.imwrite(p, LABELS, bigtiff=True), LABELS),
    "stack.tif": (
        lambda p: tifffile.imwrite(p, VOLUME.astype(np.uint16), imagej=True, metadata={"axes": "ZYX"}),
        VOLUME,
    ),
    "ome.ome.tif": (lambda p: tifffile.imwrite(p, VOLUME, ome=True, metadata={"axes": "ZYX"}), VOLUME),
    "tiled.tif": (lambda p: tifffile.imwrite(p, LABELS, tile=(16, 16)), LABELS),
    "eight.png": (lambda p: Image.fromarray(LABELS.astype(np.uint8)).save(p), LABELS),
    "sixteen.png": (lambda p: Image.fromarray(LABELS.astype(np.uint16) * 300).save(p), LABELS * 300),
    "palette.png": (write_palette, LABELS),
    "colours.png": (write_colours, LABELS * 1000),
    "array.npy": (lambda p: np.save(p, VOLUME), VOLUME),
    "archive.npz": (lambda p: np.savez_compressed(p, masks=LABELS, other=LABELS * 0), LABELS),
    "volume.nii": (write_nifti, VOLUME),
    "volume.nii.gz": (write_nifti, VOLUME),
    "volume.nrrd": (write_nrrd, VOLUME),
    "volume.h5": (write_hdf5, VOLUME),
    "two.zarr": (lambda p: write_zarr(p, 2), VOLUME),
    "three.zarr": (lambda p: write_zarr(p, 3), VOLUME),
    "pyramid.zarr": (write_ome_zarr, VOLUME),
    "cell_seg.npy": (write_seg, LABELS),
}


@pytest.mark.parametrize("name", list(WRITERS))
def test_what_was_written_is_read(name: str, tmp_path: Path) -> None:
    write, expected = WRITERS[name]
    write(tmp_path / name)
    assert np.array_equal(read_labels(tmp_path / name), expected)


def test_content_decides_when_the_suffix_lies(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "really_a_tiff.png", LABELS)
    assert np.array_equal(read_labels(tmp_path / "really_a_tiff.png"), LABELS)
    np.save(tmp_path / "x.npy", LABELS)
    (tmp_path / "x.npy").rename(tmp_path / "an_array.tif")
    assert format_of(tmp_path / "an_array.tif").name == "NPY"


def test_what_is_inside_can_be_named(tmp_path: Path) -> None:
    write_hdf5(tmp_path / "a.h5")
    assert np.array_equal(read_labels(f"{tmp_path}/a.h5:label"), VOLUME)
    with pytest.raises(ReadError, match=r"holds no dataset 'nothing'; there are .*label"):
        read_labels(f"{tmp_path}/a.h5:nothing")
    np.savez(tmp_path / "a.npz", one=LABELS, two=LABELS + 1)
    assert read_labels(f"{tmp_path}/a.npz:two").min() == 1
    with pytest.raises(ReadError, match="several arrays, say which"):
        read_labels(tmp_path / "a.npz")
    assert split_inner("a/b.zarr:0")[1] == "0"
    assert split_inner("C:/a.tif")[1] is None


def test_run_length_tables(tmp_path: Path) -> None:
    """Kaggle counts down the columns, from 1."""
    table = "ImageId,EncodedPixels,Height,Width\na,1 3 7 1,3,4\na,8 2,3,4\nb,,2,2\n"
    (tmp_path / "runs.csv").write_text(table)
    first, second = images_in(tmp_path / "runs.csv")
    assert first.read().labels.masks((3, 4)).to_labels().tolist() == [[1, 0, 1, 0], [1, 0, 2, 0], [1, 0, 2, 0]]
    assert second.read().labels.masks((2, 2)).to_labels().tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ReadError, match="beyond the end"):
        first.read().labels.__class__(["5 100"], None).masks((3, 4))
    (tmp_path / "other.csv").write_text("name,value\n1,2\n")
    with pytest.raises(ReadError, match="needs columns ImageId and EncodedPixels"):
        images_in(tmp_path / "other.csv")


def test_polygons_are_drawn_by_pixel_centre(tmp_path: Path) -> None:
    square = [[0.6, 0.4], [3.4, 0.4], [3.4, 2.6], [0.6, 2.6], [0.6, 0.4]]
    hole = [[1.5, 1.0], [2.5, 1.0], [2.5, 2.0], [1.5, 2.0], [1.5, 1.0]]
    features = [
        {"geometry": {"type": "Polygon", "coordinates": [square, hole]}, "properties": {"objectType": "cell"}},
        {"geometry": {"type": "Point", "coordinates": [0, 0]}, "properties": {"objectType": "annotation"}},
        {"geometry": {"type": "Polygon", "coordinates": [square]}, "properties": {"objectType": "annotation"}},
    ]
    (tmp_path / "a.geojson").write_text(json.dumps({"features": features}))
    polygons = images_in(tmp_path / "a.geojson")[0].read().labels
    assert isinstance(polygons, Polygons)
    assert polygons.masks((4, 5)).to_labels().tolist() == [
        [0, 1, 1, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
    ]


def test_pannuke_stacks(tmp_path: Path) -> None:
    stack = np.zeros((2, 4, 4, 6))
    stack[0, 0, :2, 0], stack[0, 3, :2, 0], stack[0, 2, 2:, 3] = 5, 9, 5
    np.save(tmp_path / "masks.npy", stack)
    first, second = images_in(tmp_path / "masks.npy")
    assert first.read().labels[[0, 3, 2], [0, 0, 3]].tolist() == [1, 2, 3]
    assert first.read().classes == {1: "neoplastic", 2: "neoplastic", 3: "dead"}
    assert second.read().labels.max() == 0


@pytest.mark.parametrize("suffix", sorted(set(SUFFIXES) - {".txt"}))  # an empty text is an image without objects
def test_an_empty_file_is_said_to_be_empty(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"a{suffix}").write_bytes(b"")
    with pytest.raises(ReadError, match="is empty"):
        read_labels(tmp_path / f"a{suffix}")


def test_extras_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(b"x" * 400))
    monkeypatch.setitem(__import__("sys").modules, "nibabel", None)
    with pytest.raises(ReadError, match=r"Reading \.nii needs an extra: pip install 'softpq\[nifti\]'\."):
        read_labels(tmp_path / "a.nii.gz")
