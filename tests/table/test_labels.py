"""Bad input gets the error that says what to do; odd input that is fine works."""

from __future__ import annotations

import numpy as np
import pytest

import softpq
from softpq.table.labels import as_labels, band_reach, not_negative
from softpq.table.tables import fingerprint

GOOD = np.array([[0, 1], [2, 2]])


@pytest.mark.parametrize(
    ("truth", "error", "message"),
    [
        (np.zeros((2, 3), int), ValueError, r"truth and pred must have the same shape; got \(2, 3\) and \(2, 2\)\."),
        (np.zeros((2, 2, 1), int), ValueError, r"same shape; got \(2, 2, 1\) and \(2, 2\)"),
        (GOOD / 2, ValueError, r"truth must hold whole numbers; found 0\.5"),
        (np.where(GOOD == 1, np.nan, GOOD), ValueError, "truth must hold whole numbers; found nan"),
        (np.where(GOOD == 1, np.inf, GOOD), ValueError, "truth must hold whole numbers; found inf"),
        (GOOD * 1e30, ValueError, r"below 2\*\*63"),
        (GOOD * 2.0**62, ValueError, r"below 2\*\*63"),
        (GOOD > 0, TypeError, r"truth must hold integer labels, one per object; got a boolean mask\. Label its"),
        (GOOD.astype(object), TypeError, "truth must hold integer labels; got dtype object"),
        (GOOD.astype(complex), TypeError, "got dtype complex128"),
        (GOOD.astype("datetime64[s]"), TypeError, "got dtype datetime64"),
        ([["a", "b"], ["c", "d"]], TypeError, "got dtype <U1"),
        (np.int64(3), ValueError, "at least one dimension; got a single value"),
        (None, TypeError, "got dtype object|at least one dimension|single value"),
        ([[1, 2], [3]], TypeError, "convertible to an array"),
        (np.ma.masked_equal(GOOD, 2), TypeError, "got a masked array"),
        (GOOD - 3, ValueError, r"truth must not hold negative labels; found -1\. .* pass ignore=\(truth < 0\)\."),
        ((GOOD - 3).astype(np.int8), ValueError, "truth must not hold negative labels; found -1"),
        ((GOOD - 3).astype(float), ValueError, "truth must not hold negative labels; found -1"),
    ],
    ids=str,
)
def test_what_is_wrong_with_truth(truth: object, error: type[Exception], message: str) -> None:
    with pytest.raises((error, ValueError) if truth is None else error, match=message):
        softpq.score(truth, GOOD)  # type: ignore[arg-type]


def test_errors_name_the_prediction() -> None:
    with pytest.raises(ValueError, match=r"pred must not hold negative labels; found -2\. .*ignore=\(pred < 0\)"):
        softpq.score(GOOD, np.where(GOOD == 1, -2, GOOD))


class OnTheGPU:
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


def test_tensors_elsewhere_are_explained() -> None:
    with pytest.raises(TypeError, match=r"pred must be convertible to an array on the CPU.*\.cpu\(\)"):
        softpq.score(GOOD, OnTheGPU())


class OnlyDLPack:
    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **settings: object) -> object:
        return self._array.__dlpack__(**settings)  # type: ignore[arg-type]

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize(
    "given",
    [
        GOOD.tolist(),
        GOOD.astype(float),
        GOOD.astype(np.float16),
        GOOD.astype(">u4"),
        OnlyDLPack(GOOD),
        memoryview(GOOD),
        GOOD.astype(np.uint64),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_also_works(given: object) -> None:
    assert softpq.score(given, GOOD) == 1.0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ignore", "error", "message"),
    [
        (np.zeros((2, 2)), TypeError, "ignore must be a boolean mask or one integer label; got dtype float64"),
        (np.zeros((2, 3), bool), ValueError, r"ignore must have the shape of truth; got \(2, 3\) and \(2, 2\)"),
        (0.5, TypeError, "ignore must be a boolean mask"),
    ],
)
def test_what_is_wrong_with_ignore(ignore: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        softpq.score(GOOD, GOOD, ignore=ignore)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"iou_low": 0.6}, r"iou_low must not exceed iou_high; got 0\.6 and 0\.5\."),
        ({"iou_low": -0.1}, r"iou_low must be between 0 and 1; got -0\.1"),
        ({"iou_high": 1.5}, r"iou_high must be between 0 and 1; got 1\.5"),
        ({"iou_high": float("nan")}, "iou_high must be between 0 and 1; got nan"),
        ({"iou_low": 0, "iou_high": 0}, "iou_high must be above 0"),
        ({"penalty": "cube"}, 'penalty must be one of "sqrt", "linear", "log", "log-raw" or a function of n; got'),
        ({"priority": "both"}, 'priority must be one of "over", "under"; got \'both\''),
        ({"reading": "loose"}, 'reading must be one of "text", "figures", "unified", "released"'),
        ({"preset": "strict"}, 'preset must be one of "general", "precise", "exploratory", "paper"'),
        ({"preset": "general", "iou_low": 0.3}, "preset must not be given together with other thresholds"),
    ],
    ids=str,
)
def test_what_is_wrong_with_settings(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        softpq.score(GOOD, GOOD, **settings)
    with pytest.raises(ValueError, match=message):
        softpq.evaluate(GOOD, GOOD, **settings)


def test_the_reach_of_bands_is_in_the_unit_of_the_spacing() -> None:
    assert band_reach(6, [3.0, 1.5, 1.0], (9, 99, 99)) == [2, 4, 6]
    assert band_reach(0.5, [2.0, 1.0], (30, 80)) == [25, 50]  # of the diagonal, 100
    assert band_reach(1, [5.0, 1.0], (30, 80)) == [1, 1]  # one pixel at least


def test_fingerprints_tell_large_labels_apart() -> None:
    small, large = np.array([[1, 2]]), np.array([[1 + 2**32, 2]])
    assert fingerprint(small) != fingerprint(large)
    assert fingerprint(small) != fingerprint(small.T)
    assert fingerprint(small - 1) != fingerprint(small)


@pytest.mark.parametrize("boundary", [0, -1, float("inf"), float("nan")])
def test_a_band_has_a_reach(boundary: float) -> None:
    with pytest.raises(ValueError, match="boundary must be a positive reach"):
        band_reach(boundary, None, (10, 10))


@pytest.mark.parametrize("label", [2.0**63, -(2.0**63) - 2048.0])
def test_floats_beyond_63_bits_are_refused(label: float) -> None:
    with pytest.raises(ValueError, match=r"below 2\*\*63"):
        as_labels(np.array([label, 1.0]), "truth")


def test_labels_that_are_ignored_may_be_negative_beside_background() -> None:
    found = not_negative(np.array([-1, 0, 2]), "truth", np.array([1, 0, 0], np.uint8))
    assert found.tolist() == [0, 0, 2]
