"""Cityscapes: objects, groups and void."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import softpq
from softpq.io import images_in

CAR, GROUP, ROAD, RECTIFICATION, PLATE = 26001, 26, 7, 3, 65535
NAME = "town_gtFine_instanceIds.png"


def written(folder: Path, values: list[list[int]]) -> Path:
    folder.mkdir(parents=True)
    Image.fromarray(np.array(values, np.uint16)).save(folder / NAME)
    return folder


def scored(tmp_path: Path, truth: list[list[int]], pred: list[list[int]]) -> dict[str, int]:
    results = softpq.evaluate_dataset(written(tmp_path / "truth", truth), written(tmp_path / "pred", pred))
    assert not results.failures
    return dict(results.images[0].counts)


def test_void_is_taken_out_of_predictions(tmp_path: Path) -> None:
    counts = scored(tmp_path, [[CAR, CAR, 0, 0, RECTIFICATION, ROAD]], [[CAR, CAR, CAR, CAR, CAR, ROAD]])
    assert (counts["tp"], counts["fp"], counts["fn"]) == (1, 0, 0)


def test_a_prediction_that_lies_mostly_on_void_is_forgiven(tmp_path: Path) -> None:
    counts = scored(tmp_path, [[0, 0, PLATE, ROAD, ROAD, ROAD]], [[CAR, CAR, CAR, CAR, ROAD, ROAD]])
    assert (counts["tp"], counts["fp"], counts["fn"]) == (0, 0, 0)


def test_a_group_forgives_predictions_of_its_class_and_no_others(tmp_path: Path) -> None:
    truth = [[GROUP, GROUP, GROUP, ROAD, ROAD, ROAD]]
    assert scored(tmp_path / "a", truth, [[CAR, CAR, CAR, ROAD, ROAD, ROAD]])["fp"] == 0
    assert scored(tmp_path / "b", truth, [[27001, 27001, 27001, ROAD, ROAD, ROAD]])["fp"] == 1


def test_minus_one_is_void(tmp_path: Path) -> None:
    found = images_in(written(tmp_path / "truth", [[CAR, PLATE, ROAD]]) / NAME)[0].read()
    assert found.void.tolist() == [[False, True, False]]
    assert found.labels.classes.tolist() == ["car"]


def test_an_id_of_no_class_is_named(tmp_path: Path) -> None:
    with pytest.raises(softpq.ReadError, match="has id 64000, which no class"):
        images_in(written(tmp_path / "truth", [[64000, ROAD]]) / NAME)[0].read()


def test_stuff_is_no_object_and_hides_none(tmp_path: Path) -> None:
    """Objects have a number above 1000; a car where the road is, is a ghost."""
    counts = scored(tmp_path, [[CAR, CAR, ROAD, ROAD, 23]], [[CAR, CAR, 26002, 26002, ROAD]])
    assert (counts["tp"], counts["fp"], counts["fn"]) == (1, 1, 0)
    assert "stuff are no objects" in " ".join(images_in(tmp_path / "truth" / NAME)[0].read().notes)
