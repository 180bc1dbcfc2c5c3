"""`tune`: which plan suits these documents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine import Progress, run
from twinset.engine.opening import open_documents
from twinset.engine.progress import Silent
from twinset.errors import PlanError, TwinsetError
from twinset.lab.evaluation.list_columns import column_names
from twinset.lab.tuning.edits import Edits, cautious, fallback, make_edits
from twinset.lab.tuning.guess import Guess, guess, ranked
from twinset.lab.tuning.labels import Labels, Measured, best_first, labels, measure
from twinset.lab.tuning.looks import Looks, looks, worth_trying
from twinset.lab.tuning.result import Candidate, Histogram, Tuned
from twinset.lab.tuning.sample import Sample, draw
from twinset.lab.tuning.tuned_view import TunedView
from twinset.lab.tuning.views import Neighbours, TermView
from twinset.model import Ints
from twinset.plan import Html, Keep, OnError, PageText, Plan, Resources, reading_arguments
from twinset.reading import from_memory
from twinset.text.terms import TermCounts
from twinset.text.wording import Rewriter, reworded_texts, rewriter_of

SAMPLE = 5000
LABELLED_SAMPLE = 20_000
FEWEST = 100  # documents of a sample: fewer show no background


def tune(
    documents: Any,
    *,
    id: str | None = None,
    text: str | None = None,
    html: Html | None = None,
    page_text: PageText | None = None,
    on_error: OnError | None = None,
    max_document_bytes: int | str | None = None,
    within: Sequence[str] = (),
    max_unread: float | None = None,
    sample: int | None = None,
    truth: Any = None,
    ignore: Any = None,
    grade: float | None = None,
    truth_columns: str | Sequence[str] = (),
    only_judged: bool = False,
    seed: int = 1,
    recall: float | None = None,
    forms: str | Any = None,
    synonyms: str | None = None,
    clusters: str | Any = None,
    k: int | None = None,
    share: float | None = None,
    keep: str | Keep | None = None,
    never_remove: str | None = None,
    max_pairs: int | None = None,
    dense: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Recommend method, shingles and threshold for these documents, with what to expect.

    >>> texts = [f"note {n} says what {n * n} people of place {n} said" for n in range(100)]
    >>> tuned = tune(texts + [text + " again" for text in texts[:20]])
    >>> tuned.sampled, tuned.labelled
    (120, False)
    >>> tuned.plan.threshold == tuned.best.threshold
    True

    Without ``truth`` the distribution of similarities decides: near-duplicates are the pairs that
    the background does not explain. With ``truth`` (and ``ignore``, ``grade``, ``truth_columns``
    and ``only_judged``, as for `evaluate`) the best threshold is measured. ``sample`` limits the
    number of documents examined. Options of a `Plan` that are not tuned are copied into the plan.
    """
    options = reading_arguments(locals())
    if sample is not None and sample < FEWEST:
        raise PlanError([f"sample must be at least {FEWEST} documents, not {sample}"])
    watched = progress or Silent()
    plan = Plan.make(
        seed=seed,
        recall=recall,
        forms=forms,
        synonyms=synonyms,
        clusters=clusters,
        k=k,
        share=share,
        keep=keep,
        never_remove=never_remove,
        max_pairs=max_pairs,
        dense=dense,
        **options,
    )
    resources = Resources.make(threads=threads, memory=memory)
    opened, plan = open_documents(documents, plan, resources, options)
    most = sample or (SAMPLE if truth is None else LABELLED_SAMPLE)
    sampled = draw(opened, most, seed, resources.threads, watched)
    if len(sampled) < 2:
        raise TwinsetError(
            f"documents with words: {len(sampled)}; tuning needs at least two documents, "
            "and says little of fewer than a hundred: add some, or check --text and --html"
        )
    known = None
    if truth is not None:
        columns = column_names(truth_columns)
        known = labels(truth, sampled, columns, ignore=ignore, grade=grade, judged=only_judged)
    look = looks(sampled.texts, sampled.documents)
    workshop = _Workshop(sampled, look, seed, resources, watched, rewriter_of(plan))
    outcomes: list[TunedView] = []
    for view in workshop.views:
        near = workshop.near(view)
        outcome = (
            guess(view, near, sampled, seed) if known is None else measure(view, near, known, seed)
        )
        if outcome is not None:
            outcomes.append(outcome)
    return workshop.tuned(plan, outcomes, known)


class _Workshop:
    """The sampled documents with what is computed once for them: shingles, neighbours, edits."""

    def __init__(
        self,
        sample: Sample,
        looks: Looks,
        seed: int,
        resources: Resources,
        progress: Progress,
        rewriter: Rewriter | None,
    ) -> None:
        self.sample, self.looks, self.seed = sample, looks, seed
        self.resources, self.progress = resources, progress
        self.views = worth_trying(looks)
        self.edits: Edits = make_edits(sample.texts, seed).reworded(rewriter)
        self._texts = reworded_texts(sample.texts, rewriter)
        self._terms: dict[tuple[str, int], TermCounts] = {}
        self._nearest: dict[TermView, Histogram] = {}
        progress.stage("trying views", len(self.views))

    def near(self, view: TermView) -> Neighbours:
        """All pairs of a view that are not far apart."""
        neighbours = view.neighbours(self.terms(view), self.resources.threads)
        self._nearest[view] = _nearest(neighbours, len(self.sample))
        self.progress.advance(1)
        return neighbours

    def terms(self, view: TermView) -> TermCounts:
        """The shingles of a view, which another may share."""
        key = (view.unit, view.length)
        if key not in self._terms:
            rate = view.rate(self._texts)
            self._terms[key] = view.terms(self._texts, self.resources.threads, rate)
        return self._terms[key]

    def tuned(self, plan: Plan, outcomes: list[TunedView], known: Labels | None) -> Tuned:
        """The recommendation."""
        scores = {
            view: self.edits.scores(
                view, self.terms(view), self.resources.threads, view.rate(self._texts)
            )
            for view in self.views
        }
        by_edits = not outcomes
        if not outcomes:
            outcomes = [fallback(self.views[0], scores[self.views[0]])]
            why = (
                "Nothing in the collection rises above its background: the threshold is the one "
                "that finds most of the documents edited on purpose."
            )
        elif known is not None:
            measured = best_first(
                [outcome for outcome in outcomes if isinstance(outcome, Measured)]
            )
            outcomes, why = list(measured), measured[0].why
        else:
            guesses = ranked([outcome for outcome in outcomes if isinstance(outcome, Guess)])
            safe = [cautious(outcome, scores[outcome.view]) for outcome in guesses]
            by_edits = safe[0] is not guesses[0]
            outcomes, why = list(safe), safe[0].why(by_edits)
        best = outcomes[0]
        recalls = self.edits.recall(scores[best.view], best.threshold)
        chosen = _with(plan, best)
        return Tuned(
            plan=chosen,
            why=why,
            candidates=[self._candidate(outcome, scores[outcome.view]) for outcome in outcomes],
            edits=recalls,
            looks=self.looks,
            nearest=self._nearest[best.view],
            sampled=len(self.sample),
            labelled=known is not None,
            notes=() if known is None else known.notes,
            seconds=self._cost(chosen),
            by_edits=by_edits,
        )

    def _candidate(self, outcome: TunedView, scores: list[Any]) -> Candidate:
        edits = self.edits.recall(scores, outcome.threshold)
        share = sum(row.recall.value for row in edits) / max(len(edits), 1)
        return Candidate(
            outcome.view.name,
            outcome.threshold,
            outcome.precision,
            outcome.recall,
            outcome.f1,
            round(outcome.pairs_found),
            share,
        )

    def _cost(self, plan: Plan) -> float:
        """Seconds for the whole collection, extrapolated from a run over the sample."""
        self.progress.stage("trying the plan", None)
        table = pa.table({plan.read.id: self.sample.ids, plan.read.text: self.sample.texts})
        begin = time.perf_counter()
        run(from_memory(table, plan.read), plan, resources=self.resources)
        return (time.perf_counter() - begin) * self.sample.documents / len(self.sample)


def _with(plan: Plan, best: TunedView) -> Plan:
    return Plan.make(plan=plan, **best.view.options(best.threshold))


def _nearest(near: Neighbours, documents: int) -> Histogram:
    nearest = np.zeros(documents)
    np.maximum.at(nearest, near.left, near.score)
    np.maximum.at(nearest, near.right, near.score)
    edges = np.linspace(0, 1, 51)
    counts: Ints = np.histogram(nearest, edges)[0]
    return [round(float(edge), 2) for edge in edges], counts.tolist()
