"""softpq compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softpq.cli.options import headline_options, softpq_options_if_any, table_options, threshold_options, words
from softpq.cli.running import FAILED, FINE, UsageError, ends_with_code

if TYPE_CHECKING:
    from softpq.dataset.results import Results


@click.command()
@click.argument("results", nargs=-1, required=True)
@click.option("--metrics", callback=words, help="Names such as softpq,pq,aji.  [default: the usual ones]")
@headline_options
@threshold_options
@softpq_options_if_any
@click.option("--threshold", type=float, help="Of PQ, F1 and the like.  [default: as it was]")
@click.option("--strict", is_flag=True, default=None, help="Match above the threshold, not from it on.")
@click.option("--groups", help="Images that belong together: a CSV of image,group, or a pattern such as '(p[0-9]+)_'.")
@table_options
@ends_with_code
def compare(results: tuple[str, ...], **options: Any) -> int:
    """Compare the results of earlier runs, written with evaluate --json.

    RESULTS are files, or folders of them; NAME=FILE names the model of a file. Truth and settings must have been the
    same. Other thresholds and metrics, and the map of who wins where, need files written with --keep-tables.

    Exit codes: 0; 1 if a file could not be written; 2 if the results cannot be compared.
    """
    from rich.console import Console

    from softpq.cli.outputs import check_outputs, to_standard, write_all, writers_of
    from softpq.cli.printing import print_results

    check_outputs(options)
    found = as_asked(merged_results(results), options)
    found = found.ranked_by(options["rank_by"], **{name: options[name] for name in ("over", "level", "seed")})
    console = Console(emoji=False, stderr=to_standard(options))
    print_results(found, console, options["metrics"], sizes=options["sizes"])
    _say_winners(found, console)
    shown = options["metrics"] or found.metrics
    return FINE if write_all(writers_of(found, options, shown)) else FAILED


def merged_results(places: Sequence[str]) -> Results:
    """All files, one after the other; models of one name get that of their file."""
    read = [(path, *_read(path, name)) for name, path in _files(places)]
    taken: dict[str, int] = {}
    for _, found, _ in read:
        for model in found.models:
            taken[model] = taken.get(model, 0) + 1
    named = []
    for path, found, is_named in read:
        stem = Path(path).stem
        clash = not is_named and any(taken[model] > 1 for model in found.models)
        named.append(_renamed(found, {m: stem if len(found.models) == 1 else f"{stem}: {m}" for m in found.models})
                     if clash else found)  # fmt: skip
    try:
        return reduce(add, named)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _files(places: Sequence[str]) -> list[tuple[str, str]]:
    """Name, or nothing, and path of each file."""
    found = []
    for place in places:
        name, sign, path = place.partition("=")
        if not sign or Path(place).exists():
            name, path = "", place
        if not Path(path).exists():
            raise UsageError(f"{path} does not exist; results are written with softpq evaluate --json.")
        inside = sorted(map(str, Path(path).glob("*.json"))) if Path(path).is_dir() else [path]
        if not inside:
            raise UsageError(f"{path} holds no .json file; results are written with softpq evaluate --json.")
        found += [(name, one) for one in inside]
    return found


def _read(path: str, name: str) -> tuple[Results, bool]:
    from softpq.dataset.results import Results

    try:
        found = Results.from_json(Path(path))
    except (ValueError, KeyError, TypeError, IndexError, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, ValueError) else type(error).__name__
        raise UsageError(f"{path} holds no results that can be read: {reason}") from None
    if name and len(found.models) > 1:
        raise UsageError(f"{path} has {len(found.models)} models; one name is not enough.")
    return (_renamed(found, {found.models[0]: name}), True) if name and found.models else (found, bool(name))


def _renamed(results: Results, names: Mapping[str, str]) -> Results:
    return replace(
        results,
        images=tuple(replace(image, model=names[image.model]) for image in results.images),
        failures=tuple(replace(failure, model=names[failure.model]) for failure in results.failures),
    )


def as_asked(results: Results, options: Mapping[str, Any]) -> Results:
    """As other metrics, thresholds or groups have it."""
    from softpq.dataset.groups import groups_of
    from softpq.dataset.rescoring import rescored

    if options["groups"] is not None:
        names = [image.name for image in results.images]
        results = replace(results, groups=groups_of(names, options["groups"]))
    settings = ("iou_low", "iou_high", "preset", "penalty", "priority", "reading", "threshold", "strict")
    changes: Any = {name: options[name] for name in settings if options.get(name) is not None}
    wanted = [name for name in [*(options.get("metrics") or ()), options["rank_by"]] if name]
    if not changes and set(wanted) <= set(results.metrics):
        return results
    try:
        return rescored(results, **changes, metrics=wanted or None)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _say_winners(results: Results, console: Any) -> None:
    """Whether the ranking depends on the thresholds."""
    from rich.markup import escape

    from softpq.io.format import printable

    if len(results.scored) < 2 or not results.on_common().images:
        return
    if any(image.table(results.settings.reading) is None for image in results.images):
        console.print("Who wins at other thresholds is not known: write results with --keep-tables.")
        return
    console.print(escape(printable(f"Over l from 0 and h from 0.5 on, {results.winners()}.")), highlight=False)
