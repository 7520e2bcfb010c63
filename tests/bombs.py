"""Small files that want to become large, or never end."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import tifffile

GIGABYTE = 10**9


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def zeros(count: int) -> bytes:
    """Zeros, packed, without making them."""
    packer, parts = zlib.compressobj(9), []
    block = bytes(1 << 24)
    for _ in range(count // len(block)):
        parts.append(packer.compress(block))
    return b"".join([*parts, packer.compress(bytes(count % len(block))), packer.flush()])


def palette_png(path: Path) -> None:
    """One bit a pixel in the file, a byte in memory: 70,000 x 70,000."""
    side = 70_000
    header = struct.pack(">IIBBBBB", side, side, 1, 3, 0, 0, 0)
    body = [(b"IHDR", header), (b"PLTE", bytes(6)), (b"IDAT", zeros((side // 8 + 1) * side)), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*part) for part in body))


def nrrd(path: Path) -> None:
    """Claims 64 x 64 pixels and unpacks to a gigabyte."""
    head = b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 64 64\nencoding: gzip\n\n"
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb") as packed:
        for _ in range(64):
            packed.write(bytes(1 << 24))
    path.write_bytes(head + file.getvalue())


def zlib_tiff(path: Path) -> None:
    """A strip that unpacks to a gigabyte, for 64 x 64 pixels."""
    data = zeros(GIGABYTE)
    tags = [(256, 3, 1, 64), (257, 3, 1, 64), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, 0),
            (277, 3, 1, 1), (278, 3, 1, 64), (279, 4, 1, len(data))]  # fmt: skip
    start = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(struct.pack("<HHII", c, k, n, start if c == 273 else v) for c, k, n, v in tags)
    path.write_bytes(b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4) + data)


def hdf5(path: Path) -> None:
    """A chunk that unpacks to a gigabyte, for 64 x 64 pixels."""
    import h5py

    with h5py.File(path, "w") as file:
        data = file.create_dataset("labels", (64, 64), "u1", chunks=(64, 64), compression="gzip")
        data.id.write_direct_chunk((0, 0), zeros(GIGABYTE))


def zarr(path: Path) -> None:
    """A chunk of zstd that unpacks to a gigabyte, for 64 x 64 pixels."""
    import numcodecs
    import zarr

    array = zarr.create_array(
        str(path), shape=(64, 64), chunks=(64, 64), dtype="u1", compressors=zarr.codecs.ZstdCodec(), fill_value=7
    )
    array[...] = 0
    big = numcodecs.Zstd().encode(np.zeros(2**31 - 2**20, np.uint8))
    (path / "c" / "0" / "0").write_bytes(bytes(big))


def circle_of_pages(path: Path) -> None:
    """A TIFF whose last page is followed by its first."""
    file = io.BytesIO()
    tifffile.imwrite(file, np.zeros((3, 8, 8), np.uint8), photometric="minisblack", compression="zlib")
    data = bytearray(file.getvalue())
    first = struct.unpack("<I", data[4:8])[0]
    at = first
    while True:
        (count,) = struct.unpack_from("<H", data, at)
        (following,) = struct.unpack_from("<I", data, at + 2 + 12 * count)
        if not following:
            struct.pack_into("<I", data, at + 2 + 12 * count, first)
            break
        at = following
    path.write_bytes(bytes(data))


def empty_axis_npy(path: Path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<u2", "fortran_order": False, "shape": (2**40, 0, 4, 6)})
    path.write_bytes(head.getvalue())


def many_corners(path: Path, corners: int = 10**6) -> None:
    """One outline that goes up and down a million times."""
    x = np.linspace(0, 80, corners)
    ring = np.stack([x, np.where(np.arange(corners) % 2, 1.0, 59.0)], axis=1).round(4).tolist()
    feature = {"geometry": {"type": "Polygon", "coordinates": [ring]}, "properties": {"objectType": "cell"}}
    path.write_text(json.dumps({"features": [feature]}))
