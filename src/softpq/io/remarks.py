"""What should be said of a pairing: what was left out, and what looks odd."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from softpq.io.format import printable
from softpq.io.image import Image, LabelImage
from softpq.io.ladder import compartment_of
from softpq.io.pairing import Pairing


def shown_place(image: Image) -> str:
    """A file with its folder."""
    return f"{image.path.parent.name}/{image.path.name}" if isinstance(image, LabelImage) else image.shown


def left_out(pairings: Mapping[str, Pairing]) -> Iterator[str]:
    """One line for the truth and one for every model of whose folder files were not taken."""
    said = {pairing.left_out.get("truth", "") for pairing in pairings.values()} - {""}
    for text in sorted(said)[:1]:
        yield f"truth: left out {text}."
    for model, pairing in pairings.items():
        if pairing.left_out.get("pred"):
            yield printable(f"{model}: left out {pairing.left_out['pred']}.")


def noticed(pairing: Pairing) -> Iterator[str]:
    """What looks odd: frames that are shifted by one, and files that a tool does not write."""
    if pairing.missing and "Cellpose" in pairing.how:
        yield 'Cellpose writes no PNG where it finds nothing; missing="empty" scores such images as empty.'
    parts = Counter(compartment_of(pair.truth.name) for pair in pairing.pairs)
    if len(parts) > 1 and "" not in parts:
        counted = " and ".join(f"{count:,} of {part}" for part, count in sorted(parts.items()))
        how = "channel=0 or channel=1 chooses" if _in_one_file(pairing) else "globs of one part tell them apart"
        yield f"images of several parts of cells are scored together, {counted}; {how}."
    if len(pairing.missing) != 1 or len(pairing.unused) != 1 or len(pairing.pairs) < 3:
        return
    if pairing.missing[0].rpartition("/")[0] != pairing.unused[0].rpartition("/")[0]:
        return  # of two sequences
    names = [pair.name for pair in pairing.pairs]
    numbers = [_number(name) for name in names]
    lost, extra = _number(pairing.missing[0]), _number(pairing.unused[0])
    if None in (lost, extra, *numbers):
        return
    known = sorted(number for number in numbers if number is not None)
    if (lost == known[0] and extra == known[-1] + 1) or (lost == known[-1] and extra == known[0] - 1):
        yield (
            f"{pairing.missing[0]} has no prediction and {pairing.unused[0]} no truth: the numbers of one side may "
            "begin with 0 and of the other with 1; all pairs are wrong then."
        )


def _in_one_file(pairing: Pairing) -> bool:
    """Whether truth lies in one file of many images."""
    return len({getattr(pair.truth, "path", pair.name) for pair in pairing.pairs}) == 1 < len(pairing.pairs)


def _number(name: str) -> int | None:
    """The last number of a name."""
    found = re.findall(r"\d+", name.rpartition("/")[2])
    return int(found[-1]) if found else None
