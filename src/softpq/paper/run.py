"""``softpq paper``: all experiments, figures and claims into one folder."""

from __future__ import annotations

import csv
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._files import atomic_file
from softpq.dataset import evaluate_dataset
from softpq.dataset.results import Results
from softpq.explain.thresholds import Surface, sweep
from softpq.paper.claims import READINGS, all_claims
from softpq.paper.evidence import Evidence
from softpq.paper.experiments import EXPERIMENTS, Rows, real_images
from softpq.paper.figures import FIGURES, column
from softpq.paper.figures import surface as draw_surface
from softpq.paper.page import html_page
from softpq.plots import plot_pq_vs_softpq
from softpq.synthetic import cells
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 200


def reproduce(out: Path, data: tuple[str, str] | None = None) -> Path:
    """Write tables, figures, claims and the page; return the page.

    Parameters
    ----------
    out
        Folder to write to.
    data
        Truth and predictions of a dataset, for the figure on real images.
    """
    out.mkdir(parents=True, exist_ok=True)
    tables = {name: make() for name, make in EXPERIMENTS.items()}
    for name, rows in tables.items():
        write_csv(rows, out / f"{name}.csv")
    names, notes, real = list(FIGURES), {}, {}
    for name, draw in FIGURES.items():
        save(draw(tables), out / name)
    if data is not None:
        results = evaluate_dataset(data[0], data[1], metrics=["pq", "softpq"], missing="skip", keep_tables=True)
        rows, notes["7_real_images"] = _real(results)
        real = {reading: real_images(results, results.models[0], reading) for reading in READINGS}
        write_csv(rows, out / "7_real_images.csv")
        save(plot_pq_vs_softpq(results), out / "7_real_images")
        names.append("7_real_images")
    scene = cells(seed=0)
    surface = sweep(Overlap.from_labels(scene.truth, scene.pred))
    save(draw_surface(surface), out / "8_thresholds")
    write_csv(_surface_rows(surface), out / "8_thresholds.csv")
    claims = all_claims(Evidence(tables, real))
    write_csv([asdict(claim) for claim in claims], out / "claims.csv")
    with atomic_file(out / "index.html") as file:
        file.write(html_page([*names, "8_thresholds"], claims, notes))
    return out / "index.html"


def _real(results: Results) -> tuple[Rows, str]:
    rows = real_images(results, results.models[0])
    gap, pq = column(rows, "difference"), column(rows, "PQ")
    correlation = float(np.corrcoef(gap, pq)[0, 1]) if len(rows) > 2 else float("nan")
    return rows, (
        f"Here: {len(rows)} images, {int(np.sum(gap > 0))} above and {int(np.sum(gap == 0))} equal, mean difference "
        f"{gap.mean():.4f}, Pearson {correlation:.3f}."
    )


def _surface_rows(surface: Surface) -> list[dict[str, Any]]:
    return [
        {"iou_low": low, "iou_high": high, "SoftPQ": value}
        for low, row in zip(surface.iou_low.tolist(), surface.values.tolist(), strict=True)
        for high, value in zip(surface.iou_high.tolist(), row, strict=True)
        if low <= high
    ]


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG and SVG."""
    figure.savefig(path.with_suffix(".png"), dpi=DPI)
    figure.savefig(path.with_suffix(".svg"))


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    """Write a table."""
    with atomic_file(path) as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
