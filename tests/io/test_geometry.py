"""How volumes lie in space: one image in all orientations and formats is one image; what lies elsewhere is refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import h5py
import nibabel
import numpy as np
import pytest
import tifffile
import zarr
from commands import call

from softpq import evaluate_dataset, synthetic
from softpq.doctor import examine
from softpq.errors import ReadError
from softpq.io.image import LabelImage, images_in
from softpq.io.loading import load
from softpq.io.pairing import Pair

VOLUME = synthetic.cells(shape=(7, 40, 51), objects=20, seed=3).truth.astype(np.int16)
"""(z, y, x), and nothing about it is symmetric."""

SIZES, ORIGIN = (0.5, 0.75, 2.0), (-12.0, 3.5, 40.0)
"""Of pixels along x, y, z, and where the first one is: to the right, to the front, up."""

AFFINE = np.array([[SIZES[0], 0, 0, ORIGIN[0]], [0, SIZES[1], 0, ORIGIN[1]], [0, 0, SIZES[2], ORIGIN[2]], [0, 0, 0, 1]])

ORIENTATIONS = [
    np.column_stack([order, signs])
    for order in itertools.permutations(range(3))
    for signs in itertools.product((1, -1), repeat=3)
]


def turned(orientation: np.ndarray) -> nibabel.Nifti1Image:
    """The volume, stored along other axes in another direction; in space it is the same."""
    return nibabel.Nifti1Image(VOLUME.T, AFFINE).as_reoriented(orientation)


def write_nifti(image: nibabel.Nifti1Image, path: Path) -> None:
    nibabel.save(image, path)


def write_nrrd(image: nibabel.Nifti1Image, path: Path, space: str = "left-posterior-superior") -> None:
    """As ITK does: right and front have the other sign."""
    turn = {"left-posterior-superior": (-1, -1, 1), "LAS": (-1, 1, 1), "right-anterior-superior": (1, 1, 1)}[space]
    pixels = np.asarray(image.dataobj)
    steps, origin = image.affine[:3, :3].T * turn, image.affine[:3, 3] * turn
    vectors = " ".join(f"({','.join(repr(float(v)) for v in step)})" for step in steps)
    header = (
        f"NRRD0004\ntype: short\ndimension: 3\nspace: {space}\nsizes: {' '.join(map(str, pixels.shape))}\n"
        f"space directions: {vectors}\nkinds: domain domain domain\nendian: little\nencoding: raw\n"
        f"space origin: ({','.join(repr(float(v)) for v in origin)})\n\n"
    )
    path.write_bytes(header.encode() + pixels.astype("<i2").tobytes(order="F"))


def loaded(truth: Path, pred: Path) -> tuple[np.ndarray, np.ndarray]:
    found = load(Pair("a", images_in(truth)[0], images_in(pred)[0]))
    return found.truth, found.pred


def test_all_48_orientations_of_both_formats_are_the_same_image(tmp_path: Path) -> None:
    files = []
    for k, orientation in enumerate(ORIENTATIONS):
        for suffix, write in ((".nii", write_nifti), (".nrrd", write_nrrd)):
            files.append(tmp_path / f"{k}{suffix}")
            write(turned(orientation), files[-1])
    contents = [LabelImage("a", str(path), 0, "NIfTI" if path.suffix == ".nii" else "NRRD").read() for path in files]
    assert len({np.asarray(content.labels).tobytes() for content in contents}) == 48
    images = [LabelImage(path.name, str(path), 0, "NIfTI" if path.suffix == ".nii" else "NRRD") for path in files]
    for truth, content in zip(images, contents, strict=True):
        for pred in images:
            pair = load(Pair("a", truth, pred), content)
            assert np.array_equal(pair.truth, pair.pred), (truth.name, pred.name)
            assert pair.notes == ()


@pytest.mark.parametrize("space", ["LAS", "right-anterior-superior"])
def test_spaces_of_nrrd_are_known(space: str, tmp_path: Path) -> None:
    write_nifti(turned(ORIENTATIONS[0]), tmp_path / "a.nii.gz")
    write_nrrd(turned(ORIENTATIONS[29]), tmp_path / "b.nrrd", space)
    truth, pred = loaded(tmp_path / "a.nii.gz", tmp_path / "b.nrrd")
    assert np.array_equal(truth, pred)


def test_one_order_of_axes_for_all_formats(tmp_path: Path) -> None:
    """z, y, x, slowest first, whatever the format."""
    write_nifti(turned(ORIENTATIONS[0]), tmp_path / "a.nii.gz")
    write_nrrd(turned(ORIENTATIONS[0]), tmp_path / "b.nrrd")
    tifffile.imwrite(tmp_path / "c.tif", VOLUME)
    np.save(tmp_path / "d.npy", VOLUME)
    with h5py.File(tmp_path / "e.h5", "w") as file:
        file["labels"] = VOLUME
    zarr.save_array(str(tmp_path / "f.zarr"), VOLUME)
    files = sorted(tmp_path.iterdir())
    for truth, pred in itertools.product(files, files):
        first, second = loaded(truth, pred)
        assert np.array_equal(first, VOLUME)
        assert np.array_equal(second, VOLUME)


def moved(*, by: tuple[float, ...] = (0, 0, 0), size: float = 1.0, angle: float = 0.0) -> nibabel.Nifti1Image:
    """The volume somewhere else: shifted by pixels along x, with other pixels, turned about z by degrees."""
    turn = np.eye(4)
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    turn[:2, :2] = [[c, -s], [s, c]]
    affine = turn @ AFFINE
    affine[:3, :3] *= size
    affine[:3, 3] = AFFINE[:3, 3] + np.array(by) * SIZES
    return nibabel.Nifti1Image(VOLUME.T, affine)


WRONG = {
    "an origin one voxel to the right": (moved(by=(1, 0, 0)), ["0, 0, 1 pixels", "-11.5, 3.5, 40", "-12, 3.5, 40"]),
    "an origin one voxel up": (moved(by=(0, 0, -1)), ["-1, 0, 0 pixels", "-12, 3.5, 38", "-12, 3.5, 40"]),
    "larger pixels": (moved(size=1.1), ["2.2 x 0.825 x 0.55", "2 x 0.75 x 0.5"]),
    "an oblique direction": (moved(angle=8), ["8.0 degrees", "(0.4951, 0.06959, 0)", "(0.5, 0, 0)"]),
    "a direction that is half a degree off": (moved(angle=0.5), ["obliquely", "(0.5, 0.004363, 0)", "(0.5, 0, 0)"]),
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("suffix", [".nii", ".nrrd"])
def test_what_lies_elsewhere_is_refused_with_both_numbers(what: str, suffix: str, tmp_path: Path) -> None:
    wrong, words = WRONG[what]
    write = write_nifti if suffix == ".nii" else write_nrrd
    write_nifti(turned(ORIENTATIONS[0]), tmp_path / "truth.nii")
    write(wrong.as_reoriented(ORIENTATIONS[17]), tmp_path / f"pred{suffix}")
    with pytest.raises(ReadError) as caught:
        loaded(tmp_path / "truth.nii", tmp_path / f"pred{suffix}")
    for word in [f"pred{suffix}", 'geometry="ignore"', *words]:
        assert word in str(caught.value)


def test_a_shift_of_less_than_half_a_voxel_is_rounding(tmp_path: Path) -> None:
    write_nifti(turned(ORIENTATIONS[0]), tmp_path / "truth.nii")
    write_nifti(moved(by=(0.4, -0.4, 0.2), size=1.00001), tmp_path / "pred.nii")
    truth, pred = loaded(tmp_path / "truth.nii", tmp_path / "pred.nii")
    assert np.array_equal(truth, pred)


def test_the_command_line_checks_geometry_unless_told_otherwise(tmp_path: Path) -> None:
    write_nifti(turned(ORIENTATIONS[0]), tmp_path / "truth.nii")
    write_nifti(moved(by=(1, 0, 0)), tmp_path / "pred.nii")
    write_nrrd(turned(ORIENTATIONS[40]), tmp_path / "turned.nrrd")
    refused = call("evaluate", tmp_path / "truth.nii", tmp_path / "pred.nii")
    assert refused.exit_code == 1
    assert "lies 0, 0, 1 pixels from the truth" in " ".join(refused.stdout.split())
    ignored = call("evaluate", tmp_path / "truth.nii", tmp_path / "pred.nii", "--geometry", "ignore")
    assert ignored.exit_code == 0
    assert "1.0000" in ignored.stdout
    fine = call("evaluate", tmp_path / "truth.nii", tmp_path / "turned.nrrd", "--metrics", "pq")
    assert fine.exit_code == 0
    assert "1.0000" in fine.stdout


def test_one_statement_alone_changes_nothing_but_pixel_sizes_are_compared(tmp_path: Path) -> None:
    write_nifti(turned(ORIENTATIONS[0]), tmp_path / "truth.nii")
    tifffile.imwrite(
        tmp_path / "pred.tif", VOLUME, imagej=True, resolution=(1, 1), metadata={"axes": "ZYX", "spacing": 3.0}
    )
    results = evaluate_dataset(str(tmp_path / "truth.nii"), str(tmp_path / "pred.tif"))
    (image,) = results.images
    assert image.scores["pq"].value == 1.0
    assert image.notes == ("the files state different pixel sizes: truth 2 x 0.75 x 0.5, pred 3 x 1 x 1",)


def test_nifti_without_a_statement_is_taken_as_it_is(tmp_path: Path) -> None:
    plain = nibabel.Nifti1Image(VOLUME.T, None)
    plain.header["sform_code"] = plain.header["qform_code"] = 0
    write_nifti(plain, tmp_path / "truth.nii")
    write_nifti(turned(ORIENTATIONS[0]), tmp_path / "pred.nii")
    truth, pred = loaded(tmp_path / "truth.nii", tmp_path / "pred.nii")
    assert np.array_equal(truth, pred)


def test_a_single_slice_keeps_its_direction(tmp_path: Path) -> None:
    plane = nibabel.Nifti1Image(VOLUME[3:4].T, AFFINE)
    write_nifti(plane, tmp_path / "truth.nii")
    write_nifti(plane.as_reoriented(np.array([[1, -1], [0, 1], [2, -1]])), tmp_path / "pred.nii")
    truth, pred = loaded(tmp_path / "truth.nii", tmp_path / "pred.nii")
    assert np.array_equal(truth, VOLUME[3])
    assert np.array_equal(truth, pred)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda volume: volume[:, ::-1], "axis 1 is turned round"),
        (lambda volume: volume[::-1, ::-1], "axis 0 and axis 1 are turned round"),
    ],
)
def test_the_doctor_finds_axes_that_are_turned_round(change: object, said: str, tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", VOLUME)
    np.save(tmp_path / "pred.npy", change(VOLUME))
    assert any(said in str(finding) for finding in examine(tmp_path / "truth.npy", tmp_path / "pred.npy"))


def test_the_doctor_finds_axes_that_are_exchanged(tmp_path: Path) -> None:
    cube = VOLUME[:, :40, :40]
    np.save(tmp_path / "truth.npy", cube)
    np.save(tmp_path / "pred.npy", cube.transpose(0, 2, 1))
    said = [str(finding) for finding in examine(tmp_path / "truth.npy", tmp_path / "pred.npy")]
    assert any("axes 1 and 2 are exchanged" in text for text in said)
    np.save(tmp_path / "pred.npy", VOLUME.T)
    np.save(tmp_path / "truth.npy", VOLUME)
    said = [str(finding) for finding in examine(tmp_path / "truth.npy", tmp_path / "pred.npy")]
    assert any("axes are in another order" in text and "(2, 1, 0)" in text for text in said)
