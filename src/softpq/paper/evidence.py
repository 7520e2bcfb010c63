"""What claims are judged by: the tables of the experiments, random images, and real ones if they are given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import metrics
from softpq.paper.figures import column
from softpq.synthetic import cells
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.paper.experiments import Rows

COUNT = 150
FATES = {"split": 0.25, "merged": 0.2, "missed": 0.1, "shifted": 0.15}

CELLS = f"{COUNT} random fields of nine cells with many errors"
NOISE = f"{COUNT} random images of blocks that touch and tie"


@dataclass(frozen=True)
class Evidence:
    """The tables of the experiments by name; and PQ and SoftPQ of real images by reading, if there are some."""

    tables: dict[str, Rows]
    real: dict[str, Rows] = field(default_factory=dict)

    @cached_property
    def cells(self) -> list[Overlap]:
        """Fields of cells with splits, merges, misses, shifts and ghosts."""
        scenes = [cells((80, 80), 9, seed=seed, fates=FATES, ghosts=0.1) for seed in range(COUNT)]
        return [Overlap.from_labels(scene.truth, scene.pred) for scene in scenes]

    @cached_property
    def noise(self) -> list[Overlap]:
        """Blocks of random labels: small objects, few of which match, many ties."""
        found = []
        for seed in range(COUNT):
            rng = np.random.default_rng(seed)
            truth, pred = (rng.integers(0, 5, (4, 5)) * (rng.random((4, 5)) < 0.6) for _ in range(2))
            found.append(Overlap.from_labels(truth.repeat(3, axis=1), np.roll(pred.repeat(3, axis=1), 1, axis=1)))
        return found

    @cached_property
    def merged(self) -> list[Overlap]:
        """Fields in which half of the cells are merged, and nothing else is wrong."""
        return _fields({"merged": 0.5})

    @cached_property
    def split(self) -> list[Overlap]:
        """Fields in which half of the cells are split, and nothing else is wrong."""
        return _fields({"split": 0.5})

    @cached_property
    def apart(self) -> list[Overlap]:
        """Fields in which cells are found or missed, and none is split or merged."""
        return _fields({"missed": 0.3})

    @property
    def images(self) -> list[Overlap]:
        """All random images."""
        return [*self.cells, *self.noise]

    def column(self, table: str, name: str) -> NDArray[np.float64]:
        """One column of a table."""
        return column(self.tables[table], name)

    def largest_step(self, table: str, name: str) -> float:
        """By how much a score changes at most from one step of an experiment to the next."""
        return float(np.abs(np.diff(self.column(table, name))).max())

    def case(self, name: str) -> dict[str, Any]:
        """A scene of the first figure."""
        return next(row for row in self.tables["fig1_cases"] if row["case"] == name)


def _fields(fates: dict[str, float]) -> list[Overlap]:
    scenes = [cells((80, 80), 9, seed=seed, fates=fates, ghosts=0.0) for seed in range(COUNT)]
    return [Overlap.from_labels(scene.truth, scene.pred) for scene in scenes]


def softpq(overlap: Overlap, **settings: Any) -> float:
    """SoftPQ of a table."""
    return float(metrics.softpq(overlap, **settings))


def values(images: list[Overlap], **settings: Any) -> NDArray[np.float64]:
    """SoftPQ of many tables."""
    return np.array([softpq(overlap, **settings) for overlap in images])
