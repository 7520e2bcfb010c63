"""Print the oldest versions that are allowed, as constraints for pip: ``make test-oldest`` tests with them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

NOT_TESTED_HERE = ("torch", "test", "docs", "all", "io")
"""Extras with an environment of their own, tools, and lists of other extras."""


def main() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    extras = [part for name, part in project["optional-dependencies"].items() if name not in NOT_TESTED_HERE]
    for requirement in [*project["dependencies"], *(one for extra in extras for one in extra)]:
        found = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?>=([\w.]+)", requirement)
        assert found is not None, requirement
        print(f"{found[1]}=={found[2]}")
        if found[1] == "dask":
            print(f"distributed=={found[2]}")


if __name__ == "__main__":
    main()
