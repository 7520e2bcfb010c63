"""Plain TIFF files are read in one go, and mean what they mean when they are read with care."""

from __future__ import annotations

import struct
from contextlib import suppress

import numpy as np
import pytest
import tifffile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from softpq.errors import ReadError
from softpq.io.format import Place, ReadOptions
from softpq.io.formats.tiff import _read_carefully
from softpq.io.formats.tiff_plain import read_plain

LABELS = np.random.default_rng(0).integers(0, 9, (50, 70)).repeat(3, 1)

PLAIN = {
    "stored": {},
    "zlib": {"compression": "zlib"},
    "LZW": {"compression": "lzw"},
    "zlib, differences": {"compression": "zlib", "predictor": True},
    "strips": {"rowsperstrip": 7},
    "strips, zlib": {"rowsperstrip": 7, "compression": "zlib"},
    "big-endian": {"byteorder": ">"},
    "big-endian, differences": {"byteorder": ">", "compression": "zlib", "predictor": True, "rowsperstrip": 20},
    "resolution": {"resolution": (4, 2), "resolutionunit": "CENTIMETER"},
    "colours": {"photometric": "palette", "colormap": np.zeros((3, 256), np.uint16), "dtype": "u1"},
    "without text": {"metadata": None, "software": False},
}
ODD = {
    "tiles": {"tile": (16, 16)},
    "BigTIFF": {"bigtiff": True},
    "ImageJ": {"imagej": True, "dtype": "u2"},
    "OME": {"ome": True},
    "axes": {"metadata": {"axes": "YX"}},
    "text": {"description": "a picture", "metadata": None},
    "zstd": {"compression": "zstd"},
    "floats": {"dtype": "f4"},
    "a tag of GDAL": {"extratags": [(42113, 2, 2, "0", True)]},
}


def written(path, options, labels=LABELS):
    options = dict(options)
    tifffile.imwrite(path, labels.astype(options.pop("dtype", "u2")), **options)
    return Place(path, stem="a")


def same(found, careful):
    assert found.labels.dtype == careful.labels.dtype
    assert np.array_equal(found.labels, careful.labels)
    assert (found.geometry, found.stated, found.notes) == (careful.geometry, careful.stated, careful.notes)


@pytest.mark.parametrize("options", PLAIN.values(), ids=PLAIN)
def test_plain_files_mean_what_they_mean_when_they_are_read_with_care(tmp_path, options):
    place = written(tmp_path / "a.tif", options)
    found = read_plain(place)
    assert found is not None
    same(found, _read_carefully(place))


@pytest.mark.parametrize("options", ODD.values(), ids=ODD)
def test_odd_files_are_read_with_care(tmp_path, options):
    assert read_plain(written(tmp_path / "a.tif", options)) is None


def test_pages_and_colours_are_read_with_care(tmp_path):
    assert read_plain(written(tmp_path / "a.tif", {}, np.stack([LABELS, LABELS]))) is None
    assert read_plain(written(tmp_path / "a.tif", {"dtype": "u1"}, np.stack([LABELS] * 3, -1))) is None


def test_files_of_pillow_are_plain(tmp_path):
    for compression in (None, "tiff_lzw", "tiff_adobe_deflate"):
        Image.fromarray(LABELS.astype(np.uint16)).save(tmp_path / "a.tif", compression=compression)
        place = Place(tmp_path / "a.tif", stem="a")
        found = read_plain(place)
        assert found is not None
        same(found, _read_carefully(place))


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    dtype=st.sampled_from(["u1", "u2", "u4", "u8", "i2", "i4"]),
    shape=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    compression=st.sampled_from([None, "zlib", "lzw"]),
    predictor=st.booleans(),
    rows=st.integers(1, 50),
    order=st.sampled_from("<>"),
    seed=st.integers(0, 99),
)
def test_pixels_are_those_that_were_written(tmp_path, dtype, shape, compression, predictor, rows, order, seed):
    labels = np.random.default_rng(seed).integers(0, 120, shape).astype(dtype)
    options = {"compression": compression, "rowsperstrip": rows, "byteorder": order, "dtype": dtype}
    if predictor and compression is not None and dtype != "u8":
        options["predictor"] = True
    found = read_plain(written(tmp_path / "a.tif", options, labels))
    assert found is not None
    assert found.labels.dtype == dtype
    assert np.array_equal(found.labels, labels.squeeze())


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 5000), value=st.integers(0, 255), cut=st.integers(0, 5000))
def test_damage_is_left_to_those_who_read_with_care(tmp_path, at, value, cut):
    """Whatever is read in one go is the same as when it is read with care."""
    place = written(tmp_path / "a.tif", {"compression": "zlib", "rowsperstrip": 10})
    data = bytearray(place.path.read_bytes())
    data[at % len(data)] = value
    place.path.write_bytes(data[: len(data) - cut % len(data)] if cut % 3 == 0 else data)
    found = None
    with suppress(ReadError):  # it claims too much
        found = read_plain(place)
    if found is not None:
        with suppress(ReadError):  # of tags that change no pixel
            same(found, _read_carefully(place))


def test_what_claims_too_much_is_refused_before_it_is_unpacked(tmp_path):
    place = written(tmp_path / "a.tif", {"compression": "zlib"}, np.zeros((4000, 4000), int))
    with pytest.raises(ReadError, match="claims 32 MB"):
        read_plain(Place(place.path, options=ReadOptions(limit=1_000_000)))


def test_tags_that_claim_millions_of_values_are_left_to_others(tmp_path):
    place = written(tmp_path / "a.tif", {"rowsperstrip": 1})
    data = bytearray(place.path.read_bytes())
    (start,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, start)
    for k in range(count):
        entry = start + 2 + 12 * k
        if struct.unpack_from("<H", data, entry)[0] == 273:
            struct.pack_into("<I", data, entry + 4, 1 << 30)
    place.path.write_bytes(data)
    assert read_plain(place) is None
