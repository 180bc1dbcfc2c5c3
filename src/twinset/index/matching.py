"""From candidates to matches: each is verified as a run of the plan would verify it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import Preference
from twinset.engine.pairing import expand, pair
from twinset.engine.searching import judge_of
from twinset.engine.streaming import Collector
from twinset.index.entries import EntryMaker, digests_of, unpacked
from twinset.index.store import KeptDocuments, Numbers, SearchedEntries
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, FeatureLists, Floats, Ints
from twinset.plan import Resources

FEW = 64
"""Candidates that are verified whether or not some are equal."""
AT_ONCE = 20_000
"""Candidates that are verified at a time."""


@dataclass(slots=True)
class Found:
    """Verified matches: rows of the texts asked about, and the documents that they match.

    ``right`` are rows of ``kept``; ``shared`` is -1 where it is not known.
    """

    left: Ints
    right: Ints
    scores: Floats
    shared: Ints
    left_sizes: Ints
    kept: KeptDocuments


def matches_of(
    maker: EntryMaker,
    view: SearchedEntries,
    texts: pa.Array,
    names: Sequence[str | None] | None = None,
    threads: int = 1,
) -> Found | None:
    """The verified matches of texts in an index; None where there is none.

    With ``names`` a document does not match itself: the one of the same id and text.
    """
    keys, features = maker.keys_and_features(texts, threads)
    rows, numbers = view.search(keys)
    if names is not None and maker.is_simple and len(rows):
        rows, numbers = _candidates_but_itself(view, texts, names, rows, numbers)
    if not len(rows):
        return None
    found = _verified(maker, view, texts, features, (rows, numbers), threads)
    if names is None or maker.is_simple:
        return found
    return _matches_but_itself(found, texts, names)


def _verified(
    maker: EntryMaker,
    view: SearchedEntries,
    texts: pa.Array,
    features: FeatureLists,
    candidates: tuple[Ints, Numbers],
    threads: int,
) -> Found:
    rows, numbers = candidates
    documents, place = _distinct(numbers, len(texts))
    verify = _by_features if maker.is_simple else _by_rooms
    if len(documents) <= FEW:
        kept = view.fetch(documents)
        return verify(maker, texts, features, kept, (rows, place), threads)
    # Equal documents match alike: one of each is looked at, some thousands at a time.
    _, first, same = np.unique(view.digests(documents), return_index=True, return_inverse=True)
    leader = first[same.reshape(-1)][place]
    parts = []
    used = np.unique(leader)
    for begin in range(0, len(used), AT_ONCE):
        some = used[begin : begin + AT_ONCE]
        inside = (leader >= some[0]) & (leader <= some[-1])
        pairs = np.unique(np.stack([rows[inside], leader[inside]], axis=1), axis=0)
        kept = view.fetch(documents[some])
        sides = np.ascontiguousarray(pairs[:, 0]), np.searchsorted(some, pairs[:, 1])
        part = verify(maker, texts, features, kept, sides, threads)
        part.right = some[part.right]
        parts.append(part)
    columns = ("left", "right", "scores", "shared", "left_sizes")
    whole = [np.concatenate([getattr(part, name) for part in parts]) for name in columns]
    return _spread(whole, (rows, place, leader), view, documents)


def _distinct(numbers: Numbers, asked: int) -> tuple[Numbers, Ints]:
    """Each document once, by rising numbers, and the place of each number among them."""
    if asked == 1:  # then they are so already
        return numbers, np.arange(len(numbers))
    documents, place = np.unique(numbers, return_inverse=True)
    return documents, place.reshape(-1)


def _candidates_but_itself(
    view: SearchedEntries,
    texts: pa.Array,
    names: Sequence[str | None],
    rows: Ints,
    numbers: Numbers,
) -> tuple[Ints, Numbers]:
    """Without the documents themselves, before any of them is read back."""
    documents, place = _distinct(numbers, len(texts))
    same = (view.digests(documents)[place] == digests_of(texts)[rows]).nonzero()[0]
    if not len(same):
        return rows, numbers
    equal, at = _distinct(numbers[same], len(texts))
    ids = view.fetch(equal, with_bodies=False).ids
    pairs = zip(rows[same].tolist(), at.tolist(), strict=True)
    others = np.ones(len(rows), bool)
    others[same] = [ids[right] != names[left] for left, right in pairs]
    return rows[others], numbers[others]


def _spread(
    found: list[NDArray[Any]],
    candidates: tuple[Ints, Ints, Ints],
    view: SearchedEntries,
    documents: Numbers,
) -> Found:
    """The matches of leaders as those of all documents that are equal to them."""
    rows, place, leader = candidates
    high = np.uint64(32)
    known = found[0].astype(np.uint64) << high | found[1].astype(np.uint64)
    order = np.argsort(known)
    known = known[order]
    wanted = rows.astype(np.uint64) << high | leader.astype(np.uint64)
    at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    inside = known[at] == wanted if len(known) else np.zeros(len(wanted), bool)
    source = order[at[inside]]
    matched, right = np.unique(place[inside], return_inverse=True)
    kept = view.fetch(documents[matched], with_bodies=False)
    scores, shared, sizes = (column[source] for column in found[2:])
    return Found(rows[inside], right.reshape(-1), scores, shared, sizes, kept)


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
    good = ((scores >= goal.threshold) & (ours > 0)).nonzero()[0]
    return Found(left[good], right[good], scores[good], shared[good], ours[good], kept)


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
    return Found(
        left,
        right,
        listed.score[cross],
        listed.shared[cross],
        collected.sizes[left].astype(np.int64),
        dataclasses.replace(kept, sizes=collected.sizes[asked:].astype(np.uint32)),
    )


def _matches_but_itself(found: Found, texts: pa.Array, names: Sequence[str | None]) -> Found:
    """Without the documents themselves: the rooms compare all texts with all candidates."""
    kept, digests = found.kept, digests_of(texts)
    others = np.array(
        [
            kept.ids[right] != names[left] or kept.digests[right] != digests[left]
            for left, right in zip(found.left.tolist(), found.right.tolist(), strict=True)
        ],
        bool,
    )
    return Found(
        found.left[others],
        found.right[others],
        found.scores[others],
        found.shared[others],
        found.left_sizes[others],
        kept,
    )
