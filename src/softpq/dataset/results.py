"""Results: the scores of one or several models on a dataset, with intervals and comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from softpq._checks import check_choice
from softpq._files import Location, atomic_file
from softpq.dataset.card import html_of, text_of
from softpq.dataset.comparing import Field, Headline, Over, interval_of, ranks_of
from softpq.dataset.families import MOST_MODELS
from softpq.dataset.gains import pooled_gains
from softpq.dataset.merging import merged
from softpq.dataset.planning import Needed
from softpq.dataset.rows import Of, columns_of, rows_of, write_csv
from softpq.dataset.samples import Arm, Units
from softpq.dataset.saved import results_from_json, results_to_json
from softpq.dataset.scored import Scored
from softpq.dataset.statistics import Comparison, Interval
from softpq.dataset.winners import STEP, WinnerMap, winner_map
from softpq.errors import needs
from softpq.metrics import METRICS


@dataclass(frozen=True, repr=False)
class Results(Scored):
    """The scores of one or several models on a dataset: sums, intervals, comparisons, and files.

    ``results.pooled("model")`` and ``results.mean("model")`` are the values; :meth:`comparisons` and :meth:`ranks` say
    what may be concluded; :meth:`to_csv`, :meth:`to_json` and :meth:`report` write it down.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
    >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
    >>> results.models, round(results.pooled("b")["softpq"], 4)
    (['a', 'b'], 0.6)
    """

    def interval(
        self,
        metric: str | None = None,
        model: str | None = None,
        *,
        over: Over | None = None,
        level: float | None = None,
    ) -> Interval:
        """Return a value with its confidence interval over images, or groups; or the reason why it has none.

        Parameters
        ----------
        metric, model
            What to look at.
        over, level
            As :attr:`headline` has them by default.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.arange(1, 9)] * 6
        >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
        >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
        >>> results.interval("f1", "a").reason
        '6 images are too few for an interval of one model, 30 are needed'
        """
        asked, model = self._asked(metric, over, level), self._model(model)
        key = ("interval", model, asked)
        if key not in self._known:
            self._known[key] = interval_of(asked, self._field((model,)).units)
        interval: Interval = self._known[key]
        return interval

    def _asked(
        self, metric: str | None = None, over: Over | None = None, level: float | None = None, seed: int | None = None
    ) -> Headline:
        asked = self.headline.changed(metric=metric or self.rank_by, over=over, level=level, seed=seed)
        if self.images:
            check_choice(asked.metric, self.metrics, "metric")
        return asked

    def _field(self, models: tuple[str, ...]) -> Field:
        """These models, on the images that all of them have."""
        if ("field", models) not in self._known:
            by_name = [{image.name: image for image in self.of(model)} for model in models]
            common = [name for name in by_name[0] if all(name in other for other in by_name)]
            if not common:
                raise ValueError(f"{' and '.join(models)} must have images in common; there are none.")
            arms = [
                self._arm(model)
                if list(images) == common
                else Arm([images[name] for name in common], self.plan.options)
                for model, images in zip(models, by_name, strict=True)
            ]
            self._known["field", models] = Field(models, Units(arms, self.groups))
        field: Field = self._known["field", models]
        return field

    def compare(
        self,
        first: str,
        second: str,
        metric: str | None = None,
        *,
        over: Over | None = None,
        level: float | None = None,
        seed: int | None = None,
    ) -> Comparison:
        """Compare two models on the images that both have: difference, interval, p-value.

        Two models that were named beforehand; for several, see :meth:`comparisons`, which adjusts p.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 3])]})
        >>> round(results.compare("a", "b", "f1").difference.value, 2)
        0.2
        """
        asked = self._asked(metric, over, level, seed)
        if first == second:
            same = Interval(0.0, level=asked.level, reason="it is the same model")
            return Comparison(asked.metric, first, second, same, 1.0, len(self.of(first)))
        (found,) = self._pairs((self._model(first), self._model(second)), [asked])[0]
        return found

    def comparisons(
        self,
        metric: str | None = None,
        *,
        over: Over | None = None,
        level: float | None = None,
        seed: int | None = None,
    ) -> list[Comparison]:
        """Compare all pairs of models on the images that all have; p is adjusted by Holm's method.

        None are compared where there are more than 30 models: those that matter are chosen first.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.arange(1, 9)] * 6
        >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
        >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
        >>> [(pair.first, pair.second, pair.adjusted_p) for pair in results.comparisons("recall")]
        [('a', 'b', 0.03125)]
        """
        asked = self._asked(metric, over, level, seed)
        return self._pairs(self.scored, [asked])[0] if 1 < len(self.scored) <= MOST_MODELS else []

    def differences(self) -> dict[str, list[Comparison]]:
        """Metric -> all pairs of models, as :meth:`comparisons` has them; all metrics at once, which is faster.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.arange(1, 9)] * 6
        >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
        >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
        >>> results.differences()["recall"][0].p
        0.03125
        """
        questions = [self._asked(metric) for metric in self.metrics]
        if not 1 < len(self.scored) <= MOST_MODELS:
            return {}
        return dict(zip(self.metrics, self._pairs(self.scored, questions), strict=True))

    def ranks(
        self, metric: str | None = None, *, over: Over | None = None, level: float | None = None
    ) -> dict[str, tuple[int, int]]:
        """Return the first and last rank that each model may have: models that cannot be told apart share ranks.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.arange(1, 9)] * 6
        >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
        >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
        >>> results.ranks("recall")
        {'a': (2, 2), 'b': (1, 1)}
        """
        found = self.comparisons(metric, over=over, level=level)
        return ranks_of(found, list(self.scored), self._asked(level=level).level)

    def _pairs(self, models: tuple[str, ...], questions: list[Headline]) -> list[list[Comparison]]:
        keys = [("pairs", models, asked) for asked in questions]
        unknown = [k for k, key in enumerate(keys) if key not in self._known]
        for k, found in zip(unknown, self._field(models).compare([questions[k] for k in unknown]), strict=True):
            self._known[keys[k]] = found
        return [self._known[key] for key in keys]

    def needed(self, metric: str | None = None, *, over: Over = "mean") -> list[Needed]:
        """What it takes to tell each pair of models apart: images, or groups, for a difference.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.arange(1, 9)] * 6
        >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
        >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
        >>> results.needed("recall")[0].units_for(0.05)
        2
        """
        if len(self.scored) < 2:
            raise ValueError(f"results must have two models to plan with; there is {len(self.scored)}.")
        return self._field(self.scored).needed(self._asked(metric, over))

    def winners(self, *, over: Over | None = None, step: float = STEP) -> WinnerMap:
        """Return which model is best at each pair of thresholds of SoftPQ, and where that is clear.

        Results must have kept their tables (``keep_tables=True``).

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.arange(1, 9)] * 6
        >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
        >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]), keep_tables=True)
        >>> str(results.winners(step=0.25))
        'b is best at 100% of the thresholds (clearly at 100%)'
        """
        key = ("winners", over, step)
        if key not in self._known:
            self._known[key] = winner_map(self.on_common(), self._asked("softpq", over), step)
        found: WinnerMap = self._known[key]
        return found

    def gains(self, model: str | None = None) -> dict[str, float]:
        """Repair -> what it would add to the pooled SoftPQ.

        Raises
        ------
        ValueError
            If tables were not kept.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.arange(1, 9)] * 6
        >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
        >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]), keep_tables=True)
        >>> round(results.gains("a")["misses found"], 3)
        0.391
        """
        key = ("gains", self._model(model))
        if key not in self._known:
            self._known[key] = pooled_gains(self.of(model), self.settings)
        gains: dict[str, float] = self._known[key]
        if not gains and self.of(model):
            raise ValueError("results must have kept their tables for gains; evaluate with keep_tables=True.")
        return gains

    @property
    def has_tables(self) -> bool:
        """Whether the tables of all images were kept.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> softpq.evaluate_dataset([np.array([[1, 2]])], [np.array([[1, 2]])], keep_tables=True).has_tables
        True
        """
        return all(image.table() is not None for image in self.images)

    def ranking(self, metric: str | None = None, *, over: Over | None = None) -> list[str]:
        """Return the models from best to worst, over the images that all have.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> results.ranking("f1")
        ['a', 'b']
        """
        results, asked = self.on_common(), self._asked(metric, over)
        if not results.images:
            return []
        values = {model: results._value(model, asked.metric, asked.over) for model in results.scored}
        sign = 1 if METRICS[asked.metric].less_is_better else -1
        return sorted(values, key=lambda model: math.inf if math.isnan(values[model]) else sign * values[model])

    def ranked_by(self, metric: str | None = None, **asked: Any) -> Results:
        """Return the same results with another headline: metric, over, level, seed.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> results.ranked_by("recall", over="mean").rank_by
        'recall'
        """
        headline = self.headline.changed(metric=metric, **asked)
        if headline.metric and self.images:
            check_choice(headline.metric, self.metrics, "metric")
        return replace(self, headline=headline)

    def __add__(self, other: Results) -> Results:
        """Add the results of other models, or of other images, that were scored in the same way."""
        return merged(self, other) if isinstance(other, Results) else NotImplemented

    def rows(self, of: Of = "images") -> list[dict[str, Any]]:
        """Plain dictionaries: one per image and model; or of models, classes, confused classes, or pairs of models.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> [(row["image"], row["model"], row["tp"]) for row in results.rows()]
        [('0', 'a', 2), ('1', 'a', 1), ('0', 'b', 1), ('1', 'b', 1)]
        """
        return rows_of(self, of)

    def to_csv(self, path: Location, of: Of = "images") -> None:
        """Write :meth:`rows`, with a header; the columns do not depend on the data.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> table = pathlib.Path(tempfile.mkdtemp(), "images.csv")
        >>> results.to_csv(table)
        >>> table.read_text()[:11]
        'image,model'
        """
        write_csv(self, path, of)

    def to_pandas(self, of: Of = "images") -> Any:
        """Return :meth:`rows` as a DataFrame.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> results.to_pandas("models").shape[0]
        96
        """
        frame = needs("pandas", "pandas", "to_pandas").DataFrame
        return frame(self.rows(of), columns=columns_of(self, of))

    def to_json(self, path: Location | None = None, *, keep_tables: bool | None = None) -> str:
        """Return everything as JSON, and write it if a path is given; :meth:`from_json` reads it again.

        Parameters
        ----------
        path
            Where to write it.
        keep_tables
            Write the tables, too, which other thresholds and metrics need; as they were kept by default.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> softpq.Results.from_json(results.to_json()).models
        ['a', 'b']
        """
        text = results_to_json(self, keep_tables=keep_tables)
        if path is not None:
            with atomic_file(path) as file:
                file.write(text)
        return text

    def report(self, path: Location, **options: Any) -> None:
        """Write a page that shows why scores are what they are; options as for :func:`softpq.report.write_report`.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import numpy as np, softpq
        >>> truth = [np.array([[1, 1, 2]]), np.array([[3, 3, 0]])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": truth[::-1]})
        >>> page = pathlib.Path(tempfile.mkdtemp(), "report.html")
        >>> results.report(page, title="Two models")
        >>> page.read_text().startswith("<!doctype html>")
        True
        """
        import_module("softpq.report").write_report(self, path, **options)

    def __repr__(self) -> str:
        return text_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    @classmethod
    def from_json(cls, source: Location) -> Results:
        """Read what :meth:`to_json` wrote: a path, or the text itself.

        All is there that was computed, but for what needs the tables of images, if they were not kept: ``sorted_ap``
        pooled over images, and other thresholds.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> softpq.Results.from_json(results.to_json()).pooled("b")["softpq"] == results.pooled("b")["softpq"]
        True
        """
        text = str(source) if str(source).lstrip().startswith("{") else Path(source).read_text(encoding="utf-8")
        return cls(**results_from_json(text))
