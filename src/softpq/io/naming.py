"""What to call models whose predictions lie in these places."""

from __future__ import annotations

import re
from collections.abc import Sequence

from softpq._files import Location
from softpq.io.format import printable
from softpq.io.formats import split_inner, stem_of
from softpq.io.words import BOTH, PRED, TRUTH, reduced


def model_names(places: Sequence[Location]) -> list[str]:
    """Return a name for each place: the folder, without what only says that masks are in it.

    Examples
    --------
    >>> model_names(["runs/unet/"]), model_names(["runs/unet.nii.gz"]), model_names(["A/masks", "B/masks"])
    (['unet'], ['unet'], ['A', 'B'])
    >>> model_names(["unet/*_cp_masks.tif"]), model_names(["out/*/a.png", "out/*/b.png"])
    (['unet'], ['a', 'b'])
    """
    words = [_words(place) for place in places]
    names = [_telling(one, {BOTH}) for one in words]
    names = names if len(set(names)) == len(names) else [_telling(one, {BOTH, PRED, TRUTH}) for one in words]
    for depth in range(2, 1 + max((len(one) for one in words), default=1)):
        if len(set(names)) == len(names):
            break
        names = ["/".join(one[-depth:]) if names.count(name) > 1 else name
                 for name, one in zip(names, words, strict=True)]  # fmt: skip
    return names


def _words(place: Location) -> list[str]:
    """The folders and the file of a place; of a glob, without the stars."""
    path, inner = split_inner(place)
    parts = [part for part in path.parts if part not in (path.anchor, ".", "..")]
    if parts and path.suffix:
        parts[-1] = stem_of(path)
    kept = [_without_stars(part) for part in parts]
    here = path.parent.resolve().name if "*" in str(path) else path.resolve().name
    return [printable(part) for part in [*kept, inner or ""] if part] or [printable(here or str(path))]


def _without_stars(part: str) -> str:
    """What is left of a part of a glob, if it says more than that masks are meant."""
    left = re.sub(r"\*+|\?|\[[^\]]*\]", "", part).strip("_-. ")
    return left if left == part or reduced(left).core else ""


def _telling(words: list[str], bland: set[str]) -> str:
    """The last word that says more than that masks are there."""
    said = [word for word in words if reduced(word).core or not reduced(word).kinds <= bland]
    return (said or words)[-1]
