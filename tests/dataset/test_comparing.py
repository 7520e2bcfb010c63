"""Results of several runs: added, asked other questions, planned with, and where each model wins."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import write_models
from rich.console import Console
from scipy import stats

import softpq
from softpq import Results, evaluate_dataset, metrics
from softpq.cli.printing import print_results
from softpq.dataset.distributions import chi2_quantile
from softpq.dataset.rescoring import by_sizes, rescored
from softpq.metrics import METRICS
from softpq.synthetic import cells

MODELS = {"good": 0.05, "fair": 0.25, "poor": 0.5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models")
    write_models(place, 9, **MODELS)
    return place


def scored(folder: Path, *models: str, **options: Any) -> Results:
    return evaluate_dataset(folder / "truth", {name: folder / name for name in models}, keep_tables=True, **options)


@pytest.fixture(scope="module")
def together(folder: Path) -> Results:
    return scored(folder, *MODELS)


def test_the_value_of_each_image_is_that_of_its_score(together: Results) -> None:
    """Formulas on columns give, bit by bit, what they give image by image; also for images without an object."""
    scene = cells((64, 64), 12, seed=3)
    nothing = np.zeros_like(scene.truth)
    truth = [scene.truth, nothing, scene.truth, nothing, scene.pred]
    pred = [scene.pred, nothing, nothing, scene.pred, scene.pred]
    for reading in ("text", "figures", "unified", "released"):
        edge = evaluate_dataset(truth, {"m": pred}, boundary=2, reading=reading, iou_high=0.8)
        for results in (together, edge):
            for model in results.models:
                for metric in results.metrics:
                    values = results._arm(model).values(metric)
                    one_by_one = [image.scores[metric].value for image in results.of(model)]
                    np.testing.assert_array_equal(values, one_by_one, err_msg=f"{metric} {reading}")


def test_runs_of_one_model_each_add_up_to_the_run_of_all(folder: Path, together: Results) -> None:
    one, two, three = (scored(folder, model) for model in MODELS)
    added = Results.from_json(one.to_json()) + Results.from_json(two.to_json()) + three
    assert added.comparisons() == together.comparisons()
    for kind in ("images", "models", "pairs"):
        for row, other in zip(added.rows(kind), together.rows(kind), strict=True):
            assert str(row) == str(other)
    assert added.ranks() == together.ranks()


def test_parts_of_a_dataset_add_up_to_the_whole(together: Results) -> None:
    halves = [
        replace(together, images=tuple(image for image in together.images if (int(image.name[-1]) < 4) == first))
        for first in (True, False)
    ]
    added = halves[0] + halves[1]
    assert added.pooled("good") == together.pooled("good")


def test_only_what_was_scored_alike_is_added(folder: Path, together: Results) -> None:
    with pytest.raises(ValueError, match=r"iou_high is 0.5 in one and 0.7 in"):
        together + scored(folder, "good", iou_high=0.7)
    with pytest.raises(ValueError, match="good has image_0 in both"):
        together + scored(folder, "good")
    other = evaluate_dataset(folder / "poor", {"x": folder / "poor"})
    with pytest.raises(ValueError, match="against the same truth to be added; 9 of 9 images have other objects"):
        together + other
    with pytest.raises(TypeError):
        together + 1  # type: ignore[operator]


@pytest.mark.parametrize(
    "changes",
    [
        {"threshold": 0.8, "strict": True},
        {"iou_low": 0.2, "iou_high": 0.7, "reading": "unified"},
        {"preset": "precise", "priority": "under"},
        {"reading": "released"},
    ],
)
def test_other_thresholds_give_what_a_new_run_gives(folder: Path, together: Results, changes: dict[str, Any]) -> None:
    again, anew = rescored(Results.from_json(together.to_json()), **changes), scored(folder, *MODELS, **changes)
    for model in MODELS:
        assert again.pooled(model) == pytest.approx(anew.pooled(model), abs=0, nan_ok=True)
        assert again.mean(model) == pytest.approx(anew.mean(model), abs=0, nan_ok=True)
        assert [image.verdicts for image in again.of(model)] == [image.verdicts for image in anew.of(model)]


def test_what_needs_tables_says_so(folder: Path) -> None:
    bare = evaluate_dataset(folder / "truth", {"good": folder / "good", "poor": folder / "poor"})
    for ask in (lambda: rescored(bare, threshold=0.7), lambda: by_sizes(bare, [50]), bare.winners):
        with pytest.raises(ValueError, match=r"must have kept their tables for .*keep_tables=True"):
            ask()
    with pytest.raises(ValueError, match="must have kept their tables to write them"):
        bare.to_json(keep_tables=True)


def test_the_map_of_winners_is_made_of_comparisons(together: Results) -> None:
    """At some of its points, scored anew: the same values, the same best model, and as clear."""
    for over in ("pooled", "mean"):
        found = together.winners(over=over, step=0.1)
        assert np.isnan(found.values[:, found.iou_low[:, None] > found.iou_high]).all()
        for i, j in ((0, 0), (3, 1), (5, 0), (6, 5), (9, 4)):
            low, high = float(found.iou_low[i]), float(found.iou_high[j])
            anew = rescored(together, iou_low=low, iou_high=high).ranked_by("softpq", over=over)
            ranking, ranks = anew.ranking(), anew.ranks()
            values = [getattr(anew, over)(model)["softpq"] for model in found.models]
            np.testing.assert_allclose(found.values[:, i, j], values, rtol=0, atol=1e-12)
            assert found.models[found.best[i, j]] == ranking[0]
            assert found.clear[i, j] == (ranks[ranking[0]] == (1, 1))
    assert str(found).startswith("good is best at 100% of the thresholds")
    assert sum(share for share, _ in found.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("df", [1, 2.5, 10, 29.3, 31, 500, 9999])
@pytest.mark.parametrize("probability", [0.01, 0.2, 0.5, 0.95])
def test_quantiles_of_chi_squared(probability: float, df: float) -> None:
    assert chi2_quantile(probability, df) == pytest.approx(stats.chi2.ppf(probability, df), rel=1e-9)


def test_planning_as_it_is_written_down(together: Results) -> None:
    """D = 2.8 f s / sqrt(N - 2), from the spread of differences, whatever their mean is."""
    (needed,) = [one for one in together.needed("f1") if {one.first, one.second} == {"good", "poor"}]
    gaps = np.array(
        [
            a.scores["f1"].value - b.scores["f1"].value
            for a, b in zip(together.of("good"), together.of("poor"), strict=True)
        ]
    )
    assert needed.spread == pytest.approx(np.std(gaps, ddof=1))
    caution = math.sqrt(8 / stats.chi2.ppf(0.2, 8))
    assert needed.detectable(50) == pytest.approx(2.8 * caution * np.std(gaps, ddof=1) / math.sqrt(48))
    assert needed.detectable(needed.units_for(0.01)) <= 0.01 < needed.detectable(needed.units_for(0.01) - 1)
    compared = together.compare("good", "poor", "f1", over="mean")
    assert compared.detectable == pytest.approx(needed.detectable(9))
    with pytest.raises(ValueError, match="difference must be above 0"):
        needed.units_for(0)
    with pytest.raises(ValueError, match="two models to plan with; there is 1"):
        replace(together, images=tuple(together.of("good"))).needed()


def test_images_that_decide_are_those_without_which_the_difference_shrinks(together: Results) -> None:
    compared = together.compare("good", "poor", "pq")
    assert compared.deciding
    for name, without in compared.deciding:
        rest = replace(together, images=tuple(image for image in together.images if image.name != name))
        assert rest.pooled("good")["pq"] - rest.pooled("poor")["pq"] == pytest.approx(without)
        assert without < compared.difference.value


def test_sizes_cut_the_objects(together: Results) -> None:
    parts = by_sizes(together, [30, 60])
    assert list(parts) == ["below 30", "30 to 60", "from 60"]
    found = [sum(image.counts["n_truth"] for image in part.of("good")) for part in parts.values()]
    assert sum(found) == sum(image.counts["n_truth"] for image in together.of("good"))
    image, cut = together.of("good")[0], parts["from 60"].of("good")[0]
    assert cut.values()["f1"] == metrics.f1(metrics.by_size(image.table(), [30, 60])[60, math.inf]).value


def test_every_metric_has_statistics_or_a_reason(together: Results) -> None:
    for metric in together.metrics:
        for over in ("pooled", "mean"):
            for one in together.comparisons(metric, over=over):
                assert math.isnan(one.p) == bool(one.difference.reason), (metric, over)
            if METRICS[metric].by_pixels and over == "pooled":
                assert "see the mean over images" in one.difference.reason


def test_very_many_models_are_ranked_without_tests_of_all_pairs(tmp_path: Path) -> None:
    """200 models have 19,900 pairs, whose tests took hours and gigabytes."""
    truth = {f"image {k}": np.repeat(np.arange(1, 9), 4) for k in range(8)}
    models = {
        f"model {j:02d}": {name: np.where(labels <= 1 + j % 8, labels, 0) for name, labels in truth.items()}
        for j in range(31)
    }
    results = softpq.evaluate_dataset(truth, models, metrics=["softpq", "f1"])
    assert (results.comparisons(), results.differences()) == ([], {})
    results.to_json(tmp_path / "r.json")
    assert softpq.Results.from_json(tmp_path / "r.json").ranking() == results.ranking()
    console = Console(width=100, file=io.StringIO())
    print_results(results, console)
    said = console.file.getvalue()
    assert "More than 30 models are ranked by their values alone" in " ".join(said.split())
    assert len(said.splitlines()) < 90
    fewer = softpq.evaluate_dataset(truth, dict(list(models.items())[:30]), metrics=["softpq", "f1"])
    assert len(fewer.comparisons()) == 30 * 29 // 2
