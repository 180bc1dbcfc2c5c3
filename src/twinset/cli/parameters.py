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
FEW = 12
"""A command with fewer options than this needs no groups, and shows all of them in its help."""
EXAMPLES = 2
"""Examples in the help of one screen."""


def explaining(context: Any, args: Sequence[str], parse: Callable[[], list[str]]) -> list[str]:
    """Parse the arguments of a command; what is wrong with them is raised as a sentence."""
    try:
        return parse()
    except Exception as fault:
        # Which class of the parser's own it is depends on the version of click.
        if not hasattr(fault, "format_message"):
            raise
        from twinset.cli.usage import explained

        raise PlanError([explained(fault, context)]) from None


class GroupedCommand(click.Command):
    """A command that says in a sentence what is wrong, and has a help of one screen.

    ``used`` names the options that people use: ``--help`` shows these, ``--help-all`` all of them
    in groups.
    """

    def __init__(self, name: str, used: Sequence[str], **more: Any) -> None:
        super().__init__(name, **more)
        self._used, self._shows_all = used, False
        options = [p for p in self.params if p.param_type_name == "option"]
        self._is_long = len(options) >= FEW
        if self._is_long:
            every = click.Option(
                ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=self._all
            )
            every.help = "Show all options."
            self.params.append(every)

    def _all(self, ctx: Any, parameter: Any, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            self._shows_all = True
            click.echo(ctx.get_help())
            ctx.exit()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; what is wrong with them is said as every other fault is."""
        return explaining(ctx, args, lambda: super(GroupedCommand, self).parse_args(ctx, args))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments as manuals show them: ``IN...``, ``[NAME]``."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        names = [(f"{p.metavar}" if p.required else f"[{p.metavar}]", p.nargs) for p in arguments]
        return ["[OPTIONS]", *(name if nargs == 1 else f"{name}..." for name, nargs in names)]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """What the command does, with examples; on one screen a sentence and two of these."""
        if self._is_long and not self._shows_all:
            about, *others = (self.help or "").split("\n\n")
            examples = next(each for each in others if "Example:" in each)
            text = "\n\n".join([about, "\n".join(examples.split("\n")[: 2 + EXAMPLES])])
            whole, self.help = self.help, text
            super().format_help_text(ctx, formatter)
            self.help = whole
        else:
            super().format_help_text(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The exit codes, where there is room."""
        if self._shows_all or not self._is_long:
            super().format_epilog(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options: those that people use, or all in groups."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        sections |= {group: [] for group in GROUPS}
        shows_all = self._shows_all or not self._is_long
        parameters = self.get_params(ctx)
        if not shows_all:
            places = {flag: place for place, flag in enumerate([*self._used, "--help-all"])}
            places |= {p.opts[0]: -1 for p in parameters if isinstance(p, DescribedArgument)}
            parameters = [p for p in parameters if p.opts[0] in places]
            parameters.sort(key=lambda p: places[p.opts[0]])
        for parameter in parameters:
            if isinstance(parameter, DescribedArgument):
                needed = "  [required]" if parameter.required else ""
                sections["Arguments"].append((str(parameter.metavar), f"{parameter.about}{needed}"))
            elif record := parameter.get_help_record(ctx):
                group = getattr(parameter, "group", "") or "Output"
                sections.setdefault(group if self._shows_all else "Options", []).append(record)
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
        more["required"] = default is inspect.Parameter.empty
        if not more["required"]:
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


class Group:
    """Options of several commands: annotated fields, whose values are its attributes.

    One that may be None and states no default is None.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The options as annotated types."""
        return typing.get_type_hints(cls, include_extras=True)


def parameters_of(
    function: Callable[..., Any],
) -> tuple[list[click.Parameter], Callable[..., None]]:
    """The parameters of a function, and what calls it with their values.

    Each is annotated with ``option`` or ``argument``, or is a group of such.
    """
    hints = typing.get_type_hints(function, include_extras=True)
    groups: dict[str, list[click.Parameter]] = {}
    parameters: list[click.Parameter] = []
    for name, own in inspect.signature(function).parameters.items():
        kind = hints[name]
        if isinstance(kind, type) and issubclass(kind, Group):
            groups[name] = [
                _parameter(field, hint, getattr(kind, field, _missing(hint)))
                for field, hint in kind.types().items()
            ]
            parameters += groups[name]
        else:
            parameters.append(_parameter(name, kind, own.default))

    def call(**values: Any) -> None:
        for name, fields in groups.items():
            values[name] = hints[name](**{each.name: values.pop(each.name) for each in fields})
        function(**values)

    return sorted(parameters, key=lambda each: not each.required), call


def _missing(hint: Any) -> Any:
    """The default of a field that states none."""
    return None if types.NoneType in typing.get_args(hint.__origin__) else inspect.Parameter.empty


def _parameter(name: str, hint: Any, default: Any) -> click.Parameter:
    # Python 3.10 makes the hint of what is None by default optional.
    hint = typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Union else hint
    declared: Declared = hint.__metadata__[0]
    return declared.parameter(name, hint.__origin__, default)


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
