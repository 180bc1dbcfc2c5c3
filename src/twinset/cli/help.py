"""Help in groups, the options used most first; and the new names of flags that were renamed."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

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


RENAMED = {
    ("find", "--t"): "--share",
    ("dedup", "--t"): "--share",
    ("plan", "--t"): "--share",
    ("plan", "--sample"): "--sample-bytes",
    ("show", "--id"): "--with-id",
    ("show", "--text"): "--with-text",
    ("decide", "--keep"): "--keep-id",
    ("generate", "--least"): "--least-similarity",
    ("learn", "--keep"): "--candidate-recall",
    ("learn", "--max-pairs"): "--training-pairs",
    ("learn", "--top"): "--text-top",
}
"""The new name of a flag by its command and its old name."""


class GroupedCommand(TyperCommand):
    """A command that lists its options in groups and knows its old flags."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; the fault for a renamed flag says its new name."""
        try:
            return super().parse_args(ctx, args)
        except Exception as fault:
            # Which class says "no such option" depends on the version of typer.
            message = _renamed(self.name or "", getattr(fault, "option_name", ""))
            if message is not None:
                vars(fault).update(message=message, possibilities=None)
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments as manuals show them: ``IN...``, ``[NAME]``."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        names = [(_name(p) if p.required else f"[{_name(p)}]", p.nargs) for p in arguments]
        return ["[OPTIONS]", *(name if nargs == 1 else f"{name}..." for name, nargs in names)]

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
                # The name alone: some versions of typer add the Python type.
                sections["Arguments"].append((_name(parameter), record[1]))
                continue
            group = getattr(parameter, "rich_help_panel", None) or "Output"
            most_used = any(flag in MOST_USED for flag in parameter.opts)
            named = "Options" if most_used or not is_long else group
            sections.setdefault(named, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _renamed(command: str, flag: str) -> str | None:
    """The message about a flag that was renamed; None if the command never had it."""
    new = RENAMED.get((command, flag))
    if new is None:
        return None
    other = " for closed sets, or -t for the threshold" if flag == "--t" else ""
    return f"twinset {command} has no {flag} any more; write {new}{other}"


def _name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())
