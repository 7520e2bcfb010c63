"""Install a wheel into an environment of its own, and run the tests against it, from outside of the tree.

``try_wheel.py FOLDER`` takes the wheel in FOLDER that this Python can use. Without ``--with-extras`` only the base is
installed, and only tests that need no more are run. What is tested is never the source tree: it is not on the path.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASE = ["tests/table", "tests/metrics", "tests/explain", "tests/compat"]
MORE = [*BASE, "tests/paper", "tests/cli", "tests/io", "tests/dataset", "tests/detection", "tests/scale"]
NEEDED = ["pytest", "pytest-xdist", "hypothesis", "scipy"]
COMPLETE = """
import pathlib, softpq, sys
tree, installed = pathlib.Path(sys.argv[1]), pathlib.Path(softpq.__file__).parent
kinds = {".py", ".pyi", ".js", ".css", ".html", ".typed"}
listed = {path.relative_to(tree) for path in tree.rglob("*") if path.suffix in kinds or path.name == "py.typed"}
missing = sorted(str(path) for path in listed if not (installed / path).exists())
sys.exit(f"the wheel lacks {missing}" if missing else 0)
"""
"""What the tree has must be in the wheel: an exclusion by name once took a whole room away."""

EXTRAS = ["pynrrd", "jsonschema", "pycocotools"]


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--with-extras", action="store_true")
    parser.add_argument("--tests", nargs="*", help="folders or files instead of the usual ones")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        python = environment(Path(scratch) / "env")
        wheel = ["--no-index", "--find-links", str(asked.folder.absolute()), "--no-deps", "softpq"]
        run(python, "-m", "pip", "install", "--quiet", *wheel)
        installed = "softpq[all]" if asked.with_extras else "softpq"
        run(python, "-m", "pip", "install", "--quiet", installed, *NEEDED, *(EXTRAS if asked.with_extras else []))
        run(python, "-m", "pip", "check")
        run(python, "-P", "-c", COMPLETE, str(ROOT / "src" / "softpq"))
        tests = asked.tests or (MORE if asked.with_extras else BASE)
        where = [str(ROOT / test) for test in tests]
        config = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
        command = [python, "-P", "-m", "pytest", "-q", "-n", "2", *config, *where]
        return subprocess.run(command, cwd=scratch, check=False).returncode


def environment(place: Path) -> str:
    """Make one, and return its Python."""
    run(sys.executable, "-m", "venv", str(place))
    return str(place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


def run(*command: str) -> None:
    """Run a command, or stop."""
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
