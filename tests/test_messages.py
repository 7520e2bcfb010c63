"""Mistakes that people make in Python, and what they are told: one line that says the rule, the fact and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softpq
from softpq import evaluate, evaluate_dataset, score

A = np.array([[1, 1, 2], [0, 0, 2]])


def results() -> softpq.Results:
    return evaluate_dataset([A], {"m": [A]})


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "a path to score": (lambda: score("a.tif", A), "truth must be a label image; got a path. Read it with softpq.io"),
    "a Path to evaluate": (lambda: evaluate(A, Path("b.tif")), "pred must be a label image; got a path"),
    "nothing": (lambda: score(None, A), "truth must be a label image with at least one dimension; got nothing"),
    "a number": (lambda: score(A, 3), "pred must be a label image with at least one dimension; got a single value"),
    "ragged lists": (lambda: score([[1, 2], [3]], A), "truth must be convertible to an array"),
    "other shapes": (lambda: score(A, A[:1]), r"must have the same shape; got \(2, 3\) and \(1, 3\)"),
    "fractions": (lambda: score(A + 0.5, A), "truth must hold whole numbers; found 1.5"),
    "NaN": (lambda: score(np.where(A == 1, np.nan, A), A), "truth must"),
    "negative labels": (lambda: score(A, A - 1), r"pred must not hold negative labels; found -1.*ignore=\(pred < 0\)"),
    "booleans": (lambda: score(A > 0, A), "truth must hold integer labels, one per object; got a boolean mask"),
    "complex numbers": (lambda: score(A.astype(complex), A), "truth must hold integer labels; got dtype complex128"),
    "texts": (lambda: score(np.array([["a"]]), A[:1, :1]), "truth must hold integer labels"),
    "objects": (lambda: score(np.array([[None]]), A[:1, :1]), "truth must hold integer labels"),
    "an option with a typo": (lambda: score(A, A, iou_lo=0.1), "iou_lo is not an option. Did you mean iou_low?"),
    "another typo": (lambda: evaluate(A, A, metric=["pq"]), "metric is not an option. Did you mean metrics?"),
    "a typo for datasets": (lambda: evaluate_dataset([A], [A], job=2), "job is not an option. Did you mean jobs?"),
    "a threshold above 1": (lambda: score(A, A, iou_low=2), "iou_low must be between 0 and 1; got 2"),
    "a threshold as text": (lambda: score(A, A, iou_low="0.5"), "iou_low must be a number between 0 and 1; got '0.5'"),
    "a preset": (lambda: score(A, A, preset="fast"), "preset must be one of \"general\", .*; got 'fast'"),
    "a penalty": (lambda: score(A, A, penalty="root"), "penalty must be one of"),
    "a reading": (lambda: score(A, A, reading="x"), "reading must be one of"),
    "a priority": (lambda: score(A, A, priority="x"), "priority must be one of"),
    "a metric in capitals": (lambda: evaluate(A, A, metrics=["PQ"]), 'metrics must be one of "softpq"'),
    "one metric as text": (lambda: evaluate(A, A, metrics="pq"), "metrics must be a list of names; got 'pq'"),
    "a value in capitals": (lambda: evaluate(A, A)["PQ"], "No metric is called 'PQ'; did you mean 'pq'?"),
    "a pooled value in capitals": (lambda: results().pooled("m")["F1"], "No metric is called 'F1'; did you mean 'f1'?"),
    "a mean that is not there": (lambda: results().mean("m")["zebra"], "No metric is called 'zebra'; there are softpq"),
    "a value as an attribute": (
        lambda: evaluate(A, A).PQ,
        r"no attribute 'PQ'; values are looked up: evaluation\['pq'\]",
    ),
    "no attribute": (lambda: evaluate(A, A).zebra, "'Evaluation' object has no attribute 'zebra'"),
    "images by name to score": (
        lambda: score({"a": A}, {"a": A}),
        "truth must be one label image; got a dict. Score images",
    ),
    "a stack of images": (
        lambda: evaluate_dataset(np.stack([A, A]), [A, A]),
        r"list\(stack\) is a list",
    ),
    "classes in a list": (
        lambda: evaluate_dataset([A], [A], classes=[[A], [A]]),
        'mapping of "truth" and "pred" to class',
    ),
    "classes of one side": (
        lambda: evaluate_dataset([A], [A], classes={"truth": [A]}),
        'mapping of "truth" and "pred" to',
    ),
    "classes in memory, resumed": (
        lambda: evaluate_dataset([A], [A], classes={"truth": [A], "pred": [A]}, resume="notes.jsonl"),
        "resume needs classes in files; got arrays",
    ),
    "names in a list": (lambda: evaluate_dataset([A], [A], names=["a"]), "names is not an option. There are "),
    "a column of objects": (lambda: evaluate(A, A).objects["verdicts"], "No column is called 'verdicts'; did you mean"),
    "one image": (lambda: evaluate(A), "pred must be given with truth; got only one image"),
    "a curve of images": (
        lambda: softpq.curve(A, A),
        "overlap must be an Overlap, see Overlap.from_labels",
    ),
    "a mask of another shape": (
        lambda: score(A, A, ignore=np.zeros((1, 1), bool)),
        "ignore must have the shape",
    ),
    "no threads": (lambda: evaluate(A, A, threads=0), "threads must be a whole number of at least 1; got 0"),
    "a negative band": (lambda: evaluate(A, A, boundary=-1), "boundary must be a positive reach; got -1"),
    "one array as a dataset": (
        lambda: evaluate_dataset(A, A),
        "got ndarray. For one pair of images there",
    ),
    "no dataset": (lambda: evaluate_dataset(None, [A]), "images must be a folder, .*; got NoneType"),
    "a folder that is not there": (lambda: evaluate_dataset("nowhere", [A]), "nowhere does not exist"),
    "no images": (lambda: evaluate_dataset([], {"m": []}), "truth must hold at least one image; got none"),
    "no models": (lambda: evaluate_dataset([A], {}), "pred must"),
    "other names": (lambda: evaluate_dataset({"a": A, "b": A}, {"c": A, "d": A}), "has the name of a truth image"),
    "an image that is None": (
        lambda: evaluate_dataset([A], {"m": [None]}),
        "image 0 must be an array or a file",
    ),
    "a policy": (lambda: evaluate_dataset([A], [A], missing="no"), 'missing must be one of "error", "empty", "skip"'),
    "no jobs": (lambda: evaluate_dataset([A], [A], jobs=0), "jobs must be a whole number of at least 1; got 0"),
    "a size": (lambda: evaluate_dataset([A], [A], memory="lots"), "memory must be a size such as 1GB"),
    "axes": (lambda: evaluate_dataset([A], [A], axes="XQ"), "axes must be letters of T, C, Z, Y, X"),
    "groups": (lambda: evaluate_dataset([A], [A], groups={"q": "1"}), "groups must name a group for every image"),
    "a model": (lambda: results().pooled("n"), "model must be one of m; got 'n'"),
    "a comparison": (lambda: results().compare("m", "x"), "model must be one of m; got 'x'"),
    "an interval": (lambda: results().interval("PQ"), 'metric must be one of "softpq"'),
    "a file that is not there": (lambda: softpq.io.read_labels("nowhere.tif"), "nowhere.tif does not exist"),
    "a table of pairs": (
        lambda: evaluate_dataset([A], [A], pairs="no.csv"),
        "no.csv cannot be read as a table",
    ),
    "a file of results": (lambda: softpq.Results.from_json("nowhere.json"), "nowhere.json"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_explained(name: str) -> None:
    mistake, message = MISTAKES[name]
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError, OSError, softpq.io.ReadError)) as caught:
        mistake()
    assert re.search(message, str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)


def test_there_are_many() -> None:
    assert len(MISTAKES) >= 48
