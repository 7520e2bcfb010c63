"""The pictures of the page of benchmarks."""

from __future__ import annotations

from pathlib import Path

Found = dict[str, dict[str, dict[str, float | str]]]

COLOURS = ("#0072b2", "#56b4e9", "#7d858e", "#009e73", "#8c6d31", "#b07aa1", "#d55e00", "#e69f00", "#cc79a7", "#000000",
           "#a0cbe8")  # fmt: skip


def draw(results: Found, key: str, scale: float, label: str, path: Path) -> None:
    """One line per tool over the sizes; a cross at the top where it failed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.subplots()
    sizes = list(results)
    known = [float(f[key]) * scale for tools in results.values() for f in tools.values() if key in f]
    top = 3 * max(known)
    for place, (tool, colour) in enumerate(zip(next(iter(results.values())), COLOURS, strict=True)):
        found = [results[size].get(tool, {}) for size in sizes]
        done = [(k, max(float(f[key]) * scale, 1e-4)) for k, f in enumerate(found) if key in f]
        axes.plot(*zip(*done, strict=True), "o-", color=colour, label=tool, linewidth=3 if tool == "softpq" else 1.5)
        failed = [k + (place - 5) * 0.04 for k, f in enumerate(found) if "failed" in f]
        axes.plot(failed, [top] * len(failed), "x", color=colour, markersize=9, markeredgewidth=2.5)
    axes.set_yscale("log")
    axes.set_xticks(range(len(sizes)), sizes)
    axes.set_ylabel(label)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, title="× failed", loc="outside right center")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
