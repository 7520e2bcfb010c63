"""Folders that no list foresaw: odd names, links, leftovers, plates, annotators, checkpoints."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from zoo import FLOWS, NAMES, NUMBERS, PHOTO, PRED, RAW, TRUTH, Layout, Writer, lay, npz

T, P, R = TRUTH, PRED, RAW
PLAIN = lay({"{n}.tif": T})
UMLAUTS = ("Zelle_\u00e41", "Zelle_\u00f62", "Zelle_\u00fc3")
DECOMPOSED = tuple(unicodedata.normalize("NFD", name) for name in UMLAUTS)
SEVERAL = "must hold one file for each image; 2 of them would be 'wells_000'"
NO_NAME = "has the name of a truth image"


def link(to: str) -> Writer:
    return lambda path: path.symlink_to(to)


def movie(path: Path) -> None:
    tifffile.imwrite(path, np.stack(T), imagej=True, metadata={"axes": "TYX"})


def painted(labels: Any) -> Any:
    """Ten colours, again and again, as pictures for people have them."""
    table = np.array([[255, 0, 0], [0, 0, 255], [255, 255, 0], [255, 0, 255], [0, 128, 0], [75, 0, 130], [255, 140, 0],
                      [0, 255, 255], [255, 192, 203], [154, 205, 50]])  # fmt: skip
    return np.where(labels[..., None] > 0, table[labels % 10], 0).astype(np.uint8)


def in_turn(pattern: str, images: list[Any], *words: Any) -> dict[str, Any]:
    """A name for each image, made of words of its own: {n} and {w}."""
    return {pattern.format(n=n, w=w): image for n, image, w in zip(NAMES, images, words, strict=True)}


APART = [np.kron(np.arange(1, 31).reshape(5, 6), np.pad(np.ones((8, 8), int), 4)).astype(np.uint16) for _ in range(3)]

ODD_ZOO: dict[str, Layout] = {
    "suffixes in capitals": Layout(lay({"{n}.TIF": T}), lay({"{n}.Png": P})),
    "words in capitals": Layout(lay({"{n}_LABEL.TIFF": T}), lay({"{n}_Pred.TIF": P})),
    "spaces": Layout(lay({"my cells {n}.tif": T}, NUMBERS), lay({"my cells {n} masks.tif": P}, NUMBERS)),
    "letters with signs, as a Mac writes them": Layout(lay({"{n}.tif": T}, UMLAUTS), lay({"{n}.tif": P}, DECOMPOSED)),
    "letters with signs, in folders": Layout(lay({"{n}/gt.tif": T}, UMLAUTS), lay({"{n}_pred.tif": P}, DECOMPOSED)),
    "other scripts": Layout(
        lay({"\u7d30\u80de_{n}.tif": T}, NUMBERS), lay({"\u7d30\u80de_{n}_\u4e88\u6e2c.tif": P}, NUMBERS)
    ),
    "brackets": Layout(lay({"a[{n}].tif": T}, NUMBERS), lay({"a[{n}]_pred.tif": P}, NUMBERS)),
    "dots": Layout(lay({"s.{n}.x20.tif": T}, NUMBERS), lay({"s.{n}.x20.pred.tif": P}, NUMBERS)),
    "a space or none": Layout(lay({"Image {n}.tif": T}, NUMBERS), lay({"Image{n}.tif": P}, NUMBERS)),
    "other separators": Layout(lay({"gt-a-{n}.tif": T}, NUMBERS), lay({"pred_a_{n}.tif": P}, NUMBERS)),
    "role words inside of names": Layout(
        lay({"mask_of_zorro_{n}.tif": T}, NUMBERS), lay({"mask_of_zorro_{n}_pred.tif": P}, NUMBERS)
    ),
    "fields of wells": Layout(lay({"A01_f{n}.tif": T}, NUMBERS), lay({"A01_f{n}_pred.tif": P}, ("01", "02", "03"))),
    "a version": Layout(lay({"img00{n}.tif": T}, NUMBERS), lay({"img00{n}_seg_v2_final.tif": P}, NUMBERS)),
    "a magnification": Layout(lay({"{n}_20x.tif": T}), lay({"{n}_20x_out.tif": P})),
    "a checkpoint": Layout(PLAIN, lay({"{n}_epoch20.tif": P})),
    "the best of some": Layout(PLAIN, lay({"{n}_best.tif": P})),
    "a model in folder and name": Layout(lay({"gt/{n}_gt.tif": T}), lay({"unet/{n}_unet.tif": P})),
    "a channel in the name": Layout(lay({"{n}_ch0.tif": T}), lay({"{n}.tif": P})),
    "named the other way": Layout(lay({"{n}_pred.tif": T}), lay({"{n}_gt.tif": P})),
    "times": Layout(PLAIN, in_turn("{n}_2024010{w}_10111{w}.tif", P, 1, 2, 3)),
    "dates in front": Layout(in_turn("2024-01-0{w}_{n}.tif", T, 1, 2, 3), lay({"{n}_mask.tif": P})),
    "hashes in front": Layout(PLAIN, in_turn("{w}-{n}.tif", P, "3fa9c1", "77ab02", "c0ffee")),
    "splits on both sides": Layout(
        {"test/a.tif": T[0], "val/a.tif": T[1], "train/a.tif": T[2]},
        {"test/a.tif": P[0], "val/a.tif": P[1], "train/a.tif": P[2]},
    ),
    "splits, and words": Layout(
        {"test/masks/a.tif": T[0], "val/masks/a.tif": T[1], "train/masks/b.tif": T[2]},
        {"test/a_pred.tif": P[0], "val/a_pred.tif": P[1], "train/b_pred.tif": P[2]},
    ),
    "a split on one side": Layout(lay({"test/{n}.tif": T}), lay({"{n}.tif": P})),
    "labels below a split": Layout(lay({"test/labels/{n}.tif": T, "test/images/{n}.tif": R}), lay({"{n}.tif": P})),
    "folds": Layout(PLAIN, in_turn("fold_{w}/{n}.tif", P, 0, 1, 2)),
    "patients with spaces": Layout(
        {"Patient 1/slice 1.tif": T[0], "Patient 1/slice 2.tif": T[1], "Patient 2/slice 1.tif": T[2]},
        {"Patient 1/slice 1_seg.tif": P[0], "Patient 1/slice 2_seg.tif": P[1], "Patient 2/slice 1_seg.tif": P[2]},
    ),
    "plates that became part of names": Layout(
        {"plate1/A01.tif": T[0], "plate1/A02.tif": T[1], "plate2/A01.tif": T[2]},
        {"plate1_A01.tif": P[0], "plate1_A02.tif": P[1], "plate2_A01.tif": P[2]},
    ),
    "patients that became part of names": Layout(
        {"P1/a.tif": T[0], "P2/b.tif": T[1], "P3/c.tif": T[2]}, {"P1 a.tif": P[0], "P2 b.tif": P[1], "P3 c.tif": P[2]}
    ),
    "one folder for each image": Layout(
        lay({"{n}/image.tif": R, "{n}/label.tif": T}), lay({"{n}/image.tif": R, "{n}/output.tif": P})
    ),
    "nuclei and cells in folders": Layout(
        lay({"nuclei/{n}.tif": T, "cells/{n}.tif": P}), lay({"nuclei/{n}.tif": P, "cells/{n}.tif": T}),
        ([*T, *P], [*P, *T]),
    ),
    "mixed formats": Layout(
        {"a.tif": T[0], "b.png": T[1], "c.npy": T[2], "metadata.csv": "a,b\n1,2\n", "README.md": "x"},
        {"a.png": P[0], "b.tif": P[1], "c.tif": P[2], "metrics.csv": "image,dice\na,0.3\n", "log.txt": "epoch 1\n",
         "config.yaml": "x", "model.pt": b"x", "logs/events.out.tfevents": b"x"},
    ),
    "hidden files and backups": Layout(
        lay({"{n}.tif": T, ".{n}.tif": R, "{n}.tif~": b"x", "{n}.tif.bak": b"x"}),
        lay({"{n}.tif": P, ".ipynb_checkpoints/{n}-checkpoint.tif": R}),
    ),
    "copies of a file manager": Layout(
        PLAIN,
        {**lay({"{n}.tif": P}), "wells_000 (1).tif": R[0], "wells_001 - Copy.tif": R[1], "wells_002 copy.tif": R[2]},
    ),
    "links to files": Layout(
        PLAIN, {**lay({"../store/{n}_data.tif": P}), **{f"{n}.tif": link(f"../store/{n}_data.tif") for n in NAMES}}
    ),
    "a link to a folder, and one in a circle": Layout(
        PLAIN, {**lay({"../store/{n}.tif": P}), "run": link("../store"), "empty/loop": link("..")}
    ),
    "a link to nothing": Layout(PLAIN, {**lay({"{n}.tif": P}), "x.tif": link("nowhere")}),
    "pictures beside": Layout(
        PLAIN, lay({"{n}_pred.png": P, "{n}_vis.png": PHOTO, "{n}_prob.npy": FLOWS, "{n}_contours.png": PHOTO})
    ),
    "pictures beside, and probabilities": Layout(
        PLAIN, lay({"{n}.png": P, "{n}_vis.png": PHOTO, "{n}_softmax.npz": npz(softmax=FLOWS)})
    ),
    "older runs below": Layout(PLAIN, lay({"{n}.tif": P, "old/{n}.tif": R})),
    "Cellpose masks of OME-TIFF": Layout(lay({"{n}.ome.tiff": T}), lay({"{n}.ome_cp_masks.tif": P})),
    "a movie against frames": Layout({"stack.tif": movie}, lay({"stack_t00{n}.tif": P}, ("0", "1", "2"))),
    "a movie against numbers": Layout({"stack.tif": movie}, lay({"frame_{n}.tif": P}, ("0", "1", "2"))),
    "checkpoints in folders": Layout(PLAIN, lay({"epoch_10/{n}.tif": R, "epoch_20/{n}.tif": P}), needs=SEVERAL),
    "checkpoints in names": Layout(PLAIN, lay({"{n}_epoch10.tif": R, "{n}_epoch20.tif": P}), needs=NO_NAME),
    "annotators in folders": Layout(
        lay({"annotator_1/{n}.tif": T, "annotator_2/{n}.tif": R}), lay({"{n}.tif": P}), needs=SEVERAL
    ),
    "annotators in names": Layout(lay({"{n}_annot1.tif": T, "{n}_annot2.tif": R}), lay({"{n}.tif": P}), needs=NO_NAME),
    "truths with numbers": Layout(lay({"{n}_GT1.tif": T, "{n}_GT2.tif": R}), lay({"{n}_pred.tif": P}), needs=NO_NAME),
    "versions of truth": Layout(
        lay({"labels_v1/{n}.tif": R, "labels_v2/{n}.tif": T}), lay({"{n}.tif": P}), needs=SEVERAL
    ),
    "two models in folders with brackets": Layout(
        PLAIN, lay({"run [final]/{n}.tif": P, "run [old]/{n}.tif": R}), needs=SEVERAL
    ),
    "two channels in names": Layout(lay({"{n}_ch0.tif": T, "{n}_ch1.tif": R}), lay({"{n}.tif": P}), needs=NO_NAME),
    "images and labels of one name": Layout(PLAIN, lay({"{n}.tif": R, "{n}.png": P}), needs=SEVERAL),
    "nuclei against cells": Layout(
        lay({"{n}_nuclei.tif": T}), lay({"{n}_cells.tif": P}), needs="(nuclei are not cells)"
    ),
    "nuclei against cells, in front": Layout(
        lay({"nuclei_{n}.tif": T}), lay({"cells_{n}.tif": P}), needs=NO_NAME
    ),
    "nuclei against cells, in folders": Layout(
        lay({"nuclei/{n}.tif": T}), lay({"cells/{n}.tif": P}), needs="(nuclei are not cells)"
    ),
    "pictures for people": Layout(
        lay({"{n}.tif": APART}), lay({"{n}.png": [painted(p) for p in APART]}), (APART, APART),
        needs="fewer colours than objects",
    ),
}  # fmt: skip

ODD_AND_UNKNOWN: dict[str, Layout] = {
    "numbers in folds": Layout(
        lay({"{n}.tif": T}, NUMBERS), {f"fold_{k}/{k + 1}.tif": p for k, p in enumerate(P)}, needs=NO_NAME
    ),
    "numbers of which the last is no object": Layout(
        {"1_1.tif": T[0], "1_2.tif": T[1], "2_1.tif": T[2]}, {"1.tif": P[0], "2.tif": P[1]}, needs=NO_NAME
    ),
}  # fmt: skip
"""Refused: somebody must write a table of pairs."""
