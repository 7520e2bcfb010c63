"""A corpus of bad files: each gives one clear line, the run goes on, nothing is executed, memory stays bounded."""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import tifffile
from PIL import Image

from softpq import evaluate_dataset
from softpq.io import ReadError, read_labels
from softpq.synthetic import cells

LABELS = cells((60, 80), 20, seed=2).truth.astype(np.uint16)


class Payload:
    """What an attacker puts into a pickle."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return os.system, (f"touch '{self.mark}'",)


def cut_tiff(path: Path, mark: Path) -> None:
    tifffile.imwrite(path, np.random.default_rng(0).integers(0, 9, (200, 200)), compression="zlib")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def cut_png(path: Path, mark: Path) -> None:
    Image.fromarray(LABELS).save(path)
    path.write_bytes(path.read_bytes()[:200])


def cut_npy(path: Path, mark: Path) -> None:
    np.save(path, LABELS)
    path.write_bytes(path.read_bytes()[:500])


def huge_png(path: Path, mark: Path) -> None:
    """Claims 10^9 pixels in a hundred bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 40_000, 25_000, 16, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def zip_bomb(path: Path, mark: Path) -> None:
    """An archive of a few hundred kilobytes whose array claims 80 GB."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<i8", "fortran_order": False, "shape": (10_000_000_000,)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("masks.npy", head.getvalue() + b"\0" * 1_000_000)


def huge_npy(path: Path, mark: Path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<i8", "fortran_order": False, "shape": (100_000, 1_000_000)})
    path.write_bytes(head.getvalue() + b"\0" * 64)


def payload_npy(path: Path, mark: Path) -> None:
    np.save(path, np.array([Payload(mark)], dtype=object), allow_pickle=True)


def payload_seg(path: Path, mark: Path) -> None:
    np.save(path, {"masks": LABELS, "evil": Payload(mark)}, allow_pickle=True)


def payload_in_dtype(path: Path, mark: Path) -> None:
    """A pickle that calls eval by way of a function that NumPy offers."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "|O", "fortran_order": False, "shape": ()})
    code = f"__import__('os').system('touch {mark}')"
    path.write_bytes(head.getvalue() + b"cbuiltins\neval\n(V" + code.encode() + b"\ntR.")


def fractions(path: Path, mark: Path) -> None:
    tifffile.imwrite(path, np.random.default_rng(0).random((60, 80), np.float32))


def nans(path: Path, mark: Path) -> None:
    np.save(path, np.where(LABELS > 3, np.nan, LABELS))


def other_shape(path: Path, mark: Path) -> None:
    tifffile.imwrite(path, LABELS[:50])


def photograph(path: Path, mark: Path) -> None:
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (60, 80, 3), dtype=np.uint8)).save(path)


def binary_mask(path: Path, mark: Path) -> None:
    Image.fromarray(np.where(LABELS > 0, 255, 0).astype(np.uint8)).save(path)


def negative(path: Path, mark: Path) -> None:
    tifffile.imwrite(path, LABELS.astype(np.int32) - 5)


def folder_with_the_name_of_a_file(path: Path, mark: Path) -> None:
    path.mkdir()


def link_to_itself(path: Path, mark: Path) -> None:
    path.symlink_to(path)


def nonsense(path: Path, mark: Path) -> None:
    path.write_bytes(np.random.default_rng(1).bytes(3000))


def cut_mat(path: Path, mark: Path) -> None:
    scipy.io.savemat(path, {"inst_map": LABELS})
    path.write_bytes(path.read_bytes()[:500])


def empty_mat(path: Path, mark: Path) -> None:
    scipy.io.savemat(path, {"text": "hello"})


CORPUS = {
    "cut.tif": (cut_tiff, "cannot be read as TIFF"),
    "cut.png": (cut_png, "cannot be read as PNG"),
    "cut.npy": (cut_npy, "cut short"),
    "huge.png": (huge_png, "cannot hold 40000 x 25000 pixels"),
    "bomb.npz": (zip_bomb, "cannot be read as NPZ|claims"),
    "huge.npy": (huge_npy, "cut short"),
    "pickle.npy": (payload_npy, "not safe to read: it asks for posix.system"),
    "evil_seg.npy": (payload_seg, "not safe to read: it asks for posix.system"),
    "eval_seg.npy": (payload_in_dtype, "not safe to read: it asks for builtins.eval"),
    "fractions.tif": (fractions, "holds fractions: a probability map"),
    "nan.npy": (nans, "holds NaN or infinite values, not labels"),
    "shape.tif": (other_shape, r"same shape; got \(60, 80\) and \(50, 80\)"),
    "photo.png": (photograph, "looks like a colour photograph"),
    "binary.png": (binary_mask, "looks like a binary mask"),
    "negative.tif": (negative, "must not hold negative labels"),
    "folder.tif": (folder_with_the_name_of_a_file, "is a folder, not an image"),
    "loop.tif": (link_to_itself, "symbolic links|Symlink|loop"),
    "nonsense.tif": (nonsense, "cannot be read as TIFF"),
    "nonsense.h5": (nonsense, "cannot be read as HDF5"),
    "nonsense.nrrd": (nonsense, "cannot be read as NRRD"),
    "nonsense.nii": (nonsense, "cannot be read as NIfTI"),
    "nonsense.geojson": (nonsense, "cannot be read as GeoJSON"),
    "nonsense.bmp": (nonsense, "cannot be read as BMP"),
    "nonsense.mat": (nonsense, "format that is not known"),
    "cut.mat": (cut_mat, "cannot be read as MATLAB: it is cut short"),
    "empty.mat": (empty_mat, "holds no inst_map, say which array as file.mat:NAME; there are none"),
    "broken.zarr": (lambda p, m: (p.mkdir(), (p / ".zarray").write_text("{")), "cannot be read as Zarr"),
    "unknown.xyz": (nonsense, "not known"),
    "x" * 240 + ".tif": (cut_tiff, "cannot be read as TIFF"),
}


@pytest.fixture
def dataset(tmp_path: Path) -> tuple[Path, Path]:
    truth, pred = tmp_path / "truth", tmp_path / "pred"
    for folder in (truth, pred):
        folder.mkdir()
        for name in ("good_1", "good_2"):
            tifffile.imwrite(folder / f"{name}.tif", LABELS)
    return truth, pred


@pytest.mark.parametrize("name", [name for name in CORPUS if not name.startswith("unknown")])
def test_one_bad_file_gives_one_line_and_the_rest_is_scored(dataset: tuple[Path, Path], name: str) -> None:
    truth, pred = dataset
    write, message = CORPUS[name]
    mark = truth.parent / "executed"
    stem = name.removesuffix(".tif").split(".")[0]
    tifffile.imwrite(truth / f"{stem}.tif", LABELS)
    write(pred / name, mark)
    results = evaluate_dataset(truth, pred)
    assert [image.name for image in results.images] == ["good_1", "good_2"]
    assert len(results.failures) == 1
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(results.failures[0].reason)
    assert "\n" not in results.failures[0].reason
    assert not mark.exists()


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    nonsense(tmp_path / "a.xyz", tmp_path)
    with pytest.raises(ReadError, match="not known"):
        read_labels(tmp_path / "a.xyz")


def test_the_payload_would_work_with_a_careless_reader(tmp_path: Path) -> None:
    """So that the tests above prove something."""
    payload_seg(tmp_path / "a_seg.npy", tmp_path / "executed")
    np.load(tmp_path / "a_seg.npy", allow_pickle=True)
    assert (tmp_path / "executed").exists()


def test_the_careful_reader_makes_no_other_objects(tmp_path: Path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "|O", "fortran_order": False, "shape": ()})
    for content in (pickle.dumps(Path("x")), pickle.dumps({1}), b"garbage", pickle.dumps({"masks": "text"})):
        (tmp_path / "a_seg.npy").write_bytes(head.getvalue() + content)
        with pytest.raises(ReadError):
            read_labels(tmp_path / "a_seg.npy")


def test_names_of_any_bytes(tmp_path: Path) -> None:
    for folder in ("truth", "pred"):
        (tmp_path / folder).mkdir()
        for name in (b"caf\xe9.tif", "Zelle_ü_🦠.tif".encode(), b"<img src=x onerror=1>.tif"):
            path = os.fsdecode(bytes(tmp_path / folder) + b"/" + name)
            Path(path).write_bytes(_tiff_bytes())
    results = evaluate_dataset(tmp_path / "truth", tmp_path / "pred")
    assert len(results.images) == 3
    results.to_csv(tmp_path / "out.csv")
    results.to_json(tmp_path / "out.json")


def _tiff_bytes() -> bytes:
    file = io.BytesIO()
    tifffile.imwrite(file, LABELS)
    return file.getvalue()


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="holds no label images"):
        evaluate_dataset(tmp_path, tmp_path)
    with pytest.raises(ReadError, match="does not exist"):
        evaluate_dataset(tmp_path / "nowhere", tmp_path)
