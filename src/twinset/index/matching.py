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
from twinset.model import Batch, FeatureLists, Features, Floats, Ints, Ragged
from twinset.model.columns import utf8
from twinset.plan import Resources
from twinset.text import Texts

FEW = 64
"""Candidates that are verified whether or not some are equal."""
AT_ONCE = 20_000
"""Candidates that are verified at a time."""
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


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

    def take(self, chosen: NDArray[np.bool_]) -> Found:
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
    threads: int = 1,
) -> Found | None:
    """The verified matches of texts in an index; None where there is none.

    With ``names`` a document does not match itself: the one of the same id and text.
    """
    keys, features = maker.keys_and_features(texts, threads)
    rows, numbers = view.search(keys)
    if not len(rows):
        return None
    documents, place = _distinct(numbers, len(texts))
    if not maker.is_simple:  # the rooms compare all texts with all candidates
        kept = view.fetch(documents)
        found = _by_rooms(maker, texts, kept, threads)
        return found.take(_others(texts, names, (found.left, found.right), kept))
    is_few = len(documents) <= FEW
    kept = view.fetch(documents, with_bodies=is_few)
    # Before the bodies are taken apart: most who ask about a document of the index want the others.
    others = _others(texts, names, (rows, place), kept)
    rows, place = rows[others], place[others]
    if not len(rows):
        return None
    if is_few:
        return _by_features(maker, features, kept, (rows, place), threads)
    return _by_leaders(maker, view, features, (documents, kept), (rows, place), threads)


def _by_leaders(
    maker: EntryMaker,
    view: SearchedEntries,
    features: FeatureLists,
    documents: tuple[Numbers, KeptDocuments],
    sides: tuple[Ints, Ints],
    threads: int,
) -> Found:
    """Equal documents match alike: one of each is looked at, some thousands at a time."""
    (numbers, kept), (rows, place) = documents, sides
    _, first, same = np.unique(kept.digests, return_index=True, return_inverse=True)
    leader = first[same.reshape(-1)][place]
    parts = []
    used = np.unique(leader)
    for begin in range(0, len(used), AT_ONCE):
        some = used[begin : begin + AT_ONCE]
        inside = (leader >= some[0]) & (leader <= some[-1])
        pairs = np.unique(_paired(rows[inside], leader[inside]))
        held = view.fetch(numbers[some])
        left, right = (pairs >> HALF).astype(np.int64), (pairs & LOW).astype(np.int64)
        part = _by_features(maker, features, held, (left, np.searchsorted(some, right)), threads)
        part.right = some[part.right]
        parts.append(part)
    columns = ("left", "right", "scores", "shared", "left_sizes")
    whole = [np.concatenate([getattr(part, name) for part in parts]) for name in columns]
    return _spread(whole, (rows, place, leader), kept)


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


def _paired(rows: Ints, places: Ints) -> Features:
    """Rows and places as one number each, which sort alike."""
    pairs: Features = rows.astype(np.uint64) << HALF | places.astype(np.uint64)
    return pairs


def _spread(
    found: list[NDArray[Any]], candidates: tuple[Ints, Ints, Ints], kept: KeptDocuments
) -> Found:
    """The matches of leaders as those of all documents that are equal to them."""
    rows, place, leader = candidates
    known = _paired(found[0], found[1])
    order = np.argsort(known)
    known = known[order]
    wanted = _paired(rows, leader)
    at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    inside = known[at] == wanted if len(known) else np.zeros(len(wanted), bool)
    source = order[at[inside]]
    scores, shared, sizes = (column[source] for column in found[2:])
    return Found(rows[inside], place[inside], scores, shared, sizes, kept)


def _by_features(
    maker: EntryMaker,
    features: FeatureLists,
    kept: KeptDocuments,
    sides: tuple[Ints, Ints],
    threads: int,
) -> Found:
    """By the measure of the plan, over features or over sketches."""
    left, right = sides
    if maker.contents.kept == "sketches":
        return _by_sketches(maker, features, kept, sides)
    lists, goal = maker.features_of(kept.bodies, right), maker.goal
    return Found(
        *_kernels.matches_between(
            features.values,
            features.offsets,
            lists.values,
            lists.offsets,
            left,
            right,
            goal.measure.number,
            goal.threshold,
            threads,
        ),
        kept,
    )


def _by_sketches(
    maker: EntryMaker, features: FeatureLists, kept: KeptDocuments, sides: tuple[Ints, Ints]
) -> Found:
    """Similarities by the share of equal bytes, of which one in 256 is equal by chance."""
    left, right = sides
    ours, theirs = features.lengths[left], kept.sizes[right]
    sketches = kept.bodies.flat.reshape(len(kept.ids), -1)
    agree = (maker.sketches(features)[left] == sketches[right]).mean(axis=1)
    scores = np.maximum((agree - 1 / 256) / (1 - 1 / 256), 0)
    good = ((scores >= maker.goal.threshold) & (ours > 0) & (theirs > 0)).nonzero()[0]
    unknown = np.full(len(good), -1)
    return Found(left[good], right[good], scores[good], unknown, ours[good], kept)


def _by_rooms(maker: EntryMaker, texts: Texts, kept: KeptDocuments, threads: int) -> Found:
    """By the rooms of the local engine, over the texts asked about and the candidates."""
    asked = len(texts)
    plan, resources = maker.contents.plan, Resources.make(threads=threads)
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
    order = np.arange(count)
    preferred = Preference(order, np.zeros(count, bool))
    classes = Classes.of(copies, preferred, reference)
    search.identify(collected.ids, classes.leader)
    paired = pair(collected, search, classes, copies, preferred, judge, resources)
    listed, _ = expand(paired, classes, collected, 1 << 62, threads)
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
