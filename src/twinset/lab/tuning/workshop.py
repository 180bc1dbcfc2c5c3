"""The sampled documents with what is computed once for them: shingles, neighbours, edits."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa

from twinset.engine import Progress, run
from twinset.lab.tuning.edits import EditRecall, Edits, make_edits
from twinset.lab.tuning.relation import Relation, relation
from twinset.lab.tuning.sample import Sample
from twinset.lab.tuning.views import Neighbours, TermView
from twinset.model import Floats, Ints
from twinset.plan import Plan, Resources
from twinset.reading.memory import from_memory
from twinset.text.terms import TermCounts
from twinset.text.wording import Rewriter, reworded_texts

Histogram = tuple[list[float], list[int]]


class Workshop:
    """What views of a sample have in common, computed at first use."""

    def __init__(
        self,
        sample: Sample,
        seed: int,
        resources: Resources,
        progress: Progress,
        rewriter: Rewriter | None,
    ) -> None:
        self.sample, self.seed = sample, seed
        self.resources, self.progress = resources, progress
        self.edits: Edits = make_edits(sample.texts, seed).reworded(rewriter)
        self._texts = reworded_texts(sample.texts, rewriter)
        self._terms: dict[tuple[str, int], TermCounts] = {}
        self._near: dict[TermView, Neighbours] = {}
        self._scores: dict[TermView, list[Floats]] = {}

    def near(self, view: TermView) -> Neighbours:
        """All pairs of a view that are not far apart."""
        if view not in self._near:
            self._near[view] = view.neighbours(self.terms(view), self.resources.threads)
            self.progress.advance(1)
        return self._near[view]

    def forget(self, view: TermView) -> None:
        """Make room for the next view."""
        self._near.pop(view, None)

    def terms(self, view: TermView) -> TermCounts:
        """The shingles of a view, which another may share."""
        key = (view.unit, view.length)
        if key not in self._terms:
            rate = view.rate(self._texts)
            self._terms[key] = view.terms(self._texts, self.resources.threads, rate)
        return self._terms[key]

    def relation(self, view: TermView, around: float, *others: float) -> Relation:
        """How the pairs of a view agree, at every threshold."""
        near = self.near(view)
        jaccard = near.score / (2 - near.score) if view.weighted else near.score
        return relation(near, self.sample.weights(jaccard), len(self.sample), around, *others)

    def edited(self, view: TermView, threshold: float) -> list[EditRecall]:
        """How many of the edited documents this would find."""
        if view not in self._scores:
            rate = view.rate(self._texts)
            terms = self.terms(view)
            self._scores[view] = self.edits.scores(view, terms, self.resources.threads, rate)
        return self.edits.recall(self._scores[view], threshold)

    def nearest(self, view: TermView) -> Histogram:
        """Documents by the similarity of their nearest neighbour."""
        near = self.near(view)
        nearest = np.zeros(len(self.sample))
        np.maximum.at(nearest, near.left, near.score)
        np.maximum.at(nearest, near.right, near.score)
        edges = np.linspace(0, 1, 51)
        counts: Ints = np.histogram(nearest, edges)[0]
        return [round(float(edge), 2) for edge in edges], counts.tolist()

    def seconds(self, plan: Plan) -> float:
        """Seconds for the whole collection, extrapolated from a run over the sample."""
        self.progress.stage("trying the plan", None)
        table = pa.table({plan.read.id: self.sample.ids, plan.read.text: self.sample.texts})
        begin = time.perf_counter()
        run(from_memory(table, plan.read), plan, resources=self.resources)
        return (time.perf_counter() - begin) * self.sample.documents / len(self.sample)
