"""Files that are complete or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from softpq._files import atomic_file


def test_files_appear_only_when_complete(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("before")

    def interrupted() -> None:
        with atomic_file(tmp_path / "a.csv") as file:
            file.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (tmp_path / "a.csv").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_links_are_followed_and_pipes_written_to(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("before")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with atomic_file(tmp_path / "link.csv") as file:
        file.write("after")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "after"
    with atomic_file("/dev/null") as file:
        file.write("nothing")
    assert not Path("/dev/null").is_file()
