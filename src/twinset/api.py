"""The library's functions; the command line is a thin coat over them.

Every option stands in the signature. Its meaning, default and bounds are said once, in
`twinset.plan` and the parts that it names; None means the default.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from twinset.plan.reading import Reading, reading_arguments, reads_documents

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from twinset.plan import (
        CopyKind,
        Html,
        Keep,
        Kinds,
        Match,
        Method,
        OnError,
        PageText,
        Plan,
        Repeated,
        Unit,
    )
    from twinset.reading import Inputs
    from twinset.result import Report
    from twinset.run import Findings, Progress
    from twinset.run.parts import PartsFolder
    from twinset.run.passages.contamination import ContaminationFindings
    from twinset.run.passages.options import SpanUnit
    from twinset.run.passages.reuse import ReuseFindings
    from twinset.run.passages.spans import SpanFindings
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
    mask: Sequence[str] = (),
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
    kind: CopyKind | None = None,
    target: int | str | None = None,
    match: Match | None = None,
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

    ``mask`` leaves dates, numbers, urls, emails or what a regular expression matches out of the
    comparison; documents that are written have them.

    ``drop_boilerplate`` leaves paragraphs out of the comparison that stand in more documents than
    this number, or than this share of them if it is below 1; ``findings.boilerplate`` lists them.

    ``engine`` says where to run: ``"local"``, ``"spark:master=local[2]"`` or a SparkSession.
    ``documents`` are paths, addresses or a DataFrame of Spark there, and the findings are
    DataFrames, too (`SparkFindings`); a DataFrame without ``engine`` runs in its own session.
    """
    return _run(locals(), dedup=False)


@_with_parameters_of(find)
def dedup(**arguments: Any) -> Findings:
    """Like `find`, and decides which documents stay; saving writes the kept and removed ones.

    >>> findings = dedup(["the same words here again", "the same words here again", "others"])
    >>> findings.kept
    ['the same words here again', 'others']

    ``kept`` and ``removed`` have the type of ``documents``, ``mask``, ``kept_indices`` and
    ``removed_indices`` say the same by position, ``to_pandas()`` and ``to_polars()`` as a table.
    Every removed document is within the threshold of the one kept in its place. ``keep`` says which
    copy that is; documents whose id matches ``never_remove`` always stay. With a ``target`` (50000
    documents, ``"40%"`` of them, ``"2GB"`` of text) the threshold is the highest that leaves no
    more; ``threshold`` is the lowest that is taken.
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
    from twinset.plan import Plan, Resources
    from twinset.run.opening import open_documents
    from twinset.run.passages.options import SpanOptions
    from twinset.run.passages.spans import find_spans

    asked = SpanOptions.make(least, unit)
    resources, plan = Resources.make(threads, memory), Plan.make(**_as_stored(reading, "spans"))
    opened, _ = open_documents(documents, plan, resources, must_be_read=False)
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
    against_text: str | None = None,
    against_id: str | None = None,
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
    ``against_text`` and ``against_id`` are the fields of those on the right, where they differ.
    """
    from twinset.plan import Resources
    from twinset.run.passages.options import ReuseOptions
    from twinset.run.passages.reuse import find_reuse

    asked = ReuseOptions.make(
        least=least, threshold=threshold, shingle=shingle, gap=gap, frequent=frequent
    )
    resources, given = Resources.make(threads, memory), _as_stored(reading, "reuse")
    ours = _opened(left, given, resources)
    theirs = _opened(right, given, resources, text=against_text, id=against_id)
    return find_reuse(ours, theirs, asked, resources, progress)


@reads_documents
def contamination(
    sets: Mapping[str, Any],
    training: Any,
    *,
    parts: Sequence[str] = (),
    against_text: str | None = None,
    against_id: str | None = None,
    portion: float | None = None,
    threshold: float | None = None,
    least: int | None = None,
    gap: int | None = None,
    shingle: int | None = None,
    frequent: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> ContaminationFindings:
    """Which items of named test sets stand in training text: whole, edited or in part.

    >>> sets = {"quiz": {"q1": "Which river flows through Lima?", "q2": "How old is the moon?"}}
    >>> web = ["A quiz: (1) Which <b>river</b> flows through **Lima**?"]
    >>> contamination(sets, web).sets.select(["set", "items", "exact", "share"]).to_pylist()
    [{'set': 'quiz', 'items': 2, 'exact': 1, 'share': 0.5}]

    ``parts`` are fields of an item: the question, and what is looked for only together with it.
    The level of an item is ``exact`` where all its words stand consecutively in a document,
    ``near`` where the whole of it is found edited with a similarity of ``threshold``, and ``part``
    where ``least`` words of its question are, or this ``portion`` of them. Labels of lists and
    light mark-up do not count. ``against_text`` and ``against_id`` are the fields of the training
    documents, where they differ; the other options are those of `reuse`.
    """
    from twinset.plan import Resources
    from twinset.run.passages.contamination import find_contamination
    from twinset.run.passages.options import ItemOptions

    asked = ItemOptions.make(
        parts=tuple(parts),
        least=least,
        portion=portion,
        threshold=threshold,
        shingle=shingle,
        gap=gap,
        frequent=frequent,
    )
    resources, given = Resources.make(threads, memory), _as_stored(reading, "contamination")
    question = asked.parts[0] if asked.parts else None
    opened = {name: _opened(one, given, resources, text=question) for name, one in sets.items()}
    theirs = _opened(training, given, resources, text=against_text, id=against_id)
    return find_contamination(opened, theirs, asked, resources, progress)


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

    return open_inputs(sources, Plan.make(**reading_arguments(reading, "read")).read)


def open_report(folder: Path | RemotePath) -> Report:
    """A report folder or address, with the tables of the run that wrote it.

    >>> texts = {"first": "the same words here again", "second": "the same words here again"}
    >>> folder = find(texts).save("report")
    >>> open_report(folder).pairs.select(["left", "right", "score"]).to_pylist()
    [{'left': 'first', 'right': 'second', 'score': 1.0}]
    """
    from twinset.result import read as read_report
    from twinset.system.remote import place_of

    return read_report(place_of(folder))


def _as_stored(reading: Any, function: str) -> dict[str, Any]:
    """The options of reading, by which pages are taken as they are unless they say otherwise."""
    given = reading_arguments(reading, function)
    return given | {"html": given["html"] or "no"}


def _opened(documents: Any, given: dict[str, Any], resources: Any, **fields: str | None) -> Any:
    """The documents as a stream, read with these options and the ``fields`` that are not None."""
    from twinset.plan import Plan
    from twinset.run.opening import open_documents

    plan = Plan.make(**given | {name: field for name, field in fields.items() if field})
    return open_documents(documents, plan, resources, must_be_read=False)[0]


def _run(given: dict[str, Any], *, dedup: bool) -> Findings:
    """Make the plan of the arguments of `find` and `dedup`, which is the only one."""
    beside = ("documents", "against", "threads", "memory", "engine", "resume", "progress")
    means = {name: given.pop(name) for name in beside}
    from twinset.plan import Plan

    found: Findings = run_plan(means.pop("documents"), Plan.make(**given), dedup=dedup, **means)
    return found


def run_plan(
    documents: Any,
    plan: Plan,
    *,
    dedup: bool = False,
    against: Any = None,
    threads: int | None = None,
    memory: int | str | None = None,
    engine: str | Any = None,
    resume: Path | PartsFolder | None = None,
    progress: Progress | None = None,
) -> Any:
    """`find` or `dedup` by a plan, where its engine is."""
    from twinset.errors import PlanError
    from twinset.plan import Resources

    if plan.target is not None and not dedup:
        raise PlanError(["target says how much dedup leaves: leave it out of find"])
    of_spark = type(documents).__module__.startswith("pyspark.")
    if against is not None:
        if engine not in (None, "local") or of_spark:
            raise PlanError(["against runs on this machine: leave the engine out, and give files"])
        if resume is not None:
            raise PlanError(["resume keeps parts of a run over one collection: leave it out"])
        from twinset.index.against import find_against

        resources = Resources.make(threads, memory)
        return find_against(
            documents, against, plan, dedup=dedup, resources=resources, progress=progress
        )
    if plan.match == "one":
        raise PlanError(["match one pairs two sources: name the older one by against"])
    if engine is not None or of_spark:
        from twinset.spark.engine import spark_engine

        if (spark := spark_engine(engine, documents)) is not None:
            from twinset.spark.run import start

            means = {"threads": threads, "memory": memory, "resume": resume}
            return start(documents, plan, spark, means, dedup=dedup, progress=progress)
    from twinset.run import run
    from twinset.run.opening import open_documents

    resources = Resources.make(threads, memory)
    # The report is written even so, and says what is wrong.
    opened, plan = open_documents(documents, plan, resources, must_be_read=False)
    if plan.by_units:
        if resume is not None:
            raise PlanError(["resume keeps parts of a run over whole documents: leave it out"])
        from twinset.run.passages.units import find_units

        return find_units(opened, plan, dedup=dedup, resources=resources, progress=progress)
    if resume is not None:
        from twinset.run.parts import PartsFolder

        resume = resume if isinstance(resume, PartsFolder) else PartsFolder(resume)
    return run(opened, plan, dedup=dedup, resources=resources, progress=progress, parts=resume)
