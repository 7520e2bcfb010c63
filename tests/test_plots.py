"""Pictures: that they can be made, and that what they show is right."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

import softpq
from softpq import plots
from softpq.synthetic import cells

SCENE = cells((96, 96), 12, seed=1)


def test_outlines_are_what_touches_something_else() -> None:
    labels = np.zeros((5, 5), int)
    labels[1:4, 1:4] = 1
    assert plots.outlines(labels).sum() == 8
    assert not plots.outlines(labels)[2, 2]


def test_the_overlay_uses_the_colour_of_each_verdict() -> None:
    evaluation = softpq.evaluate(SCENE.truth, SCENE.pred)
    picture = plots.overlay(SCENE.truth, SCENE.pred, evaluation.objects, scale=1)
    colours = {colour for _, colour in picture.getcolors(1 << 16)}
    assert {plots.COLOURS[verdict] for verdict in evaluation.objects["verdict"]} <= colours


def test_volumes_are_drawn_slice_by_slice() -> None:
    volume = np.ones((2, 3, 3), int)
    with pytest.raises(ValueError, match="two dimensions"):
        plots.overlay(volume, volume, softpq.evaluate(volume, volume).objects)


def test_surfaces_and_curves_can_be_saved() -> None:
    overlap = softpq.Overlap.from_labels(SCENE.truth, SCENE.pred)
    for figure in (plots.plot_surface(softpq.sweep(overlap)), plots.plot_curves(overlap)):
        file = io.BytesIO()
        figure.savefig(file, format="png")
        assert file.getvalue().startswith(b"\x89PNG")


def test_axes_can_be_given() -> None:
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert plots.plot_curves(softpq.Overlap.from_labels([1, 1], [1, 0]), ["pq"], axes) is axes.get_figure()


def test_objects_as_a_data_frame() -> None:
    frame = softpq.evaluate(SCENE.truth, SCENE.pred).objects.to_pandas()
    assert list(frame.columns[:4]) == ["side", "id", "area", "verdict"]


def test_where_the_winner_is_not_clear_is_hatched() -> None:
    """The same map, clear and unclear: only the second has dark lines on it."""
    from softpq.dataset.winners import WinnerMap

    lows, highs = np.array([0.0, 0.1, 0.2]), np.array([0.5, 0.6])
    dark = []
    for clear in (True, False):
        best, is_clear = np.zeros((3, 2), np.int64), np.full((3, 2), clear)
        figure = plots.plot_winners(WinnerMap(lows, highs, ("a", "b"), np.zeros((2, 3, 2)), best, is_clear))
        file = io.BytesIO()
        figure.savefig(file, dpi=100)
        dark.append(int((np.asarray(Image.open(file).convert("RGB")).max(axis=2) < 110).sum()))
    assert dark[1] > dark[0] + 500
