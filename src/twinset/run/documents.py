"""What is known of the documents once they are read: rows, distinct ids, which copy is preferred.

Nothing here depends on where a plan runs: every engine fills in the same arrays.
"""

from __future__ import annotations

import dataclasses
import fnmatch
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import UnusedOption, warn
from twinset.finding.clusters.keep import Traits, ranks_of
from twinset.model import Batch, Fault, Features, FileFacts, Floats, Ints, spread
from twinset.model import compute as pc
from twinset.model.columns import column, flags, numbers, text, utf8, valid, wide
from twinset.plan import Keep, Plan
from twinset.plan.presets import FOR_FOLDERS
from twinset.plan.spec import make, spell
from twinset.run.columns import Heads, NumberColumn, RunColumn
from twinset.text.arrow import arrow_text

STATUS = np.array(["ok", "empty", "bad", "bytes"])
"""A file that no reader takes has the status ``bytes``: these alone are compared."""


@dataclass
class Collected:
    """What is known of the documents after the pass; arrays are indexed by document number.

    Numbers are as narrow as they can be, and arrays in which all are equal take no memory.
    ``alike`` is the first document that each one may be taken for: one with equal features or,
    where more than these decides, with an equal text. ``files`` is None where no document is a
    plain file. ``reference`` marks documents that stay, and are only compared with others.
    """

    ids: pa.Array
    sources: list[str]
    source: Ints
    places: Ints
    status: NDArray[np.uint8]
    units: Ints
    order: Floats | None
    repeated_ids: int
    store: _kernels.FeatureStore
    alike: Ints
    faults: list[Fault]
    fault_counts: dict[str, int]
    read_counts: dict[str, int]
    heads: Heads = field(repr=False)
    files: FileFacts | None = None
    reference: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))

    def __len__(self) -> int:
        return len(self.status)

    def head(self, number: int) -> str:
        """The first bytes of a document, as text."""
        return self.heads.read(number)

    @cached_property
    def sizes(self) -> Ints:
        """How many features each document has."""
        return self.store.sizes

    def release_features(self) -> None:
        """Let the features go, which only pairs are made of; their numbers stay."""
        self.sizes = self.sizes.copy()  # those of the store would keep it
        self.store.release()
        del self.store

    @cached_property
    def contents(self) -> Ints:
        """For each document the first file with the same bytes, itself where there is none."""
        return np.arange(len(self)) if self.files is None else self.files.contents()


@dataclass
class DocumentLog:
    """Ids, sources, places, faults and counts of documents, taken in a batch at a time.

    Of each kind of fault so many are kept: thousands of one kind must not hide the names of others.
    """

    most_faults: int = 100
    count: int = 0
    ids: list[pa.Array] = field(default_factory=list)
    places: NumberColumn = field(default_factory=NumberColumn)
    source: RunColumn = field(default_factory=lambda: RunColumn(np.uint32))
    reference: RunColumn = field(default_factory=lambda: RunColumn(bool))
    sources: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    fault_counts: Counter[str] = field(default_factory=Counter)
    read_counts: Counter[str] = field(default_factory=Counter)

    def add(self, batch: Any, ids: pa.Array) -> None:
        """Note a batch and its faults."""
        for fault in batch.faults:
            self.fault_counts[fault.kind] += 1
            if self.fault_counts[fault.kind] <= self.most_faults:
                self.faults.append(fault)
        self.read_counts.update(batch.counts)
        if len(batch):
            self.ids.append(ids)
            self.places.append(batch.places)
            self.source.append(self.sources.setdefault(batch.source, len(self.sources)), len(batch))
            self.reference.append(batch.is_reference, len(batch))
            self.count += len(batch)

    def finish(self, threads: int) -> dict[str, Any]:
        """What `Collected` and others have of it; ids are distinct."""
        reference, ids = self.reference.finish(), pa.concat_arrays([utf8([]), *self.ids])
        self.ids.clear()
        ids, repeated = distinct_beside_reference(ids, reference, threads)
        return {
            "ids": ids,
            "sources": list(self.sources),
            "source": self.source.finish(),
            "places": self.places.finish(),
            "reference": reference,
            "repeated_ids": repeated,
            "faults": self.faults,
            "fault_counts": dict(self.fault_counts),
            "read_counts": dict(self.read_counts),
        }


def ids_of(batch: Batch) -> pa.Array:
    """The ids of a batch, ``source:place`` where the input names none."""
    ids = wide(batch.ids)
    if ids.null_count == 0:
        return ids
    mask = pc.is_null(ids)
    names = [f"{batch.source}:{batch.places[i]}" for i in np.flatnonzero(flags(mask))]
    return pc.replace_with_mask(ids, mask, text(names).cast(pa.large_string()))


def distinct_beside_reference(
    ids: pa.Array, reference: NDArray[np.bool_], threads: int = 1
) -> tuple[pa.Array, int]:
    """Distinct ids, and how many were repeated; others keep theirs before those of a reference."""
    if not reference.any():
        return distinct_ids(ids, threads)
    order = np.argsort(reference, kind="stable")
    distinct, repeated = distinct_ids(ids.take(column(order)), threads)
    return distinct.take(column(np.argsort(order, kind="stable"))), repeated


def distinct_ids(ids: pa.Array, threads: int = 1) -> tuple[pa.Array, int]:
    """Repeated ids made distinct: the second ``x`` becomes ``x#2``; and how many there were."""
    rows, firsts = _kernels.repeated_texts(*arrow_text(ids), threads)
    if not len(rows):
        return ids, 0
    order = np.argsort(firsts, kind="stable")
    _, times = np.unique(firsts, return_counts=True)
    nth = np.empty(len(rows), np.int64)
    nth[order] = spread(times)[1] + 2
    repeated = ids.take(column(firsts)).to_pylist()
    names = [f"{id}#{number}" for id, number in zip(repeated, nth.tolist(), strict=True)]
    used_ids = set(ids.filter(pc.match_substring(ids, "#")).to_pylist())  # no other can be taken
    free = text([free_name(name, used_ids) for name in names]).cast(pa.large_string())
    again = np.zeros(len(ids), bool)
    again[rows] = True
    return pc.replace_with_mask(ids, column(again), free), len(rows)


def free_name(name: str, used_ids: set[str]) -> str:
    """The name, with as many apostrophes behind it as make it one that is not used."""
    while name in used_ids:
        name += "'"
    used_ids.add(name)
    return name


@dataclass(frozen=True, slots=True)
class Preference:
    """Document numbers, most preferred first; and which documents must never be removed.

    ``as_read`` is true where the order is known to be that of reading. Where these documents are a
    part of a larger collection, ``positions`` has the place of each in the order of that.
    """

    order: Ints
    kept: NDArray[np.bool_]
    as_read: bool = False
    positions: NDArray[np.integer[Any]] | None = None

    def among(self, chosen: NDArray[np.bool_]) -> Ints:
        """The chosen documents in this order."""
        return np.flatnonzero(chosen) if self.as_read else self.order[chosen[self.order]]

    def positions_of(self, documents: Ints) -> Features:
        """The places of these documents in the order of the whole collection."""
        if self.positions is not None:
            return self.positions[documents].astype(np.uint64, copy=False)
        if self.as_read:
            return documents.astype(np.uint64)
        places = np.empty(len(self.order), np.uint64)
        places[self.order] = np.arange(len(places), dtype=np.uint64)
        return places[documents]


def preference(documents: Collected, plan: Plan, dedup: bool) -> Preference:
    """The documents of a run as its plan prefers them."""
    kept = staying(plan, documents.ids, documents.sources, documents.source)
    kept |= documents.reference
    order = preferred(kept, plan.keep, traits_of(documents), documents.ids)
    return order if documents.files is None else parts_last(order, documents.files.part, dedup)


def staying(
    plan: Plan, ids: pa.Array, sources: Sequence[str], source: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """The documents that the plan never removes; a pattern that matches none is spoken of."""
    pattern = plan.never_remove
    kept = never_removed(pattern, ids, sources, source)
    if pattern is not None and len(kept) and not kept.any():
        message = (
            f"never-remove '{pattern}' matches no id and no source, so nothing stays for its sake; "
            f"ids are as '{ids[0].as_py()}', and * stands for any text"
        )
        warn(message, UnusedOption)
    return kept


def parts_last(order: Preference, part: pa.Array, removing: bool) -> Preference:
    """Letters and attachments cannot be removed on their own, and no file is removed for one.

    Where nothing is removed they only come after all files.
    """
    parts = valid(part)
    if not parts.any():
        return order
    behind = np.argsort(parts[order.order], kind="stable")
    return Preference(order.order[behind], order.kept | parts if removing else order.kept)


def traits_of(documents: Collected) -> Traits:
    """What keep policies look at."""
    return Traits.of(documents.units, documents.order, documents.files)


def with_policies(plan: Plan, documents: Collected, dedup: bool) -> Plan:
    """The plan with the keep policies that a run goes by, where it names none.

    People choose among copies of files by their names and times. `find` does not: its clusters must
    not change when a file is copied.
    """
    if plan.keep:
        if dedup and documents.files is None:
            _warn_of_file_policies(plan.keep)
        return plan
    texts = FOR_FOLDERS if dedup and _are_mostly_files(documents) else ("first",)
    return dataclasses.replace(plan, keep=tuple(make("keep", text) for text in texts))


def _warn_of_file_policies(policies: Sequence[Keep]) -> None:
    """Say that nothing but the order of the ids chooses among records."""
    if all(getattr(policy, "of_files", False) for policy in policies):
        names = " and ".join(f"'{spell('keep', policy)}'" for policy in policies)
        message = (
            f"keep {names} looks at files, and tells none of these records apart: a field can do "
            "that, as in --keep date:max"
        )
        warn(message, UnusedOption)


def _are_mostly_files(documents: Collected) -> bool:
    """Whether more inputs are plain files than files of records, such as a table among letters."""
    if documents.files is None or not len(documents):
        return False
    is_record = ~valid(documents.files.path)
    tables = len(np.unique(documents.source[is_record]))
    return int(np.count_nonzero(~is_record)) > tables


def preferred(
    kept: NDArray[np.bool_], policies: Sequence[Keep], traits: Traits, ids: pa.Array
) -> Preference:
    """Documents that must stay, then by the policies; equals by id: input order plays no part.

    No mail is preferred to a document, whatever the policies say.
    """
    mails = traits.mails
    if policies and policies[0].rank(traits) is None and not mails.any():  # nothing to sort
        if not kept.any():
            return Preference(np.arange(len(kept)), kept, as_read=True)
        return Preference(np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)]), kept)
    ranks, is_total = ranks_of(policies, traits)
    if is_total or _rise(ids):  # the ids need not be sorted
        return Preference(np.lexsort((*reversed(ranks), mails, ~kept)), kept)
    by_id = np.empty(len(kept), np.int64)
    by_id[numbers(pc.sort_indices(ids)).astype(np.int64)] = np.arange(len(kept))
    return Preference(np.lexsort((by_id, *reversed(ranks), mails, ~kept)), kept)


def _rise(ids: pa.Array) -> bool:
    return len(ids) < 2 or bool(pc.all(pc.less(ids.slice(0, len(ids) - 1), ids.slice(1))).as_py())


def never_removed(
    pattern: str | None, ids: pa.Array, sources: Sequence[str], source: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Documents whose id or source matches the pattern (``*`` and ``?`` as in a shell)."""
    if pattern is None:
        return np.zeros(len(ids), bool)
    by_source: NDArray[np.bool_] = np.array([fnmatch.fnmatch(s, pattern) for s in sources], bool)
    by_id: NDArray[np.bool_] = np.array(
        [fnmatch.fnmatch(id, pattern) for id in ids.to_pylist()], bool
    )
    matching: NDArray[np.bool_] = by_id | by_source[source]
    return matching
