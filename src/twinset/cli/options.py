"""Options in groups, shared by the commands.

What decides a result is declared in the library (`twinset.plan`) and only turned into options here;
what belongs to the command line alone stands below. An option that is None was not given.
"""

from __future__ import annotations

import warnings
from typing import Annotated, Any, ClassVar

from twinset import plan
from twinset.cli.faults import say_all
from twinset.cli.parameters import Group, argument, option
from twinset.errors import UnusedOption
from twinset.pages.language import LANGUAGES, ensure_known
from twinset.plan import ReadOptions, options
from twinset.plan.spec import Option, options_of


def of_library(known: Option, shown: str | None = None) -> Any:
    """An option of the library as an annotated type.

    ``shown`` is what a command does without the option, where that is not the library's default.
    """
    is_flag = known.type is bool
    has_text = known.part or known.size or known.choices
    kind: Any = str if has_text and not is_flag else known.type
    if shown is None:
        shown = known.usual or (
            "" if is_flag or known.default in (None, ()) else known.shown(known.default)
        )
    names = (known.flag, known.short) if known.short else (known.flag,)
    metavar = known.metavar or (None if is_flag else "|".join(known.choices) or None)
    part = known.part if known.part in ("measure", "clusters") else ""  # few enough to list
    typed = option(
        *names, help=known.help, shown=shown, parts=part, metavar=metavar, group=known.group
    )
    return Annotated[(list[kind] if known.many else kind) | None, typed]


# Options that several commands share, each with the same meaning everywhere.
Seed = of_library(options()["seed"])
Threshold = of_library(options()["threshold"])
ThresholdOfReport = of_library(options()["threshold"], shown="that of the run")
VerifyOfMethods = of_library(options()["verify"], shown="as each method does")
Forms = of_library(options()["forms"])
Synonyms = of_library(options()["synonyms"])
Mask = of_library(options()["mask"])
Threads = of_library(options_of(plan.Resources)["threads"])
Keep = of_library(options()["keep"], shown="that of the run")
Kind = of_library(options()["kind"], shown="as the run did")
Force = Annotated[bool, option("--force", help="Replace an older result.")]
Resume = Annotated[
    bool,
    option(
        "--resume",
        help="Keep finished parts in DIR.parts, and go on from those of a killed run.",
        group="Resources",
    ),
]
Engine = Annotated[
    str | None,
    option(
        "--engine",
        metavar="ENGINE",
        help="Where to run: local, or on Apache Spark: spark:master=URL.",
        shown="local",
        group="Resources",
    ),
]
Fresh = Annotated[
    bool, option("--fresh", help="Run everything again, also what has results in the folder.")
]
Language = Annotated[
    str,
    option(
        "--language",
        metavar="|".join(LANGUAGES),
        help="Language of the HTML page.",
        shown="en",
        callback=ensure_known,
    ),
]
Quiet = Annotated[
    bool, option("--quiet", "-q", help="Print no progress on stderr; the summary stays.")
]
Verbose = Annotated[
    bool,
    option(
        "--verbose",
        "-v",
        help="Also print how far a result can be trusted, and what libraries said.",
        callback=say_all,
    ),
]
Json = Annotated[bool, option("--json", help="Print one JSON object.")]
AgainstText = Annotated[
    str | None,
    option(
        "--against-text",
        metavar="FIELD",
        help="Field with the text in older documents, where it differs.",
        group="Input",
    ),
]
AgainstId = Annotated[
    str | None,
    option(
        "--against-id",
        metavar="FIELD",
        help="Field with the id in older documents, where it differs.",
        group="Input",
    ),
]
Cluster = Annotated[int | None, option("--cluster", metavar="N", help="Number of the cluster.")]
Top = Annotated[
    int,
    option("--top", metavar="N", least=0, help="Show at most N clusters, groups or lines."),
]
TRUTH = "True pairs (left,right), clusters (id,cluster) or graded pairs."
Truth = Annotated[
    str | None,
    option("--truth", metavar="FILE", help=TRUTH, shown="none is needed", group="Labels"),
]
Ignore = Annotated[
    str | None,
    option(
        "--ignore",
        metavar="FILE",
        help="Pairs that count neither as true nor as false.",
        group="Labels",
    ),
]
Judge = Annotated[
    str | None,
    option(
        "--judge",
        metavar="T",
        help="Minimum edit similarity of a good pair of the pool; edit:0.8,text=cleaned compares "
        "cleaned texts.",
        shown="0.8",
        group="Labels",
    ),
]
CountedAsFound = Annotated[
    str | None,
    option(
        "--by",
        metavar="auto|pairs|clusters",
        help="What counts as found: the pairs of a report, or all pairs inside its clusters.",
        shown="auto: clusters if they are closed sets, else pairs",
        group="Labels",
    ),
]
Grade = Annotated[
    float | None,
    option("--grade", metavar="G", help="Least grade of a true pair.", group="Labels"),
]
OnlyJudged = Annotated[
    bool,
    option(
        "--only-judged",
        help="Count only pairs with a grade or, where the truth has no grades, of two documents "
        "that it names.",
        group="Labels",
    ),
]
TruthColumns = Annotated[
    str | None,
    option(
        "--truth-columns",
        metavar="A,B[,G]",
        help="Names or numbers of the truth's two columns, and of the grade.",
        shown="by their names",
        group="Labels",
    ),
]


class FromLibrary(Group):
    """Options of the library with the values from the command line; a subclass says whose."""

    OF: ClassVar[type[Any]]

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The options by name."""
        return options_of(cls.OF)

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The options as annotated types."""
        return {name: of_library(known) for name, known in cls.known().items()}


class ReadingOptions(FromLibrary):
    """How inputs are read."""

    OF = ReadOptions


class ResourceOptions(FromLibrary):
    """What a run may use; no result depends on it."""

    OF = plan.Resources


class RunResources(ResourceOptions):
    """What a run may use, and where it runs."""

    @classmethod
    def types(cls) -> dict[str, Any]:
        """Threads, memory and the engine."""
        return super().types() | {"engine": Engine}


class DocumentOptions(FromLibrary):
    """In which form documents are written."""

    OF = plan.OutputForm


class SearchOptions(FromLibrary):
    """Everything that decides a result, and where it may come from."""

    @classmethod
    def known(cls) -> dict[str, Option]:
        """The options of a plan, and those of its parts that have a flag of their own."""
        return {name: o for name, o in options().items() if name not in options_of(ReadOptions)}

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The options, and three that set several of them."""
        exact = option("--exact", help="Miss nothing (slower).", group="Similarity")
        file = option(
            "--plan",
            metavar="FILE",
            help="A TOML file of options, as tune writes it; options given here win.",
            group="Similarity",
        )
        preset = option(
            "--preset",
            metavar="NAME",
            help=f"Options for a purpose: {', '.join(plan.presets())}; options given here win.",
            group="Similarity",
        )
        more = {
            "exact": Annotated[bool | None, exact],
            "plan": Annotated[str | None, file],
            "preset": Annotated[str | None, preset],
        }
        return super().types() | more


class InputPaths(Group):
    """What to read."""

    inputs: Annotated[
        list[str],
        argument(
            metavar="IN",
            help="Files, folders or globs, here or at an address: text, HTML, office documents, "
            "PDF, mail, ZIP, TAR, JSON lines, CSV, Parquet, WARC; compressed or not; "
            "- reads stdin.",
        ),
    ]


class KnownTruth(Group):
    """What is known to be true, for commands that can do without it."""

    truth: Truth = None
    ignore: Ignore = None
    only_judged: OnlyJudged = False
    grade: Grade = None
    truth_columns: TruthColumns = None


class OlderOptions(Group):
    """Older documents that these are held against."""

    against: Annotated[
        list[str] | None,
        option(
            "--against",
            metavar="INDEX|OLD",
            help="Compare with older documents only: those of an index, or of files, folders and "
            "globs; may be repeated.",
            group="Input",
        ),
    ] = None
    against_text: AgainstText = None
    against_id: AgainstId = None


class ReportTarget(Group):
    """Where the report goes."""

    out: Annotated[
        str,
        option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder or address of the report; dedup -o - writes documents to stdout.",
        ),
    ]
    force: Force = False
    resume: Resume = False
    language: Language = "en"


class OutputOptions(Group):
    """How much is printed."""

    quiet: Quiet = False
    json: Json = False
    verbose: Verbose = False


def given_options(*groups: Any) -> dict[str, Any]:
    """The options of these groups that were given, by name."""
    given: dict[str, Any] = {}
    for group in groups:
        given |= {name: value for name, value in vars(group).items() if value not in (None, [])}
    given.pop("inputs", None)
    return given


def check_options(options: dict[str, Any]) -> plan.Plan:
    """The plan; raises for options that do not fit, before anything is looked at.

    Options of other kinds are for the command itself to check; notes are for the run to say.
    """
    plan.Resources.make(options.get("threads"), options.get("memory"))
    known = {**plan.options(), "exact": None, "plan": None, "preset": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOption)
        return plan.Plan.make(**{name: value for name, value in options.items() if name in known})
