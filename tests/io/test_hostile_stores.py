"""Files that claim, point or unpack to more than they are: Zarr stores, movies, outlines and masks inside of text."""

from __future__ import annotations

import base64
import io
import json
import os
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import zarr
from commands import call

import softpq
from softpq.io import images_in
from softpq.io.format import ReadOptions

LABELS = np.kron(np.arange(1, 17).reshape(4, 4), np.ones((8, 8), int)).astype(np.uint16)
LIMIT = ReadOptions(limit=100_000_000)


def store(path: Path, **options: object) -> Path:
    array = zarr.create_array(path, shape=LABELS.shape, chunks=(16, 16), dtype="uint16", **options)
    array[:] = LABELS
    return path


def first_chunk(path: Path) -> Path:
    return next(one for one in sorted(path.rglob("0")) if one.is_file())


def read(path: Path) -> np.ndarray:
    return np.asarray(images_in(path)[0].read(LIMIT).labels)


@pytest.mark.parametrize("codecs", [[{"id": "pickle"}], [{"id": "vlen-utf8"}, {"id": "pickle"}], [{"id": "json2"}]])
@pytest.mark.parametrize("dtype", ["|O", "<u2"])
def test_codecs_that_run_or_make_objects_are_never_asked(
    codecs: list[dict[str, str]], dtype: str, tmp_path: Path
) -> None:
    """A chunk that is a pickle would be run by some versions of numcodecs."""
    folder = tmp_path / "a.zarr"
    folder.mkdir()
    ran = tmp_path / "ran"
    described = {
        "zarr_format": 2, "shape": [4, 4], "chunks": [4, 4], "dtype": dtype, "order": "C", "fill_value": 0,
        "compressor": None, "filters": codecs,
    }  # fmt: skip
    (folder / ".zarray").write_text(json.dumps(described))
    (folder / "0.0").write_bytes(b"cos\nsystem\n(S'touch " + str(ran).encode() + b"'\ntR.")
    with pytest.raises(softpq.ReadError):
        read(folder)
    assert not ran.exists()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_stores_of_numbers_are_read(zarr_format: int, tmp_path: Path) -> None:
    assert np.array_equal(read(store(tmp_path / "a.zarr", zarr_format=zarr_format)), LABELS)


def test_shards_and_checksums_are_read(tmp_path: Path) -> None:
    sums = [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()]
    assert np.array_equal(read(store(tmp_path / "a.zarr", compressors=sums)), LABELS)
    assert np.array_equal(read(store(tmp_path / "b.zarr", shards=(32, 32))), LABELS)


def test_chunks_that_are_packed_twice_are_refused(tmp_path: Path) -> None:
    path = store(tmp_path / "a.zarr", compressors=[zarr.codecs.ZstdCodec(), zarr.codecs.GzipCodec()])
    with pytest.raises(softpq.ReadError, match=r"packs chunks several times \(zstd, gzip\)"):
        read(path)


@pytest.mark.parametrize("what", ["pipe", "device"])
@pytest.mark.parametrize("where", ["chunk", "zarr.json"])
@pytest.mark.parametrize("compressors", ["auto", None])
def test_pipes_and_devices_inside_of_stores_are_refused(
    what: str, where: str, compressors: str | None, tmp_path: Path
) -> None:
    path = store(tmp_path / "a.zarr", compressors=compressors)
    target = first_chunk(path) if where == "chunk" else path / where
    target.unlink()
    os.mkfifo(target) if what == "pipe" else target.symlink_to("/dev/zero")
    with pytest.raises(softpq.ReadError, match="is no regular file"):
        read(path)


def test_arrays_of_countless_chunks_are_refused(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(3000, 3000), chunks=(1, 1), dtype="uint8")
    with pytest.raises(softpq.ReadError, match="claims 9000000 chunks"):
        read(tmp_path / "a.zarr")


def npz_that_claims(path: Path, shape: tuple[int, ...]) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<u2", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("y.npy", head.getvalue())


def test_tiny_files_that_claim_many_images_cost_one(tmp_path: Path) -> None:
    truth, pred = tmp_path / "truth", tmp_path / "pred"
    truth.mkdir(), pred.mkdir()
    for name in "abc":
        np.save(truth / f"{name}.npy", LABELS)
    np.save(pred / "a.npy", LABELS)
    npz_that_claims(pred / "b.npz", (2**31, 1, 1, 2))
    (pred / "c.nrrd").write_bytes(
        b"NRRD0005\ntype: uint16\ndimension: 3\nsizes: 4 4 2000000000\nkinds: space space time\nencoding: raw\n"
        b"endian: little\n\n"
    )
    done = call("evaluate", truth, pred, "--metrics", "pq", "--memory", "1GB")
    said = " ".join(done.output.split())
    assert done.exit_code == 1
    assert "2 could not be scored" in said
    assert "states 2000000000 frames" in said


def roi(kind: int, top: int, left: int, bottom: int, right: int) -> bytes:
    data = bytearray(64)
    data[:4], data[6] = b"Iout", kind
    struct.pack_into(">h", data, 4, 227)
    struct.pack_into(">hhhh", data, 8, top, left, bottom, right)
    return bytes(data)


def test_ovals_need_no_more_memory_than_is_allowed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(200):
            archive.writestr(f"{k}.roi", roi(2, 0, 0, 32000, 32000))
    with pytest.raises(softpq.ReadError, match="100 MB are allowed"):
        images_in(tmp_path / "a.zip")[0].read(LIMIT)


def png_that_claims(width: int, height: int) -> bytes:
    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    packed = zlib.compress(bytes((width // 8 + 1) * height), 9)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", packed) + part(b"IEND", b"")


def test_pictures_inside_of_labelme_files_are_bounded(tmp_path: Path) -> None:
    mask = base64.b64encode(png_that_claims(8000, 8000)).decode()
    shape = {"label": "cell", "shape_type": "mask", "points": [[0, 0], [7999, 7999]], "mask": mask}
    (tmp_path / "a.json").write_text(json.dumps({"shapes": [shape], "imageHeight": 50, "imageWidth": 50}))
    with pytest.raises(softpq.ReadError, match="100 MB are allowed"):
        images_in(tmp_path / "a.json")[0].read(LIMIT)


def test_contours_far_larger_than_the_image_cost_what_the_image_has(tmp_path: Path) -> None:
    ring = [[-9000, -9000], [9000, -9000], [9000, 9000], [-9000, 9000]]
    nuclei = {str(k): {"bbox": [], "centroid": [0, 0], "contour": ring, "type": 1} for k in range(1, 30)}
    (tmp_path / "a.json").write_text(json.dumps({"mag": 40, "nuc": nuclei}))
    masks = images_in(tmp_path / "a.json")[0].read(LIMIT).labels.masks((20, 30))  # type: ignore[union-attr]
    assert masks.areas.tolist() == [600] * 29


def test_the_doctor_has_a_limit_of_memory(tmp_path: Path) -> None:
    for side in ("truth", "pred"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", np.kron(LABELS, np.ones((20, 20), np.uint16)))
    done = call("doctor", tmp_path / "truth", tmp_path / "pred", "--memory", "100kB")
    assert done.exit_code == 1
    assert "100 kB are allowed" in " ".join(done.output.split())


def test_a_pipe_is_no_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    with pytest.raises(ValueError, match="resume must be a file"):
        softpq.evaluate_dataset([LABELS], {"m": [LABELS]}, resume=tmp_path / "log")
