"""Chunks of a Zarr array, looked at before they are unpacked: small ones may claim to be, or become, very large."""

from __future__ import annotations

import math
import re
import stat
from itertools import islice, product
from pathlib import Path
from typing import Any

from softpq.errors import ReadError
from softpq.io.format import Place, printable
from softpq.io.stored import Block

RATIOS = {"gzip": 1032, "zlib": 1032, "bz2": 50_000, "lzma": 10_000}
"""How many times a codec that does not say how much it unpacks to can shrink data."""

MOST_CHUNKS = 1 << 22
"""Of one reading; each is a file."""


def check_chunks(array: Any, block: Block, place: Place) -> None:
    """Refuse chunks of a block that would unpack to more than a chunk has, or is allowed to.

    Raises
    ------
    ReadError
        With the name of the chunk.
    """
    store = getattr(array.store, "root", None)
    stored_in = getattr(array, "shards", None) or array.chunks
    place.check_size(math.prod(stored_in) * array.dtype.itemsize)
    codec = _codec(array)
    if store is None:
        return
    folder = Path(store) / array.path if array.path else Path(store)
    expected = math.prod(stored_in) * array.dtype.itemsize
    ranges = [range(part.start // size, -(-part.stop // size)) for part, size in zip(block, stored_in, strict=True)]
    if math.prod(map(len, ranges)) > MOST_CHUNKS:
        raise ReadError(f"has {math.prod(map(len, ranges))} chunks, which is more than can be looked at")
    for at in product(*ranges):
        key = array.metadata.encode_chunk_key(at)
        _check_chunk(folder / key, codec, expected, place)


def check_claim(array: Any) -> None:
    """Refuse an array that claims far more chunks than its store has files: looking at all of them would not end.

    Raises
    ------
    ReadError
        With how many it claims.
    """
    store = getattr(array.store, "root", None)
    stored_in = getattr(array, "shards", None) or array.chunks
    claimed = math.prod(-(-size // part) for size, part in zip(array.shape, stored_in, strict=True))
    if store is None or claimed <= MOST_CHUNKS:
        return
    wanted = claimed // MOST_ABSENT
    files = (path for path in Path(store).rglob("*") if not path.is_dir())
    if sum(1 for _ in islice(files, wanted)) < wanted:
        raise ReadError(f"claims {claimed} chunks, and stores less than one in {MOST_ABSENT} of them")


MOST_ABSENT = 1000
"""Chunks for each that is stored, in arrays of more than MOST_CHUNKS."""


def _codec(array: Any) -> str:
    """The name of the one codec that compresses chunks; nothing if there is none, or shards hold them.

    Raises
    ------
    ReadError
        If there are several: nobody knows what the first makes of what the second unpacks to.
    """
    if getattr(array, "shards", None):
        return ""
    found = [type(codec).__name__.removesuffix("Codec").lower() for codec in array.compressors]
    packing = [name for name in found if not re.search("crc32|adler32|fletcher32|jenkins", name)]
    if len(packing) > 1:
        raise ReadError(f"packs chunks several times ({', '.join(packing)}); save it with one of these")
    return packing[0] if packing else ""


def _check_chunk(path: Path, codec: str, expected: int, place: Place) -> None:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ReadError(f"cannot be read as Zarr: chunk {printable(path.name)} is no regular file")
        if not codec:
            return
        length = status.st_size
        with path.open("rb") as file:
            head = file.read(18)
    except (FileNotFoundError, NotADirectoryError):
        return  # it stands for the fill value
    declared = _declared(codec, head)
    if declared is not None and declared > 2 * expected + 1024:
        raise ReadError(f"cannot be read as Zarr: chunk {path.name} claims {declared} bytes, a chunk has {expected}")
    if declared is None and length * RATIOS.get(codec, 1) > place.options.limit and length > expected + 1024:
        raise ReadError(f"cannot be read as Zarr: chunk {path.name} could unpack to more memory than allowed")


def _declared(codec: str, head: bytes) -> int | None:
    """Bytes that a chunk says it unpacks to."""
    if codec == "blosc" and len(head) >= 16:
        return int.from_bytes(head[4:8], "little")
    if codec == "lz4" and len(head) >= 4:
        return int.from_bytes(head[:4], "little")
    if codec == "zstd" and head[:4] == b"\x28\xb5\x2f\xfd" and len(head) >= 5:
        return _zstd_size(head)
    return None


def _zstd_size(head: bytes) -> int | None:
    """From the header of a frame: RFC 8878, 3.1.1.1."""
    descriptor = head[4]
    single, width = descriptor >> 5 & 1, (1 if descriptor >> 5 & 1 else 0, 2, 4, 8)[descriptor >> 6]
    start = 5 + (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3]
    if width == 0 or len(head) < start + width:
        return None
    return int.from_bytes(head[start : start + width], "little") + (256 if width == 2 else 0)
