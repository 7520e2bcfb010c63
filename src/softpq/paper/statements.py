"""The paper, sentence by sentence: what it claims, in our words. Figures are numbered as in the paper."""

from __future__ import annotations

from dataclasses import dataclass

from softpq.paper import trials
from softpq.paper.evidence import CELLS, NOISE
from softpq.paper.trials import Test


@dataclass(frozen=True)
class Statement:
    """A sentence of the paper in our words.

    Attributes
    ----------
    sentence
        What is claimed.
    where
        The part of the paper.
    scenes, against
        On what it is tested, and against which other metrics.
    test
        From the evidence and a reading to what is found and whether it holds; None if the evidence is not there. A
        statement without a test cannot be computed.
    """

    sentence: str
    where: str
    scenes: str = ""
    against: str = ""
    test: Test | None = None


BOTH = f"{CELLS} and {NOISE}"
SIX = "the six scenes of figure 1"

STATEMENTS = (
    Statement("With l = h = 0.5 SoftPQ is PQ.", "method", BOTH, "PQ", trials.is_pq),
    Statement("SoftPQ is never below PQ.", "method, figure 5", BOTH, "PQ", trials.not_below_pq),
    Statement("Above h = 0.5 matches are unique.", "method", BOTH, "", trials.unique_above_half),
    Statement(
        "Many weak overlaps do not inflate the score.",
        "modified IoU",
        "25 objects in one to five strips each",
        "",
        trials.weak_overlaps,
    ),
    *(
        Statement(
            f"SoftPQ tells more of the different errors apart than {', '.join(others)}.",
            "figure 1",
            SIX,
            ", ".join(others),
            trials.tells_apart(others),
        )
        for others in (("F1", "mAP", "PQ"), ("IoU",))
    ),
    *(
        Statement(
            f"Under {what}, SoftPQ declines more smoothly than {', '.join(others)}.",
            figure,
            scenes,
            ", ".join(others),
            trials.smoothest(table, others),
        )
        for what, figure, scenes, table in (
            ("erosion", "figure 2", "one disc, 23 steps", "erosion_single"),
            ("erosion of two objects", "figure 2, two objects", "a large and a small disc, 23 steps", "erosion_paired"),
            ("dilation", "figure 3", "one disc, 23 steps", "dilation_single"),
            ("dilation of two objects", "figure 3, two objects", "two discs that merge, 23 steps", "dilation_paired"),
        )
        for others in (("PQ", "F1", "mAP"), ("IoU",))
    ),
    Statement(
        "SoftPQ stays above 0 where PQ has collapsed.",
        "figures 2 and 3",
        "one and two discs, eroded and dilated",
        "PQ",
        trials.not_zero,
    ),
    Statement(
        "SoftPQ rises as l is lowered: in the paper's own sweep.",
        "figure 3",
        "one and two discs, eroded and dilated, l from 0.5 to 0.01",
        "",
        trials.monotonic_in_figure,
    ),
    Statement("SoftPQ rises as l is lowered: on any image.", "results", BOTH, "", trials.monotonic),
    Statement(
        "The decline at 100 % over-segmentation is modest.",
        "figure 4",
        "25 objects, all split in two",
        "",
        trials.modest,
    ),
    *(
        Statement(
            f"At 100 % over-segmentation SoftPQ is more robust than {', '.join(others)}.",
            "figure 4",
            "25 objects, all split in two",
            ", ".join(others),
            trials.most_robust(others),
        )
        for others in (("PQ", "F1", "mAP"), ("IoU",))
    ),
    Statement(
        "Objects in up to five fragments are still matched one to one.",
        "over-segmentation, text",
        "25 objects in one to five strips each",
        "",
        trials.one_to_one,
    ),
    Statement(
        "Ghosts are penalised: where something matches.",
        "results",
        f"those of {BOTH} in which something matches",
        "",
        trials.ghosts(matched=True),
    ),
    Statement(
        "Ghosts are penalised: where nothing matches.",
        "results",
        f"those of {BOTH} in which nothing matches",
        "",
        trials.ghosts(matched=False),
    ),
    Statement("Merges are penalised.", "results", "two objects and their merger, figure 1", "", trials.merges_cost),
    Statement("The priority makes a difference.", "method, figure 1", SIX, "", trials.priority_makes_a_difference),
    Statement(
        "Priority over is lenient with splits, priority under with merges.",
        "method, in words",
        "the split and the merge of figure 1",
        "",
        trials.priority_as_in_words,
    ),
    Statement(
        "A larger l penalises merges more than splits.",
        "thresholds",
        "150 fields in which half of nine cells are merged, and 150 in which half are split",
        "",
        trials.l_against_merges,
    ),
    Statement("l = 0.25 is a useful balance that tells errors apart.", "thresholds", SIX, "PQ", trials.useful_balance),
    Statement("Stricter thresholds give lower scores.", "thresholds", BOTH, "", trials.precise_is_stricter),
    Statement(
        "Linear and logarithmic penalties are sharp, the square root is gradual.",
        "appendix",
        "one object in one to ten fragments",
        "",
        trials.penalties,
    ),
    Statement(
        "The logarithmic penalty ln(n+1) penalises.",
        "appendix",
        "one object in one to ten fragments",
        "",
        trials.raw_logarithm,
    ),
    Statement(
        "Where nothing is split or merged, SoftPQ and PQ agree.",
        "figure 5",
        "those of 150 fields of cells, found or missed, that have no soft pair",
        "PQ",
        trials.agree_without_errors,
    ),
    Statement("On real images SoftPQ is never below PQ.", "figure 5", "your images", "PQ", trials.real_above),
    Statement("The difference is larger where PQ is low.", "figure 5", "your images", "PQ", trials.real_correlation),
    Statement("SoftPQ is more interpretable than other metrics.", "abstract, results"),
    Statement("It helps in debugging and optimising models.", "results"),
    Statement("The square root was chosen for its empirical performance.", "modified IoU"),
    Statement("Sublinear penalties suit exploratory and clinical domains.", "appendix"),
    Statement("Strict thresholds suit medical and safety-critical work.", "thresholds"),
)
"""All claims, in the order of the paper."""
