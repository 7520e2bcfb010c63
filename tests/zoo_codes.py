"""More of the zoo: codes, containers with several arrays, outlines in texts, and natural images."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from zoo import NAMES, NUMBERS, PHOTO, PRED, RAW, TRUTH, VP, VT, Layout, Writer, h5, lay
from zoo_formats import APART, BP, BT, PB, SHAPE, TB

T, P, R = TRUTH, PRED, RAW


def zarr_store(**arrays: Any) -> Writer:
    """A group of arrays; ``__`` is a group inside."""

    def save(path: Path) -> None:
        import zarr

        group = zarr.open_group(str(path), mode="w")
        for name, data in arrays.items():
            made = group.create_array(name.replace("__", "/"), shape=data.shape, dtype=data.dtype, chunks=data.shape)
            made[...] = data

    return save


def ome_zarr(image: Any, **labels: Any) -> Writer:
    """An image with label images inside, as OME-Zarr 0.4 has them."""

    def save(path: Path) -> None:
        import zarr

        root = zarr.open_group(str(path), mode="w", zarr_format=2)
        scales = [{"version": "0.4", "datasets": [{"path": "0"}], "axes": [{"name": "y"}, {"name": "x"}]}]
        root.create_array("0", shape=image.shape, dtype=image.dtype, chunks=image.shape)[...] = image
        root.attrs["multiscales"] = scales
        inside = root.create_group("labels")
        inside.attrs["labels"] = list(labels)
        for name, data in labels.items():
            group = inside.create_group(name)
            group.create_array("0", shape=data.shape, dtype=data.dtype, chunks=data.shape)[...] = data
            group.attrs["multiscales"], group.attrs["image-label"] = scales, {}

    return save


def street(labels: Any, factor: int) -> Any:
    """Objects of two classes on road and sky: class x factor + number."""
    found = np.where(np.arange(labels.shape[0])[:, None] < labels.shape[0] // 3, 2 * factor, 5 * factor)
    found = np.broadcast_to(found, labels.shape).copy()
    for kind in (0, 1):
        ids = np.unique(labels[(labels > 0) & (labels % 2 == kind)])
        for number, label in enumerate(ids):
            found[labels == label] = (9 + kind) * factor + number
    return found.astype(np.uint16)


def nucls(labels: Any) -> Any:
    """Class in red, G x B the number, 253 the field of view, 0 outside of it."""
    red = np.where(labels > 0, 1 + labels % 3, 253)
    green, blue = np.where(labels > 0, 1 + labels // 200, 1), np.where(labels > 0, 3 + labels % 200, 2)
    found = np.dstack([red, green, blue]).astype(np.uint8)
    found[:6] = 0
    return found


def cut(labels: Any) -> Any:
    return np.where(np.arange(labels.shape[0])[:, None] < 6, 0, labels)


def outlines(boxes: Any) -> str:
    """Every pixel on the edge of every object, one beside the other, in a line."""
    lines = []
    for left, top, right, bottom in boxes:
        down, across = range(top, bottom), range(left, right)
        edge = [(left, y) for y in down] + [(x, bottom - 1) for x in across[1:]]
        edge += [(right - 1, y) for y in down[-2::-1]] + [(x, top) for x in across[-2:0:-1]]
        lines.append(",".join(f"{x},{y}" for x, y in edge))
    return "\n".join(lines) + "\n"


def ellipse_in(box: Any) -> Any:
    """Which pixels of an image ImageJ fills for an oval."""
    left, top, right, bottom = box
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]] + 0.5
    a, b = (right - left) / 2, (bottom - top) / 2
    return ((x - left - a) / a) ** 2 + ((y - top - b) / b) ** 2 <= 1


def ovals(boxes: Any, kind: int = 2) -> Writer:
    """Ovals (2) or rectangles (1), which have no corners."""

    def save(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for k, (left, top, right, bottom) in enumerate(boxes):
                head = b"Iout" + struct.pack(">hBBhhhhH", 227, kind, 0, top, left, bottom, right, 0)
                archive.writestr(f"{k:04d}.roi", head.ljust(128, b"\0"))

    return save


def drawn_ovals(boxes: Any) -> Any:
    labels = np.zeros(SHAPE, np.uint16)
    for label, box in enumerate(boxes, start=1):
        labels[ellipse_in(box)] = label
    return labels


def with_hole(box: tuple[int, int, int, int]) -> bytes:
    """An area with a hole, as ImageJ writes composite ones: moves, lines and ends."""
    left, top, right, bottom = box
    steps: list[float] = []
    for x0, y0, x1, y1 in ((left, top, right, bottom), (left + 2, top + 2, right - 2, bottom - 2)):
        for k, (x, y) in enumerate(((x0, y0), (x1, y0), (x1, y1), (x0, y1))):
            steps += [1.0 if k else 0.0, float(x), float(y)]
        steps.append(4.0)
    head = b"Iout" + struct.pack(">hBBhhhhH", 227, 1, 0, top, left, bottom, right, 0)
    head = head.ljust(36, b"\0") + struct.pack(">i", len(steps))
    return head.ljust(64, b"\0") + struct.pack(f">{len(steps)}f", *steps)


def holed(boxes: Any) -> Any:
    labels = np.zeros(SHAPE, np.uint16)
    for label, (left, top, right, bottom) in enumerate(boxes, start=1):
        labels[top:bottom, left:right] = label
        labels[top + 2 : bottom - 2, left + 2 : right - 2] = 0
    return labels


def holed_zip(boxes: Any) -> Writer:
    def save(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for k, box in enumerate(boxes):
                archive.writestr(f"{k:04d}.roi", with_hole(box))

    return save


def yolo(boxes: Any) -> str:
    lines = []
    for left, top, right, bottom in boxes:
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        lines.append("0 " + " ".join(f"{x / SHAPE[1]:.8f} {y / SHAPE[0]:.8f}" for x, y in corners))
    return "\n".join(lines) + "\n"


def coco(images: dict[str, Any]) -> str:
    records, rows = [], []
    for k, (name, boxes) in enumerate(images.items(), start=1):
        records.append({"id": k, "file_name": name, "height": SHAPE[0], "width": SHAPE[1]})
        for left, top, right, bottom in boxes:
            ring = [left, top, right, top, right, bottom, left, bottom]
            box, area = [left, top, right - left, bottom - top], (right - left) * (bottom - top)
            row = {"id": len(rows) + 1, "image_id": k, "category_id": 1, "segmentation": [ring], "iscrowd": 0}
            rows.append({**row, "area": area, "bbox": box})
    return json.dumps({"images": records, "annotations": rows, "categories": [{"id": 1, "name": "cell"}]})


def labelme(boxes: Any) -> str:
    shapes = [
        {"label": "cell", "points": [[a, b], [c, d]], "shape_type": "rectangle", "group_id": None, "flags": {}}
        for a, b, c, d in boxes
    ]
    return json.dumps(
        {"version": "5", "imagePath": "a.png", "imageHeight": SHAPE[0], "imageWidth": SHAPE[1], "shapes": shapes}
    )


def colours(labels: Any) -> Any:
    """A colour of its own for every object, as CVAT's and VOC's pictures have them."""
    rng = np.random.default_rng(1)
    table = rng.permutation(np.stack(np.meshgrid(*[range(0, 256, 16)] * 3), -1).reshape(-1, 3)[1:])
    return np.where(labels[..., None] > 0, table[labels], 0).astype(np.uint8)


def palette(labels: Any) -> Writer:
    def save(path: Path) -> None:
        image = Image.frombytes("P", labels.shape[::-1], labels.astype(np.uint8).tobytes())
        image.putpalette([(37 * k) % 256 for k in range(768)])
        image.save(path)

    return save


STREETS = ([street(t, 256) for t in T], [street(p, 256) for p in P])
FRAMES = [f"FOV0__T{k}" for k in (0, 1, 10)]
BINARY = [np.where(t > 0, 255, 0).astype(np.uint8) for t in APART]

CODES_ZOO: dict[str, Layout] = {
    "Mapillary Vistas": Layout(
        lay({"instances/{n}.png": STREETS[0], "labels/{n}.png": PHOTO, "images/{n}.jpg": PHOTO}),
        lay({"{n}.png": STREETS[1]}),
        STREETS,
        needs="looks like class x 256 + number",
    ),
    "panoptic codes, class x 1000": Layout(
        lay({"{n}.npy": [street(t, 1000) for t in T]}),
        lay({"{n}.npy": [street(p, 1000) for p in P]}),
        ([street(t, 1000) for t in T], [street(p, 1000) for p in P]),
        needs="looks like class x 1000 + number",
    ),
    "NuCLS": Layout(
        lay({"mask/{n}.png": [nucls(t) for t in T], "rgb/{n}.png": PHOTO, "csv/{n}.csv": "raw_classification\n"}),
        lay({"{n}.png": [cut(p) for p in P]}),
        ([cut(t) for t in T], [cut(p) for p in P]),
    ),
    "YeaZ, both sides": Layout(
        {"m_mask.h5": h5(**dict(zip(FRAMES, T, strict=True)))}, {"m.h5": h5(**dict(zip(FRAMES, P, strict=True)))}
    ),
    "YeaZ against frames": Layout(
        lay({"m_t{n}.tif": T}, ("000", "001", "010")), {"m.h5": h5(**dict(zip(FRAMES, P, strict=True)))}
    ),
    "several datasets in HDF5, one of a usual name": Layout(
        lay({"{n}.h5": [h5(raw=R[k], seeds=R[k], label=T[k]) for k in range(3)]}), lay({"{n}.tif": P})
    ),
    "several datasets in HDF5": Layout(
        lay({"{n}.tif": T}), lay({"{n}.h5": [h5(raw=R[k], cells=P[k]) for k in range(3)]}), needs="say which as",
    ),
    "several arrays in Zarr, one of a usual name": Layout(
        lay({"{n}.tif": T}), lay({"{n}.zarr": [zarr_store(raw=R[k], masks=P[k]) for k in range(3)]})
    ),
    "several arrays in Zarr": Layout(
        lay({"{n}.tif": T}), lay({"{n}.zarr": [zarr_store(raw=R[k], cells=P[k]) for k in range(3)]}),
        needs="say which as",
    ),
    "OME-Zarr": Layout(
        lay({"{n}.ome.zarr": [ome_zarr(R[k], cells=T[k]) for k in range(3)]}),
        lay({"{n}.zarr": [zarr_store(labels=p) for p in P]}),
    ),
    "OME-Zarr, several label images": Layout(
        lay({"{n}.ome.zarr": [ome_zarr(R[k], cells=T[k], nuclei=R[k]) for k in range(3)]}), lay({"{n}.tif": P}),
        needs="say which as",
    ),
    "SpatialData": Layout(
        lay({"{n}.zarr": [zarr_store(images__raw__0=R[k], labels__cells__0=T[k]) for k in range(3)]}),
        lay({"{n}.tif": P}),
    ),
    "Cellpose outlines": Layout(
        lay({"{n}.tif": BT}), lay({"{n}_cp_outlines.txt": [outlines(b) for b in PB]}), (BT, BP)
    ),
    "Cellpose outlines, beside images": Layout(
        lay({"{n}.tif": BT}), lay({"{n}_cp_outlines.txt": [outlines(b) for b in PB], "{n}.tif": PHOTO}), (BT, BP)
    ),
    "Cellpose outlines, beside masks": Layout(
        lay({"{n}_masks.tif": T}), lay({"{n}_cp_outlines.txt": outlines(PB[0]), "{n}.tif": R, "{n}_cp_masks.tif": P})
    ),
    "ImageJ ovals": Layout(
        lay({"{n}.tif": BT}), lay({"{n}_RoiSet.zip": [ovals(b) for b in PB]}), (BT, [drawn_ovals(b) for b in PB])
    ),
    "ImageJ rectangles": Layout(lay({"{n}.tif": BT}), lay({"{n}.zip": [ovals(b, 1) for b in PB]}), (BT, BP)),
    "ImageJ areas with holes": Layout(
        lay({"{n}.tif": BT}), lay({"{n}.zip": [holed_zip(b) for b in PB]}), (BT, [holed(b) for b in PB])
    ),
    "YOLO": Layout(
        lay({"{n}.tif": BT}), lay({"labels/{n}.txt": [yolo(b) for b in PB], "images/{n}.png": PHOTO}), (BT, BP)
    ),
    "YOLO, beside images": Layout(
        lay({"{n}.tif": BT}), lay({"{n}.txt": [yolo(b) for b in PB], "{n}.png": PHOTO, "classes.txt": "cell\n"}),
        (BT, BP),
    ),
    "COCO": Layout(
        {"annotations/instances_val2017.json": coco({f"{n}.jpg": b for n, b in zip(NAMES, TB, strict=True)})},
        lay({"{n}.png": BP}), (BT, BP),
    ),
    "Roboflow COCO": Layout(
        {"test/_annotations.coco.json": coco({f"{n}_jpg.rf.0a1b2c3d.jpg": b for n, b in zip(NAMES, TB, strict=True)})},
        lay({"{n}.png": BP}), (BT, BP),
    ),
    "LabelMe": Layout(
        lay({"{n}.json": [labelme(b) for b in TB], "{n}.jpg": PHOTO}), lay({"{n}.png": BP}), (BT, BP)
    ),
    "CVAT's pictures in colour": Layout(
        lay({"SegmentationObject/{n}.png": [colours(t) for t in T], "SegmentationClass/{n}.png": PHOTO,
             "labelmap.txt": "cell:1,2,3::\n"}),
        lay({"{n}.png": P}),
    ),
    "LabelMe's pictures": Layout(
        lay({"SegmentationObject/{n}.png": [palette(t) for t in T], "SegmentationObjectVisualization/{n}.jpg": PHOTO}),
        lay({"{n}.png": P}),
    ),
    "StarDist in Fiji": Layout({"a.tif": T[0]}, {"Label Image.tif": P[0]}, (T[:1], P[:1])),
    "micro-SAM series": Layout(
        lay({"img_{n}.tif": T}, ("00000", "00001", "00002")), lay({"seg_{n}.tif": P}, ("00000", "00001", "00002"))
    ),
    "ilastik's classes": Layout(
        lay({"{n}.tif": APART}),
        lay({"{n}_Simple Segmentation.h5": [h5(exported_data=np.where(t > 0, 1 + t % 2, 0).astype(np.uint8)[..., None])
                                            for t in APART]}),
        (APART, APART), needs="looks like a map of classes",
    ),
    "TNBC, binary": Layout(
        lay({"GT_01/01_{n}.png": BINARY, "Slide_01/01_{n}.png": PHOTO}, NUMBERS), lay({"01_{n}.png": APART}, NUMBERS),
        (APART, APART), needs="looks like a binary mask",
    ),
    "BBBC010": Layout(
        {f"A{n:02d}_{k:02d}_ground_truth.png": np.where(t == label, 255, 0).astype(np.uint8)
         for n, t in enumerate(T) for k, label in enumerate(np.unique(t)[1:])},
        {f"A{n:02d}.tif": p for n, p in enumerate(P)},
    ),
    "MoNuSAC names": Layout(
        {"TCGA-1/TCGA-1_1.png": T[0], "TCGA-1/TCGA-1_2.png": T[1], "TCGA-2/TCGA-2-1.png": T[2]},
        {"TCGA-1/TCGA-1_001.png": P[0], "TCGA-1/TCGA-1_002.png": P[1], "TCGA-2/TCGA-2-001.png": P[2]},
    ),
    "Cell Tracking Challenge, planes of volumes": Layout(
        {"SEG/man_seg_000_002.tif": VT[0][2], "SEG/man_seg_001_004.tif": VT[1][4]},
        {"mask000.tif": VP[0], "mask001.tif": VP[1]},
        ([VT[0][2], VT[1][4]], [VP[0][2], VP[1][4]]),
    ),
    "CREMI": Layout(
        lay({"sample_{n}.hdf": [h5(volumes__raw=v.astype(np.uint8), volumes__labels__neuron_ids=v.astype(np.uint64),
                                   volumes__labels__clefts=np.full(v.shape, 2**64 - 1, np.uint64)) for v in VT]},
            ("A", "B")),
        lay({"sample_{n}.hdf": [h5(volumes__labels__neuron_ids=v.astype(np.uint64)) for v in VP]}, ("A", "B")),
        (VT, VP),
    ),
    "NucMM": Layout(
        lay({"Label/val/{n}.h5": [h5(main=v) for v in VT], "Image/val/{n}.h5": [h5(main=v) for v in VP]}, ("v1", "v2")),
        lay({"{n}.h5": [h5(main=v) for v in VP]}, ("v1", "v2")), (VT, VP),
    ),
    "SNEMI3D": Layout(
        {"train-labels.tif": VT[0], "train-input.tif": VP[1]}, {"train-labels.tif": VP[0]}, (VT[:1], VP[:1])
    ),
    "InstanSeg, Zarr": Layout(
        lay({"{n}.tif": T}), lay({"{n}_instanseg_prediction.zarr": [zarr_store(labels=p.astype(np.int32)) for p in P]})
    ),
}  # fmt: skip

NOBODY_CAN_TELL: dict[str, Layout] = {
    "Label Studio": Layout(
        {f"task-{n}-annotation-{n}-by-1-tag-cell-{k}.png": np.where(t == label, 255, 0).astype(np.uint8)
         for n, t in enumerate(T, start=3) for k, label in enumerate(np.unique(t)[1:])},
        {f"task-{n}.png": p for n, p in enumerate(P, start=3)}, needs="has the name of a truth image",
    ),
    "HuBMAP": Layout(
        lay({"{n}.tif": T}), {"train.csv": "id,encoding\nwells_000,1 3 7 1\n"},
        needs="is a table of masks, not of objects",
    ),
}  # fmt: skip
"""Names that stand in another file only, and tables that have no objects: refused, and no command helps."""

__all__ = ["CODES_ZOO", "NOBODY_CAN_TELL"]
