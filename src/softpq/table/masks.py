"""Objects that may overlap: one mask each, kept as runs of pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table import mask_checks, mask_pictures, mask_sources
from softpq.table.segmentations import MOST_RUNS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


_RUNS = ("offsets", "starts", "stops")


@dataclass(frozen=True, eq=False, repr=False)
class Masks:
    """Masks on one image, which may overlap, be equal, have holes and several pieces; never changed.

    Made by :meth:`from_stack`, :meth:`from_list`, :meth:`from_rle`, :meth:`from_polygons`, :meth:`from_layers`,
    :meth:`from_labels`, :meth:`of`. Memory grows with outlines, not with masks times pixels.

    Attributes
    ----------
    shape
        Of the image: two or three dimensions.
    offsets, starts, stops
        Mask k has the runs ``offsets[k]:offsets[k + 1]``; each is a half-open interval of the flat, row-major index of
        pixels. The runs of a mask ascend, and do not touch each other.
    scores
        Confidence of each mask, if known.
    classes
        Name of the class of each mask, if known.
    crowd
        Whether a mask is a region of many objects that were not told apart, if known.
    ids
        Number of each mask, if there are any: different ones, not negative. Without, masks are numbered from 1.

    Examples
    --------
    >>> masks = Masks.from_stack(np.array([[[1, 1, 0]], [[0, 1, 1]]]), scores=[0.9, 0.4])
    >>> masks.select(masks.scores > 0.5)
    Masks(1 of shape (1, 3), with scores)
    """

    shape: tuple[int, ...]
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    scores: NDArray[np.float64] | None = None
    classes: NDArray[np.str_] | None = None
    crowd: NDArray[np.bool_] | None = None
    ids: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", mask_checks.checked_shape(self.shape))
        for name in _RUNS:
            object.__setattr__(self, name, mask_checks.own(getattr(self, name)))
        mask_checks.check_runs(self.shape, self.offsets, self.starts, self.stops)
        for name, check in mask_checks.PER_MASK.items():
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, mask_checks.frozen(check(given, len(self), name)))

    def __getattr__(self, name: str) -> Any:
        """Find the runs of masks that are known on the transposed image only."""
        source = self.source
        if name not in _RUNS or source is None:
            raise AttributeError(f"Masks have no {name}")
        height, width = self.shape
        runs = _core.row_runs(source.runs(), height, width, MOST_RUNS)
        for own, column in zip(_RUNS, runs, strict=True):
            object.__setattr__(self, own, mask_checks.frozen(column))
        return self.__dict__[name]

    @property
    def source(self) -> Masks | None:
        """The masks of which these are transposed; None if they are known by themselves."""
        found: Masks | None = self.__dict__.get("_source")
        return found

    @classmethod
    def _of(cls, made: mask_sources.Runs, per_mask: Mapping[str, Any]) -> Masks:
        """Masks of a shape and runs that were made for them: nobody else has these arrays."""
        shape, offsets, starts, stops = made
        frozen = mask_checks.frozen
        return cls(shape, frozen(offsets), frozen(starts), frozen(stops), **per_mask)

    @classmethod
    def _down(cls, shape: tuple[int, ...], *runs: NDArray[np.int64], per_mask: Mapping[str, Any]) -> Masks:
        """Masks of runs down the columns, which native code made: they need no check."""
        found = object.__new__(cls)
        found.__dict__.update(zip(_RUNS, map(mask_checks.frozen, runs), strict=True))
        found.__dict__.update(dict.fromkeys(mask_checks.PER_MASK), shape=shape[::-1])
        return found.with_(**per_mask).transposed() if per_mask else found.transposed()

    def transposed(self) -> Masks:
        """Return the same masks on the transposed image of two dimensions.

        Examples
        --------
        >>> Masks.from_labels([[1, 1, 2]]).transposed().to_labels().tolist()
        [[1], [1], [2]]
        """
        if len(self.shape) != 2:
            raise ValueError(f"masks must be of two dimensions to be transposed; got shape {self.shape}.")
        if self.source is not None:
            return self.source
        found = object.__new__(Masks)
        per_mask = {name: getattr(self, name) for name in mask_checks.PER_MASK}
        found.__dict__.update(per_mask, shape=self.shape[::-1], _source=self)
        return found

    @classmethod
    def from_stack(cls, stack: ArrayLike, *, mask_threshold: float | None = None, **per_mask: Any) -> Masks:
        """Make masks of a stack (N, H, W) or (N, D, H, W).

        Parameters
        ----------
        stack
            Booleans, or integers that are only 0 and 1, or only 0 and 255.
        mask_threshold
            For probabilities: what is at least this is inside.
        per_mask
            ``scores``, ``classes``, ``crowd``, ``ids``: one of each mask.

        Examples
        --------
        >>> Masks.from_stack(np.ones((2, 4, 4), bool), classes=["worm", "egg"]).areas
        array([16, 16])
        """
        return cls._of(mask_sources.from_stack(stack, mask_threshold), per_mask)

    @classmethod
    def from_list(
        cls,
        masks: Iterable[ArrayLike],
        *,
        shape: Sequence[int] | None = None,
        mask_threshold: float | None = None,
        **per_mask: Any,
    ) -> Masks:
        """Make masks of arrays of one shape, each as in :meth:`from_stack`.

        Parameters
        ----------
        masks
            One array each.
        shape
            Of the image; needed where there is no mask.
        mask_threshold
            For probabilities: what is at least this is inside.
        per_mask
            ``ids``, ``scores``, ``classes`` and ``crowd``: one value for each mask.

        Examples
        --------
        >>> len(Masks.from_list([[[True, False]], [[True, True]]]))
        2
        """
        return cls._of(mask_sources.from_list(masks, shape, mask_threshold), per_mask)

    @classmethod
    def from_labels(cls, labels: ArrayLike, **per_mask: Any) -> Masks:
        """Make masks of a label image: one of each label, ascending; 0 is background.

        Parameters
        ----------
        labels
            Integers; the labels become the ids.
        per_mask
            ``scores``, ``classes``, ``crowd``: one of each label, ascending.

        Examples
        --------
        >>> Masks.from_labels([[0, 7, 7], [3, 0, 7]]).ids
        array([3, 7])
        """
        ids, runs = mask_sources.from_labels(labels, "labels")
        return cls._of(runs, {"ids": ids, **per_mask})

    @classmethod
    def from_layers(cls, layers: Iterable[ArrayLike], **per_mask: Any) -> Masks:
        """Make masks of several label images of one shape; a label in two layers is two objects.

        Parameters
        ----------
        layers
            Label images.
        per_mask
            ``scores``, ``classes``, ``crowd``, ``ids``: one of each mask, layer by layer, ascending labels in each.

        Examples
        --------
        >>> Masks.from_layers([[[1, 1, 0]], [[0, 1, 1]]]).areas
        array([2, 2])
        """
        return cls._of(mask_sources.from_layers(layers), per_mask)

    @classmethod
    def from_rle(
        cls, masks: Iterable[Mapping[str, Any]], *, shape: Sequence[int] | None = None, **per_mask: Any
    ) -> Masks:
        """Make masks of COCO's run-lengths, which go down the columns.

        Parameters
        ----------
        masks
            Mappings with ``size``, height and width, and ``counts``: text, bytes, or a list of numbers.
        shape
            Of the image; needed where there is no mask.
        per_mask
            ``scores``, ``classes``, ``crowd``, ``ids``: one of each mask.

        Examples
        --------
        >>> Masks.from_rle([{"size": [2, 3], "counts": [1, 3, 2]}]).to_stack().astype(int)
        array([[[0, 1, 0],
                [1, 1, 0]]])
        """
        return cls._down(*mask_sources.from_rle(masks, shape), per_mask=per_mask)

    @classmethod
    def from_polygons(
        cls, objects: Iterable[Sequence[ArrayLike]], shape: Sequence[int], *, polygons: str = "centre", **per_mask: Any
    ) -> Masks:
        """Draw outlines.

        Parameters
        ----------
        objects
            Each a list of rings; each ring is corners (x, y), or numbers x, y, x, y, ... The centre of the first
            pixel is (0.5, 0.5).
        shape
            Height and width of the image; what is beyond is cut off.
        polygons
            How to draw: ``"centre"``, a pixel is inside if its centre is, even-odd over all rings; ``"coco"``, as
            pycocotools does, pixel by pixel, where the rings of an object are joined.
        per_mask
            ``scores``, ``classes``, ``crowd``, ``ids``: one of each object.

        Examples
        --------
        >>> Masks.from_polygons([[[(0, 0), (3, 0), (3, 2), (0, 2)]]], (4, 4)).areas
        array([6])
        """
        found = mask_sources.from_polygons(objects, shape, polygons)
        return cls._down(*found, per_mask=per_mask) if polygons == "coco" else cls._of(found, per_mask)

    @classmethod
    def of(cls, output: Any, *, mask_threshold: float | None = None) -> Masks:
        """Make masks of what a model returned, with its scores and classes.

        Parameters
        ----------
        output
            A dictionary of torchvision, ``Instances`` of detectron2, a sample of mmdet, ``Detections`` of supervision,
            ``Results`` of ultralytics, or the list of dictionaries of SAM's mask generator. Known by their fields.
        mask_threshold
            For probabilities, as torchvision gives them: what is at least this is inside.

        Examples
        --------
        >>> output = {"masks": np.full((1, 1, 2, 2), 0.8), "scores": np.array([0.9]), "labels": np.array([3])}
        >>> Masks.of(output, mask_threshold=0.5)
        Masks(1 of shape (2, 2), with scores, classes)
        """
        from softpq.table.model_outputs import masks_of_output  # which makes Masks

        return masks_of_output(output, mask_threshold)

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self.source is None else len(self.source)

    @cached_property
    def areas(self) -> NDArray[np.int64]:
        """Pixels of each mask."""
        if self.source is not None:
            return self.source.areas
        before = np.concatenate([[0], np.cumsum(self.stops - self.starts)])
        return mask_checks.frozen(np.diff(before[self.offsets]))

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The ids, or, where there are none, 1, 2, 3 and so on."""
        return np.arange(1, len(self) + 1) if self.ids is None else self.ids

    def runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Offsets, starts and stops.

        Examples
        --------
        >>> [column.tolist() for column in Masks.from_labels([[1, 1, 0], [0, 2, 2]]).runs()]
        [[0, 1, 2], [0, 4], [2, 6]]
        """
        return self.offsets, self.starts, self.stops

    def select(self, keep: ArrayLike) -> Masks:
        """Return some of the masks.

        Parameters
        ----------
        keep
            One boolean of each mask, or positions, in any order.

        Examples
        --------
        >>> Masks.from_labels([[1, 2, 3]]).select([2, 0]).ids
        array([3, 1])
        """
        if self.source is not None:
            return self.source.select(keep).transposed()
        at = mask_checks.positions(keep, len(self))
        kept = {name: value[at] for name in mask_checks.PER_MASK if (value := getattr(self, name)) is not None}
        return Masks._of((self.shape, *mask_sources.chosen(*self.runs(), at)), kept)

    def with_(self, **per_mask: Any) -> Masks:
        """Return the same masks with other ``scores``, ``classes``, ``crowd`` or ``ids``; None takes them away.

        Examples
        --------
        >>> Masks.from_labels([[1, 2]]).with_(scores=[0.5, 0.25]).scores
        array([0.5 , 0.25])
        """
        if unknown := set(per_mask) - set(mask_checks.PER_MASK):
            raise TypeError(f"with_ must be given some of {', '.join(mask_checks.PER_MASK)}; got {min(unknown)}.")
        if self.source is not None:
            return self.source.with_(**per_mask).transposed()
        return replace(self, **per_mask)

    def to_labels(self) -> NDArray[np.uint64] | None:
        """Return a label image, with ids as labels; None where masks overlap or are empty, or have the id 0.

        Examples
        --------
        >>> Masks.from_labels([[0, 7, 3]]).to_labels().tolist()
        [[0, 7, 3]]
        """
        return mask_pictures.labels_of(self)

    def to_stack(self) -> NDArray[np.bool_]:
        """Return the masks as one array (N, ...): as many bytes as masks times pixels.

        >>> Masks.from_labels([[1, 2, 2]]).to_stack().sum(axis=(1, 2))
        array([1, 2])
        """
        return mask_pictures.stack_of(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Masks):
            return NotImplemented
        return all(np.array_equal(getattr(self, one.name), getattr(other, one.name)) for one in fields(Masks))

    def __hash__(self) -> int:
        return hash((self.shape, self.offsets.tobytes(), self.starts.tobytes(), self.stops.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Masks, tuple(getattr(self, one.name) for one in fields(Masks))

    def __repr__(self) -> str:
        having = [name for name in mask_checks.PER_MASK if getattr(self, name) is not None]
        return f"Masks({len(self)} of shape {self.shape}" + (f", with {', '.join(having)})" if having else ")")
