"""The engine of the page where objects overlap: scenes of the reference, and random ones, against Python."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nodejs import node
from overlapping import SCENES, masks_of

from softpq import Masks, Overlap, Settings
from softpq.explain.objects import objects_of
from softpq.explain.repairs import attribution
from softpq.explain.verdicts import verdicts_of
from softpq.metrics import METRICS
from softpq.report.payload import facts_of
from softpq.table.credits import matched_and_soft
from softpq.table.known import Known
from softpq.table.ties import tie_breaks

PROGRAM = str(Path(__file__).parent / "atoms.mjs")
FACTS = facts_of(overlap=True)


def plain(settings: Settings) -> dict[str, Any]:
    return {"low": settings.iou_low, "high": settings.iou_high, "penalty": settings.penalty,
            "priority": settings.priority, "reading": settings.reading}  # fmt: skip


def told(scenes: list[Overlap], settings: list[list[Settings]], **more: list[Any]) -> dict[str, Any]:
    """What the page makes of the scenes."""
    given = [
        {"n_truth": one.n_truth, "n_pred": one.n_pred, "atoms": one.atoms.rows(), "settings": [plain(s) for s in at],
         **{name: of_scenes[k] for name, of_scenes in more.items()}}
        for k, (one, at) in enumerate(zip(scenes, settings, strict=True))
    ]  # fmt: skip
    found: dict[str, Any] = json.loads(node(PROGRAM, given=json.dumps(given), facts=FACTS))
    return found


def number(value: float | None) -> float:
    return math.nan if value is None else value


def random_sides(rng: np.random.Generator) -> list[Masks]:
    """Boxes, unions and copies of each other on a small image, some of them empty: full of ties."""
    shape = [(1, 12), (4, 5), (9, 9), (16, 16)][rng.integers(4)]
    sides = []
    for _ in range(2):
        stack: list[np.ndarray] = []
        for _ in range(rng.integers(0, 7)):
            mask = np.zeros(shape, bool)
            (top, bottom), (left, right) = (sorted(rng.integers(0, size + 1, 2)) for size in shape)
            mask[top:bottom, left:right] = True
            kind = rng.integers(5)
            if stack and kind == 0:
                mask |= stack[rng.integers(len(stack))]
            if stack and kind == 1:
                mask = stack[rng.integers(len(stack))].copy()
            stack.append(mask)
        sides.append(Masks.from_list(stack, shape=shape))
    return sides


def random_scene(rng: np.random.Generator) -> Overlap:
    return Overlap.from_masks(*random_sides(rng))


def random_settings(rng: np.random.Generator) -> Settings:
    low, high = sorted(rng.choice([0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, rng.uniform()], 2))
    kinds = (["sqrt", "linear", "log", "log-raw"], ["over", "under"], ["text", "figures", "unified"])
    return Settings(low, max(high, 0.01), *(str(rng.choice(kind)) for kind in kinds))


@pytest.mark.shared
def test_the_page_computes_the_scenes_of_the_reference() -> None:
    for seed in range(2):
        shuffle = np.random.default_rng(seed).permutation
        sides = [[masks_of(scene[side], scene["shape"]) for side in ("truth", "pred")] for scene in SCENES]
        tables = [Overlap.from_masks(*(s.select(shuffle(len(s))) if seed else s for s in both)) for both in sides]
        rows = [scene["softpq"] for scene in SCENES]
        found = told(tables, [[Settings(*row[:5]) for row in of_scene] for of_scene in rows])["scenes"]
        for scene, table, page in zip(SCENES, tables, found, strict=True):
            for (*settings, listed), got in zip(scene["softpq"], page["at"], strict=True):
                value = number(got["value"])
                assert any(math.isnan(value) if one is None else abs(value - one) < 1e-9 for one in listed)
                mine = METRICS["softpq"].score(table, vars(Settings(*settings))).value
                assert value == pytest.approx(mine, abs=1e-9, nan_ok=True), (scene["name"], settings)


def test_the_page_equals_python_on_random_scenes() -> None:
    rng = np.random.default_rng(11)
    scenes = [random_scene(rng) for _ in range(150)]
    settings = [[random_settings(rng) for _ in range(5)] for _ in scenes]
    keep = [[rng.integers(0, 2, one.n_truth).tolist(), rng.integers(0, 2, one.n_pred).tolist()] for one in scenes]
    found = told(scenes, settings, keep=keep)
    assert sum(not one.is_partition for one in scenes) > 100
    for scene, at, kept, page in zip(scenes, settings, keep, found["scenes"], strict=True):
        assert page["ties"] == tie_breaks(scene).tolist()
        for one, got in zip(at, page["at"], strict=True):
            check(scene, one, got)
        for name, value in page["metrics"].items():
            assert number(value) == pytest.approx(METRICS[name](scene).value, abs=1e-9, nan_ok=True), name
        fewer = scene.restricted(*(np.array(side, bool) for side in kept))
        expected = METRICS["softpq"].score(fewer, vars(at[0])).value
        assert number(page["fewer"]) == pytest.approx(expected, abs=1e-9, nan_ok=True)
    for high, values in found["together"].items():
        options = {"iou_low": 0.1, "iou_high": float(high), "reading": "unified"}
        if float(high) >= 0.1:
            mine = [METRICS["softpq"](scene, **options).value for scene in scenes]
            np.testing.assert_allclose([number(v) for v in values], mine, rtol=0, atol=1e-9)


def check(scene: Overlap, settings: Settings, got: dict[str, Any]) -> None:
    """Matching, credits, verdicts, value and gains of one scene at one setting."""
    matched, soft, credit = matched_and_soft(scene, settings.iou_low, settings.iou_high)
    assert (got["matched"], got["soft"]) == (matched.astype(int).tolist(), soft.astype(int).tolist())
    assert got["credit"] == pytest.approx(credit[soft].tolist(), abs=1e-12)
    names = [verdicts_of(side)[code] for side, codes in zip(("truth", "pred"), got["verdicts"], strict=True)
             for code in codes]  # fmt: skip
    assert names == objects_of(scene, settings)["verdict"].tolist()
    value = METRICS["softpq"].score(scene, vars(settings)).value
    assert number(got["value"]) == pytest.approx(value, abs=1e-9, nan_ok=True)
    if not scene.is_plain:
        gains = [gain["softpq"] for gain in attribution(scene, settings).values()]
        assert [number(v) for v in got["gains"]] == pytest.approx(gains, abs=1e-9, nan_ok=True)


def test_tables_of_each_class_are_found_from_that_of_all() -> None:
    """With crowds and ignored pixels, which forgive predictions of their class only."""
    rng = np.random.default_rng(23)
    scenes, expected, classes = [], [], []
    for _ in range(120):
        truth, pred = (side.with_(classes=rng.choice(["a", "b", "c"], len(side))) for side in random_sides(rng))
        truth = truth.with_(crowd=rng.uniform(size=len(truth)) < 0.2)
        options = {"ignore": rng.uniform(size=truth.shape) < 0.1} if rng.uniform() < 0.4 else {}
        apart = Overlap.from_masks(truth, pred, **options)
        known = Known.of(apart, truth, pred)
        assert known is not None
        scenes.append(apart.whole)
        expected.append(apart)
        classes.append([list(known.truth_classes or ()), list(known.pred_classes or ())])
    settings = [[random_settings(rng)] for _ in scenes]
    found = told(scenes, settings, classes=classes)["scenes"]
    assert sum(one != other for one, other in zip(scenes, expected, strict=True)) > 60
    for table, (one,), page in zip(expected, settings, found, strict=True):
        check(table, one, page["apart"])
