"""Help in groups, the options used most first."""

from __future__ import annotations

from typing import Any

import click

from twinset.cli.parameters import DescribedArgument
from twinset.cli.usage import explaining, name_of

GROUPS = (
    "Actions",
    "Input",
    "Similarity",
    "Clusters",
    "Labels",
    "Operations",
    "Machine",
    "Output",
    "Resources",
    "Expert",
)
MOST_USED = ("--out", "--threshold", "--text")
FEW = 12
"""A command with fewer options than this needs no groups."""


class GroupedCommand(click.Command):
    """A command that lists its options in groups and says in a sentence what is wrong."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; what is wrong with them is said as every other fault is."""
        return explaining(ctx, args, lambda: super(GroupedCommand, self).parse_args(ctx, args))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments as manuals show them: ``IN...``, ``[NAME]``."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        names = [(name_of(p) if p.required else f"[{name_of(p)}]", p.nargs) for p in arguments]
        return ["[OPTIONS]", *(name if nargs == 1 else f"{name}..." for name, nargs in names)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, the options used most, and the groups."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        sections |= {group: [] for group in GROUPS}
        is_long = sum(parameter.param_type_name == "option" for parameter in self.params) >= FEW
        for parameter in self.get_params(ctx):
            if isinstance(parameter, DescribedArgument):
                needed = "  [required]" if parameter.required else ""
                sections["Arguments"].append((name_of(parameter), f"{parameter.about}{needed}"))
                continue
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            group = getattr(parameter, "group", "") or "Output"
            most_used = any(flag in MOST_USED for flag in parameter.opts)
            named = "Options" if most_used or not is_long else group
            sections.setdefault(named, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
