"""Tables that are written down and read again."""

from __future__ import annotations

import numpy as np
import pytest

from softpq import Masks, Overlap
from softpq.table.tables import Tables, _stored, fingerprint_of_side, packed, unpacked

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


@pytest.mark.parametrize("pixels", [2**32 - 1, 2**32, 2**32 + 1])
def test_counts_around_32_bits_come_back(pixels: int) -> None:
    table = Overlap.from_pairs([1], [1], [pixels])
    assert unpacked(*packed([table]))[0].pair_pixels.tolist() == [pixels]


def test_fingerprints_of_masks_tell_them_apart() -> None:
    masks = Masks.from_labels([[1, 2, 0]], scores=[0.5, 0.6])
    others = [
        masks.with_(scores=None), masks.with_(scores=[0.5, 0.7]), masks.with_(classes=["a", "b"]), masks.select([0]),
        masks.with_(ids=[3, 4]), Masks.from_labels([[1, 2, 0, 0]], scores=[0.5, 0.6]), masks.with_(crowd=[True, False]),
    ]  # fmt: skip
    prints = [fingerprint_of_side(one) for one in (masks, *others)]
    assert len(set(prints)) == len(prints)
    assert fingerprint_of_side(Masks.from_labels([[1, 2, 0]], scores=[0.5, 0.6])) == prints[0]


def test_counts_are_stored_in_as_few_bytes_as_hold_them() -> None:
    assert _stored(np.array([1, 2**32 - 1]))[0] == "u4"
    assert _stored(np.array([1, 2**32]))[0] == "f8"
    assert _stored(np.array([1], np.uint64))[0] == "u8"


def test_a_table_without_pieces_comes_back_from_json() -> None:
    table = Overlap.from_labels([1, 1, 2, 0], [1, 0, 2, 2])
    found = Tables.from_json(Tables(table).to_json())
    assert found.objects == table
    assert found.pieces is None
