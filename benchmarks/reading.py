"""What the file boundary costs: honest files read by their bare libraries, and by softpq.

python benchmarks/reading.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import h5py
import nibabel
import numpy as np
import tifffile
import zarr
from PIL import Image

from softpq.io import read_labels
from softpq.synthetic import cells

FILES, REPEATS = 40, 5


def write_hdf5(path: Path, labels: np.ndarray) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("labels", data=labels, compression="gzip", chunks=True)


def read_hdf5(path: Path) -> np.ndarray:
    with h5py.File(path) as file:
        return file["labels"][...]


def write_nifti(path: Path, labels: np.ndarray) -> None:
    nibabel.save(nibabel.Nifti1Image(labels.astype(np.int32), np.eye(4)), path)


KINDS: dict[str, tuple[str, Callable[[Path, np.ndarray], object], Callable[[Path], np.ndarray]]] = {
    "TIFF": (".tif", lambda p, a: tifffile.imwrite(p, a), tifffile.imread),
    "TIFF, zlib": (".tif", lambda p, a: tifffile.imwrite(p, a, compression="zlib"), tifffile.imread),
    "TIFF, LZW": (".tif", lambda p, a: tifffile.imwrite(p, a, compression="lzw"), tifffile.imread),
    "TIFF, JPEG 2000 (child)": (".tif", lambda p, a: tifffile.imwrite(p, a, compression="jpeg2000"), tifffile.imread),
    "PNG": (".png", lambda p, a: Image.fromarray(a).save(p), lambda p: np.asarray(Image.open(p))),
    "NPY": (".npy", lambda p, a: np.save(p, a), np.load),
    "NIfTI, gzip": (".nii.gz", write_nifti, lambda p: np.asanyarray(nibabel.load(p).dataobj)),
    "HDF5 (child)": (".h5", write_hdf5, read_hdf5),
    "Zarr": (".zarr", lambda p, a: zarr.save_array(str(p), a), lambda p: zarr.open(str(p), mode="r")[...]),
}


def best(read: Callable[[Path], np.ndarray], paths: list[Path]) -> float:
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        for path in paths:
            read(path).max()
        times.append(perf_counter() - start)
    return 1e3 * min(times) / len(paths)


def main() -> None:
    print("| files | side | bare library | softpq | ratio |\n| --- | --: | --: | --: | --: |")
    for side, objects in ((256, 60), (1024, 800)):
        labels = cells((side, side), objects, seed=3).truth.astype(np.uint16)
        for name, (suffix, write, read) in KINDS.items():
            with tempfile.TemporaryDirectory() as folder:
                paths = [Path(folder) / f"{k}{suffix}" for k in range(FILES)]
                for path in paths:
                    write(path, labels)
                bare, ours = best(read, paths), best(read_labels, paths)
            print(f"| {name} | {side} | {bare:.2f} ms | {ours:.2f} ms | {ours / bare:.2f} |", flush=True)


if __name__ == "__main__":
    main()
