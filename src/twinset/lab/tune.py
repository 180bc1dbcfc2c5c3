"""`tune`: which plan suits a collection, and what to expect of it.

The sampled documents are kept with what is computed once for them: shingles, neighbours, edits.
Edits are near-duplicates made from the collection's own documents. Light ones are a test: a plan
that misses what the preset finds of them is not recommended, since everybody calls such documents
copies. The recommended plan itself is run over the sample with one edited copy of some documents,
and what it finds of them at each strength is what is said of the recall. With labels, the threshold
of the best F1 is measured.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError, TwinsetError
from twinset.lab.decision import (
    DEFAULT,
    FRAMELESS,
    NUMBERS,
    PRESET,
    PRESET_PLAN,
    Facts,
    Looks,
    PlanChoice,
    PlanDecision,
    also_in,
    decide,
    expected_precision,
    in_frames,
    looks,
    number_gaps,
    told_apart,
    worth_trying,
)
from twinset.lab.generate import Recipe
from twinset.lab.lists import column_names
from twinset.lab.pairs import wilson
from twinset.lab.sheet import Others
from twinset.lab.truth import Truth, TruthOptions
from twinset.lab.views import (
    ROUNDING,
    Estimate,
    Neighbours,
    Relation,
    Sample,
    TermView,
    open_sample,
    relation,
)
from twinset.model import Ints
from twinset.model.columns import numbers
from twinset.plan import Keep, Plan, Reading, Resources, reading_arguments, reads_documents
from twinset.plan.spec import name_of, plain_value
from twinset.reading.memory import from_memory
from twinset.result.places import write_file
from twinset.result.result import Result, made
from twinset.run import Progress, run
from twinset.run.progress import Silent
from twinset.text.wording import reworded_texts, rewriter_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


DRAWS = 200
# What is measured here has to hold for other documents of the kind: their chance adds to ours (the
# root of 2), and the threshold was chosen by these labels.
ANOTHER_SAMPLE = 1.6
FEWEST_PAIRS = 5


@dataclass(frozen=True, slots=True)
class Labels:
    """True pairs of the drawn documents, and the clusters that they make."""

    truth: Truth
    left: Ints
    right: Ints
    cluster: Ints


def labels(options: TruthOptions, sample: Sample) -> Labels:
    """The labels of the drawn documents, from what `evaluate` takes as truth."""
    own = pa.array(sample.ids, pa.large_string())
    # In a sample an unknown id may be one that was not drawn.
    unknown: Literal["drop", "omit"] = "drop" if len(own) == sample.documents else "omit"
    truth = Truth.read(options, own, unknown=unknown, graded=True)
    parts = [*truth.side.pairs.chunks(), (np.empty(0, np.int64),) * 2]
    left, right = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    if len(left) < FEWEST_PAIRS:
        notes = "; ".join(truth.notes) or "the truth lists no more of them"
        raise PlanError(
            [
                f"true pairs among the {len(own):,} documents looked at: {len(left)}, and "
                f"{FEWEST_PAIRS} are needed ({notes}): check its ids, look at more documents "
                "(--sample), or leave it out"
            ]
        )
    ends = left.astype(np.uint32), right.astype(np.uint32)
    return Labels(truth, left, right, _kernels.component_roots(len(own), *ends))


def _between(below: float, score: float) -> float:
    """A round number above the one and not above the other, if there is one of three digits."""
    middle = round((below + score) / 2, 2)
    return middle if below < middle <= score else math.floor(score * 1000) / 1000


def _intervals(
    near: Neighbours, rows: Ints, right: NDArray[np.bool_], truth: Labels, seed: int
) -> tuple[Estimate, Estimate]:
    """True clusters weighted at random, the Bayesian bootstrap: pairs of one go together."""
    draw = np.random.default_rng(seed)
    ends = near.left[rows], near.right[rows]
    # The product of two clusters' roots is smaller on average than one cluster's weight.
    evened = np.where(truth.cluster[ends[0]] == truth.cluster[ends[1]], 1, 4 / math.pi)
    shares: list[tuple[float, float]] = []
    for _ in range(DRAWS):
        weight = np.sqrt(draw.exponential(size=len(truth.cluster)))[truth.cluster]
        each = weight[ends[0]] * weight[ends[1]] * evened
        common = float(each[right].sum())
        true = float((weight[truth.left] * weight[truth.right]).sum())
        shares.append((common / max(float(each.sum()), 1e-9), common / max(true, 1e-9)))
    hits = float(right.sum())
    values = (hits / max(len(rows), 1), hits / len(truth.left))
    spread = np.percentile(np.array(shares), [2.5, 97.5], axis=0)
    cases = (_groups(truth, *ends), _groups(truth, truth.left, truth.right))
    precision, recall = (
        _wider(value, float(low), float(high), number)
        for value, low, high, number in zip(values, spread[0], spread[1], cases, strict=True)
    )
    return precision, recall


def _groups(truth: Labels, left: Ints, right: Ints) -> int:
    """How many clusters, or twos of them, the pairs come from: as many cases were seen."""
    ends = truth.cluster[left].astype(np.int64), truth.cluster[right].astype(np.int64)
    return len(np.unique(np.minimum(*ends) * len(truth.cluster) + np.maximum(*ends)))


def _wider(value: float, low: float, high: float, cases: int) -> Estimate:
    """Bounds of the bootstrap, which is blind where all cases agree, and at least Wilson's."""
    least, most = wilson(value, cases)
    return Estimate(
        value,
        max(0.0, value - max(value - min(low, least), 0.005) * ANOTHER_SAMPLE),
        min(1.0, value + max(max(high, most) - value, 0.005) * ANOTHER_SAMPLE),
    )


LIGHT = (
    "replace-words:1%",
    "ocr-noise:0.3%",
    "delete-paragraphs:5%,by=sentence",
    "add-paragraphs:5%,by=sentence",
    "boilerplate:5%",
    "truncate:5%",
)
MEDIUM = (
    "replace-words:5%",
    "ocr-noise:2%",
    "delete-paragraphs:20%,by=sentence",
    "add-paragraphs:20%,by=sentence",
    "reorder-paragraphs:50%,by=sentence",
    "boilerplate:20%",
    "truncate:20%",
)
REWRITTEN = (
    "replace-words:30%",
    "ocr-noise:8%",
    "delete-paragraphs:50%,by=sentence",
    "truncate:50%",
)
STRENGTHS = {"light": LIGHT, "medium": MEDIUM, "rewritten": REWRITTEN}
# In turn light, medium, rewritten, so that few documents have all of them.
SPECS = [
    (strength, specs[turn % len(specs)])
    for turn in range(math.lcm(*map(len, STRENGTHS.values())))
    for strength, specs in STRENGTHS.items()
]
LONGEST = 20_000  # characters of a document from which others take paragraphs
OTHERS = 120  # such documents
TRIED = 204  # documents that the recommended plan is tried with, a copy of each: 12 an edit
SEEN = 0.5  # of rewritten documents: with fewer of them found, a plan cannot see them


@dataclass(frozen=True, slots=True)
class EditRecall:
    """How many of the documents that were edited so strongly a plan finds."""

    strength: str
    documents: int
    recall: Estimate

    @classmethod
    def of(cls, strength: str, found: Sequence[bool] | NDArray[np.bool_]) -> EditRecall:
        """By which of the documents are found."""
        share = float(np.mean(found)) if len(found) else 0.0
        return cls(strength, len(found), Estimate(share, *wilson(share, len(found))))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to compare documents, with its threshold and what to expect of it.

    Precision, recall and F1 are None where there is no evidence for them. Without labels ``name``
    is what the plan is called and ``cohesion`` says how well its pairs agree with each other.
    """

    view: str
    threshold: float
    precision: Estimate | None
    recall: Estimate | None
    found: int
    f1: float | None = None
    name: str = ""
    cohesion: float | None = None


class Workshop:
    """What is computed of a sample at first use: shingles of views, and what plans find."""

    def __init__(
        self,
        sample: Sample,
        plan: Plan,
        seed: int,
        resources: Resources,
        progress: Progress,
    ) -> None:
        self.sample, self.plan, self.seed = sample, plan, seed
        self.resources, self.progress = resources, progress
        self._rows = [str(row) for row in range(len(sample))]
        self._found: dict[PlanChoice, Neighbours] = {}
        self._tried: dict[PlanChoice, tuple[float, list[EditRecall]]] = {}

    @cached_property
    def _texts(self) -> list[str]:
        return reworded_texts(self.sample.texts, rewriter_of(self.plan))

    def near(self, view: TermView) -> Neighbours:
        """All pairs of a view that are not far apart."""
        terms = view.terms(self._texts, self.resources.threads, view.rate(self._texts))
        self.progress.advance(1)
        return view.neighbours(terms, self.resources.threads)

    def found(self, choice: PlanChoice) -> Neighbours:
        """The pairs that a plan finds in the sample; what is contained in another has score 1."""
        if choice not in self._found:
            plan = choice.applied(self.plan)
            pairs = self._run(plan, self._rows, self.sample.texts)
            left, right = (numbers(pairs[side].cast(pa.int64())) for side in ("left", "right"))
            score = numbers(pairs["score"])
            contained = score < plan.threshold - ROUNDING
            self._found[choice] = Neighbours(left, right, np.where(contained, 1.0, score))
            self.progress.advance(1)
        return self._found[choice]

    def _run(self, plan: Plan, ids: list[str], texts: list[str]) -> pa.Table:
        """All pairs that it finds; which copy would stay plays no part, nor what is listed."""
        table = pa.table({plan.read.id: ids, plan.read.text: texts})
        table = pa.Table.from_batches(table.to_batches(max_chunksize=AT_ONCE))
        pairs = len(ids) * (len(ids) - 1) // 2
        plan = dataclasses.replace(plan, keep=PRESET.keep, never_remove=None, max_pairs=pairs)
        return run(from_memory(table, plan.read), plan, resources=self.resources).pairs

    def relation(self, choice: PlanChoice) -> Relation:
        """How the pairs of a plan agree, at every threshold from its own on."""
        near = self.found(choice.uncalmed)
        jaccard = near.score / (2 - near.score) if choice.view.weighted else near.score
        return relation(near, self.sample.weights(jaccard), len(self.sample), choice.threshold)

    def measured(self, view: TermView, truth: Labels) -> Candidate | None:
        """The threshold of the best F1; None where no pair of the view is true."""
        near = self.near(view)
        rows = np.flatnonzero(truth.truth.counts(near.left, near.right))
        rows = rows[np.argsort(-near.score[rows], kind="stable")]
        score = near.score[rows]
        right = truth.truth.side.pairs.contains(near.left[rows], near.right[rows])
        if not right.any():
            return None
        f1 = 2 * np.cumsum(right) / (np.arange(1, len(rows) + 1) + len(truth.left))
        last = np.append(score[1:] < score[:-1], True)  # a threshold cannot part equal scores
        best = int(np.where(last, f1, 0).argmax())
        below = float(score[best + 1]) if best + 1 < len(score) else view.least
        rows, right = rows[: best + 1], right[: best + 1]
        precision, recall = _intervals(near, rows, right, truth, self.seed)
        return Candidate(
            view.name,
            _between(below, float(score[best])),
            precision=precision,
            recall=recall,
            f1=float(f1[best]),
            found=best + 1,
        )

    def tuned(self, choice: PlanChoice, *, keeps: bool = True, **more: Any) -> Tuned:
        """The result for a choice."""
        seconds, edits = self.tried(choice)
        plan = choice.applied(self.plan, keeps=keeps)
        return Tuned(plan=plan, edits=edits, sampled=len(self.sample), seconds=seconds, **more)

    def light(self, choice: PlanChoice) -> float:
        """The share of light edits that a plan finds."""
        return self.tried(choice)[1][0].recall.value

    def tried(self, choice: PlanChoice) -> tuple[float, list[EditRecall]]:
        """Seconds for the whole collection, and which edited copies the plan finds in the sample.

        A document has one copy at most, so that nothing becomes a crowd that is none.
        """
        if choice not in self._tried:
            chosen, copies = self._copies
            ids = [*self._rows, *(f"copy of {row}" for row in chosen)]
            begin = time.perf_counter()
            pairs = self._run(choice.applied(self.plan), ids, [*self.sample.texts, *copies])
            seconds = (time.perf_counter() - begin) * self.sample.documents / len(ids)
            found = set(zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True))
            hits = [(f"{row}", f"copy of {row}") in found for row in chosen]
            recalls = [
                EditRecall.of(
                    strength, [hit for hit, (own, _) in zip(hits, cycle(SPECS)) if own == strength]
                )
                for strength in STRENGTHS
            ]
            self._tried[choice] = seconds, recalls
        return self._tried[choice]

    @cached_property
    def _copies(self) -> tuple[list[int], list[str]]:
        """Documents spread evenly over the sample, and an edited copy of each."""
        self.progress.stage("trying the plan", None)
        texts, seed = self.sample.texts, self.seed
        most = min(TRIED, len(texts) // 2)
        chosen = np.linspace(0, len(texts) - 1, most).astype(int).tolist()
        others = Others([text[:LONGEST] for text in texts[:OTHERS]])
        return chosen, [
            Recipe.parse([spec]).make(texts[row], seed=seed, id=str(n), others=others).text
            for n, (row, (_, spec)) in enumerate(zip(chosen, cycle(SPECS)))
        ]


VIEWS = 2  # for progress
AT_ONCE = 500  # documents of a batch: with one batch, 36 MB of Chinese took 1.3 GB, with these .9


class Evidence:
    """What a collection shows without labels."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        workshop.progress.stage("looking for evidence", VIEWS)
        self.relations = {choice: workshop.relation(choice) for choice in (PRESET, DEFAULT)}
        texts, seed = workshop.sample.texts, workshop.seed
        pairs, strict = workshop.found(PRESET.uncalmed), workshop.found(DEFAULT)
        gaps = number_gaps(texts, pairs.left, pairs.right, seed)
        apart = told_apart(texts, pairs, also_in(pairs, strict, DEFAULT.threshold), seed)
        has_others = bool(len(gaps)) and float(gaps.mean()) <= NUMBERS
        if in_frames(texts, pairs, seed):
            self.relations[FRAMELESS] = workshop.relation(FRAMELESS)
        self.facts = Facts(self.relations[PRESET], has_others, apart, self.relations.get(FRAMELESS))

    def decision(self) -> PlanDecision:
        """What the rules choose."""
        return decide(self.facts, self.workshop.light)

    def candidates(self, decision: PlanDecision) -> list[Candidate]:
        """The choice first, then the preset and the default."""
        others = (each for each in (PRESET, DEFAULT) if each != decision.choice)
        return [self._candidate(choice) for choice in (decision.choice, *others)]

    def _candidate(self, choice: PlanChoice) -> Candidate:
        """What to expect of a plan, as far as there is evidence."""
        own = choice if choice in (DEFAULT, FRAMELESS) else PRESET
        level = self.relations[own].at(choice.threshold)
        return Candidate(
            choice.described,
            choice.threshold,
            precision=expected_precision(level, numbers=self.facts.numbers),
            recall=None,
            found=round(level.pairs),
            name=choice.name,
            cohesion=level.cohesion,
        )


ASK = "twinset ask IN -o plan.toml"


@dataclass(frozen=True, repr=False)
class Tuned(Result):
    """A plan for a collection, what to expect of it, and the others that were looked at.

    ``candidates`` has the recommended one first; ``edits`` is what the plan finds of copies that
    were made on purpose, by how much they were edited; ``seconds`` is the time that the plan will
    take; ``notes`` tell what of the truth was left out. Without labels, ``rule`` names the rule
    that decided, and ``ask`` says that the evidence is thin and the owner's answers are worth more
    than it.
    """

    TEMPLATE = "paper/tuning.html"
    plan: Plan
    why: str
    candidates: list[Candidate]
    edits: list[EditRecall]
    looks: Looks
    sampled: int
    labelled: bool
    seconds: float
    notes: tuple[str, ...] = ()
    rule: str = "labels"
    ask: bool = False

    @property
    def best(self) -> Candidate:
        """What is recommended."""
        return self.candidates[0]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "plan": self.plan.as_dict(),
            "why": self.why,
            "labelled": self.labelled,
            "rule": self.rule,
            "ask": self.ask,
            "documents": self.looks.documents,
            "sampled": self.sampled,
            "seconds": round(self.seconds, 3),
            "looks": dataclasses.asdict(self.looks),
            "candidates": [dataclasses.asdict(each) for each in self.candidates],
            "edits": [dataclasses.asdict(row) for row in self.edits],
            "notes": list(self.notes),
        }

    @property
    def manifest(self) -> dict[str, Any]:  # type: ignore[override]
        """All of it, as plain values."""
        return {**made(), **self.as_dict()}

    def as_toml(self) -> str:
        """The plan as a file for ``--plan``, with what it rests on as comments."""
        comments = "".join(f"# {line}\n" for line in self.said())
        return f"{comments}\n{self.plan.as_toml()}"

    def save(  # type: ignore[override]
        self, path: str | os.PathLike[str]
    ) -> Path:
        """Write the plan to a file, whole or not at all."""
        return write_file(path, self.as_toml().encode())

    def said(self, language: str = "en") -> list[str]:
        """The situation, the plan, and what to expect of it."""
        best = self.best
        preset = " (the preset)" if best.name == "preset" else ""
        lines = [
            f"Looked at {self.sampled:,} of {self.looks.sentence()}.",
            f"Compare by {best.view}, from {best.threshold:g} on{preset}. {self.why}",
            self._expected(),
        ]
        if self.ask:
            lines.append(
                "I cannot tell from the documents alone what you would call a copy here: ask me to "
                f"show you some pairs ({ASK})."
            )
        return lines

    def _expected(self) -> str:
        """What to expect, as far as it can be told."""
        best = self.best
        if self.labelled:
            told = f"Expect precision {best.precision} and recall {best.recall}, by the labels."
        elif best.precision is not None:
            told = f"Expect precision {best.precision}, estimated without labels."
        else:
            told = "There is no evidence for the precision to expect."
        found = {row.strength: row.recall.value for row in self.edits if row.documents}
        wording = {
            "light": "after light edits",
            "medium": "after medium ones",
            "rewritten": "of those that were rewritten or cut to half",
        }
        parts = [f"{share:.0%} {wording[strength]}" for strength, share in found.items()]
        if parts:
            told += f" Of copies made on purpose it finds {', '.join(parts)}"
            told += ": I cannot see rewritten text." if found.get("rewritten", 1) < SEEN else "."
        return told

    def grid(self, language: str = "en") -> list[Sequence[str]]:
        """A row for each candidate, the header first."""
        own = "F1" if self.labelled else "agreement"
        head = (
            "compared by",
            "threshold",
            "precision",
            "recall",
            own,
            "pairs",
        )
        rows = [
            (
                f"{candidate.view} ({candidate.name})" if candidate.name else candidate.view,
                f"{candidate.threshold:g}",
                _known(candidate.precision),
                _known(candidate.recall),
                _known(candidate.f1 if self.labelled else candidate.cohesion),
                f"{candidate.found:,}",
            )
            for candidate in self.candidates
        ]
        return [head, *rows]


def _known(value: Estimate | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


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
    mask: Sequence[str] = (),
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
        mask=mask,
        clusters=clusters,
        k=k,
        share=share,
        keep=keep,
        never_remove=never_remove,
        max_pairs=max_pairs,
        dense=dense,
        **options,
    )
    if forms is None:
        plan = Plan.make(plan=plan, forms=PRESET_PLAN.forms)
    if name_of("forms", plan.forms) == "code":
        raise PlanError(["tune knows texts, not programs: search with --preset code"])
    resources = Resources.make(threads=threads, memory=memory)
    most = sample or (SAMPLE if truth is None else LABELLED_SAMPLE)
    sampled, plan = open_sample(documents, plan, most, seed, resources, watched)
    known = None
    if truth is not None:
        columns = column_names(truth_columns)
        truth_options = TruthOptions(truth, ignore, only_judged, grade, columns=columns)
        known = labels(truth_options, sampled)
    look = looks(sampled.texts, sampled.documents)
    workshop = Workshop(sampled, plan, seed, resources, watched)
    if known is None:
        return _by_evidence(workshop, look, keeps=keep is not None)
    return _by_labels(workshop, look, known)


def _by_evidence(workshop: Workshop, look: Looks, *, keeps: bool) -> Tuned:
    evidence = Evidence(workshop)
    decision = evidence.decision()
    return workshop.tuned(
        decision.choice,
        keeps=keeps,
        why=decision.why,
        candidates=evidence.candidates(decision),
        looks=look,
        labelled=False,
        rule=decision.rule.name,
        ask=decision.ask,
    )


def _by_labels(workshop: Workshop, look: Looks, known: Labels) -> Tuned:
    views = worth_trying(look)
    workshop.progress.stage("trying views", len(views))
    measured: list[tuple[float, Candidate, TermView]] = []
    for view in views:
        candidate = workshop.measured(view, known)
        if candidate is not None:
            measured.append((-(candidate.f1 or 0), candidate, view))
    if not measured:
        raise TwinsetError(
            "no true pair has anything in common that a plan could find: check that the ids of "
            "the truth are those of the documents, or leave it out"
        )
    # Where F1 is the same, the earlier view, which is the simpler one.
    measured.sort(key=lambda each: each[0])
    _, best, view = measured[0]
    return workshop.tuned(
        PlanChoice("labels", view, best.threshold),
        why=f"By the labels its F1 is {best.f1:.2f}, the highest of the views tried.",
        candidates=[candidate for _, candidate, *_ in measured],
        looks=look,
        labelled=True,
        notes=known.truth.notes,
    )
