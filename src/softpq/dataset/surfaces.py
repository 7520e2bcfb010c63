"""SoftPQ of a dataset over both thresholds."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

import numpy as np

from softpq.dataset.results import Results
from softpq.explain.thresholds import Surface, sweep
from softpq.settings import SettingsOptions


def mean_surface(results: Results, model: str | None = None, **settings: Unpack[SettingsOptions]) -> Surface:
    """Return the mean over images of SoftPQ at all pairs of thresholds; results must have kept their tables.

    Parameters
    ----------
    results
        Of :func:`softpq.evaluate_dataset` with ``keep_tables=True``.
    model
        Which one; the only one by default.
    settings
        Penalty, priority and reading.
    """
    tables = [image.tables for image in results.of(model) if image.tables is not None]
    if not tables:
        raise ValueError("results must have kept their tables, of one image at least; evaluate with keep_tables=True.")
    released = settings.get("reading") == "released"
    found = [sweep(one.of_released if released else one.objects, **settings) for one in tables]  # type: ignore[misc]
    values = np.stack([surface.values for surface in found])
    defined = ~np.isnan(values)
    total = np.where(defined, values, 0).sum(axis=0)
    mean = np.divide(total, defined.sum(axis=0), out=np.full(total.shape, np.nan), where=defined.any(axis=0))
    return replace(found[0], values=mean)
