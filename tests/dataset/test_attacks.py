"""What an attack on the edges found: each was a wrong answer without a word, or a right one refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
import tifffile
from commands import call

from softpq import evaluate, evaluate_dataset, synthetic
from softpq.errors import ReadError
from softpq.io.image import images_in
from softpq.io.loading import load
from softpq.io.pairing import Pair

SCENE = synthetic.cells((60, 70), 25, seed=1)


def discs(shape: tuple[int, ...], step: int, radius: int) -> np.ndarray:
    """Discs (or balls) on a grid, numbered."""
    labels = np.zeros(shape, np.int32)
    grid = np.meshgrid(*[np.arange(step // 2, size, step) for size in shape], indexing="ij")
    places = np.stack(grid, -1).reshape(-1, len(shape))
    ball = np.stack(np.meshgrid(*[np.arange(-radius, radius + 1)] * len(shape), indexing="ij"), -1)
    ball = ball[(ball**2).sum(axis=-1) <= radius**2]
    for number, place in enumerate(places, 1):
        inside = place + ball
        inside = inside[((inside >= 0) & (inside < shape)).all(axis=1)]
        labels[tuple(inside.T)] = number
    return labels


def test_resume_knows_arrays_in_memory_by_their_content(tmp_path: Path) -> None:
    def pq(pred: np.ndarray) -> float:
        models = {"m": {"x": pred, "y": pred}}
        truth = {"x": SCENE.truth, "y": SCENE.truth}
        return evaluate_dataset(truth, models, resume=tmp_path / "log", metrics=["pq"]).pooled()["pq"]

    assert pq(SCENE.truth) == 1.0
    assert pq(SCENE.pred) < 1.0
    assert pq(SCENE.truth * 0) == 0.0


def test_resume_does_not_note_what_is_spread_over_files(tmp_path: Path) -> None:
    header = "NRRD0004\ntype: int\ndimension: 2\nsizes: 70 60\nendian: little\nencoding: raw\ndata file: p.raw\n\n"
    (tmp_path / "p.nhdr").write_text(header)
    np.save(tmp_path / "t.npy", SCENE.truth)
    found = []
    for pixels in (SCENE.truth, SCENE.truth * 0):
        (tmp_path / "p.raw").write_bytes(pixels.astype("<i4").tobytes())
        places = (tmp_path / "t.npy", tmp_path / "p.nhdr")
        found.append(evaluate_dataset(*places, resume=tmp_path / "log", metrics=["pq"]).pooled()["pq"])
    assert found == [1.0, 0.0]


def test_run_length_tables_are_paired_by_name_only(tmp_path: Path) -> None:
    head = "ImageId,EncodedPixels,Height,Width\n"
    (tmp_path / "t.csv").write_text(head + "a,1 30,20,30\nb,300 60,20,30\n")
    (tmp_path / "p.csv").write_text(head + "two,300 60,20,30\none,1 30,20,30\n")
    refused = call("evaluate", tmp_path / "t.csv", tmp_path / "p.csv")
    assert refused.exit_code == 2
    assert "No prediction of p has the name of a truth image" in " ".join(refused.stderr.split())


def test_sweep_says_what_it_leaves_out(tmp_path: Path) -> None:
    for side in ("t", "p"):
        (tmp_path / side).mkdir()
        for name in "wxy":
            np.save(tmp_path / side / f"{name}.npy", SCENE.truth)
    (tmp_path / "p" / "x.npy").unlink()
    (tmp_path / "p" / "y.npy").write_bytes(b"")
    done = call("sweep", tmp_path / "t", tmp_path / "p")
    assert done.exit_code == 1
    assert "x: no prediction was found" in done.stderr
    assert "y.npy is empty" in done.stderr
    assert call("sweep", tmp_path / "t", tmp_path / "p", "--missing", "skip").exit_code == 0
    np.save(tmp_path / "mask.npy", (discs((60, 70), 15, 5) > 0).astype(np.uint8))
    only = call("sweep", tmp_path / "mask.npy", tmp_path / "mask.npy")
    assert (only.exit_code, "looks like a binary mask" in only.stderr) == (2, True)
    assert call("sweep", tmp_path / "mask.npy", tmp_path / "mask.npy", "--no-check").exit_code == 0


TOP = np.zeros((1500, 1500), np.int32)
TOP[:400] = discs((400, 1500), 40, 12)
BALLS = np.zeros((90, 120, 120), np.int32)
BALLS[:30] = discs((30, 120, 120), 30, 5)

ELSEWHERE: dict[str, tuple[np.ndarray, str]] = {
    "a mask at the top": ((TOP > 0) * 255, "binary mask"),
    "classes at the top": ((TOP % 3 + 1) * (TOP > 0), "map of classes"),
    "a volume whose middle is empty": ((BALLS > 0) * 1, "binary mask"),
    "wrapped labels of large objects": (discs((1600, 1600), 80, 25) % 256, "ran over 255"),
    "wrapped labels of a volume": (discs((60, 260, 260), 20, 7) % 256, "ran over 255"),
}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_what_is_certain_is_found_wherever_it_is(what: str) -> None:
    labels, said = ELSEWHERE[what]
    with pytest.raises(ValueError, match=said):
        evaluate(labels, labels * 0)


def test_dim_pictures_are_noted() -> None:
    dim = np.random.default_rng(0).poisson(3, (256, 256))
    assert "looks like intensities" in evaluate(dim, discs((256, 256), 40, 12)).notes[0]


def test_parts_are_judged_as_the_whole(tmp_path: Path) -> None:
    cells = discs((400, 400), 40, 15)
    nuclei = np.where(discs((400, 400), 40, 6) > 0, cells * 7 % 101 + 1, 0)
    np.save(tmp_path / "t.npy", np.stack([cells, nuclei]))
    for memory in ("1GB", "200kB"):
        (failure,) = evaluate_dataset(tmp_path / "t.npy", tmp_path / "t.npy", memory=memory, jobs=1).failures
        assert "looks like 2 channels along axis 0" in failure.reason


def test_another_slice_is_refused(tmp_path: Path) -> None:
    affine = np.diag([1.0, 1, 3, 1])
    for name, z in (("a", 0.0), ("b", 60.0), ("c", 1.0)):
        affine[2, 3] = z
        nibabel.save(nibabel.Nifti1Image(SCENE.truth.T[:, :, None].astype(np.int16), affine), tmp_path / f"{name}.nii")
    images = {name: images_in(tmp_path / f"{name}.nii")[0] for name in "abc"}
    with pytest.raises(ReadError, match="is another slice than the truth, 60 away"):
        load(Pair("a", images["a"], images["b"]))
    load(Pair("a", images["a"], images["c"]))


def write_nrrd(path: Path, pixels: np.ndarray, space: str, steps: str, origin: str, kinds: str = "") -> None:
    sizes = " ".join(str(size) for size in pixels.shape[::-1])
    header = f"NRRD0004\ntype: short\ndimension: {pixels.ndim}\nspace: {space}\nsizes: {sizes}\n"
    header += f"space directions: {steps}\nspace origin: {origin}\nendian: little\nencoding: raw\n"
    header += f"kinds: {kinds}\n\n" if kinds else "\n"
    path.write_bytes(header.encode() + pixels.astype("<i2").tobytes())


def test_nrrd_in_a_space_that_only_the_two_know(tmp_path: Path) -> None:
    volume = discs((9, 40, 50), 12, 4)
    write_nrrd(tmp_path / "a.nrrd", volume, "scanner-xyz", "(1,0,0) (0,1,0) (0,0,1)", "(0,0,0)")
    write_nrrd(tmp_path / "b.nrrd", volume[:, :, ::-1], "scanner-xyz", "(-1,0,0) (0,1,0) (0,0,1)", "(49,0,0)")
    found = load(Pair("a", images_in(tmp_path / "a.nrrd")[0], images_in(tmp_path / "b.nrrd")[0]))
    assert np.array_equal(found.truth, found.pred)


def test_nrrd_with_time_is_a_movie(tmp_path: Path) -> None:
    movie = np.stack([SCENE.truth, SCENE.pred, SCENE.truth])
    write_nrrd(
        tmp_path / "m.nrrd", movie, "left-posterior-superior", "(1,0,0) (0,1,0) none", "(0,0,0)", "domain domain time"
    )
    images = images_in(tmp_path / "m.nrrd")
    assert [image.name for image in images] == ["m_t000", "m_t001", "m_t002"]
    assert all(np.array_equal(image.read().labels, frame) for image, frame in zip(images, movie, strict=True))


def test_more_frames_than_there_are(tmp_path: Path) -> None:
    tifffile.imwrite(
        tmp_path / "a.tif", np.zeros((5, 20, 20), np.uint16), metadata=None,
        description="ImageJ=1.53\nimages=5\nframes=10\n",
    )  # fmt: skip
    for image in images_in(tmp_path / "a.tif"):
        with pytest.raises(ReadError, match="it states 10 frames, and holds"):
            image.read()


def test_models_whose_files_are_named_differently_are_compared(tmp_path: Path) -> None:
    for folder, ending in (("t", "_gt"), ("a", "_gt"), ("b", "_pred")):
        (tmp_path / folder).mkdir()
        for name in "wxyz":
            np.save(tmp_path / folder / f"{name}{ending}.npy", SCENE.truth)
    results = evaluate_dataset(tmp_path / "t", {"a": tmp_path / "a", "b": tmp_path / "b"})
    assert results.ranking() == ["a", "b"]
    assert sorted({image.name for image in results.images}) == ["w", "x", "y", "z"]


def test_a_channel_is_chosen_where_there_are_several(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", SCENE.truth)
    both = np.stack([SCENE.pred, SCENE.truth]).astype(np.uint16)
    tifffile.imwrite(tmp_path / "two.ome.tif", both, ome=True, metadata={"axes": "CYX"})
    done = call("evaluate", tmp_path / "one.npy", tmp_path / "two.ome.tif", "--channel", 1, "--metrics", "pq")
    assert (done.exit_code, "1.0000" in done.stdout) == (0, True)


@pytest.mark.parametrize("label", [255, 1])
def test_ignored_pixels_are_not_judged(label: int) -> None:
    labels = np.zeros((200, 200), int)
    labels[50:90, 50:90] = 300
    for k in range(5):
        labels[110 + 12 * k : 116 + 12 * k, 5:100] = label
    assert evaluate(labels, np.where(labels == label, 0, labels), ignore=label)["pq"] == 1.0


def test_volumes_are_judged_as_volumes() -> None:
    """A comb is one object, although its teeth are many in every slice; so are four that wind through each other."""
    comb = np.zeros((10, 80, 80), int)
    comb[:, 4::8, 4::8] = 1
    comb[0] = 1
    assert evaluate(comb, comb)["pq"] == 1.0
    winding = np.zeros((24, 80, 80), int)
    for k in range(4):
        winding[4 * k + 6, 4 + 2 * k :: 8, :] = k + 1
        winding[:, 4 + 2 * k :: 8, 0 if k % 2 else 79] = k + 1
    evaluate(winding, winding)


def test_honest_labels_that_look_odd() -> None:
    volume = np.stack([discs((130, 130), 10, 4)] * 4, axis=-1).astype(np.uint8)
    tiles = np.arange(1, 1 + 100 * 100).reshape(100, 100).repeat(2, 0).repeat(2, 1)
    cut = discs((400, 400), 25, 8)[:, :]
    cut = np.where(cut > 255, 0, cut)
    cut[12:14] = 0  # a line through the first row of discs
    for labels in (volume, tiles, cut):
        assert evaluate(labels, labels)["pq"] == 1.0


def test_movies_are_paired_by_what_stands_before_the_frame(tmp_path: Path) -> None:
    def write(path: Path, frames: int) -> None:
        pixels: Any = np.stack([SCENE.truth] * frames).astype(np.uint16)
        tifffile.imwrite(path, pixels, imagej=True, metadata={"axes": "TYX"})

    for side, ending, frames in (("t", "", 5), ("p", "_pred", 12)):
        (tmp_path / side).mkdir()
        for name in "ab":
            write(tmp_path / side / f"{name}{ending}.tif", frames)
    results = evaluate_dataset(tmp_path / "t", tmp_path / "p")
    assert len(results.images) == 10
    assert results.pooled()["pq"] == 1.0


def test_skip_tells_what_was_wrong_with_every_model_and_nothing_scored_is_no_success(tmp_path: Path) -> None:
    for side in "tab":
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "x.npy", SCENE.truth)
    (tmp_path / "a" / "x.npy").write_bytes(b"")
    np.save(tmp_path / "b" / "x.npy", SCENE.truth[1:])
    done = call("evaluate", tmp_path / "t", tmp_path / "a", tmp_path / "b", "--missing", "skip")
    said = " ".join(done.stdout.split())
    assert done.exit_code == 1
    assert "x was left out for all models: a: x.npy is empty; b: truth and pred must have the same shape" in said


def test_a_frame_of_a_movie_of_single_slices_is_half_a_voxel_off_at_most(tmp_path: Path) -> None:
    """Time has no size in space: half of the distance of slices is allowed, not half of a second."""
    affine = np.diag([1.0, 1, 3, 1])
    movie = np.stack([SCENE.truth, SCENE.pred], axis=-1).transpose(1, 0, 2)[:, :, None, :].astype(np.int16)
    for name, z in (("a", 0.0), ("b", 1.2), ("c", 1.8)):
        affine[2, 3] = z
        nibabel.save(nibabel.Nifti1Image(movie, affine), tmp_path / f"{name}.nii")
    images = {name: images_in(tmp_path / f"{name}.nii")[1] for name in "abc"}
    found = load(Pair("a", images["a"], images["b"]))
    assert np.array_equal(found.truth, found.pred)
    with pytest.raises(ReadError, match="is another slice than the truth"):
        load(Pair("a", images["a"], images["c"]))
