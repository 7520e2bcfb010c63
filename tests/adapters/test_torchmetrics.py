"""In the training loop: torchmetrics that add over batches and processes. Run with: make test-torch."""

from __future__ import annotations

import math
import os
import pickle
import socket
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softpq
from softpq import Overlap, metrics
from softpq.synthetic import cells

torch = pytest.importorskip("torch", reason="needs torch: make test-torch")
torchmetrics = pytest.importorskip("torchmetrics", reason="needs torchmetrics: make test-torch")

from softpq.adapters.torchmetrics import PQ, SoftPQ  # noqa: E402  # after the check that torch is there

SCENES = [cells((64 + 8 * (k % 3), 80), 12 + k, seed=k) for k in range(7)]
TRUTH = [torch.from_numpy(scene.truth.astype(np.int64)) for scene in SCENES]
PRED = [torch.from_numpy(scene.pred.astype(np.int32)) for scene in SCENES]
OVERLAPS = [Overlap.from_labels(scene.truth, scene.pred) for scene in SCENES]
EMPTY = torch.zeros((5, 5), dtype=torch.int64)


def test_lists_of_different_shapes_give_the_pooled_score() -> None:
    metric, pq = SoftPQ(), PQ()
    for k in range(0, 7, 3):
        metric.update(PRED[k : k + 3], TRUTH[k : k + 3])
        pq.update(PRED[k : k + 3], TRUTH[k : k + 3])
    assert float(metric.compute()) == softpq.pooled(map(metrics.softpq, OVERLAPS)).value
    assert float(pq.compute()) == softpq.pooled(map(metrics.pq, OVERLAPS)).value


def test_batches_are_tensors_whose_first_axis_is_the_images() -> None:
    truth, pred = torch.stack(TRUTH[::3]), torch.stack(PRED[::3])
    metric = SoftPQ(over="mean")
    metric.update(pred, truth)
    assert float(metric.compute()) == pytest.approx(softpq.mean(map(metrics.softpq, OVERLAPS[::3])), abs=1e-15)
    with_channel = SoftPQ(over="mean")
    with_channel.update(pred[:, None], truth[:, None])  # an axis of length 1 makes no difference
    assert with_channel.compute() == metric.compute()


@pytest.mark.parametrize("reading", ["text", "figures", "unified", "released"])
@pytest.mark.parametrize("priority", ["over", "under"])
def test_every_setting_is_that_of_the_function(reading: str, priority: str) -> None:
    options: dict[str, Any] = {
        "iou_low": 0.2,
        "iou_high": 0.6,
        "penalty": "linear",
        "priority": priority,
        "reading": reading,
    }
    metric = SoftPQ(**options)
    metric.update(PRED, TRUTH)
    expected = softpq.pooled(metrics.softpq(overlap, **options) for overlap in OVERLAPS)
    assert float(metric.compute()) == pytest.approx(expected.value, abs=1e-15)
    assert SoftPQ(preset="precise").settings == softpq.Settings.make(preset="precise")


def test_forward_gives_the_value_of_the_batch_and_adds_it() -> None:
    metric = SoftPQ()
    for k in range(7):
        one = metric(PRED[k : k + 1], TRUTH[k : k + 1])
        assert float(one) == metrics.softpq(OVERLAPS[k]).value
    assert float(metric.compute()) == pytest.approx(softpq.pooled(map(metrics.softpq, OVERLAPS)).value, abs=1e-15)


def test_undefined_images_are_left_out_of_means() -> None:
    mean, pooled = SoftPQ(over="mean"), SoftPQ()
    for metric in (mean, pooled):
        metric.update([*PRED[:2], EMPTY], [*TRUTH[:2], EMPTY])
    assert float(mean.compute()) == pytest.approx(softpq.mean(map(metrics.softpq, OVERLAPS[:2])), abs=1e-15)
    assert (mean.n_undefined, pooled.n_undefined) == (1, 1)
    only = SoftPQ()
    only.update([EMPTY], [EMPTY])
    assert math.isnan(float(only.compute()))


def test_reset_state_dict_and_pickle() -> None:
    metric = SoftPQ()
    metric.persistent(True)
    metric.update(PRED, TRUTH)
    value = float(metric.compute())
    assert float(pickle.loads(pickle.dumps(metric)).compute()) == value
    other = SoftPQ()
    other.persistent(True)
    other.load_state_dict(metric.state_dict())
    other._update_count = 1
    assert float(other.compute()) == value
    strict = SoftPQ(iou_high=0.9)
    strict.persistent(True)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        strict.load_state_dict(metric.state_dict())  # sums of other settings are not its own
    metric.reset()
    metric.update(PRED[:1], TRUTH[:1])
    assert float(metric.compute()) == metrics.softpq(OVERLAPS[0]).value


def test_a_collection_does_not_mix_up_metrics_that_begin_alike() -> None:
    def make(groups: bool) -> Any:
        return torchmetrics.MetricCollection(
            {"soft": SoftPQ(), "hard": SoftPQ(iou_low=0.5), "mean": SoftPQ(over="mean"), "pq": PQ(), "pq9": PQ(0.9)},
            compute_groups=groups,
        )

    found = {}
    for groups in (True, False):
        collection = make(groups)
        collection.update(TRUTH[:1], TRUTH[:1])  # perfect: all sums are the same
        collection.update(PRED[1:], TRUTH[1:])
        found[groups] = {name: float(value) for name, value in collection.compute().items()}
    assert found[True] == found[False]
    assert found[True]["soft"] > found[True]["hard"]


def test_bad_input_is_explained() -> None:
    metric = SoftPQ()
    with pytest.raises(ValueError, match=r"preds must be a batch, its first axis the images; got shape \(64, 80\)"):
        metric.update(PRED[0], TRUTH[0])
    with pytest.raises(ValueError, match="preds and target must have as many images; got 2 and 1"):
        metric.update(PRED[:2], TRUTH[:1])
    with pytest.raises(ValueError, match="truth and pred must have the same shape"):
        metric.update([PRED[0]], [TRUTH[1]])
    with pytest.raises(TypeError, match="boolean mask"):
        metric.update([PRED[0] > 0], [TRUTH[0]])
    with pytest.raises(TypeError, match=r"preds must be a tensor, or a list of tensors, .*; got ndarray"):
        metric.update(np.zeros((1, 3, 3), int), TRUTH[:1])
    with pytest.raises(ValueError, match="iou_low must not exceed iou_high"):
        SoftPQ(iou_low=0.7)
    with pytest.raises(ValueError, match='over must be one of "pooled", "mean"'):
        SoftPQ(over="all")


# ---------------------------------------------------------------- several processes

RANK = """
import os, sys, warnings
import torch
import torch.distributed as distributed
sys.path.insert(0, sys.argv[1])
from test_torchmetrics import PRED, TRUTH
from softpq.adapters.torchmetrics import PQ, SoftPQ

rank, shares = int(os.environ["RANK"]), eval(sys.argv[2])
distributed.init_process_group("gloo")
found = []
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for metric in (SoftPQ(), SoftPQ(over="mean"), PQ()):
        for k in shares[rank]:
            metric.update(PRED[k : k + 1], TRUTH[k : k + 1])
        found.append(float(metric.compute()))
padded = sum("DistributedSampler" in str(one.message) for one in caught)
print("RESULT", rank, padded, *map(repr, found))
distributed.destroy_process_group()
"""


def run_ranks(shares: list[list[int]], tmp_path: Path) -> list[list[str]]:
    """Start a process for each rank, on this machine only, and return what each found."""
    script = tmp_path / "rank.py"
    script.write_text(textwrap.dedent(RANK))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(len(shares)),
                   "GLOO_SOCKET_IFNAME": "lo"}  # fmt: skip
    command = [sys.executable, str(script), str(Path(__file__).parent), repr(shares)]
    started = [
        subprocess.Popen(command, env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
        for rank in range(len(shares))
    ]
    outputs = [process.communicate(timeout=120)[0] for process in started]
    return [next(line for line in text.splitlines() if line.startswith("RESULT")).split() for text in outputs]


@pytest.mark.parametrize("shares", [[[0, 1, 2, 3], [4, 5, 6]], [[0, 1, 2, 3, 4, 5, 6], []]], ids=["uneven", "nothing"])
def test_processes_together_give_the_score_of_one(shares: list[list[int]], tmp_path: Path) -> None:
    expected = [
        softpq.pooled(map(metrics.softpq, OVERLAPS)).value,
        softpq.mean(map(metrics.softpq, OVERLAPS)),
        softpq.pooled(map(metrics.pq, OVERLAPS)).value,
    ]
    for _, rank, padded, *values in run_ranks(shares, tmp_path):
        assert [float(value) for value in values] == pytest.approx(expected, abs=1e-14)
        assert padded == ("1" if rank == "0" else "0")  # said once, by one process


def test_lightning_logs_it(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning", reason="needs lightning: make test-torch")

    class Model(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.metric = SoftPQ()

        def validation_step(self, batch: Any, index: int) -> None:
            self.metric.update([batch[1]], [batch[0]])
            self.log("softpq", self.metric, on_epoch=True, batch_size=1)

    trainer = lightning.Trainer(
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        default_root_dir=tmp_path,
    )
    pairs = torch.utils.data.DataLoader(list(zip(TRUTH, PRED, strict=True)), batch_size=None)
    (found,) = trainer.validate(Model(), pairs, verbose=False)
    assert found["softpq"] == pytest.approx(
        softpq.pooled(map(metrics.softpq, OVERLAPS)).value, abs=1e-6
    )  # logged as float32


def test_sums_stay_in_64_bits_in_a_model_of_half_precision() -> None:
    metric = SoftPQ()
    metric.update(PRED[:3], TRUTH[:3])
    metric.to(torch.bfloat16)
    metric.update(PRED[3:], TRUTH[3:])
    assert float(metric.compute()) == softpq.pooled(map(metrics.softpq, OVERLAPS)).value
    metric.reset()
    metric.update([PRED[0].to(torch.bfloat16) if PRED[0].max() < 256 else PRED[0]], [TRUTH[0]])
    assert float(metric.compute()) == metrics.softpq(OVERLAPS[0]).value


def test_functions_as_penalties_are_told_apart() -> None:
    def make(groups: bool) -> Any:
        return torchmetrics.MetricCollection(
            {"x": SoftPQ(penalty=lambda n: n + 1.0), "y": SoftPQ(penalty=lambda n: n + 5.0)}, compute_groups=groups
        )

    found = []
    for groups in (True, False):
        collection = make(groups)
        collection.update(TRUTH[:1], TRUTH[:1])
        collection.update(PRED[1:], TRUTH[1:])
        found.append({name: float(value) for name, value in collection.compute().items()})
    assert found[0] == found[1]
    assert SoftPQ(iou_high=0.5)._prefix != SoftPQ(iou_high=0.50000001)._prefix


def test_a_batch_counts_as_a_whole_or_not_at_all() -> None:
    metric = SoftPQ()
    with pytest.raises(ValueError, match="same shape"):
        metric.update([PRED[0], PRED[1]], [TRUTH[0], TRUTH[0]])
    assert metric._sum("n_images") == 0


def test_what_is_no_label_image_is_warned_of_once() -> None:
    """A training run must not end over it."""
    masks = [(scene > 0).long() for scene in TRUTH]
    metric = SoftPQ()
    with pytest.warns(UserWarning, match="preds looks like a binary mask: its only label, 1, is in") as caught:
        metric.update(masks, TRUTH)
    assert len(caught) == 1
    metric.update(masks, TRUTH)  # warnings are errors here
    assert float(metric.compute()) > 0
