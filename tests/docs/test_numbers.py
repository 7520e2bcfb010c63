"""Numbers in the docs that can be computed are what comes out."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

import pytest
from blocks import ROOT

import softpq
from softpq.dataset import statistics


def text_of(page: str) -> str:
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def numbers(pattern: str, page: str) -> list[float]:
    found = re.search(pattern, text_of(page))
    assert found, f"{page} no longer says {pattern}"
    return [float(group) for group in found.groups()]


def test_presets_are_as_told() -> None:
    pattern = (
        r"`general` l (\S+) h (\S+), `precise` l (\S+) h (\S+), `exploratory` l (\S+) h (\S+), `paper` l (\S+) h (\S+)"
    )
    told = numbers(pattern, "docs/metrics.md")
    assert told == [threshold for preset in softpq.PRESETS.values() for threshold in preset]


def test_units_that_statistics_need_are_as_told() -> None:
    told = numbers(
        r"\| below (\d+) \| values only \| \| 6 to 9 .*?\| (\d+) to 29 .*?\| (\d+) and more", "docs/statistics.md"
    )
    assert told == [statistics.FEWEST, statistics.FEWEST_OF_MEANS, statistics.FEWEST_POOLED]
    assert numbers(r"count units with a match, (\d+) at least", "docs/statistics.md") == [statistics.FEWEST_MATCHED]


def test_units_that_several_models_need_are_as_told() -> None:
    """The smallest p of n exchanged units is 2 / 2^n; Holm multiplies it by the number of pairs."""
    told = numbers(r"(\d+) units for 2, (\d+) for 5, (\d+) for 10, (\d+) for 20", "docs/statistics.md")
    pairs = [models * (models - 1) / 2 for models in (2, 5, 10, 20)]
    assert told == [math.ceil(math.log2(2 * count / 0.05)) for count in pairs]


def test_differences_to_pycocotools_are_as_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two objects with ids 0 and 1; 150 objects of one class in an image: all found perfectly."""
    told = numbers(r"ids 0 and 1, both found perfectly, give AP (\S+) \|", "docs/coco.md")
    told += numbers(r"150 objects, all found perfectly, give (\S+) \|", "docs/coco.md")
    assert [round(by_pycocotools(count, first), 3) for count, first in ((2, 0), (150, 1))] == told


def by_pycocotools(count: int, first: int) -> float:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    boxes = [[12.0 * (k % 15), 12.0 * (k // 15), 10.0, 10.0] for k in range(count)]
    outlines = [[[x, y, x + w, y, x + w, y + h, x, y + h]] for x, y, w, h in boxes]
    image = {"id": 1, "height": 200, "width": 200}
    truth, found = COCO(), COCO()
    common = [
        {"image_id": 1, "category_id": 1, "segmentation": outline, "bbox": box, "area": 100.0, "iscrowd": 0}
        for outline, box in zip(outlines, boxes, strict=True)
    ]
    for data, start in ((truth, first), (found, 1)):
        annotations = [{**one, "id": start + k, "score": 1 - k / 1000} for k, one in enumerate(common)]
        data.dataset = {"images": [image], "categories": [{"id": 1, "name": "cell"}], "annotations": annotations}
        data.createIndex()
    judge = COCOeval(truth, found, "segm")
    judge.evaluate()
    judge.accumulate()
    judge.summarize()
    return float(judge.stats[0])


def test_the_recipe_for_conda_asks_for_what_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text().lower()
    for wanted in [*project["project"]["dependencies"], *project["build-system"]["requires"]]:
        name, floor = wanted.lower().split(">=")
        assert f"- {name} >={floor}\n" in recipe, wanted
    assert f'version: "{project["project"]["version"]}"' in recipe


def test_all_files_name_the_same_version() -> None:
    import importlib.util

    spec = importlib.util.spec_from_file_location("check_version", ROOT / "packaging" / "check_version.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert len(set(module.versions().values())) == 1, module.versions()
