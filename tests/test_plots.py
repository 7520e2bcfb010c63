"""Pictures: that they can be made, and that what they show is right."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

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


def drawings() -> dict[str, Callable[..., Any]]:
    """Every plot of the package, as a function of ``ax``."""
    overlap = softpq.Overlap.from_labels(SCENE.truth, SCENE.pred)
    results = softpq.evaluate_dataset(
        [SCENE.truth, SCENE.pred] * 4, {"a": [SCENE.pred] * 8, "b": [SCENE.truth] * 8}, keep_tables=True
    )
    return {
        "surface": partial(plots.plot_surface, softpq.sweep(overlap)),
        "curves": partial(plots.plot_curves, overlap, ["pq"]),
        "pq_vs_softpq": partial(plots.plot_pq_vs_softpq, results, "a"),
        "ranks": partial(plots.plot_ranks, results),
        "winners": partial(plots.plot_winners, results.winners(step=0.1)),
        "needed": partial(plots.plot_needed, results.needed()),
    }


def test_axes_can_be_given() -> None:
    from matplotlib.figure import Figure

    for name, draw in drawings().items():
        ax = Figure().add_subplot()
        assert draw(ax=ax) is ax.get_figure(), name
        assert ax.has_data(), name


def test_plots_are_shown_by_pyplot_where_it_is_in_use() -> None:
    code = """if True:
        import sys, softpq
        from softpq import plots
        overlap = softpq.Overlap.from_labels([1, 1, 2], [1, 0, 2])
        plots.plot_curves(overlap)
        assert "matplotlib.pyplot" not in sys.modules
        import matplotlib
        matplotlib.use("agg")
        import matplotlib.pyplot as plt
        figure = plots.plot_curves(overlap)
        assert plt.gcf() is figure
        assert len(plt.get_fignums()) == 1
        left, right = plt.subplots(1, 2)[1]
        plots.plot_curves(overlap, ax=right)
        assert len(plt.get_fignums()) == 2
        """
    subprocess.run([sys.executable, "-c", code], check=True)


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


def test_models_against_the_threshold_are_pooled_scores() -> None:
    results = _two_models()
    panels = plots.plot_models(results).axes
    assert [panel.get_title() for panel in panels] == ["pq", "f1", "accuracy"]
    for k, model in enumerate(results.models):
        for panel in panels:
            x, y = panel.lines[k].get_data()
            at = int(np.argmin(np.abs(np.asarray(x) - 0.5)))
            assert y[at] == pytest.approx(results.pooled(model)[panel.get_title()])


def test_a_duel_counts_on_how_many_images_the_first_is_better() -> None:
    results = _two_models()
    first, second = ([image.scores["softpq"].value for image in results.of(model)] for model in results.models)
    better = sum(one > two for one, two in zip(first, second, strict=True))
    (axes,) = plots.plot_duel(results, *results.models).axes
    assert f"better on {better} of 3 images" in axes.get_title()


def test_repairs_of_models_are_a_grid_of_gains() -> None:
    results = _two_models()
    (axes,) = plots.plot_repairs(results).axes
    gains = [results.gains(model) for model in results.ranking("softpq")]
    assert [text.get_text() for text in axes.texts] == [f"{gain:+.3f}" for one in gains for gain in one.values()]


def _two_models() -> softpq.Results:
    scenes = [cells((64, 64), 10, seed=k) for k in range(3)]
    truth = {f"{k}": scene.truth for k, scene in enumerate(scenes)}
    models = {
        "a": {f"{k}": scene.pred for k, scene in enumerate(scenes)},
        "b": {name: np.roll(labels, 2, 0) for name, labels in truth.items()},
    }
    return softpq.evaluate_dataset(truth, models, keep_tables=True)
