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
:root { --paper: #fff; --card: #fff; --ink: #1a1d21; --quiet: #555d66; --line: #dfe3e8; --link: #0b66b1;
  --yes: #00664a; --yes-soft: #dff2ea; --no: #9c3600; --no-soft: #fbe8de; color-scheme: light; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --card: #1c2026; --ink: #e8ebef; --quiet: #a3adb8;
  --line: #323942; --link: #6cb6f5; --yes: #6fdcb4; --yes-soft: #143a2e; --no: #ffb08a; --no-soft: #46261a;
  color-scheme: dark; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  background: var(--paper); color: var(--ink); }
a { color: var(--link); }
img { max-width: 100%; height: auto; background: #fff; padding: .5rem; border: 1px solid var(--line);
  border-radius: 6px; }
figure { margin: 2.5rem 0; } figcaption, small, summary { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; background: var(--card); }
td, th { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
.claims td + td, .claims th + th { text-align: center; width: 6.5rem; }
.yes { color: var(--yes); background: var(--yes-soft); } .no { color: var(--no); background: var(--no-soft); }
.counts th { font-size: 1.15rem; } .open { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 .8rem; margin: .3rem 0; font-size: .9rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 600px) { .claims td, .claims th { padding: .3rem .25rem; font-size: .86rem; }
  .claims td + td, .claims th + th { width: 3.1rem; overflow-wrap: anywhere; } .word { position: absolute; width: 1px;
  height: 1px; overflow: hidden; clip-path: inset(50%); } .counts th { font-size: .86rem; } }
@media print { body { max-width: none; } figure, tr { break-inside: avoid; } }
"""


def html_page(figures: list[str], claims: list[Claim], notes: dict[str, str]) -> str:
    """Return the page; figures are shown as SVG, with links to PNG and CSV."""
    parts = [_figure(name, notes.get(name, "")) for name in figures]
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>SoftPQ, reproduced</title>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'><style>{STYLE}</style></head><body>"
        "<main><h1>SoftPQ, reproduced</h1><p>Every experiment of the paper with softpq's own scenes and metrics, and "
        "which of its claims hold in which reading of its formulas.</p>"
        f"<h2>Claims</h2>{_claims_table(claims)}<h2>Figures</h2>{''.join(parts)}</main></body></html>\n"
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
    open_ = sum(claim.holds is None for claim in claims) // len(READINGS)
    readings = "".join(f"<th scope='col'>{reading}</th>" for reading in READINGS)
    counts = "".join(f"<th>{holds} of {all_}</th>" for holds, all_ in counted(claims).values())
    said = (
        f"{len(rows)} claims, in our words; {open_} of them cannot be computed here. What was found in each reading, "
        "and on what, stands below each."
    )
    return (
        f"<p>{said}</p><table class='claims'><thead><tr><th scope='col'>claim</th>{readings}</tr>"
        f"<tr class='counts'><th>hold</th>{counts}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _claim_row(claims: Sequence[Claim]) -> str:
    first = claims[0]
    cells = "".join(_verdict_cell(claim) for claim in claims)
    if first.holds is None:
        cells = f"<td class='open' colspan='{len(claims)}'>{escape(first.found)}</td>"
    return f"<tr><td>{escape(first.sentence)} <small>({escape(first.where)})</small>{_details(claims)}</td>{cells}</tr>"


def _details(claims: Sequence[Claim]) -> str:
    """On what it was tested, against what, and what was found: once, where it is the same in all readings."""
    first = claims[0]
    alike = len({claim.found for claim in claims}) == 1
    found = [("all readings", first.found)] if alike else [(claim.reading, claim.found) for claim in claims]
    listed = [("on", first.scenes), ("against", first.against), *(found if first.holds is not None else [])]
    terms = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in listed if text)
    return f"<details><summary>found</summary><dl>{terms}</dl></details>" if terms else ""


def _verdict_cell(claim: Claim) -> str:
    sign, word, style = ("✓", "holds", "yes") if claim.holds else ("✗", "does not", "no")
    return f"<td class='{style}' title='{escape(claim.found)}'>{sign} <span class='word'>{word}</span></td>"
