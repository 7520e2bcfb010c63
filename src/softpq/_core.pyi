from collections.abc import Callable
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

_MaskRuns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int, str]

def coco_text_runs(
    text: bytes, ends: NDArray[np.int64], heights: NDArray[np.int64], widths: NDArray[np.int64], most: int
) -> _MaskRuns: ...
def coco_dict_runs(
    masks: list[Any], heights: NDArray[np.int64], widths: NDArray[np.int64], most: int
) -> _MaskRuns | None: ...
def coco_count_runs(
    counts: NDArray[np.int64],
    ends: NDArray[np.int64],
    heights: NDArray[np.int64],
    widths: NDArray[np.int64],
    most: int,
) -> _MaskRuns: ...
def coco_polygon_runs(
    xy: NDArray[np.float64],
    ring_ends: NDArray[np.int64],
    mask_ends: NDArray[np.int64],
    heights: NDArray[np.int64],
    widths: NDArray[np.int64],
    most: int,
) -> _MaskRuns: ...

_Runs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

def row_runs(columns: _Runs, height: int, width: int, most: int) -> _Runs: ...
def match_masks(
    truth_runs: _Runs,
    pred_runs: _Runs,
    truth_bands: _Runs | None,
    pred_bands: _Runs | None,
    truth: NDArray[np.int64],
    truth_ends: NDArray[np.int64],
    pred: NDArray[np.int64],
    pred_ends: NDArray[np.int64],
    crowd: NDArray[np.uint8],
    truth_ignored: NDArray[np.uint8],
    pred_outside: NDArray[np.uint8],
    iou: NDArray[np.float64],
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
def match_boxes(
    truth_boxes: NDArray[np.float64],
    pred_boxes: NDArray[np.float64],
    truth: NDArray[np.int64],
    truth_ends: NDArray[np.int64],
    pred: NDArray[np.int64],
    pred_ends: NDArray[np.int64],
    crowd: NDArray[np.uint8],
    truth_ignored: NDArray[np.uint8],
    pred_outside: NDArray[np.uint8],
    iou: NDArray[np.float64],
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
def stack_runs(stack: NDArray[np.integer[Any]], threads: int) -> tuple[_Runs, int, int]: ...
def label_runs(labels: NDArray[np.integer[Any]]) -> tuple[NDArray[np.uint64], _Runs]: ...
def polygon_runs(
    xy: NDArray[np.float64],
    ring_ends: NDArray[np.int64],
    object_ends: NDArray[np.int64],
    height: int,
    width: int,
    most: int,
) -> _Runs: ...

_Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
_Atoms = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]

def count_masks(truth: _Runs, pred: _Runs, pixels: int, threads: int) -> _Pairs: ...
def count_layers(truth: _Runs, pred: _Runs, pixels: int, threads: int) -> tuple[_Pairs, tuple[int, int, int]]: ...
def covered(runs: _Runs, pixels: int) -> _Runs: ...
def masks_without(runs: _Runs, region: _Runs, pixels: int) -> _Runs: ...
def mask_bands(runs: _Runs, shape: list[int], reach: list[int], threads: int) -> _Runs: ...
def sweep_atoms(truth: _Runs, pred: _Runs, pixels: int, most: int) -> _Atoms: ...
def order_atoms(atoms: _Atoms, truths: int, preds: int) -> _Atoms: ...
def tabulate_atoms(atoms: _Atoms, truths: int, preds: int) -> tuple[NDArray[np.int64], NDArray[np.int64], _Pairs]: ...
def count_credits(
    atoms: _Atoms,
    truth: NDArray[np.int64],
    pred: NDArray[np.int64],
    unions: NDArray[np.int64],
    partner_of_truth: NDArray[np.int64],
    partner_of_pred: NDArray[np.int64],
    low: float,
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]: ...
def count_credits_of_masks(
    truth_runs: _Runs,
    pred_runs: _Runs,
    pixels: int,
    truth: NDArray[np.int64],
    pred: NDArray[np.int64],
    shared: NDArray[np.int64],
    unions: NDArray[np.int64],
    partner_of_truth: NDArray[np.int64],
    partner_of_pred: NDArray[np.int64],
    low: float,
    threads: int,
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]: ...
def count_own(
    atoms: _Atoms,
    truth: NDArray[np.int64],
    pred: NDArray[np.int64],
    partner_of_truth: NDArray[np.int64],
    partner_of_pred: NDArray[np.int64],
) -> NDArray[np.int64]: ...
def break_ties_of_atoms(
    atoms: _Atoms,
    truth_areas: NDArray[np.int64],
    pred_areas: NDArray[np.int64],
    truth: NDArray[np.int64],
    pred: NDArray[np.int64],
) -> NDArray[np.uint32]: ...

_Pair = NDArray[np.int64]
_Floats = NDArray[np.float64]
_Flags = NDArray[np.bool_]

def pair_ious(truth_areas: _Pair, pred_areas: _Pair, truth: _Pair, pred: _Pair, pixels: _Pair) -> _Floats: ...
def exact_sum(values: _Floats) -> float: ...
def candidates(
    truth_areas: _Pair,
    pred_areas: _Pair,
    truth: _Pair,
    pred: _Pair,
    pixels: _Pair,
    iou: _Floats,
    threshold: float,
    strict: bool,
) -> tuple[NDArray[np.int64], bool]: ...
def contest(
    truth_areas: _Pair, pred_areas: _Pair, truth: _Pair, pred: _Pair, pixels: _Pair
) -> tuple[NDArray[np.int64], int, int, NDArray[np.int64], NDArray[np.int64]]: ...
def soft_sums(
    group: _Pair,
    groups: int,
    iou: _Floats,
    matched: _Flags,
    soft: _Flags,
    credit: _Floats,
    divisor: Callable[[int], float],
) -> tuple[int, float, int, float]: ...
def plain_soft_sums(
    truth_areas: _Pair,
    pred_areas: _Pair,
    truth: _Pair,
    pred: _Pair,
    pixels: _Pair,
    low: float,
    high: float,
    by_truth: bool,
    divisor: Callable[[int], float],
) -> tuple[int, float, int, float] | None: ...
def verdicts(
    truth_areas: _Pair,
    pred_areas: _Pair,
    truth: _Pair,
    pred: _Pair,
    pixels: _Pair,
    matched: _Flags,
    soft: _Flags,
    again: _Flags,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
def aggregated(
    truth_areas: _Pair, pred_areas: _Pair, truth: _Pair, pred: _Pair, pixels: _Pair, iou: _Floats
) -> tuple[int, float]: ...
def covered_iou(
    truth_areas: _Pair, pred_areas: _Pair, truth: _Pair, pred: _Pair, pixels: _Pair, iou: _Floats
) -> float: ...
def segment_bits(
    truth_areas: _Pair, pred_areas: _Pair, truth: _Pair, pred: _Pair, pixels: _Pair, background: int, judged: bool
) -> tuple[float, float, int]: ...
def segment_pairs(
    truth_areas: _Pair, pred_areas: _Pair, truth: _Pair, pred: _Pair, pixels: _Pair, background: int, judged: bool
) -> tuple[float, float, float]: ...
