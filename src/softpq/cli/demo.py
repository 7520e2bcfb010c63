"""softpq demo: made-up fields of cells, three models that fail differently, and everything one can see of them."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from softpq.cli.options import FOLDER
from softpq.cli.running import FINE, ends_with_code

MODELS = {
    "careful": {"split": 0.03, "merged": 0.04, "missed": 0.10, "shifted": 0.04},
    "eager": {"split": 0.16, "merged": 0.05, "missed": 0.02, "shifted": 0.06},
    "blurry": {"split": 0.02, "merged": 0.22, "missed": 0.05, "shifted": 0.12},
}
"""Model -> shares of cells that it gets wrong, and how."""


@click.command()
@click.argument("out", type=FOLDER, default=Path("demo"))
@click.option("--images", default=12, show_default=True, help="How many fields.", type=click.IntRange(min=1))
@ends_with_code
def demo(out: Path, images: int) -> int:
    """Make up fields of cells and three models, score them, and write a report to look at."""
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.printing import print_results
    from softpq.dataset import evaluate_dataset

    console = Console(emoji=False)
    console.print(escape(f"Making {images} fields of cells, and what {len(MODELS)} models see in them: {out}/"))
    write_fields(out, images)
    places = [out / name for name in ("truth", *MODELS)]
    command = shlex.join(
        ["softpq", "evaluate", *map(str, places), "--html", str(out / "report.html"), "--images", str(out / "raw")]
    )
    console.print(f"Scoring them, as this does:\n  [bold]{escape(command)}[/]\n", highlight=False, soft_wrap=True)
    results = evaluate_dataset(places[0], {place.name: place for place in places[1:]}, keep_tables=True)
    print_results(results, console)
    results.report(out / "report.html", title="Made-up fields of cells", images=out / "raw", command=command)
    console.print(f"\nNow open [bold]{(out / 'report.html').absolute().as_uri()}[/]", highlight=False, soft_wrap=True)
    return FINE


def write_fields(folder: Path, count: int) -> None:
    """Write truth, raw images and predictions as folders of TIFF files."""
    import numpy as np
    import tifffile

    from softpq.synthetic import cells, microscope

    for name in ("truth", "raw", *MODELS):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for k in range(count):
        size, name = 220 + 12 * (k % 5), f"field_{k:02}.tif"
        for model, fates in MODELS.items():
            harder = {fate: share * (0.4 + k / max(count / 2, 1)) for fate, share in fates.items()}
            scene = cells((size, size), 50 + 3 * (k % 24), seed=k, fates=harder)
            tifffile.imwrite(folder / model / name, scene.pred.astype(np.uint16))
        tifffile.imwrite(folder / "truth" / name, scene.truth.astype(np.uint16))
        tifffile.imwrite(folder / "raw" / name, microscope(scene.truth, seed=k))
