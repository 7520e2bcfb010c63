"""What a volume costs on many workers, simulated from measured costs.

    python benchmarks/capacity.py              # with the costs below, which docs/scale.md states
    python benchmarks/capacity.py --measure    # with those of adding tables on this machine

The work is simulated as Dask does it: tasks of equal size on equal workers, then a tree of additions in which each task
adds a few tables.
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import time
from dataclasses import dataclass

import numpy as np

from softpq import Overlap
from softpq.synthetic import cells

LABEL_BYTES = 4
SPLIT_EVERY = 4


@dataclass(frozen=True)
class Costs:
    """Seconds and bytes, on one core; those of voxels are from benchmarks/large.py."""

    read_per_voxel: float = 2.94e-9
    count_per_voxel: float = 1.3e-9
    merge_per_object: float = 8e-9
    bytes_per_object: float = 32.0
    network_bytes_per_second: float = 1.0e9
    per_task: float = 1.0e-3  # the scheduler's time for a task: they pass through it one by one


@dataclass(frozen=True)
class Volume:
    """How large a pair of volumes is, and how large its objects are."""

    name: str
    voxels: float
    voxels_per_object: float

    @property
    def objects(self) -> float:
        """Of both sides together."""
        return 2 * self.voxels / self.voxels_per_object


VOLUMES = (
    Volume("slide, 65,536², cells of 1,400 pixels", 65_536.0**2, 1_400),
    Volume("1 TB a side, neurites of 10⁵ voxels", 1e12 / LABEL_BYTES, 1e5),
    Volume("1 TB a side, cells of 2,000 voxels", 1e12 / LABEL_BYTES, 2e3),
    Volume("1 PB a side, neurites of 10⁵ voxels", 1e15 / LABEL_BYTES, 1e5),
)
WORKERS = (1, 100, 1_000)


def merge_seconds(objects: float, costs: Costs) -> float:
    """Get a table from another worker, and add it."""
    return objects * (costs.merge_per_object + costs.bytes_per_object / costs.network_bytes_per_second)


def simulate(volume: Volume, workers: int, costs: Costs, per_task: float) -> dict[str, float]:
    """Do the tasks one after the other on whichever worker is free, then the tree, level by level."""
    tasks = max(1, round(volume.voxels / per_task))
    one = volume.voxels / tasks * (costs.read_per_voxel + costs.count_per_voxel)
    rounds = -(-tasks // workers)
    counting = max(rounds * one, tasks * costs.per_task)
    tables, objects, adding = tasks, volume.objects / tasks, 0.0
    while tables > 1:
        groups = -(-tables // SPLIT_EVERY)
        of_group = merge_seconds(objects * min(SPLIT_EVERY, tables), costs)
        adding += max(-(-groups // workers) * of_group, groups * costs.per_task)
        objects *= tables / groups
        tables = groups
    return {
        "tasks": tasks,
        "counting": counting,
        "adding": adding,
        "running": merge_seconds(volume.objects, costs) * (tasks - 1) / 2,  # each addition walks all that is there
        "table": volume.objects * costs.bytes_per_object,
    }


def check_against_events() -> None:
    """The formula for the rounds of tasks is that of a queue, which is simulated here event by event."""
    for tasks, workers in ((10, 3), (64, 7), (1000, 100)):
        free = [0.0] * workers
        for _ in range(tasks):
            heapq.heappush(free, heapq.heappop(free) + 1.0)
        assert max(free) == -(-tasks // workers)


def measured() -> Costs:
    """Costs of adding tables on this machine."""
    scene = cells((4096, 4096), 11_720, seed=1)
    one = Overlap.from_labels(scene.truth, scene.pred)
    shift = np.uint64(1 << 20)
    many = [
        Overlap(one.truth_ids + k * shift, one.truth_areas, one.pred_ids + k * shift, one.pred_areas,
                one.pair_truth, one.pair_pred, one.pair_pixels)
        for k in map(np.uint64, range(64))
    ]  # fmt: skip
    left, right = sum(many[:32]), sum(many[32:])
    objects = left.n_truth + left.n_pred + right.n_truth + right.n_pred
    merging = min(_timed(lambda: left + right) for _ in range(5))
    size = len(pickle.dumps(left, protocol=5)) / (left.n_truth + left.n_pred)
    return Costs(merge_per_object=merging / objects, bytes_per_object=size)


def _timed(work: object) -> float:
    start = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - start


def shown(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.1f} s"


def table(costs: Costs) -> list[str]:
    lines = [
        "| volume | workers | tasks | counting | adding, in a tree | adding to one total | table |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for volume in VOLUMES:
        for workers in WORKERS:
            per_task = max(2.0**26, volume.voxels / max(20 * workers, 20_000))
            got = simulate(volume, workers, costs, per_task)
            lines.append(
                f"| {volume.name} | {workers:,} | {got['tasks']:,} | {shown(got['counting'])} | "
                f"{shown(got['adding'])} | {shown(got['running'])} | {got['table'] / 1e9:,.2f} GB |"
            )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="measure the adding of tables here first")
    costs = measured() if parser.parse_args().measure else Costs()
    check_against_events()
    print(f"reading   {1e9 * costs.read_per_voxel:.2f} ns / voxel of both arrays, compressed Zarr")
    print(f"counting  {1e9 * costs.count_per_voxel:.2f} ns / voxel")
    print(f"adding    {1e9 * costs.merge_per_object:.0f} ns / object of two tables")
    print(f"table     {costs.bytes_per_object:.0f} bytes / object")
    print("\n".join(table(costs)))


if __name__ == "__main__":
    main()
