"""Which documents go: those with a copy that stays, never one that is merely of the same form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.clusters.base import Graph
from twinset.engine.clustering import removal
from twinset.engine.copies import Classes
from twinset.engine.documents import Preference
from twinset.engine.kinds import STAYING, Codes, PairKinds
from twinset.engine.pairing import Paired
from twinset.model import Floats, Ints


@dataclass(frozen=True, slots=True)
class KeptApart:
    """Documents that stay though they are alike to the one beside: another paper, or a part.

    ``changes`` says in a few phrases what differs, nothing where there are too many documents.
    """

    rows: Ints
    beside: Ints
    score: Floats
    kinds: Codes
    changes: list[str]


@dataclass(frozen=True, slots=True)
class Removal:
    """For each document the one it is removed for, itself where it stays, and their similarity."""

    target: Ints
    score: Floats
    apart: KeptApart | None = None

    @property
    def keep(self) -> NDArray[np.bool_]:
        """The documents that stay."""
        stays: NDArray[np.bool_] = self.target == np.arange(len(self.target))
        return stays


def remove(
    paired: Paired, classes: Classes, preferred: Preference, kinds: PairKinds | None
) -> Removal:
    """Decide by the pairs, without those whose kind is no ground where kinds are known."""
    target, score = removal(paired.graph, paired.leaders, classes, preferred.kept)
    if kinds is None:
        return Removal(target, score)
    alike, alike_score = target, score
    pairs, graph = paired.pairs, paired.graph
    good = ~np.isin(kinds.of(pairs.left, pairs.right, pairs.score), STAYING)
    copies = Graph(
        graph.kept, graph.earlier[good], graph.later[good], graph.score[good], graph.copies
    )
    target, score = removal(copies, paired.leaders, classes, preferred.kept)
    number = np.arange(len(target))
    # Documents with equal features go with the one that stands for them: each is looked at itself.
    goes = np.flatnonzero(target != number)
    stays = goes[np.isin(kinds.of(goes, target[goes], score[goes]), STAYING)]
    target[stays] = stays
    rows = np.flatnonzero((alike != number) & (target == number))
    codes = kinds.of(rows, alike[rows], alike_score[rows])
    apart = np.isin(codes, STAYING)
    rows = rows[apart]
    changes = kinds.changes(alike[rows], rows)
    kept_apart = KeptApart(rows, alike[rows], alike_score[rows], codes[apart], changes)
    return Removal(target, score, kept_apart)
