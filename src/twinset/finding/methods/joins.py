"""Methods that compare sets of features by an exact join, or by a join of samples of them.

* exact: Chaudhuri, Ganti, Kaushik: A primitive operator for similarity joins in data cleaning (ICDE
  2006); Xiao, Wang, Lin, Yu: Efficient similarity joins for near duplicate detection (WWW 2008).
* bottom: the n minimal elements in one permutation. Broder: On the resemblance and containment of
  documents (1997); Kuznetsov et al., who compare it with minimal elements in n permutations.
* given: the values of images that were read from a file.
* grams: runs of words with gaps or between pauses (Li et al. 2007), or inside sentences (Wang,
  Chang 2009), as Raveena and Nandini tell (2014).
* spotsigs: what follows stop words, of which navigation and advertisements have few. Theobald,
  Siddharth, Paepcke: SpotSigs: robust and efficient near duplicate detection in large web
  collections (SIGIR 2008).
* lexical: the words of middling frequency. Ignatov, Kuznetsov et al., on lexical and syntactic
  images with frequent closed sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.finding.candidates.base import Candidates, Goal
from twinset.finding.candidates.joins import JoinCandidates, SampledCandidates
from twinset.finding.features import Shingles
from twinset.finding.images import Bottom as BottomImage
from twinset.finding.images import Permutations, permuted
from twinset.finding.methods.base import MEASURED, About, SetSearch, ShingleSets, Survey
from twinset.finding.methods.keys import Cleaned, checked, disordered
from twinset.model import FeatureLists, Ints, Ragged, offsets_of
from twinset.model import compute as pc
from twinset.plan import Resources, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics, WordSurvey
from twinset.text.stopwords import hashes_of, is_own, lists, stop_words
from twinset.text.tokens import WHOLE, WHOLE_SENTENCE, Cleaning, sorted_set


@dataclass(frozen=True, slots=True)
class Exact(ShingleSets):
    """Finds every pair at or above the threshold, in up to twice the time of minhash.

    Among thousands of similar documents not every pair is listed; the manifest says so.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    about: ClassVar[About] = About(
        paper="Chaudhuri, Ganti, Kaushik 2006; Xiao et al. 2008",
        cost="linear in practice, quadratic at worst",
        use="nothing may be missed, or the measure is containment or overlap",
        avoid="very low thresholds on large collections",
        published="recall 1 by construction",
    )

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """The prefix join."""
        return JoinCandidates(goal, resources)


@dataclass(frozen=True, slots=True)
class Bottom(ShingleSets):
    """Compares samples of the smallest shingle hashes; every pair is verified on all shingles."""

    uses: ClassVar[tuple[str, ...]] = (*MEASURED, "recall")
    size: int = option(
        100, "Number of smallest shingle hashes to keep per document.", least=1, most=65536
    )
    permutations: Permutations = permuted()
    seed: int = shared.seed()
    about: ClassVar[About] = About(
        paper="Broder 1997; Kuznetsov et al. 2005",
        cost="linear in practice",
        use="the image of the papers; samples are sets, as closed sets need them",
        avoid="large collections: minhash finds the same pairs faster",
    )

    def image(self) -> BottomImage:
        """The sample."""
        return BottomImage(self.size, self.seed, self.permutations)

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """A join of the samples."""
        return SampledCandidates(self.image(), goal, resources)


@dataclass(frozen=True, slots=True)
class Given:
    """Compares values that are given: every word of a document is a feature.

    It is the method of images that ``twinset lab images`` has written: the values of a document
    stand in place of its text.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    image: Any = shared.image(usual="full")
    about: ClassVar[About] = About(
        paper="none",
        cost="linear in practice, quadratic at worst",
        use="images of a file (shingles.fps), from twinset or another tool",
        avoid="texts: single words say little of their order",
    )

    def features(self) -> Shingles:
        """The words."""
        return Shingles(1)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        return SetSearch(self.features(), JoinCandidates(goal, resources), goal)


PAUSES = r"[,;:](\s|$)|[()\[\]{}\"«»“”„—–…،、。，；：]"
"""Signs that end a stretch of words beside those that end a sentence."""


@dataclass(frozen=True, slots=True)
class WordGrams:
    """Runs of words with gaps, inside sentences or between pauses, compared exactly.

    A gram has ``length`` words, each ``distance`` words behind the one before; all of them lie in
    the same document, sentence or stretch between pauses (``inside``). What is too short for one is
    a gram as a whole, so ``inside=pause,length=1000`` compares whole strings between pauses.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    length: int = option(3, "Number of words in a gram.", least=1, most=1000)
    distance: int = option(
        1, "Distance in words from one word of a gram to the next.", least=1, most=100
    )
    inside: Literal["document", "sentence", "pause"] = option(
        "sentence", "What a gram does not reach beyond: document, sentence or pause."
    )
    about: ClassVar[About] = About(
        paper="Li et al. 2007; Wang, Chang 2009; Raveena, Nandini 2014",
        cost="linear in practice, quadratic at worst",
        use="sentences in another order (inside=sentence), single exchanged words (distance=2)",
        avoid="tables and lists, which have no sentences",
        needs="sentences",
        published="none",
    )

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted grams of each document, and its number of words."""
        if self.inside == "pause":
            texts = pc.replace_substring_regex(texts, PAUSES, "\n\n")
        tokens = WHOLE.tokens(texts, threads, sentences=True)
        bounds, of = tokens.offsets, np.arange(len(tokens) + 1)
        if self.inside != "document":
            bounds = np.append(tokens.sentence_first, len(tokens.hashes)).astype(np.int64)
            of = tokens.sentence_offsets
        positions, lengths = np.arange(self.length) * self.distance, np.diff(bounds)
        count = np.maximum(lengths - positions[-1], 0)
        first = np.arange(count.sum()) + np.repeat(bounds[:-1] - offsets_of(count)[:-1], count)
        grams = Ragged(
            tokens.hashes[np.add.outer(first, positions)].ravel(),
            np.arange(len(first) + 1) * self.length,
        )
        short = np.flatnonzero((count == 0) & (lengths > 0))
        rows = Ragged.concatenate([grams, Ragged(tokens.hashes, bounds).take(short)], np.uint64)
        values, _ = _kernels.unit_shingles(
            rows.values, rows.offsets, WHOLE_SENTENCE, False, False, threads
        )
        document = np.repeat(np.arange(len(tokens)), np.diff(of))
        owner = document[np.concatenate([np.repeat(np.arange(len(count)), count), short])]
        sizes = np.bincount(owner, minlength=len(tokens))
        found = Ragged.from_lengths(values[np.argsort(owner, kind="stable")], sizes)
        return sorted_set(found, threads), tokens.lengths

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        return SetSearch(self, JoinCandidates(goal, resources), goal)


@dataclass(frozen=True, slots=True)
class SpotSignatures:
    """Each antecedent with ``chain`` words after it that are no stop words, ``distance`` apart."""

    cleaning: Cleaning
    antecedents: tuple[str, ...] = ()
    chain: int = 2
    distance: int = 1

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted signatures of each document, and its number of words."""
        tokens = self.cleaning.tokens(texts, threads, keep_stopped=True)
        antecedent = tokens.stopped
        if self.antecedents:
            listed = np.isin(tokens.hashes, hashes_of(sorted(self.antecedents)))
            antecedent = (listed & (tokens.stopped > 0)).astype(np.uint8)
        values, offsets = _kernels.spot_signatures(
            tokens.hashes,
            antecedent,
            tokens.stopped,
            tokens.offsets,
            self.chain,
            self.distance,
            threads,
        )
        return Ragged(values, offsets), tokens.lengths


@dataclass(frozen=True, slots=True)
class SpotSigs(Cleaned):
    """Sets of stop words with the next ``chain`` other words, compared exactly by the measure.

    The ``antecedents`` are all stop words, or some of them joined by + (is+the+said); the words
    after one are taken ``distance`` apart. A document without stop words has no signature.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    antecedents: str = option(
        "", "Stop words that begin a spot, joined by +; empty: all stop words."
    )
    chain: int = option(
        2, "Number of words that follow the stop word in a spot.", least=1, most=100
    )
    distance: int = option(
        1, "Distance in words from one word of a spot to the next.", least=1, most=100
    )
    about: ClassVar[About] = About(
        paper="Theobald, Siddharth, Paepcke 2008",
        cost="linear in practice, quadratic at worst",
        use="news and blog pages: the text among navigation and advertisements",
        avoid="languages without a list of stop words, tables, titles, source code",
        needs="stop words of the language",
        published="SIGIR 2008: F .92 to .94 on Gold Set news pages at a Jaccard threshold of .44",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        faults = Cleaned.faults(self)
        if self.stop == "none":
            faults.append("without stop words there are no spots: name languages in stop")
        elif self.antecedents and not faults and not any(map(is_own, lists(self.stop))):
            strange = set(self._antecedents()) - set(stop_words(self.stop))
            faults += [f"the antecedent '{word}' is no stop word" for word in sorted(strange)]
        return faults

    def _antecedents(self) -> tuple[str, ...]:
        return tuple(filter(None, self.antecedents.split("+")))

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        features = SpotSignatures(self.cleaning(), self._antecedents(), self.chain, self.distance)
        return SetSearch(features, JoinCandidates(goal, resources), goal)


@dataclass(frozen=True, slots=True)
class Lexical(Cleaned):
    """Sets of words, compared exactly by the plan's measure (``--measure overlap`` counts them).

    A word belongs to the image if its count in the collection, relative to that of the most
    frequent word, lies from ``low`` to ``high``.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    low: float = option(
        0.00001, "Minimum count of a word, relative to the most frequent word.", least=0, most=1
    )
    high: float = option(
        0.5, "Maximum count of a word, relative to the most frequent word.", least=0, most=1
    )
    about: ClassVar[About] = About(
        paper="Ignatov, Kuznetsov et al. (lexical images, ROMIP collection)",
        needs="collection statistics (cf)",
        cost="linear in practice, quadratic at worst; two passes",
        use="reordered or lightly rewritten documents: the order of words does not matter",
        avoid="documents on one narrow subject, which share words without sharing text",
        published="none as a pair method; in the paper it feeds closed sets",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options beyond their bounds, as sentences."""
        return Cleaned.faults(self) + disordered(self.low, self.high)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> LexicalSearch:
        """Begin a run."""
        return LexicalSearch(self, goal, resources, known)


class LexicalSearch(SetSearch):
    """A join of the images."""

    def __init__(
        self, method: Lexical, goal: Goal, resources: Resources, known: Statistics | None
    ) -> None:
        super().__init__(self, JoinCandidates(goal, resources), goal)
        self.method, self.resources = method, resources
        self.statistics = checked(known, method.cleaning())

    @property
    def has_links(self) -> bool:  # type: ignore[override]
        """As soon as the statistics are there."""
        return self.statistics is not None

    def surveys(self) -> Iterator[Survey]:
        """Word counts."""
        if self.statistics is None:
            survey = WordSurvey(self.method.cleaning(), self.resources.threads)
            yield survey
            self.statistics = survey.finish()

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted hashes of the words inside the interval."""
        assert self.statistics is not None
        tokens = self.method.cleaning().tokens(texts, threads)
        words = tokens.distinct()
        _, cf = self.statistics.counts(words.hashes, threads)
        most = max(int(self.statistics.cf.max(initial=1)), 1)
        inside = (cf >= self.method.low * most) & (cf <= self.method.high * most)
        return sorted_set(words.terms.where(inside), threads), tokens.lengths
