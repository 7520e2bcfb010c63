"""The command line: parses and calls; no logic. Keep its imports light: --help must be instant."""

from __future__ import annotations

from typing import Any

import click

from softpq.cli.coco import coco
from softpq.cli.compare import compare
from softpq.cli.demo import demo
from softpq.cli.doctor import doctor
from softpq.cli.evaluate import evaluate
from softpq.cli.paper import paper
from softpq.cli.plan import plan
from softpq.cli.sweep import sweep


class _Group(click.Group):
    """Globs are ours, quoted ones, too: on Windows, nobody else may turn them into files."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run."""
        return super().main(*args, **{"windows_expand_args": False, **options})


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="softpq")
def main() -> None:
    """Judge instance segmentation: SoftPQ, PQ and the metrics of the field."""


for _command in (evaluate, coco, compare, plan, doctor, sweep, paper, demo):
    main.add_command(_command)
