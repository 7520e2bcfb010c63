"""How SoftPQ is computed: thresholds, penalties, priorities, readings. No heavy imports: the command line reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypedDict, get_args

from softpq._checks import check_choice, check_threshold, made_once

Priority = Literal["over", "under"]
Reading = Literal["text", "figures", "unified", "released"]
PenaltyName = Literal["sqrt", "linear", "log", "log-raw"]
Penalty = PenaltyName | Callable[[int], float]

PRIORITIES: tuple[str, ...] = get_args(Priority)
READINGS: tuple[str, ...] = get_args(Reading)

PENALTIES: Mapping[str, Callable[[int], float]] = MappingProxyType(
    {
        "sqrt": lambda n: math.sqrt(n + 1),
        "linear": lambda n: n + 1.0,
        "log": lambda n: max(1.0, math.log(n + 1)),
        "log-raw": lambda n: math.log(n + 1),
    }
)
"""Name -> divisor of the soft IoUs of an object with n soft matches."""

PENALTY_FORMULAS: Mapping[str, str] = MappingProxyType(
    {"sqrt": "√(n+1)", "linear": "n+1", "log": "max(1, ln(n+1))", "log-raw": "ln(n+1)"}
)
"""The same to be read."""

PRESETS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"general": (0.25, 0.5), "precise": (0.45, 0.7), "exploratory": (0.10, 0.5), "paper": (0.05, 0.5)}
)
"""Name -> (iou_low, iou_high), from the paper's guidance; ``paper`` is what its experiments use."""


class SettingsOptions(TypedDict, total=False):
    """The settings of SoftPQ as keyword arguments; what they mean stands at :class:`Settings`."""

    iou_low: float
    iou_high: float
    penalty: Penalty
    priority: Priority
    reading: Reading
    preset: str | None


@dataclass(frozen=True)
class Settings:
    """How SoftPQ is computed; checked when made.

    Attributes
    ----------
    iou_low, iou_high
        Pairs above ``iou_low`` count softly, matches from ``iou_high`` on count fully. Both 0.5 is PQ.
    penalty
        What soft matches of an object with n of them are divided by: ``"sqrt"`` (√(n+1)), ``"linear"`` (n+1), ``"log"``
        (max(1, ln(n+1))), ``"log-raw"`` (ln(n+1)), or a function of n.
    priority
        ``"over"`` groups soft matches by truth object (splits), ``"under"`` by prediction (merges).
    reading
        ``"text"``, ``"figures"``, ``"unified"``, or ``"released"``: the authors' program, which splits labels into
        connected components first.

    Examples
    --------
    >>> Settings.make(preset="general")
    Settings(iou_low=0.25, iou_high=0.5, penalty='sqrt', priority='over', reading='text')
    """

    iou_low: float = 0.05
    iou_high: float = 0.5
    penalty: Penalty = "sqrt"
    priority: Priority = "over"
    reading: Reading = "text"

    @classmethod
    def make(cls, **options: Any) -> Settings:
        """Make settings; a preset gives both thresholds. What was made before is remembered.

        Examples
        --------
        >>> Settings.make(preset="precise").iou_high
        0.7
        """
        made: Settings = made_once(_made, options)
        return made

    @classmethod
    def _of(cls, *, preset: str | None = None, **options: Any) -> Settings:
        if preset is None:
            return cls(**options)
        check_choice(preset, PRESETS, "preset")
        low, high = PRESETS[preset]
        given = {name: options[name] for name in ("iou_low", "iou_high") if name in options}
        if given not in ({}, {"iou_low": low, "iou_high": high}):
            listed = " and ".join(f"{name}={value}" for name, value in given.items())
            raise ValueError(
                f'preset must not be given together with other thresholds; got preset="{preset}" with {listed}.'
            )
        return cls(**{**options, "iou_low": low, "iou_high": high})

    def __post_init__(self) -> None:
        for name in ("iou_low", "iou_high"):
            object.__setattr__(self, name, check_threshold(getattr(self, name), name))
        if self.iou_low > self.iou_high:
            raise ValueError(f"iou_low must not exceed iou_high; got {self.iou_low} and {self.iou_high}.")
        if self.iou_high == 0:
            raise ValueError("iou_high must be above 0; got 0.")
        if not callable(self.penalty):
            check_choice(self.penalty, PENALTIES, "penalty", "or a function of n")
        check_choice(self.priority, PRIORITIES, "priority")
        check_choice(self.reading, READINGS, "reading")

    @property
    def divisor(self) -> Callable[[int], float]:
        """From the number of soft matches of an object to what they are divided by."""
        return self.penalty if callable(self.penalty) else PENALTIES[self.penalty]

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values; penalties that are functions cannot be written down.

        Examples
        --------
        >>> Settings().to_dict()["iou_low"]
        0.05
        """
        if callable(self.penalty):
            raise ValueError("penalty must be one of the named ones to be saved; got a function.")
        return asdict(self)

    def __str__(self) -> str:
        penalty = self.penalty if isinstance(self.penalty, str) else getattr(self.penalty, "__name__", "custom")
        return f"l={self.iou_low:g}, h={self.iou_high:g}, {penalty}, {self.priority}, {self.reading}"


@lru_cache(typed=True)
def _made(**options: Any) -> Settings:
    return Settings._of(**options)
