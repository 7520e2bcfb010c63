"""Layouts of truth and predictions as tools, data sets and challenges leave them on disk, made up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from PIL import Image

from softpq.synthetic import cells

FATES = {"missed": 0.2, "split": 0.2, "merged": 0.1}
SCENES = [cells((96, 96), 14, seed=k, fates=FATES, ghosts=2) for k in range(3)]
TRUTH = [scene.truth.astype(np.uint16) for scene in SCENES]
PRED = [scene.pred.astype(np.uint16) for scene in SCENES]
RAW = [np.random.default_rng(k).integers(0, 60_000, (96, 96)).astype(np.uint16) for k in range(3)]
FLOWS = np.random.default_rng(0).random((96, 96)).astype(np.float32)
PHOTO = np.random.default_rng(0).integers(0, 255, (96, 96, 3), dtype=np.uint8)
VOLUMES = [cells((6, 40, 40), 10, seed=k, fates=FATES, ghosts=1) for k in range(2)]

Writer = Callable[[Path], object]
NAMES = ("wells_000", "wells_001", "wells_002")


@dataclass(frozen=True)
class Layout:
    """What lies in two folders: path -> an array, a text, or a function that writes it.

    ``needs`` is empty if no command is needed, else a part of the message. ``arrays`` are the images that should be
    scored.
    """

    truth: dict[str, Any]
    pred: dict[str, Any]
    arrays: tuple[list[Any], list[Any]] = (TRUTH, PRED)
    needs: str = ""
    options: tuple[str, ...] = ()
    ignore: int | None = None

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write everything."""
        for place, files in (("truth", self.truth), ("pred", self.pred)):
            for name, what in files.items():
                path = folder / place / name
                path.parent.mkdir(parents=True, exist_ok=True)
                write(path, what)
        return folder / "truth", folder / "pred"


def write(path: Path, what: Any) -> None:
    """Write an array by the suffix of the path, a text, bytes, or whatever a function does."""
    suffix = path.suffix.lower()
    if callable(what):
        what(path)
    elif isinstance(what, bytes):
        path.write_bytes(what)
    elif isinstance(what, str):
        path.write_text(what)
    elif suffix in (".tif", ".tiff"):
        tifffile.imwrite(path, what)
    elif suffix in (".png", ".bmp", ".jpg"):
        narrow = np.asarray(what).astype(np.uint8) if suffix != ".png" and np.asarray(what).dtype != np.uint8 else what
        Image.fromarray(narrow).save(path)
    elif suffix == ".npy":
        np.save(path, what)
    elif path.name.endswith(".nii.gz"):
        import nibabel

        nibabel.save(nibabel.Nifti1Image(np.asarray(what).T.astype(np.int16), np.eye(4)), path)
    else:
        path.write_bytes(b"something else")


def lay(patterns: dict[str, Any], names: tuple[Any, ...] = NAMES) -> dict[str, Any]:
    """Every pattern for every name; a list has one item for each image."""
    return {
        pattern.format(n=name): what[k] if isinstance(what, list) else what
        for pattern, what in patterns.items()
        for k, name in enumerate(names)
    }


T, P, R = TRUTH, PRED, RAW
VT, VP = ([scene.truth.astype(np.uint16) for scene in VOLUMES], [scene.pred.astype(np.uint16) for scene in VOLUMES])


def seg_npy(labels: Any) -> Writer:
    def save(path: Path) -> None:
        np.save(path, {"masks": labels, "flows": [np.zeros(3)]}, allow_pickle=True)  # type: ignore[arg-type]

    return save


def npz(**arrays: Any) -> Writer:
    return lambda path: np.savez_compressed(path, **arrays)


def h5(**datasets: Any) -> Writer:
    def save(path: Path) -> None:
        import h5py

        with h5py.File(path, "w") as file:
            for name, data in datasets.items():
                file[name.replace("__", "/")] = data

    return save


SEG_T, SEG_P = [seg_npy(labels) for labels in T], [seg_npy(labels) for labels in P]
DEBRIS = {"{n}.tif": R, "{n}_seg.npy": SEG_P, "{n}_flows.tif": FLOWS, "{n}_outlines_cp_masks.png": P,
          "{n}_cp_output_cp_masks.png": P, "{n}_flows_cp_masks.tif": FLOWS, "{n}_dP_cp_masks.tif": FLOWS}  # fmt: skip
PAIRS, FOVS, NUMBERS = ("01", "02", "10"), ("fov1", "fov2", "fov3"), ("1", "2", "3")
KIDNEYS = ("human_kidney_01", "human_kidney_02", "human_kidney_03")
PLANTS, HASHES = ("plant001", "plant002", "plant003"), ("a1b2c3", "b2c3d4", "c3d4e5")
PLAIN = lay({"{n}.tif": T})

ZOO: dict[str, Layout] = {
    "Cellpose, clean": Layout(lay({"{n}_masks.tif": T}), lay({"{n}_cp_masks.png": P})),
    "Cellpose, beside its images": Layout(PLAIN, lay({"{n}_cp_masks.png": P, **DEBRIS})),
    "Cellpose, truth beside its images, too": Layout(
        lay({"{n}.tif": R, "{n}_masks.tif": T}), lay({"{n}_cp_masks.tif": P, **DEBRIS})
    ),
    "Cellpose, run inside of a copied data folder": Layout(
        lay({"{n}.tif": R, "{n}_masks.tif": T}), lay({"{n}.tif": R, "{n}_masks.tif": T, "{n}_cp_masks.tif": P})
    ),
    "a model, run inside of a copied truth folder": Layout(PLAIN, lay({"{n}.tif": T, "{n}_cp_masks.tif": P})),
    "Cellpose, both in one folder": Layout(
        lay({"{n}.tif": R, "{n}_masks.tif": T, "{n}_cp_masks.tif": P}),
        lay({"{n}.tif": R, "{n}_masks.tif": T, "{n}_cp_masks.tif": P}),
    ),
    "Cellpose data set": Layout(
        lay({"{n}_img.png": R, "{n}_masks.png": T}, ("000", "001", "002")),
        lay({"{n}_img_cp_masks.png": P}, ("000", "001", "002")),
    ),
    "Cellpose --in_folders": Layout(
        lay({"{n}_masks.tif": T}), lay({"masks/{n}_cp_masks.tif": P, "flows/{n}_flows_cp_masks.tif": FLOWS})
    ),
    "Cellpose GUI": Layout(lay({"{n}_seg.npy": SEG_T, "{n}.tif": R}), lay({"{n}_seg.npy": SEG_P})),
    "Omnipose": Layout(
        lay({"{n}_masks.tif": T}), lay({"masks/{n}_cp_masks.tif": P, "ncolor_masks/{n}_cp_ncolor_masks.png": P})
    ),
    "QuPath Cellpose extension": Layout(
        lay({"{n}_region_0.tif": R, "{n}_region_0_masks.tif": T}), lay({"{n}_region_0_cp_masks.tif": P})
    ),
    "StarDist examples": Layout(lay({"masks/{n}.tif": T, "images/{n}.tif": R}), lay({"{n}.tif": P})),
    "StarDist command line": Layout(PLAIN, lay({"{n}.stardist.tif": P})),
    "StarDist QuPath script": Layout(
        lay({"masks/{n}.svs.tif": T, "images/{n}.svs.tif": R}), lay({"{n}.tif": P})
    ),
    "QuPath label export, instances": Layout(PLAIN, lay({"{n}-labels.png": P})),
    "ImageJ Analyze Particles": Layout(PLAIN, lay({"Count Masks of {n}.tif": P})),
    "MorphoLibJ": Layout(PLAIN, lay({"{n}-lbl.tif": P})),
    "MorphoLibJ watershed": Layout(PLAIN, lay({"{n}-watershed.tif": P})),
    "TrackMate": Layout(PLAIN, lay({"LblImg_{n}.tif": P})),
    "nnU-Net v2": Layout(
        lay({"{n}.nii.gz": VT, "dataset.json": "{}"}, ("case_001", "case_002")),
        lay({"{n}.nii.gz": VP, "{n}.npz": npz(probabilities=FLOWS), "{n}.pkl": "x", "dataset.json": "{}",
             "plans.json": "{}", "predict_from_raw_data_args.json": "{}"}, ("case_001", "case_002")),
        (VT, VP),
    ),
    "nnU-Net, predictions named after the image": Layout(
        lay({"{n}.nii.gz": VT}, ("case_001", "case_002")),
        lay({"{n}_0000.nii.gz": VP}, ("case_001", "case_002")), (VT, VP),
    ),
    "NeurIPS CellSeg": Layout(
        lay({"{n}.tiff": T}, ("cell_00001", "cell_00002", "cell_00003")),
        lay({"{n}_label.tiff": P}, ("cell_00001", "cell_00002", "cell_00003")),
    ),
    "Cell Tracking Challenge, one sequence": Layout(
        lay({"SEG/man_seg{n}.tif": T, "TRA/man_track{n}.tif": T, "TRA/man_track.txt": ""}, ("002", "005", "011")),
        lay({"mask{n}.tif": P, "res_track.txt": ""}, ("002", "005", "011")),
    ),
    "Cell Tracking Challenge, several sequences": Layout(
        {"01_GT/SEG/man_seg002.tif": T[0], "02_GT/SEG/man_seg002.tif": T[1], "02_GT/SEG/man_seg003.tif": T[2]},
        {"01_RES/mask002.tif": P[0], "02_RES/mask002.tif": P[1], "02_RES/mask003.tif": P[2]},
    ),
    "Cell Tracking Challenge, more digits": Layout(
        lay({"man_seg{n}.tif": T}, ("002", "005", "011")), lay({"mask{n}.tif": P}, ("0002", "0005", "0011"))
    ),
    "Cell Tracking Challenge, sparse truth": Layout(
        lay({"SEG/man_seg{n}.tif": T}, ("002", "005", "011")),
        lay({"mask{n}.tif": [*P, P[0], P[1]]}, ("002", "005", "011", "003", "004")),
    ),
    "gt and pred in front": Layout(lay({"gt_{n}.tif": T}), lay({"pred_{n}.tif": P})),
    "GT and result at the end": Layout(lay({"{n}_GT.tif": T}), lay({"{n}_result.tif": P})),
    "CellProfiler": Layout(PLAIN, lay({"{n}_Nuclei.tiff": P, "{n}_overlay.png": PHOTO})),
    "napari": Layout(PLAIN, lay({"{n}_labels.tif": P, "{n}_features.csv": "label,area\n"})),
    "micro-SAM": Layout(PLAIN, lay({"{n}.tif": P})),
    "InstanSeg": Layout(PLAIN, lay({"{n}_instanseg_prediction.tiff": P, "{n}.tif": R, "{n}_overlay.tiff": PHOTO})),
    "Mesmer": Layout(lay({"{n}.tiff": T}, FOVS), lay({"{n}_feature_0.tif": P}, FOVS)),
    "Mesmer, whole cells": Layout(
        lay({"{n}_whole_cell.tiff": T, "{n}_nuclear.tiff": T}, FOVS),
        lay({"{n}_feature_0.tif": P, "{n}_feature_1.tif": P}, FOVS), ([*T, *T], [*P, *P]),
    ),
    "Mesmer, two compartments against one truth": Layout(
        lay({"{n}.tiff": T}, FOVS),
        lay({"{n}_whole_cell.tiff": P, "{n}_nuclear.tiff": R}, FOVS), needs="would be 'fov1'",
    ),
    "BBBC050, three truths": Layout(
        lay({"GroundTruth_QCANet/{n}.tif": T, "GroundTruth_NSN/{n}.tif": R, "GroundTruth_NDN/{n}.tif": R}, NUMBERS),
        lay({"{n}.tif": P}, NUMBERS), needs="would be '1'",
    ),
    "TNBC": Layout(
        lay({"GT_01/01_{n}.png": T, "Slide_01/01_{n}.png": PHOTO}, NUMBERS), lay({"01_{n}.png": P}, NUMBERS)
    ),
    "EmbedSeg": Layout(lay({"masks/{n}.tif": T, "images/{n}.tif": R}),
                       lay({"predictions/{n}.tif": P, "seeds/{n}.tif": R})),
    "DeepBacs": Layout(lay({"target/{n}.tif": T, "source/{n}.tif": R}), lay({"{n}.tif": P})),
    "microbeSEG": Layout(lay({"mask_{n}.tif": T, "img_{n}.tif": R}, PAIRS), lay({"mask_{n}.tif": P}, PAIRS)),
    "NIS3D": Layout(
        {"Zebrafish_1/GroundTruth.tif": T[0], "Zebrafish_1/data.tif": R[0], "MusMusculus_2/gt.tif": T[1],
         "MusMusculus_2/data.tif": R[1]},
        {"Zebrafish_1.tif": P[0], "MusMusculus_2.tif": P[1]}, (T[:2], P[:2]),
    ),
    "Usiigaci": Layout(
        lay({"{n}/instances_ids.png": T, "{n}/raw.tif": R}, ("set1", "set2", "set3")),
        lay({"{n}.png": P}, ("set1", "set2", "set3")),
    ),
    "CVPPP leaves": Layout(
        lay({"A1/{n}_label.png": T, "A1/{n}_rgb.png": PHOTO, "A1/{n}_fg.png": P, "A1/{n}_centers.png": P}, PLANTS),
        lay({"A1/{n}_label.png": P}, PLANTS),
    ),
    "CVPPP leaves, named after the image": Layout(
        lay({"{n}_label.png": T, "{n}_rgb.png": PHOTO}, PLANTS),
        lay({"{n}_rgb.png": P}, PLANTS),
    ),
    "NuInsSeg": Layout(
        lay({"human kidney/label masks modify/{n}.tif": T, "human kidney/tissue images/{n}.png": PHOTO,
             "human kidney/mask binary/{n}.png": P, "human kidney/label masks/{n}.tif": R},
            KIDNEYS),
        lay({"{n}.tif": P}, KIDNEYS), needs="would be 'human_kidney_01'",
    ),
    "YeaZ truth": Layout(lay({"{n}_mask.tif": T, "{n}_im.tif": R}), lay({"{n}.tif": P})),
    "PlantSeg": Layout(
        lay({"{n}.h5": [h5(raw=R[k], label=T[k]) for k in range(3)]}),
        lay({"{n}_prediction_gasp.h5": [h5(segmentation=P[k]) for k in range(3)]}),
    ),
    "ilastik": Layout(
        PLAIN, lay({"{n}_Object Identities.h5": [h5(exported_data=P[k][..., None].astype(np.uint32)) for k in range(3)],
                    "{n}_Probabilities.h5": h5(exported_data=FLOWS), "{n}.tif": R}),
    ),
    "Roboflow names": Layout(
        lay({"{n}_jpg.rf.{n}abcdef0.png": T}, HASHES), lay({"{n}.png": P}, HASHES)
    ),
    "one folder per patient": Layout(
        {"p1/img_1.tif": T[0], "p1/img_2.tif": T[1], "p2/img_1.tif": T[2]},
        {"p1/img_1.tif": P[0], "p1/img_2.tif": P[1], "p2/img_1.tif": P[2]},
    ),
    "plates whose wells have equal names": Layout(
        {"plate1/masks/A01.tif": T[0], "plate2/masks/A01.tif": T[1], "plate2/masks/A02.tif": T[2]},
        {"plate1/A01_pred.tif": P[0], "plate2/A01_pred.tif": P[1], "plate2/A02_pred.tif": P[2]},
    ),
    "one folder per image, gt and pred": Layout(
        lay({"{n}/gt.png": T, "{n}/raw.png": PHOTO}), lay({"{n}/pred.png": P})
    ),
    "leading zeros and capitals": Layout(
        {"Well_A_007.tif": T[0], "Well_A_008.tif": T[1], "Well_B_010.tif": T[2]},
        {"well_a_7.tif": P[0], "well_a_8.tif": P[1], "well_b_10.tif": P[2]},
    ),
    "OME-TIFF against TIFF": Layout(lay({"{n}.ome.tif": T}), lay({"{n}.tif": P})),
    "macOS debris": Layout(
        lay({"{n}.tif": T, "._{n}.tif": b"x", "__MACOSX/._{n}.tif": b"x", ".DS_Store": b"x", "Thumbs.db": b"x"}),
        lay({"{n}.tif": P}),
    ),
    "a tool that no list foresaw": Layout(lay({"{n}.tif": T}), lay({"{n}_zebranet_v3.tif": P})),
    "a tool that no list foresaw, in front": Layout(lay({"gt_{n}.tif": T}), lay({"zebranet_{n}.tif": P})),
    "one accidental exact match": Layout(
        PLAIN, {"wells_000.tif": P[0], "wells_001_cp_masks.tif": P[1], "wells_002_cp_masks.tif": P[2]}
    ),
    "BMP": Layout(lay({"{n}.bmp": T}), lay({"{n}.bmp": P})),
}  # fmt: skip
