"""Encodings of the zoo: polygons, runs, files of their own, arrays of many images, and what MATLAB writes."""

from __future__ import annotations

import base64
import gzip
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from PIL import Image
from zoo import FLOWS, NUMBERS, PHOTO, PRED, TRUTH, Layout, Writer, lay, npz

T, P = TRUTH, PRED
SHAPE = (60, 80)


def _boxes(seed: int, shift: int) -> list[tuple[int, int, int, int]]:
    """Left, top, right, bottom of objects that do not touch."""
    rng = np.random.default_rng(seed)
    cells = [(20 * c + 2, 20 * r + 2) for r in range(3) for c in range(4)]
    sizes = rng.integers(8, 14, (12, 2))
    return [
        (x + shift, y, x + int(w), y + int(h) + shift)
        for (x, y), (w, h) in zip(cells, sizes, strict=True)
        if shift == 0 or rng.random() > 0.2
    ]


BOXES = [(_boxes(k, 0), _boxes(k, 2)) for k in range(3)]


def drawn(boxes: list[tuple[int, int, int, int]]) -> Any:
    labels = np.zeros(SHAPE, np.uint16)
    for label, (left, top, right, bottom) in enumerate(boxes, start=1):
        labels[top:bottom, left:right] = label
    return labels


BT, BP = [drawn(truth) for truth, _ in BOXES], [drawn(pred) for _, pred in BOXES]
TB, PB = [truth for truth, _ in BOXES], [pred for _, pred in BOXES]


def ring(box: tuple[int, int, int, int]) -> list[list[int]]:
    left, top, right, bottom = box
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def geojson(boxes: Any, *, kind: str = "detection", classes: bool = True) -> str:
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [[*ring(box), ring(box)[0]]]},
            "properties": {"objectType": kind, **({"classification": {"name": "Tumor"}} if classes else {})},
        }
        for box in boxes
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


def hovernet(labels: Any) -> str:
    """Contours through the centres of the outermost pixels."""
    nuclei = {}
    for number, (left, top, right, bottom) in enumerate(labels, start=1):
        contour = [[left, top], [left, bottom - 1], [right - 1, bottom - 1], [right - 1, top]]
        nuclei[str(number)] = {"bbox": [], "centroid": [0, 0], "contour": contour, "type": 1 + number % 3}
    return json.dumps({"mag": 40, "nuc": nuclei})


def roi(box: tuple[int, int, int, int]) -> bytes:
    left, top, right, bottom = box
    corners = ring((0, 0, right - left, bottom - top))
    head = b"Iout" + struct.pack(">hBBhhhhH", 227, 7, 0, top, left, bottom, right, 4)
    body = [x for x, _ in corners] + [y for _, y in corners]
    return head.ljust(64, b"\0") + struct.pack(">8h", *body)


def roi_zip(boxes: Any) -> Writer:
    def save(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for k, box in enumerate(boxes):
                archive.writestr(f"{k:04d}-0001.roi", roi(box))
                archive.writestr(f"__MACOSX/._{k:04d}-0001.roi", b"debris")

    return save


def aperio(boxes: Any) -> str:
    """All regions in one annotation."""
    regions = "".join(
        "<Region><Vertices>" + "".join(f'<Vertex X="{x}" Y="{y}"/>' for x, y in ring(box)) + "</Vertices></Region>"
        for box in boxes
    )
    name = '<Attributes><Attribute Name="Epithelial" Id="0"/></Attributes>'
    inside = f"<Annotation Id='1'>{name}<Regions>{regions}</Regions></Annotation>"
    return f"<?xml version='1.0'?><Annotations>{inside}</Annotations>"


def cvat(images: dict[str, Any], shape: tuple[int, ...] = SHAPE) -> str:
    """Every other object as a mask."""
    text = "<?xml version='1.0' encoding='utf-8'?><annotations><version>1.1</version>"
    for k, (name, boxes) in enumerate(images.items()):
        text += f'<image id="{k}" name="{name}" width="{shape[1]}" height="{shape[0]}">'
        for n, box in enumerate(boxes):
            left, top, right, bottom = box
            if n % 2:
                points = ";".join(f"{x}.0,{y}.0" for x, y in ring(box))
                text += f'<polygon label="cell" points="{points}" z_order="0"></polygon>'
            else:
                width, height = right - left + 1, bottom - top
                rle = "0, " + ", ".join([f"{width - 1}, 1"] * height)
                text += f'<mask label="cell" rle="{rle}" left="{left}" top="{top}" width="{width}" height="{height}"/>'
        text += "</image>"
    return text + "</annotations>"


def supervisely(boxes: Any, shape: tuple[int, ...] = SHAPE) -> str:
    objects = []
    for n, (left, top, right, bottom) in enumerate(boxes):
        file = io.BytesIO()
        Image.fromarray(np.full((bottom - top, right - left), 255, np.uint8)).save(file, "PNG")
        bitmap = {"data": base64.b64encode(zlib.compress(file.getvalue())).decode(), "origin": [left, top]}
        points = {"exterior": ring((left, top, right, bottom)), "interior": []}
        figure = (
            {"geometryType": "bitmap", "bitmap": bitmap} if n % 2 else {"geometryType": "polygon", "points": points}
        )
        objects.append({"classTitle": "cell", **figure})
    size = {"height": shape[0], "width": shape[1]}
    return json.dumps({"description": "", "tags": [], "size": size, "objects": objects})


def runs(labels: Any, by_rows: bool) -> list[str]:
    """One text per object: starts from 1, and lengths."""
    found = []
    for label in np.unique(labels[labels != 0]):
        flat = (labels == label).ravel("C" if by_rows else "F")
        ends = np.flatnonzero(np.diff(np.r_[0, flat.astype(np.int8), 0]))
        found.append(" ".join(f"{a + 1} {b - a}" for a, b in ends.reshape(-1, 2)))
    return found


def dsb(images: dict[str, Any]) -> str:
    lines = [f"{name},{text},96,96" for name, labels in images.items() for text in runs(labels, by_rows=False)]
    return "ImageId,EncodedPixels,Height,Width\n" + "\n".join(lines) + "\n"


def sartorius(images: dict[str, Any]) -> str:
    lines = [f"{name},{text},96,96,astro" for name, labels in images.items() for text in runs(labels, by_rows=True)]
    return "id,annotation,width,height,cell_type\n" + "\n".join(lines) + "\n"


def mat(**arrays: Any) -> Writer:
    return lambda path: scipy.io.savemat(path, arrays, do_compression=True)


def mat73(**arrays: Any) -> Writer:
    def save(path: Path) -> None:
        import h5py

        with h5py.File(path, "w", userblock_size=512) as file:
            for name, array in arrays.items():
                file[name] = np.asarray(array).T
        data = bytearray(path.read_bytes())
        data[:128] = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
        path.write_bytes(bytes(data))

    return save


def types(labels: Any) -> Any:
    return np.where(labels > 0, 1 + labels % 3, 0)


def consep(labels: Any) -> dict[str, Any]:
    ids = np.unique(labels[labels != 0])
    maps = {"inst_map": labels.astype(float), "type_map": types(labels).astype(float)}
    return {**maps, "inst_type": (1 + ids % 3)[:, None]}


def files_of(labels: Any, pattern: str) -> dict[str, Any]:
    """One mask for each object."""
    ids = np.unique(labels[labels != 0])
    return {pattern.format(k=k): np.where(labels == label, 255, 0).astype(np.uint8) for k, label in enumerate(ids)}


def pannuke(images: list[Any]) -> Any:
    stack = np.zeros((len(images), *images[0].shape, 6))
    for k, labels in enumerate(images):
        for channel in range(5):
            stack[k, ..., channel] = np.where(labels % 5 == channel, labels, 0)
    stack[..., 5] = stack[..., :5].sum(-1) == 0
    return stack


TESTS = ("test_1", "test_2", "test_3")
APART = [np.kron(np.pad(np.ones((1, 1), int), 1), np.ones((6, 6), int)) for _ in range(3)]
APART = [np.block([[tile * (1 + r * 6 + c + k) for c in range(6)] for r in range(5)]).astype(np.uint16)
         for k, tile in enumerate(APART)]  # fmt: skip
PHOTOS = np.stack([PHOTO] * 3)
HV = (
    [mat(**consep(labels)) for labels in T],
    [
        mat(
            inst_map=P[k].astype(np.int32),
            inst_uid=np.unique(P[k])[1:, None],
            inst_type=types(np.unique(P[k])[1:])[:, None],
        )
        for k in range(3)
    ],
)


def voc(labels: Any) -> Writer:
    """A palette, and a seam of 255 beside objects."""

    def save(path: Path) -> None:
        image = Image.fromarray(with_seam(labels).astype(np.uint8)).convert("L")
        image = Image.frombytes("P", image.size, image.tobytes())
        image.putpalette([k % 256 for k in range(765)] + [224, 224, 192])
        image.save(path)

    return save


def with_seam(labels: Any) -> Any:
    seam = (labels == 0) & ((np.roll(labels, 1, 0) != 0) | (np.roll(labels, -1, 1) != 0))
    return np.where(seam, 255, labels)


FORMATS_ZOO: dict[str, Layout] = {
    "VOC, with void 255": Layout(
        lay(
            {
                "SegmentationObject/{n}.png": [voc(t) for t in T],
                "SegmentationClass/{n}.png": P,
                "JPEGImages/{n}.jpg": PHOTO,
            }
        ),
        lay({"{n}.png": P}),
        ([with_seam(t) for t in T], P),
        ignore=255,
    ),
    "CoNSeP against HoVer-Net": Layout(
        lay({"Labels/{n}.mat": HV[0], "Images/{n}.png": PHOTO, "Overlay/{n}.png": PHOTO}, TESTS),
        lay({"mat/{n}.mat": HV[1], "overlay/{n}.png": PHOTO, "qupath/{n}.tsv": "x"}, TESTS),
    ),
    "HoVer-Net, mat and json": Layout(
        lay({"{n}.mat": [mat(inst_map=labels) for labels in BT]}, TESTS),
        lay(
            {"mat/{n}.mat": [mat(inst_map=labels) for labels in BP], "json/{n}.json": [hovernet(b) for b in PB]}, TESTS
        ),
        (BT, BP),
    ),
    "HoVer-Net, json": Layout(
        lay({"{n}.mat": [mat(inst_map=labels) for labels in BT]}, TESTS),
        lay({"json/{n}.json": [hovernet(b) for b in PB]}, TESTS),
        (BT, BP),
    ),
    "Lizard": Layout(
        lay(
            {
                "Labels/{n}.mat": [
                    mat(inst_map=t, id=np.unique(t)[1:, None], **{"class": types(np.unique(t)[1:])[:, None]}) for t in T
                ],
                "info.csv": "a,b\n",
            }
        ),
        lay({"{n}.mat": [mat73(inst_map=labels) for labels in P]}),
    ),
    "QuPath GeoJSON": Layout(
        lay({"{n}.geojson": [geojson(b) for b in TB]}),
        lay({"{n}.svs.geojson": [geojson(b, kind="cell") for b in PB]}),
        (BT, BP),
    ),
    "QuPath GeoJSON as json and packed, beside raw images": Layout(
        lay({"{n}.json": [geojson(b) for b in TB], "{n}.tif": PHOTO, "project.json": "{}"}),
        lay({"{n}.geojson.gz": [gzip.compress(geojson(b).encode()) for b in PB]}),
        (BT, BP),
    ),
    "ImageJ ROIs": Layout(
        lay({"{n}.tif": BT}), lay({"{n}_RoiSet.zip": [roi_zip(b) for b in PB], "{n}.tif": PHOTO}), (BT, BP)
    ),
    "ImageJ ROIs, a folder each": Layout(
        lay({"{n}.tif": BT}), lay({"{n}/RoiSet.zip": [roi_zip(b) for b in PB]}), (BT, BP)
    ),
    "Cellpose ROIs": Layout(lay({"{n}.tif": BT}), lay({"{n}_rois.zip": [roi_zip(b) for b in PB]}), (BT, BP)),
    "MoNuSeg": Layout(
        lay({"Annotations/{n}.xml": [aperio(b) for b in TB], "Tissue Images/{n}.tif": PHOTO}),
        lay({"{n}.tif": BP}),
        (BT, BP),
    ),
    "MoNuSAC": Layout(
        {f"TCGA-{k}/TCGA-{k}_1.xml": aperio(TB[k]) for k in range(3)}
        | {f"TCGA-{k}/TCGA-{k}_1.tif": PHOTO for k in range(3)},
        {f"TCGA-{k}/TCGA-{k}_1.png": BP[k] for k in range(3)},
        (BT, BP),
    ),
    "CVAT": Layout(
        {"annotations.xml": cvat({f"sub/img_{k}.jpg": TB[k] for k in range(3)})},
        {f"sub/img_{k}.png": BP[k] for k in range(3)},
        (BT, BP),
    ),
    "Supervisely": Layout(
        lay({"ds/ann/{n}.png.json": [supervisely(b) for b in TB], "ds/img/{n}.png": PHOTO, "meta.json": "{}"}),
        lay({"{n}.png": BP}),
        (BT, BP),
    ),
    "CoNIC": Layout(
        {
            "labels.npy": np.stack([np.stack([t, types(t)], -1) for t in T]),
            "images.npy": PHOTOS,
            "counts.csv": "a\n1\n",
        },
        {"valid_pred.npy": np.stack([np.stack([p, types(p)], -1) for p in P])},
    ),
    "PanNuke with its neighbours": Layout(
        {
            "masks/fold1/masks.npy": pannuke(T),
            "images/fold1/images.npy": PHOTOS.astype(float),
            "images/fold1/types.npy": np.array(["Breast"] * 3),
        },
        {"masks.npy": pannuke(P)},
    ),
    "TissueNet": Layout(
        {
            "tissuenet_v1.1_test.npz": npz(
                X=np.zeros((3, 96, 96, 2), np.float32), y=np.stack([np.stack([t, t], -1) for t in T])
            )
        },
        {"predicted.npz": npz(y=np.stack([np.stack([p, p], -1) for p in P]))},
        ([a for t in T for a in (t, t)], [a for p in P for a in (p, p)]),
    ),
    "DynamicNuclearNet": Layout(
        {"test.npz": npz(X=np.zeros((3, 96, 96, 1), np.float32), y=np.stack(T)[..., None])},
        {"pred.npz": npz(y=np.stack(P)[..., None])},
    ),
    "LyNSeC": Layout(
        lay({"{n}.npy": [np.dstack([PHOTO, t, types(t)]).astype(np.float64) for t in T]}, NUMBERS),
        lay({"{n}.tif": P}, NUMBERS),
    ),
    "DSB 2018": Layout(
        {f"id{n}/masks/{name}": m for n, t in enumerate(T) for name, m in files_of(t, "hash{k:03d}.png").items()}
        | {f"id{n}/images/id{n}.png": PHOTO for n in range(3)},
        {f"id{n}.png": P[n] for n in range(3)},
    ),
    "SAM, masks as files": Layout(
        lay({"{n}.tif": T}),
        {f"wells_{n:03d}/{name}": m for n, p in enumerate(P) for name, m in files_of(p, "{k}.png").items()}
        | {f"wells_{n:03d}/metadata.csv": "id,area\n" for n in range(3)},
    ),
    "SegPC": Layout(
        {name: m for n, t in enumerate(T) for name, m in files_of(t, f"{n + 1}_{{k}}.bmp").items()},
        lay({"{n}.png": P}, NUMBERS),
    ),
    "DSB table in a folder": Layout(
        {"stage1_train_labels.csv": dsb(dict(zip("abc", T, strict=True)))},
        {"submission.csv": dsb(dict(zip("abc", P, strict=True)))},
    ),
    "Sartorius": Layout(
        {"train.csv": sartorius(dict(zip("abc", T, strict=True)))}, lay({"{n}.png": P}, ("a", "b", "c"))
    ),
    "class values, as QuPath, ilastik and nnU-Net export them": Layout(
        lay({"{n}.tif": APART}),
        lay({"{n}-labels.png": [np.where(t > 0, 1 + t % 2, 0).astype(np.uint8) for t in APART]}),
        (APART, APART),
        needs="looks like a map of classes",
    ),
    "BBBC039": Layout(
        lay(
            {
                "masks/{n}.png": [
                    np.dstack([np.where(t > 0, 1 + t % 2, 0), 0 * t, 0 * t, 0 * t + 255]).astype(np.uint8)
                    for t in APART
                ]
            }
        ),
        lay({"{n}.tif": APART}),
        (APART, APART),
        needs="looks like a map of classes",
    ),
    "InstanSeg, nuclei and cells": Layout(
        lay({"{n}.tif": T}),
        lay({"{n}_instanseg_prediction.tiff": [np.stack([np.where(FLOWS > 0.5, p, 0), p]) for p in P]}),
        needs="holds 2 channels",
    ),
}
