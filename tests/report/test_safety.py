"""Nothing gets in or out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from made_up import scored
from pages import Watched, settled, two_models

import softpq
from softpq import Results
from softpq.dataset.image_result import Failure
from softpq.report import inline
from softpq.synthetic import cells

NASTY = [
    "<img src=x onerror=alert(1)>", "</script><script>document.title='broken'</script>", "\"'`><svg onload=alert(1)>",
    "😀 émoji ‮ right to left", "n" * 300, "a&amp;b{{SCRIPT}}", "<!-- -->", "line\nbreak\u2028",
]  # fmt: skip


def test_names_cannot_inject(watched: Watched, tmp_path: Path) -> None:
    pair = ([[1, 1, 0], [0, 2, 2]], [[1, 1, 0], [0, 0, 3]])
    parts = [scored(dict.fromkeys(NASTY, pair), model=model) for model in NASTY]
    images = tuple(image for part in parts for image in part.images)
    failures = tuple(Failure(name, NASTY[0], name) for name in NASTY)
    results = Results(images, failures=failures, notes=tuple(NASTY))
    results.report(tmp_path / "n.html", title=NASTY[1], command=NASTY[0], warnings=NASTY)
    dialogs: list[str] = []
    watched.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page = watched.open(tmp_path / "n.html")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert not dialogs
    assert page.title() == NASTY[1]
    assert page.locator("img:not(.thumb > img), svg[onload], iframe").count() == 0
    assert page.evaluate("softpq.report.names") == NASTY
    assert page.evaluate("softpq.page.modelNames") == NASTY
    page.click(".row >> nth=4")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_policy_of_the_page_stops_foreign_code(browser: Any, page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    assert "unsafe-inline" not in policy[1]
    assert "http" not in policy[1]
    broken = page_file.with_name("foreign.html")
    broken.write_text(
        text.replace("</main>", "<script>document.title = 'foreign'</script></main>", 1), encoding="utf-8"
    )
    page = browser.new_page()
    page.goto(broken.as_uri())
    page.wait_for_selector("body[data-ready]")
    assert page.title() == "Two models"
    page.close()


def test_a_page_in_a_notebook_works(watched: Watched, tmp_path: Path) -> None:
    field = cells(objects=20, shape=(96, 96))
    evaluation = softpq.evaluate(field.truth, field.pred)
    (tmp_path / "notebook.html").write_text(f"<body data-ready>{evaluation._repr_html_()}", encoding="utf-8")
    page = watched.open(tmp_path / "notebook.html")
    frame = page.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for()
    assert frame.locator("#softpq-now").inner_text() == f"{evaluation['softpq']:.4f}"
    frame.locator("#preset-pq").click()
    assert frame.locator("#pq-now").inner_text() == f"{evaluation['pq']:.4f}"
    assert "<table>" in two_models(1)._repr_html_()  # a card; the page of a thousand images would be large
    own = softpq.evaluate(field.truth, field.pred, penalty=lambda n: n + 2.0)
    assert inline(own).startswith("<pre>Evaluation (SoftPQ")  # the page knows only named penalties
