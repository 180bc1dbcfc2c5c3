"""The documents of a run written: which routes there are, and every source sent along them."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import ClassVar, Protocol

from twinset import spec
from twinset.errors import PlanError, ReadError, ReportError
from twinset.model.outcomes import Cuts, Outcomes
from twinset.plan.output import OutputForm
from twinset.reading.output.decisions import DecisionQueue
from twinset.reading.output.listing import ListedDocuments
from twinset.reading.output.names import NamedLikeInput, OutputNames
from twinset.reading.output.records import Outputs
from twinset.reading.output.routes import Route, Shard, ShardedRoute, SourceRoute
from twinset.reading.output.written import WrittenDocuments, WrittenRoute
from twinset.reading.source import FileShape, ReadJob, Source
from twinset.reading.stream import open_text_stream
from twinset.system.fetching import is_readable
from twinset.system.remote import Place


class SourceWriter(Protocol):
    """What writes the documents of a source: the reader of a format (see `Reader`)."""

    suffixes: ClassVar[tuple[str, ...]]

    def write(self, job: ReadJob, outputs: Outputs) -> None:
        """Send every document, in order, along the routes of the outputs."""
        ...


@dataclass(frozen=True)
class Rereading:
    """The sources whose documents are written, and how each of them is read again.

    ``digests`` are those of the pass that was decided on. ``reader`` reads all of the sources where
    that of their name does not.
    """

    sources: Sequence[Source]
    job: Callable[[Source], ReadJob]
    digests: Mapping[str, int]
    reader: SourceWriter | None = None

    def writer(self, source: Source) -> SourceWriter:
        """What writes a source in its own format."""
        writer: SourceWriter = self.reader or spec.make("reader", source.reader)
        return writer

    @property
    def threads(self) -> int:
        """How many threads read, cut and pack."""
        return self.job(self.sources[0]).threads if self.sources else 1

    def names(self) -> OutputNames:
        """The names of outputs in the formats of the input."""
        known = {source.reader: self.writer(source).suffixes for source in self.sources}
        return OutputNames.of(self.sources, NamedLikeInput(known))


def write_documents(
    again: Rereading, outcomes: Outcomes, folder: Place, form: OutputForm
) -> WrittenDocuments:
    """Write the documents below a folder in the form that is asked for.

    ``outcomes`` has an entry for every row of the batches, in reading order.
    """
    if form.shards is not None:
        ensure_joinable(again)
    routes = routes_to(again.names(), outcomes, folder, form)
    listing = ListedDocuments(folder) if form.annotate else None
    along(again, outcomes, routes, again.writer, folder, listing)
    written = {name: route.written() for name, route in routes.items()}
    if listing is not None and listing.files:
        only_listed = not routes["annotated"].files
        written["annotated" if only_listed else "annotated_files"] = listing.written()
    return WrittenDocuments(folder, written)


@dataclass(frozen=True)
class CutDocuments:
    """Documents written without stretches of their texts, and how many had to stay whole."""

    written: WrittenRoute
    uncut: int


CUTTABLE = ("jsonl", "csv", "tsv", "parquet", "files")
"""Formats whose texts stand in their records as they were read."""


def ensure_cuttable(again: Rereading) -> None:
    """Raise where texts are not what is stored, so that nothing can be cut out of it."""
    for source in again.sources:
        if source.reader not in CUTTABLE:
            raise PlanError(
                [
                    f"{source.name}: nothing can be cut out of texts in {source.reader}; give "
                    "JSON lines, CSV, Parquet or plain text, or leave the input as it is"
                ]
            )
        if again.job(source).options.html != "no":
            raise PlanError(
                [
                    "nothing can be cut out of the text of pages, which is not stored as it is "
                    "read: leave out --html, or leave the input as it is"
                ]
            )


def write_cut(again: Rereading, cuts: Cuts, folder: Place) -> CutDocuments:
    """Write all documents below a folder, in their own files, without stretches of their texts."""
    route = SourceRoute("cleaned", folder, again.names())
    along(again, Outcomes.of_cuts(cuts), {"annotated": route}, again.writer, folder)
    return CutDocuments(route.written(), route.uncut)


def ensure_joinable(again: Rereading) -> None:
    """Raise where the documents of the sources cannot follow each other in one file."""
    columns: dict[str, str] = {}
    encodings: dict[str, str] = {}
    sources = list(filter(is_there, again.sources))
    for source in sources:
        first = sources[0]
        if source.reader == "files":
            raise PlanError(
                [f"{source.name}: plain files cannot be joined in one; add --to jsonl, or csv"]
            )
        if source.reader != first.reader:
            raise _differing((first.name, source.name), f"{first.reader} and {source.reader}")
        shape = getattr(again.writer(source), "shape", None)
        known: FileShape | None = shape(again.job(source)) if shape is not None else None
        if known is None:
            continue
        columns.setdefault(known.columns, source.name)
        if len(columns) > 1:
            raise _differing(columns.values(), "different columns")
        if known.encoding is not None:
            # Which of the others it is can only be guessed.
            encodings.setdefault("UTF-8" if known.encoding == "utf-8" else "not UTF-8", source.name)
        if len(encodings) > 1:
            raise _differing(encodings.values(), "one is in UTF-8, the other is not")


def _differing(names: Iterable[str], what: str) -> PlanError:
    return PlanError(
        [f"{' and '.join(names)} cannot be joined as they are: {what}; add --to jsonl, or parquet"]
    )


def along(
    again: Rereading,
    outcomes: Outcomes,
    routes: Mapping[str, Route],
    writer: Callable[[Source], SourceWriter],
    folder: Place | None = None,
    listing: ListedDocuments | None = None,
) -> None:
    """Send the documents of all sources along the routes; without a ``folder`` it is a stream."""
    decisions = DecisionQueue(outcomes)
    is_stream = any(route.is_stream for route in routes.values())
    encoding = _one_encoding(again) if is_stream else None
    try:
        with ExitStack() as opened:
            for route in routes.values():
                route.threads = again.threads
            for route in (*routes.values(), *([listing] if listing else ())):
                opened.enter_context(route)
            for number, source in enumerate(filter(is_there, again.sources)):
                continues = is_stream and number > 0
                outputs = Outputs(source, decisions, routes, continues, encoding, listing)
                _write_source(again, outputs, writer(source))
    except BrokenPipeError:
        raise  # whoever reads the stream has enough
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            raise  # it may name the file that was copied; that the disk is full says more
        if any(str(fault.filename).startswith(str(source.path)) for source in again.sources):
            detail = f"cannot be read again ({fault.strerror}); nothing was written"
            raise ReadError(fault.filename, None, detail) from None
        remedy = "check the free space and the permissions"
        raise ReportError(
            f"{fault.filename or folder or 'the output'}: cannot be written ({fault}); {remedy}"
        ) from None
    decisions.ensure_used()


def _write_source(again: Rereading, outputs: Outputs, writer: SourceWriter) -> None:
    source, job = outputs.source, again.job(outputs.source)
    outputs.threads = job.threads
    writer.write(job, outputs)
    digest = again.digests.get(source.name)
    if job.digest is not None and digest is not None and job.digest != digest:
        raise ReadError(source.name, None, "the file has changed since it was read; run again")


def routes_to(
    outputs: OutputNames,
    outcomes: Outcomes,
    folder: Place,
    form: OutputForm,
    counted: Mapping[str, int] | None = None,
) -> dict[str, Route]:
    """The routes that the form asks for; ``counted`` says where these get fewer documents."""
    kept = int(outcomes.keep.sum())
    every = {"kept": kept, "removed": len(outcomes) - kept, "annotated": len(outcomes)}
    documents = counted or every
    asked = () if form.no_split else ("kept", "removed")
    names = (*asked, "annotated") if form.annotate else asked
    if form.shards is None or not outputs.sources:
        return {name: SourceRoute(name, folder, outputs) for name in names}
    first = outputs.sources[0]
    like = Shard(outputs.named.suffixes(first), outputs.named.compression(first))
    return {n: ShardedRoute(folder, n, documents[n], form.shards, like) for n in names}


def is_there(source: Source) -> bool:
    """False for what was reported as a fault when it was read; it had no documents."""
    return bool(source.files) or is_readable(source.path)


def _one_encoding(again: Rereading) -> tuple[bytes, str] | None:
    """The byte order mark and the encoding of files that hold several sources.

    Where these differ it is UTF-8, which can hold all of them.
    """
    encodings = []
    for source in filter(is_there, again.sources):
        if source.reader == "files":
            continue  # which are rows there
        stream, mark, encoding = open_text_stream(again.job(source))
        stream.close()
        encodings.append((mark, encoding))
    if not encodings or all(other == encodings[0] for other in encodings):
        return None
    return b"", "utf-8"
