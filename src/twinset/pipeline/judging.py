"""Judges: what checks the pairs of a method when the plan asks for it."""

from __future__ import annotations

import pyarrow as pa

from twinset import _kernels, registry
from twinset.errors import PlanError
from twinset.features.shingles import Shingles
from twinset.model import Floats, Ints, Judge, Measure
from twinset.plan import Plan, Resources
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

    def __init__(
        self, name: str, measure: Measure, shingles: Shingles, threshold: float, means: Resources
    ) -> None:
        self.name, self.threshold, self.threads = name, threshold, means.threads
        self._measure, self._shingles = measure, shingles
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


def judge_of(plan: Plan, resources: Resources) -> Judge | None:
    """The judge that the plan names as ``name:threshold``; None for none."""
    if plan.verify in (None, "none"):
        return None
    name, _, number = str(plan.verify).partition(":")
    known = ["edit", *registry.names("measure")]
    try:
        threshold = float(number or plan.threshold)
    except ValueError:
        threshold = -1.0
    if name not in known or threshold <= 0 or (threshold > 1 and name != "overlap"):
        raise PlanError(
            [
                f"verify must be none or NAME:THRESHOLD, as edit:0.8, not '{plan.verify}'; "
                f"names are {', '.join(known)}, thresholds lie above 0 and not above 1"
            ]
        )
    if name == "edit":
        return EditJudge(threshold, resources)
    shingles = Shingles(plan.shingle, plan.offset, plan.unit)
    return SetJudge(name, registry.make("measure", name), shingles, threshold, resources)
