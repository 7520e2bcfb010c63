"""Time, channels, depth: every moment is an image of its own, and of channels one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import nibabel
import numpy as np
import pytest
import tifffile
import zarr
from commands import call

from softpq import evaluate_dataset, score, synthetic
from softpq.errors import ReadError
from softpq.io.image import images_in
from softpq.io.one_file import read_labels

FRAMES = 5


def movie(axes: str, side: int) -> np.ndarray:
    """Truth (0) or prediction (1) of a movie of planes or volumes."""
    shape = (48, 60) if "Z" not in axes else (4, 32, 40)
    scenes = [synthetic.cells(shape=shape, objects=12, seed=k) for k in range(FRAMES)]
    return np.stack([(scene.truth, scene.pred)[side] for scene in scenes]).astype(np.uint16)


WRITERS: dict[str, Callable[[Path, np.ndarray, str], Any]] = {
    "ImageJ": lambda path, pixels, axes: tifffile.imwrite(path, pixels, imagej=True, metadata={"axes": axes}),
    "OME": lambda path, pixels, axes: tifffile.imwrite(path, pixels, ome=True, metadata={"axes": axes}),
    "OME, compressed": lambda path, pixels, axes: tifffile.imwrite(
        path, pixels, ome=True, compression="zlib", tile=(16, 16), metadata={"axes": axes}
    ),
    "shaped": lambda path, pixels, axes: tifffile.imwrite(path, pixels, metadata={"axes": axes}),
}


@pytest.mark.filterwarnings("ignore:.*stored as RGB:DeprecationWarning")
@pytest.mark.parametrize("axes", ["TYX", "TZYX"])
@pytest.mark.parametrize("kind", WRITERS)
def test_folders_of_movies_equal_their_frames_one_by_one(kind: str, axes: str, tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    (tmp_path / "pred").mkdir()
    suffix = ".ome.tif" if kind.startswith("OME") else ".tif"
    truth, pred = movie(axes, 0), movie(axes, 1)
    WRITERS[kind](tmp_path / "truth" / f"m{suffix}", truth, axes)
    WRITERS[kind](tmp_path / "pred" / f"m{suffix}", pred, axes)
    results = evaluate_dataset(tmp_path / "truth", tmp_path / "pred")
    assert len(results.images) == FRAMES
    assert [image.name[-4:] for image in results.images] == [f"t00{k}" for k in range(FRAMES)]
    for image, one, other in zip(results.images, truth, pred, strict=True):
        assert image.scores["softpq"].value == score(one, other)


def test_movies_are_read_in_parts_too(tmp_path: Path) -> None:
    for side, name in enumerate(("truth", "pred")):
        tifffile.imwrite(tmp_path / f"{name}.tif", movie("TZYX", side), imagej=True, metadata={"axes": "TZYX"})
    whole = call("evaluate", tmp_path / "truth.tif", tmp_path / "pred.tif", "--csv", tmp_path / "a.csv")
    parts = call("evaluate", tmp_path / "truth.tif", tmp_path / "pred.tif", "--csv", tmp_path / "b.csv",
                "--memory", "20kB")  # fmt: skip
    assert whole.exit_code == parts.exit_code == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_a_glob_names_the_frames(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        tifffile.imwrite(tmp_path / name / "gt.tif", movie("TYX", 0), imagej=True, metadata={"axes": "TYX"})
    results = evaluate_dataset(str(tmp_path / "*/gt.tif"), str(tmp_path / "*/gt.tif"))
    assert [image.name for image in results.images] == [f"{n}_t00{k}" for n in "ab" for k in range(FRAMES)]


def test_nifti_moments_are_images(tmp_path: Path) -> None:
    truth = movie("TZYX", 0).astype(np.int16)
    nibabel.save(nibabel.Nifti1Image(truth.T, np.eye(4)), tmp_path / "a.nii.gz")
    images = images_in(tmp_path / "a.nii.gz")
    assert [image.name for image in images] == [f"a_t00{k}" for k in range(FRAMES)]
    assert all(np.array_equal(image.read().labels, frame) for image, frame in zip(images, truth, strict=True))


def test_ome_zarr_states_time_and_channels(tmp_path: Path) -> None:
    truth = movie("TYX", 0)
    store = zarr.open_group(str(tmp_path / "a.zarr"), mode="w", zarr_format=2)
    store.create_array("0", shape=truth[:, None].shape, dtype=truth.dtype)[...] = truth[:, None]
    axes = [{"name": "t", "type": "time"}, {"name": "c", "type": "channel"}, {"name": "y"}, {"name": "x"}]
    store.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": [{"path": "0"}]}]
    images = images_in(tmp_path / "a.zarr")
    assert len(images) == FRAMES
    assert np.array_equal(images[3].read().labels, truth[3])


@pytest.mark.parametrize("suffix", [".tif", ".npy", ".h5", ".zarr"])
def test_axes_that_nobody_states_are_space_unless_told_otherwise(suffix: str, tmp_path: Path) -> None:
    for side, name in enumerate(("truth", "pred")):
        pixels, path = movie("TYX", side), tmp_path / f"{name}{suffix}"
        if suffix == ".tif":
            tifffile.imwrite(path, pixels)
        elif suffix == ".npy":
            np.save(path, pixels)
        elif suffix == ".zarr":
            zarr.save_array(str(path), pixels)
        else:
            with h5py.File(path, "w") as file:
                file["labels"] = pixels
    places = str(tmp_path / f"truth{suffix}"), str(tmp_path / f"pred{suffix}")
    (volume,) = evaluate_dataset(*places).images
    assert volume.scores["softpq"].value == score(movie("TYX", 0), movie("TYX", 1))
    frames = evaluate_dataset(*places, axes="TYX").images
    assert [image.scores["softpq"].value for image in frames] == [
        score(movie("TYX", 0)[k], movie("TYX", 1)[k]) for k in range(FRAMES)
    ]


@pytest.mark.filterwarnings("ignore:.*stored as RGB:DeprecationWarning")
@pytest.mark.parametrize("slices", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32])
def test_stacks_of_few_slices_are_volumes(slices: int, dtype: type, tmp_path: Path) -> None:
    """A plain ``tifffile.imwrite`` calls three or four planes of 8 bit a colour image."""
    scene = synthetic.cells(shape=(slices, 40, 52), objects=12, seed=1)
    truth, pred = scene.truth.astype(dtype), scene.pred.astype(dtype)
    tifffile.imwrite(tmp_path / "truth.tif", truth)
    tifffile.imwrite(tmp_path / "pred.tif", pred)
    (image,) = evaluate_dataset(str(tmp_path / "truth.tif"), str(tmp_path / "pred.tif")).images
    assert image.scores["softpq"].value == score(truth, pred)


def test_several_channels_are_an_error_that_says_how_to_choose(tmp_path: Path) -> None:
    scene = synthetic.cells(shape=(40, 52), objects=12, seed=1)
    both = np.stack([scene.truth, scene.pred]).astype(np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", both, imagej=True, metadata={"axes": "CYX"})
    with pytest.raises(ReadError, match="holds 2 channels, a label image has one; choose with channel=0 to 1"):
        read_labels(tmp_path / "a.tif")
    assert np.array_equal(read_labels(tmp_path / "a.tif", channel=1), scene.pred)
    with pytest.raises(ReadError, match="holds 2 channels; there is none with the number 2"):
        read_labels(tmp_path / "a.tif", channel=2)
    refused = call("evaluate", tmp_path / "a.tif", tmp_path / "a.tif")
    assert refused.exit_code == 1
    assert "--channel 0 to 1" in " ".join(refused.stdout.split())
    assert call("evaluate", tmp_path / "a.tif", tmp_path / "a.tif", "--channel", "0").exit_code == 0
    assert call("evaluate", tmp_path / "a.tif", tmp_path / "a.tif", "--axes", "ZYX").exit_code == 0


def test_axes_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((4, 5), np.uint8))
    wrong = call("evaluate", tmp_path / "a.npy", tmp_path / "a.npy", "--axes", "QYX")
    assert wrong.exit_code == 2
    assert "axes must be letters of T, C, Z, Y, X" in " ".join(wrong.stderr.split())
    few = call("evaluate", tmp_path / "a.npy", tmp_path / "a.npy", "--axes", "TZYX")
    assert few.exit_code == 2
    assert "has no axes TZYX" in " ".join((few.stdout + few.stderr).split())


def test_a_list_of_images_is_a_dataset_and_no_volume() -> None:
    images = [synthetic.cells(shape=(20, 20), objects=4, seed=k).truth for k in range(3)]
    with pytest.raises(TypeError, match="evaluate_dataset"):
        score(images, images)
    assert evaluate_dataset(images, images).pooled("model")["softpq"] == 1.0
    assert score([[1, 1], [0, 2]], [[1, 1], [0, 2]]) == 1.0


def test_a_short_axis_is_depth_where_somebody_says_so(tmp_path: Path) -> None:
    """Two planes of which one is nested in the other look like channels, unless axes are stated."""
    scene = synthetic.cells(shape=(200, 200), objects=60, seed=1)
    inside = np.where(scene.pred == 0, 0, scene.truth) * 0
    for label in range(1, 61):
        rows, columns = np.nonzero(scene.truth == label)
        inside[int(rows.mean()) - 3 : int(rows.mean()) + 3, int(columns.mean()) - 3 : int(columns.mean()) + 3] = (
            label * 7 % 61 + 1
        )
    planes = np.stack([scene.truth, np.where(scene.truth, inside, 0)]).astype(np.uint16)
    tifffile.imwrite(tmp_path / "plain.tif", planes)
    tifffile.imwrite(tmp_path / "stated.tif", planes, imagej=True, metadata={"axes": "ZYX"})
    refused = call("evaluate", tmp_path / "plain.tif", tmp_path / "plain.tif")
    assert refused.exit_code == 1
    assert "looks like 2 channels along axis 0" in " ".join(refused.stdout.split())
    assert call("evaluate", tmp_path / "plain.tif", tmp_path / "plain.tif", "--axes", "ZYX").exit_code == 0
    for chosen in (["--axes", "CYX", "--channel", 1], ["--channel", 1]):
        assert call("evaluate", tmp_path / "plain.tif", tmp_path / "plain.tif", *chosen).exit_code == 0
    assert np.array_equal(read_labels(tmp_path / "plain.tif", channel=1), planes[1])
    np.save(tmp_path / "last.npy", np.moveaxis(planes, 0, -1))
    assert np.array_equal(read_labels(tmp_path / "last.npy", channel=1), planes[1])
    np.save(tmp_path / "flat.npy", planes[0])
    assert np.array_equal(read_labels(tmp_path / "flat.npy", channel=0), planes[0])
    assert np.array_equal(read_labels(tmp_path / "flat.npy", channel=1), planes[0])  # of one channel there is no choice
    assert np.array_equal(read_labels(tmp_path / "stated.tif", channel=1), planes)  # z is no channel
    assert call("evaluate", tmp_path / "stated.tif", tmp_path / "stated.tif").exit_code == 0
