"""An index: a collection that is kept, to ask what is already there."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from twinset.errors import PlanError, ReadError, TwinsetError
from twinset.index.contents import Contents
from twinset.index.local import SERVICES, LocalWork, create_store, open_store
from twinset.index.work import TOP, Added, QueryAnswer, ensure_strings, readable
from twinset.model import Batch, Fault
from twinset.plan import Plan, Resources
from twinset.run.opening import open_documents
from twinset.run.progress import Progress, Silent
from twinset.run.streaming import watched

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from twinset.index.client import ServiceWork

OnFault = Callable[[Fault], None]
AT_ONCE = 1000
"""Documents that are asked about at a time."""
READ_AS_CREATED = "such options are part of an index: give them to 'twinset index create'"


class Index:
    """A collection that is kept, in a folder, a database or behind a service.

    >>> index = Index.create("pages", threshold=0.7)
    >>> index.add({"first": "the same words here again", "second": "others"}).added
    2
    >>> [answer] = index.query({"new": "the same words here again"})
    >>> answer.matches[0].id, answer.matches[0].score
    ('first', 1.0)
    """

    def __init__(self, work: LocalWork | ServiceWork) -> None:
        self.work = work

    def __repr__(self) -> str:
        return f"Index({self.place!r})"

    @classmethod
    def open(cls, place: str | os.PathLike[str], *, key: str | None = None) -> Self:
        """The index in a folder, a database (``postgresql://…``) or a service (``http://…``).

        ``key`` is the key of the service, where it asks for one.
        """
        name = os.fspath(place)
        if name.startswith(SERVICES):
            from twinset.index.client import ServiceWork

            return cls(ServiceWork(name, key))
        return cls(LocalWork(open_store(name)))

    @classmethod
    def create(cls, place: str | os.PathLike[str], **options: Any) -> Self:
        """A new index in a folder or a database; options are those of `find`.

        The plan and the options of reading are part of the index.
        """
        return cls(LocalWork(create_store(os.fspath(place), Contents.make(options))))

    @property
    def place(self) -> str:
        """The folder or the address."""
        return self.work.place

    @property
    def plan(self) -> Plan:
        """How documents are read and compared."""
        return self.work.plan

    def add(
        self,
        documents: Any,
        *,
        replace: bool = False,
        dedup: bool = False,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress | None = None,
        on_fault: OnFault | None = None,
    ) -> Added:
        """Take in documents, of whatever kind `find` takes, part by part; parts that are in stay.

        A document that is there with the same text is left alone; another text for an id is refused
        unless it may ``replace`` the older one. With ``dedup`` documents that have a near-duplicate
        in the index, or before them, stay out. ``on_fault`` is called with every document that
        could not be read. Names of files for texts are refused.
        """
        from twinset.reading.memory import items

        if items.are_names_of_files(documents):
            raise PlanError([f"{items.NAMES_OF_FILES}: {items.AS_PATHS}"])
        resources = Resources.make(threads, memory)
        batches = self._read(documents, resources, progress, on_fault)
        return self.work.add_batches(batches, replace=replace, dedup=dedup, resources=resources)

    def add_texts(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        replace: bool = False,
        dedup: bool = False,
    ) -> Added:
        """Take in documents that are at hand, all or none; they are safe when this returns."""
        if any(id == "" for id in ids):
            raise PlanError(["an id is empty, which is none: give each document an id"])
        return self.work.add_texts(ids, texts, replace=replace, dedup=dedup)

    def query(
        self,
        documents: Any,
        *,
        top: int = TOP,
        least: float | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress | None = None,
        on_fault: OnFault | None = None,
    ) -> Iterator[QueryAnswer]:
        """The matches of each document, one after the other, best first.

        A document that is in the index matches its copies, but not itself. ``top`` is the most
        matches to list, 0 for all. ``least`` stands in place of the threshold; below that not every
        match is found, and the ``recall`` of an answer says how many are. Documents that cannot be
        read have no answer; ``on_fault`` is called with each.
        """
        resources = Resources.make(threads, memory)
        for batch in self._read(documents, resources, progress, on_fault):
            ids, texts = readable(batch)
            for at in range(0, len(ids), AT_ONCE):
                some = slice(at, at + AT_ONCE)
                yield from self.query_texts(ids[some], texts[some], top=top, least=least)

    def query_texts(
        self,
        ids: Sequence[str | None],
        texts: Sequence[str],
        *,
        top: int = TOP,
        least: float | None = None,
    ) -> list[QueryAnswer]:
        """The matches of texts that are at hand."""
        return self.work.query_texts(ids, texts, top=top, least=least)

    def _read(
        self,
        documents: Any,
        resources: Resources,
        progress: Progress | None,
        on_fault: OnFault | None,
    ) -> Iterator[Batch]:
        plan = dataclasses.replace(self.plan, given={})  # it says nothing of these documents
        opened, _ = open_documents(documents, plan, resources, may_be_empty=True)
        try:
            for batch in watched(opened, "reading", progress or Silent(), resources.threads):
                if on_fault is not None:
                    for fault in batch.faults:
                        on_fault(fault)
                yield batch
        except ReadError as error:
            if " --" not in error.fault:  # then it advises no option
                raise
            advice = f"{error.fault} ({READ_AS_CREATED})"
            raise ReadError(error.source, error.line, advice) from None

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        ensure_strings(ids, "ids")
        return self.work.remove(ids)

    def text(self, id: str) -> str | None:
        """The text of a document as it is compared; None where it is not there."""
        return self.work.text(id)

    def __contains__(self, id: str) -> bool:
        return self.text(id) is not None

    def documents(self, on_fault: Callable[[str], None] | None = None) -> Iterator[tuple[str, str]]:
        """All documents, id and text, in the order in which they were added.

        With ``on_fault`` what is damaged is passed over, and ``on_fault`` is called with a sentence
        about it.
        """
        return self.work.documents(on_fault)

    def info(self) -> dict[str, Any]:
        """What the index is made by, counts and sizes."""
        return self.work.info()

    def compact(self) -> None:
        """Rewrite everything without what was removed."""
        self.work.compact()

    def check(self) -> list[str]:
        """What is damaged, a sentence each; empty where nothing is."""
        return self.work.check()

    def close(self) -> None:
        """Let go of files and connections; what is asked afterwards is refused."""
        self.work.close()
        self.work = cast("LocalWork", _ClosedWork(self.work.place))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _ClosedWork:
    """What is left of an index that was closed: its name."""

    def __init__(self, place: str) -> None:
        self.place = place

    def close(self) -> None:
        """Nothing is left to do."""

    def __getattr__(self, name: str) -> Any:
        raise TwinsetError(f"the index {self.place} was closed: open it again")
