"""From candidates to matches: each is verified as a run of the plan would verify it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.index.entries import DamagedDocumentError, Entries, EntryMaker, digests_of, unpacked
from twinset.index.store import (
    NO_CROWD,
    Crowd,
    KeptDocuments,
    Numbers,
    SearchedEntries,
    Sharers,
)
from twinset.model import Batch, FeatureLists, Floats, Ints, Ragged
from twinset.model.columns import utf8
from twinset.plan import Resources
from twinset.run.copies import Classes, Copies
from twinset.run.documents import Preference
from twinset.run.pairing import expand, pair
from twinset.run.searching import judge_of
from twinset.run.streaming import Collector
from twinset.text.arrow import Texts

FEW = 64
"""Candidates that are fetched at once, whether or not some are equal."""
AT_ONCE = 2000
"""Candidates that are verified at a time."""
LEADERS = 32
"""Candidates of a crowd that are verified, as many as a run meets leaders of a group."""
MATCHES = 2
"""Matches among these that are enough."""
CANDIDATES = 4_000_000
"""Candidates that are listed at a time, where whole crowds are."""


@dataclass(slots=True)
class Found:
    """Verified matches: rows of the texts asked about, and the documents that they match.

    Rows rise in ``left``; ``right`` are rows of ``kept``; ``shared`` is -1 where it is not known.
    """

    left: Ints
    right: Ints
    scores: Floats
    shared: Ints
    left_sizes: Ints
    kept: KeptDocuments

    def take(self, chosen: NDArray[np.bool_] | Ints) -> Found:
        """Some of the matches."""
        return Found(
            self.left[chosen],
            self.right[chosen],
            self.scores[chosen],
            self.shared[chosen],
            self.left_sizes[chosen],
            self.kept,
        )


def matches_of(
    maker: EntryMaker,
    view: SearchedEntries,
    texts: Texts,
    names: Sequence[str | None] = (),
    unread: dict[int, int] | None = None,
    least: float | None = None,
    *,
    every: bool = False,
) -> tuple[list[Found], Ints]:
    """The verified matches of texts in an index, those of a text in one part.

    ``least`` stands in place of the threshold.
    With ``names`` a document does not match itself: the one of the same id and text. Candidates
    that are damaged are passed over, and counted in ``unread`` by the rows of the texts.
    Unless ``every`` match is asked for, a text with more than `dense` candidates is held against
    the `LEADERS` that share the most keys with it: if two of these match, so that there is one
    besides an older version of the text, the others are only counted, in the second value.
    """
    keys, features = maker.keys_and_features(texts, kept=False)
    dense = maker.contents.plan.dense
    crowd = NO_CROWD if every else Crowd(dense, min(LEADERS, dense))

    def verified(rows: Ints, numbers: Numbers) -> Found | None:
        try:
            return _verified(maker, view, texts, names, features, (rows, numbers), least)
        except (DamagedDocumentError, ValueError):
            damaged = [one for one in np.unique(numbers) if not _is_whole(maker, view, one)]
            if unread is None or not damaged:
                raise
        lost = np.isin(numbers, damaged)
        for row in rows[lost].tolist():
            unread[row] = unread.get(row, 0) + 1
        sides = rows[~lost], numbers[~lost]
        return _verified(maker, view, texts, names, features, sides, least)

    rows, numbers, _, totals = view.search(keys, crowd)
    uncompared = np.where(totals > crowd.dense, totals - crowd.few, 0)
    found = verified(rows, numbers)
    if not uncompared.any():
        return [found] if found else [], uncompared
    counts = np.bincount(found.left if found else [], minlength=len(totals))
    again = np.flatnonzero((uncompared > 0) & (counts < MATCHES))
    parts = [] if found is None else [found.take(~np.isin(found.left, again))]
    uncompared[again] = 0
    for row in again.tolist() if unread else ():
        unread.pop(row, None)  # type: ignore[union-attr]
    stretches = np.cumsum(totals[again]) // CANDIDATES
    for some in np.split(again, np.flatnonzero(np.diff(stretches)) + 1):
        rows, numbers, *_ = view.search(keys.take(some))
        if len(some) and (found := verified(some[rows], numbers)):
            parts.append(found)
    return parts, uncompared


def _is_whole(maker: EntryMaker, view: SearchedEntries, number: np.uint32) -> bool:
    try:
        maker.features_of(view.fetch(np.array([number])).bodies, np.zeros(1, np.int64))
        return True
    except (DamagedDocumentError, ValueError):
        return False


def _verified(
    maker: EntryMaker,
    view: SearchedEntries,
    texts: Texts,
    names: Sequence[str | None],
    features: FeatureLists,
    sides: tuple[Ints, Numbers],
    least: float | None,
) -> Found | None:
    rows, numbers = sides
    if not len(rows):
        return None
    documents, place = _distinct(numbers, len(texts))
    if maker.by_rooms:
        kept = view.fetch(documents)
        found = _by_rooms(maker, texts, kept)
        candidates = np.isin(found.left << 32 | found.right, rows << 32 | place)
        others = _others(texts, names, (found.left, found.right), kept)
        return found.take(candidates & others)
    is_few = len(documents) <= (AT_ONCE if maker.by_terms else FEW)
    kept = view.fetch(documents, with_bodies=is_few)
    # Before the bodies are taken apart: most who ask about a document of the index want the others.
    others = _others(texts, names, (rows, place), kept)
    rows, place = rows[others], place[others]
    if not len(rows):
        return None
    if is_few:
        return _scored(maker, texts, features, kept, (rows, place), least)
    parts = []
    for begin in range(0, len(documents), AT_ONCE):
        inside = (place >= begin) & (place < begin + AT_ONCE)
        if not inside.any():
            continue
        # Equal documents match alike: the body of one of each is fetched and taken apart.
        digests = kept.digests[begin : begin + AT_ONCE]
        _, first, same = np.unique(digests, return_index=True, return_inverse=True)
        leaders = np.sort(first)
        held = view.fetch(documents[begin + leaders])
        equal = np.searchsorted(leaders, first[same.reshape(-1)])
        within = rows[inside], place[inside] - begin
        part = _scored(maker, texts, features, held, within, least, equal)
        part.right += begin
        parts.append(part)
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("left", "right", "scores", "shared", "left_sizes")
    }
    found = Found(**joined, kept=kept)
    return found.take(np.argsort(found.left, kind="stable"))


def _distinct(numbers: Numbers, asked: int) -> tuple[Numbers, Ints]:
    """Each document once, by rising numbers, and the place of each number among them."""
    if asked == 1:  # then they are so already
        return numbers, np.arange(len(numbers))
    documents, place = np.unique(numbers, return_inverse=True)
    return documents, place.reshape(-1)


def _others(
    texts: Texts, names: Sequence[str | None], sides: tuple[Ints, Ints], kept: KeptDocuments
) -> NDArray[np.bool_]:
    """Which pairs are not of a document and itself."""
    others, ids = np.ones(len(sides[0]), bool), kept.ids
    if {*names}.isdisjoint(ids):
        return others
    pairs = list(zip(*(side.tolist() for side in sides), strict=True))
    if same := [at for at, (row, place) in enumerate(pairs) if ids[place] == names[row]]:
        digests = digests_of(texts)
        for at in same:
            row, place = pairs[at]
            others[at] = kept.digests[place] != digests[row]
    return others


def _scored(
    maker: EntryMaker,
    texts: Texts,
    features: FeatureLists,
    kept: KeptDocuments,
    sides: tuple[Ints, Ints],
    least: float | None,
    equal: Ints | None = None,
) -> Found:
    """By the measure of the plan over features, or by the terms of the texts.

    Candidate ``i`` has the body ``equal[i]``, or its own.
    """
    left, right = sides
    wanted = right if equal is None else equal[right]
    if maker.by_terms:
        score = maker.decided(texts, kept.bodies, (left, wanted), least)
        same = digests_of(texts)[left] == kept.digests[wanted]
        score = np.where(same, 1.0, score)
        good = ~np.isnan(score)
        unknown = np.full(int(good.sum()), -1)
        return Found(left[good], right[good], score[good], unknown, unknown, kept)
    lists, goal = maker.features_of(kept.bodies, wanted), maker.goal
    if equal is not None:
        lists = lists.take(equal)
    return Found(
        *_kernels.matches_between(
            features.values,
            features.offsets,
            lists.values,
            lists.offsets,
            left,
            right,
            goal.measure.number,
            goal.threshold if least is None else least,
            1,
        ),
        kept,
    )


def _by_rooms(maker: EntryMaker, texts: Texts, kept: KeptDocuments) -> Found:
    """By the rooms of the local engine, over the texts asked about and the candidates."""
    asked = len(texts)
    plan, resources = maker.contents.plan, Resources.make(threads=1)
    search, judge = maker.search, judge_of(plan, resources)
    collector = Collector(search, resources, judge, rewriter=maker.rewriter)
    asked_about = utf8(texts) if isinstance(texts, Ragged) else texts
    for some in (asked_about, unpacked(kept.bodies)):
        ids = pa.repeat(pa.scalar("", pa.large_string()), len(some))
        batch = Batch(ids, some, "", np.zeros(len(some), np.int64))
        collector.take(collector.work(batch))
    collected = collector.finish()
    count = len(collected)
    # Only pairs with a text asked about are wanted; what is kept makes none with itself.
    reference = np.arange(count) >= asked
    copies = Copies.of(collected, search, judge)
    preferred = Preference(np.arange(count), np.zeros(count, bool))
    classes = Classes.of(copies, preferred, reference)
    search.identify(collected.ids, classes.leader)
    paired = pair(collected, search, classes, copies, preferred, judge, resources)
    listed, _ = expand(paired, classes, collected, 1 << 62, 1)
    cross = np.flatnonzero((listed.left < asked) & (listed.right >= asked))
    cross = cross[np.argsort(listed.left[cross], kind="stable")]
    left, right = listed.left[cross], listed.right[cross] - asked
    return Found(
        left,
        right,
        listed.score[cross],
        listed.shared[cross],
        collected.sizes[left].astype(np.int64),
        dataclasses.replace(kept, sizes=collected.sizes[asked:].astype(np.uint32)),
    )


class MemoryView:
    """Entries of one batch, by their rows: to hold them against each other before they are kept."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        owners = np.repeat(np.arange(len(entries), dtype=np.uint32), entries.keys.lengths)
        keys, numbers = _kernels.sorted_keys(entries.keys.flat, owners, 1)
        self._search = _kernels.KeySearch()
        self._search.add(keys, numbers, _kernels.key_directory(keys, 0), 0)

    def search(self, keys: FeatureLists, crowd: Crowd = NO_CROWD) -> Sharers:
        """The documents that share keys with each row of ``keys``; of a crowd the nearest."""
        nobody = np.empty(0, np.uint8)
        return Sharers(*self._search.find(keys.values, keys.offsets, nobody, *crowd))

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents by their rows, which are their ids as well: ids may repeat."""
        some, rows = self._entries, numbers.astype(np.int64)
        return KeptDocuments(
            [str(row) for row in rows.tolist()],
            some.digests[rows],
            some.sizes[rows],
            some.bodies.take(rows),
        )
