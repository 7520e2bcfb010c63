"""The site builds without a warning, and every link in it and in the repository leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from blocks import PAGES, ROOT

CONF = ROOT / "docs" / "conf.py"
IN_A_CLONE = (ROOT / "docs" / "images").is_dir()


class Page(HTMLParser):
    """Links and anchors of a page; what is inside of frames is a page of its own."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


@pytest.mark.skipif(not IN_A_CLONE, reason="the sdist has no pictures of the docs")
def test_the_site_builds_without_a_warning_and_all_its_links_lead_somewhere(tmp_path: Path) -> None:
    site = tmp_path / "site"
    options = ["-W", "--keep-going", "-E", "-q", "-b", "html", "-d", str(tmp_path / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(site)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-4000:]
    assert (site / "searchindex.js").stat().st_size > 10_000  # search needs no server
    assert dead_links(site) == []
    assert asks_for_other_sites(site) == []


def pages_of(site: Path) -> list[Path]:
    """Not the templates that a theme leaves among its files."""
    return [path for path in site.rglob("*.html") if "_static" not in path.relative_to(site).parts]


def dead_links(site: Path) -> list[str]:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in pages_of(site)}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            place = urlparse(link)
            if place.scheme or place.netloc or link.startswith("#__"):
                continue
            target = (path.parent / unquote(place.path)).resolve() if place.path else path
            known = pages[target].anchors if target in pages else None
            if not target.exists() or (known is not None and place.fragment and unquote(place.fragment) not in known):
                dead.append(f"{path.relative_to(site)}: {link}")
    return sorted(dead)


def asks_for_other_sites(site: Path) -> list[str]:
    """Pages must be whole without a network: nothing that a browser loads comes from elsewhere."""
    loads = re.compile(r'<(?:script|img|iframe)[^>]*\ssrc="(https?:)?//|<link[^>]*stylesheet[^>]*href="(https?:)?//')
    return [str(path.relative_to(site)) for path in pages_of(site) if loads.search(path.read_text(encoding="utf-8"))]


@pytest.mark.skipif(not IN_A_CLONE, reason="the sdist has no pictures of the docs")
@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_lead_to_files(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "", text)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or "made/" in path:
            continue
        target = ((ROOT / page).parent / path) if path else ROOT / page
        assert target.exists(), f"{page} names {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page} names {link}"


def anchors(path: Path) -> set[str]:
    """Of headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_pages_name_only_files_of_the_repository_that_are_there() -> None:
    """Paths in the text, such as `tests/io/test_boundary.py`."""
    known = re.compile(r"`(?:python )?((?:src|tests|docs|benchmarks|native|packaging)/[\w./-]+\.\w+)[ `]")
    missing = [
        f"{page}: {path}"
        for page in PAGES
        for path in known.findall((ROOT / page).read_text(encoding="utf-8"))
        if not (ROOT / path).exists()
    ]
    assert missing == []


def test_links_of_the_readme_are_absolute_on_a_package_index() -> None:
    hooks = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for rule in hooks["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    home = re.compile(r"https://(?:github\.com|raw\.githubusercontent\.com)/softpq/softpq/(?:blob/)?main/(.*)")
    ours = [found[1] for found in map(home.fullmatch, links) if found]
    assert [path for path in ours if not (ROOT / path.partition("#")[0]).exists()] == []
