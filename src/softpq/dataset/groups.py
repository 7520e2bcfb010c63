"""Images that belong together: of one patient, slide or plate."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from softpq.errors import ReadError

Groups = Mapping[str, str] | str | Path


def groups_of(names: Sequence[str], given: Groups | None) -> dict[str, str]:
    r"""Image -> group.

    Parameters
    ----------
    names
        Of the images.
    given
        A mapping; a CSV file with the columns image and group; or a pattern with a group in brackets, to be found in
        names.

    Raises
    ------
    ReadError
        If an image is in no group.

    Examples
    --------
    >>> groups_of(["p1_a", "p1_b", "p2_a"], r"(p\d+)_")
    {'p1_a': 'p1', 'p1_b': 'p1', 'p2_a': 'p2'}
    """
    if given is None:
        return {}
    known = dict(given) if isinstance(given, Mapping) else _read(str(given), names)
    lost = [name for name in dict.fromkeys(names) if name not in known]
    if lost:
        raise ReadError(f"groups must name a group for every image; {len(lost)} have none, such as {lost[0]}.")
    return {name: str(known[name]) for name in dict.fromkeys(names)}


def _read(given: str, names: Sequence[str]) -> dict[str, str]:
    if given.lower().endswith(".csv"):
        return _from_csv(Path(given))
    try:
        pattern = re.compile(given)
    except re.error as error:
        raise ReadError(
            f"groups must be a CSV file or a pattern such as '(patient\\d+)_'; got {given}: {error}."
        ) from None
    if pattern.groups != 1:
        raise ReadError(f"groups must be a CSV file or a pattern with one pair of brackets; got {given}.")
    return {name: found[1] for name in names if (found := pattern.search(name)) and found[1] is not None}


def _from_csv(path: Path) -> dict[str, str]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ReadError(f"{path} cannot be read as a table of groups: {error}") from error
    if not rows or not {"image", "group"} <= set(rows[0]):
        raise ReadError(f"{path} must have the columns image and group")
    return {str(row["image"]): str(row["group"]) for row in rows}
