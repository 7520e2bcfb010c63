"""Names of any kind: what is paired belongs together, or nothing is paired."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from softpq.io.ladder import climb
from softpq.io.words import NOT_LABELS, OF_IMAGES, OF_PRED, OF_TRUTH, reduced

WORDS = st.sampled_from(
    [
        "cell",
        "plate",
        "A01",
        "B02",
        "kidney",
        "t",
        "s1",
        "007",
        "12",
        "2",
        "fov3",
        "mouse",
        "Exp",
        "x",
        "img",
        "0000",
        "0001",
    ]
)
BASES = st.lists(
    st.lists(WORDS, min_size=1, max_size=3).map("_".join),
    min_size=2,
    max_size=6,
    unique_by=lambda base: reduced(base, 5).core,
).filter(lambda bases: all(reduced(base, 5).core for base in bases))
SIDES = st.tuples(
    st.sampled_from(["", "gt_", "pred_", "mask_", "zebra_", "man_seg", "seg-"]),
    st.sampled_from(
        ["", "_masks", "_cp_masks", "_pred", "-labels", ".svs", "_zebranet", "_GT", "_result", "_seg", "_v2"]
    ),
)
FOLDERS = st.sampled_from(["", "masks/", "SEG/", "predictions/", "sub/"])


@given(BASES, SIDES, SIDES, FOLDERS, FOLDERS, st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
@settings(max_examples=400, deadline=None)
def test_no_pair_is_wrong(bases, truth, pred, upper, lower, lost, missing) -> None:  # type: ignore[no-untyped-def]
    """Bases that differ in any way; decorations of a side; some images are only on one side."""
    first = {f"{upper}{truth[0]}{base}{truth[1]}": base for k, base in enumerate(bases) if k not in lost}
    second = {f"{lower}{pred[0]}{base}{pred[1]}": base for k, base in enumerate(bases) if k not in missing}
    found, _ = climb(first, second)
    wrong = {(first[a], second[b]) for a, b in found.partners.items() if first[a] != second[b]}
    assert not wrong
    assert len(set(found.partners.values())) == len(found.partners)


@given(BASES, SIDES, SIDES)
@settings(max_examples=200, deadline=None)
def test_decorations_that_are_known_are_taken_off(bases, truth, pred) -> None:  # type: ignore[no-untyped-def]
    unknown = ("zebra_", "_zebranet", "_v2", "man_seg")
    first = {f"{truth[0]}{base}{truth[1]}": base for base in bases}
    second = {f"{pred[0]}{base}{pred[1]}": base for base in bases}
    if not {*truth, *pred} & set(unknown) and not any("0000" in base for base in bases):
        found, clash = climb(first, second)
        assert clash is not None or {first[a]: second[b] for a, b in found.partners.items()} == {b: b for b in bases}


def test_words_have_one_meaning() -> None:
    lists = (OF_PRED, OF_TRUTH, OF_IMAGES, NOT_LABELS)
    assert sum(len(set(words)) for words in lists) == len({word for words in lists for word in words})
