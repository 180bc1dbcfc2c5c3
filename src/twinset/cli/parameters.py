"""Options and arguments of a command, declared in annotations and read by click.

``top: Annotated[int, option("--top", help="...")] = 10``: the type says how a value is read, and a
parameter without default has to be given. Several values arrive as a list.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

import click

from twinset.errors import PlanError

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


def explaining(context: Any, args: Sequence[str], parse: Callable[[], list[str]]) -> list[str]:
    """Parse the arguments of a command; what is wrong with them is raised as a sentence."""
    typed = list(args)
    try:
        return parse()
    except Exception as fault:
        # Which class of the parser's own it is depends on the version of click.
        if not hasattr(fault, "format_message"):
            raise
        from twinset.cli.usage import explained

        raise PlanError([explained(fault, context, typed)]) from None


class GroupedCommand(click.Command):
    """A command that lists its options in groups and says in a sentence what is wrong."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; what is wrong with them is said as every other fault is."""
        return explaining(ctx, args, lambda: super(GroupedCommand, self).parse_args(ctx, args))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments as manuals show them: ``IN...``, ``[NAME]``."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        names = [(f"{p.metavar}" if p.required else f"[{p.metavar}]", p.nargs) for p in arguments]
        return ["[OPTIONS]", *(name if nargs == 1 else f"{name}..." for name, nargs in names)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, the options used most, and the groups."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        sections |= {group: [] for group in GROUPS}
        is_long = sum(parameter.param_type_name == "option" for parameter in self.params) >= FEW
        for parameter in self.get_params(ctx):
            if isinstance(parameter, DescribedArgument):
                needed = "  [required]" if parameter.required else ""
                sections["Arguments"].append((str(parameter.metavar), f"{parameter.about}{needed}"))
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


class GroupedOption(click.Option):
    """An option with the group that the help lists it in, and the kind of ``parts`` it names."""

    def __init__(self, *names: Any, group: str, shown: str, parts: str, **more: Any) -> None:
        super().__init__(*names, **more)
        self.group, self._shown, self._parts = group, shown, parts

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The flags and the sentence about them, as the help shows it."""
        plain, self.help = self.help, self.sentence()
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = plain

    def sentence(self) -> str:
        """The help with the names of parts, which only the help asks for, and the default."""
        sentence = self.help or ""
        if self._parts:
            from twinset.plan.spec import names  # looks through all packages

            sentence = f"{sentence.rstrip('.')}: {', '.join(names(self._parts))}."
        return f"{sentence} [{self._shown}]" if self._shown else sentence


class DescribedArgument(click.Argument):
    """An argument with a sentence about it, which not every version of click has a place for."""

    def __init__(self, *names: Any, about: str, **more: Any) -> None:
        super().__init__(*names, **more)
        self.about = about


class Declared:
    """What is said of a parameter beside its type and its default."""

    def __init__(self, kind: type[click.Parameter], names: tuple[str, ...], **more: Any) -> None:
        self._kind, self._names, self._more = kind, names, more

    def parameter(self, name: str, hint: Any, default: Any) -> click.Parameter:
        """The parameter as click reads it."""
        more = {**self._more, **_shape(hint, self._kind is DescribedArgument)}
        least, then = more.pop("least", None), more.pop("callback", None)
        several = more.get("multiple") or more.get("nargs") == -1
        if least is not None:
            more["type"] = click.IntRange(min=least)
        if default is inspect.Parameter.empty:
            more["required"] = True
        else:
            more["default"] = default

        def finish(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
            if several:
                value = list(value) if value else default
            return then(value) if then is not None else value

        if self._kind is DescribedArgument:
            return DescribedArgument([name], callback=finish, **more)
        if default in (None, False, 0, ""):
            more["show_default"] = False
        names = self._names or (f"--{name.replace('_', '-')}",)
        return GroupedOption([name, *names], callback=finish, **more)


def option(
    *names: str, help: str, shown: str = "", parts: str = "", group: str = "", **more: Any
) -> Declared:
    """An option, in the group of this name; ``shown`` is what the help says of its default.

    With ``parts`` the help lists the names of the parts of this kind.
    """
    more |= {"help": help, "shown": shown, "parts": parts, "group": group}
    return Declared(GroupedOption, names, show_default=not shown, **more)


def argument(*, metavar: str, help: str) -> Declared:
    """An argument, which is known by its place."""
    return Declared(DescribedArgument, (), metavar=metavar, about=help)


def one_of(**actions: object) -> str | None:
    """Which of these actions was asked for; raises where there is more than one."""
    given = [flag for flag, value in actions.items() if value not in (None, False)]
    if len(given) > 1:
        raise PlanError([f"one thing at a time, not {' and '.join(given)}"])
    return given[0] if given else None


def parameters_of(function: Callable[..., Any]) -> list[click.Parameter]:
    """The parameters of a function, each annotated with ``option`` or ``argument``."""
    hints = typing.get_type_hints(function, include_extras=True)
    return [
        _declared(hints[name]).parameter(name, hints[name].__origin__, parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
    ]


def _declared(hint: Any) -> Declared:
    declared: Declared = hint.__metadata__[0]
    return declared


def _shape(hint: Any, is_argument: bool) -> dict[str, Any]:
    """What click has to know of a type: how many values there are, and of which kind."""
    if isinstance(hint, types.UnionType):
        hint = next(kind for kind in typing.get_args(hint) if kind is not types.NoneType)
    if hint is bool:
        return {"is_flag": True}
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is list:
        return {"type": inner[0], **({"nargs": -1} if is_argument else {"multiple": True})}
    return {"type": inner[0], "nargs": len(inner)} if inner else {"type": hint}
