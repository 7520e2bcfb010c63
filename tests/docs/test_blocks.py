"""Every code block of README and docs runs, and shows what comes out."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from blocks import PAGES, ROOT, blocks_of, commands_of, run
from click.testing import CliRunner
from scenery import names, write_all

from softpq.cli import main

PYTHON = [page for page in PAGES if any(b.language == "python" and not b.torch for b in blocks_of(page))]
SHELL = [page for page in PAGES if any(commands_of(b) for b in blocks_of(page) if b.language == "")]
TORCH = ("docs/training.md",)
"""Pages all of whose Python wants torch: tests/adapters/test_pages.py."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenery")
    write_all(folder)
    return folder


@pytest.fixture
def scenery(made: Path, tmp_path: Path) -> Path:
    """A copy for each page: what one writes, another does not find."""
    return Path(shutil.copytree(made, tmp_path / "scenery"))


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", [page for page in PYTHON if page not in TORCH])
def test_python_of_a_page_runs(page: str, scenery: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(scenery)
    known = names()
    for block in blocks_of(page):
        if block.language == "python" and not block.torch and not block.reason:
            run(block, known)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", SHELL)
def test_commands_of_a_page_run(page: str, scenery: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(scenery)
    for block in blocks_of(page):
        for command, *arguments in commands_of(block) if block.language == "" else ():
            if command == "softpq":
                found = CliRunner().invoke(main, arguments)
                assert found.exit_code == 0, f"{page}:{block.line}: softpq {' '.join(arguments)}\n{found.output}"


def test_extras_and_targets_that_pages_name_are_there() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
    for page in PAGES:
        text = (ROOT / page).read_text()
        named = {extra for found in re.findall(r"(?:softpq|\.)\[([a-z,]+)\]", text) for extra in found.split(",")}
        assert named <= set(extras), page
        made = {words[1] for block in blocks_of(page) for words in commands_of(block) if words[0] == "make"}
        assert made <= set(targets), page
