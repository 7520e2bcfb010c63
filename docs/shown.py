"""What pages of the site show of what they made."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Shown:
    """What a page shows as it is."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def page(path: str, height: int = 760) -> Shown:
    """Return a report in a frame, as notebooks show it."""
    text = escape(Path(path).read_text(encoding="utf-8"), quote=True)
    frame = f'sandbox="allow-scripts allow-popups allow-downloads" loading="lazy" style="width:100%;height:{height}px"'
    return Shown(f'<iframe {frame} title="The report" srcdoc="{text}"></iframe>')


def figures_of(block: Any, block_vars: dict[str, Any], gallery: dict[str, Any]) -> str:
    """For sphinx-gallery: the figure that a block of an example left as ``figure``."""
    from sphinx_gallery.scrapers import figure_rst

    figure = block_vars["example_globals"].pop("figure", None)
    if figure is None:
        return ""
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path, dpi=120)
    return str(figure_rst([path], gallery["src_dir"]))
