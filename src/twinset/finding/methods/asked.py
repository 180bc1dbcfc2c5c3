"""A decision that was learnt from the owner's answers about pairs ('twinset ask').

Small logistic experts look at signals of a pair and are weighed together; the answers themselves
stand above them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.base import Goal, Near
from twinset.finding.candidates.nearest import NEIGHBOURS
from twinset.finding.methods.base import About, Evidence, Search
from twinset.finding.signals import SIGNALS, Profiles, signal_table
from twinset.finding.signals.experts import (
    Judgement,
    judgement_faults,
    read_judgement,
    spelt_judgement,
)
from twinset.model import FeatureLists, Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers
from twinset.plan import Resources
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import WHOLE

Answered = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AskedOwner:
    """Pairs that their owner calls copies, as far as answers to 'twinset ask' tell.

    The score of a pair is the probability that the owner calls it a copy; 1 where the owner did.
    A pair that was denied is never reported. Documents of equal text are always copies.
    """

    uses: ClassVar[tuple[str, ...]] = ()
    names_files: ClassVar[bool] = False  # an id may look like one
    experts: str = option("", "Experts as 'twinset ask' writes them into the plan file.")
    answers: str = option("", "Pairs that were answered, as JSON: yes and no, by ids.")
    least: float = option(
        0.5, "Minimum score of a pair, the boundary that was learnt.", least=0, most=1
    )
    about: ClassVar[About] = About(
        paper="none",
        needs="a plan file made by 'twinset ask'; all documents in memory",
        cost="linear in practice; the signals of about 25 candidate pairs per document",
        use="if copies in your documents are what you call copies: twenty answers tell",
        avoid="collections unlike the one that was asked about",
        asks="experts",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        if not self.experts:
            return [
                "it needs answers about your documents: give them with 'twinset ask IN -o "
                "plan.toml' and run with --plan plan.toml"
            ]
        return judgement_faults(self.experts, SIGNALS) + _answer_faults(self.answers)

    @property
    def judgement(self) -> Judgement:
        """The experts as objects."""
        return read_judgement(self.experts)

    def answered(self, answer: str) -> list[tuple[str, str]]:
        """The pairs of ids that were answered with yes or with no."""
        listed = json.loads(self.answers) if self.answers else {}
        return [(left, right) for left, right in listed.get(answer, [])]

    @classmethod
    def of(cls, judgement: Judgement, yes: Answered, no: Answered) -> AskedOwner:
        """The method of a judgement and the answers it was learnt from."""
        answers = {"yes": yes, "no": no} if yes or no else {}
        written = json.dumps(answers, ensure_ascii=False, separators=(",", ":")) if answers else ""
        return cls(spelt_judgement(judgement), written, judgement.threshold)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> AskedSearch:
        """Begin a run."""
        if known is not None:
            raise PlanError(["the method asked counts words by itself: leave out statistics"])
        return AskedSearch(self, goal, resources)


def _pairs(rows: Any) -> Answered:
    pairs = tuple((left, right) for left, right in rows)
    if not all(isinstance(name, str) for pair in pairs for name in pair):
        raise TypeError
    return pairs


def _answer_faults(answers: str) -> list[str]:
    try:
        listed = json.loads(answers) if answers else {}
        for rows in (listed.pop(name, []) for name in ("yes", "no")):
            _pairs(rows)
        sound = not listed
    except (ValueError, TypeError, AttributeError):
        sound = False
    return [] if sound else ['answers must be JSON as {"yes": [["a", "b"]], "no": []}']


class AskedSearch(Search):
    """Texts are kept; candidates, their signals and the decision come at the end."""

    by_text = True

    def __init__(self, method: AskedOwner, goal: Goal, resources: Resources) -> None:
        self.method, self.goal, self.resources = method, goal, resources
        self.judgement = method.judgement
        self.decides = f"the answers give a probability of {method.least:g} or more"
        self._texts: list[pa.Array] = []
        self._profiles: Profiles | None = None

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted words; the texts are put aside."""
        tokens = WHOLE.tokens(texts, threads)
        self._texts.append(texts)
        return tokens.shingles(1), tokens.lengths

    def identify(self, ids: pa.Array, leader: Ints) -> None:
        """The ids that the answers name documents by, and which one stands for each document."""
        self._leader = leader
        self._answers = {
            answer: _numbered(self.method.answered(answer), ids, leader) for answer in ("yes", "no")
        }

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The candidates that the judgement or the owner accepts."""
        documents = np.flatnonzero(use)
        texts = pa.chunked_array(self._texts, pa.large_string()).take(pa.array(documents))
        self._texts = []
        self._profiles = Profiles.of(texts.chunks, self.resources.threads)
        self._place = np.full(len(use), -1)
        self._place[documents] = np.arange(len(documents))
        first, second = self._profiles.pairs
        names = self.judgement.signals
        table = signal_table(self._profiles, first, second, names, self.resources.threads)
        score = self.judgement.probability(table, names)
        left, right = documents[first], documents[second]
        good = score >= self.method.least
        return self._with_answers(left[good], right[good], score[good], len(left), len(use))

    def _with_answers(
        self, left: Ints, right: Ints, score: Floats, compared: int, documents: int
    ) -> Near:
        """The pairs less those that were denied, and those that were affirmed with a score of 1."""
        yes, no = (self._answers[answer] for answer in ("yes", "no"))
        keys = [pairs[:, 0] * documents + pairs[:, 1] for pairs in (yes, no)]
        answered = np.isin(left * documents + right, np.concatenate(keys))
        affirmed = yes[~np.isin(keys[0], keys[1])]
        ends = [
            np.append(each[~answered], affirmed[:, at]) for at, each in enumerate((left, right))
        ]
        first, second = (each.astype(np.uint32) for each in ends)
        return Near(first, second, np.append(score[~answered], np.ones(len(affirmed))), compared)

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """The signals that the decision was made by."""
        if self._profiles is None:
            return {}
        first, second = (self._place[self._leader[ends]] for ends in (left, right))
        names = self.judgement.signals
        table = signal_table(self._profiles, first, second, names, self.resources.threads)
        return {name: np.ascontiguousarray(table[:, at]) for at, name in enumerate(names)}

    def describe(self) -> dict[str, Any]:
        """Where candidates come from, and how many answers stand above the experts."""
        answers = {name: len(self.method.answered(name)) for name in ("yes", "no")}
        return {"kind": "nearest", "neighbours": NEIGHBOURS, "answers": answers}


def _numbered(pairs: list[tuple[str, str]], ids: pa.Array, leader: Ints) -> Ints:
    """Answered pairs as numbers of leaders, left < right, each once; unknown ids are left out."""
    names = pa.array([name for pair in pairs for name in pair], ids.type)
    places = numbers(pc.index_in(names, value_set=ids), missing=-1).astype(np.int64).reshape(-1, 2)
    places = leader[places[(places >= 0).all(axis=1)]]
    places = np.sort(places[places[:, 0] != places[:, 1]], axis=1)
    return np.unique(places, axis=0).reshape(-1, 2)
