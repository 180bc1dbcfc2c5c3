"""`tune`: which plan suits these documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twinset.engine import Progress
from twinset.engine.opening import open_documents
from twinset.engine.progress import Silent
from twinset.errors import PlanError, TwinsetError
from twinset.lab.evaluation.list_columns import column_names
from twinset.lab.tuning.edits import light_share, medium_share
from twinset.lab.tuning.labels import Labels, best_first, labels, measure
from twinset.lab.tuning.looks import Looks, looks, worth_trying
from twinset.lab.tuning.plans import PlanChoice
from twinset.lab.tuning.result import Candidate, Tuned
from twinset.lab.tuning.sample import draw
from twinset.lab.tuning.unlabelled import Evidence
from twinset.lab.tuning.workshop import Workshop
from twinset.plan import Keep, Plan, Reading, Resources, reading_arguments, reads_documents
from twinset.spec.numerals import plain_value
from twinset.text.wording import rewriter_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

SAMPLE = 5000
LABELLED_SAMPLE = 20_000
FEWEST = 100  # documents of a sample: fewer show no background


@reads_documents
def tune(
    documents: Any,
    *,
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
    keep: str | Keep | Sequence[str | Keep] | None = None,
    never_remove: str | None = None,
    max_pairs: int | None = None,
    dense: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Tuned:
    """Recommend method, shingles and threshold for these documents, with what to expect.

    >>> texts = [f"note {n} says what {n * n} people of place {n} said" for n in range(100)]
    >>> tuned = tune(texts + [text + " again" for text in texts[:20]])
    >>> tuned.sampled, tuned.labelled
    (120, False)
    >>> tuned.plan.threshold == tuned.best.threshold
    True

    Without ``truth`` the preset is recommended unless the collection gives evidence for another
    plan: how its pairs agree with each other, and what is found of edits made on purpose. With
    ``truth`` (and ``ignore``, ``grade``, ``truth_columns`` and ``only_judged``, as for `evaluate`)
    the best threshold is measured. ``sample`` limits the number of documents examined. Options of
    a `Plan` that are not tuned are copied into the plan.
    """
    options = reading_arguments(reading, "tune")
    seed = plain_value(seed)
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
    workshop = Workshop(sampled, seed, resources, watched, rewriter_of(plan))
    if known is None:
        return _by_evidence(plan, workshop, look, keeps=keep is not None)
    return _by_labels(plan, workshop, look, known)


def _by_evidence(plan: Plan, workshop: Workshop, look: Looks, *, keeps: bool) -> Tuned:
    evidence = Evidence(workshop, look)
    decision = evidence.decision()
    candidates = []
    for expected in evidence.candidates(decision):
        choice, level = expected.choice, expected.level
        edits = workshop.edited(choice.view, choice.threshold)
        candidates.append(
            Candidate(
                choice.view.name,
                choice.threshold,
                expected.precision,
                expected.recall,
                None,
                round(level.pairs),
                medium_share(edits),
                light_share(edits),
                choice.name,
                level.cohesion,
            )
        )
    choice = decision.choice
    chosen = choice.applied(plan, keeps=keeps)
    return Tuned(
        plan=chosen,
        why=decision.why,
        candidates=candidates,
        edits=workshop.edited(choice.view, choice.threshold),
        looks=look,
        nearest=workshop.nearest(choice.view),
        sampled=len(workshop.sample),
        labelled=False,
        seconds=workshop.seconds(chosen),
        rule=decision.rule.name,
        ask=decision.ask,
        situations=tuple(each for each in evidence.situations if each.holds),
    )


def _by_labels(plan: Plan, workshop: Workshop, look: Looks, known: Labels) -> Tuned:
    views = worth_trying(look)
    workshop.progress.stage("trying views", len(views))
    outcomes = []
    nearest = {}
    for view in views:
        outcome = measure(view, workshop.near(view), known, workshop.seed)
        if outcome is not None:
            outcomes.append(outcome)
            nearest[view] = workshop.nearest(view)
        workshop.forget(view)
    if not outcomes:
        raise TwinsetError(
            "no true pair has anything in common that a plan could find: check that the ids of "
            "the truth are those of the documents, or leave it out"
        )
    outcomes = best_first(outcomes)
    best = outcomes[0]
    candidates = []
    for outcome in outcomes:
        edits = workshop.edited(outcome.view, outcome.threshold)
        candidates.append(
            Candidate(
                outcome.view.name,
                outcome.threshold,
                outcome.precision,
                outcome.recall,
                outcome.f1,
                round(outcome.pairs_found),
                medium_share(edits),
                light_share(edits),
            )
        )
    chosen = PlanChoice("labels", best.view, best.threshold).applied(plan)
    return Tuned(
        plan=chosen,
        why=best.why,
        candidates=candidates,
        edits=workshop.edited(best.view, best.threshold),
        looks=look,
        nearest=nearest[best.view],
        sampled=len(workshop.sample),
        labelled=True,
        seconds=workshop.seconds(chosen),
        notes=known.notes,
    )
