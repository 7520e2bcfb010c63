"""The file boundary: nothing in a file runs, hangs, fills memory or ends a run, and nothing incomplete is scored."""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import bombs
import h5py
import numpy as np
import pytest
import tifffile
from commands import call

import softpq
from softpq import evaluate_dataset
from softpq.io import ReadError, read_labels
from softpq.synthetic import cells

LABELS = cells((60, 80), 20, seed=2).truth.astype(np.uint16)
SUFFIXES = {"png": ".png", "nrrd": ".nrrd", "tiff": ".tif", "hdf5": ".h5", "zarr": ".zarr"}


@pytest.fixture
def dataset(tmp_path: Path) -> tuple[Path, Path]:
    for folder in ("truth", "pred"):
        (tmp_path / folder).mkdir()
        for name in ("bad", "good"):
            tifffile.imwrite(tmp_path / folder / f"{name}.tif", LABELS)
    (tmp_path / "pred" / "bad.tif").unlink()
    return tmp_path / "truth", tmp_path / "pred"


def flipped_npy(path: Path) -> None:
    np.save(path, LABELS)
    data = bytearray(path.read_bytes())
    data[data.index(b"'shape'")] = ord("`")
    path.write_bytes(bytes(data))


def corrupt_npz(path: Path) -> None:
    np.savez_compressed(path, masks=LABELS)
    data = bytearray(path.read_bytes())
    data[120:130] = b"\xff" * 10
    path.write_bytes(bytes(data))


def two_page_companion(path: Path) -> None:
    """An OME-TIFF that says that its second plane is in another file, which is not there."""
    planes = "".join(
        f'<TiffData FirstZ="{z}" IFD="0" PlaneCount="1"><UUID FileName="{name}">urn:uuid:{z}</UUID></TiffData>'
        for z, name in enumerate((path.name, "lost.ome.tif"))
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" '
        f'UUID="urn:uuid:0"><Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="80" '
        f'SizeY="60" SizeZ="2" SizeC="1" SizeT="1"><Channel ID="Channel:0:0" SamplesPerPixel="1"/>{planes}</Pixels>'
        "</Image></OME>"
    )
    tifffile.imwrite(path, LABELS, description=text, metadata=None)


def virtual_hdf5(path: Path) -> None:
    layout = h5py.VirtualLayout((60, 80), "u2")
    layout[...] = h5py.VirtualSource(str(path.parent / "lost.h5"), "labels", (60, 80))
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("labels", layout)


BAD = {
    "flipped.npy": (flipped_npy, "cannot be read as NPY|not known|Cellpose|PanNuke"),
    "corrupt.npz": (corrupt_npz, "cannot be read as NPZ"),
    "axis.npy": (lambda path: np.save(path, np.zeros((0, 80), np.uint16)), "holds no pixels"),
    "long.npy": (bombs.empty_axis_npy, "holds no pixels"),
    "companion.ome.tif": (two_page_companion, "names a file that is not there, lost.ome.tif"),
    "virtual.h5": (virtual_hdf5, "names a file that is not there"),
    "circle.tif": (bombs.circle_of_pages, "pages follow each other without end"),
    "pipe.tif": (lambda path: os.mkfifo(path), "is no regular file"),
    "zero.png": (lambda path: path.symlink_to("/dev/zero"), "is no regular file"),
    "nrrd.nrrd": (lambda path: path.write_bytes(b"NRRD0004\ntype: uint8\n"), "cannot be read as NRRD"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_a_bad_file_costs_one_image_and_no_report(dataset: tuple[Path, Path], name: str) -> None:
    truth, pred = dataset
    write, message = BAD[name]
    suffix = ".ome.tif" if name.endswith(".ome.tif") else Path(name).suffix
    path = pred / f"bad{suffix}"
    if suffix == ".ome.tif":
        (truth / "bad.tif").rename(truth / "bad.ome.tif")
    write(path)
    page = truth.parent / "page.html"
    result = call("evaluate", truth, pred, "--html", page, "--csv", truth.parent / "out.csv")
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    assert page.exists()
    with (truth.parent / "out.csv").open() as file:
        assert [row["image"] for row in csv.DictReader(file)] == ["good"]
    (failure,) = evaluate_dataset(truth, pred).failures
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(failure.reason)
    looked = call("doctor", truth, pred)
    assert looked.exit_code == 1
    assert "Traceback" not in looked.output


def test_a_stack_of_one_image_is_a_stack(tmp_path: Path) -> None:
    stack = np.zeros((1, 8, 8, 6))
    stack[0, :4, :4, 0] = 3
    np.save(tmp_path / "a.npy", stack)
    results = evaluate_dataset(tmp_path / "a.npy", tmp_path / "a.npy")
    assert results.pooled()["pq"] == 1.0


def test_runs_that_overflow_are_refused(tmp_path: Path) -> None:
    for start, length in ((1, 2**63 - 1), (2**63 - 1, 5), (5, 2**62)):
        (tmp_path / "a.csv").write_text(f"ImageId,EncodedPixels,Height,Width\na,{start} {length},3,4\n")
        results = evaluate_dataset(tmp_path / "a.csv", tmp_path / "a.csv")
        assert "beyond the end of its image" in results.failures[0].reason
    (tmp_path / "a.csv").write_text(f"ImageId,EncodedPixels,Height,Width\na,{2**64} 1,3,4\n")
    assert "not numbers" in evaluate_dataset(tmp_path / "a.csv", tmp_path / "a.csv").failures[0].reason


@pytest.mark.parametrize("memory", ["1GB", "15kB"])
def test_lost_chunks_are_said_or_refused(memory: str, tmp_path: Path) -> None:
    import zarr

    for name in ("truth", "pred"):
        array = zarr.create_array(str(tmp_path / f"{name}.zarr"), shape=LABELS.shape, chunks=(20, 20), dtype="u2")
        array[...] = LABELS
    (tmp_path / "pred.zarr" / "c" / "1" / "1").unlink()
    places = (tmp_path / "truth.zarr", tmp_path / "pred.zarr")
    results = evaluate_dataset(*places, memory=memory, jobs=1)
    assert results.images[0].notes == ("pred: 1 of 12 chunks are not stored and stand for 0",)
    output = call("evaluate", *places, "--memory", memory, "-j", 1).output
    assert "1 of 12 chunks are not stored" in " ".join(output.split())
    strict = evaluate_dataset(*places, memory=memory, jobs=1, require_chunks=True)
    assert "is not complete: 1 of 12 chunks are not stored" in strict.failures[0].reason
    assert call("evaluate", *places, "--require-chunks").exit_code == 1


# ---------------------------------------------------------------- memory and time

SMALL = {
    "png": (bombs.palette_png, "claims|cannot hold"),
    "nrrd": (bombs.nrrd, None),
    "tiff": (bombs.zlib_tiff, None),
    "hdf5": (bombs.hdf5, "cannot be read as HDF5|took too much memory|more memory than allowed"),
    "zarr": (bombs.zarr, "claims .* bytes, a chunk has 4096"),
}

MEASURED = """
import resource, sys
from softpq.io import *
from softpq.io.format import ReadOptions
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    found = images_in(sys.argv[1])[0].read(ReadOptions(limit=200_000_000)).labels
    print("read", found.shape)
except ReadError as error:
    print(error)
import softpq.io.child as child
child._end_all()
usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(max(usage[0] - before, usage[1]))
"""


@pytest.mark.parametrize("kind", list(SMALL))
def test_a_small_file_does_not_become_large(kind: str, tmp_path: Path) -> None:
    """What claims to be large is refused; what is larger than it claims is read as far as it claims, or refused."""
    write, message = SMALL[kind]
    path = tmp_path / f"bomb{SUFFIXES[kind]}"
    write(path)
    done = subprocess.run([sys.executable, "-c", MEASURED, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said, kilobytes = done.stdout.splitlines()
    if message is None:
        assert said == "read (64, 64)"
    else:
        with pytest.raises(AssertionError, match=message):
            raise AssertionError(said)
    assert int(kilobytes) < 900_000  # 200 MB are allowed, 512 MB more in a process of its own


def test_the_limit_is_what_memory_says(tmp_path: Path) -> None:
    for name in ("truth", "pred"):
        (tmp_path / name).mkdir()
        for suffix, write in ((".png", lambda p: __import__("PIL.Image").Image.fromarray(LABELS).save(p)),):
            write(tmp_path / name / f"a{suffix}")
    good = evaluate_dataset(tmp_path / "truth", tmp_path / "pred", memory="1MB")
    poor = evaluate_dataset(tmp_path / "truth", tmp_path / "pred", memory="5kB")
    assert not good.failures
    assert "claims 9.6 kB of pixels, and 5 kB are allowed; pass more, such as memory=" in poor.failures[0].reason


def test_an_outline_of_a_million_corners_comes_to_an_end(tmp_path: Path) -> None:
    bombs.many_corners(tmp_path / "a.geojson")
    assert read_labels(tmp_path / "a.geojson", (60, 80)).max() == 1
    bombs.many_corners(tmp_path / "b.geojson", 20)
    np.save(tmp_path / "wide.npy", np.zeros((60, 80), np.uint8))
    assert read_labels(tmp_path / "b.geojson", (60, 80)).any()


# ---------------------------------------------------------------- other files, names, threads


def test_paths_inside_of_files_stay_in_their_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    LABELS.tofile(outside / "pixels.raw")
    LABELS.tofile(inside / "pixels.raw")
    head = "NRRD0004\ntype: uint16\ndimension: 2\nsizes: 80 60\nencoding: raw\nendian: little\ndata file: {}\n\n"
    (inside / "far.nhdr").write_text(head.format(outside / "pixels.raw"))
    (inside / "up.nhdr").write_text(head.format("../out/pixels.raw"))
    (inside / "near.nhdr").write_text(head.format("pixels.raw"))
    with h5py.File(outside / "other.h5", "w") as file:
        file["labels"] = LABELS
    with h5py.File(inside / "link.h5", "w") as file:
        file["labels"] = h5py.ExternalLink(str(outside / "other.h5"), "labels")
    with h5py.File(inside / "store.h5", "w") as file:
        file.create_dataset("labels", LABELS.shape, "u2", external=[(str(outside / "pixels.raw"), 0, LABELS.nbytes)])
    assert np.array_equal(read_labels(inside / "near.nhdr"), LABELS)
    for name in ("far.nhdr", "up.nhdr", "store.h5", "link.h5:labels"):
        with pytest.raises(ReadError, match="names a file outside of its folder"):
            read_labels(f"{inside / name}")
        results = evaluate_dataset(inside / "near.nhdr", str(inside / name), allow_outside=True)
        assert results.pooled()["pq"] == 1.0
    assert call("evaluate", inside / "near.nhdr", inside / "up.nhdr").exit_code == 1
    assert call("evaluate", inside / "near.nhdr", inside / "up.nhdr", "--allow-outside").exit_code == 0


def test_names_do_not_reach_the_terminal_as_they_are(tmp_path: Path) -> None:
    nasty = ["a\x1b[31mred", "b\x1b]0;title\x07", "c\u202egnp", "=1+1", "@cmd", "+2", "-3"]
    for folder in ("truth", "m\x1b[1m"):
        (tmp_path / folder).mkdir()
        for name in nasty:
            tifffile.imwrite(tmp_path / folder / f"{name}.tif", LABELS)
    tifffile.imwrite(tmp_path / "m\x1b[1m" / f"{nasty[0]}.tif", LABELS[1:])
    page, table = tmp_path / "p.html", tmp_path / "t.csv"
    result = call("evaluate", tmp_path / "truth", tmp_path / "m\x1b[1m", "--csv", table, "--html", page,
                  "--objects", tmp_path / "o.csv")  # fmt: skip
    assert result.exit_code == 1
    assert not {"\x1b", "\x07", "\u202e"} & set(result.output)
    assert "\\x1b[31mred" in result.output
    for path in (table, tmp_path / "o.csv"):
        with path.open() as file:
            cells_seen = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells_seen if cell[:1] in "=+@"]
        assert not {"\x1b", "\x07"} & set("".join(cells_seen))
    output = call("doctor", tmp_path / "truth", tmp_path / "m\x1b[1m").output
    assert "\x1b" not in output


def test_limits_of_other_libraries_stay_as_they_are(tmp_path: Path) -> None:
    from PIL import Image

    Image.fromarray(LABELS).save(tmp_path / "a.png")
    before = Image.MAX_IMAGE_PIXELS
    seen = []
    original = np.asarray

    def watched(*args: Any, **options: Any) -> Any:
        seen.append(Image.MAX_IMAGE_PIXELS)
        return original(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("softpq.io.formats.png.np.asarray", watched)
        read_labels(tmp_path / "a.png")
    assert set(seen) == {before}


# ---------------------------------------------------------------- interrupts, full disks, damaged notes


def test_an_interrupt_answers_at_once_and_keeps_what_is_noted(tmp_path: Path) -> None:
    """While a large image is counted; the exit code is that of interrupted programs."""
    for name in ("truth", "pred"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", LABELS)
        large = np.lib.format.open_memmap(tmp_path / name / "b.npy", "w+", np.uint8, (40_000, 30_000))
        large[:] = np.arange(30_000) % 2  # so many runs that it takes long
        large.flush()
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "softpq", "evaluate", "truth", "pred", "--resume", str(log), "-j", "1"]
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # jobs in the background ignore it
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=tmp_path, **pipes, **heard)
    while process.poll() is None and not (log.exists() and '"key"' in log.read_text()):
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Interrupted" in errors
    assert "Traceback" not in errors
    assert json.loads(results_in(log)[0])["image"]["name"] == "a"


def test_results_are_printed_before_files_are_written(dataset: tuple[Path, Path]) -> None:
    truth, pred = dataset
    (truth / "bad.tif").unlink()
    result = call("evaluate", truth, pred, "--csv", "/dev/full", "--json", truth.parent / "r.json")
    assert result.exit_code == 1
    assert "softpq" in result.output
    assert "/dev/full could not be written" in " ".join(result.output.split())
    assert (truth.parent / "r.json").exists()


def results_in(log: Path) -> list[str]:
    """Lines of images; there are others, of files."""
    return [line for line in log.read_text().splitlines() if '"key"' in line]


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "3", '{"key": 3}', '{"key": ["a"], "image": {}}', '{"key": "KEY", "image": {}}',
     '{"key": "KEY", "image": {"name": 3, "model": [], "parts": {"pq": 7}}}', '{"key": "KEY", "image": null}',
     '{"key": "KEY", "image": {"parts": {"nothing": {}}}}', "[" * 100_000],
)  # fmt: skip
def test_damaged_notes_are_passed_over(line: str, dataset: tuple[Path, Path], tmp_path: Path) -> None:
    truth, pred = dataset
    (truth / "bad.tif").unlink()
    log = tmp_path / "log"
    expected = evaluate_dataset(truth, pred, resume=log).rows()
    key = json.loads(results_in(log)[0])["key"]
    log.write_text('{"file": "x"}\n' + line.replace('"KEY"', json.dumps(key)) + "\n")
    assert evaluate_dataset(truth, pred, resume=log).rows() == expected


def test_a_file_that_changes_while_it_is_scored_is_not_noted(dataset: tuple[Path, Path], tmp_path: Path) -> None:
    truth, pred = dataset
    (truth / "bad.tif").unlink()
    log = tmp_path / "log"

    def rewrite(*seen: Any) -> None:
        tifffile.imwrite(pred / "good.tif", np.roll(LABELS, 3, axis=1))

    evaluate_dataset(truth, pred, resume=log, observers=(rewrite,))
    assert not results_in(log)
    now = evaluate_dataset(truth, pred, resume=log)
    assert now.pooled()["pq"] < 1
    assert results_in(log)


def test_what_goes_wrong_in_an_observer_costs_no_score(dataset: tuple[Path, Path]) -> None:
    truth, pred = dataset

    def fails(*seen: Any) -> None:
        raise ZeroDivisionError

    results = evaluate_dataset(truth, pred, missing="skip", observers=(fails,))
    assert len(results.images) == 1
    assert "could not be looked at closer" in results.images[0].notes[0]


def test_memory_of_this_process_was_not_used() -> None:
    """The files above claim gigabytes; this process saw none of them."""
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 6_000_000
    assert softpq.__all__
