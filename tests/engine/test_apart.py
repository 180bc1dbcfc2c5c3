"""Documents that no chain of links connects do not change each other's answer.

So a collection can be cut into its linked parts, each be worked on apart, and the answers be put
together: with the positions and the counts of the whole, nothing differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import Plan, _kernels
from twinset.candidates.base import count_features, counters
from twinset.clusters.base import ClustersOfImages
from twinset.engine.clustering import Clustered, cluster_images, cluster_pairs, removal
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import Preference
from twinset.engine.images import image_keeper
from twinset.engine.pairing import pair
from twinset.engine.progress import Silent
from twinset.engine.searching import begin, judge_of
from twinset.engine.streaming import Collector, survey
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, FeatureLists, Ints
from twinset.plan import Resources

RESOURCES = Resources.make(threads=1, memory=200 << 20)
METHODS = [
    *("minhash", "exact", "bottom", "bottom:size=16", "sketch", "sketch:image=bottom"),
    *("md5", "tf", "tfidf", "longsent", "heavysent", "megashingles", "lexrand", "logshingles"),
    *("descrwords", "optfreq", "decomposition", "threefive", "supershingles", "imatch"),
    *("wordlists", "spotsigs", "simhash", "lexical"),
]
KINDS = [
    *("anchored", "components", "cliques"),
    *("closed:k={k}", "closed:share=0.5", "tolerant:k={k},alpha=0.6"),
]


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
        survey(Texts(case.texts), search, Silent())
    keeper = image_keeper(plan, search)
    return search, Collector(search, RESOURCES, judge_of(plan, RESOURCES), keeper)


@dataclass(frozen=True)
class Answer:
    """What was found, by the numbers of the whole collection."""

    pairs: set[tuple[Any, ...]]
    clusters: list[tuple[Any, ...]]
    removed: dict[int, tuple[Any, ...]]
    absorbed: int

    @classmethod
    def of(cls, plan: Plan, case: Case, number: Ints, known: Any, counts: Any) -> Answer:
        search, collector = begun(plan, case, known)
        if counts is not None:
            search.count_by(counts)
        collector.take(collector.work(Texts(case.texts).batch))
        collected = collector.finish()
        copies = Copies.of(collected, search, collector.judge)
        preferred = Preference(np.argsort(case.position), case.kept, positions=case.position)
        classes = Classes.of(copies, preferred)
        search.identify(collected.ids, classes.leader)
        rooms = collected, search, classes, copies, preferred, collector.judge, RESOURCES
        paired = pair(*rooms)
        if isinstance(plan.clusters, ClustersOfImages):
            sets = plan.clusters.find_clusters(collector.images.context(), 1)
            clustered, order = cluster_images(sets, paired, classes), number
        else:
            clustered, order = cluster_pairs(plan.clusters, paired, classes), case.position
        target, score = removal(paired.graph, paired.leaders, classes, case.kept)
        found = paired.pairs
        ends = number[found.left].tolist(), number[found.right].tolist()
        return cls(
            set(zip(*ends, found.shared.tolist(), found.score.tolist(), strict=True)),
            [*_clusters(clustered, number, order)],
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
        of_sets = [
            None if column is None else column[cluster].item()
            for column in (clusters.shared, clusters.quality)
        ]
        yield (
            cluster >= len(clusters) - clustered.alone,
            int(order[clustered.first[cluster]]),
            cluster,
            number[clusters.member[rows]].tolist(),
            np.where(anchor >= 0, number[np.maximum(anchor, 0)], -1).tolist(),
            str(clusters.score[rows].tolist()),  # some are no numbers
            str(clusters.weakest[cluster]),
            bool(clusters.chained[cluster]),
            of_sets,
        )


def _put_together(parts: list[Answer]) -> tuple[Any, ...]:
    """All but the places that clusters have had in their parts, once they are in order."""
    clusters = sorted(cluster for part in parts for cluster in part.clusters)
    return (
        {row for part in parts for row in part.pairs},
        [cluster[3:] for cluster in clusters],
        {n: row for part in parts for n, row in part.removed.items()},
        sum(part.absorbed for part in parts),
    )


def parts_of(plan: Plan, case: Case) -> tuple[list[Ints], Any, Any]:
    """The linked parts, with the statistics and the counts of the whole."""
    search, collector = begun(plan, case, None)
    assert search.has_links
    prepared = collector.prepare(Texts(case.texts).batch)
    features, counts = prepared.features, None
    lists = search.counted(features, 1)
    if lists is None:
        links = search.links(features, 1)
    else:
        _, one_of_each = np.unique(np.array(case.texts), return_index=True)
        counted = lists.take(one_of_each)
        counts = count_features(counted, counters(len(counted.flat)))
        search.count_by(counts)
        links = search.counted_links(lists, 1)
    first = {text: n for n, text in reversed(list(enumerate(case.texts)))}
    edges = [*edges_of(links, search), *((first[text], n) for n, text in enumerate(case.texts))]
    if prepared.images is not None:
        edges += edges_of(prepared.images)
    left, right = np.array(edges, np.uint32).reshape(-1, 2).T.copy()
    root = np.asarray(_kernels.component_roots(len(case.texts), left, right))
    return [np.flatnonzero(root == one) for one in np.unique(root)], search.statistics, counts


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


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Documents of a few templates with words in common, changed here and there, some repeated."""
    words = st.integers(0, 60).map(lambda n: f"word{n:02}s")
    sentence = st.lists(words, min_size=6, max_size=12).map(lambda row: " ".join(row) + ".")
    templates = draw(st.lists(st.lists(sentence, min_size=1, max_size=4), min_size=1, max_size=6))
    changes = st.lists(st.tuples(st.integers(0, 40), words), max_size=3)
    made = st.lists(st.tuples(st.sampled_from(templates), changes), min_size=1, max_size=25)
    texts = []
    for template, changed in draw(made):
        row = " ".join(template).split()
        for place, word in changed:
            row[place % len(row)] = word
        texts.append(" ".join(row))
    count = len(texts)
    order = np.array(draw(st.permutations(range(count))))
    kept = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    kept &= draw(st.booleans())
    order = np.concatenate([order[kept[order]], order[~kept[order]]])
    steps = draw(st.lists(st.sampled_from([1, 2, 300, 600]), min_size=count, max_size=count))
    position = np.empty(count, np.int64)
    position[order] = np.cumsum(steps)
    return Case(texts, position, kept)


@pytest.mark.filterwarnings("ignore::twinset.errors.UnusedOption")
@pytest.mark.parametrize("method", METHODS)
@given(
    cases(),
    st.sampled_from(KINDS),
    st.sampled_from([1, 2, 3, 1000]),
    st.sampled_from([0.3, 0.5, 0.8]),
)
@examples(40)
def test_linked_parts_give_together_what_the_whole_gives(
    method: str, case: Case, kind: str, dense: int, threshold: float
) -> None:
    k = 1 if getattr(Plan.make(method=method).method, "one_key", False) else 3
    kind = kind.format(k=k)
    plan = Plan.make(method=method, clusters=kind, dense=dense, threshold=threshold)
    parts, statistics, counts = parts_of(plan, case)
    whole = Answer.of(plan, case, np.arange(len(case.texts)), statistics, None)
    apart = [Answer.of(plan, case.take(part), part, statistics, counts) for part in parts]
    assert _put_together(apart) == _put_together([whole])
