"""Whether a tag, the package, the changelog and the citation name the same version: ``check_version.py v0.1.0``."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def versions() -> dict[str, str]:
    """File -> the version that it names."""
    text = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff")}
    return {
        "pyproject.toml": tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        "CHANGELOG.md": _first(r"^## (\S+)", text["CHANGELOG.md"]),
        "CITATION.cff": _first(r"^version: (\S+)", text["CITATION.cff"]),
        "codemeta.json": _first(r'"version": "(\S+)"', (ROOT / "codemeta.json").read_text(encoding="utf-8")),
    }


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.M)
    return found.group(1) if found else "none"


if __name__ == "__main__":
    wanted = sys.argv[1].removeprefix("v")
    wrong = {name: version for name, version in versions().items() if version != wanted}
    if re.search(r"^## .*\(unreleased\)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M):
        wrong["CHANGELOG.md"] = "unreleased"
    sys.exit(f"the tag says {wanted}, but {wrong}" if wrong else 0)
