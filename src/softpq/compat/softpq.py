"""The class of the paper's authors, with their program's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from softpq.evaluation import score

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class SoftPQ:
    """SoftPQ as the authors' program computes it, connected components and quirks included.

    Examples
    --------
    >>> SoftPQ(iou_high=0.5, iou_low=0.05).evaluate([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 0, 0]])
    0.6666666666666666
    """

    def __init__(
        self,
        iou_high: float = 0.5,
        iou_low: float = 0.05,
        method: Literal["sqrt", "log", "linear"] = "sqrt",
        prioritize_underseg: bool = False,
    ) -> None:
        self.iou_high = iou_high
        self.iou_low = iou_low
        self.method = method
        self.prioritize_underseg = prioritize_underseg

    def evaluate(self, ground_truth_mask: ArrayLike, predicted_mask: ArrayLike) -> float:
        """Return the score of a prediction.

        Examples
        --------
        >>> SoftPQ(iou_low=0.05, iou_high=0.5).evaluate([[1, 1, 0, 2]], [[1, 1, 0, 2]])
        1.0
        """
        return score(
            ground_truth_mask,
            predicted_mask,
            iou_low=self.iou_low,
            iou_high=self.iou_high,
            penalty=self.method,
            priority="under" if self.prioritize_underseg else "over",
            reading="released",
        )
