"""Judges: what checks the pairs of a method when the plan asks for it."""

from __future__ import annotations

import pyarrow as pa

from twinset import _kernels
from twinset.features.shingles import Shingles
from twinset.model import Floats, Ints, Judge
from twinset.plan import Plan, Resources
from twinset.spec import name_of
from twinset.verify.checks import EditCheck, SetCheck
from twinset.verify.edit import edit_scores
from twinset.verify.texts import TextStore


class EditJudge:
    """Edit similarity of the canonical texts."""

    name = "edit"

    def __init__(self, threshold: float, resources: Resources) -> None:
        self.threshold, self.threads = threshold, resources.threads
        self._texts = TextStore(resources.folder)

    def add(self, texts: pa.Array) -> None:
        """Keep the texts."""
        self._texts.add(texts, self.threads)

    def scores(self, left: Ints, right: Ints) -> Floats:
        """2·LCS/(|a|+|b|), 0 below the threshold."""
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
        self._store = _kernels.FeatureStore(means.memory // 4, means.folder)

    def add(self, texts: pa.Array) -> None:
        """Keep the shingles."""
        values, offsets, _ = self._shingles.extract(texts, self.threads)
        self._store.append(values, offsets, self.threads)

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
    threshold = getattr(check, "threshold", None) or plan.threshold if least is None else least
    if isinstance(check, EditCheck):
        return EditJudge(threshold, resources)
    if isinstance(check, SetCheck):
        return SetJudge(check, threshold, resources)
    return None
