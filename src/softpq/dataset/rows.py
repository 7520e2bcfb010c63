"""Results as plain tables: the same columns in the same order, whatever the data."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from softpq._checks import check_choice
from softpq._files import Location, atomic_file, plain_cell
from softpq.dataset.image_result import is_nan
from softpq.explain.verdicts import VERDICTS

if TYPE_CHECKING:
    from softpq.dataset.results import Results
    from softpq.dataset.statistics import Interval

Of = Literal["images", "models", "classes", "confused", "pairs"]
Row = dict[str, Any]

COUNTS = ("n_truth", "n_pred", "tp", "fp", "fn", "n_soft")
VERDICT_COLUMNS = tuple(f"{verdict.side}_{verdict.name}" for verdict in VERDICTS)


def _of_images(results: Results) -> Iterator[Row]:
    for image in results.images:
        yield {
            "image": image.name,
            "model": image.model,
            **image.values(),
            **{name: image.counts.get(name, math.nan) for name in COUNTS},
            **{name: image.verdicts.get(name, 0) for name in VERDICT_COLUMNS},
        }


def _ends(found: Interval) -> Row:
    return {"value": found.value, "low": found.low, "high": found.high, "level": found.level}


def _of_models(results: Results) -> Iterator[Row]:
    """Over the images that all models have: one row for each model, metric, and way to sum up."""
    common, head = results.on_common(), results.headline
    ranks = common.ranks()
    for model in common.ranking():
        for over in ("pooled", "mean"):
            for metric in common.metrics:
                found = common.interval(metric, model, over=over)
                headline = metric == common.rank_by and over == head.over
                first, last = ranks[model] if headline else (math.nan, math.nan)
                yield {
                    "model": model,
                    "metric": metric,
                    "over": over,
                    **_ends(found),
                    "rank_first": first,
                    "rank_last": last,
                    "images": len(common.of(model)),
                    "reason": found.reason,
                }


def _of_classes(results: Results) -> Iterator[Row]:
    for name in results.classes:
        of_class = results.of_class(name)
        for model in of_class.models:
            for metric in of_class.metrics:
                found = of_class.interval(metric, model, over="pooled")
                yield {"model": model, "class": name, "metric": metric, **_ends(found), "reason": found.reason}


def _of_confused(results: Results) -> Iterator[Row]:
    for model in results.scored:
        for truth, row in results.confused(model).items():
            for pred, count in row.items():
                yield {"model": model, "truth": truth, "pred": pred, "matches": count}


def _of_pairs(results: Results) -> Iterator[Row]:
    """All differences; p only of the metric that was declared."""
    common = results.on_common()
    for metric, found in common.differences().items():
        for one in found:
            tested = metric == common.rank_by
            yield {
                "metric": metric,
                "over": results.headline.over,
                "first": one.first,
                "second": one.second,
                **_ends(one.difference),
                "p": one.p if tested else math.nan,
                "adjusted_p": one.adjusted_p if tested else math.nan,
                "units": one.units,
                "detectable": one.detectable,
                "reason": one.difference.reason,
            }


_ENDS = ["value", "low", "high", "level"]
_KINDS: dict[str, tuple[Callable[[Results], Iterator[Row]], list[str]]] = {
    "images": (_of_images, ["image", "model"]),
    "models": (_of_models, ["model", "metric", "over", *_ENDS, "rank_first", "rank_last", "images", "reason"]),
    "classes": (_of_classes, ["model", "class", "metric", *_ENDS, "reason"]),
    "confused": (_of_confused, ["model", "truth", "pred", "matches"]),
    "pairs": (_of_pairs, ["metric", "over", "first", "second", *_ENDS, "p", "adjusted_p", "units", "detectable",
                          "reason"]),
}  # fmt: skip
"""Kind of table -> what makes its rows, and its columns."""

KINDS: tuple[Of, ...] = ("images", "models", "classes", "confused", "pairs")


def columns_of(results: Results, of: Of = "images") -> list[str]:
    """Names of the columns, in order."""
    check_choice(of, KINDS, "of")
    metrics = [*results.metrics, *COUNTS, *VERDICT_COLUMNS] if of == "images" else []
    return [*_KINDS[of][1], *metrics]


def rows_of(results: Results, of: Of = "images") -> list[Row]:
    """All rows, as plain dictionaries."""
    check_choice(of, KINDS, "of")
    return list(_KINDS[of][0](results)) if results.images else []


def write_csv(results: Results, path: Location, of: Of = "images") -> None:
    """Write a table; what is not known is empty."""
    with atomic_file(path) as file:
        writer = csv.DictWriter(file, columns_of(results, of))
        writer.writeheader()
        writer.writerows(
            {k: "" if is_nan(v) else plain_cell(v) for k, v in row.items()} for row in rows_of(results, of)
        )
