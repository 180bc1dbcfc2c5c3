"""The library's functions; the command line is a thin coat over them.

Every option stands in the signature. Its meaning, default and bounds are said once, in
`twinset.plan` and the parts that it names; None means the default.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from twinset.plan.reading import (
    Reading,
    reading_arguments,
    reads_documents,
    with_known_keywords,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from twinset.engine import Findings, Progress
    from twinset.engine.parts import PartsFolder
    from twinset.passages.findings import SpanFindings
    from twinset.passages.options import SpanUnit
    from twinset.passages.reuse_findings import ReuseFindings
    from twinset.plan import Html, Keep, Kinds, Method, OnError, PageText, Plan, Repeated, Unit
    from twinset.reading import Inputs
    from twinset.report import Report
    from twinset.system.remote import RemotePath

Path = str | os.PathLike[str]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _with_parameters_of(
    model: Callable[Parameters, Any],
) -> Callable[[Callable[..., Result]], Callable[Parameters, Result]]:
    """Give a function the parameters of another, for people, type checkers and ``inspect``."""

    def decorate(function: Callable[..., Result]) -> Callable[Parameters, Result]:
        @functools.wraps(function)
        def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
            try:
                given = inspect.signature(model).bind(*args, **options)
            except TypeError as fault:
                raise TypeError(f"{function.__name__}() {fault}") from None
            given.apply_defaults()
            return function(**given.arguments)

        call.__signature__ = inspect.signature(model)  # type: ignore[attr-defined]
        call.__annotations__ = model.__annotations__
        return call

    return decorate


@with_known_keywords
def find(
    documents: Any,
    threshold: float | None = None,
    *,
    method: str | Method | None = None,
    exact: bool = False,
    recall: float | None = None,
    measure: str | Any = None,
    verify: str | Any = None,
    statistics: str | None = None,
    forms: str | Any = None,
    synonyms: str | None = None,
    level: str | Any = None,
    drop_boilerplate: float | None = None,
    shingle: int | None = None,
    offset: int | None = None,
    unit: Unit | None = None,
    image: str | Any = None,
    seed: int | None = None,
    clusters: str | Any = None,
    k: int | None = None,
    share: float | None = None,
    keep: str | Keep | Sequence[str | Keep] | None = None,
    never_remove: str | None = None,
    kinds: Kinds | None = None,
    max_pairs: int | None = None,
    dense: int | None = None,
    plan: Path | Plan | None = None,
    preset: str | None = None,
    id: str | None = None,
    text: str | None = None,
    html: Html | None = None,
    page_text: PageText | None = None,
    repeated: Repeated | None = None,
    ocr: str | None = None,
    each_file: bool | None = None,
    on_error: OnError | None = None,
    max_document_bytes: int | str | None = None,
    within: Sequence[str] = (),
    reference: Sequence[str] = (),
    max_unread: float | None = None,
    against: Any = None,
    threads: int | None = None,
    memory: int | str | None = None,
    engine: str | Any = None,
    resume: Path | PartsFolder | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Near-duplicates among documents, with the exact similarity of every pair.

    >>> findings = find(["the same words here again", "the same words here again", "others"])
    >>> findings.pairs.num_rows
    1

    ``documents``: a path, an address or a list of `pathlib.Path`; what ``twinset.read`` returns; a
    list, tuple, array or generator of texts, or one of (id, text) or of dicts; a dict of id to
    text; a table, batch, reader, array or dataset of Arrow; a frame or series of pandas or Polars,
    lazy ones too; a Dataset, an IterableDataset or a dict of splits of Hugging Face, of which
    ``reference`` may name some; a DuckDB relation; whatever else offers Arrow.

    ``method``, ``measure``, ``image``, ``forms``, ``clusters``, ``keep`` and ``verify`` are names
    with options (``"minhash:shingle=3"``) or objects. ``plan`` is a `Plan` or a TOML file of
    options that those given here replace; ``preset`` names one of `presets` in place of a method or
    a plan. ``progress`` is called with the state of the run. ``resume`` names a folder in which
    finished parts of the run are kept; after a kill the same call goes on from there. They go when
    the findings are saved.

    ``against`` names older documents, in any of the forms above, or an index (its folder, its
    address or an `Index`): then the documents are compared with those and not with each other. A
    pair has a new document on the left and an older one on the right; `dedup` removes what has an
    older near-duplicate. Older documents are not among those of the findings, and there are no
    clusters.

    ``level`` compares units of documents in their place: paragraph, sentence, line or
    window:size=N. The findings are about these then (`UnitFindings`), and saving a `dedup` writes
    the documents without units that stand in others before.

    ``drop_boilerplate`` leaves paragraphs out of the comparison that stand in more documents than
    this number, or than this share of them if it is below 1; ``findings.boilerplate`` lists them.

    ``engine`` says where to run: ``"local"``, ``"spark:master=local[2]"`` or a SparkSession.
    ``documents`` are paths, addresses or a DataFrame of Spark there, and the findings are
    DataFrames, too (`SparkFindings`); a DataFrame without ``engine`` runs in its own session.
    """
    given = dict(locals())
    return _run(given, dedup=False)


@with_known_keywords
@_with_parameters_of(find)
def dedup(**arguments: Any) -> Findings:
    """Like `find`, and decides which documents stay; saving writes the kept and removed ones.

    >>> findings = dedup(["the same words here again", "the same words here again", "others"])
    >>> findings.kept
    ['the same words here again', 'others']

    ``kept`` and ``removed`` have the type of ``documents``, ``mask``, ``kept_indices`` and
    ``removed_indices`` say the same by position, ``to_pandas()`` and ``to_polars()`` as a table.
    Every removed document is within the threshold of the one kept in its place. ``keep`` says which
    copy that is; documents whose id matches ``never_remove`` always stay.
    """
    return _run(arguments, dedup=True)


@reads_documents
def spans(
    documents: Any,
    least: int | None = None,
    *,
    unit: SpanUnit | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> SpanFindings:
    """Stretches of at least so many units that stand in two places or more, in all their places.

    >>> texts = ["we read the same four words", "here the same four words again"]
    >>> spans(texts, 4).spans.select(["span", "start", "end", "units"]).to_pylist()
    [{'span': 0, 'start': 8, 'end': 27, 'units': 4}, {'span': 0, 'start': 5, 'end': 24, 'units': 4}]

    ``unit`` is word, char or byte. Places are characters of the texts as they are stored: pages are
    taken as they are unless ``html`` says otherwise. ``documents`` and the other options are those
    of `find`. Saving writes a report, with ``remove=True`` also the documents without what repeats.
    """
    from twinset.engine.opening import open_documents
    from twinset.passages.options import SpanOptions
    from twinset.passages.spans import find_spans
    from twinset.plan import Plan, Resources

    asked = SpanOptions.make(least, unit)
    given = reading_arguments(reading, strict="spans")
    given["html"] = given["html"] or "no"
    resources = Resources.make(threads, memory)
    opened, _ = open_documents(documents, Plan.make(**given), resources, given, must_be_read=False)
    return find_spans(opened, asked, resources, progress)


@reads_documents
def reuse(
    left: Any,
    right: Any,
    *,
    least: int | None = None,
    threshold: float | None = None,
    shingle: int | None = None,
    gap: int | None = None,
    frequent: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> ReuseFindings:
    """Passages of some documents that stand in others, as they are or edited, in both places.

    >>> benchmark = {"q1": "how many lakes of the country lie above the tree line"}
    >>> web = {"page": "It asked: how many lakes of the country lie ABOVE the tree line?"}
    >>> reuse(benchmark, web).pairs.select(["left", "right", "containment_left"]).to_pylist()
    [{'left': 'q1', 'right': 'page', 'containment_left': 1.0}]

    Every passage has at least ``least`` words on both sides and an edit similarity of at least
    ``threshold``. It is found by a ``shingle`` of so many equal words in a row; between two equal
    runs at most ``gap`` words may differ. Places are characters of the texts as they are stored.
    ``left`` and ``right`` are documents as for `find`; the smaller side is held in memory.
    """
    from twinset.engine.opening import open_documents
    from twinset.passages.options import ReuseOptions
    from twinset.passages.reuse import find_reuse
    from twinset.plan import Plan, Resources

    asked = ReuseOptions.make(
        least=least, threshold=threshold, shingle=shingle, gap=gap, frequent=frequent
    )
    given = reading_arguments(reading, strict="reuse")
    given["html"] = given["html"] or "no"
    resources = Resources.make(threads, memory)
    plan = Plan.make(**given)
    sides = [
        open_documents(side, plan, resources, given, must_be_read=False)[0]
        for side in (left, right)
    ]
    return find_reuse(sides[0], sides[1], asked, resources, progress)


@reads_documents
def read(*sources: Path, **reading: Unpack[Reading]) -> Inputs:
    """Documents of files, folders and globs, streamed when they are used; ``-`` is stdin.

    >>> from pathlib import Path
    >>> written = Path("notes.csv").write_text("key,body\\n1,one two\\n2,three\\n", "utf-8")
    >>> documents = read("notes.csv", id="key", text="body")
    >>> [batch.texts.to_pylist() for batch in documents.batches()]
    [['one two', 'three']]

    ``id`` and ``text`` name the fields, ``html`` says whether texts are pages (auto, yes or no),
    ``ocr`` whether pictures are read by tesseract (no, yes or its languages) and ``on_error``
    whether bad documents are skipped or stop the run (skip or stop). Records of more than
    ``max_document_bytes`` are refused, nothing outside the folders ``within`` is read, and
    ``max_unread`` is the share of rows that may be unreadable. None means the default.
    """
    from twinset.plan import Plan
    from twinset.reading import open_inputs

    return open_inputs(sources, Plan.make(**reading_arguments(reading, strict="read")).read)


def open_report(folder: Path | RemotePath) -> Report:
    """A report folder or address, with the tables of the run that wrote it.

    >>> texts = {"first": "the same words here again", "second": "the same words here again"}
    >>> folder = find(texts).save("report")
    >>> open_report(folder).pairs.select(["left", "right", "score"]).to_pylist()
    [{'left': 'first', 'right': 'second', 'score': 1.0}]
    """
    from twinset.report import read as read_report
    from twinset.system.remote import place_of

    return read_report(place_of(folder))


def _run(given: dict[str, Any], *, dedup: bool) -> Findings:
    from twinset.engine import run
    from twinset.engine.opening import open_documents
    from twinset.errors import PlanError
    from twinset.plan import Plan, Resources

    documents, progress = given.pop("documents"), given.pop("progress")
    engine = given.pop("engine")
    against = given.pop("against")
    if against is not None:
        return _run_against(documents, against, given, engine, progress, dedup=dedup)
    if engine is not None or type(documents).__module__.startswith("pyspark."):
        from twinset.engine.spark.choosing import spark_engine

        if (spark := spark_engine(engine, documents)) is not None:
            from twinset.engine.spark.starting import start

            on_spark: Any = start(documents, given, spark, dedup=dedup, progress=progress)
            return on_spark  # type: ignore[no-any-return]  # the same names, of DataFrames
    parts = given.pop("resume")
    if parts is not None:
        from twinset.engine.parts import PartsFolder

        parts = parts if isinstance(parts, PartsFolder) else PartsFolder(parts)
    resources = Resources.make(given.pop("threads"), given.pop("memory"))
    plan = Plan.make(**given)
    # The report is written even so, and says what is wrong.
    opened, plan = open_documents(documents, plan, resources, given, must_be_read=False)
    if plan.by_units:
        if parts is not None:
            raise PlanError(["resume keeps parts of a run over whole documents: leave it out"])
        from twinset.passages.units import find_units

        units: Any = find_units(opened, plan, dedup=dedup, resources=resources, progress=progress)
        return units  # type: ignore[no-any-return]  # of units, not of documents
    return run(opened, plan, dedup=dedup, resources=resources, progress=progress, parts=parts)


def _run_against(
    documents: Any,
    against: Any,
    given: dict[str, Any],
    engine: Any,
    progress: Progress | None,
    *,
    dedup: bool,
) -> Findings:
    from twinset.errors import PlanError
    from twinset.index.against import find_against
    from twinset.plan import Resources

    if engine not in (None, "local") or type(documents).__module__.startswith("pyspark."):
        raise PlanError(["against runs on this machine: leave the engine out, and give files"])
    resources = Resources.make(given.pop("threads"), given.pop("memory"))
    return find_against(
        documents, against, given, dedup=dedup, resources=resources, progress=progress
    )
