"""What new documents are held against: an index, or older documents in an index for the moment."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa

from twinset.engine.against import Matches, run_against
from twinset.engine.columns import NumberColumn, RunColumn, TextColumn
from twinset.engine.documents import distinct_ids, ids_of
from twinset.engine.findings import Findings
from twinset.engine.opening import open_documents
from twinset.engine.progress import Progress, Silent
from twinset.engine.streaming import watched
from twinset.errors import PlanError, ReadError
from twinset.index import catalogue
from twinset.index.answers import QueryAnswer, QueryMatch
from twinset.index.contents import Contents
from twinset.index.folder import FolderStore
from twinset.index.index import Index, is_database
from twinset.index.local import LocalWork
from twinset.model import Batch, Documents, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, numbers, taken, words
from twinset.plan import Plan, Resources
from twinset.plan.shared import PARTS
from twinset.reading.signs import is_image_file
from twinset.system.remote import is_address
from twinset.system.temporary import TemporaryFolder

AT_ONCE = 1000
"""Documents that are asked about at a time."""
MEANINGLESS = {
    "resume": "resume keeps parts of a run over one collection: leave it out with against",
    "reference": "reference and against both name older documents: give against alone",
    "keep": "keep chooses among copies, and with against the older document stays: leave it out",
    "clusters": "with against there are no clusters: leave clusters out",
    "k": "with against there are no clusters: leave k out",
    "share": "with against there are no clusters: leave share out",
}
FREE = ("never_remove", "max_pairs")
"""Options that have nothing to do with what an index answers."""


def find_against(
    documents: Any,
    against: Any,
    given: Mapping[str, Any],
    *,
    dedup: bool,
    resources: Resources,
    progress: Progress | None = None,
) -> Findings:
    """`find` or `dedup` of new documents against an index or against older documents.

    ``given`` are the options of the run.
    """
    options = {name: value for name, value in given.items() if _is_given(name, value)}
    if faults := [words for name, words in MEANINGLESS.items() if name in options]:
        raise PlanError(faults)
    progress = progress or Silent()
    older: OlderIndex | OlderCollection
    if (index := _index_of(against)) is not None:
        older, plan = OlderIndex(index), _plan_of(index, options)
    else:
        contents = Contents.make(options)
        plan = contents.plan
        opened, _ = _opened(against, plan, resources, {}, must_be_read=True)
        older = OlderCollection(opened, _name(against), contents, resources, progress)
    plan = dataclasses.replace(plan, keep=())
    new, plan = _opened(documents, plan, resources, options, must_be_read=False)
    statistics = getattr(getattr(older.index.work, "contents", None), "statistics", None)
    return run_against(
        new,
        plan,
        older,
        dedup=dedup,
        resources=resources,
        progress=progress,
        statistics=statistics,
    )


def _is_given(name: str, value: Any) -> bool:
    return not (value is None or value == () or value == [] or (name == "exact" and not value))


def is_index(place: Any) -> bool:
    """Whether this names an index and not documents: a folder of one, a database, a service.

    An address on the web whose name has a suffix is a file.
    """
    if isinstance(place, Index):
        return True
    if not isinstance(place, str | os.PathLike):
        return False
    name = os.fspath(place)
    if name.startswith(("http://", "https://")):
        return not PurePosixPath(urlsplit(name).path).suffix
    return is_database(name) or (Path(name) / catalogue.NAME).is_file()


def _index_of(against: Any) -> Index | None:
    """The index that is named, opened; None where documents are named."""
    places = against if isinstance(against, list | tuple) else [against]
    named = places if places is not against else [each for each in places if _is_place(each)]
    indexes = [place for place in named if is_index(place)]
    if not indexes:
        return None
    if len(places) > 1:
        raise PlanError(
            [
                f"against {_shown(indexes[0])} is an index, which documents are held against "
                "alone: make a run for each, or add the other documents to the index"
            ]
        )
    return indexes[0] if isinstance(indexes[0], Index) else Index.open(indexes[0])


def _opened(
    documents: Any, plan: Plan, resources: Resources, options: dict[str, Any], *, must_be_read: bool
) -> tuple[Documents, Plan]:
    paths = documents if isinstance(documents, list | tuple) else [documents]
    if any(isinstance(path, str | os.PathLike) and is_image_file(path) for path in paths):
        raise PlanError(["files of images have no texts: against needs the documents themselves"])
    return open_documents(documents, plan, resources, options, must_be_read=must_be_read)


def _plan_of(index: Index, options: dict[str, Any]) -> Plan:
    """The plan of an index, with the options of reading and removing that are given.

    An option of the search that differs from the index's is refused.
    """
    Contents.ensure_single(options)
    base = {} if {"plan", "preset"} & options.keys() else {"plan": index.plan}
    plan = Plan.make(**{**base, **options})
    mine, theirs = _searched(index.plan), _searched(plan)
    differ = [name for name in mine if mine[name] != theirs[name]]
    faults = []
    for name in options:
        homes = {"exact": ("method",), "plan": differ, "preset": differ}.get(
            name, (name,) if name in mine else PARTS.get(name, ())
        )
        for home in homes:
            if home in differ:
                value = getattr(getattr(index.plan, home), name, mine[home])
                label = home if name in ("exact", "plan", "preset") else name
                faults.append(
                    f"the index {shown_place(index.place)} has {label.replace('_', '-')} {value}: "
                    f"leave {name.replace('_', '-')} out, or make an index with it"
                )
    if faults:
        raise PlanError(list(dict.fromkeys(faults)))
    changed = {name: getattr(plan, name) for name in FREE if name in options}
    return dataclasses.replace(index.plan, read=plan.read, **changed)


def _searched(plan: Plan) -> dict[str, Any]:
    """What decides the answers of an index."""
    values = plan.as_dict()
    for name in ("read", "preset", "keep", "clusters", "kinds", *FREE):
        values.pop(name, None)
    return values


def _name(against: Any) -> str:
    """Older documents in a few words."""
    places = against if isinstance(against, list | tuple) else [against]
    if places and all(map(_is_place, places)):
        return ", ".join(map(_shown, places))
    return against if isinstance(against, str) else "documents in memory"


def _is_place(item: Any) -> bool:
    """Whether an item of a list is the name of a place, and no text."""
    return isinstance(item, os.PathLike | Index) or is_address(item)


def _shown(place: Any) -> str:
    return shown_place(place.place if isinstance(place, Index) else os.fspath(place))


def shown_place(place: str) -> str:
    """A folder or an address, without a password."""
    if "://" not in place:
        return place
    parts = urlsplit(place)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


class OlderIndex:
    """An index that new documents are held against."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def ask(self, ids: pa.Array, texts: pa.Array) -> Matches:
        """The matches of texts, a document that is in the index among them."""

        def answered(some: slice) -> list[list[QueryMatch]]:
            nobody: list[str | None] = [None] * len(texts[some])
            return [list(each.matches) for each in self._answers(nobody, texts[some])]

        names = ids.to_pylist()
        answers = _in_parts(len(ids), answered)
        own = [
            row
            for row, (name, matches) in enumerate(zip(names, answers, strict=True))
            if any(match.id == name for match in matches)
        ]
        # A document that has its own id among its matches is asked about by that: itself then goes.
        chosen = column(np.array(own, np.int64))
        others, asked = ids.take(chosen).to_pylist(), texts.take(chosen)

        def is_other(some: slice) -> list[bool]:
            return [
                any(match.id == answer.id for match in answer.matches)
                for answer in self._answers(others[some], asked[some])
            ]

        stays = _in_parts(len(own), is_other)
        itself = {row for row, other in zip(own, stays, strict=True) if not other}
        return _matches(names, answers, itself)

    def _answers(self, ids: Sequence[str | None], texts: pa.Array) -> list[QueryAnswer]:
        return self.index.query_texts(ids, texts, top=0)

    def facts(self) -> dict[str, Any]:
        """The place of the index, its documents and its plan."""
        place = shown_place(self.index.place)
        info = self.index.info()
        return {
            "name": place,
            "index": _full(place),
            "documents": info["documents"],
            "plan": digest_of(self.index.plan),
            "verified": info.get("verified", True),
        }

    def origins(self, ids: pa.Array) -> pa.Table | None:
        """Nobody but the index knows."""
        return None

    def texts(self, ids: list[str]) -> dict[str, str]:
        """The texts of these documents, where the index keeps them."""
        texts = ((id, self.index.text(id)) for id in ids)
        return {id: text for id, text in texts if text is not None}


class OlderCollection:
    """Older documents, put into an index that lasts as long as this object.

    There they have their numbers for ids: the ids of several files may repeat.
    """

    def __init__(
        self,
        documents: Documents,
        name: str,
        contents: Contents,
        resources: Resources,
        progress: Progress,
    ) -> None:
        self._name, self._documents = name, documents
        self._folder = TemporaryFolder(resources.folder)
        self.index = Index(LocalWork(FolderStore.create(self._folder.path, contents)))
        self._columns = TextColumn(), NumberColumn(), RunColumn(np.uint32)
        self._sources: dict[str, int] = {}
        self._count = 0
        batches = self._numbered(
            watched(documents, "reading what is older", progress, resources.threads)
        )
        added = self.index.work.add_batches(
            batches, replace=False, dedup=False, resources=resources
        )
        self._unread = added.unread
        ids, places, source = (each.finish() for each in self._columns)
        self._ids, _ = distinct_ids(ids, resources.threads)
        self._places, self._source = places, source
        if not self._count:
            raise ReadError(name, None, "there are no documents to hold new ones against")

    def _numbered(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches with numbers for ids; what they were is noted."""
        ids, places, source = self._columns
        for batch in batches:
            if not len(batch):
                continue
            ids.append(ids_of(batch).cast(pa.large_string()))
            places.append(batch.places)
            source.append(self._sources.setdefault(batch.source, len(self._sources)), len(batch))
            numbered = np.arange(self._count, self._count + len(batch))
            self._count += len(batch)
            yield dataclasses.replace(batch, ids=column(numbered).cast(pa.large_string()))

    def ask(self, ids: pa.Array, texts: pa.Array) -> Matches:
        """The matches of texts; an id says nothing here, since it is one of another collection."""

        def answered(some: slice) -> list[list[QueryMatch]]:
            nobody: list[str | None] = [None] * len(texts[some])
            answers = self.index.query_texts(nobody, texts[some], top=0)
            return [[self._named(match) for match in answer.matches] for answer in answers]

        return _matches(ids.to_pylist(), _in_parts(len(ids), answered), set())

    def _named(self, match: QueryMatch) -> QueryMatch:
        return dataclasses.replace(match, id=self._ids[int(match.id)].as_py())

    def facts(self) -> dict[str, Any]:
        """Their name, number, plan and sources."""
        describe = getattr(self._documents, "describe", None)
        return {
            "name": self._name,
            "documents": self._count,
            "unread": self._unread,
            "plan": digest_of(self.index.plan),
            "inputs": describe() if describe else [],
        }

    def origins(self, ids: pa.Array) -> pa.Table:
        """Where these documents came from, in reading order."""
        rows = np.unique(self._rows(ids))
        return pa.table(
            {
                "id": taken(self._ids, rows),
                "source": words(self._source[rows], list(self._sources)),
                "place": column(self._places[rows].astype(np.int64)),
            }
        )

    def texts(self, ids: list[str]) -> dict[str, str]:
        """The texts of these documents."""
        rows = self._rows(pa.array(ids, pa.large_string())).tolist()
        texts = ((id, self.index.text(str(row))) for id, row in zip(ids, rows, strict=True))
        return {id: text for id, text in texts if text is not None}

    def _rows(self, ids: pa.Array) -> Ints:
        return numbers(pc.index_in(ids, value_set=self._ids), missing=-1).astype(np.int64)


def digest_of(plan: Plan) -> str:
    """Equal for equal plans."""
    spelt = json.dumps(plan.as_dict(), sort_keys=True)
    return hashlib.blake2b(spelt.encode(), digest_size=16).hexdigest()


def _full(place: str) -> str:
    return place if "://" in place else os.path.abspath(place)


def _in_parts(count: int, work: Callable[[slice], list[Any]]) -> list[Any]:
    """What is said of so many documents, some at a time."""
    parts = (work(slice(at, at + AT_ONCE)) for at in range(0, count, AT_ONCE))
    return [each for part in parts for each in part]


def _matches(names: list[str], answers: list[list[QueryMatch]], themselves: set[int]) -> Matches:
    """The answers as columns: by score, then a document of the same id, then by id."""
    rows: list[tuple[int, QueryMatch, bool]] = []
    for row, (name, matches) in enumerate(zip(names, answers, strict=True)):
        ordered = sorted(matches, key=lambda match: (-match.score, match.id != name, match.id))
        rows += [(row, match, row in themselves and match.id == name) for match in ordered]
    found = [match for _, match, _ in rows]
    unknown = float("nan")
    return Matches(
        np.array([row for row, _, _ in rows], np.int64),
        pa.array([match.id for match in found], pa.large_string()),
        np.array([match.score for match in found], float),
        np.array([-1 if each.shared is None else each.shared for each in found], np.int64),
        np.array([_or(each.containment_left, unknown) for each in found], float),
        np.array([_or(each.containment_right, unknown) for each in found], float),
        np.array([itself for _, _, itself in rows], bool),
    )


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
