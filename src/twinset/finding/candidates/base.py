"""What the candidate generators share: the groups they yield and the goal they are made for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged, SetMeasure
from twinset.plan import Resources


@dataclass(frozen=True, slots=True)
class Chains:
    """Chains without repeats and without those inside others, and what they were made by."""

    groups: Groups
    lengths: Ints
    ratio: float

    @classmethod
    def of(cls, groups: Groups, lengths: Ints, ratio: float) -> Chains:
        """Chains in which no document is more than ``ratio`` times as long as the one before."""
        members = groups.members
        offsets, documents = _kernels.chains(members.offsets, members.values, lengths, ratio)
        return cls(Groups(Ragged(documents, offsets)), lengths, ratio)

    def pairs(self) -> tuple[Numbers, Numbers]:
        """Pairs in a chain whose lengths are within the ratio, left < right, each once."""
        members = self.groups.members
        return _kernels.chain_pairs(members.offsets, members.values, self.lengths, self.ratio)


Numbers = NDArray[np.uint32]
Counts = NDArray[np.uint16]
"""How many documents have each feature, by counters that features share."""
JACCARD, OVERLAP = 0, 4  # the kernels' numbers of the measures that images are joined by
UNKNOWN = 0xFFFFFFFF
ENDLESS = 1 << 62


@dataclass(frozen=True, slots=True)
class Goal:
    """What is sought: pairs at or above a threshold, and the share of them to be found."""

    measure: SetMeasure
    threshold: float
    recall: float
    dense: int

    def least_jaccard(self) -> float:
        """The similarity that bands and samples are solved for; refused where there is none."""
        least = self.measure.least_jaccard(self.threshold)
        if least is None:
            name = type(self.measure).__name__.lower()
            raise PlanError([f"no recall can be promised for the measure {name}: use --exact"])
        return least


@dataclass(frozen=True, slots=True)
class Groups:
    """Documents that share a key: a row of ``members`` is a group, in ascending order.

    ``alone`` has, for some documents, how many of their features no other one of them has. In a
    group of more than ``crowd`` documents only leaders are compared.
    """

    members: Ragged[np.uint32]
    alone: dict[str, Numbers] = field(default_factory=dict)
    crowd: int = ENDLESS

    def __len__(self) -> int:
        return len(self.members)

    def crowded(self) -> bool:
        """Whether there is a group in which only leaders are compared."""
        return bool((self.members.lengths > self.crowd).any())

    def distinct(self) -> tuple[Ints, Ints]:
        """The first group of each set of documents, and how many groups are that set."""
        sizes, begins = self.members.lengths, self.members.offsets[:-1]
        if not len(sizes):
            return sizes, sizes
        documents = self.members.values.astype(np.uint64)
        mixed = (documents + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        names = np.stack(
            [
                np.add.reduceat(mixed * mixed, begins),
                np.add.reduceat(mixed, begins),
                sizes.astype(np.uint64),
            ]
        )
        _, first, times = np.unique(names, axis=1, return_index=True, return_counts=True)
        order = np.argsort(first)
        return first[order], times[order]

    def alone_of(self, documents: Ints) -> Numbers:
        """For each document the features it alone has, `UNKNOWN` where that was not counted."""
        if not self.alone:
            return np.full(len(documents), UNKNOWN, np.uint32)
        most = int(max(documents.max(initial=0), self.alone["document"].max(initial=0)))
        known = np.full(most + 1, UNKNOWN, np.uint32)
        known[self.alone["document"]] = self.alone["count"]
        return known[documents]


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs that a search has decided on by itself, each once, with its own score.

    ``absorbed`` documents were compared with anchors alone, which left about ``not_enumerated``
    pairs out.
    """

    left: Numbers
    right: Numbers
    score: Floats
    compared: int
    absorbed: int = 0
    not_enumerated: int = 0


class LinkKeys:
    """Keys of documents: those that no chain of shared keys connects do not meet.

    What compares documents by other keys than their features overrides these methods.
    """

    def counted(self, features: FeatureLists, threads: int) -> FeatureLists | None:
        """Lists whose features must be counted before there are links; None where none must be.

        Those of the documents that are compared, one of each class: in how many lists each feature
        is, by its last bits, cut at `TOP`, with as many `counters` as all these features ask for.
        """
        return None

    def count_by(self, counts: Counts) -> None:
        """Take over the counts of the whole collection."""

    def counted_links(self, lists: FeatureLists, threads: int) -> FeatureLists:
        """What `links` gives, of lists that `counted` has given before."""
        raise NotImplementedError

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """Keys of the documents whose features were made last."""
        return features

    def asked_links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The keys that documents are asked about by, where others have those of `links`."""
        return self.links(features, threads)

    def prints(self) -> Features | None:
        """For the same documents what `near` compares; None where equal keys are enough."""
        return None

    def near(self, prints: Features, threads: int) -> tuple[Numbers, Numbers]:
        """Of documents that share a key, by their prints, those that are linked indeed."""
        raise NotImplementedError


class Candidates(LinkKeys):
    """Collects keys of documents as they stream by."""

    def prepare(self, features: FeatureLists, threads: int) -> Any:
        """What `add` needs of the feature lists of a batch; nothing is kept here."""

    def add(self, prepared: Any, documents: Numbers) -> None:
        """Take in these documents."""

    def groups(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Groups:
        """The groups among the documents marked in ``use``."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """What was solved for, for the manifest."""
        raise NotImplementedError

    def probability(self, similarity: float) -> float:
        """The chance that a pair of this Jaccard similarity becomes a candidate."""
        raise NotImplementedError


class PrefixLinks(LinkKeys):
    """Links of whatever is joined by its prefixes: these, by counts of the whole collection.

    They are not pruned: no pair is missed, whatever the counts.
    """

    counts: Counts | None = None

    def counted(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The lists that are joined."""
        raise NotImplementedError

    def joined_by(self) -> tuple[int, float]:
        """The number of the measure, and the threshold."""
        raise NotImplementedError

    def count_by(self, counts: Counts) -> None:
        """Take over the counts of the whole collection."""
        self.counts = counts

    def counted_links(self, lists: FeatureLists, threads: int) -> FeatureLists:
        """The features of the prefix of each list."""
        if self.counts is None:
            raise ValueError("links need the counts of the whole collection")
        asked = self.counts, *self.joined_by(), threads
        return Ragged(*_kernels.prefix_keys(lists.values, lists.offsets, *asked))

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The prefixes."""
        return self.counted_links(self.counted(features, threads), threads)


COUNTING = 4
"""The part of the room that counters of features may take."""


MANY = 10_000
"""Documents from which on a join frees so much memory that it is worth giving back."""


def counters(features: int) -> int:
    """Hashed counters for the prefix order: about two per feature, 256 MB at most.

    Not a matter of the memory limit, for in a crowd they decide who meets whom; how many of them
    are held at a time is.
    """
    return 1 << min(max((2 * features).bit_length(), 16), 27)


TOP = 60_000
"""The most that a counter says; beyond that a feature is merely frequent."""


def prefix_groups(
    store: _kernels.FeatureStore,
    documents: Numbers,
    measure: int,
    threshold: float,
    resources: Resources,
    prune: bool = False,
    counts: Counts | None = None,
) -> Groups:
    """Groups of the documents that share a feature of their prefixes: the exact join's keys.

    ``prune`` leaves out documents of large groups that can have no pair there at this threshold by
    this measure: for whoever asks for such pairs and no others. ``counts`` are those of a larger
    collection that these documents are a part of.
    """
    grouper = _kernels.Grouper(resources.keys_bytes, resources.folder)
    alone = grouper.add_prefixes(
        store,
        documents,
        measure,
        threshold,
        counters(int(store.sizes[documents].sum())),
        np.empty(0, np.uint16) if counts is None else counts,
        resources.room // COUNTING,
        resources.folder,
        prune,
        resources.threads,
    )
    if len(documents) > MANY:
        _kernels.give_back_memory()  # what each step has freed serves the next one
    groups = finished(grouper, np.empty(0, np.uint8), resources, distinct=True)
    if len(documents) > MANY:
        _kernels.give_back_memory()
    return Groups(groups.members, {"document": documents, "count": alone})


def feature_groups(
    store: _kernels.FeatureStore, documents: Numbers, resources: Resources, sample: int = 1
) -> Groups:
    """Groups of the documents that share a feature, of every ``sample``-th feature by its hash."""
    grouper = _kernels.Grouper(resources.keys_bytes, resources.folder)
    _kernels.add_features(grouper, store, documents, sample)
    return finished(grouper, np.empty(0, np.uint8), resources)


def finished(
    grouper: _kernels.Grouper,
    use: NDArray[np.uint8],
    resources: Resources,
    distinct: bool = False,
) -> Groups:
    """All groups of a grouper, of the documents marked in ``use`` or, where it is empty, of all.

    Where they are to be ``distinct``, nearly all that repeat the members of another are left out.
    """
    offsets, members = grouper.finish(use, distinct, resources.threads)
    return Groups(Ragged(members, offsets))
