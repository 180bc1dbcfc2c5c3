"""What all methods have in common: what they say of themselves, and how a run uses them.

A method is a frozen dataclass of its options with `search`, which begins a `Search`. There are
three shapes, and each method file is a recipe for one of them:

* sets (`SetSearch`): features and candidates; pairs are verified by a set measure.
* keys (`Signature`): a few keys per document; documents that share one are duplicates.
* pairs: a search of its own that decides on pairs (`simhash`, `decomposition`, ...).

``uses`` names the options of the goal (threshold, measure, recall) that a method goes by; another
one that is given beside it has no effect, and a warning says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.candidates.base import Candidates, Goal, Groups, Near, Numbers, feature_groups
from twinset.errors import PlanError
from twinset.model import FeatureLists, Ints
from twinset.model.columns import text
from twinset.plan import Resources, shared
from twinset.spec import option
from twinset.text.statistics import Statistics, WordSurvey
from twinset.text.tokens import Cleaning, Tokens
from twinset.verify.measures import Overlap

Evidence = dict[str, NDArray[Any] | pa.Array]
MEASURED = ("threshold", "measure")
"""What a method uses whose pairs the plan's measure decides on."""
LEAST = 1e-9  # a similarity that one shared feature reaches


@dataclass(frozen=True, slots=True)
class About:
    """What ``twinset methods`` prints: source, needs, cost, advice and published figures.

    ``named`` is what the paper calls the method, where it numbers its methods; ``asks`` names the
    option that a method cannot run without, where there is one.
    """

    paper: str
    cost: str
    use: str
    avoid: str
    needs: str = "nothing but the text"
    published: str = "none"
    named: str = ""
    asks: str = ""


class Survey(Protocol):
    """Something that must see all documents before the search begins."""

    def add(self, texts: pa.Array) -> None:
        """See a batch."""
        ...


class StatisticsSurvey(Survey, Protocol):
    """A pass that ends with statistics."""

    def finish(self) -> Statistics:
        """What was learnt."""
        ...


class Extractor(Protocol):
    """Texts to sorted feature lists, and the number of units of each document."""

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """The lists of a batch."""
        ...


class Search(Extractor, Protocol):
    """One run of a method.

    ``by_text`` says that only equal texts may stand for each other, ``by_bytes`` that `extract`
    takes the raw bytes of the documents where they are at hand (`Batch.raw`), ``measured`` that the
    goal's measure scores the pairs (otherwise the score of a search for exact copies is 1),
    ``keyed`` that features are keys and groups of documents that share one are a result,
    ``side_by_side`` that `extract` and `prepare` keep nothing, so that several threads may call
    them, in any order; ``decides`` ends the sentence "documents that ...", and is empty where the
    plan's measure decides.
    """

    goal: Goal
    by_text: bool
    by_bytes: bool
    measured: bool
    keyed: bool
    side_by_side: bool
    decides: str
    statistics: Statistics | None

    def surveys(self) -> Iterator[Survey]:
        """Passes over the collection, one after the other, before the search."""
        ...

    def prepare(self, features: FeatureLists, threads: int) -> Any:
        """What `add` needs of the features of a batch, as `extract` returned them."""
        ...

    def add(self, prepared: Any, documents: Numbers) -> None:
        """Take in a batch; batches come in order."""
        ...

    def prefer(self, leaders: Ints, kept: NDArray[np.uint8]) -> None:
        """Which documents will be compared, preferred ones first, and which of them always stay."""
        ...

    def identify(self, ids: pa.Array, leader: Ints) -> None:
        """Hear the ids of all documents, and which one stands for each, before `find`."""
        ...

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Groups | Near:
        """Groups to be verified by the goal's measure, or pairs that are decided."""
        ...

    def relax(self) -> None:
        """Leave out the verification that the method does by itself, where it does one."""
        ...

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """More columns for these pairs."""
        ...

    def describe(self) -> dict[str, Any]:
        """What was solved for, for the manifest."""
        ...

    def probability(self, similarity: float) -> float | None:
        """The chance that a pair of this Jaccard similarity is found, where it is known."""
        ...


class Plain:
    """The parts of a search that most searches do not need."""

    by_text = False
    by_bytes = False
    measured = False
    decides = ""
    keyed = False
    side_by_side = False
    statistics: Statistics | None = None

    def surveys(self) -> Iterator[Survey]:
        """No pass before the search."""
        return iter(())

    def prepare(self, features: FeatureLists, threads: int) -> Any:
        """Nothing is needed."""
        return None

    def add(self, prepared: Any, documents: Numbers) -> None:
        """Nothing to keep."""

    def prefer(self, leaders: Ints, kept: NDArray[np.uint8]) -> None:
        """The order is of no use where all are compared."""

    def identify(self, ids: pa.Array, leader: Ints) -> None:
        """Documents are their numbers."""

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """No further columns."""
        return {}

    def probability(self, similarity: float) -> float | None:
        """Not known."""
        return None

    def relax(self) -> None:
        """Nothing is verified: the decision is the method's own."""


class SetSearch(Plain):
    """Features, candidates, and a set measure that verifies them."""

    measured = True
    side_by_side = True

    def __init__(self, features: Extractor, candidates: Candidates, goal: Goal) -> None:
        self.features, self.candidates, self.goal = features, candidates, goal

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """The features."""
        return self.features.extract(texts, threads)

    def prepare(self, features: FeatureLists, threads: int) -> Any:
        """What the candidates need."""
        return self.candidates.prepare(features, threads)

    def add(self, prepared: Any, documents: Numbers) -> None:
        """Keys of the candidates."""
        self.candidates.add(prepared, documents)

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Groups:
        """Groups of candidates."""
        return self.candidates.groups(store, use)

    def relax(self) -> None:
        """Take candidates as they are; those of a join have no meaning before they are verified."""
        if self.candidates.describe()["kind"] != "join":
            self.goal = dataclasses.replace(self.goal, threshold=LEAST)
            self.decides = "are candidates"

    def describe(self) -> dict[str, Any]:
        """The candidates' parameters."""
        return self.candidates.describe()

    def probability(self, similarity: float) -> float | None:
        """The candidates' S-curve."""
        return self.candidates.probability(similarity)


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


def checked(known: Statistics | None, cleaning: Cleaning) -> Statistics | None:
    """Statistics from elsewhere, if they were made with the same cleaning."""
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
class KeySearch(Plain):
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
