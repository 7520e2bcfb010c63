"""The source of the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from made_up import tied_scene
from nodejs import node

import softpq
from softpq import Overlap, Settings
from softpq.explain.repairs import attribution
from softpq.metrics._softpq import softpq_sums
from softpq.report.facts import FACTS
from softpq.report.page import FIRST, WORKER, in_order, script
from softpq.table.ties import tie_breaks

SCRIPTS = Path(softpq.__file__).parent / "report" / "scripts"


def test_modules_are_joined_into_one() -> None:
    for first in (FIRST, WORKER):
        joined = script(first)
        assert not re.search(r"^\s*(import|export)\b", joined, re.M)
        assert "</script" not in joined
    names = {path.relative_to(SCRIPTS).as_posix() for path in SCRIPTS.rglob("*.js")}
    assert {*in_order(FIRST), *in_order(WORKER)} == names  # none is forgotten


def test_the_arithmetic_of_the_page_passes_its_own_tests() -> None:
    node("--test", *sorted(str(path) for path in Path(__file__).parent.glob("*.test.mjs")), facts=FACTS)


def test_ties_are_broken_on_the_page_as_in_python() -> None:
    """The same numbers for every pair; the same sums in both priorities; the same gains of repairs."""
    rng = np.random.default_rng(5)
    scenes = [Overlap.from_labels(*tied_scene(rng, k % 5)) for k in range(60)]
    names = ("truth_areas", "pred_areas", "pair_truth", "pair_pred", "pair_pixels")
    given = [{name: getattr(scene, name).tolist() for name in names} for scene in scenes]
    found = json.loads(node(str(Path(__file__).parent / "ties.mjs"), given=json.dumps(given), facts=FACTS))
    for scene, page in zip(scenes, found, strict=True):
        assert page["ties"] == tie_breaks(scene).tolist()
        for at in page["at"]:
            settings = Settings(0.05, at["high"], "sqrt", at["priority"], at["reading"])
            parts = softpq_sums(scene, settings)
            assert [parts[name] for name in ("matched", "soft", "forgiven")] == at["counts"]
            assert at["sums"] == pytest.approx([parts["matched_iou"], parts["soft_iou"]], abs=1e-12)
            gains = attribution(scene, settings)
            assert at["gains"] == pytest.approx([gains[name]["softpq"] for name in FACTS["repairs"]], abs=1e-12)


def test_the_page_has_no_second_list_of_what_python_knows() -> None:
    """Colours, presets and the like come in the head; a penalty and a repair are functions, and none is missing."""
    joined = script()
    for verdict in FACTS["verdicts"]:
        assert ",".join(map(str, verdict["colour"])) not in joined.replace(" ", "")
    for preset in FACTS["presets"]:
        assert not re.search(rf"\b{preset}:", joined)
    for name in (*FACTS["penalties"], *FACTS["repairs"]):
        assert re.search(rf'"?{re.escape(name)}"?:', joined)
