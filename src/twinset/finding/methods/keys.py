"""Methods that give each document a few keys: documents that share one are duplicates.

`Signature` is the method, `KeySearch` how a run uses it. `Cleaned` says which words count, also for
methods over words that have no keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.base import Goal, Groups, feature_groups
from twinset.finding.methods.base import About, LinkedSearch, StatisticsSurvey, Survey
from twinset.finding.verify.measures import Overlap
from twinset.model import FeatureLists, Ints
from twinset.model.columns import text
from twinset.plan import Resources, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics, WordSurvey
from twinset.text.tokens import Cleaning, Tokens


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A method over words.

    ``stop`` names the lists of stop words to drop (en, ru, de or files joined by +, or none). Words
    of fewer than ``letters`` letters are dropped as well.
    """

    uses: ClassVar[tuple[str, ...]] = ()
    stop: str = option("en+ru", shared.STOP)
    letters: int = option(4, "Drop words with fewer letters than this.", least=0, most=100)

    def cleaning(self) -> Cleaning:
        """The cleaning that the options ask for."""
        return Cleaning(self.stop, self.letters)

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return self.cleaning().faults()


def disordered(low: float, high: float) -> list[str]:
    """A sentence where the lower bound of a lexicon is above the upper one."""
    return [f"low must not be above high, as {low:g} and {high:g} are"] if low > high else []


@dataclass(frozen=True, slots=True)
class Signature(Cleaned):
    """A method that gives each document keys; documents that share a key are duplicates."""

    about: ClassVar[About]
    counts: ClassVar[bool] = False
    sentences: ClassVar[bool] = False
    one_key: ClassVar[bool] = False
    """Whether no document has more than one key."""

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """The keys of each document; one without keys matches nothing."""
        raise NotImplementedError

    def probability(self, similarity: float) -> float | None:
        """The chance that two documents of this Jaccard similarity share a key, if known."""
        return None

    def second_survey(self, statistics: Statistics, threads: int) -> StatisticsSurvey | None:
        """One more pass, for a method that needs more than word counts."""
        return None

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> KeySearch:
        """Begin a run."""
        return KeySearch(self, goal, resources, known)


@dataclass(frozen=True, slots=True)
class Shingled(Signature):
    """A method whose keys are made of shingles of words."""

    shingle: int = option(5, "Number of words in a shingle.", least=1, most=1000)
    seed: int = shared.seed()


NO_STATISTICS = Statistics(
    np.empty(0, np.uint64),
    np.empty(0, np.int64),
    np.empty(0, np.int64),
    text([]).cast(pa.large_string()),
    0,
    0,
    Cleaning(),
)


def checked(known: Statistics | None, cleaning: Cleaning, terms: str = "") -> Statistics | None:
    """Statistics from elsewhere, if they were made of the same terms with the same cleaning."""
    if known is not None and known.terms != terms:
        counted, own = (f"{each or '1 word'} to a term" for each in (known.terms, terms))
        raise PlanError(
            [f"the statistics have {counted}, the method has {own}: give length and unit of these"]
        )
    if known is not None and known.cleaning != cleaning:
        raise PlanError(
            [
                f"the statistics were made with stop={known.cleaning.stop} and "
                f"letters={known.cleaning.letters}, the method has stop={cleaning.stop} and "
                f"letters={cleaning.letters}: give the method the same options"
            ]
        )
    return known


@dataclass
class KeySearch(LinkedSearch):
    """A run of a signature method: keys are features, and one in common is enough."""

    method: Signature
    asked: Goal
    resources: Resources
    known: Statistics | None = None
    statistics: Statistics | None = field(default=None, init=False)
    decides = "share a key"
    measured = True
    keyed = True
    side_by_side = True

    def __post_init__(self) -> None:
        self.goal = Goal(Overlap(), 1, self.asked.recall, self.asked.dense)
        if self.method.counts:
            self.statistics = checked(self.known, self.method.cleaning())

    @property
    def has_links(self) -> bool:  # type: ignore[override]
        """Keys are links, as soon as the statistics that they are made by are there."""
        return not self.method.counts or self.statistics is not None

    def surveys(self) -> Iterator[Survey]:
        """The method's passes, unless their result is there already."""
        if not self.method.counts or self.statistics is not None:
            return
        survey = WordSurvey(self.method.cleaning(), self.resources.threads)
        yield survey
        self.statistics = survey.finish()
        more = self.method.second_survey(self.statistics, self.resources.threads)
        if more is not None:
            yield more
            self.statistics = more.finish()

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted keys of each document."""
        tokens = self.method.cleaning().tokens(texts, threads, sentences=self.method.sentences)
        keys = self.method.keys(tokens, self.statistics or NO_STATISTICS)
        return sorted_lists(keys), tokens.lengths

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Groups:
        """Groups by key."""
        return feature_groups(store, np.flatnonzero(use).astype(np.uint32), self.resources)

    def describe(self) -> dict[str, Any]:
        """The kind alone."""
        return {"kind": "keys"}

    def probability(self, similarity: float) -> float | None:
        """What the method knows of itself."""
        return self.method.probability(similarity)


def sorted_lists(keys: FeatureLists) -> FeatureLists:
    """Each list sorted; keys of a document are distinct by construction."""
    if not len(keys.values) or keys.lengths.max() <= 1:
        return keys
    return keys.like(keys.values[np.lexsort((keys.values, keys.owners()))])
