"""What is a copy of what, and how close: the listed pairs of a report between contents of files.

Files with the same bytes are one content. A listed pair of two files holds for every file of the
same two contents, so that pairs the run left out as implied are here too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Set

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import flags
from twinset.model.kinds import KINDS, Kind
from twinset.review.cleaning.files import FolderFiles, Marks
from twinset.review.cleaning.model import PROPOSED
from twinset.review.index import ReportIndex

EQUAL = KINDS.index("equal-bytes")
GROUNDS = np.array([kind in PROPOSED for kind in KINDS] + [False])
"""Whether a kind is a ground for removal; the last entry is for -1, no kind."""

_DIGITS = re.compile(r"(?:[0-9a-f]{2})+")


@dataclass(frozen=True)
class CopyGraph:
    """Contents that are listed pairs: ``left`` < ``right``, sorted, each pair once.

    ``content`` is, for each document, the first one of the same content. Where ``kinds`` are given,
    nothing else is a copy: without ``equal-bytes`` not even a file of the same content.
    """

    content: Ints
    left: Ints
    right: Ints
    kind: NDArray[np.int8]
    score: Floats
    _key: Ints
    kinds: frozenset[Kind] = frozenset()

    @classmethod
    def of(
        cls,
        index: ReportIndex,
        files: FolderFiles,
        taking_part: Marks,
        ignored: Set[tuple[str, str]] = frozenset(),
    ) -> CopyGraph:
        """From the pairs of a report; ``ignored`` are pairs of contents that are no copies."""
        pairs = index.pairs
        rows = np.flatnonzero(
            taking_part[pairs.left] & taking_part[pairs.right] & (pairs.kind >= 0)
        )
        left, right = pairs.left[rows].astype(np.int64), pairs.right[rows].astype(np.int64)
        kind, score = pairs.kind[rows], pairs.score[rows]
        content = files.content
        if ignored:
            content = _apart(files, ignored)
            stays = ~_ignored(files, left, right, ignored)
            left, right, kind, score = left[stays], right[stays], kind[stays], score[stays]
        if files.holders:
            safe = _whole_mails(index, files, left, right)
            left, right, kind, score = left[safe], right[safe], kind[safe], score[safe]
        ends = content[left], content[right]
        low, high = np.minimum(*ends), np.maximum(*ends)
        key = low * len(files) + high
        order = np.lexsort((-score, kind, key))
        order = order[low[order] != high[order]]
        first = np.ones(len(order), bool)
        first[1:] = key[order][1:] != key[order][:-1]
        order = order[first]
        return cls(content, low[order], high[order], kind[order], score[order], key[order])

    def only(self, kinds: Collection[Kind]) -> CopyGraph:
        """The copies of some kinds alone; no kinds are all of them."""
        if not kinds:
            return self
        some = np.isin(self.kind, [KINDS.index(kind) for kind in kinds])
        left, right, kind = self.left[some], self.right[some], self.kind[some]
        score, key = self.score[some], self._key[some]
        return CopyGraph(self.content, left, right, kind, score, key, frozenset(kinds))

    def between(self, left: Ints, right: Ints) -> tuple[NDArray[np.int8], Floats]:
        """Kinds and scores of pairs of documents; -1 and NaN where a pair is not listed."""
        ends = self.content[left], self.content[right]
        key = np.minimum(*ends) * len(self.content) + np.maximum(*ends)
        same = ends[0] == ends[1]
        kind, score = np.full(len(key), -1, np.int8), np.full(len(key), np.nan)
        if len(self._key):
            at = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
            listed = self._key[at] == key
            kind[listed], score[listed] = self.kind[at][listed], self.score[at][listed]
        if not self.kinds or KINDS[EQUAL] in self.kinds:
            kind[same], score[same] = EQUAL, 1.0
        return kind, score


def keys_of(files: FolderFiles, left: int, right: int) -> tuple[str, str]:
    """A pair of documents by their contents, in the order of an ignore list."""
    keys = files.key_of(left), files.key_of(right)
    return min(keys), max(keys)


def listed(index: ReportIndex, first: int, second: int) -> tuple[int, float]:
    """Kind and score of a pair as the report lists it; -1 and NaN where it does not."""
    left, right = sorted((first, second))
    pairs = index.pairs
    low, high = np.searchsorted(pairs.left, [left, left + 1])
    row = int(low + np.searchsorted(pairs.right[low:high], right))
    if row == high or pairs.right[row] != right:
        return -1, np.nan
    return int(pairs.kind[row]), float(pairs.score[row])


def _about(files: FolderFiles, ignored: Set[tuple[str, str]]) -> Marks:
    """The documents that some ignored pair is about."""
    keys = {key for pair in ignored for key in pair}
    hexes = (key.removeprefix("blake2b:") for key in keys if key.startswith("blake2b:"))
    digests = [bytes.fromhex(digits) for digits in hexes if _DIGITS.fullmatch(digits)]
    paths = [os.fsencode(key.removeprefix("file:")) for key in keys if key.startswith("file:")]
    paths += [path.rpartition(b"!")[0] for path in paths]  # a part is behind the last mark
    by_digest = pc.is_in(files.digest, pa.array(digests, files.digest.type))
    by_path = pc.is_in(files.path, pa.array(paths, files.path.type))
    return flags(by_digest) | flags(by_path)


def _ignored(files: FolderFiles, left: Ints, right: Ints, ignored: Set[tuple[str, str]]) -> Marks:
    """Which of these pairs are ignored."""
    about = _about(files, ignored)
    marks = np.zeros(len(left), bool)
    for row in np.flatnonzero(about[left] & about[right]).tolist():
        marks[row] = keys_of(files, int(left[row]), int(right[row])) in ignored
    return marks


def _apart(files: FolderFiles, ignored: Set[tuple[str, str]]) -> Ints:
    """The contents, where files of one content that are not to be copies are each their own."""
    alone = {pair for pair in ignored if pair[0] == pair[1]}
    if not alone:
        return files.content
    return np.where(_about(files, alone), np.arange(len(files)), files.content)


def _whole_mails(index: ReportIndex, files: FolderFiles, left: Ints, right: Ints) -> Marks:
    """Pairs of which neither file holds a part, such as an attachment, that the other lacks."""
    held = files.holders
    is_holder = np.zeros(len(files), bool)
    is_holder[list(held)] = True
    concerned = (is_holder[left] | is_holder[right]) & (files.content[left] != files.content[right])
    safe = np.ones(len(left), bool)
    if not concerned.any():
        return safe
    pairs = index.pairs
    inside = ~files.whole[pairs.left] & ~files.whole[pairs.right] & GROUNDS[pairs.kind]
    ends = pairs.left[inside].tolist(), pairs.right[inside].tolist()
    alike = set(zip(*ends, strict=True)) | set(zip(*reversed(ends), strict=True))
    for row in np.flatnonzero(concerned).tolist():
        parts = [held.get(int(side[row]), []) for side in (left, right)]
        safe[row] = all(
            any((part, other) in alike for other in others)
            for own, others in (parts, parts[::-1])
            for part in own
        )
    return safe
