"""softpq coco."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softpq.cli.language import in_options
from softpq.cli.options import PATH, sizes
from softpq.cli.running import FINE, UsageError, ends_with_code

if TYPE_CHECKING:
    from softpq.detection.by_class import ByClass
    from softpq.detection.precision import AveragePrecision

_SHOWN = ("AP", "AP50", "AP75", "APs", "APm", "APl")


@click.command()
@click.argument("truth", type=PATH)
@click.argument("results", type=PATH)
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
def coco(truth: Path, results: Path, classes: bool, json_path: str | None, **options: Any) -> int:
    """Score a COCO file of results against a COCO or LVIS file of truth; or two COCO panoptic files.

    Prints average precision and recall as pycocotools does, and SoftPQ and PQ below. Of panoptic files, which have a
    folder of PNGs with their name beside them: PQ as it was published, and SoftPQ, of all, things and stuff.
    """
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.panoptic import is_panoptic, show_panoptic
    from softpq.cli.printing import progress_bar
    from softpq.detection.precision import average_precision

    if is_panoptic(truth):
        return show_panoptic(truth, results, options, classes=classes, json_path=json_path)
    asked = {name: value for name, value in options.items() if value is not None}
    _check(asked)
    console = Console(emoji=False, highlight=False, stderr=json_path == "-")
    with progress_bar(console, hidden=False):
        found = average_precision(truth, results, **asked)
        scores = None if options["boxes"] else _soft(truth, results, options)
    for line in [*_lines(found, asked), *([] if scores is None else _soft_lines(scores))]:
        console.print(escape(line), soft_wrap=True)
    if classes:
        for line in _class_lines(found, scores):
            console.print(escape(line), soft_wrap=True)
    for note in found.notes:
        console.print(f"Note: {escape(in_options(note))}", soft_wrap=True)
    if json_path is not None:
        write_json(json_path, _content(truth, results, found, scores, options))
    return FINE


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
        scene = limited_to_images(scene, len(scene.pred) + 1)
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


def _soft_lines(scores: ByClass) -> list[str]:
    values, pooled = scores.mean(), scores.pooled()
    return [
        f" {title:<7}of all results that are given = {values[name]:0.3f} (mean over {values['n']} classes), "
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
