"""For everybody: rules of accessibility, keyboard, phones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import scored
from pages import Watched, wait_until

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

RUN = """async (rules) => (await axe.run(document, {resultTypes: ['violations'], rules})).violations.map((one) =>
    `${one.impact} ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')}`)"""


@pytest.mark.parametrize("file", ["page_file", "overlap_file"])
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_no_rule_of_accessibility_is_broken(
    browser: Any, request: pytest.FixtureRequest, file: str, scheme: Any
) -> None:
    if not AXE.exists():
        pytest.skip("needs axe-core: npm install")
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(request.getfixturevalue(file).as_uri())
    page.wait_for_selector("body[data-surface]")
    if file == "overlap_file":
        page.wait_for_selector("#class-table")
        page.wait_for_selector("#chart-score svg")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.click("#next-error")
    page.add_script_tag(path=str(AXE))
    for width in (1440, 390, 800):
        page.set_viewport_size({"width": width, "height": 900})
        contrast = {"color-contrast": {"enabled": width != 800}}  # it takes longest, and the colours are the same
        assert page.evaluate(RUN, contrast) == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    context.close()


def test_the_list_of_images_is_forty_stops_away(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("body[data-surface]")
    stops = 0
    while stops < 60 and not page.evaluate("document.querySelector('#browser').contains(document.activeElement)"):
        page.keyboard.press("Tab")
        stops += 1
    assert stops <= 40


def test_on_a_phone_no_digit_is_cut(browser: Any, tmp_path: Path) -> None:
    truth = np.arange(1, 301).reshape(15, 20)
    pred = np.where(truth <= 222, truth, 0)
    scored({"a": (truth, pred)}).report(tmp_path / "p.html")
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((tmp_path / "p.html").as_uri())
    page.wait_for_selector("body[data-ready]")
    said = page.inner_text("#chart-verdicts .legend")
    assert "matched 222" in said
    assert "missed 78" in said
    cut = page.evaluate(
        """() => [...document.querySelectorAll('td, .cell:not(.name), .legend span, button, h1, h2, h3')]
        .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1
          && getComputedStyle(one).overflowX !== 'visible').map((one) => one.textContent)"""
    )
    assert cut == []
    page.close()


def test_on_a_phone_all_columns_of_the_list_are_seen(browser: Any, page_file: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(page_file.as_uri())
    page.wait_for_selector("body[data-ready]")
    ends = page.evaluate(
        """() => ['.rows .row', '.row.header'].map((row) => { const edge = document.querySelector('.scroller');
        return [...document.querySelectorAll(`${row} .cell`)].every((cell) =>
          cell.getBoundingClientRect().right <= edge.getBoundingClientRect().right + 1); })"""
    )
    assert ends == [True, True]
    page.close()


def test_every_chart_has_its_numbers_and_files(watched: Watched, page_file: Path, tmp_path: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("body[data-surface]")
    wait_until(page, "softpq.page.cards.gains !== null")
    cards = page.evaluate("Object.keys(softpq.page.cards.bodies)")
    assert len(cards) == 11
    for card in cards:
        holder = page.locator(f".card:has(#chart-{card}) details.sending")
        holder.locator("summary").click()
        holder.locator("tbody tr").first.wait_for()  # filled when the browser says that it was opened
        for kind, begin in (("CSV", None), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
            content = downloaded(page, f"#chart-{card}", kind)
            assert content.startswith(begin) if begin else content.count(b"\n") > 1
            assert b"NaN" not in content[:5000] or kind == "PNG"


def downloaded(page: Any, chart: str, kind: str) -> bytes:
    """A file of a chart. A browser's own downloads are slow; one of them is tested below."""
    script = """async ([chart, kind]) => {
      const made = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = () => {};
      const blob = await new Promise((done) => {
        URL.createObjectURL = (one) => { done(one); return 'blob:'; };
        const card = document.querySelector(chart).closest('.card');
        [...card.querySelectorAll('.files button')].find((one) => one.textContent === kind).click();
      });
      [URL.createObjectURL, HTMLAnchorElement.prototype.click] = [made, click];
      return [...new Uint8Array(await blob.arrayBuffer())]; }"""
    return bytes(page.evaluate(script, [chart, kind]))


def test_a_chart_is_downloaded_under_its_name(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    holder = page.locator(".card:has(#chart-verdicts) details.sending")
    holder.locator("summary").click()
    with page.expect_download() as download:
        holder.get_by_text("SVG", exact=True).click()
    assert download.value.suggested_filename == "softpq_verdicts.svg"
    assert Path(download.value.path()).read_bytes().startswith(b"<svg")


def test_on_paper_nothing_stays_folded(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("body[data-surface]")
    folded = "[...document.querySelectorAll('details:not([open])')].filter((one) => one.parentElement.id !== 'tables')"
    before = page.evaluate(f"{folded}.length")
    assert before > 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(f"{folded}.length") == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(f"{folded}.length") == before


def test_models_are_sorted_by_name_and_ranked_before(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("body[data-surface]")
    assert page.evaluate("document.querySelectorAll('#models th[aria-sort]:not([aria-sort=none])').length") == 0
    page.click("#models thead th:first-child button")
    names = page.locator("#models tbody th").all_inner_texts()
    assert names == sorted(names)
