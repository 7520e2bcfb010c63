"""What tools and people add to the names of label images, and names without it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

TOOLS = {
    "cp_masks": "Cellpose output", "cp_rois": "Cellpose output", "stardist": "StarDist output",
    "instanseg_prediction": "InstanSeg output", "object identities": "ilastik output",
    "multicut segmentation": "ilastik output", "lblimg": "TrackMate output", "count masks of": "ImageJ output",
    "man_seg": "a Cell Tracking Challenge set", "gtfine": "a Cityscapes set", "feature_0": "Mesmer output",
    "feature_1": "Mesmer output",
}  # fmt: skip
"""Words that say which tool wrote a file."""

OF_ANY_PRED = (
    "pred", "preds", "predicted", "prediction", "predictions", "result", "results", "res", "output", "out",
)  # fmt: skip
"""Words that say prediction, and not whose."""

OF_PRED = (
    *OF_ANY_PRED, "cp_masks", "cp_rois", "stardist", "instanseg_prediction", "object identities",
    "multicut segmentation", "lblimg", "segmented", "cellpose", "cellposesam", "cpsam", "omnipose", "mesmer",
    "deepcell", "instanseg", "hovernet", "cellvit", "cellsam", "nnunet", "unet", "maskrcnn", "mask_rcnn", "yolo",
    "ilastik", "cellprofiler", "plantseg", "microsam", "micro_sam",
)  # fmt: skip
OF_TRUTH = ("gt", "truth", "groundtruth", "ground_truth", "man_seg", "manual", "annotation", "annotations", "gtfine",
            "reference", "target", "instances_ids")  # fmt: skip
OF_BOTH = ("masks", "mask", "labels", "label", "lbl", "labelled", "labeled", "seg", "segmentation", "segmentations",
           "instances", "instance", "instanceids", "rois", "roiset", "export", "gasp", "watershed", "count masks of",
           "label image", "inst", "segmentationobject", "labelsts", "labelstr", "mat", "json", "ann",
           "label masks")  # fmt: skip
OF_OBJECTS = ("instances", "instance", "instanceids", "inst", "segmentationobject")
"""Of those: what says objects is taken where labels, which may be classes, lie beside it."""
OF_IMAGES = ("img", "imgs", "im", "image", "images", "rgb", "raw", "leftimg8bit", "slide", "source", "data", "input",
             "inputs", "jpegimages", "imagests", "imagestr")  # fmt: skip
NOT_LABELS = ("fg", "centers", "flows", "dp", "cellprob", "cp_output", "outlines", "overlay", "overlays", "color",
              "labelids", "polygons", "probabilities", "probability", "probs", "outlines_cp_masks", "flows_cp_masks",
              "dp_cp_masks", "cp_output_cp_masks", "cp_ncolor_masks", "ncolor_masks", "cp_outlines", "borders",
              "visualization", "weighted_maps", "man_track", "tra", "seeds", "segmentationclass", "mask binary",
              "object predictions", "simple segmentation", "embeddings", "qupath", "markers", "types")  # fmt: skip
"""Kinds of words, in small letters; between the words of one there is a ``_``, a ``-``, a dot or a space."""

COMPARTMENTS = {
    "nuclei": "nuclei", "nucleus": "nuclei", "nuclear": "nuclei", "feature_1": "nuclei", "cells": "cells",
    "cell": "cells", "whole_cell": "cells", "wholecell": "cells", "feature_0": "cells", "cyto": "cytoplasm",
    "cytoplasm": "cytoplasm",
}  # fmt: skip
"""Parts of cells that a file may be of: both sides must agree."""

TRUTH, PRED, BOTH, IMAGE, OTHER = "truth", "pred", "both", "image", "other"
_KINDS = {
    **dict.fromkeys(OF_BOTH, BOTH), **dict.fromkeys(OF_TRUTH, TRUTH), **dict.fromkeys(OF_PRED, PRED),
    **dict.fromkeys(OF_IMAGES, IMAGE), **dict.fromkeys(NOT_LABELS, OTHER),
}  # fmt: skip
_FRONT = ("man_seg", "man_track", "mask", "masks", "label", "labels", "lblimg", "count masks of", "gt", "groundtruth",
          "ground_truth", "truth", "pred", "prediction", "predicted", "seg", "segmentation", "result", "res", "img",
          "image", "raw", "slide", "output", "annotation", "inst")  # fmt: skip

_INNER = re.compile(
    r"(\.(svs|ndpi|tiff?|png|jpe?g|ome|czi|nd2|lif|mrxs|qptiff|vsi|bmp)|_(jpe?g|png|tiff?)\.rf\.[0-9a-zA-Z]{6,})$",
    re.I,
)
_DATE = r"(?:19|20)\d{6}(?:T?[_\-. ]?\d{6})?|(?:19|20)\d\d-\d\d-\d\d(?:[T_ ]\d\d-\d\d-\d\d)?"
_HASH = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,40}"
_STAMP = re.compile(rf"(?:^|(?<=[_\-. ]))(?:{_DATE}|{_HASH})(?=[_\-. ]|$)", re.I)
"""Dates with or without a time, and hashes, as runs of programs leave them in names."""
_ZEROS = re.compile(r"(?<!\d)(?<!\d[.,p])0+(?=\d)")
"""In front of numbers; what stands behind a point is no number of its own: 0.05, 0,05 and 0p05 are not 0.5."""
_MOMENT = re.compile(r"_t\d{3,}$")
_CHANNEL = re.compile(r"_0000$")
_SEPARATOR = r"[_\-. ]+"


def _either(words: tuple[str, ...] | list[str]) -> str:
    """A pattern for the longest of these words that fits."""
    ordered = sorted(words, key=len, reverse=True)
    return "|".join(_SEPARATOR.join(re.split(r"[_ ]", re.escape(word).replace("\\ ", " "))) for word in ordered)


_AT_END = re.compile(rf"(?:^|(?<=.){_SEPARATOR})({_either([*_KINDS, *COMPARTMENTS])})$", re.I)
_INSIDE = re.compile(
    rf"(?<=.)({_SEPARATOR})({_either([*OF_PRED, *OF_TRUTH, *OF_BOTH])})(?={_SEPARATOR})",
    re.I,
)
_LAST = frozenset(re.split(r"[_ ]", word)[-1] for word in (*_KINDS, *COMPARTMENTS))
_IN_FRONT = re.compile(rf"^({_either(list(_FRONT))})(?:{_SEPARATOR}|(?=\d)|$)", re.I)


class Reduced(NamedTuple):
    """What is left of a name, and what was taken off: words in small letters, and the part of a cell it is of."""

    core: str
    words: tuple[str, ...] = ()
    compartment: str = ""

    @property
    def kinds(self) -> set[str]:
        """What the words say the file is."""
        return {_KINDS[word] for word in self.words if word in _KINDS}


LEVELS = (
    "the same names",
    "names without inner suffixes",
    "names without words such as masks or pred",
    "names without words such as img",
    "names without words in front",
    "numbers without leading zeros, in any case",
    "names without words such as masks or pred inside",
    "names without dates and hashes",
)
"""How names are reduced, in this order; each does what those before it do."""


@lru_cache(maxsize=1 << 16)
def reduced(name: str, level: int = 4, channel: bool = False) -> Reduced:
    """Take off what people add to names.

    Parameters
    ----------
    name
        Of a file, without folders and suffix.
    level
        How much; a place in LEVELS.
    channel
        Whether ``_0000`` is a channel, and the only one.

    Examples
    --------
    >>> reduced("cell_07_cp_masks").core, reduced("man_seg007").core, reduced("movie_pred_t003").core
    ('cell_07', '007', 'movie_t003')
    """
    if level == 0 or (level == 1 and "." not in name):
        return Reduced(name)
    if level >= 5:
        found = reduced(_STAMP.sub("", name).strip("_-. ") or name if level == 7 else name, 4, channel)
        if level == 6:
            found = found._replace(core=_INSIDE.sub("", found.core), words=(*found.words, *_words_inside(found.core)))
        return found._replace(core=numbered(found.core))
    alike = name if channel or _NUMBERED_WORD.search(name) else name.translate(_DIGITS)
    begin, end, moment, words, compartment = _cut(alike, level, channel)
    return Reduced(name[begin:end] + name[moment:], words, compartment)


_DIGITS = str.maketrans("123456789", "000000000")
"""Folders hold thousands of names that differ in numbers only: what is cut off is the same for all of them."""
_NUMBERED_WORD = re.compile("|".join(re.escape(w) for w in (*_KINDS, *COMPARTMENTS) if re.search(r"\d", w)), re.I)
"""But for words that have a number themselves."""


@lru_cache(maxsize=1 << 14)
def _cut(name: str, level: int, channel: bool) -> tuple[int, int, int, tuple[str, ...], str]:
    """Where the core begins and ends, where the moment begins, and what was taken off."""
    found = _MOMENT.search(name) if "_t" in name else None
    moment = found.start() if found else len(name)
    begin, end = 0, moment
    words: list[str] = []
    compartment = ""
    while True:
        before = begin, end
        core = name[begin:end]
        core = (_INNER.sub("", core) or core) if "." in core else core
        if level >= 3 and channel:
            core = _CHANNEL.sub("", core) or core
        first, last, word = _taken_off(core, level)
        begin, end = begin + first, begin + last
        words += [word] if word and word in _KINDS else []
        compartment = COMPARTMENTS.get(word, compartment)
        if (begin, end) == before:
            return begin, end, moment, tuple(words), compartment


def numbered(name: str) -> str:
    """A name in small letters, whose numbers have no leading zeros.

    Examples
    --------
    >>> numbered("Well007_0.05")
    'well7_0.05'
    """
    return _ZEROS.sub("", name.lower())


@lru_cache(maxsize=1 << 16)
def stamps_of(name: str) -> tuple[str, ...]:
    """The dates and hashes in a name.

    Examples
    --------
    >>> stamps_of("20240101_A01"), stamps_of("A01")
    (('20240101',), ())
    """
    return tuple(_STAMP.findall(name.lower()))


def _taken_off(core: str, level: int) -> tuple[int, int, str]:
    """Where it begins and ends without one word, and that word."""
    last = core[1 + max(core.rfind("_"), core.rfind("-"), core.rfind("."), core.rfind(" ")) :]
    if level >= 2 and last.lower() in _LAST and (found := _AT_END.search(core)):
        word = plain(found[1])
        if level >= 3 or _KINDS.get(word) != IMAGE:
            return 0, found.start(), word
    if level >= 4 and (found := _IN_FRONT.search(core)):
        return found.end(), len(core), plain(found[1])
    return 0, len(core), ""


def _words_inside(core: str) -> tuple[str, ...]:
    """Words that stand between others, as in exp0_GT_000."""
    return tuple(plain(found[2]) for found in _INSIDE.finditer(core))


@lru_cache(maxsize=1 << 10)
def plain(word: str) -> str:
    """A word as the lists have it.

    Examples
    --------
    >>> plain("Object-Identities"), plain("CP_masks")
    ('object identities', 'cp_masks')
    """
    small = re.sub(_SEPARATOR, "_", word.lower())
    return small if small in _KINDS or small in COMPARTMENTS else small.replace("_", " ")


def kind_of_word(word: str) -> str | None:
    """What a word of the lists says."""
    return _KINDS.get(word)
