"""Make the pictures of the documentation: python docs/make_images.py (needs the extra `plot`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import softpq
from softpq import plots
from softpq.synthetic import cells

IMAGES = Path(__file__).parent / "images"
SIZE = 48


def discs(*places: tuple[float, float, float]) -> np.ndarray:
    """Discs of (row, column, radius), numbered 1, 2, ...; the first stays on top."""
    rows, columns = np.mgrid[:SIZE, :SIZE]
    labels = np.zeros((SIZE, SIZE), np.int32)
    for label, (row, column, radius) in enumerate(places, start=1):
        inside = (rows - row) ** 2 + (columns - column) ** 2 <= radius**2
        labels[inside & (labels == 0)] = label
    return labels


def in_parts(labels: np.ndarray, *cuts: int) -> np.ndarray:
    """Cut all objects at columns."""
    return np.where(labels > 0, labels + 10 * np.digitize(np.arange(SIZE), cuts)[None, :], 0)


ONE, TWO = discs((24, 24, 15)), discs((24, 15, 9), (24, 33, 9))
THREE = discs((16, 15, 8), (16, 32, 8), (31, 24, 8))
SCENES = {
    "matched": (ONE, discs((25, 25, 14))),
    "partial": (ONE, discs((33, 33, 12))),
    "split / fragment": (ONE, in_parts(ONE, 19, 28)),
    "merged / merger": (THREE, (THREE > 0).astype(np.int32)),
    "missed": (TWO, np.where(TWO == 1, 1, 0)),
    "ghost": (np.where(TWO == 1, 1, 0), TWO),
}


def draw_verdicts() -> None:
    """One small scene for each verdict."""
    figure = Figure(figsize=(11, 4.3), layout="constrained")
    panels = figure.subplots(2, len(SCENES))
    for column, (name, (truth, pred)) in enumerate(SCENES.items()):
        objects = softpq.evaluate(truth, pred).objects
        for row, (side, labels, other) in enumerate((("truth", truth, pred), ("pred", pred, truth))):
            axes = panels[row, column]
            axes.imshow(plots.coloured(labels, other, objects, side), interpolation="nearest")
            axes.set_xticks([])
            axes.set_yticks([])
            verdicts = objects["verdict"][objects["side"] == side]
            axes.set_xlabel(", ".join(dict.fromkeys(verdicts.tolist())) or "nothing", fontsize=11)
            if row == 0:
                axes.set_title(name, fontsize=12)
            if column == 0:
                axes.set_ylabel("truth" if row == 0 else "prediction", fontsize=12)
    figure.savefig(IMAGES / "verdicts.png", dpi=110)


def draw_surface() -> None:
    """The threshold surface of the demo."""
    scene = cells(seed=0)
    evaluation = softpq.evaluate(scene.truth, scene.pred)
    plots.plot_surface(softpq.sweep(evaluation.overlap)).savefig(IMAGES / "surface.png", dpi=110)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    draw_surface()
    draw_verdicts()
