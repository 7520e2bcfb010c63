"""Honest files of every format, and ways to damage them."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import h5py
import nibabel
import nrrd
import numpy as np
import tifffile
import zarr
from PIL import Image
from zoo import h5
from zoo_codes import holed_zip, nucls, outlines, ovals
from zoo_formats import TB, aperio, cvat, hovernet, mat, mat73, roi_zip, supervisely

from softpq.synthetic import cells

LABELS = cells((40, 52), 12, seed=5).truth.astype(np.uint16)
VOLUME = cells((5, 20, 24), 8, seed=5).truth.astype(np.uint16)


BOXES = [box for box in TB[0] if box[2] <= 52 and box[3] <= 40]


def _geojson() -> bytes:
    rings = [[[[4 * k, 2], [4 * k + 3, 2], [4 * k + 3, 9], [4 * k, 9], [4 * k, 2]]] for k in range(8)]
    features = [
        {"geometry": {"type": "Polygon", "coordinates": one}, "properties": {"objectType": "cell"}} for one in rings
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def _palette() -> Image.Image:
    image = Image.fromarray(LABELS.astype(np.uint8), "L").convert("P")
    image.putpalette([(7 * k) % 256 for k in range(768)])
    return image


def _hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("labels", data=LABELS, chunks=(20, 26), compression="gzip")


def _zarr(path: Path, version: int) -> None:
    array = zarr.create_array(str(path), shape=LABELS.shape, dtype="u2", chunks=(20, 26), zarr_format=version)
    array[...] = LABELS


def _seg(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.array({"masks": LABELS, "flows": [np.zeros(3)]}, object), allow_pickle=True)


def _stack(path: Path) -> None:
    np.save(path, np.stack([np.where(k == LABELS % 5, LABELS, 0) for k in range(6)], -1)[None])


WRITERS: dict[str, Callable[[Path], object]] = {
    "plain.tif": lambda p: tifffile.imwrite(p, LABELS),
    "zlib.tif": lambda p: tifffile.imwrite(p, LABELS, compression="zlib", predictor=True),
    "lzw.tif": lambda p: tifffile.imwrite(p, LABELS, compression="lzw"),
    "tiled.tif": lambda p: tifffile.imwrite(p, LABELS, tile=(16, 16), compression="zlib"),
    "rare.tif": lambda p: tifffile.imwrite(p, LABELS, compression="jpeg2000"),
    "imagej.tif": lambda p: tifffile.imwrite(p, VOLUME, imagej=True, metadata={"axes": "ZYX"}),
    "ome.ome.tif": lambda p: tifffile.imwrite(p, VOLUME, ome=True, metadata={"axes": "ZYX"}),
    "big.tif": lambda p: tifffile.imwrite(p, LABELS, bigtiff=True, compression="zlib"),
    "grey.png": lambda p: Image.fromarray(LABELS).save(p),
    "palette.png": lambda p: _palette().save(p),
    "array.npy": lambda p: np.save(p, LABELS),
    "seg.npy": _seg,
    "stack.npy": _stack,
    "archive.npz": lambda p: np.savez_compressed(p, masks=LABELS),
    "volume.nii": lambda p: nibabel.save(nibabel.Nifti1Image(VOLUME.astype(np.int16), np.eye(4)), p),
    "volume.nii.gz": lambda p: nibabel.save(nibabel.Nifti1Image(VOLUME.astype(np.int16), np.eye(4)), p),
    "raw.nrrd": lambda p: nrrd.write(str(p), VOLUME, {"encoding": "raw"}),
    "packed.nrrd": lambda p: nrrd.write(str(p), VOLUME, {"encoding": "gzip"}),
    "data.h5": _hdf5,
    "two.zarr": lambda p: _zarr(p, 2),
    "three.zarr": lambda p: _zarr(p, 3),
    "runs.csv": lambda p: p.write_text("ImageId,EncodedPixels,Height,Width\na,1 3 7 1,40,52\na,90 12,40,52\n"),
    "cells.geojson": lambda p: p.write_bytes(_geojson()),
    "packed.geojson.gz": lambda p: p.write_bytes(gzip.compress(_geojson())),
    "picture.bmp": lambda p: Image.fromarray(LABELS.astype(np.uint8)).save(p),
    "array.mat": mat(inst_map=LABELS, type_map=LABELS % 3),
    "array73.mat": mat73(inst_map=LABELS, type_map=LABELS % 3),
    "contours.json": lambda p: p.write_text(hovernet(BOXES)),
    "rois.zip": roi_zip(BOXES),
    "regions.xml": lambda p: p.write_text(aperio(BOXES)),
    "shapes.xml": lambda p: p.write_text(cvat({"a.png": BOXES}, LABELS.shape)),
    "figures.json": lambda p: p.write_text(supervisely(BOXES, LABELS.shape)),
    "conic.npy": lambda p: np.save(p, np.stack([LABELS, LABELS % 2 + (LABELS > 0)], -1)[None]),
    "tissue.npz": lambda p: np.savez_compressed(p, y=np.stack([LABELS, LABELS], -1)[None]),
    "ovals.zip": ovals(BOXES),
    "holes.zip": holed_zip(BOXES),
    "outlines.txt": lambda p: p.write_text(outlines(BOXES)),
    "colours.png": lambda p: Image.fromarray(nucls(LABELS)).save(p),
    "frames.h5": h5(FOV0__T0=LABELS, FOV0__T1=LABELS),
    "rows.csv": lambda p: p.write_text("id,annotation,width,height\na,1 3 7 1,52,40\na,90 12,52,40\n"),
}
"""Name -> what writes such a file."""

INTERESTING = (
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    2**63 - 1,
    2**64 - 1,
)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Do one to four of many kinds of damage to bytes."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not found:
            break
        at = rng.randrange(len(found)) if rng.random() < 0.5 else rng.randrange(min(len(found), 256))
        rng.choice((_flip, _set, _cut, _insert, _number, _copy))(found, at, rng)
    return bytes(found)


def _flip(data: bytearray, at: int, rng: random.Random) -> None:
    data[at] ^= 1 << rng.randrange(8)


def _set(data: bytearray, at: int, rng: random.Random) -> None:
    data[at] = rng.choice((0, 0xFF, 0x7F, rng.randrange(256)))


def _cut(data: bytearray, at: int, rng: random.Random) -> None:
    del data[at : at + rng.choice((1, 4, 64, len(data)))]


def _insert(data: bytearray, at: int, rng: random.Random) -> None:
    data[at:at] = rng.randbytes(rng.choice((1, 4, 64)))


def _number(data: bytearray, at: int, rng: random.Random) -> None:
    width = rng.choice((1, 2, 4, 8))
    value = rng.choice(INTERESTING) & (256**width - 1)
    data[at : at + width] = value.to_bytes(width, rng.choice(("little", "big")))  # type: ignore[arg-type]


def _copy(data: bytearray, at: int, rng: random.Random) -> None:
    other, length = rng.randrange(len(data)), rng.choice((4, 16, 128))
    data[at : at + length] = data[other : other + length]


class Corpus:
    """Honest files in a folder, and damaged copies of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, write in WRITERS.items():
            write(folder / name)

    def damage(self, name: str, target: Path, rng: random.Random) -> None:
        """Write a damaged copy; of a store, one of its files is damaged, inside of what is packed now and then."""
        honest = self.folder / name
        if honest.is_dir():
            shutil.copytree(honest, target)
            victim = rng.choice(sorted(path for path in target.rglob("*") if path.is_file()))
            victim.write_bytes(damaged(victim.read_bytes(), rng))
            return
        data = honest.read_bytes()
        if name.endswith(".gz") and rng.random() < 0.5:
            target.write_bytes(gzip.compress(damaged(gzip.decompress(data), rng)))
        else:
            target.write_bytes(damaged(data, rng))


def temporary_corpus() -> tuple[Corpus, tempfile.TemporaryDirectory[str]]:
    holder = tempfile.TemporaryDirectory()
    return Corpus(Path(holder.name)), holder


__all__ = ["LABELS", "VOLUME", "WRITERS", "Corpus", "damaged", "temporary_corpus"]
