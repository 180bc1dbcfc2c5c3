"""A learnt decision on similarity vectors.

Raveena, Nandini: Near duplicate document detection using document-level features and supervised
learning (ICGICT 2014): words of greatest tf-idf, several similarities of them as a vector, and a
support vector machine that was trained on labelled pairs; near-duplicates where g(x) >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.base import Goal, Near
from twinset.finding.candidates.cosine import ROUNDING, TermLinks, rarest
from twinset.finding.methods.base import About, Evidence, Search
from twinset.finding.methods.similarity_model import SimilarityModel, read_model
from twinset.model import FeatureLists, Floats, Ints
from twinset.plan import Resources
from twinset.plan.spec import option
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Learned:
    """Pairs that a ``model`` made by 'twinset lab learn' classifies as near-duplicates.

    A pair is one if its score reaches ``least``; 0.5 is the boundary that was learnt. Candidates
    are the pairs whose heaviest words have a cosine of at least ``level``, 0 for the one that the
    model holds: raise it for speed.
    """

    uses: ClassVar[tuple[str, ...]] = ()
    rewords: ClassVar[bool] = True
    model: str = option("", "Model file written by 'twinset lab learn'.")
    least: float = option(
        0.5, "Minimum score of a pair; 0.5 is the learnt boundary.", least=0, most=1
    )
    level: float = option(
        0.0,
        "Minimum cosine of the heaviest words of a candidate pair; 0: as in the model.",
        least=0,
        most=1,
    )
    about: ClassVar[About] = About(
        paper="Raveena, Nandini 2014",
        needs="a model, and so labelled or generated pairs; all views of the documents in memory",
        cost="linear in practice, quadratic at worst; one vector for each candidate pair",
        use="if you have labelled pairs and a single threshold does not separate them well",
        avoid="collections unlike the one that the model was trained on",
        published="none",
        asks="model",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        if self.model:
            return []
        return [
            "it needs a model: make one with 'twinset lab learn IN --labels FILE -o model.json' "
            "and write learned:model=model.json"
        ]

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | SimilarityModel | None = None
    ) -> LearnedSearch:
        """Begin a run, with the model of its file unless that is ``known``."""
        if isinstance(known, Statistics):
            raise PlanError(["a model has its own word counts: leave out statistics"])
        model = known or read_model(self.model, resources.within)
        return LearnedSearch(self, model, goal, resources)


class LearnedSearch(Search, TermLinks):
    """Profiles are kept; candidates are joined and judged at the end."""

    by_text = True

    def __init__(
        self, method: Learned, model: SimilarityModel, goal: Goal, resources: Resources
    ) -> None:
        self.method, self.model, self.goal, self.resources = method, model, goal, resources
        name = Path(method.model).name
        self.decides = f"the model {name} gives a score of {method.least:g} or more"
        self._profiles = model.profiles()
        self._level = method.level or model.level.least

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted shingles; the views are put aside."""
        tokens = self._profiles.add(texts, threads)
        return tokens.shingles(self.model.views.shingle), tokens.lengths

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The candidates that the model accepts."""
        model, threads = self.model, self.resources.threads
        documents = np.flatnonzero(use).astype(np.uint32)
        left, right = self._profiles.near(self._level, documents, threads)
        score = model.svm.scores(model.decide(self._profiles, left, right, threads))
        good = score >= self.method.least
        return Near(left[good], right[good], score[good], len(left))

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The rarest of the heaviest words."""
        words = self._profiles.rarity()
        return rarest(words.terms, words.weights, words.weights**2, self._level**2)

    def decided(self, left: Ints, right: Ints, least: float | None) -> Floats:
        """The scores of candidates that the model accepts."""
        ends, threads = (left.astype(np.uint32), right.astype(np.uint32)), self.resources.threads
        score = self.model.svm.scores(self.model.decide(self._profiles, *ends, threads))
        near = self._profiles.nearness(*ends, threads) >= self._level - ROUNDING
        return np.where(near & (score >= (least or self.method.least)), score, np.nan)

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """The similarities that the decision was made by."""
        first, second = left.astype(np.uint32), right.astype(np.uint32)
        features = self.model.features
        rows = self._profiles.vectors(features, first, second, self.resources.threads)
        return {
            name.replace(".", "_"): np.ascontiguousarray(rows[:, column])
            for column, name in enumerate(features)
        }

    def describe(self) -> dict[str, Any]:
        """Where candidates come from, and which model it is."""
        level = self.model.level
        return {
            "kind": "cosine",
            "view": level.view,
            "threshold": self._level,
            "kept": level.kept,
            "model": self.model.digest(),
        }
