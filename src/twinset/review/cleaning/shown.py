"""Which groups a page shows and in which order, with reasons, and what differs."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.errors import PlanError, TwinsetError
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import flags
from twinset.model.flow import KINDS
from twinset.review.cleaning.files import FolderFiles
from twinset.review.cleaning.model import CopyGroup, FileRow, GroupQuery, Phrases, Reason
from twinset.review.cleaning.state import CleaningState
from twinset.review.index import ReportIndex
from twinset.review.texts import PlaceInWhole, ReportTexts

DIFFERING = [KINDS.index(kind) for kind in ("revision", "part", "same-form")]
AT_ONCE = 1 << 16
"""Bytes of files that one page may read to say what differs; the rest is asked for by itself."""
COMPARED = 200_000
"""Characters of a text that are compared."""


def matching(state: CleaningState, query: GroupQuery) -> Ints:
    """The groups of a query, in its order; equals by what is gained, then by number."""
    if faults := query.faults():
        raise PlanError(faults)
    groups, files = state.proposal, state.files
    marks = np.ones(len(groups), bool)
    if query.kinds:
        marks &= np.isin(groups.kind, [KINDS.index(kind) for kind in query.kinds])
    if query.text.strip():
        contains = pc.match_substring(files.names, query.text.strip().lower())
        marks &= state.any_of(flags(contains))
    if query.state in ("going", "open"):
        marks &= state.any_of(state.goes) == (query.state == "going")
    rows = np.flatnonzero(marks)
    keepers = state.keepers[rows]
    columns: dict[str, Callable[[], Ints]] = {
        "gain": lambda: -state.gain[rows],
        "name": lambda: files.name_ranks[keepers],
        "folder": lambda: files.folder_ranks[keepers],
        "date": lambda: -files.modified[keepers],
        "size": lambda: -files.bytes[keepers],
        "kind": lambda: groups.kind[rows].astype(np.int64),
    }
    column = columns[query.sort]() * (-1 if query.reverse else 1)
    return rows[np.lexsort((groups.number[rows], -state.gain[rows], column))]


class Differences:
    """By (keeper, document), what the keeper has and what the document has instead, in phrases.

    ``places`` are those of parts of the keeper.
    """

    def __init__(self, index: ReportIndex, files: FolderFiles) -> None:
        self._index, self._files = index, files
        self.known: dict[tuple[int, int], Phrases] = {}
        self.places: dict[tuple[int, int], PlaceInWhole | None] = {}
        self._lock = threading.Lock()

    def compare(self, pairs: Sequence[tuple[int, int]], most_bytes: int | None = AT_ONCE) -> None:
        """Compare pairs as far as they are new and their files have so few bytes in all."""
        from twinset.finding.verify.differing import changes

        with self._lock:
            chosen, size = [], 0
            for pair in (pair for pair in pairs if pair not in self.known):
                size += sum(int(self._files.bytes[document]) for document in pair)
                if most_bytes is not None and size > most_bytes:
                    break
                chosen.append(pair)
            try:
                texts = ReportTexts.of(self._index).texts([d for pair in chosen for d in pair])
            except (TwinsetError, OSError):
                texts = {}
            for pair in chosen:
                before, after = (texts.get(document, "")[:COMPARED] for document in pair)
                self.known[pair] = changes(before, after) if before and after else ()
                self.places[pair] = ReportTexts.of(self._index).place(*pair)


@dataclass(frozen=True)
class Shown:
    """Makes what is shown of how things stand; with ``differences`` also what needs reading."""

    state: CleaningState
    differences: Differences | None = None

    def groups(self, groups: Sequence[int], most: int) -> tuple[CopyGroup, ...]:
        """Several groups with some files each, compared as far as one page may read."""
        pairs = []
        for group in groups:
            documents, kinds, _ = self._laid_out(group)
            is_unlike = np.isin(kinds[:most], DIFFERING)
            pairs += [(self._keeper(group), d) for d in documents[:most][is_unlike].tolist()]
        if self.differences is not None:
            self.differences.compare(pairs)
        return tuple(self.group(group, 0, most) for group in groups)

    def _keeper(self, group: int) -> int:
        return int(self.state.keepers[group])

    def _laid_out(self, group: int) -> tuple[Ints, NDArray[np.int8], Floats]:
        """The documents of a group as they are shown, with what each is to the keeper."""
        documents, keeper = self.state.proposal.rows[group], self._keeper(group)
        kind, score = self.state.to_keeper(keeper, documents)
        unlike = np.where(kind < 0, len(KINDS), kind)
        order = np.lexsort((self.state.ranking.place[documents], unlike, documents != keeper))
        return documents[order], kind[order], score[order]

    def group(self, group: int, offset: int = 0, most: int = 50) -> CopyGroup:
        """A group with some of its files."""
        state, keeper = self.state, self._keeper(group)
        documents, kind, score = self._laid_out(group)
        start = max(0, offset)
        some = (values[start : start + most].tolist() for values in (documents, kind, score))
        chosen = bool(state.chosen[group])
        return CopyGroup(
            int(state.proposal.number[group]),
            state.files.path_of(keeper).stem,
            KINDS[state.proposal.kind[group]],
            self._file(keeper, keeper, chosen, -1, math.nan),
            tuple(self._file(d, keeper, chosen, k, s) for d, k, s in zip(*some, strict=True)),
            int(state.gain[group]),
            len(documents),
        )

    def alone(self, documents: Ints) -> list[FileRow]:
        """Files for themselves, each beside the one that stays in its place, if it goes."""
        keepers = self.state.substitutes[documents]
        keepers = np.where(keepers < 0, documents, keepers)
        kind, score = self.state.graph.between(documents, keepers)
        kind[keepers == documents], score[keepers == documents] = -1, np.nan
        columns = (values.tolist() for values in (documents, keepers, kind, score))
        return [
            self._file(d, keeper, False, k, s) for d, keeper, k, s in zip(*columns, strict=True)
        ]

    def _file(self, document: int, keeper: int, chosen: bool, kind: int, score: float) -> FileRow:
        state, files = self.state, self.state.files
        linked = document != keeper and bool(state.disk.link[document] == state.disk.link[keeper])
        changes: Phrases | None = ()
        place: PlaceInWhole | None = None
        if kind in DIFFERING:
            found, changes = self.differences, None
            if found is not None:
                pair = keeper, document
                changes, place = found.known.get(pair), found.places.get(pair)
        return FileRow(
            document,
            state.index.id(document),
            files.path_of(document),
            int(files.bytes[document]),
            int(files.modified[document]),
            "remove" if state.goes[document] else "keep",
            self._reason(document, keeper, chosen, kind, linked),
            None if kind < 0 else KINDS[kind],
            None if math.isnan(score) else score,
            changes,
            bool(state.ranking.kept[document]),
            linked,
            None if document == keeper else keeper,
            place,
        )

    def _reason(self, document: int, keeper: int, chosen: bool, kind: int, linked: bool) -> Reason:
        state, place = self.state, self.state.ranking.place
        if state.ranking.kept[document]:
            return Reason("protected")
        if document == keeper:
            return Reason("chosen") if chosen else Reason("preferred")
        if linked:
            return Reason("linked")
        if state.goes[document]:
            is_copy = 0 <= kind <= KINDS.index(state.graph.least)
            by_hand = not is_copy or place[keeper] > place[document]
            return Reason("by_hand") if by_hand else state.ranking.why(keeper, document)
        if state.settled[document]:
            return Reason("kept_by_hand")
        return Reason("unlike_keeper" if kind < 0 else KINDS[kind])
