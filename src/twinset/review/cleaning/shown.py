"""Groups and files as a page shows them: titles, reasons, what differs; for these alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.model import Floats, Ints
from twinset.model.kinds import KINDS, Kind
from twinset.review.cleaning.differing import Differences, Phrases
from twinset.review.cleaning.model import PROPOSED, FileRow, Group, Reason
from twinset.review.cleaning.standing import Standing
from twinset.review.cleaning.titles import common_name, first_line, says_nothing
from twinset.review.texts import ReportTexts

MOST_NAMES = 20
"""Files of a group whose names make its title."""
DIFFERING = {KINDS.index(kind) for kind in ("revision", "part", "same-form")}


@dataclass(frozen=True)
class Shown:
    """Makes what is shown of how things stand; with ``differences`` also what needs reading."""

    standing: Standing
    differences: Differences | None = None

    def groups(self, groups: Sequence[int], most: int) -> tuple[Group, ...]:
        """Several groups with some files each, compared as far as one page may read."""
        laid_out = [(group, *self._laid_out(group)) for group in groups]
        self._compare([(group, rows[:most], kinds) for group, rows, kinds, _ in laid_out])
        return tuple(self.group(group, 0, most) for group in groups)

    def _compare(self, groups: Sequence[tuple[int, Ints, NDArray[np.int8]]]) -> None:
        if self.differences is None:
            return
        keepers = self.standing.keepers
        pairs = [
            (int(keepers[group]), document)
            for group, documents, kinds in groups
            for document, kind in zip(documents.tolist(), kinds.tolist(), strict=False)
            if kind in DIFFERING
        ]
        self.differences.compare(pairs)

    def _laid_out(self, group: int) -> tuple[Ints, NDArray[np.int8], Floats]:
        """The documents of a group as they are shown, with what each is to the keeper."""
        standing = self.standing
        documents = standing.proposal.rows[group]
        keeper = int(standing.keepers[group])
        kind, score = standing.to_keeper(keeper, documents)
        unlike = np.where(kind < 0, len(KINDS), kind)
        order = np.lexsort((standing.ranking.place[documents], unlike, documents != keeper))
        return documents[order], kind[order], score[order]

    def group(self, group: int, offset: int = 0, most: int = 50) -> Group:
        """A group with some of its files."""
        standing, proposal = self.standing, self.standing.proposal
        documents, kind, score = self._laid_out(group)
        rows = tuple(
            self.row(int(documents[row]), group, int(kind[row]), float(score[row]))
            for row in range(max(0, offset), min(len(documents), max(0, offset) + most))
        )
        return Group(
            int(proposal.number[group]),
            self._title(documents),
            KINDS[proposal.kind[group]],
            self.row(int(standing.keepers[group]), group, -1, math.nan),
            rows,
            int(standing.gain[group]),
            len(documents),
        )

    def row(self, document: int, group: int, kind: int, score: float) -> FileRow:
        """A file of a group; ``kind`` and ``score`` are those to the keeper."""
        keeper = int(self.standing.keepers[group])
        return self._file(document, keeper, bool(self.standing.chosen[group]), kind, score)

    def alone(self, documents: Ints) -> list[FileRow]:
        """Files for themselves, each beside the one that stays in its place, if it goes."""
        keepers = self.standing.substitutes[documents]
        keepers = np.where(keepers < 0, documents, keepers)
        kind, score = self.standing.graph.between(documents, keepers)
        kind[keepers == documents], score[keepers == documents] = -1, np.nan
        columns = (values.tolist() for values in (documents, keepers, kind, score))
        return [
            self._file(document, keeper, False, own_kind, own_score)
            for document, keeper, own_kind, own_score in zip(*columns, strict=True)
        ]

    def _file(self, document: int, keeper: int, chosen: bool, kind: int, score: float) -> FileRow:
        standing, files = self.standing, self.standing.files
        link = standing.disk.link
        linked = document != keeper and bool(link[document] == link[keeper])
        return FileRow(
            document,
            standing.index.id(document),
            files.path_of(document),
            int(files.bytes[document]),
            int(files.modified[document]),
            "remove" if standing.goes[document] else "keep",
            self._reason(document, keeper, chosen, kind, linked),
            _kind(kind),
            None if math.isnan(score) else score,
            self._changes(document, keeper, kind),
            bool(standing.ranking.kept[document]) or not files.whole[document],
            linked,
            files.part_of(document),
            bool(standing.settled[document]),
            None if document == keeper else keeper,
        )

    def _title(self, documents: Ints) -> str:
        """What the first names have in common; the first line where names say nothing."""
        some = documents[self.standing.files.whole[documents]][:MOST_NAMES].tolist()
        paths = [self.standing.files.path_of(document) for document in some]
        name = common_name(paths) or paths[0].stem
        if self.differences is not None and says_nothing(name):
            text = ReportTexts.of(self.standing.index).texts([some[0]]).get(some[0], "")
            return first_line(text) or paths[0].name
        return paths[0].name if says_nothing(name) else name

    def _reason(self, document: int, keeper: int, chosen: bool, kind: int, linked: bool) -> Reason:
        standing = self.standing
        part = standing.files.part_of(document)
        if part is not None:
            return Reason("inside", {"part": part})
        if document == keeper:
            if standing.ranking.kept[document]:
                return Reason("protected")
            return Reason("chosen") if chosen else Reason("preferred")
        if standing.ranking.kept[document]:
            return Reason("protected")
        if linked:
            return Reason("linked")
        if standing.goes[document]:
            place = standing.ranking.place
            by_hand = _kind(kind) not in PROPOSED or place[keeper] > place[document]
            return Reason("by_hand") if by_hand else standing.ranking.why(keeper, document)
        if standing.settled[document]:
            return Reason("kept_by_hand")
        if kind < 0:
            return Reason("unlike_keeper")
        return Reason(KINDS[kind].replace("-", "_"))

    def _changes(self, document: int, keeper: int, kind: int) -> Phrases | None:
        if kind not in DIFFERING:
            return ()
        return None if self.differences is None else self.differences.known(keeper, document)


def _kind(kind: int) -> Kind | None:
    return None if kind < 0 else KINDS[kind]
