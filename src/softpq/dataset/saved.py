"""Results as JSON: what a reader or a program wants to know, and what is needed to go on with them later.

docs/results.schema.json says what is where. Sums and tables are columns of bytes; everything else is plain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import softpq
from softpq.dataset.comparing import Headline
from softpq.dataset.image_result import Failure, ImageResult, is_nan, no_nan
from softpq.dataset.packing import pack_scores, unpack_scores
from softpq.dataset.rows import COUNTS, VERDICT_COLUMNS, columns_of, rows_of
from softpq.plan import Plan
from softpq.table.known import Known
from softpq.table.tables import Tables, as_text, from_text, packed, unpacked

if TYPE_CHECKING:
    from softpq.dataset.results import Results
    from softpq.dataset.statistics import Comparison

FORMAT = "softpq results 5"


def results_to_json(results: Results, *, keep_tables: bool | None = None) -> str:
    """Return everything as text; tables if they were kept, unless they are not wanted."""
    has_tables = bool(results.images) and all(image.tables is not None for image in results.images)
    with_tables = has_tables if keep_tables is None else keep_tables
    if with_tables and not has_tables:
        raise ValueError("results must have kept their tables to write them; evaluate with keep_tables=True.")
    found = {**_head(results), **_said(results), **_stored(results, with_tables)}
    lines = [f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in found.items()]
    return "{" + ",\n".join(lines) + "}\n"


def _head(results: Results) -> dict[str, Any]:
    units = results._field(results.scored).units.count if results.on_common().images else 0
    return {
        "format": FORMAT,
        "softpq": softpq.__version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "plan": results.plan.to_dict(),
        "headline": {**asdict(results.headline), "metric": results.rank_by},
        "units": {"kind": "groups" if results.groups else "images", "count": units},
        "groups": dict(results.groups),
        "notes": list(results.notes),
        "failures": [asdict(failure) for failure in results.failures],
    }


def _said(results: Results) -> dict[str, Any]:
    """Values, intervals, ranks, differences, classes."""
    return {
        "models": [_plain(row) for row in rows_of(results, "models")],
        "comparisons": list(_comparisons(results)),
        "classes": [_plain(row) for row in rows_of(results, "classes")],
        "pooled": {model: no_nan(results.pooled(model)) for model in results.scored},
        "mean": {model: no_nan(results.mean(model)) for model in results.scored},
        "gains": {model: no_nan(results.gains(model)) if results.has_tables else {} for model in results.scored},
    }


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if is_nan(value) else value for name, value in row.items()}


def _comparisons(results: Results) -> Iterator[dict[str, Any]]:
    common = results.on_common()
    by_pair: dict[tuple[str, str, str], Comparison] = {
        (one.metric, one.first, one.second): one for found in common.differences().values() for one in found
    }
    for row in rows_of(results, "pairs"):
        one = by_pair[row["metric"], row["first"], row["second"]]
        yield {**_plain(row), "deciding": [[name, None if is_nan(gap) else gap] for name, gap in one.deciding]}


def _stored(results: Results, with_tables: bool) -> dict[str, Any]:
    """A column for each value of images, and what is behind them."""
    rows = rows_of(results)
    columns = {name: [None if is_nan(row[name]) else row[name] for row in rows] for name in columns_of(results)}
    prints = [list(image.fingerprints or ("", "")) for image in results.images]
    kept = [name for name in results.metrics if with_tables or not _has_lists(results, name)]
    found: dict[str, Any] = {
        "images": {**columns, "truth_print": [one[0] for one in prints], "pred_print": [one[1] for one in prints]},
        "image_notes": {str(k): list(image.notes) for k, image in enumerate(results.images) if image.notes},
        "sums": pack_scores([{name: image.scores[name] for name in kept} for image in results.images]),
        "class_sums": _class_sums(results.images, kept),
        "confused": {str(k): image.confused for k, image in enumerate(results.images) if image.confused},
    }
    if with_tables:
        found["tables"] = _packed_tables([image.tables for image in results.images if image.tables is not None])
    return found


def _has_lists(results: Results, metric: str) -> bool:
    return any(isinstance(part, tuple) for part in results.images[0].scores[metric].parts.values())


def _class_sums(images: Sequence[ImageResult], metrics: Sequence[str]) -> dict[str, Any]:
    places = [(k, name) for k, image in enumerate(images) for name in image.classes]
    return {
        "image": [k for k, _ in places],
        "class": [name for _, name in places],
        "sums": pack_scores([{m: images[k].classes[name][m] for m in metrics} for k, name in places]),
    }


def _packed_tables(tables: Sequence[Tables]) -> dict[str, Any]:
    """All tables one after the other; of which images there is one of pieces, too."""
    of_pieces = [k for k, one in enumerate(tables) if one.pieces is not None]
    data, columns = packed([*(one.objects for one in tables), *(one.pieces for one in tables if one.pieces)])
    return {"pieces": of_pieces, "columns": columns, "data": as_text(data), **_packed_known(tables)}


def _packed_known(tables: Sequence[Tables]) -> dict[str, Any]:
    """Classes and scores, where some are known."""
    known = {str(k): one.known.to_json() for k, one in enumerate(tables) if one.known is not None}
    return {"known": known} if known else {}


def results_from_json(text: str) -> dict[str, Any]:
    """Read what :func:`results_to_json` made; the fields of Results."""
    found = json.loads(text)
    if not isinstance(found, dict) or not str(found.get("format", "")).startswith("softpq results"):
        raise ValueError("source must be results that softpq wrote; it is something else.")
    if found["format"] != FORMAT:
        raise ValueError(f"source must be of the format {FORMAT!r}; got {found['format']!r}. Score it again.")
    plan = Plan.from_dict(found["plan"])
    return {
        "images": tuple(_images(found, plan)),
        "plan": plan,
        "failures": tuple(Failure(**item) for item in found["failures"]),
        "notes": tuple(found["notes"]),
        "groups": dict(found["groups"]),
        "headline": Headline(**found["headline"]),
    }


def _images(found: Mapping[str, Any], plan: Plan) -> Iterator[ImageResult]:
    columns = found["images"]
    scores = unpack_scores(found["sums"], plan.options, len(columns["image"]))
    classes: list[dict[str, Any]] = [{} for _ in scores]
    stored = found["class_sums"]
    of_classes = unpack_scores(stored["sums"], plan.options, len(stored["image"]))
    for k, name, one in zip(stored["image"], stored["class"], of_classes, strict=True):
        classes[k][name] = one
    tables = _tables(found["tables"], len(scores)) if "tables" in found else [None] * len(scores)
    for k, of_image in enumerate(scores):
        yield ImageResult(
            str(columns["image"][k]),
            str(columns["model"][k]),
            of_image,
            {name: columns[name][k] for name in COUNTS if columns[name][k] is not None},
            {name: columns[name][k] for name in VERDICT_COLUMNS if columns[name][k]},
            classes[k],
            tables=tables[k],
            fingerprints=(str(columns["truth_print"][k]), str(columns["pred_print"][k])),
            notes=tuple(found["image_notes"].get(str(k), ())),
            confused=found.get("confused", {}).get(str(k), {}),
        )


def _tables(stored: Mapping[str, Any], count: int) -> list[Tables | None]:
    both = unpacked(from_text(stored["data"], stored["columns"]), stored["columns"])
    pieces = dict(zip(stored["pieces"], both[count:], strict=True))
    known = _known(stored)
    return [Tables(table, pieces.get(k), known.get(str(k))) for k, table in enumerate(both[:count])]


def _known(stored: Mapping[str, Any]) -> dict[str, Known]:
    return {k: Known.from_json(found) for k, found in stored.get("known", {}).items()}
