"""Drop-in modules against the real packages, on random scenes. Not part of `make test`.

In an environment with softpq, stardist and cellpose:

    python tests/peers/compare.py
"""

from __future__ import annotations

import warnings

import numpy as np
from cellpose import metrics as real_cellpose
from stardist import matching as real_stardist

from softpq.compat import cellpose, stardist
from softpq.synthetic import cells

THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)


def scenes() -> list[tuple[np.ndarray, np.ndarray]]:
    found = []
    for seed in range(20):
        scene = cells((200, 240), 60, seed=seed, fates={"split": 0.2, "merged": 0.2, "missed": 0.1, "shifted": 0.2})
        found.append((scene.truth, scene.pred))
    rng = np.random.default_rng(0)
    for _ in range(20):
        blocks = [rng.integers(0, 12, (10, 12)).repeat(4, axis=0).repeat(3, axis=1) for _ in range(2)]
        found.append((blocks[0], blocks[1]))
    return found


def same(ours: object, theirs: object, what: str) -> None:
    assert np.allclose(np.asarray(ours, float), np.asarray(theirs, float), atol=1e-6, equal_nan=True), what


def compare_stardist(truth: np.ndarray, pred: np.ndarray) -> int:
    checked = 0
    for criterion in ("iou", "iot", "iop"):
        ours = stardist.matching(truth, pred, thresh=THRESHOLDS, criterion=criterion, report_matches=True)
        theirs = real_stardist.matching(truth, pred, thresh=THRESHOLDS, criterion=criterion, report_matches=True)
        for mine, real in zip(ours, theirs, strict=True):
            assert mine._fields == real._fields
            for name in real._fields[1:14]:
                same(getattr(mine, name), getattr(real, name), f"{criterion} {name}")
                checked += 1
            same(sum(mine.matched_scores), sum(real.matched_scores), f"{criterion} matched_scores")
    return checked


def compare_cellpose(truth: np.ndarray, pred: np.ndarray) -> int:
    ours = cellpose.average_precision(truth, pred, threshold=list(THRESHOLDS))
    theirs = real_cellpose.average_precision(truth, pred, threshold=list(THRESHOLDS))
    for name, mine, real in zip(("ap", "tp", "fp", "fn"), ours, theirs, strict=True):
        assert mine.dtype == real.dtype
        same(mine, real, name)
    sums = [module.mask_ious(truth, pred)[0].sum() for module in (cellpose, real_cellpose)]
    same(sums[0], sums[1], "mask_ious")  # of equal assignments, either may take any
    same(
        cellpose.aggregated_jaccard_index([truth], [pred]),
        real_cellpose.aggregated_jaccard_index([truth], [pred]),
        "aji",
    )
    return 6


def main() -> None:
    warnings.simplefilter("ignore")
    pairs = scenes()
    checked = sum(compare_stardist(*pair) + compare_cellpose(*pair) for pair in pairs)
    for by_image in (False, True):
        truth, pred = zip(*pairs, strict=True)
        ours = stardist.matching_dataset(truth, pred, thresh=0.5, by_image=by_image, show_progress=False)
        theirs = real_stardist.matching_dataset(truth, pred, thresh=0.5, by_image=by_image, show_progress=False)
        for name in theirs._fields:
            if name not in ("criterion",):
                same(getattr(ours, name), getattr(theirs, name), name)
    print(f"{checked} values of {len(pairs)} scenes agree.")


if __name__ == "__main__":
    main()
