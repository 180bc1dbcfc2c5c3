"""Documents that no chain of links connects do not change each other's answer.

So a collection can be cut into its linked parts, each be worked on apart, and the answers be put
together: with the positions and the counts of the whole, nothing differs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.kernels.twins import count_features
from twinset import Plan, _kernels
from twinset.finding.candidates.base import counters
from twinset.finding.methods.base import links_of
from twinset.model import Batch, FeatureLists, Ints
from twinset.plan import Resources
from twinset.run.clustering import Clustered, cluster_pairs, removal
from twinset.run.copies import Classes, Copies
from twinset.run.documents import Preference
from twinset.run.pairing import pair
from twinset.run.progress import Silent
from twinset.run.searching import begin, judge_of
from twinset.run.streaming import Collector, survey

RESOURCES = Resources.make(threads=1, memory=200 << 20)
METHODS = [
    *("minhash", "exact", "bottom", "bottom:size=16", "sketch", "sketch:image=bottom"),
    *("md5", "tf", "tfidf", "longsent", "heavysent", "megashingles", "lexrand", "logshingles"),
    *("descrwords", "optfreq", "decomposition", "threefive", "supershingles", "imatch"),
    *("wordlists", "spotsigs", "simhash", "lexical"),
]
KINDS = ["anchored", "components", "cliques"]


class Texts:
    """Documents in one batch."""

    total_bytes = 0

    def __init__(self, texts: list[str]) -> None:
        count = len(texts)
        self.batch = Batch(
            pa.array([str(n) for n in range(count)], pa.large_string()),
            pa.array(texts, pa.large_string()),
            "",
            np.arange(1, count + 1),
        )

    def batches(self) -> Iterator[Batch]:
        yield self.batch


@dataclass(frozen=True)
class Case:
    """Documents in an order of preference, which is that of their positions in a larger one."""

    texts: list[str]
    position: Ints
    kept: Any

    def take(self, chosen: Ints) -> Case:
        return Case([self.texts[n] for n in chosen], self.position[chosen], self.kept[chosen])


def begun(plan: Plan, case: Case, known: Any) -> tuple[Any, Any]:
    """A search that has the statistics it needs, and what collects documents for it."""
    search = begin(plan, RESOURCES, known)
    if known is None:
        survey(Texts(case.texts), search.surveys(), Silent())
    return search, Collector(search, RESOURCES, judge_of(plan, RESOURCES))


@dataclass(frozen=True)
class Answer:
    """What was found, by the numbers of the whole collection."""

    pairs: set[tuple[Any, ...]]
    clusters: list[tuple[Any, ...]]
    removed: dict[int, tuple[Any, ...]]
    absorbed: int

    def rows(self) -> tuple[Any, ...]:
        """All but what clusters are ordered by."""
        return self.pairs, [cluster[3:] for cluster in self.clusters], self.removed, self.absorbed

    @classmethod
    def of(cls, plan: Plan, case: Case, number: Ints, known: Any, counts: Any) -> Answer:
        search, collector = begun(plan, case, known)
        if counts is not None:
            links_of(search).count_by(counts)
        collector.take(collector.work(Texts(case.texts).batch))
        collected = collector.finish()
        copies = Copies.of(collected, search, collector.judge)
        preferred = Preference(np.argsort(case.position), case.kept, positions=case.position)
        classes = Classes.of(copies, preferred)
        search.identify(collected.ids, classes.leader)
        rooms = collected, search, classes, copies, preferred, collector.judge, RESOURCES
        paired = pair(*rooms)
        clustered = cluster_pairs(plan.clusters, paired, classes)
        target, score = removal(paired.graph, paired.leaders, classes, case.kept)
        found = paired.pairs
        ends = number[found.left].tolist(), number[found.right].tolist()
        return cls(
            set(zip(*ends, found.shared.tolist(), found.score.tolist(), strict=True)),
            [*_clusters(clustered, number, case.position)],
            {
                int(number[n]): (int(number[target[n]]), float(score[n]))
                for n in np.flatnonzero(target != np.arange(len(target)))
            },
            paired.absorbed,
        )


def _clusters(clustered: Clustered, number: Ints, order: Ints) -> Iterator[tuple[Any, ...]]:
    """Each cluster, behind what it is ordered by."""
    clusters = clustered.clusters
    for cluster in range(len(clusters)):
        rows = np.flatnonzero(clusters.cluster == cluster)
        anchor = clusters.anchor[rows]
        yield (
            cluster >= len(clusters) - clustered.alone,
            int(order[clustered.first[cluster]]),
            cluster,
            number[clusters.member[rows]].tolist(),
            np.where(anchor >= 0, number[np.maximum(anchor, 0)], -1).tolist(),
            str(clusters.score[rows].tolist()),  # some are no numbers
            str(clusters.weakest[cluster]),
            bool(clusters.chained[cluster]),
        )


def put_together(parts: list[Answer]) -> Answer:
    """What all parts have found, clusters in order."""
    return Answer(
        set().union(*(part.pairs for part in parts)),
        sorted(cluster for part in parts for cluster in part.clusters),
        {n: row for part in parts for n, row in part.removed.items()},
        sum(part.absorbed for part in parts),
    )


def parts_of(plan: Plan, case: Case) -> tuple[list[Ints], Any, Any]:
    """The linked parts, then all other documents, with the statistics and counts of the whole."""
    search, collector = begun(plan, case, None)
    assert search.has_links
    known = links_of(search)
    prepared = collector.prepare(Texts(case.texts).batch)
    features, counts = prepared.features, None
    lists = known.counted(features, 1)
    if lists is None:
        links = known.links(features, 1)
    else:
        _, one_of_each = np.unique(np.array(case.texts), return_index=True)
        counted = lists.take(one_of_each)
        counts = count_features(counted.flat, counters(len(counted.flat)))
        known.count_by(counts)
        links = known.counted_links(lists, 1)
    first = {text: n for n, text in reversed(list(enumerate(case.texts)))}
    edges = [*edges_of(links, known), *((first[text], n) for n, text in enumerate(case.texts))]
    left, right = np.array(edges, np.uint32).reshape(-1, 2).T.copy()
    root = np.asarray(_kernels.component_roots(len(case.texts), left, right))
    inside = np.bincount(root)[root] > 1
    parts = [np.flatnonzero(root == one) for one in np.unique(root[inside])]
    return [*parts, np.flatnonzero(~inside)], search.statistics, counts


def edges_of(links: FeatureLists, search: Any = None) -> Iterator[tuple[int, int]]:
    """Documents with equal keys, and near prints where the search has any."""
    keys: dict[int, list[int]] = {}
    for document, row in enumerate(links):
        for key in row.tolist():
            keys.setdefault(key, []).append(document)
    prints = None if search is None else search.prints()
    for members in keys.values():
        if prints is None:
            yield from ((members[0], other) for other in members)
        else:
            ends = search.near(prints[members], 1)
            yield from ((members[a], members[b]) for a, b in zip(*ends, strict=True))


def made(seed: int, count: int, step: int) -> Case:
    """Documents of a few templates in turn, each with words of its own: crowds, chains and copies.

    In the order of preference as many as ``step`` others may lie between two of them.
    """
    draw = random.Random(seed)
    footer = [f"common{n}" for n in range(10)]
    templates = []
    for name in range(draw.randint(1, 5)):
        own = [f"word{name}x{n}" for n in range(30)]
        words = [draw.choice(own) for _ in range(40)] + draw.choice([[], footer])
        stops = [word + "." if n % 8 == 7 else word for n, word in enumerate(words)]
        templates.append((own, stops, draw.choice([0, 0.02, 0.05, 0.1, 0.2])))
    texts: list[str] = []
    for _ in range(count):
        own, words, share = draw.choice(templates)
        changed = [draw.choice(own) if draw.random() < share else word for word in words]
        texts.append(" ".join(changed))
    order = np.array(draw.sample(range(count), count))
    share = draw.choice([0, 0, 0.2])
    kept = np.array([draw.random() < share for _ in range(count)])
    order = np.concatenate([order[kept[order]], order[~kept[order]]])
    position = np.empty(count, np.int64)
    position[order] = np.cumsum([draw.randint(1, step) for _ in range(count)])
    return Case(texts, position, kept)


CASES = st.builds(made, st.integers(0, 1 << 30), st.integers(1, 60), st.sampled_from([1, 40, 600]))


def assert_parts_give_the_whole(plan: Plan, case: Case) -> None:
    parts, statistics, counts = parts_of(plan, case)
    whole = Answer.of(plan, case, np.arange(len(case.texts)), statistics, None)
    apart = [
        Answer.of(plan, case.take(part), part, statistics, counts) for part in parts if len(part)
    ]
    assert put_together(apart).rows() == whole.rows()


@pytest.mark.filterwarnings("ignore::twinset.errors.UnusedOption")
@pytest.mark.parametrize("method", METHODS)
@given(
    CASES,
    st.sampled_from(KINDS),
    st.sampled_from([1, 2, 3, 1000]),
    st.sampled_from([0.3, 0.5, 0.8]),
)
@examples(30)
def test_linked_parts_give_together_what_the_whole_gives(
    method: str, case: Case, kind: str, dense: int, threshold: float
) -> None:
    plan = Plan.make(method=method, clusters=kind, dense=dense, threshold=threshold)
    assert_parts_give_the_whole(plan, case)


@pytest.mark.parametrize("method", ["minhash", "exact", "bottom", "sketch"])
@pytest.mark.parametrize(
    ("seed", "step", "dense", "threshold"),
    [(6, 600, 2, 0.5), (11, 40, 20, 0.5), (13, 40, 5, 0.8), (38, 600, 20, 0.5)],
)
def test_so_they_do_where_bounds_are_met(
    method: str, seed: int, step: int, dense: int, threshold: float
) -> None:
    """These collections have shown what goes by ranks, counts or crowds of all documents."""
    plan = Plan.make(method=method, dense=dense, threshold=threshold)
    assert_parts_give_the_whole(plan, made(seed, 700, step))
