"""Options as dataclasses, shared by the commands.

``takes`` lets a command declare such classes as its parameters and spreads their fields out as
options. A field that is None was not given: the defaults live in the library alone, ``shown``
merely prints them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer


def option(*names: str, help: str, shown: str = "", **more: Any) -> Any:
    """A typer option that prints the library's default."""
    told = f"{help} [{shown}]" if shown else help
    return typer.Option(*names, help=told, show_default=False, **more)


# Options that several commands have, each with one meaning.
Seed = Annotated[int | None, option("--seed", help="Decides everything random.", shown="1")]
Grade = Annotated[
    float | None, option("--grade", metavar="G", help="The least grade of a true pair.")
]
OnlyJudged = Annotated[
    bool,
    option(
        "--only-judged",
        help="Count only pairs that were judged: those with a grade or, where the truth has no "
        "grades, those of two documents that it names.",
    ),
]
TruthColumns = Annotated[
    str | None,
    option(
        "--truth-columns",
        metavar="A,B[,G]",
        help="Names or numbers of the truth's two columns, and of the grade.",
        shown="by their names",
    ),
]


@dataclass(frozen=True)
class Inputs:
    """What to read and how."""

    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN",
            show_default=False,
            help="Files, folders or globs: text, HTML, DOCX, PDF, JSON lines, CSV, Parquet, WARC, "
            "ROMIP; compressed or not; - reads stdin.",
        ),
    ]
    id: Annotated[
        str | None,
        option("--id", metavar="FIELD", help="Field of the id, dotted if nested.", shown="id"),
    ] = None
    text: Annotated[
        str | None,
        option(
            "--text", metavar="FIELD", help="Field of the text, dotted if nested.", shown="text"
        ),
    ] = None
    html: Annotated[
        str | None,
        option("--html", metavar="auto|yes|no", help="Take texts as HTML.", shown="auto"),
    ] = None
    on_error: Annotated[
        str | None,
        option(
            "--on-error",
            metavar="skip|stop",
            help="Skip bad documents and count them, or stop at the first.",
            shown="skip",
        ),
    ] = None
    max_unread: Annotated[
        float | None,
        option(
            "--max-unread",
            metavar="SHARE",
            help="End with a fault when more of the rows than this could not be read.",
            shown="0.5",
        ),
    ] = None
    within: Annotated[
        list[str] | None,
        option("--within", metavar="DIR", help="Read nothing outside this, even through links."),
    ] = None


@dataclass(frozen=True)
class Search:
    """What counts as a near-duplicate and how it is looked for."""

    plan: Annotated[
        str | None,
        option(
            "--plan",
            metavar="FILE",
            help="Options from a TOML file, as 'twinset tune' writes it; others given come first.",
        ),
    ] = None
    threshold: Annotated[
        float | None,
        option("--threshold", "-t", help="Least similarity, inclusive, 0 to 1.", shown="0.8"),
    ] = None
    recall: Annotated[
        float | None,
        option("--recall", help="Least chance to find a pair at the threshold.", shown="0.99"),
    ] = None
    exact: Annotated[bool | None, option("--exact", help="Miss nothing (slower).")] = None
    method: Annotated[
        str | None,
        option(
            "--method",
            metavar="SPEC",
            help="NAME or NAME:option=value,..., see 'twinset methods'.",
            shown="minhash",
        ),
    ] = None
    verify: Annotated[
        str | None,
        option(
            "--verify",
            metavar="none|NAME:T",
            help="Check the method's pairs, as edit:0.8 or jaccard:0.8, or not at all.",
            shown="as the method does",
        ),
    ] = None
    statistics: Annotated[
        str | None,
        option(
            "--statistics",
            metavar="FILE",
            help="Word counts of another collection, a report's statistics.parquet.",
        ),
    ] = None
    measure: Annotated[
        str | None,
        option(
            "--measure",
            metavar="NAME",
            help="Similarity: jaccard, containment, dice, cosine or overlap.",
            shown="jaccard",
        ),
    ] = None
    shingle: Annotated[int | None, option("--shingle", help="Units in a shingle.", shown="5")] = (
        None
    )
    offset: Annotated[
        int | None, option("--offset", help="Units from one shingle to the next.", shown="1")
    ] = None
    unit: Annotated[
        str | None,
        option("--unit", metavar="word|char", help="What a shingle is made of.", shown="word"),
    ] = None
    image: Annotated[
        str | None,
        option(
            "--image", metavar="SPEC", help="Sketch, see 'twinset methods'.", shown="oph:size=128"
        ),
    ] = None
    seed: Seed = None


@dataclass(frozen=True)
class Grouping:
    """How pairs become clusters."""

    clusters: Annotated[
        str | None,
        option(
            "--clusters",
            metavar="KIND",
            help="Anchored, components, cliques or closed.",
            shown="anchored",
        ),
    ] = None
    k: Annotated[
        int | None,
        option("--k", help="With closed: how many image values a cluster shares."),
    ] = None
    t: Annotated[
        float | None,
        option("--t", help="With closed, for k: the share of each image that a cluster shares."),
    ] = None
    max_pairs: Annotated[
        int | None,
        option("--max-pairs", help="List all pairs up to this many.", shown="10000000"),
    ] = None


@dataclass(frozen=True)
class Keeping:
    """Which copy stays."""

    keep: Annotated[
        str | None,
        option(
            "--keep",
            metavar="WHICH",
            help="The copy to keep: first, longest, shortest, FIELD:max or FIELD:min.",
            shown="first",
        ),
    ] = None
    never_remove: Annotated[
        str | None,
        option("--never-remove", metavar="PATTERN", help="Keep documents whose id matches."),
    ] = None


@dataclass(frozen=True)
class Resources:
    """What a run may use; no result depends on it."""

    threads: Annotated[int | None, option("--threads", help="Threads.", shown="all processors")] = (
        None
    )
    memory: Annotated[
        str | None,
        option(
            "--memory", metavar="SIZE", help="Memory to stay within, 300MB or more.", shown="2GB"
        ),
    ] = None


@dataclass(frozen=True)
class Truth:
    """What is known to be true, where a command can do without it."""

    truth: Annotated[
        str | None,
        option(
            "--truth",
            metavar="FILE",
            help="True pairs, graded pairs or clusters, as for 'evaluate'.",
            shown="none is needed",
        ),
    ] = None
    ignore: Annotated[
        str | None, option("--ignore", metavar="FILE", help="Pairs that count neither way.")
    ] = None
    only_judged: OnlyJudged = False
    grade: Grade = None
    truth_columns: TruthColumns = None


@dataclass(frozen=True)
class Target:
    """Where the report goes."""

    out: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="Folder of the report.")]
    force: Annotated[
        bool, option("--force", help="Replace an older report, once the new one is complete.")
    ] = False


@dataclass(frozen=True)
class Output:
    """How much is said."""

    quiet: Annotated[bool, option("--quiet", "-q", help="No progress on stderr.")] = False
    json: Annotated[bool, option("--json", help="Print one JSON object.")] = False


def given(*groups: Any) -> dict[str, Any]:
    """The options of these groups that were given, by name."""
    fields = {key: value for group in groups for key, value in vars(group).items()}
    fields.pop("inputs", None)
    return {key: value for key, value in fields.items() if value not in (None, [])}


def takes(command: Callable[..., None]) -> Callable[..., None]:
    """Spread the dataclasses among a command's parameters out as options."""
    hints = typing.get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    groups = {name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)}
    plain = inspect.signature(command).parameters

    @functools.wraps(command)
    def spread(**values: Any) -> None:
        made = {name: _made(kind, values) for name, kind in groups.items()}
        command(**made, **values)

    parameters = [
        parameter
        for name, kind in hints.items()
        for parameter in (
            _parameters(kind) if name in groups else [_parameter(name, kind, plain[name].default)]
        )
    ]
    parameters.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spread.__annotations__ = {p.name: p.annotation for p in parameters}
    return spread


def _made(kind: Any, values: dict[str, Any]) -> Any:
    return kind(**{f.name: values.pop(f.name) for f in dataclasses.fields(kind)})


def _parameters(kind: Any) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return [
        _parameter(
            f.name,
            hints[f.name],
            inspect.Parameter.empty if f.default is dataclasses.MISSING else f.default,
        )
        for f in dataclasses.fields(kind)
    ]


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
