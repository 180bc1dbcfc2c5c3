"""What new documents are held against: an index, or older documents in an index for the moment."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import PlanError, ReadError
from twinset.index.catalogue import is_index_folder
from twinset.index.contents import Contents
from twinset.index.folder import FolderStore
from twinset.index.index import Index
from twinset.index.local import SERVICES, LocalWork, is_database
from twinset.index.matching import Found
from twinset.index.work import ensure_all_read
from twinset.model import Batch, Documents, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, numbers, taken, words
from twinset.plan import Plan, ReadOptions, Resources
from twinset.reading import Inputs
from twinset.reading.formats import is_image_file
from twinset.run.against import Matches, run_against
from twinset.run.documents import DocumentLog, ids_of
from twinset.run.findings import Findings
from twinset.run.opening import open_documents
from twinset.run.progress import Progress, Silent
from twinset.run.streaming import watched
from twinset.system.remote import is_address
from twinset.system.schemes import without_secrets
from twinset.system.temporary import TemporaryFolder

AT_ONCE = 200
"""Documents that are asked about at a time."""
MANY_AT_ONCE = 2000
"""The same where answers are columns: what several of them match is unpacked once."""
MATCHES_AT_ONCE = 100_000
"""Matches that are expected at a time: near a crowd fewer documents are asked about."""
MEANINGLESS = {
    "reference": "reference and against both name older documents: give against alone",
    "keep": "keep chooses among copies, and with against the older document stays: leave it out",
    "drop_boilerplate": "drop-boilerplate counts in one collection: leave it out with against",
    "target": "with against every match goes, and no threshold is sought: leave target out",
    "level": "with against whole documents are compared: leave level out",
    "clusters": "with against there are no clusters: leave clusters out",
    "k": "with against there are no clusters: leave k out",
    "share": "with against there are no clusters: leave share out",
}
FREE = ("never_remove", "max_pairs", "match")
"""Options that have nothing to do with what an index answers."""


def find_against(
    documents: Any,
    against: Any,
    plan: Plan,
    *,
    dedup: bool,
    resources: Resources,
    progress: Progress | None = None,
) -> Findings:
    """`find` or `dedup` of new documents against an index or against older documents."""
    options = plan.given
    if faults := [words for name, words in MEANINGLESS.items() if name in options]:
        raise PlanError(faults)
    progress = progress or Silent()
    older: OlderIndex | OlderCollection
    if (index := _index_of(against)) is not None:
        older, plan = OlderIndex(index), _plan_of(index, options)
    else:
        contents = Contents.of(options)
        plan = contents.plan
        unasked = dataclasses.replace(plan, given={})  # these options are of the new documents
        opened, _ = _opened(against, unasked, resources, is_new=False)
        try:
            contents = contents.counted(opened, resources, progress)
            contents.ensure_sound()
            older = OlderCollection(opened, _name(against), contents, resources, progress)
        except ReadError as error:
            raise _of_older(error, _name(against)) from error
    plan = dataclasses.replace(plan, keep=(), given=options)
    new, plan = _opened(documents, plan, resources, is_new=True)
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


def _of_older(error: ReadError, name: str) -> ReadError:
    """The same fault; one of the older documents as a whole with their name and what helps."""
    if error.source != "input":
        return error
    return ReadError(
        name,
        None,
        f"{error.fault} (Older documents are read by the same options. Where their fields have "
        "other names, name these with --against-text and --against-id)",
    )


def is_index(place: Any) -> bool:
    """Whether this names an index and not documents: a folder of one, a database, a service.

    An address on the web whose name has a suffix is a file.
    """
    if isinstance(place, Index):
        return True
    if not isinstance(place, str | os.PathLike):
        return False
    name = os.fspath(place)
    if name.startswith(SERVICES):
        return not PurePosixPath(urlsplit(name).path).suffix
    return is_database(name) or is_index_folder(name)


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
    documents: Any, plan: Plan, resources: Resources, *, is_new: bool
) -> tuple[Documents, Plan]:
    paths = documents if isinstance(documents, list | tuple) else [documents]
    if any(isinstance(path, str | os.PathLike) and is_image_file(path) for path in paths):
        raise PlanError(["files of images have no texts: against needs the documents themselves"])
    return open_documents(documents, plan, resources, must_be_read=not is_new, may_be_empty=is_new)


def _plan_of(index: Index, options: Mapping[str, Any]) -> Plan:
    """The plan of an index, with the options of reading and removing that are given.

    What decides its answers was said when it was made: such an option is refused.
    """
    Contents.ensure_single(options)
    free = {"kinds", *FREE, *(each.name for each in dataclasses.fields(ReadOptions))}
    if decided := [name for name in options if name not in free]:
        raise PlanError(
            [
                f"the index {index.place} has its own {name.replace('_', '-')}: leave "
                f"{name.replace('_', '-')} out, or make an index with it"
                for name in decided
            ]
        )
    plan = Plan.make(plan=index.plan, **options)
    changed = {name: getattr(plan, name) for name in FREE if name in options}
    return dataclasses.replace(index.plan, read=plan.read, **changed)


def _name(against: Any) -> str:
    """Older documents in a few words."""
    places = against if isinstance(against, list | tuple) else [against]
    if isinstance(against, Inputs):
        return ", ".join(source.name for source in against.sources)
    if places and all(map(_is_place, places)):
        return ", ".join(map(_shown, places))
    return against if isinstance(against, str) else "documents in memory"


def _is_place(item: Any) -> bool:
    """Whether an item of a list is the name of a place, and no text."""
    return isinstance(item, os.PathLike | Index) or is_address(item)


def _shown(place: Any) -> str:
    name = place.place if isinstance(place, Index) else os.fspath(place)
    return without_secrets(name) if is_index(place) else name


class OlderIndex:
    """An index that new documents are held against."""

    def __init__(self, index: Index) -> None:
        # One of our own: texts are asked for when a report is saved, and the user's may be closed.
        self.index = Index(index.work)

    def ask(self, texts: pa.Array) -> tuple[Matches, Ints]:
        """The matches of texts."""
        return _asked(self.index, texts, lambda ids: ids)

    def themselves(self, ids: pa.Array, texts: pa.Array) -> NDArray[np.bool_]:
        """A document that is asked about by its id and is in the index does not match itself."""
        marks = [
            all(match.id != answer.id for match in answer.matches)
            for some in _parts_of(len(ids))
            for answer in self.index.query_texts(
                ids[some].to_pylist(), texts[some], top=self.index.plan.dense
            )
        ]
        return np.array(marks, bool)

    def facts(self) -> dict[str, Any]:
        """The place of the index, its documents and its plan."""
        place = self.index.place
        return {
            "name": place,
            "index": place if "://" in place else os.path.abspath(place),
            "documents": self.index.info()["documents"],
            "plan": digest_of(self.index.plan),
        }

    def origins(self, ids: pa.Array) -> pa.Table | None:
        """Nobody but the index knows."""
        return None

    def texts(self, ids: list[str]) -> dict[str, str]:
        """The texts of these documents."""
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
        self._log = DocumentLog()
        batches = self._numbered(
            watched(documents, "reading what is older", progress, resources.threads)
        )
        added = self.index.work.add_batches(
            batches, replace=False, dedup=False, resources=resources
        )
        self._unread = added.unread
        self._read = self._log.finish(resources.threads)
        if not self._log.count:
            raise ReadError(name, None, "there are no documents to hold new ones against")

    def _numbered(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches with numbers for ids; what they were is noted."""
        for batch in batches:
            if len(batch):
                first = self._log.count
                self._log.add(batch, ids_of(batch))
                numbered = column(np.arange(first, self._log.count))
                yield dataclasses.replace(batch, ids=numbered.cast(pa.large_string()))

    def ask(self, texts: pa.Array) -> tuple[Matches, Ints]:
        """The matches of texts."""
        return _asked(self.index, texts, self._named)

    def _named(self, ids: pa.Array) -> pa.Array:
        return taken(self._read["ids"], numbers(ids.cast(pa.int64())))

    def themselves(self, ids: pa.Array, texts: pa.Array) -> NDArray[np.bool_]:
        """None: an id says nothing here, since it is one of another collection."""
        return np.zeros(len(ids), bool)

    def facts(self) -> dict[str, Any]:
        """Their name, number, plan and sources."""
        describe = getattr(self._documents, "describe", None)
        mine, theirs = self.index.plan.read, getattr(self._documents, "options", None)
        read = theirs or mine
        own = {n: getattr(read, n) for n in ("id", "text") if getattr(read, n) != getattr(mine, n)}
        return {
            **({"fields": own} if own else {}),
            "name": self._name,
            "documents": self._log.count,
            "unread": self._unread,
            "plan": digest_of(self.index.plan),
            "inputs": describe() if describe else [],
        }

    def origins(self, ids: pa.Array) -> pa.Table:
        """Where these documents came from, in reading order."""
        rows = np.unique(self._rows(ids))
        return pa.table(
            {
                "id": taken(self._read["ids"], rows),
                "source": words(self._read["source"][rows], self._read["sources"]),
                "place": column(self._read["places"][rows].astype(np.int64)),
            }
        )

    def texts(self, ids: list[str]) -> dict[str, str]:
        """The texts of these documents."""
        rows = self._rows(pa.array(ids, pa.large_string())).tolist()
        texts = ((id, self.index.text(str(row))) for id, row in zip(ids, rows, strict=True))
        return {id: text for id, text in texts if text is not None}

    def _rows(self, ids: pa.Array) -> Ints:
        return numbers(pc.index_in(ids, value_set=self._read["ids"]), missing=-1).astype(np.int64)


def digest_of(plan: Plan) -> str:
    """Equal for equal plans."""
    spelt = json.dumps(plan.as_dict(), sort_keys=True)
    return hashlib.blake2b(spelt.encode(), digest_size=16).hexdigest()


def _parts_of(count: int) -> Iterator[slice]:
    """So many documents, some at a time."""
    return (slice(at, at + AT_ONCE) for at in range(0, count, AT_ONCE))


def _asked(
    index: Index, texts: pa.Array, named: Callable[[pa.Array], pa.Array]
) -> tuple[Matches, Ints]:
    """What an index answers, as columns; ``named`` are the ids by those of the index."""
    parts, uncompared, begin = [], [np.empty(0, np.int64)], 0
    work = index.work
    by_columns = isinstance(work, LocalWork) and not work.maker.by_rooms
    most = MANY_AT_ONCE if by_columns else AT_ONCE
    size = most
    while begin < len(texts):
        some = texts[begin : begin + size]
        found, left_out = (
            _of_columns(*work.matches(some))
            if isinstance(work, LocalWork)
            else _of_answers(index, some)
        )
        uncompared.append(left_out)
        counts = np.bincount(found.row, minlength=1)
        found.row = found.row + begin
        found.ids = named(found.ids)
        columns = {"row": column(found.row), "score": column(found.score), "id": found.ids}
        order = [("row", "ascending"), ("score", "descending"), ("id", "ascending")]
        parts.append(
            found.take(numbers(pc.sort_indices(pa.table(columns), sort_keys=order)).astype(int))
        )
        begin += len(some)
        size = min(2 * size, most, max(MATCHES_AT_ONCE // max(int(counts.max()), 1), 1))
    return Matches.joined(parts), np.concatenate(uncompared)


def _of_columns(parts: list[Found], uncompared: Ints) -> tuple[Matches, Ints]:
    matches = []
    for found in parts:
        sizes = found.left_sizes, found.kept.sizes[found.right]
        left, right = (
            np.where(found.shared < 0, np.nan, found.shared / np.maximum(size, 1)) for size in sizes
        )
        ids = taken(pa.array(found.kept.ids, pa.large_string()), found.right)
        itself = np.zeros(len(found.left), bool)
        matches.append(Matches(found.left, ids, found.scores, found.shared, left, right, itself))
    return Matches.joined(matches), uncompared


def _of_answers(index: Index, texts: pa.Array) -> tuple[Matches, Ints]:
    answers = index.query_texts([None] * len(texts), texts, top=index.plan.dense)
    ensure_all_read(sum(answer.unread for answer in answers))
    found = [match for answer in answers for match in answer.matches]
    matches = Matches(
        np.repeat(np.arange(len(texts)), [len(answer.matches) for answer in answers]),
        pa.array([match.id for match in found], pa.large_string()),
        np.array([match.score for match in found], float),
        np.array([_or(match.shared, -1) for match in found], np.int64),
        np.array([_or(match.containment_left, np.nan) for match in found], float),
        np.array([_or(match.containment_right, np.nan) for match in found], float),
        np.zeros(len(found), bool),
    )
    return matches, np.array([answer.uncompared for answer in answers], np.int64)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
