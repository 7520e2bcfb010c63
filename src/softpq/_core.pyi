from typing import Any

import numpy as np
from numpy.typing import NDArray

_Table = tuple[
    NDArray[np.uint64],
    NDArray[np.int64],
    NDArray[np.uint64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    int,
]

def count_objects(
    truth: NDArray[np.integer[Any]],
    pred: NDArray[np.integer[Any]],
    ignore: NDArray[np.uint8] | None,
    threads: int,
) -> _Table: ...
def tabulate(truth: NDArray[np.uint64], pred: NDArray[np.uint64], pixels: NDArray[np.int64]) -> _Table: ...
def merge_tables(first: _Table, second: _Table) -> _Table: ...
def best_edges(
    rows: int,
    columns: int,
    row: NDArray[np.int64],
    column: NDArray[np.int64],
    weight: NDArray[np.float64],
    tie: NDArray[np.uint32],
) -> NDArray[np.uint8]: ...
def tie_breaks(
    truths: int,
    preds: int,
    truth: NDArray[np.int64],
    pred: NDArray[np.int64],
    iou: NDArray[np.float64],
    truth_share: NDArray[np.float64],
    pred_share: NDArray[np.float64],
) -> NDArray[np.uint32]: ...
def most_pairs(rows: int, columns: int, row: NDArray[np.int64], column: NDArray[np.int64]) -> int: ...
def growing_matchings(
    rows: int,
    columns: int,
    row: NDArray[np.int64],
    column: NDArray[np.int64],
    start: NDArray[np.int64],
    bin: NDArray[np.int64],
    rounds: int,
    bins: int,
) -> NDArray[np.int64]: ...
def count_bands(
    truth: NDArray[np.integer[Any]],
    pred: NDArray[np.integer[Any]],
    ignore: NDArray[np.uint8] | None,
    reach: list[int],
    first: list[int],
    end: list[int],
    threads: int,
) -> _Table: ...
def count_pieces(
    truth: NDArray[np.integer[Any]], pred: NDArray[np.integer[Any]], ignore: NDArray[np.uint8] | None
) -> tuple[_Table, _Table | None]: ...
def pieces(
    labels: NDArray[np.integer[Any]],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]: ...
def draw_pieces(labels: NDArray[np.integer[Any]]) -> NDArray[np.uint64]: ...
def places(
    labels: NDArray[np.integer[Any]], ignore: NDArray[np.uint8] | None, ids: NDArray[np.uint64], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def tops(labels: NDArray[np.integer[Any]], most: int) -> tuple[NDArray[np.uint64], int]: ...
def lzw_decode(data: bytes, room: int) -> bytes: ...
def stop_everything(stop: bool) -> None: ...
def outline_runs(
    xy: NDArray[np.float64], ring_ends: NDArray[np.int64], height: int, width: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
