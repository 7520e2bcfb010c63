"""What a Zarr store may hold, looked at before anything is decoded: plain numbers, known codecs, regular files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from softpq.errors import ReadError
from softpq.io.format import check_regular, printable

CODECS = (
    "bytes", "transpose", "endian", "sharding_indexed", "blosc", "zlib", "gzip", "zstd", "lz4", "bz2", "lzma", "delta",
    "shuffle", "bitround", "fixedscaleoffset", "quantize", "packbits", "astype", "crc32", "crc32c", "adler32",
    "fletcher32", "jenkins_lookup3", "pcodec",
)  # fmt: skip
"""Codecs of numbers. Others are of objects, and one of them, pickle, runs what a chunk says."""

_DESCRIBED = (".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json")
MOST_FOLDERS = 10_000


def check_files(store: Path) -> None:
    """Refuse a store whose descriptions are pipes or devices; folders of chunks are not entered.

    Raises
    ------
    ReadError
        With the name of the file.
    """
    waiting, seen = [store], 0
    while waiting and seen < MOST_FOLDERS:
        folder, seen = waiting.pop(), seen + 1
        for name in _DESCRIBED:
            _check_file(folder / name)
        if not _is_array(folder):
            waiting += [below for below in folder.iterdir() if below.is_dir()]


def _check_file(path: Path) -> None:
    try:
        check_regular(path)
    except FileNotFoundError:
        return
    except ReadError as error:
        raise ReadError(f"cannot be read as Zarr: {printable(path.name)} {error}") from error


def _is_array(folder: Path) -> bool:
    if (folder / ".zarray").exists():
        return True
    try:
        with (folder / "zarr.json").open("rb") as file:
            return b'"array"' in file.read(1 << 16)
    except FileNotFoundError:
        return False


def check_array(array: Any) -> None:
    """Refuse arrays of anything but numbers, and codecs that are not known to be harmless.

    Raises
    ------
    ReadError
        With the type or the codec.
    """
    if array.dtype.kind not in "biuf":
        raise ReadError(f"holds {array.dtype}, not labels")
    for name in _codecs(array.metadata):
        if name not in CODECS:
            raise ReadError(f"cannot be read as Zarr: its codec {printable(name[:40])} is not one of numbers")


def _codecs(metadata: Any) -> Iterator[str]:
    """Names of all codecs, those inside of shards included."""
    if hasattr(metadata, "codecs"):
        yield from _names(metadata.codecs)
        return
    for codec in (*(metadata.filters or ()), metadata.compressor):
        if codec is not None:
            yield str(codec.codec_id)


def _names(codecs: Iterable[Any]) -> Iterator[str]:
    for codec in codecs:
        yield str(codec.to_dict()["name"]).removeprefix("numcodecs.")
        yield from _names(getattr(codec, "codecs", ()))
        yield from _names(getattr(codec, "index_codecs", ()))
