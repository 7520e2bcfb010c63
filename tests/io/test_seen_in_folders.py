"""What was seen to go wrong in folders and files that people and tools write, and in those that are made to hurt."""

from __future__ import annotations

import json
import os
import shlex
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import tifffile
from commands import call
from PIL import Image
from zoo import PRED, TRUTH

from softpq import evaluate_dataset
from softpq.errors import ReadError
from softpq.io.format import Place, ReadOptions
from softpq.io.formats import stacks
from softpq.io.formats.beside import size_beside
from softpq.io.image import images_in
from softpq.io.objects import LARGEST_LOOKED_AT, ObjectFiles, _first_masks


def written(folder: Path, images: dict[str, np.ndarray]) -> Path:
    for name, image in images.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        tifffile.imwrite(path, image.astype(np.uint16))
    return folder


def small_objects() -> list[np.ndarray]:
    """One each, in images of their own."""
    rng = np.random.default_rng(1)
    y, x = np.mgrid[:256, :256]
    places = rng.integers(12, 244, (8, 2))
    return [((y - a) ** 2 + (x - b) ** 2 < 49).astype(np.uint16) for a, b in places]


def test_images_of_one_object_each_that_are_named_alike_stay_images(tmp_path: Path) -> None:
    objects = small_objects()
    truth = written(tmp_path / "t", {f"slide7_{k:02d}.tif": one for k, one in enumerate(objects)})
    pred = written(tmp_path / "p", {f"slide7_{k:02d}_pred.tif": one for k, one in enumerate(objects)})
    assert len(evaluate_dataset(truth, pred, metrics=["pq"], check=False).images) == 8


@pytest.mark.parametrize("end", ["", "_pred"])
def test_few_objects_that_lie_elsewhere_may_be_either_and_the_command_works(tmp_path: Path, end: str) -> None:
    objects = small_objects()
    truth = written(tmp_path / "t", {f"slide7_{k:02d}.tif": one for k, one in enumerate(objects)})
    pred = written(tmp_path / "p", {f"slide7_{k:02d}{end}.tif": objects[k - 1] for k in range(8)})
    done = call("evaluate", truth, pred, "--metrics", "pq")
    assert done.exit_code == 2
    assert "may hold images, or files of one object each" in done.stderr
    command = shlex.split(done.stderr.partition("Run: softpq ")[2].splitlines()[0])
    done = call(*command, "--no-check")
    assert done.exit_code == 0, done.output
    assert "p: 8 images" in done.stdout
    assert "0.0000" in done.stdout


@pytest.mark.parametrize(
    "names",
    [
        "plate_control plate_high plate_markers",
        "leaves/1 leaves/2 seeds/1 seeds/2",
        "gray/1 color/1 color/2",
        "section/1 slide/1",
        "lamp_color lamp_ir well_dp",
    ],
)
def test_words_of_tools_may_be_names_of_images(tmp_path: Path, names: str) -> None:
    """Both sides have them, and no other file of that image."""
    sides = [{f"{name}.tif": images[k % 3] for k, name in enumerate(names.split())} for images in (TRUTH, PRED)]
    results = evaluate_dataset(written(tmp_path / "t", sides[0]), written(tmp_path / "p", sides[1]), metrics=["pq"])
    assert len(results.images) == len(names.split())
    assert not any("left out" in note for note in results.notes)


def test_a_truth_that_is_called_like_markers_is_missing_not_gone(tmp_path: Path) -> None:
    truth = written(tmp_path / "t", {"mouse_TRA.tif": TRUTH[0], "cat_1.tif": TRUTH[1]})
    pred = written(tmp_path / "p", {"mouse_TRA_pred.tif": PRED[0], "cat_1_pred.tif": PRED[1]})
    assert len(evaluate_dataset(truth, pred, metrics=["pq"]).images) == 2


def test_a_structure_whose_name_is_not_known_does_not_give_way(tmp_path: Path) -> None:
    truth = written(tmp_path / "t", {f"{name}.tif": TRUTH[0] for name in ("a1", "b2", "c3")})
    pred = written(
        tmp_path / "p", {f"{kind}/{n}.tif": PRED[0] for kind in ("nuclei", "mito") for n in ("a1", "b2", "c3")}
    )
    with pytest.raises(ReadError, match="must hold one file for each image"):
        evaluate_dataset(truth, pred)


@pytest.mark.parametrize(("one", "other"), [("1_ab", "2_ab"), ("17-ab", "18-ab"), ("mouse1/s", "mouse2/s")])
def test_no_command_is_offered_that_pairs_other_images(tmp_path: Path, one: str, other: str) -> None:
    truth = written(tmp_path / "t", {f"{one}{k}.tif": TRUTH[k] for k in range(3)})
    pred = written(tmp_path / "p", {f"{other}{k}.tif": PRED[k] for k in range(3)})
    done = call("evaluate", truth, pred)
    assert done.exit_code == 2
    assert "Run:" not in done.stderr


def test_raw_frames_of_a_challenge_lie_beside_the_truth(tmp_path: Path) -> None:
    truth = {f"01/t{k:03d}.tif": TRUTH[k] * 7 for k in range(3)} | {
        f"01_GT/SEG/man_seg{k:03d}.tif": TRUTH[k] for k in range(3)
    }
    pred = {f"01_RES/mask{k:03d}.tif": PRED[k] for k in range(3)}
    results = evaluate_dataset(written(tmp_path / "t", truth), written(tmp_path / "p", pred), metrics=["pq"])
    assert (len(results.images), len(results.failures)) == (3, 0)


def test_planes_that_do_not_continue_are_doubted(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    planes = np.zeros((6, 160, 160), np.uint16)
    y, x = np.mgrid[:160, :160]
    for plane in planes:
        for k, (a, b) in enumerate(rng.integers(10, 150, (20, 2)), start=1):
            plane[(y - a) ** 2 + (x - b) ** 2 < 64] = k
    for side in ("t", "p"):
        np.save(tmp_path / f"{side}.npy", planes)
    done = call("evaluate", tmp_path / "t.npy", tmp_path / "p.npy", "--metrics", "pq")
    assert "--axes TYX scores them one by one" in " ".join(done.output.split())


def outlines(folder: Path, name: str, text: str = "0 .1 .1 .9 .1 .9 .9 .1 .9\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def png(height: int, width: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))


def test_outlines_are_drawn_as_large_as_the_picture_beside_them(tmp_path: Path) -> None:
    for side in ("t", "p"):
        outlines(tmp_path / side, "a.txt")
    done = call("evaluate", tmp_path / "t", tmp_path / "p", "--metrics", "pq")
    assert "no picture with the same name lies beside it" in " ".join(done.output.split())
    (tmp_path / "t" / "a.png").write_bytes(png(40, 60))
    (image,) = evaluate_dataset(tmp_path / "t", tmp_path / "p", metrics=["pq"]).images
    assert (image.counts["n_truth"], image.counts["n_pred"], image.counts["tp"]) == (1, 1, 1)
    (tmp_path / "p" / "a.png").write_bytes(png(20, 30))
    failed = evaluate_dataset(tmp_path / "t", tmp_path / "p", metrics=["pq"]).failures
    assert "pictures beside the two sides have other sizes, (40, 60) and (20, 30)" in failed[0].reason


def exif(orientation: int) -> bytes:
    tiff = b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", 1) + struct.pack("<HHIHxx", 0x0112, 3, 1, orientation)
    body = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", 2 + len(body)) + body


FRAME = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, 40, 60, 1) + b"\1\x11\0"


@pytest.mark.parametrize(
    ("suffix", "content", "size"),
    [
        (".png", png(40, 60), (40, 60)),
        (".jpg", b"\xff\xd8" + FRAME, (40, 60)),
        (".jpg", b"\xff\xd8" + exif(6) + FRAME, (60, 40)),
        (".jpg", b"\xff\xd8" + exif(1) * 5000 + FRAME, None),
        (".jpg", b"\xff\xd8\xff" + bytes(1 << 20), None),
        (".bmp", b"BM" + bytes(16) + struct.pack("<ii", 60, -40) + bytes(8), (40, 60)),
        (".tif", b"II*\0" + struct.pack("<IHHHIIHHII", 8, 2, 256, 4, 1, 60, 257, 4, 1, 40), (40, 60)),
        (".tif", b"II*\0" + struct.pack("<I", 1 << 31), None),
        (".png", b"", None),
    ],
)
def test_sizes_are_read_from_headers_and_nothing_else(
    tmp_path: Path, suffix: str, content: bytes, size: tuple[int, int] | None
) -> None:
    text = outlines(tmp_path, "a.txt")
    (tmp_path / f"a{suffix}").write_bytes(content)
    assert size_beside(Place(text, options=ReadOptions()))() == size


def test_a_picture_that_claims_too_much_is_refused(tmp_path: Path) -> None:
    text = outlines(tmp_path, "a.txt")
    (tmp_path / "a.png").write_bytes(png(1 << 20, 1 << 20))
    with pytest.raises(ReadError, match="claims"):
        size_beside(Place(text, options=ReadOptions(limit=1 << 20)))()


def test_pairing_does_not_keep_large_pictures(tmp_path: Path) -> None:
    """What unpacks to more is told by its name, whatever its size on disk."""
    most = LARGEST_LOOKED_AT // 4096
    for k, height in enumerate((most // 8, most + 1)):
        Image.fromarray(np.ones((height, 4096), np.uint8)).save(tmp_path / f"a_{k}.png")
        (file,) = images_in(tmp_path / f"a_{k}.png")
        assert bool(_first_masks(ObjectFiles("a", (file,)))) == (k == 0)


def test_notes_are_kept_for_outlines_with_pictures_and_made_anew_with_others(tmp_path: Path) -> None:
    for side in ("t", "p"):
        outlines(tmp_path / side, "a.txt")
    (tmp_path / "t" / "a.png").write_bytes(png(40, 60))
    log = tmp_path / "notes.jsonl"
    for _ in range(2):
        evaluate_dataset(tmp_path / "t", tmp_path / "p", metrics=["pq"], resume=log)
    assert log.read_text().count('"key"') == 1
    (tmp_path / "t" / "a.png").write_bytes(png(80, 60))
    evaluate_dataset(tmp_path / "t", tmp_path / "p", metrics=["pq"], resume=log)
    assert log.read_text().count('"key"') == 2


def test_an_image_in_which_sam_found_nothing_is_empty(tmp_path: Path) -> None:
    mask = {"segmentation": {"size": [4, 4], "counts": [0, 4, 12]}, "predicted_iou": 0.9, "area": 4}
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.json").write_text(json.dumps([mask]))
    (tmp_path / "p" / "b.json").write_text(" [\n ]\n")
    truth = {name: np.array([[1, 0, 0, 0]] * 4) for name in ("a.tif", "b.tif")}
    results = evaluate_dataset(written(tmp_path / "t", truth), tmp_path / "p", metrics=["pq"])
    assert [image.counts["n_pred"] for image in results.images] == [1, 0]


def test_a_table_of_pairs_needs_no_folders_and_says_what_is_wrong(tmp_path: Path) -> None:
    written(tmp_path, {"x.tif": TRUTH[0], "y.tif": PRED[0]})
    table = tmp_path / "pairs.csv"
    for text in ("truth,pred\nx.tif,y.tif\n", "truth;pred;;\nx.tif;y.tif;;\n", "truth\tmodel\nx.tif\ty.tif\n"):
        table.write_text(text)
        assert call("evaluate", "--pairs", table, "--metrics", "pq").exit_code == 0
    for text, said in {
        "truth,pred,pred\nx.tif,y.tif,x.tif\n": "must name every column once",
        "truth,pred\nx.tif,y.tif,z\n": "must have as many cells in a line as columns, 2",
        "truth\nx.tif\n": "must have a column pred or one per model",
        f"truth,pred\nx.tif,y.tif\n../{tmp_path.name}/x.tif,z.tif\n": "must name every file once",
    }.items():
        table.write_text(text)
        done = call("evaluate", "--pairs", table)
        assert done.exit_code == 2
        assert said in " ".join(done.stderr.split()), text
    table.write_bytes("truth,pred\n".encode("utf-16"))
    assert "it is not text in UTF-8" in " ".join(call("evaluate", "--pairs", table).stderr.split())
    table.unlink()
    os.mkfifo(table)
    assert "is no regular file" in " ".join(call("evaluate", "--pairs", table).stderr.split())


def test_channels_of_tissuenet_are_chosen(tmp_path: Path) -> None:
    sides = [np.stack([np.stack([images[k], TRUTH[k]], -1) for k in range(3)]) for images in (TRUTH, PRED)]
    for name, y in zip(("t", "p"), sides, strict=True):
        np.savez(tmp_path / f"{name}.npz", X=np.zeros_like(y, np.float32), y=y)
    paths = tmp_path / "t.npz", tmp_path / "p.npz"
    assert len(evaluate_dataset(*paths, metrics=["pq"], channel=1).images) == 3
    assert "has no channel 2; there are 0 (cells), 1 (nuclei)" in call("evaluate", *paths, "--channel", 2).stderr
    names = [image.name for image in images_in(tmp_path / "p.npz")]
    whole = {image.name: image.read().labels for image in images_in(tmp_path / "p.npz")}
    for k in (4, 1, 5, 0, 1):  # in any order
        assert (images_in(tmp_path / "p.npz")[k].read().labels == whole[names[k]]).all()


def test_an_archive_that_failed_at_one_image_gives_no_other_pixels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted look leaves the file somewhere: nothing may be read on from there."""
    y = np.stack([np.full((8, 8, 1), k + 1) for k in range(6)])
    np.savez(tmp_path / "t.npz", X=y.astype(np.float32), y=y)
    images = images_in(tmp_path / "t.npz")
    monkeypatch.setattr(stacks, "MOST_KEPT", 0)
    assert images[0].read().labels.max() == 1
    read = zipfile.ZipExtFile.read

    def interrupted(file: zipfile.ZipExtFile, count: int = -1) -> bytes:
        read(file, 100)
        raise zlib.error("damaged")

    with monkeypatch.context() as during:
        during.setattr(zipfile.ZipExtFile, "read", interrupted)
        with pytest.raises(ReadError):
            images[2].read()
    for k in (3, 1, 5, 4):
        assert (images[k].read().labels == k + 1).all()


def test_a_label_image_beside_outlines_is_not_passed_over(tmp_path: Path) -> None:
    shape = {"label": "c", "points": [[1, 1], [9, 1], [9, 9]], "shape_type": "polygon"}
    for side in ("t", "p"):
        written(tmp_path / side, {"a.tif": TRUTH[0]})
    height, width = TRUTH[0].shape
    (tmp_path / "t" / "a.json").write_text(json.dumps({"shapes": [shape], "imageHeight": height, "imageWidth": width}))
    with pytest.raises(ReadError, match="both hold labels of one image"):
        evaluate_dataset(tmp_path / "t", tmp_path / "p")


def test_results_are_not_written_over_images(tmp_path: Path) -> None:
    sides = written(tmp_path / "t", {"a.tif": TRUTH[0]}), written(tmp_path / "p", {"a.tif": PRED[0]})
    before = (tmp_path / "t" / "a.tif").read_bytes()
    for option in ("--html", "--json", "--csv"):
        done = call("evaluate", *sides, option, tmp_path / "t" / "a.tif")
        assert (done.exit_code, "must not be written over a file of images" in " ".join(done.stderr.split())) == (
            2,
            True,
        )
    assert (tmp_path / "t" / "a.tif").read_bytes() == before


def test_classes_drawn_for_one_model_are_not_those_of_another(tmp_path: Path) -> None:
    for side in ("t", "p", "kt", "kp"):
        written(tmp_path / side, {"a.tif": TRUTH[0]})
    models = {"one": tmp_path / "p", "two": tmp_path / "p"}
    with pytest.raises(ValueError, match="classes must be images of one model; got 2 models"):
        evaluate_dataset(tmp_path / "t", models, classes=f"{tmp_path / 'kt'},{tmp_path / 'kp'}")
    labels = {str(k): "x" for k in np.unique(TRUTH[0]) if k}
    other = dict.fromkeys(labels, "y")
    (tmp_path / "c.json").write_text(json.dumps({"a": {"truth": labels, "one": labels, "two": other}}))
    results = evaluate_dataset(tmp_path / "t", models, classes=str(tmp_path / "c.json"), metrics=["pq"])
    assert [results.of_class("x").pooled(model)["pq"] for model in ("one", "two")] == [1, 0]


def test_labels_in_arrays_beside_pictures_of_classes_are_taken(tmp_path: Path) -> None:
    for side, images in (("t", TRUTH), ("p", PRED)):
        (tmp_path / side).mkdir()
        for k, labels in enumerate(images):
            np.save(tmp_path / side / f"a{k}.npy", labels)
            Image.fromarray(((labels % 3 + 1) * (labels > 0)).astype(np.uint8)).save(tmp_path / side / f"a{k}.png")
    results = evaluate_dataset(tmp_path / "t", tmp_path / "p", metrics=["pq"])
    expected = evaluate_dataset(list(TRUTH), list(PRED), metrics=["pq"])
    assert results.failures == ()
    assert results.pooled("p")["pq"] == expected.pooled("model")["pq"]


def test_two_sequences_are_not_shifted_against_each_other(tmp_path: Path) -> None:
    truth = {f"0{s}_GT/SEG/man_seg{k:03d}.tif": TRUTH[k] for s, k in ((1, 0), (1, 1), (2, 0))}
    pred = {f"01_RES/mask{k:03d}.tif": PRED[k] for k in (0, 1, 2)}
    results = evaluate_dataset(written(tmp_path / "t", truth), written(tmp_path / "p", pred), metrics=["pq"])
    assert not any("may begin with 0" in note for note in results.notes)
