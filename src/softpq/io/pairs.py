"""Pairs by name, and pairs that somebody wrote into a table."""

from __future__ import annotations

import csv
import gc
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from softpq._checks import shown_size
from softpq._files import Location
from softpq.errors import ReadError
from softpq.io.format import ReadOptions, check_regular, printable
from softpq.io.formats import stem_of
from softpq.io.image import Image, LabelImage, absolute
from softpq.io.pairing import Pair, Pairing, named_alike, pair_up
from softpq.io.sources import Images, open_source

LARGEST_TABLE = 1 << 28
"""Bytes."""


def paired_by_name(
    truth: Images, models: Mapping[str, Images], options: ReadOptions | None = None, *, look: bool = True
) -> dict[str, Pairing]:
    """Pair every model with the truth; without ``look``, files are hardly opened."""
    with _without_collector():
        images = open_source(truth, options, look=look)
        found = {model: pair_up(images, open_source(place, options, look=look)) for model, place in models.items()}
        return named_alike(found)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Names refer to nothing: looking for circles among a million of them takes a third of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def paired_as_said(
    table: Location, truth: Images, models: Mapping[str, Images], options: ReadOptions | None = None
) -> dict[str, Pairing]:
    """Pair what a table says: a column truth, and one per model, or pred.

    Files are looked for from where they are said to lie: in the folders that are given, beside the table, or here. A
    prediction that is left empty is missing.

    Raises
    ------
    ReadError
        If the table has other columns, or names what is not there.
    """
    path = Path(table)
    rows = _rows(path)
    columns = {model: _column(model, rows, models, path) for model in models}
    _check_repeated([row["truth"] for row in rows], "truth", path)
    truths = [_image(row["truth"], truth, path, options) for row in rows]
    _check_repeated([_resolved(image) for image in truths], "truth", path)
    names = _names([row.get("image") or "" for row in rows], truths)
    pairings = {}
    for model, place in models.items():
        _check_repeated([row[columns[model]] for row in rows], columns[model], path)
        preds = [_image(text, place, path, options) if (text := row[columns[model]]) else None for row in rows]
        pairs = [Pair(name, first, second) for name, first, second in zip(names, truths, preds, strict=True)]
        pairings[model] = Pairing(pairs, how=f"as {path.name} says")
    return pairings


def models_in(table: Location) -> list[str]:
    """The columns of a table of pairs that are of predictions.

    Raises
    ------
    ReadError
        If there is none.
    """
    names = [name for name in _rows(Path(table))[0] if name not in ("", "truth", "image")]
    if not names:
        raise ReadError(f"{table} must have a column pred or one per model; got truth alone.")
    return names


def _rows(path: Path) -> list[dict[str, str]]:
    """Lines of a table whose columns are told apart by commas, semicolons or tabs."""
    try:
        check_regular(path)
        if path.stat().st_size > LARGEST_TABLE:
            raise ReadError(f"is larger than {shown_size(LARGEST_TABLE)}")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} cannot be read as a table of pairs: it is not text in UTF-8") from error
    except (OSError, ReadError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ReadError(f"{path} cannot be read as a table of pairs: {reason}") from error
    lines = _cells(text, path)
    head = [name.strip() for name in (lines or [[]])[0]]
    named = [name for name in head if name]
    if len(set(named)) < len(named):
        raise ReadError(f"{path} must name every column once; got {', '.join(head)}.")
    filled = [line for line in lines[1:] if any(cell.strip() for cell in line)]
    if long := next((line for line in filled if len(line) > len(head) or "\0" in "".join(line)), None):
        raise ReadError(
            f"{path} must have as many cells in a line as columns, {len(head)}; got {printable(str(long)[:80])}."
        )
    rows = [dict(zip_longest(head, (cell.strip() for cell in line), fillvalue="")) for line in filled]
    if not rows or not all(row.get("truth") for row in rows):
        raise ReadError(
            f"{path} must have a column truth with a file in every line, and a column pred or one per model."
        )
    return rows


def _cells(text: str, path: Path) -> list[list[str]]:
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ReadError(f"{path} cannot be read as a table of pairs: {error}") from error


def _check_repeated(files: list[str], column: str, path: Path) -> None:
    """Every file belongs to one image."""
    repeated = next((file for file, count in Counter(filter(None, files)).items() if count > 1), None)
    if repeated is not None:
        raise ReadError(
            f"{path} must name every file once in a column; {column} has {repeated} {files.count(repeated)} times."
        )


def _column(model: str, rows: list[dict[str, str]], models: Mapping[str, Images], path: Path) -> str:
    if model in rows[0]:
        return model
    if "pred" in rows[0] and len(models) == 1:
        return "pred"
    raise ReadError(
        f"{path} must have a column {model}{' or pred' if len(models) == 1 else ''}; got {', '.join(rows[0])}."
    )


def _image(text: str, place: Images, table: Path, options: ReadOptions | None) -> Image:
    folders = [Path(place)] if isinstance(place, Location) else []
    for folder in (*folders, table.parent, Path()):
        file = folder / text
        if file.exists() or ":" in text:
            try:
                found = list(open_source(file, options).values())
            except (ReadError, OSError) as error:  # it costs its image
                return LabelImage(stem_of(file), absolute(file), problem=str(error).removeprefix(f"{file} "))
            if len(found) == 1:
                return found[0]
            raise ReadError(f"{table} must name files of one image; {text} holds {len(found)}.")
    return LabelImage(stem_of(Path(text)), text, problem=f"is not there, though {table.name} names it")


def _resolved(image: Image) -> str:
    """Where an image is, however it was spelled."""
    if not isinstance(image, LabelImage):
        return ""
    return image.location.replace(str(image.path), str(image.path.resolve()))


def _names(given: list[str], truths: list[Image]) -> list[str]:
    """Names of their own: those in the table, of the files, or with their folders."""
    names = [own or image.name for own, image in zip(given, truths, strict=True)]
    if len(set(names)) == len(names):
        return names
    return ["/".join(Path(str(getattr(image, "location", image.name))).with_suffix("").parts[-3:]) for image in truths]
