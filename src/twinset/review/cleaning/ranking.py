"""Which file is preferred to which, by the keep policies of the search or by others, and why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from twinset.finding.clusters.keep import Traits, deciding, ranks_of
from twinset.model import Floats, Ints
from twinset.plan.spec import make, spell
from twinset.reading.walked import is_report
from twinset.result.manifest import plan_of
from twinset.review.cleaning.files import Marks
from twinset.review.cleaning.model import Reason
from twinset.review.index import ReportIndex
from twinset.review.threshold import preference, traits_of
from twinset.run.documents import preferred


def policies_of(texts: Sequence[str]) -> tuple[Any, ...]:
    """The policies that texts name, as in `--keep`; raises where one is none."""
    return tuple(make("keep", text) for text in texts)


@dataclass(frozen=True)
class Ranking:
    """``place`` is lowest for the preferred file; ``kept`` marks those that must stay.

    ``own`` marks copies that twinset has written into a report. They are preferred to nothing: a
    report is thrown away some day, and the originals would have gone before.
    ``ranks`` has the figures of each policy; nothing where a policy looks at a field of the input,
    which a report does not hold.
    """

    place: Ints
    kept: Marks
    policies: tuple[Any, ...]
    ranks: tuple[Floats, ...]
    traits: Traits
    own: Marks

    @classmethod
    def of(cls, index: ReportIndex, texts: Sequence[str] | None = None) -> Ranking:
        """By the policies of the search, or by these."""
        usual, traits = preference(index, removing=True), traits_of(index)
        plan = plan_of(index.manifest)
        if texts is not None:
            policies = policies_of(texts)
            order = preferred(usual.kept, policies, traits, index.ids)
        else:
            policies, order = plan.keep or policies_of(["first"]), usual
        is_known = texts is not None or not plan.fields_of_keep()
        ranks = ranks_of(policies, traits)[0] if is_known else []
        own, place = _own_copies(traits), np.empty(len(index), np.int64)
        place[order.order[np.argsort(own[order.order], kind="stable")]] = np.arange(len(index))
        return cls(place, order.kept, tuple(policies), tuple(ranks), traits, own)

    @property
    def texts(self) -> tuple[str, ...]:
        """The policies as `--keep` takes them."""
        return tuple(spell("keep", policy) for policy in self.policies)

    def why(self, kept: int, removed: int) -> Reason:
        """Why one of two files stays and the other goes."""
        if self.own[removed] and not self.own[kept]:
            return Reason("own_copy")
        reason = deciding(self.policies, self.ranks, self.traits, kept, removed)
        return Reason(reason.name, reason.values)


def _own_copies(traits: Traits) -> Marks:
    """The files that lie in the folder of a report, whatever it is called."""

    @cache
    def is_inside(folder: str) -> bool:
        above = os.path.dirname(folder)
        return is_report(Path(folder)) or (above != folder and is_inside(above))

    paths = (traits.path(number) for number in range(len(traits.units)))
    return np.array([path is not None and is_inside(os.path.dirname(path)) for path in paths], bool)
