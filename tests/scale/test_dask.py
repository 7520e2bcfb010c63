"""Over processes with Dask: whatever the scheduler, and whichever worker dies, the table is the same."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
import zarr
from commands import call as run
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import softpq
from softpq import Overlap
from softpq.io import ReadError
from softpq.synthetic import cells

dask = pytest.importorskip("dask", reason="needs dask, which is not installed")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

from softpq.scale import dask as backend  # noqa: E402  # after the check that dask is there

SCENE = cells((300, 260), 120, seed=3)
TRUTH, PRED = SCENE.truth.astype(np.uint32), SCENE.pred.astype(np.int64)
WHOLE = Overlap.from_labels(TRUTH, PRED)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, **backend.LOCAL) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.fixture
def stores(tmp_path: Path) -> tuple[Path, Path]:
    for name, array, chunks in (("truth", TRUTH, (64, 50)), ("pred", PRED, (30, 100))):
        store = zarr.create_array(str(tmp_path / f"{name}.zarr"), shape=array.shape, dtype=array.dtype, chunks=chunks)
        store[...] = array
    return tmp_path / "truth.zarr", tmp_path / "pred.zarr"


@hypothesis_settings(max_examples=25)
@given(
    st.tuples(st.integers(40, 300), st.integers(40, 260)),
    st.tuples(st.integers(40, 300), st.integers(40, 260)),
    st.integers(2, 9),
)
def test_any_chunks_give_the_same_table(chunks: Any, others: Any, split: int) -> None:
    with dask.config.set(scheduler="synchronous"):
        truth, pred = da.from_array(TRUTH, chunks=chunks), da.from_array(PRED, chunks=others)
        assert backend.count_delayed(truth, pred, split_every=split) == WHOLE


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_any_scheduler_gives_the_same_table(scheduler: str, stores: tuple[Path, Path]) -> None:
    with dask.config.set(scheduler=scheduler):
        assert backend.count_delayed(*stores, memory="300kB", per_task=20_000) == WHOLE
        assert backend.count_delayed(da.from_array(TRUTH, chunks=100), da.from_array(PRED, chunks=90)) == WHOLE


def test_a_cluster_gives_the_same_table(client: Any, stores: tuple[Path, Path]) -> None:
    assert backend.count_delayed(*stores, memory="300kB", per_task=20_000) == WHOLE
    assert backend.count_delayed(da.from_zarr(str(stores[0])), da.from_zarr(str(stores[1]))) == WHOLE


@pytest.mark.parametrize("options", [{"boundary": 2}, {"boundary": 0.02}, {"boundary": 4.0, "spacing": (2.0, 1.0)}])
def test_bands_are_exact_at_the_borders_of_chunks(options: dict[str, Any], stores: tuple[Path, Path]) -> None:
    expected = Overlap.from_labels(TRUTH, PRED, **options)
    with dask.config.set(scheduler="threads"):
        assert backend.count_delayed(*stores, memory="600kB", per_task=20_000, **options) == expected
        assert (
            backend.count_delayed(da.from_array(TRUTH, chunks=37), da.from_array(PRED, chunks=50), **options)
            == expected
        )


def test_ignored_pixels_count_nowhere(stores: tuple[Path, Path]) -> None:
    ignore = np.zeros(TRUTH.shape, bool)
    ignore[80:150, 30:120] = True
    with dask.config.set(scheduler="threads"):
        truth, pred = da.from_array(TRUTH, chunks=64), da.from_array(PRED, chunks=64)
        for options in ({}, {"boundary": 2}):
            expected = Overlap.from_labels(TRUTH, PRED, ignore=ignore, **options)
            assert backend.count_delayed(truth, pred, ignore=da.from_array(ignore, chunks=50), **options) == expected
            expected = Overlap.from_labels(TRUTH, PRED, ignore=7, **options)
            assert backend.count_delayed(truth, pred, ignore=7, **options) == expected
            assert backend.count_delayed(*stores, ignore=7, memory="600kB", **options) == expected


def test_a_worker_that_is_killed_changes_nothing(stores: tuple[Path, Path]) -> None:
    def slow(block: np.ndarray) -> np.ndarray:  # here, so that workers need no module of tests
        time.sleep(0.3)
        return block

    with (
        distributed.LocalCluster(n_workers=2, **backend.LOCAL) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        truth = da.from_array(TRUTH, chunks=(50, 130)).map_blocks(slow, dtype=TRUTH.dtype)
        tiles = backend._of_arrays(truth, da.from_array(PRED, chunks=(50, 130)), None, None, None)
        future = client.compute(backend.in_a_tree(tiles, 2))
        address, pid = next(iter(pids.items()))
        while not client.run(lambda dask_worker: dask_worker.state.executed_count > 0, workers=[address])[address]:
            time.sleep(0.05)
        assert not future.done()
        os.kill(pid, signal.SIGKILL)
        assert future.result(timeout=60).total() == WHOLE
        assert pid not in client.run(os.getpid).values()


def test_no_task_adds_more_than_a_few_tables() -> None:
    tiles = [dask.delayed(lambda: None)() for _ in range(100)]
    graph = dict(backend.in_a_tree(tiles, 4).__dask_graph__())
    assert len(graph) == 100 + 25 + 7 + 2 + 1


def test_bad_requests_are_explained(stores: tuple[Path, Path]) -> None:
    with pytest.raises(TypeError, match="pass two paths or two dask arrays"):
        backend.count_delayed(stores[0], da.from_array(PRED))
    with pytest.raises(TypeError, match="ignore must be a label where paths are given"):
        backend.count_delayed(*stores, ignore=np.zeros(TRUTH.shape, bool))
    with pytest.raises(ValueError, match="split_every must be a whole number of at least 2; got 1"):
        backend.count_delayed(*stores, split_every=1)
    with pytest.raises(ValueError, match="must have the same shape"):
        backend.count_delayed(da.from_array(TRUTH), da.from_array(PRED[1:]))
    unknown = da.from_array(PRED, chunks=100)
    with pytest.raises(ValueError, match=r"pred must have known chunk sizes; call pred\.compute_chunk_sizes"):
        backend.count_delayed(da.from_array(TRUTH), unknown[unknown[:, 0] > 0])
    with pytest.raises(ValueError, match='dask must be "local", "local:N" or an address'), backend.connected("local:x"):
        pass
    with pytest.raises(ReadError, match="does not exist"):
        backend.count_delayed("nowhere.zarr", str(stores[1]))


# ---------------------------------------------------------------- folders and the command line


def test_a_folder_is_scored_on_a_cluster(client: Any, tmp_path: Path) -> None:
    for name in ("truth", "pred"):
        (tmp_path / name).mkdir()
    for k in range(5):
        scene = cells((90, 90), 20, seed=k)
        tifffile.imwrite(tmp_path / "truth" / f"{k}.tif", scene.truth.astype(np.uint16))
        tifffile.imwrite(tmp_path / "pred" / f"{k}.tif", scene.pred.astype(np.uint16))
    (tmp_path / "pred" / "3.tif").write_bytes(b"broken")
    here = softpq.evaluate_dataset(tmp_path / "truth", tmp_path / "pred")
    seen: list[tuple[int, int]] = []
    there = softpq.evaluate_dataset(
        tmp_path / "truth", tmp_path / "pred", dask=client.scheduler.address, resume=tmp_path / "log",
        progress=lambda *at: seen.append(at),
    )  # fmt: skip
    assert there.rows() == here.rows()
    assert [f.reason for f in there.failures] == [f.reason for f in here.failures] != []
    assert seen[-1] == (5, 5)
    again = softpq.evaluate_dataset(
        tmp_path / "truth", tmp_path / "pred", dask=client.scheduler.address, resume=tmp_path / "log"
    )
    assert again.rows() == here.rows()


def test_a_large_pair_is_spread_over_the_workers(client: Any, stores: tuple[Path, Path]) -> None:
    plain = softpq.evaluate_dataset(*stores, boundary=2)
    spread = softpq.evaluate_dataset(*stores, boundary=2, dask=client.scheduler.address, memory="700kB")
    assert spread.rows() == plain.rows()
    assert spread.images[0].pair is None


def test_the_command_line_counts_large_pairs_in_parts(stores: tuple[Path, Path], tmp_path: Path) -> None:
    call = [str(path) for path in stores]
    whole = run("evaluate", *call, "--csv", str(tmp_path / "a.csv"))
    parts = run("evaluate", *call, "--csv", str(tmp_path / "b.csv"), "--memory", "700kB")
    spread = run("evaluate", *call, "--csv", str(tmp_path / "c.csv"), "--dask", "local:2")
    assert (whole.exit_code, parts.exit_code, spread.exit_code) == (0, 0, 0)
    tables = [(tmp_path / f"{name}.csv").read_text() for name in "abc"]
    assert tables[0] == tables[1] == tables[2]
    wrong = run("evaluate", *call, "--memory", "lots")
    assert (wrong.exit_code, "memory must be a size such as 1GB" in wrong.stderr) == (2, True)
    nobody = run("evaluate", *call, "--dask", "local:zero")
    assert (nobody.exit_code, "local:N" in nobody.stderr) == (2, True)


def test_files_that_were_written_again_are_read_again(client: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", TRUTH)
    for array in (PRED, TRUTH, PRED[:, ::-1]):
        np.save(tmp_path / "p.npy", np.ascontiguousarray(array))
        assert backend.count_delayed(tmp_path / "t.npy", tmp_path / "p.npy") == Overlap.from_labels(TRUTH, array)


def test_relative_paths_are_those_of_who_asks(
    client: Any, stores: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stores[0].parent)
    assert backend.count_delayed("truth.zarr", "pred.zarr") == WHOLE


def test_images_scored_on_a_cluster_are_shown_in_a_report(client: Any, tmp_path: Path) -> None:
    for name in ("truth", "pred"):
        (tmp_path / name).mkdir()
        for k in range(3):
            np.save(tmp_path / name / f"{k}.npy", cells((60, 60), 9, seed=k).truth)
    results = softpq.evaluate_dataset(
        tmp_path / "truth", tmp_path / "pred", dask=client.scheduler.address, keep_tables=True
    )
    results.report(tmp_path / "r.html")
    assert "All images are embedded" in (tmp_path / "r.html").read_text(encoding="utf-8")
