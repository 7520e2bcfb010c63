"""Results -> one self-contained HTML page that shows why scores are what they are."""

from __future__ import annotations

import html
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from softpq.dataset import same_arrays
from softpq.evaluate import Evaluation
from softpq.files import atomic_file
from softpq.io import ReadError
from softpq.report.page import assemble
from softpq.report.payload import Payload, with_its_table
from softpq.report.pictures import Pictures
from softpq.results import Results
from softpq.runs import image_result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.files import Location

MAX_IMAGES = 40
"""Images that are embedded, unless another number is asked for."""


def write_report(
    results: Results | Evaluation,
    path: Location,
    *,
    title: str | None = None,
    images: Location | NDArray[Any] | None = None,
    max_images: int = MAX_IMAGES,
    command: str = "",
    warnings: Sequence[str] = (),
) -> None:
    """Write results as one HTML file that needs nothing else.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_folders` or :func:`softpq.evaluate`.
    path
        Where to write.
    title
        Of the page.
    images
        A folder (or glob) with the raw images, paired by name, or the array of the only one; without, silhouettes are
        shown.
    max_images
        Embed so many images: half of them those with the lowest scores, the others a sample. Tables are embedded
        for all.
    command
        The command line, to be stated on the page.
    warnings
        More sentences for the list of warnings.
    """
    text = render(results, title=title, images=images, max_images=max_images, command=command, warnings=warnings)
    with atomic_file(path) as file:
        file.write(text)


def render(
    results: Results | Evaluation,
    *,
    title: str | None = None,
    images: Location | NDArray[Any] | None = None,
    max_images: int = MAX_IMAGES,
    command: str = "",
    warnings: Sequence[str] = (),
) -> str:
    """Return the page as text; see :func:`write_report`."""
    if not isinstance(max_images, int) or max_images < 0:
        raise ValueError(f"max_images must be a whole number of at least 0; got {max_images!r}.")
    if isinstance(results, Evaluation):
        results = _of_one(results)
    if not results.images:
        raise ValueError("results must hold at least one image that could be scored; got none.")
    with ThreadPoolExecutor() as pool:
        results = replace(results, images=tuple(pool.map(with_its_table, results.images)))
    payload = Payload(results, Pictures(results, images, max_images), command, tuple(warnings))
    return assemble(title or "SoftPQ report", payload)


def _of_one(evaluation: Evaluation) -> Results:
    image = image_result("image", "model", evaluation, keep_tables=True)
    if evaluation.arrays is not None:
        image = replace(image, arrays=partial(same_arrays, evaluation.arrays))
    return Results((image,), evaluation.settings, evaluation.threshold)


def inline(results: Results | Evaluation) -> str:
    """Return the page in a frame, for a notebook."""
    try:
        page = render(results, max_images=8)
    except (ValueError, ReadError, OSError) as error:
        plain = repr(results) if isinstance(results, Evaluation) else str(error)
        return f"<pre>{html.escape(plain)}</pre>"
    return (
        '<iframe sandbox="allow-scripts allow-popups" style="width:100%;height:820px;border:1px solid #8884" '
        f'title="SoftPQ report" srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )
