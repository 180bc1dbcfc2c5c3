"""Plain files in groups that other processes read: opening and decoding hold Python's lock."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import NamedTuple

from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.ledger import FileState
from twinset.reading.source import LocalFiles, ReadJob, Source
from twinset.system.pool import in_order
from twinset.system.processes import LostCall, Workers
from twinset.text.repeated import RepeatedLines

MOST_BYTES, MOST_FILES = 1 << 20, 256
"""Of the files that are read by one call."""
_COST = 1 << 13  # a file costs as much as so many bytes, whatever is in it


class FileGroup(NamedTuple):
    """Files one behind the other in a source; ``first`` is the number of the first.

    ``rivals`` are sizes that other files have, too.
    """

    first: int
    names: tuple[str, ...]
    states: tuple[FileState, ...]
    rivals: frozenset[int] = frozenset()

    @property
    def bytes(self) -> int:
        """Of all its files."""
        return sum(state.bytes for state in self.states)

    def singles(self) -> list[FileGroup]:
        """Its files, each as a group of its own."""
        names, states = self.names, self.states
        return [
            FileGroup(self.first + at, names[at : at + 1], states[at : at + 1], self.rivals)
            for at in range(len(names))
        ]


class ReadGroup(NamedTuple):
    """The documents of a group, and what its files add to the digest of their source."""

    batch: Batch
    digested: bytes


class HowToRead(NamedTuple):
    """What is the same for all groups of a source."""

    source: Source
    options: ReadOptions
    repeated: RepeatedLines | None


ReadFiles = Callable[[HowToRead, FileGroup], ReadGroup]


def pays(job: ReadJob) -> bool:
    """Whether other processes are worth it for the files of a source, which are of this machine."""
    source = job.source
    if job.workers is None or job.ledger is None or not source.files:
        return False
    if not isinstance(source.path, Path) or len(source.states) != len(source.files):
        return False
    return job.workers.pays(sum(state.bytes + _COST for state in source.states))


def read_groups(
    job: ReadJob, workers: Workers, read: ReadFiles, failed: ReadFiles
) -> Generator[tuple[FileGroup, list[ReadGroup]], None, None]:
    """All files of a source, in their order; ``failed`` stands for one that ends its process."""
    how = HowToRead(dataclasses.replace(job.source, files=(), states=()), job.options, job.repeated)

    def answers(group: FileGroup) -> tuple[FileGroup, list[ReadGroup]]:
        (answer,) = workers.results(read, [(how, group)])
        if not isinstance(answer, LostCall):
            return group, [answer]
        singles = group.singles()
        parts = workers.results(read, [(how, single) for single in singles])
        return group, [
            failed(how, single) if isinstance(part, LostCall) else part
            for single, part in zip(singles, parts, strict=True)
        ]

    # Threads that wait for processes; a few more, so that no process waits for a thread.
    return in_order(answers, _groups(job), workers.most + 2)


def _groups(job: ReadJob) -> Iterator[FileGroup]:
    first, size = 0, 0
    for number, state in enumerate(job.source.states):
        if number - first == MOST_FILES or (number > first and size + state.bytes > MOST_BYTES):
            yield _group(job, first, number)
            first, size = number, 0
        size += state.bytes
    yield _group(job, first, len(job.source.states))


def _group(job: ReadJob, begin: int, end: int) -> FileGroup:
    assert job.ledger is not None
    files = job.source.files[begin:end]
    names = files.names if isinstance(files, LocalFiles) else tuple(map(str, files))
    states = job.source.states[begin:end]
    rivals = frozenset(state.bytes for state in states if job.ledger.has_rival(state.bytes))
    return FileGroup(begin + 1, names, states, rivals)
