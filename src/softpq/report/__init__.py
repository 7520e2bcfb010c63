"""Results -> one self-contained HTML page that shows why scores are what they are."""

from __future__ import annotations

import html
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from softpq._checks import check_whole
from softpq._documented import check_names, takes
from softpq._files import Location, atomic_file
from softpq.dataset.image_result import ImageResult
from softpq.dataset.results import Results
from softpq.dataset.scoring import Scorer, Task
from softpq.errors import ReadError
from softpq.evaluation import Evaluation
from softpq.io.classes import IN_MEMORY, ClassMaps
from softpq.io.image import LoadedImage
from softpq.io.pairing import Pair
from softpq.plan import Plan
from softpq.report.page import assemble
from softpq.report.payload import Payload
from softpq.report.pictures import Kept, Pictures
from softpq.report.room import Room

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_IMAGES = 40
"""Images that are embedded, unless another number is asked for."""

MAX_SIZE = "30MB"
"""Of all of them."""


class ReportOptions(TypedDict, total=False):
    """The options of a report; what they mean stands at :class:`Report`."""

    title: str | None
    images: Location | NDArray[Any] | None
    max_images: int
    command: str
    warnings: Sequence[str]
    kept: Kept | None
    author: str
    note: str
    metrics: Sequence[str] | None
    max_size: str | int | None
    channels: Sequence[str] | None


@dataclass(frozen=True)
class Report:
    """What a report shows besides the results.

    Attributes
    ----------
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
    kept
        Pictures that were kept while images were scored; others are read again.
    author
        Who made it, below the title.
    note
        What should be read first: paragraphs, lists and ``**strong**`` words of Markdown.
    metrics
        Columns of its tables; the usual ones by default.
    max_size
        Of all pictures, such as ``"30MB"``: those with the lowest scores and of the sample are embedded in turn as long
        as there is room; None for any.
    channels
        Names of the channels of the raw images; those that the files state by default.
    """

    title: str | None = None
    images: Any = None
    max_images: int = MAX_IMAGES
    command: str = ""
    warnings: Sequence[str] = ()
    kept: Kept | None = None
    author: str = ""
    note: str = ""
    metrics: Sequence[str] | None = None
    max_size: str | int | None = MAX_SIZE
    channels: Sequence[str] | None = None

    def render(self, results: Results | Evaluation) -> str:
        """Return the page as text."""
        check_whole(self.max_images, "max_images", 0)
        if isinstance(results, Evaluation):
            results = _of_one(results)
        if not results.images:
            raise ValueError("results must hold at least one image that could be scored; got none.")
        plan = replace(results.plan, metrics=("pq",), check=False)
        scorer = Scorer(plan, memory=2**62, keep_tables=True, class_maps=_class_maps(plan))
        if any(image.tables is None for image in results.images):
            with ThreadPoolExecutor() as pool:
                images = tuple(pool.map(lambda image: with_its_table(image, scorer), results.images))
            results = replace(results, images=images)
        _check_depth(results)
        room = Room.of(self.max_size)
        pictures = Pictures(results, self.images, self.max_images, scorer, self.kept, room, self.channels)
        payload = Payload(results, pictures, self.command, tuple(self.warnings), self.author, self.note, self.metrics)
        return assemble(self.title or "SoftPQ report", payload)


@takes((Report, ReportOptions.__annotations__))
def write_report(results: Results | Evaluation, path: Location, **options: Unpack[ReportOptions]) -> None:
    """Write results as one HTML file that needs nothing else.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset` or :func:`softpq.evaluate`.
    path
        Where to write.
    {options}

    See Also
    --------
    softpq.Results.report : The same as a method.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import softpq
    >>> page = pathlib.Path(tempfile.mkdtemp(), "report.html")
    >>> write_report(softpq.evaluate([[1, 1, 0, 2]], [[1, 1, 0, 0]]), page, title="One image")
    >>> page.read_text().startswith("<!doctype html>")
    True
    """
    check_names(options, ReportOptions.__annotations__)
    text = Report(**options).render(results)
    with atomic_file(path) as file:
        file.write(text)


MOST_PAIRS = 20_000_000
"""Of all atoms: so many the page can hold."""


def _check_depth(results: Results) -> None:
    """Raise if objects lie over each other in so many ways that a page cannot hold them."""
    total = 0
    for image in results.images:
        if (table := image.table()) is None or table.is_partition:
            continue
        table = table.whole
        total += int((np.diff(table.atoms.truth_offsets) * np.diff(table.atoms.pred_offsets)).sum())
        if total > MOST_PAIRS:
            raise ValueError(
                f"results must be of objects that lie less deep over each other for a report; got {image.name}, "
                "where they do in too many ways. Write tables (CSV, JSON) instead."
            )


def _class_maps(plan: Plan) -> ClassMaps | None:
    return None if plan.classes in (None, IN_MEMORY) else ClassMaps(plan.classes)


def with_its_table(image: ImageResult, scorer: Scorer) -> ImageResult:
    """The image with its tables, counted again if they were not kept."""
    if image.tables is not None:
        return image
    if image.pair is None:
        raise ValueError(
            f"results must carry the table of every image for a report; {image.name} has none. "
            "Evaluate again with keep_tables=True."
        )
    counted = scorer.score(Task(image.model, image.pair))
    return replace(image, tables=counted.tables, fingerprints=counted.fingerprints)


def _of_one(evaluation: Evaluation) -> Results:
    pair, images = None, evaluation.images
    if images is not None:
        pair = Pair("image", LoadedImage("image", images.truth), LoadedImage("image", images.pred))
    image = ImageResult.of("image", "model", evaluation, pair=pair, keep_tables=True)
    return Results((image,), evaluation.plan)


def inline(results: Results | Evaluation) -> str:
    """Return the page in a frame, for a notebook."""
    try:
        page = Report(max_images=8).render(results)
    except (ValueError, ReadError, OSError) as error:
        plain = repr(results) if isinstance(results, Evaluation) else str(error)
        return f"<pre>{html.escape(plain)}</pre>"
    return (
        '<iframe sandbox="allow-scripts allow-popups allow-downloads" '
        'style="width:100%;height:820px;border:1px solid #8884" '
        f'title="SoftPQ report" srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )
