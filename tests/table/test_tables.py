"""Tables that are written down and read again."""

from __future__ import annotations

import numpy as np
import pytest

from softpq import Overlap
from softpq.table.tables import packed, unpacked

NOTHING = Overlap.from_pairs([], [], [])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_packed_tables_come_back_in_order(count: int) -> None:
    rng = np.random.default_rng(count)
    tables = [Overlap.from_labels(*rng.integers(0, 6, (2, 40 + k))) for k in range(count)]
    assert unpacked(*packed(tables)) == tables


def test_tables_without_objects_and_with_huge_ones_come_back() -> None:
    huge = Overlap.from_pairs([1, 0], [1, 0], [2**33, 2**40])
    for tables in ([NOTHING], [NOTHING, huge, NOTHING], [huge, huge]):
        again = unpacked(*packed(tables))
        assert [one.pair_pixels.tolist() for one in again] == [one.pair_pixels.tolist() for one in tables]
        assert [one.background for one in again] == [one.background for one in tables]
        assert [one.truth_areas.tolist() for one in again] == [one.truth_areas.tolist() for one in tables]
