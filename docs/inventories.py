"""Where the names of other projects are documented: inventories for intersphinx that need no network."""

from __future__ import annotations

import zlib
from pathlib import Path

PYTHON = "https://docs.python.org/3/"
NUMPY = "https://numpy.org/doc/stable/"

NAMES = {
    PYTHON: {
        "py:class": {
            "bool": "library/functions.html#bool",
            "bytes": "library/stdtypes.html#bytes",
            "collections.abc.Callable": "library/collections.abc.html#collections.abc.Callable",
            "collections.abc.Iterable": "library/collections.abc.html#collections.abc.Iterable",
            "collections.abc.Iterator": "library/collections.abc.html#collections.abc.Iterator",
            "collections.abc.Mapping": "library/collections.abc.html#collections.abc.Mapping",
            "collections.abc.Sequence": "library/collections.abc.html#collections.abc.Sequence",
            "dict": "library/stdtypes.html#dict",
            "float": "library/functions.html#float",
            "int": "library/functions.html#int",
            "list": "library/stdtypes.html#list",
            "pathlib.Path": "library/pathlib.html#pathlib.Path",
            "str": "library/stdtypes.html#str",
            "tuple": "library/stdtypes.html#tuple",
        },
        "py:exception": {"ValueError": "library/exceptions.html#ValueError"},
    },
    NUMPY: {
        "py:class": {
            "numpy.bool_": "reference/arrays.scalars.html#numpy.bool_",
            "numpy.float64": "reference/arrays.scalars.html#numpy.float64",
            "numpy.int64": "reference/arrays.scalars.html#numpy.int64",
            "numpy.ndarray": "reference/generated/numpy.ndarray.html#numpy.ndarray",
        },
        "py:data": {
            "numpy.typing.ArrayLike": "reference/typing.html#numpy.typing.ArrayLike",
            "numpy.typing.NDArray": "reference/typing.html#numpy.typing.NDArray",
        },
    },
}
"""Site -> kind -> name -> place."""


def write_inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Write one inventory per project; return the mapping that intersphinx wants."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for project, site in {"python": PYTHON, "numpy": NUMPY}.items():
        path = folder / f"{project}.inv"
        path.write_bytes(inventory(project, NAMES[site]))
        mapping[project] = (site, str(path))
    return mapping


def inventory(project: str, names: dict[str, dict[str, str]]) -> bytes:
    """Return an inventory in the second version of Sphinx's format."""
    head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = [f"{name} {kind} 1 {place} -\n" for kind, known in names.items() for name, place in known.items()]
    return head.encode() + zlib.compress("".join(lines).encode())
