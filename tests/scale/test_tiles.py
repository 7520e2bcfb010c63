"""Out of core: whatever the store, the cuts and the threads, the table is the one of the whole image."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tifffile
import zarr
from hypothesis import given
from hypothesis import strategies as st
from strategies import label_pairs

import softpq
from softpq import Overlap, count
from softpq._checks import parse_size
from softpq.doctor import examine
from softpq.io import ReadError, open_stored
from softpq.scale.blocks import block_shape, blocks_of, with_halo
from softpq.scale.tiles import Sum
from softpq.table.partial import Partial

RNG = np.random.default_rng(5)


def labels(shape: tuple[int, ...], n: int, dtype: str) -> np.ndarray:
    coarse = RNG.integers(0, n, [-(-size // 5) for size in shape])
    return np.kron(coarse, np.ones([5] * len(shape), int))[tuple(slice(size) for size in shape)].astype(dtype)


PLANE = labels((130, 97), 40, "u2"), labels((130, 97), 50, "i4")
VOLUME = labels((11, 60, 47), 30, "u4"), labels((11, 60, 47), 30, "u1")


def write_zarr(path: Path, array: np.ndarray, version: int, **options: Any) -> None:
    store = zarr.create_array(str(path), shape=array.shape, dtype=array.dtype, zarr_format=version, **options)
    store[...] = array


def write_pyramid(path: Path, array: np.ndarray) -> None:
    group = zarr.open_group(str(path), mode="w", zarr_format=2)
    for level, step in (("full", 1), ("half", 2)):
        part = array[..., ::step, ::step]
        group.create_array(level, shape=part.shape, dtype=part.dtype, chunks=(32,) * array.ndim)[...] = part
    group.attrs["multiscales"] = [{"version": "0.4", "datasets": [{"path": "full"}, {"path": "half"}]}]


def write_hdf5(path: Path, array: np.ndarray, **options: Any) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("labels", data=array, **options)


STORES: dict[str, tuple[str, Callable[[Path, np.ndarray], None]]] = {
    "zarr 2": (".zarr", lambda p, a: write_zarr(p, a, 2, chunks=(16,) * a.ndim)),
    "zarr 3": (".zarr", lambda p, a: write_zarr(p, a, 3, chunks=(7,) * a.ndim)),
    "zarr 3 in shards": (".zarr", lambda p, a: write_zarr(p, a, 3, chunks=(8,) * a.ndim, shards=(32,) * a.ndim)),
    "zarr, one chunk": (".zarr", lambda p, a: write_zarr(p, a, 2, chunks=a.shape)),
    "OME-Zarr": (".zarr", write_pyramid),
    "hdf5": (".h5", lambda p, a: write_hdf5(p, a, chunks=(9,) * a.ndim, compression="gzip")),
    "hdf5, one piece": (".h5", write_hdf5),
    "npy": (".npy", np.save),
    "tiff, tiles": (".tif", lambda p, a: tifffile.imwrite(p, a, tile=(32, 48), compression="zlib", predictor=2)),
    "tiff, strips": (".tif", lambda p, a: tifffile.imwrite(p, a, rowsperstrip=13, compression="lzw")),
    "tiff, plain": (".tif", tifffile.imwrite),
    "tiff, big-endian": (".tif", lambda p, a: tifffile.imwrite(p, a, byteorder=">", tile=(16, 16))),
    "OME-TIFF": (
        ".ome.tif",
        lambda p, a: tifffile.imwrite(p, a, tile=(16, 16), ome=True, metadata={"axes": "ZYX"[-a.ndim :]}),
    ),
    "ImageJ": (
        ".tif",
        lambda p, a: tifffile.imwrite(p, a.astype(np.uint16), imagej=True, metadata={"axes": "ZYX"[-a.ndim :]}),
    ),
}


@pytest.mark.parametrize("pair", [PLANE, VOLUME], ids=["plane", "volume"])
@pytest.mark.parametrize("kind", STORES)
def test_every_store_gives_the_table_of_the_whole(
    kind: str, pair: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    suffix, write = STORES[kind]
    truth, pred = tmp_path / f"truth{suffix}", tmp_path / f"pred{suffix}"
    write(truth, pair[0])
    write(pred, pair[1])
    stored = open_stored(truth)
    assert stored.shape == pair[0].shape
    expected = Overlap.from_labels(*pair)
    for memory, threads in (("120kB", 1), ("250kB", 2), ("1GB", 2)):
        if kind == "zarr, one chunk" and memory != "1GB":
            continue  # a chunk must fit
        assert count(truth, pred, memory=memory, threads=threads) == expected
    assert softpq.count(str(truth), pair[1]) == expected


def test_different_stores_chunks_and_types_go_together(tmp_path: Path) -> None:
    write_zarr(tmp_path / "t.zarr", PLANE[0], 3, chunks=(16, 24))
    write_hdf5(tmp_path / "p.h5", PLANE[1], chunks=(10, 36))
    done: list[tuple[int, int]] = []
    found = count(
        tmp_path / "t.zarr", f"{tmp_path / 'p.h5'}:labels", memory="60kB", progress=lambda *at: done.append(at)
    )
    assert found == Overlap.from_labels(*PLANE)
    assert done[-1][0] == done[-1][1] == len(done) > 1


@st.composite
def cuts(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    truth, pred = draw(label_pairs())
    return truth, pred, tuple(draw(st.integers(1, max(1, size))) for size in truth.shape)


@given(cuts(), st.randoms(use_true_random=False))
def test_any_cut_in_any_order_gives_the_same_table(cut: Any, random: Any) -> None:
    truth, pred, block = cut
    parts = list(blocks_of(truth.shape, block))
    random.shuffle(parts)
    tables = Sum()
    for part in parts:
        tables.add(Partial.counted(truth[part], pred[part]))
    assert tables.tile().total() == Overlap.from_labels(truth, pred)


@given(cuts(), st.integers(1, 3), st.integers(0, 3))
def test_bands_and_ignored_pixels_are_exact_at_the_borders_of_blocks(cut: Any, width: int, ignored: int) -> None:
    truth, pred, block = cut
    ignore = truth % 4 == ignored
    tables, reach = Sum(), [width] * truth.ndim
    for part in blocks_of(truth.shape, block):
        outer, inner = with_halo(part, reach, truth.shape)
        tables.add(Partial.counted(truth[outer], pred[outer], ignore=ignore[outer], reach=reach, inner=inner))
    assert tables.tile().total() == Overlap.from_labels(truth, pred, ignore=ignore, boundary=width)


def test_bands_of_stored_arrays_are_those_of_the_whole(tmp_path: Path) -> None:
    write_zarr(tmp_path / "t.zarr", VOLUME[0], 3, chunks=(4, 16, 16))
    write_zarr(tmp_path / "p.zarr", VOLUME[1], 3, chunks=(4, 16, 16))
    ignore = VOLUME[0] == 3
    for options in ({"boundary": 2}, {"boundary": 0.02}, {"boundary": 3.0, "spacing": (3.0, 1.0, 1.0)}):
        expected = Overlap.from_labels(*VOLUME, ignore=ignore, **options)
        assert count(tmp_path / "t.zarr", tmp_path / "p.zarr", ignore=ignore, memory="200kB", **options) == expected
        assert count(tmp_path / "t.zarr", tmp_path / "p.zarr", ignore=3, memory="200kB", **options) == expected


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=3).flatmap(
        lambda shape: st.tuples(
            st.just(tuple(shape)),
            st.lists(st.tuples(*(st.integers(1, size) for size in shape)), min_size=1, max_size=2),
            st.integers(1, 5000),
        )
    )
)
def test_blocks_follow_chunks_and_fit(case: Any) -> None:
    shape, chunks, most = case
    largest = np.max(chunks, axis=0)
    if np.prod(largest) > most:
        most = int(np.prod(largest))
    block = block_shape(shape, chunks, most)
    assert np.prod(block) <= most
    for k, (size, whole) in enumerate(zip(block, shape, strict=True)):
        assert size == whole or any(size % chunk[k] == 0 for chunk in chunks)
    covered = np.zeros(shape, int)
    for part in blocks_of(shape, block):
        covered[part] += 1
    assert (covered == 1).all()


def test_sizes_are_read() -> None:
    assert [parse_size(t) for t in ("1GB", "1G", "1.5 MB", "2GiB", "7", 9)] == [10**9, 10**9, 1_500_000, 2**31, 7, 9]
    for wrong in ("", "much", "1XB", "-1GB", "0GB", "0.4B", "1e9"):
        with pytest.raises(ValueError, match="memory must be a size such as 1GB"):
            parse_size(wrong)


# ---------------------------------------------------------------- what goes wrong


def test_a_chunk_that_does_not_fit_is_explained(tmp_path: Path) -> None:
    write_zarr(tmp_path / "t.zarr", PLANE[0], 3, chunks=PLANE[0].shape)
    with pytest.raises(ValueError, match="memory must hold a chunk of each array for every thread"):
        count(tmp_path / "t.zarr", tmp_path / "t.zarr", memory="50kB", threads=2)


def test_shapes_and_types_are_checked_first(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"truth and pred must have the same shape; got \(4, 4\) and \(4, 5\)"):
        count(np.zeros((4, 4), int), np.zeros((4, 5), int))
    with pytest.raises(ValueError, match="ignore must have the shape of truth"):
        count(np.zeros((4, 4), int), np.zeros((4, 4), int), ignore=np.zeros((4, 5), bool))
    assert count([[1]], np.zeros((1, 1), int)).n_truth == 1
    with pytest.raises(ReadError, match=r"nowhere\.zarr does not exist"):
        count(tmp_path / "nowhere.zarr", np.zeros((1, 1), int))
    np.savez(tmp_path / "a.npz", a=PLANE[0])
    with pytest.raises(ReadError, match="cannot be read in parts; Zarr, HDF5, TIFF and NPY can"):
        count(tmp_path / "a.npz", PLANE[0])
    with pytest.raises(ValueError, match="pred must not hold negative labels; found -3"):
        count(np.zeros((9, 9), int), np.full((9, 9), -3))
    with pytest.raises(ValueError, match="truth must hold whole numbers"):
        count(np.full((9, 9), 0.5), np.zeros((9, 9), int))


def test_an_empty_array_has_no_objects() -> None:
    assert count(np.zeros((0, 5), int), np.zeros((0, 5), int)).n_truth == 0


def broken_chunk(path: Path) -> Path:
    """Damage a chunk in the middle."""
    chunks = sorted(p for p in path.rglob("*") if p.is_file() and p.name not in ("zarr.json", ".zarray", ".zattrs"))
    chunks[len(chunks) // 2].write_bytes(b"not what it was")
    return path


def test_a_broken_chunk_is_an_error_that_says_where(tmp_path: Path) -> None:
    write_zarr(tmp_path / "t.zarr", PLANE[0], 3, chunks=(32, 32))
    broken_chunk(tmp_path / "t.zarr")
    with pytest.raises(ReadError, match=r"t\.zarr cannot be read at \[\d+:\d+, \d+:\d+\]: "):
        count(tmp_path / "t.zarr", PLANE[1], memory="60kB")


def test_a_tile_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "t.tif", PLANE[0], tile=(16, 16), compression="zlib")
    data = (tmp_path / "t.tif").read_bytes()
    with tifffile.TiffFile(tmp_path / "t.tif") as tiff:
        offset = tiff.pages[0].dataoffsets[20]
    (tmp_path / "t.tif").write_bytes(data[: offset + 3] + bytes(200) + data[offset + 203 :])
    with pytest.raises(ReadError, match=r"t\.tif cannot be read at"):
        count(tmp_path / "t.tif", PLANE[1])


def test_a_missing_chunk_stands_for_its_fill_value(tmp_path: Path) -> None:
    write_zarr(tmp_path / "t.zarr", PLANE[0], 3, chunks=(32, 32), fill_value=0)
    next((tmp_path / "t.zarr" / "c").rglob("1/1")).unlink()
    whole = PLANE[0].copy()
    whole[32:64, 32:64] = 0
    assert count(tmp_path / "t.zarr", PLANE[1]) == Overlap.from_labels(whole, PLANE[1])
    assert open_stored(tmp_path / "t.zarr").notes() == ("1 of 20 chunks are not stored and stand for 0",)


# ---------------------------------------------------------------- folders and the doctor


def test_large_pairs_are_counted_in_parts_by_themselves(tmp_path: Path) -> None:
    write_pyramid(tmp_path / "truth.zarr", PLANE[0])
    write_zarr(tmp_path / "pred.zarr", PLANE[1], 3, chunks=(20, 30))
    whole = softpq.evaluate_dataset(tmp_path / "truth.zarr", tmp_path / "pred.zarr", boundary=2)
    seen: list[tuple[int, int]] = []
    parts = softpq.evaluate_dataset(
        tmp_path / "truth.zarr", tmp_path / "pred.zarr", boundary=2, memory="130kB", jobs=1,
        progress=lambda *at: seen.append(at), keep_tables=True,
    )  # fmt: skip
    assert (whole.images[0].pair is None, parts.images[0].pair is None) == (False, True)
    assert parts.rows() == whole.rows()
    assert len(seen) > 2  # blocks
    page = tmp_path / "page.html"
    parts.report(page)
    assert "No images are embedded" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("options", [{"split_components": True}, {"reading": "released"}])
def test_what_needs_whole_images_reads_them(options: Any, tmp_path: Path) -> None:
    for name, array in (("truth", PLANE[0]), ("pred", PLANE[1])):
        write_zarr(tmp_path / f"{name}.zarr", array, 3, chunks=(32, 32))
    found = softpq.evaluate_dataset(tmp_path / "truth.zarr", tmp_path / "pred.zarr", memory="60kB", **options)
    assert found.images[0].pair is not None


def test_failures_of_large_pairs_are_told(tmp_path: Path) -> None:
    write_zarr(tmp_path / "truth.zarr", PLANE[0], 3, chunks=(32, 32))
    write_zarr(tmp_path / "small.zarr", PLANE[1][:-1], 3, chunks=(32, 32))
    write_zarr(tmp_path / "mask.zarr", (PLANE[1] % 5 == 1).astype("u1"), 3, chunks=(32, 32))
    write_zarr(tmp_path / "broken.zarr", PLANE[1], 3, chunks=(32, 32))
    broken_chunk(tmp_path / "broken.zarr")
    reasons = {}
    for name in ("small", "mask", "broken"):
        results = softpq.evaluate_dataset(tmp_path / "truth.zarr", tmp_path / f"{name}.zarr", memory="60kB")
        reasons[name] = results.failures[0].reason
    assert "same shape; got (130, 97) and (129, 97)" in reasons["small"]
    assert "mask.zarr looks like a binary mask: its only label, 1, is in" in reasons["mask"]
    assert "broken.zarr cannot be read at [" in reasons["broken"]


def test_the_doctor_mentions_chunks_that_are_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zarr(tmp_path / "truth.zarr", PLANE[0], 3, chunks=(32, 32))
    write_zarr(tmp_path / "pred.zarr", PLANE[1], 3, chunks=(32, 32))
    next((tmp_path / "pred.zarr" / "c").rglob("1/1")).unlink()
    found = [str(one) for one in examine(tmp_path / "truth.zarr", tmp_path / "pred.zarr")]
    assert any("pred: 1 of 20 chunks are not stored and stand for 0." in text for text in found)
    monkeypatch.setattr("softpq.doctor.TOO_LARGE", 1000)
    found = [str(one) for one in examine(tmp_path / "truth.zarr", tmp_path / "pred.zarr")]
    assert any("their pixels were not looked at" in text for text in found)


def test_label_images_inside_of_an_image_are_named(tmp_path: Path) -> None:
    write_pyramid(tmp_path / "image.zarr", PLANE[0])
    group = zarr.open_group(str(tmp_path / "image.zarr"), mode="a")
    inside = group.create_group("labels")
    inside.attrs["labels"] = ["cells"]
    cells_group = inside.create_group("cells")
    cells_group.create_array("0", shape=PLANE[1].shape, dtype=PLANE[1].dtype, chunks=(32, 32))[...] = PLANE[1]
    cells_group.attrs["multiscales"] = [{"version": "0.4", "datasets": [{"path": "0"}]}]
    cells_group.attrs["image-label"] = {}
    for inner in ("", ":labels/cells", ":labels/cells/0", ":labels"):
        assert count(f"{tmp_path / 'image.zarr'}{inner}", PLANE[1]) == Overlap.from_labels(PLANE[1], PLANE[1])
    inside.attrs["labels"] = ["cells", "nuclei"]
    said = r"is an image with label images inside, say which as store\.zarr:NAME; there are labels/cells, labels/nuclei"
    with pytest.raises(ReadError, match=said):
        open_stored(tmp_path / "image.zarr")


def write_several_files(folder: Path, volume: np.ndarray) -> Path:
    """An OME-TIFF whose planes are in files of their own."""
    names = [f"z{k}.ome.tif" for k in range(len(volume))]
    planes = "".join(
        f'<TiffData FirstZ="{k}" IFD="0" PlaneCount="1"><UUID FileName="{name}">urn:uuid:{k}</UUID></TiffData>'
        for k, name in enumerate(names)
    )
    height, width = volume.shape[1:]
    for k, name in enumerate(names):
        text = (
            f'<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:{k}"><Image ID="Image:0">'
            f'<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint32" SizeX="{width}" SizeY="{height}" '
            f'SizeZ="{len(names)}" SizeC="1" SizeT="1"><Channel ID="Channel:0:0" SamplesPerPixel="1"/>{planes}'
            "</Pixels></Image></OME>"
        )
        tifffile.imwrite(folder / name, volume[k], description=text, metadata=None, tile=(16, 16))
    return folder / names[0]


def test_an_image_in_several_files_is_read_as_a_whole(tmp_path: Path) -> None:
    path = write_several_files(tmp_path, VOLUME[0])
    with pytest.raises(ReadError, match="spread over several files"):
        open_stored(path)
    np.save(tmp_path / "pred.npy", VOLUME[0])
    found = softpq.evaluate_dataset(tmp_path / "pred.npy", path, memory="150kB")
    assert found.pooled()["pq"] == 1.0


def test_what_is_refused_as_a_whole_is_refused_in_parts(tmp_path: Path) -> None:
    colours = RNG.integers(0, 256, (300, 300, 3)).astype("u1")
    write_zarr(tmp_path / "a.zarr", colours, 3, chunks=(64, 64, 3))
    for memory in ("1GB", "300kB"):
        results = softpq.evaluate_dataset(tmp_path / "a.zarr", tmp_path / "a.zarr", memory=memory)
        assert "looks like a colour image" in results.failures[0].reason


def test_small_files_may_hold_large_images(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            data = file.create_dataset("labels", (20_000, 2_000), "u2", chunks=(1000, 1000), compression="gzip")
            data[:20, :20] = 7
    found = softpq.evaluate_dataset(tmp_path / "a.h5", tmp_path / "b.h5", memory="50MB", jobs=1)
    assert found.images[0].pair is None  # counted in parts


def test_stored_arrays_are_read_where_an_event_loop_runs(tmp_path: Path) -> None:
    write_zarr(tmp_path / "t.zarr", PLANE[0], 3, chunks=(32, 32))
    array = open_stored(tmp_path / "t.zarr")

    async def in_a_notebook() -> np.ndarray:
        return array[slice(0, 40), slice(0, 40)]

    assert np.array_equal(asyncio.run(in_a_notebook()), PLANE[0][:40, :40])
