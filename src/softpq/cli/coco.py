"""softpq coco."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softpq._checks import how_many
from softpq.cli.language import in_options
from softpq.cli.options import sizes
from softpq.cli.running import FAILED, FINE, UsageError, ends_with_code

if TYPE_CHECKING:
    from softpq.detection.by_class import ByClass
    from softpq.detection.precision import AveragePrecision

_SHOWN = ("AP", "AP50", "AP75", "APs", "APm", "APl")


@click.command()
@click.argument("truth")
@click.argument("results")
@click.option("--classes", is_flag=True, help="One line per class, too.")
@click.option("--score-threshold", type=float, help="Leave out results with a smaller score.")
@click.option("--class-agnostic", is_flag=True, help="Take the objects of all classes together.")
@click.option("--boxes", is_flag=True, help="Compare boxes instead of masks.")
@click.option("--boundary", type=float, help="Take the smaller IoU of masks and of bands of this reach, such as 0.02.")
@click.option("--max-dets", type=click.IntRange(min=1), help="Results of a class that count per image.  [default: 100]")
@click.option(
    "--areas", callback=sizes, metavar="SMALL,LARGE", help="Where small ends and large begins.  [default: 1024,9216]"
)
@click.option("--json", "json_path", metavar="FILE", help="Write all values by name; - is standard output.")
@ends_with_code
def coco(truth: str, results: str, classes: bool, json_path: str | None, **options: Any) -> int:
    """Score a COCO file of results against a COCO or LVIS file of truth; or two COCO panoptic files.

    Prints average precision and recall as pycocotools does, and SoftPQ and PQ below. Of panoptic files: PQ as it was
    published, and SoftPQ, of all, things and stuff. Their PNGs lie in a folder beside the file, with its name, or in
    another one: truth.json:folder.
    """
    from softpq.cli.outputs import check_output
    from softpq.cli.panoptic import panoptic_report
    from softpq.io.formats import split_inner
    from softpq.io.formats.panoptic import is_panoptic

    if json_path is not None:
        check_output(json_path, "json_path")
    (path, folder), (pred, pred_folder) = split_inner(truth), split_inner(results)
    if path.is_file() and is_panoptic(path):
        return _show(*panoptic_report((path, folder), (pred, pred_folder), options, classes=classes), json_path)
    asked = {name: value for name, value in options.items() if value is not None}
    _check(asked)
    return _show(*_report(Path(truth), Path(results), options, asked, classes=classes), json_path)


def _report(
    truth: Path, results: Path, options: dict[str, Any], asked: dict[str, Any], *, classes: bool
) -> tuple[list[str], dict[str, Any]]:
    """What is printed, and what is written."""
    from rich.console import Console

    from softpq.cli.printing import progress_bar
    from softpq.detection.precision import average_precision

    with progress_bar(Console(emoji=False, stderr=True), hidden=False, counts=False):
        found = average_precision(truth, results, **asked)
        scores = None if options["boxes"] else _soft(truth, results, options)
    content = _content(truth, results, found, scores, options)
    lines = [*_lines(found, asked), *([] if scores is None else _soft_lines(scores, _least(options)))]
    lines += _class_lines(found, scores) if classes else []
    lines += _confused_lines(content.get("confused", {}))
    return [*lines, *(f"Note: {in_options(note)}" for note in found.notes)], content


def _show(lines: list[str], content: dict[str, Any], json_path: str | None) -> int:
    """Print, then write."""
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.outputs import write_all

    console = Console(emoji=False, highlight=False, stderr=json_path == "-")
    for line in lines:
        console.print(escape(line), soft_wrap=True)
    good = json_path is None or write_all({json_path: lambda path: write_json(path, content)})
    return FINE if good else FAILED


def _check(options: dict[str, Any]) -> None:
    areas = options.get("areas")
    if areas is not None and (len(areas) != 2 or not 0 <= areas[0] <= areas[1]):
        raise UsageError(f"--areas must be two rising numbers such as 1024,9216; got {','.join(map(str, areas))}.")
    if options["boxes"] and options.get("boundary") is not None:
        raise UsageError("--boundary must be left out with --boxes: boxes have no bands.")


def _soft(truth: Path, results: Path, options: dict[str, Any]) -> ByClass:
    from softpq.detection.by_class import scored_by_class, views_of
    from softpq.detection.curves import limited_to_images, without_classes
    from softpq.detection.objects import scene_of_files

    scene = scene_of_files(truth, results, boxes=False)
    if options["class_agnostic"]:
        scene = without_classes(scene)
    elif scene.is_lvis:  # what nobody looked for is neither right nor wrong
        scene = limited_to_images(scene)
    least = _least(options)
    return scored_by_class(views_of(scene, lambda side: side.scores >= least))


def _lines(found: AveragePrecision, options: dict[str, Any]) -> list[str]:
    """The lines everybody knows; NaN is printed as -1, as they do."""
    lines = []
    for name, value in found.numbers.items():
        title = "Average Precision  (AP)" if name.startswith("AP") else "Average Recall     (AR)"
        iou = f"0.{name[2:]}" if name in ("AP50", "AP75") else "0.50:0.95"
        area = {"s": "small", "m": "medium", "l": "large"}.get(name[2:], "all")
        most = int(name[2:]) if name in ("AR1", "AR10") else found.max_dets
        group = {"APr": "rare", "APc": "common", "APf": "frequent"}.get(name)
        what = f"area={area:>6s} | maxDets={min(most, found.max_dets):>3d}" + (f" | {group}" if group else "")
        lines.append(f" {title:<18} @[ IoU={iou:<9} | {what} ] = {-1 if math.isnan(value) else value:0.3f}")
    return lines


def _soft_lines(scores: ByClass, least: float) -> list[str]:
    values, pooled = scores.mean(), scores.pooled()
    which = "all results that are given" if least == -math.inf else f"results with a score from {least:g} on"
    return [
        f" {title:<7}of {which} = {values[name]:0.3f} (mean over {how_many(int(values['n']), 'class')}), "
        f"{pooled.get(name, math.nan):0.3f} (all objects)"
        for name, title in (("softpq", "SoftPQ"), ("pq", "PQ"))
    ]


def _class_lines(found: AveragePrecision, scores: ByClass | None) -> list[str]:
    names = list(found.classes) + [name for name in (scores.scores if scores else ()) if name not in found.classes]
    width = max([len(name) for name in names] + [5])
    header = "".join(f"{name:>8}" for name in (*_SHOWN, *(("SoftPQ", "PQ") if scores else ())))
    lines = [f" {'class':<{width}}{header}"]
    for name in names:
        row = [found.classes.get(name, {}).get(key, math.nan) for key in _SHOWN]
        if scores is not None:
            of_class = scores.of_class(name) if name in scores.scores else {}
            row += [of_class.get("softpq", math.nan), of_class.get("pq", math.nan)]
        lines.append(f" {name:<{width}}" + "".join("       -" if math.isnan(v) else f"{v:8.3f}" for v in row))
    return lines


def _confused_lines(confused: dict[str, dict[str, int]]) -> list[str]:
    """Matches whose classes differ, the most frequent first; all others are right."""
    if not confused:
        return []
    cells = [(count, one, other) for one, row in confused.items() for other, count in row.items()]
    right = sum(count for count, one, other in cells if one == other)
    wrong = sorted((cell for cell in cells if cell[1] != cell[2]), key=lambda cell: (-cell[0], *cell[1:]))
    lines = [f" classes: {how_many(right, 'match')} of one class, {sum(count for count, _, _ in wrong)} of two"]
    lines += [f"   {one} taken for {other}: {count}" for count, one, other in wrong[:MOST_CONFUSED]]
    more = how_many(len(wrong) - MOST_CONFUSED, "pair")
    return lines + [f"   and {more} of classes more; all are in the file of --json"] * (len(wrong) > MOST_CONFUSED)


MOST_CONFUSED = 10
"""Pairs of classes that are printed."""


def _content(
    truth: Path, results: Path, found: AveragePrecision, scores: ByClass | None, options: dict[str, Any]
) -> dict[str, Any]:
    from softpq.detection.by_class import confused_classes, images_of
    from softpq.detection.objects import scene_of_files

    content = {**found, "notes": list(found.notes), "max_dets": found.max_dets}
    if scores is not None:
        content["softpq"] = scores.as_dict()
    if options["class_agnostic"] and not options["boxes"]:
        least = _least(options)
        scene = scene_of_files(truth, results, boxes=False)
        content["confused"] = confused_classes(images_of(scene, lambda side: side.scores >= least))
    return content


def _least(options: dict[str, Any]) -> float:
    return -math.inf if options["score_threshold"] is None else float(options["score_threshold"])


def write_json(path: str, content: dict[str, Any]) -> None:
    """Write values by name; what is undefined is null."""
    import json

    from softpq._files import atomic_file

    with atomic_file(path) as file:
        json.dump(_plain(content), file, indent=1, allow_nan=False)
        file.write("\n")


def _plain(value: Any) -> Any:
    """The same with null where a value is undefined: JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value
