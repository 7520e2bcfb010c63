"""Help whose options stand in groups."""

from __future__ import annotations

import click

from softpq.cli.running import RememberingCommand

GROUPS = {
    "What to score": "pattern pairs dry_run missing groups ignore ignore_masks classes score_threshold class_agnostic "
    "split_components check axes channel geometry",
    "SoftPQ and other metrics": "metrics rank_by over level seed iou_low iou_high preset penalty priority reading "
    "threshold strict boundary spacing sizes",
    "Output": "html_path images max_images max_size channels title author note csv_path json_path keep_tables "
    "table_path objects_path plots fail_under quiet help",
    "Work": "jobs memory dask resume allow_outside require_chunks",
}
"""Group -> names of parameters, in the order of the help."""


class GroupedCommand(RememberingCommand):
    """A command that lists its options by what they are for."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each group."""
        records = {
            "help" if "--help" in parameter.opts else parameter.name: record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)) is not None
        }
        for group, names in GROUPS.items():
            listed = [records.pop(name) for name in names.split() if name in records]
            with formatter.section(group):
                formatter.write_dl(listed)
        if records:
            with formatter.section("Other options"):
                formatter.write_dl(list(records.values()))
