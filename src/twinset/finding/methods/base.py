"""What all methods have in common: what they say of themselves, and how a run uses them.

A method is a frozen dataclass of its options with `search`, which begins a `Search`. There are
three shapes, and each method file is a recipe for one of them:

* sets (`SetSearch`): features and candidates; pairs are verified by a set measure.
* keys (`Signature`, in ``keys``): a few keys per document; documents that share one are duplicates.
* pairs: a search of its own that decides on pairs (`simhash`, `decomposition`, ...).

``uses`` names the options of the goal (threshold, measure, recall) that a method goes by; another
one that is given beside it has no effect, and a warning says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Candidates, Goal, Groups, LinkKeys, Near, Numbers
from twinset.finding.features import Shingles
from twinset.model import FeatureLists, Features, Ints
from twinset.plan import Resources, Shingling

if TYPE_CHECKING:
    from twinset.text.statistics import Statistics

Evidence = dict[str, NDArray[Any] | pa.Array | pa.ChunkedArray]
MEASURED = ("threshold", "measure")
"""What a method uses whose pairs the plan's measure decides on."""
LEAST = 1e-9  # a similarity that one shared feature reaches


@dataclass(frozen=True, slots=True)
class About:
    """What ``twinset list parts`` prints: source, needs, cost, advice and published figures.

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


class Search:
    """One run of a method, which overrides what it needs; `extract`, `find` and `describe` always.

    ``by_text`` says that only equal texts, with equal vectors where there are any, may stand for
    each other; `prepare` takes the vectors in place of features. ``by_bytes`` says that `extract`
    takes the raw bytes of the documents where they are at hand (`Batch.raw`), ``measured`` that the
    goal's measure scores the pairs (otherwise the score of a search for exact copies is 1),
    ``keyed`` that features are keys and groups of documents that share one are a result,
    ``side_by_side`` that `extract` and `prepare` keep nothing, so that several threads may call
    them, in any order; ``decides`` ends the sentence "documents that ...", and is empty where the
    plan's measure decides. Of one that ``has_links`` these are `links_of` it.
    """

    goal: Goal
    by_text = False
    by_bytes = False
    measured = False
    keyed = False
    side_by_side = False
    has_links = False
    decides = ""
    statistics: Statistics | None = None

    def surveys(self) -> Iterator[Survey]:
        """Passes over the collection, one after the other, before the search."""
        return iter(())

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Texts to sorted feature lists, and the number of units of each document."""
        raise NotImplementedError

    def prepare(self, features: FeatureLists, threads: int) -> Any:
        """What `add` needs of the features of a batch, as `extract` returned them."""

    def add(self, prepared: Any, documents: Numbers) -> None:
        """Take in a batch; batches come in order."""

    def prefer(self, leaders: Ints, kept: NDArray[np.uint8], positions: Features) -> None:
        """Which documents will be compared, preferred ones first, and which of them always stay.

        ``positions`` are their places in the order of the whole collection.
        """

    def identify(self, ids: pa.Array, leader: Ints) -> None:
        """Hear the ids of all documents, and which one stands for each, before `find`."""

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Groups | Near:
        """Groups to be verified by the goal's measure, or pairs that are decided."""
        raise NotImplementedError

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """More columns for these pairs."""
        return {}

    def describe(self) -> dict[str, Any]:
        """What was solved for, for the manifest."""
        raise NotImplementedError

    def probability(self, similarity: float) -> float | None:
        """The chance that a pair of this Jaccard similarity is found, where it is known."""
        return None


class LinkedSearch(Search, LinkKeys):
    """A search that knows which documents may have to do with each other.

    A search among the documents of each linked part alone, with their positions in the whole
    (`prefer`) and the counts of the whole (`count_by`), gives together what a search among all
    gives.
    """

    has_links = True


class SetSearch(Search):
    """Features, candidates, and a set measure that verifies them."""

    measured = True
    side_by_side = True
    has_links = True

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
        """Take candidates as they are; those of a join mean nothing before they are verified."""
        if self.candidates.describe()["kind"] != "join":
            self.goal = dataclasses.replace(self.goal, threshold=LEAST)
            self.decides = "are candidates"

    def describe(self) -> dict[str, Any]:
        """The candidates' parameters."""
        return self.candidates.describe()

    def probability(self, similarity: float) -> float | None:
        """The candidates' S-curve."""
        return self.candidates.probability(similarity)


def links_of(search: Search) -> LinkKeys:
    """The links of a search that has some; those of sets are made by their candidates."""
    links = search.candidates if isinstance(search, SetSearch) else search
    if not isinstance(links, LinkKeys):
        raise TypeError(f"{type(search).__name__} has no links")
    return links


@dataclass(frozen=True, slots=True)
class ShingleSets(Shingling):
    """A method that compares the shingles of documents by a set measure."""

    def features(self) -> Shingles:
        """The shingles that stand for a document."""
        return Shingles(self.shingle, self.offset, self.unit)

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """What finds the pairs that are verified."""
        raise NotImplementedError

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        return SetSearch(self.features(), self.candidates(goal, resources), goal)
