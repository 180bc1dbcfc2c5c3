"""Plain files: every file is one document, its id the path below the folder that was named."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import ClassVar, NamedTuple

import numpy as np

from twinset._kernels import Digest
from twinset.documents.base import ARCHIVES, OfficeError, without_ligatures
from twinset.model import Batch
from twinset.reading.base import FileFormat, Rows
from twinset.reading.batches import BatchBuilder
from twinset.reading.compression import HEAD
from twinset.reading.content import (
    FileContent,
    NoTextError,
    content_of,
    documents_inside,
    letter_text,
    text_of,
)
from twinset.reading.elsewhere import fetched_ahead
from twinset.reading.faults import FAILED, Faults
from twinset.reading.file_groups import (
    FileGroup,
    HowToRead,
    PlainTexts,
    ReadGroup,
    can_be_grouped,
    cost_of,
    digested_with,
    groups_of,
    merged,
    read_apart,
    read_plain,
    with_rivals,
)
from twinset.reading.formats import suffix_of
from twinset.reading.ledger import FileFact, FileLedger, absolute, digest_of_bytes
from twinset.reading.signatures import LEAVE_OUT, ONE_DOCUMENT, sort_of
from twinset.reading.source import PARTS_APART, LocalFiles, ReadJob
from twinset.reading.stream import bounds_of
from twinset.system.places import is_readable
from twinset.system.remote import Place, RemotePath
from twinset.system.threads import in_order

_NO_READER = ("format", "binary")


@dataclass(frozen=True)
class PlainFiles(FileFormat):
    """Text, HTML and office files of a folder, or a single one."""

    suffixes: ClassVar[tuple[str, ...]] = tuple(sorted(ONE_DOCUMENT))

    def read(self, job: ReadJob) -> Iterator[Batch]:
        """Batches of whole files, in the order of their sorted names."""
        digest = Digest()

        def digested(more: bytes) -> None:
            digest.update(np.frombuffer(more, dtype=np.uint8))

        if can_be_grouped(job):
            yield from _read_grouped(job, digested)
        else:
            yield from _read_here(job, range(1, len(documents(job)) + 1), digested)
        job.digest = digest.value()

    def rows(self, job: ReadJob) -> Iterator[Rows]:
        """The documents as rows: id, path and text; null where a file has none."""
        paths = [os.fsencode(str(path)).decode("utf-8", "replace") for path in documents(job)]
        for batch in self.read(job):
            numbers = (batch.places % PARTS_APART).tolist()
            documents_of_batch = zip(
                numbers, batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True
            )
            yield Rows(
                [
                    {
                        "id": id,
                        "path": None if job.source.is_spool else paths[number - 1],
                        "text": text,
                    }
                    for number, id, text in documents_of_batch
                ]
            )


def _read_here(
    job: ReadJob, numbers: Sequence[int], digested: Callable[[bytes], None]
) -> Iterator[Batch]:
    """The files of the source, which have these numbers."""
    rows = BatchBuilder()
    for at, path in enumerate(fetched_ahead(documents(job))):
        number = numbers[at]
        name = document_name(job, path)
        job.digest = None
        begun = job.meter.bytes_read
        content, file = FileContent(), None
        try:
            content = content_of(job, path)
            parts = _documents(job, content, path, number)
        except OfficeError as fault:
            without_reader = _noted(job, fault, path, content.raw)
            parts = iter([_Document(None, number, without_reader=without_reader)])
        for document in parts:
            if document.part is None:
                file = _fact(job, path, at, content, document.without_reader)
            _add(rows, job, name, document, file)
            if rows.size >= job.batch_bytes:
                yield rows.batch(job)
                rows = BatchBuilder()
        if file is not None:
            job.meter.bytes_read = begun + file.bytes  # whatever was read of it, or twice
        digested(f"{name}\0{job.digest}\0".encode())
    if len(rows):
        yield rows.batch(job)


def _read_grouped(job: ReadJob, digested: Callable[[bytes], None]) -> Iterator[Batch]:
    """Plain texts by a kernel, all other files with care, by other processes where that pays."""
    with closing(_plain_and_apart(job)) as groups:
        for group, plain, apart in groups:
            job.meter.bytes_read += plain.bytes
            job.meter.file = os.path.basename(os.fsencode(group.names[-1])).decode(
                "utf-8", "replace"
            )
            notes: list[bytes] = []
            if apart is None:
                others = _read_rest(job, plain.rest, notes.append)
            else:
                job.meter.bytes_read += plain.rest.bytes
                others = _answered(job, apart, notes.extend)
            yield from merged(plain.batch, others, job.batch_bytes)
            digested(digested_with(plain, notes))


def _plain_and_apart(
    job: ReadJob,
) -> Generator[tuple[FileGroup, PlainTexts, list[ReadGroup] | None], None, None]:
    """All groups, with what other processes have read of each; None where nothing is left to them.

    No process is started before there are enough files that need one.
    """
    workers, ledger = job.workers, job.ledger
    assert ledger is not None
    how = HowToRead.of(job)

    def answer(group: FileGroup) -> tuple[FileGroup, PlainTexts, list[ReadGroup] | None]:
        plain = read_plain(job, group)
        if workers is None or not plain.rest.names or not workers.pays(cost_of(plain.rest.states)):
            return group, plain, None
        is_archive = any(suffix_of(name) in ARCHIVES for name in plain.rest.names)
        if is_archive or plain.rest.states.bytes.max() > job.limit:
            return group, plain, None  # another process would send all of what is inside at once
        rest = with_rivals(plain.rest, ledger)
        return group, plain, read_apart(how, rest, workers, read_group, _failed)

    # Threads that wait for processes; a few more, so that no process waits for a thread.
    threads = job.threads if workers is None or workers.most < 2 else workers.most + 2
    return in_order(
        answer,
        groups_of(job),
        threads,
        ahead=partial(job.ahead, threads),
        size=lambda group: int(group.states.bytes.sum()),
        most=job.ahead_bytes,
    )


def _read_rest(job: ReadJob, rest: FileGroup, digested: Callable[[bytes], None]) -> Iterator[Batch]:
    for piece in rest.pieces():
        source = dataclasses.replace(job.source, files=LocalFiles(piece.names), states=piece.states)
        apart = dataclasses.replace(job, source=source, counts=Counter(), pages=[])
        yield from map(apart.with_pages, _read_here(apart, piece.numbers, digested))


def _answered(
    job: ReadJob, answers: Iterable[ReadGroup], digested: Callable[[list[bytes]], None]
) -> Iterator[Batch]:
    for answer in answers:
        digested(answer.digested)
        for batch in answer.batches:
            for fault in batch.faults:  # the first of them may be the end of it
                job.faults.add(fault.line, fault.kind, fault.detail, fault.source)
            yield dataclasses.replace(batch, faults=job.faults.take())


def _job_of(how: HowToRead, group: FileGroup) -> ReadJob:
    files = LocalFiles(group.names)
    source = dataclasses.replace(how.source, files=files, states=group.states)
    job = ReadJob(source, how.options, Faults(source.name, "skip"), repeated=how.repeated)
    job.batch_bytes, job.ledger = how.batch_bytes, FileLedger.of_rivals(group.rivals)
    return job


def read_group(how: HowToRead, group: FileGroup) -> ReadGroup:
    """The documents of a group of files, for other processes."""
    job, digested = _job_of(how, group), list[bytes]()
    batches = map(job.with_pages, _read_here(job, group.numbers, digested.append))
    return ReadGroup([batch for batch in batches if len(batch)], digested)


def _failed(how: HowToRead, group: FileGroup) -> ReadGroup:
    """What is left of a single file that has ended the process that read it."""
    job, rows = _job_of(how, group), BatchBuilder()
    (path,), (number,) = job.source.files, group.numbers
    job.faults.add(None, "failed", FAILED, str(path))
    name = document_name(job, path)
    rows.add(name, None, number, file=FileFact(absolute(path), None, None, *group.states.at(0)))
    return ReadGroup([rows.batch(job)], [f"{name}\0None\0".encode()])


def _fact(
    job: ReadJob, path: Place, at: int, content: FileContent, without_reader: bool
) -> FileFact | None:
    """What is to be noted of a file."""
    if job.ledger is None or job.source.is_spool:
        return None
    state = job.source.states.at(at)
    digest: bytes | None = None
    if content.is_whole:
        digest = digest_of_bytes(content.raw)
    elif content.is_packed or job.ledger.has_rival(state[0]):
        digest = job.ledger.digest(path, bounds_of(job))
    return FileFact(absolute(path), None, digest, *state, without_reader)


def documents(job: ReadJob) -> Sequence[Place]:
    """The files of the source, one document each."""
    return job.source.files or (job.source.path,)


def document_name(job: ReadJob, path: Place) -> str:
    """The path below the source's folder with forward slashes, or the name of a single file."""
    if not job.source.files:
        name = path.name
    else:
        # pathlib takes longer for this than the reading of a small file
        folder, name = f"{job.source.path}{os.sep}", str(path)
        name = name[len(folder) :] if name.startswith(folder) else str(below(job, path))
    return os.fsencode(name.replace(os.sep, "/")).decode("utf-8", "replace")


def below(job: ReadJob, path: Place) -> Path | PurePosixPath:
    """The path below the folder of the source, both on this machine or both elsewhere."""
    folder = job.source.path
    if isinstance(path, RemotePath) and isinstance(folder, RemotePath):
        return path.relative_to(folder)
    return Path(str(path)).relative_to(str(folder))


class _Document(NamedTuple):
    """A document of a file: the whole of it, or a part such as an attachment."""

    part: str | None
    place: int
    text: str | None = None
    raw: bytes | None = None
    without_reader: bool = False


def _add(
    rows: BatchBuilder, job: ReadJob, name: str, document: _Document, file: FileFact | None
) -> None:
    id, text = name, document.text and without_ligatures(document.text)
    if document.part is not None:
        id = f"{name}/{document.part}"
        part, alone = document.part, document.without_reader
        file = file and file._replace(part=part, digest=None, without_reader=alone)
    rows.add(id, text, document.place, raw=job.raw(document.raw), file=file)


def _documents(job: ReadJob, content: FileContent, path: Place, number: int) -> Iterator[_Document]:
    """The file itself, and after it what a letter, a mailbox or an archive holds."""
    inside = documents_inside(job, content, path)
    if inside is None:
        yield _document(job, content.raw, path, None, number)
        return
    for index, inner in enumerate(inside):
        place = number + index * PARTS_APART
        where = path if inner.part is None else path / inner.part
        for fault in inner.faults:
            job.faults.add(None, *fault, str(where))
        if inner.letter is not None:
            text = letter_text(job, inner.letter, place, str(where))
            yield _Document(inner.part, place, text, inner.raw)
        elif inner.faults or inner.part is None:
            # A mailbox has no text beside its letters, and an archive none beside its members.
            yield _Document(inner.part, place, None, inner.raw, not inner.faults)
        else:
            yield _document(job, inner.raw or b"", where, inner.part, place)


def _document(job: ReadJob, raw: bytes, path: Place, part: str | None, place: int) -> _Document:
    try:
        return _Document(part, place, text_of(job, raw, path, place), raw)
    except OfficeError as fault:
        return _Document(part, place, None, raw, _noted(job, fault, path, raw))


def documents_in(job: ReadJob, path: Place) -> int:
    """How many documents a file holds; what is wrong with it was said when it was read."""
    content = _again(job, path)
    inside = None if content is None else documents_inside(job, content, path)
    return 1 if inside is None else sum(1 for _ in inside)


def plain_text(job: ReadJob, path: Place) -> tuple[bytes, str] | None:
    """The bytes of a file and the text that it holds; None where it is packed or holds others."""
    content = _again(job, path)
    if content is None or not content.is_whole or documents_inside(job, content, path) is not None:
        return None
    return content.raw, text_of(job, content.raw, path, 1)


def _again(job: ReadJob, path: Place) -> FileContent | None:
    quiet = ReadJob(job.source, job.options, Faults(job.source.name, "skip"))
    if isinstance(path, Path) and not is_readable(path):
        return None
    try:
        return content_of(quiet, path)
    except OfficeError:
        return None


def _noted(job: ReadJob, fault: OfficeError, path: Place, raw: bytes) -> bool:
    """Count a file without text, or note the fault; whether it takes part by its bytes alone.

    In a folder pictures and the like are no fault, but a document whose package is missing is one.
    """
    detail = str(fault)
    if isinstance(fault, NoTextError):
        if job.source.files or path != job.source.path:
            job.counts[sort_of(raw[:HEAD], suffix_of(path))] += 1
            return True
        what, _, remedy = detail.partition("; ")
        detail = f"{what}: it is compared byte for byte alone"
        if remedy and remedy != LEAVE_OUT:
            detail += f"; {remedy}"
    job.faults.add(None, fault.kind, detail, str(path))
    return fault.kind in _NO_READER
