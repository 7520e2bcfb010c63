"""Pictures: that they can be made, and that what they show is right."""

from __future__ import annotations

import io

import numpy as np
import pytest

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
