"""Help in groups: what is used most comes first, what few people need comes last."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from twinset.cli.renamed import sentence

GROUPS = (
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


class GroupedCommand(TyperCommand):
    """A command whose options stand in the groups that they name; it knows its old flags."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; a flag that was renamed is answered with its new name."""
        try:
            return super().parse_args(ctx, args)
        except Exception as fault:
            # Which class says "no such option" depends on the version of typer.
            message = sentence(self.name or "", getattr(fault, "option_name", ""))
            if message is not None:
                vars(fault).update(message=message, possibilities=None)
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, the options used most, and the groups."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        sections |= {group: [] for group in GROUPS}
        is_long = sum(parameter.param_type_name == "option" for parameter in self.params) >= FEW
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                sections["Arguments"].append(record)
                continue
            group = getattr(parameter, "rich_help_panel", None) or "Output"
            most_used = any(flag in MOST_USED for flag in parameter.opts)
            named = "Options" if most_used or not is_long else group
            sections.setdefault(named, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
