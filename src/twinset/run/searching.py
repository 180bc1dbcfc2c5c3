"""What a plan looks for pairs with: the search of its method, and the judge that checks the pairs.

A report's plan says how documents were cut up and compared; its word counts are kept beside it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.base import Goal
from twinset.finding.features import Shingles
from twinset.finding.methods.base import Search, SetSearch
from twinset.model import Floats, Ints, Judge
from twinset.plan import Plan, Resources
from twinset.plan.spec import name_of
from twinset.text.wording import spelt_wording

if TYPE_CHECKING:
    from twinset.finding.methods.similarity_model import SimilarityModel
    from twinset.finding.verify.checks import EditCheck, SetCheck
    from twinset.text.statistics import Statistics


class EditJudge:
    """Edit similarity of the texts, as the check says which."""

    name = "edit"

    def __init__(self, check: EditCheck, threshold: float, resources: Resources) -> None:
        from twinset.finding.verify.texts import TextStore

        self.threshold, self.threads = threshold, resources.threads
        self._texts = TextStore(resources.folder, check.text)

    def add(self, texts: pa.Array) -> None:
        """Keep the texts."""
        self._texts.add(texts, self.threads)

    def scores(self, left: Ints, right: Ints) -> Floats:
        """2·LCS/(|a|+|b|), 0 below the threshold."""
        from twinset.finding.verify.edit import edit_scores

        self._texts.finish()
        return edit_scores(self._texts, left, right, self.threshold, self.threads)

    def copy_scores(self) -> Floats:
        """1 for every document that has a text."""
        self._texts.finish()
        return (self._texts.characters > 0).astype(float)


class SetJudge:
    """A set measure over shingles."""

    def __init__(self, check: SetCheck, threshold: float, means: Resources) -> None:
        self.name, self.threshold, self.threads = name_of("check", check), threshold, means.threads
        self._measure = check.measure
        self._shingles = Shingles(check.shingle, check.offset, check.unit)
        self._store = _kernels.FeatureStore(means.room // 4, means.folder)

    def add(self, texts: pa.Array) -> None:
        """Keep the shingles."""
        shingles, _ = self._shingles.extract(texts, self.threads)
        self._store.append(shingles.values, shingles.offsets, self.threads)

    def scores(self, left: Ints, right: Ints) -> Floats:
        """The measure of each pair."""
        size = self._store.sizes
        shared = self._store.shared(left.astype("u4"), right.astype("u4"), self.threads)
        return self._measure.score(shared, size[left], size[right])

    def copy_scores(self) -> Floats:
        """The measure of each set with itself."""
        size = self._store.sizes
        return self._measure.score(size, size, size)


def judge_of(plan: Plan, resources: Resources, least: float | None = None) -> Judge | None:
    """What checks the pairs, if the plan asks for it; ``least`` in place of its threshold."""
    check = plan.verify
    if check is None:
        return None
    from twinset.finding.verify.checks import EditCheck, SetCheck

    threshold = getattr(check, "threshold", None) or plan.threshold if least is None else least
    if isinstance(check, EditCheck):
        return EditJudge(check, threshold, resources)
    if isinstance(check, SetCheck):
        return SetJudge(check, threshold, resources)
    return None


def begin(
    plan: Plan, resources: Resources, known: Statistics | SimilarityModel | None = None
) -> Search:
    """A search by the plan's method, its own verification left out if the plan has a check.

    ``known`` are word counts to use in place of the collection's own, or a model in place of its
    file; the plan may name a file of counts.
    """
    if plan.by_units:
        level = name_of("level", plan.level)
        raise PlanError([f"level {level} is for find and dedup of one collection: leave it out"])
    goal = Goal(plan.measure, plan.threshold, plan.recall, plan.dense)
    within = plan.read.within
    if plan.statistics and known is None:
        from twinset.text.statistics import Statistics

        known = Statistics.read(plan.statistics, within)
    if (stop := getattr(plan.method, "stop", "none")) != "none":
        from twinset.text import stopwords

        stopwords.own_words(stop, within)
    check_wording(plan, known)
    resources = dataclasses.replace(resources, within=within)
    search: Search = plan.method.search(goal, resources, known)
    if plan.verify is not None and isinstance(search, SetSearch):
        search.relax()
    return search


def check_wording(plan: Plan, known: Statistics | SimilarityModel | None) -> None:
    """Refuse word counts of other forms than the plan's, and forms beside those of a model."""
    own, words = spelt_wording(plan), spelt_wording(dataclasses.replace(plan, mask=()))
    if words and getattr(plan.method, "rewords", False):
        raise PlanError([f"a model has forms and synonyms of its own: leave out the {words}"])
    if known is not None and known.wording != own:
        raise PlanError(
            [
                f"the statistics were made with {known.wording or 'words as they are written'}, "
                f"the plan has {own or 'words as they are written'}: give the same options"
            ]
        )


def at_threshold(plan: Plan, search: Search) -> float:
    """The least Jaccard similarity of a pair exactly at the threshold, which curves are over."""
    least = search.goal.measure.least_jaccard(plan.threshold) if search.measured else None
    return min(1.0, plan.threshold) if least is None else least


def recall(plan: Plan, search: Search) -> float | None:
    """The chance to find a pair exactly at the threshold, where it is known."""
    return search.probability(at_threshold(plan, search))


def s_curve(search: Search) -> list[tuple[float, float]]:
    """(similarity, chance to be found) from 0 to 1; empty where a method has no such curve."""
    return known_chances(search, [step / 100 for step in range(101)])


def known_chances(search: Search, similarities: Sequence[float]) -> list[tuple[float, float]]:
    """The chances of these similarities, where they are known."""
    points = ((similarity, search.probability(similarity)) for similarity in similarities)
    return [(similarity, chance) for similarity, chance in points if chance is not None]
