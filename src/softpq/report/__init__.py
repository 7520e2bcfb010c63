"""Results -> one self-contained HTML page that shows why scores are what they are."""

from __future__ import annotations

import html
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from softpq._checks import check_whole
from softpq._documented import check_names, takes
from softpq._files import Location, atomic_file
from softpq.dataset.image_result import ImageResult
from softpq.dataset.results import Results
from softpq.dataset.scoring import Scorer
from softpq.errors import ReadError
from softpq.evaluation import Evaluation, evaluate_images
from softpq.io.image import LoadedImage
from softpq.io.pairing import Pair
from softpq.plan import Plan
from softpq.report.page import assemble
from softpq.report.payload import Payload
from softpq.report.pictures import Kept, Pictures

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_IMAGES = 40
"""Images that are embedded, unless another number is asked for."""


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
    """

    title: str | None = None
    images: Any = None
    max_images: int = MAX_IMAGES
    command: str = ""
    warnings: Sequence[str] = ()
    kept: Kept | None = None
    author: str = ""
    note: str = ""

    def render(self, results: Results | Evaluation) -> str:
        """Return the page as text."""
        check_whole(self.max_images, "max_images", 0)
        if isinstance(results, Evaluation):
            results = _of_one(results)
        if not results.images:
            raise ValueError("results must hold at least one image that could be scored; got none.")
        scorer = Scorer(results.plan, memory=0)
        if any(image.tables is None for image in results.images):
            with ThreadPoolExecutor() as pool:
                images = tuple(pool.map(lambda image: with_its_table(image, scorer), results.images))
            results = replace(results, images=images)
        _check_plain(results)
        pictures = Pictures(results, self.images, self.max_images, scorer, self.kept)
        payload = Payload(results, pictures, self.command, tuple(self.warnings), self.author, self.note)
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
    """
    check_names(options, ReportOptions.__annotations__)
    text = Report(**options).render(results)
    with atomic_file(path) as file:
        file.write(text)


def _check_plain(results: Results) -> None:
    """Raise if objects overlap somewhere: the page cannot compute with them yet."""
    layered = [
        image.name for image in results.images if (table := image.table()) is not None and not table.is_partition
    ]
    if layered:
        raise ValueError(
            "results must be of objects that do not overlap for a report; "
            f"they do in {len(layered)} images, such as {layered[0]}. Write tables (CSV, JSON) instead."
        )


def with_its_table(image: ImageResult, scorer: Scorer) -> ImageResult:
    """The image with its tables, counted again if they were not kept."""
    if image.tables is not None:
        return image
    if image.pair is None:
        raise ValueError(
            f"results must carry the table of every image for a report; {image.name} has none. "
            "Evaluate again with keep_tables=True."
        )
    loaded = scorer.load(image.pair)
    evaluation = evaluate_images(loaded.truth, loaded.pred, Plan(metrics=("pq",)), ignore=loaded.ignore)
    counted = ImageResult.of(image.name, image.model, evaluation, keep_tables=True)
    return replace(image, tables=counted.tables, fingerprints=counted.fingerprints)


def _of_one(evaluation: Evaluation) -> Results:
    pair, images = None, evaluation.images
    if images is not None and not images.has_masks:
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
