"""From candidates to matches: each is verified as a run of the plan would verify it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import Preference
from twinset.engine.pairing import expand, pair
from twinset.engine.searching import judge_of
from twinset.engine.streaming import Collector
from twinset.index.entries import EntryMaker, unpacked
from twinset.index.store import KeptDocuments, Numbers, SearchedEntries
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, FeatureLists, Features, Floats, Ints
from twinset.plan import Resources

AT_ONCE = 20_000
"""Candidates that are verified at a time."""


@dataclass(slots=True)
class Found:
    """Verified matches: rows of the texts asked about, and documents; -1 counts what is unknown."""

    rows: Ints
    numbers: Numbers
    scores: Floats
    shared: Ints
    left_sizes: Ints
    right_sizes: Ints

    @classmethod
    def nothing(cls) -> Found:
        """No match."""
        empty = np.empty(0, np.int64)
        return cls(empty, np.empty(0, np.uint32), np.empty(0), empty, empty, empty)

    @classmethod
    def joined(cls, parts: list[Found]) -> Found:
        """The matches of all parts."""
        if len(parts) == 1:
            return parts[0]
        columns = ("rows", "numbers", "scores", "shared", "left_sizes", "right_sizes")
        whole = [cls.nothing(), *parts]
        return cls(*(np.concatenate([getattr(part, name) for part in whole]) for name in columns))


def matches_of(
    maker: EntryMaker, view: SearchedEntries, texts: pa.Array, threads: int = 1
) -> tuple[Found, FeatureLists]:
    """The verified matches of texts in an index, and the features of the texts."""
    keys, features = maker.keys_and_features(texts, threads)
    rows, numbers = view.search(keys)
    if not len(rows):
        return Found.nothing(), features
    # Equal documents match alike: one of each is looked at.
    documents, place = np.unique(numbers, return_inverse=True)
    digests = view.digests(documents)
    _, first, same = np.unique(digests, return_index=True, return_inverse=True)
    leaders = first[same.reshape(-1)]
    leader = leaders[place.reshape(-1)]
    pairs = np.unique(rows.astype(np.uint64) << np.uint64(32) | leader.astype(np.uint64))
    asked, whom = (
        (pairs >> np.uint64(32)).astype(np.int64),
        (pairs & np.uint64(2**32 - 1)).astype(np.int64),
    )
    parts = []
    used = np.unique(whom)
    for begin in range(0, len(used), AT_ONCE):
        some = used[begin : begin + AT_ONCE]
        inside = np.isin(whom, some) if len(used) > AT_ONCE else np.ones(len(whom), bool)
        kept = view.fetch(documents[some])
        sides = asked[inside], np.searchsorted(some, whom[inside])
        verify = _by_features if maker.is_simple else _by_rooms
        part = verify(maker, texts, features, kept, sides, threads)
        part.numbers = some[part.numbers].astype(np.uint32)
        parts.append(part)
    found = Found.joined(parts)
    if len(pairs) == len(rows):
        found.numbers = documents[found.numbers]
        return found, features
    return _spread(found, rows, numbers, leader), features


def _spread(found: Found, rows: Ints, numbers: Numbers, leader: Ints) -> Found:
    """The matches of leaders as those of all documents that are equal to them."""
    known = found.rows.astype(np.uint64) << np.uint64(32) | found.numbers.astype(np.uint64)
    order = np.argsort(known)
    wanted = rows.astype(np.uint64) << np.uint64(32) | leader.astype(np.uint64)
    place = np.searchsorted(known[order], wanted)
    inside = place < len(known)
    inside[inside] = known[order][place[inside]] == wanted[inside]
    source = order[place[inside]]
    return Found(
        rows[inside],
        numbers[inside],
        found.scores[source],
        found.shared[source],
        found.left_sizes[source],
        found.right_sizes[source],
    )


def _by_features(
    maker: EntryMaker,
    texts: pa.Array,
    features: FeatureLists,
    kept: KeptDocuments,
    sides: tuple[Ints, Ints],
    threads: int,
) -> Found:
    """By the measure of the plan, over features or over sketches."""
    left, right = sides
    goal = maker.goal
    ours, theirs = features.lengths[left], kept.sizes[right].astype(np.int64)
    if maker.contents.kept == "sketches":
        shared = np.full(len(left), -1)
        scores = _estimated(maker, features, kept, left, right)
        scores[(ours == 0) | (theirs == 0)] = 0
    else:
        lists = maker.features_of(kept.bodies)
        first, second = (features.values, features.offsets), (lists.values, lists.offsets)
        shared = _kernels.shared_between(*first, *second, left, right, threads)
        scores = goal.measure.score(shared, ours, theirs)
    good = np.flatnonzero((scores >= goal.threshold) & (ours > 0))
    return Found(
        left[good],
        right[good].astype(np.uint32),
        scores[good],
        shared[good],
        ours[good],
        theirs[good],
    )


def _estimated(
    maker: EntryMaker, features: FeatureLists, kept: KeptDocuments, left: Ints, right: Ints
) -> Floats:
    """Similarities by the share of equal bytes, of which one in 256 is equal by chance."""
    ours = maker.sketches(features)
    theirs = kept.bodies.flat.reshape(len(kept.ids), -1)
    agree = (ours[left] == theirs[right]).mean(axis=1)
    estimate: Floats = np.maximum((agree - 1 / 256) / (1 - 1 / 256), 0)
    return estimate


def _by_rooms(
    maker: EntryMaker,
    texts: pa.Array,
    features: FeatureLists,
    kept: KeptDocuments,
    sides: tuple[Ints, Ints],
    threads: int,
) -> Found:
    """By the rooms of the local engine, over the texts asked about and the candidates."""
    asked = len(texts)
    plan, resources = maker.contents.plan, Resources.make(threads=threads)
    search, judge = maker.search, judge_of(plan, resources)
    collector = Collector(search, resources, judge, rewriter=maker.rewriter)
    for some in (texts, unpacked(kept.bodies)):
        ids = pa.repeat(pa.scalar("", pa.large_string()), len(some))
        batch = Batch(ids, some, "", np.zeros(len(some), np.int64))
        collector.take(collector.work(batch))
    collected = collector.finish()
    count = len(collected)
    # Only pairs with a text asked about are wanted; what is kept makes none with itself.
    reference = np.arange(count) >= asked
    copies = Copies.of(collected, search, judge)
    order = np.arange(count)
    preferred = Preference(order, np.zeros(count, bool))
    classes = Classes.of(copies, preferred, reference)
    search.identify(collected.ids, classes.leader)
    paired = pair(collected, search, classes, copies, preferred, judge, resources)
    listed, _ = expand(paired, classes, collected, 1 << 62, threads)
    cross = (listed.left < asked) & (listed.right >= asked)
    left, right = listed.left[cross], listed.right[cross] - asked
    sizes = collected.sizes.astype(np.int64)
    return Found(
        left,
        right.astype(np.uint32),
        listed.score[cross],
        listed.shared[cross],
        sizes[left],
        sizes[right + asked],
    )


def without_itself(
    found: Found, ids: NDArray[np.object_], digests: Features, view: SearchedEntries
) -> tuple[Found, dict[int, str]]:
    """Without the matches of documents with themselves, and the ids of all documents matched."""
    documents = np.unique(found.numbers)
    kept = view.fetch(documents, with_bodies=False)
    names = dict(zip(documents.tolist(), kept.ids, strict=True))
    place = np.searchsorted(documents, found.numbers)
    itself = kept.digests[place] == digests[found.rows]
    for at in np.flatnonzero(itself).tolist():
        itself[at] = ids[found.rows[at]] == kept.ids[place[at]]
    if not itself.any():
        return found, names
    other = ~itself
    columns = (
        found.rows,
        found.numbers,
        found.scores,
        found.shared,
        found.left_sizes,
        found.right_sizes,
    )
    return Found(*(column[other] for column in columns)), names
