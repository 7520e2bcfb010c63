"""One page that shows the figures, their numbers and the claims."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from softpq.paper.claims import READINGS, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softpq.paper.claims import Claim

CAPTIONS = {
    "1_limitations": "Six scenes that differ, and what each metric says. Grey with a black outline: truth; colours: "
    "predictions. SoftPQ (reading figures) tells a split from a ghost and a merge from a miss.",
    "2_progressive_one_disc": "One disc, eroded and dilated pixel by pixel: scores, and their change per step.",
    "2_progressive_two_discs": "Two discs of different size: objects vanish or merge on the way.",
    "3_lower_threshold": "SoftPQ for lower thresholds l from 0.5 to 0.01 with h = 0.5; PQ in black.",
    "4_over_segmentation": "25 objects. Left: more and more of them split in two, as the paper's figure was made. "
    "Right: all of them in one to five fragments, as its text says.",
    "5_fragments": "One of 17 objects in one to ten fragments, for several lower thresholds.",
    "6_penalties": "Left: one object in fragments under each penalty. Right: the weight that each penalty gives.",
    "7_real_images": "PQ and SoftPQ of every image of a dataset, and their difference. In the paper (68 Cellpose "
    "images): 67 above, mean difference 0.0533, Pearson correlation of difference and PQ -0.595.",
    "8_thresholds": "SoftPQ over both thresholds. Presets: general l .25 h .5; precise l .45 h .7; exploratory l .10 "
    "h .5; paper l .05 h .5. Nothing is recommended: look at where your own surface is steep.",
}

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
img { max-width: 100%; height: auto; border: 1px solid #ddd; border-radius: 4px; }
figure { margin: 2.5rem 0; } figcaption { color: #444; margin-top: .5rem; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid #ddd; padding: .35rem .6rem;
  text-align: left; vertical-align: top; } .yes, .no { white-space: nowrap; } .wide { overflow-x: auto; }
small { color: #555; } .wide td { min-width: 8rem; }
.yes { color: #00664a; } .no { color: #a33b00; font-weight: 600; }
"""


def html_page(figures: list[str], claims: list[Claim], notes: dict[str, str]) -> str:
    """Return the page; figures are shown as SVG, with links to PNG and CSV."""
    parts = [_figure(name, notes.get(name, "")) for name in figures]
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>SoftPQ, reproduced</title>"
        f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head><body>"
        "<h1>SoftPQ, reproduced</h1><p>Every experiment of the paper with softpq's own scenes and metrics, and which "
        "of its claims hold in which reading of its formulas.</p>"
        f"<h2>Claims</h2>{_claims_table(claims)}<h2>Figures</h2>{''.join(parts)}</body></html>\n"
    )


def _figure(name: str, note: str) -> str:
    caption = escape(CAPTIONS.get(name, ""))
    extra = f" {escape(note)}" if note else ""
    links = f"<a href='{name}.png'>PNG</a> · <a href='{name}.svg'>SVG</a>"
    return (
        f"<figure id='{name}'><img src='{name}.svg' alt='{caption}'><figcaption><b>{escape(name)}</b>: {caption}"
        f"{extra} {links}</figcaption></figure>"
    )


def _claims_table(claims: list[Claim]) -> str:
    """A grid: one row per statement, one column per reading; how many hold above it."""
    rows = [_claim_row(claims[k : k + len(READINGS)]) for k in range(0, len(claims), len(READINGS))]
    counts = "; ".join(f"{reading}: {holds} of {all_} hold" for reading, (holds, all_) in counted(claims).items())
    open_ = sum(claim.holds is None for claim in claims) // len(READINGS)
    readings = "".join(f"<th>{reading}</th>" for reading in READINGS)
    head = f"<tr><th>claim, in our words</th><th>on</th><th>against</th>{readings}</tr>"
    said = f"Of {len(rows)} claims, {open_} cannot be computed here. Of the others, by reading: {counts}."
    return f"<p>{said}</p><div class='wide'><table>{head}{''.join(rows)}</table></div>"


def _claim_row(claims: Sequence[Claim]) -> str:
    first = claims[0]
    cells = "".join(_verdict_cell(claim) for claim in claims)
    if first.holds is None:
        cells = f"<td colspan='{len(claims)}'>{escape(first.found)}</td>"
    elif len({claim.found for claim in claims}) == 1 and len({claim.holds for claim in claims}) == 1:
        cells = _verdict_cell(first).replace("<td", f"<td colspan='{len(claims)}'", 1)
    return (
        f"<tr><td>{escape(first.sentence)} <small>({escape(first.where)})</small></td><td>{escape(first.scenes)}</td>"
        f"<td>{escape(first.against)}</td>{cells}</tr>"
    )


def _verdict_cell(claim: Claim) -> str:
    word, style = ("holds", "yes") if claim.holds else ("does not hold", "no")
    return f"<td><span class='{style}'>{word}</span> <small>{escape(claim.found)}</small></td>"
