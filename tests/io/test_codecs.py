"""What is read without the library of codecs, and what says that it needs it."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import tifffile
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from softpq import _core
from softpq.io import ReadError, open_stored, read_labels
from softpq.synthetic import cells

imagecodecs = pytest.importorskip("imagecodecs")

PLANE = cells((75, 90), 25, seed=4).truth
VOLUME = cells((7, 40, 50), 15, seed=4).truth

WAYS = {
    "strips": {"rowsperstrip": 16},
    "tiles": {"tile": (32, 16)},
    "with a predictor": {"predictor": True, "rowsperstrip": 20},
    "tiles with a predictor": {"tile": (16, 16), "predictor": True},
    "another byte order": {"byteorder": ">", "predictor": True},
    "large": {"bigtiff": True},
}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("dtype", ["u1", "u2", "i4", "u4", "u8"])
@pytest.mark.parametrize("labels", [PLANE, VOLUME], ids=["plane", "volume"])
def test_lzw_is_read_without_a_library(
    way: str, dtype: str, labels: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if dtype == "u8" and "predictor" in WAYS[way]:
        return  # which nobody writes
    offset = {"u4": 2**32 - 200, "u8": 2**40}.get(dtype, 0)
    image = np.where(labels > 0, labels.astype("u8") + np.uint64(offset), 0).astype(dtype)
    tifffile.imwrite(tmp_path / "a.tif", image, compression="lzw", photometric="minisblack", **WAYS[way])
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    found = read_labels(tmp_path / "a.tif")
    assert found.dtype == np.dtype(dtype)
    assert np.array_equal(found, image)
    stored = open_stored(tmp_path / "a.tif")
    part = tuple(slice(size // 3, size) for size in image.shape)
    assert np.array_equal(stored[part], image[part])


@pytest.mark.parametrize("compression", ["zlib", "adobe_deflate", "lzma", None])
def test_common_compressions_are_read_without_a_library(
    compression: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tifffile.imwrite(tmp_path / "a.tif", PLANE.astype(np.uint32), compression=compression)
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    assert np.array_equal(read_labels(tmp_path / "a.tif"), PLANE)


def test_rare_compressions_name_the_extra(tmp_path: Path) -> None:
    """In a process of its own: tifffile decides when it is imported."""
    tifffile.imwrite(tmp_path / "a.tif", PLANE.astype(np.uint16), compression="jpeg2000")
    code = (
        "import sys; sys.modules['imagecodecs'] = None\n"
        "from softpq.io import *\ntry: read_labels(sys.argv[1])\nexcept ReadError as e: print(e)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.tif")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "is compressed in a way that needs an extra: pip install 'softpq[codecs]'.\n"


@given(st.binary(max_size=6000), st.integers(0, 40))
def test_lzw_gives_back_what_was_packed(data: bytes, repeats: int) -> None:
    whole = data * repeats
    assert _core.lzw_decode(bytes(imagecodecs.lzw_encode(whole)), len(whole)) == whole


@given(st.binary(max_size=400), st.integers(0, 5000))
def test_lzw_of_anything_ends_well(data: bytes, room: int) -> None:
    try:
        assert len(_core.lzw_decode(data, room)) == room
    except ValueError as error:
        assert "LZW" in str(error)  # noqa: PT017  # either is fine


@pytest.mark.parametrize(("bits", "most"), [(1, 1), (2, 3), (4, 15), (8, 255), (16, 65535)])
def test_grey_png_of_all_depths_hold_the_labels_as_they_are(bits: int, most: int, tmp_path: Path) -> None:
    labels = (np.arange(64).reshape(4, 16) * 7919) % (most + 1)
    rows = []
    for row in labels:
        if bits == 16:
            raw = row.astype(">u2").tobytes()
        else:
            text = "".join(f"{value:0{bits}b}" for value in row)
            raw = int(text, 2).to_bytes(len(text) // 8, "big")
        rows.append(b"\0" + raw)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = (16).to_bytes(4, "big") + (4).to_bytes(4, "big") + bytes([bits, 0, 0, 0, 0])
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    assert np.array_equal(read_labels(tmp_path / "a.png"), labels)


def test_png_with_more_channels_is_refused(tmp_path: Path) -> None:
    Image.fromarray(np.stack([PLANE.astype(np.uint8)] * 2, -1), "LA").save(tmp_path / "la.png")
    with pytest.raises(ReadError, match="has 2 channels; a label image has one"):
        read_labels(tmp_path / "la.png")
    (tmp_path / "deep.png").write_bytes(bytes(imagecodecs.png_encode(np.stack([PLANE.astype(np.uint16)] * 3, -1))))
    with pytest.raises(ReadError, match="has colours of 16 bits; a label image has one channel"):
        read_labels(tmp_path / "deep.png")


@pytest.mark.parametrize("options", [{}, {"compression": "zlib"}, {"tile": (16, 16)}, {"bigtiff": True}])
def test_a_tiff_that_is_cut_short_says_so_wherever_it_ends(options: dict, tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.arange(4096, dtype=np.uint16).reshape(64, 64), **options)
    whole = (tmp_path / "a.tif").read_bytes()
    for length in (3, 7, 12, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "b.tif").write_bytes(whole[:length])
        with pytest.raises(ReadError, match=r"cut short|does not begin like one"):
            read_labels(tmp_path / "b.tif")
