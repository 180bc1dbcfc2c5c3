"""Clusters as closed sets of documents (Ignatov, Jánosi-Rancz, Kuznetsov 2009).

A cluster is a set of two or more documents that all share at least k features, as large as it can
be: no chaining, because every member shares the same k features with every other. Clusters may
overlap. The search is in the kernels; ``docs/explanation/closed-sets.md`` explains it.

`FalseClusters` is the papers' argument against transitive closure, as a table: for each connected
component the sets inside it, its worst pair, and whether it chained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.clusters.base import Explanation, ImageClusters, SharedSets
from twinset.finding.clusters.closed_sets import (
    ClosedSets,
    Context,
    SetKind,
    searched_sets,
    short_note,
)
from twinset.finding.clusters.lattice import DRAWABLE, ComponentLattice, named_lattice
from twinset.model import Ints, Ragged
from twinset.model.columns import column
from twinset.plan import shared
from twinset.plan.spec import checked, name_of, option

LARGEST_DRAWN = 1000
"""Documents of a component whose lattice is drawn at all."""


@dataclass(frozen=True, slots=True)
class FalseClusters:
    """One row per component, by rising number.

    ``left`` and ``right`` are its worst pair, which shares ``shared`` features where ``needed``
    would make it similar. ``chained``: that pair is below the threshold. ``whole``: one set holds
    the component. ``complete`` is false for a component so large that only a part of its pairs was
    looked at: its worst pair is at least that bad.
    """

    documents: Ints
    sets: Ints
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    shared: Ints
    needed: Ints
    chained: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    complete: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.documents)

    def worth_drawing(self) -> list[int]:
        """The components that no one set holds and that are not too large, those that chain first.

        Of these the ones that can be drawn whole come before larger ones, and among them the ones
        that fall furthest short.
        """
        short = (self.needed - self.shared) / self.needed.clip(1)
        large = self.documents > DRAWABLE
        order = np.lexsort((-self.documents, -short, large, ~self.chained))
        drawable = ~self.whole & (self.documents <= LARGEST_DRAWN)
        numbers: list[int] = order[drawable[order]].tolist()
        return numbers

    def figures(self) -> dict[str, float]:
        """The totals."""
        return {
            "components": len(self),
            "chained_components": int(self.chained.sum()),
            "split_components": int((~self.whole).sum()),
        }


def false_sentence(figures: Mapping[str, float]) -> str:
    """The totals in words."""
    return (
        f"of {figures['components']:,} components {figures['chained_components']:,} hold pairs "
        f"below the threshold, and {figures['split_components']:,} are not inside any one set"
    )


def false_clusters(context: Context, sets: ClosedSets, threads: int = 1) -> FalseClusters:
    """The report over the components that the sets were searched in."""
    order = np.argsort(sets.component_of, kind="stable").astype(np.int32)
    order = order[sets.component_of[order] >= 0]
    components = Ragged.from_lengths(order, sets.components.documents)
    left, right, shared, needed, complete = _kernels.worst_pairs(
        context.values, context.offsets, sets.least, components.values, components.offsets, threads
    )
    largest = np.zeros(len(sets.components), dtype=np.int64)
    np.maximum.at(largest, sets.component, sets.members.lengths)
    return FalseClusters(
        sets.components.documents,
        sets.components.sets,
        left,
        right,
        shared,
        needed,
        shared < needed,
        largest == sets.components.documents,
        complete != 0,
    )


Short = Literal["drop", "equal"]
BOUNDED = ("bottom", "minwise", "oph")
"""Images of at most ``size`` values; in ``mod`` the size is a divisor, ``full`` has none."""
DRAWN = 4
"""Lattices that a report shows."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Sets of documents that share ``k`` features, or a ``share`` of each one's features.

    A component of documents that meets a bound keeps what was found and gets a cover of its
    documents.
    """

    k: int | None = shared.k()
    share: float | None = shared.share()
    kind: SetKind = option("maximal", "Maximal sets alone, or all closed sets.")
    short: Short = option(
        "drop",
        "With k, documents of fewer features are in no set (drop), or only with documents of the "
        "same features (equal).",
    )
    max_sets: int = option(
        10_000, "Greatest number of sets in one component of documents.", least=1
    )
    max_work: int = option(
        200_000_000, "Greatest number of steps of the search in one component.", least=1
    )
    max_members: int = option(
        4_000_000, "Rows that the whole answer may have: a bound on memory.", least=1
    )
    image: Any = option(
        None,
        "Image whose values are shared, where the method has none of its own.",
        part="image",
    )
    pair_cover: bool = option(
        False, "Cover the similar pairs of a component that meets a bound, not its documents alone."
    )

    def faults(self) -> list[str]:
        """What is wrong with the options beyond their bounds, as sentences."""
        if (self.k is None) == (self.share is None):
            return ["give either k (a number of features) or share (of each one's, from 0 to 1)"]
        return []

    def thresholds(self, sizes: Ints) -> NDArray[np.int32]:
        """For each document the number of features that a set with it has to share."""
        if self.k is not None:
            least = np.full(len(sizes), min(self.k, 2**31 - 1))
            return (
                (np.minimum(least, sizes) if self.short == "equal" else least).clip(1).astype("i4")
            )
        # The decimal that the user wrote: in floating point 0.07 * 100 is above 7.
        share = Fraction(str(self.share))
        exact = -(-sizes.astype(object) * share.numerator // share.denominator)
        return np.asarray(exact, dtype=np.int64).clip(1).astype(np.int32)

    def find(self, context: Context, threads: int = 1) -> ClosedSets:
        """All sets of the context; the same for any number of threads."""
        checked("clusters", self)
        least = self.thresholds(context.lengths)
        limits = (self.max_sets, self.max_work, self.max_members)
        return searched_sets(context, least, self.kind, limits, self.pair_cover, threads)

    def image_faults(self, image: Any) -> list[str]:
        """A number of features that no image of this kind can share."""
        is_sized = name_of("image", image) in BOUNDED
        most = image.size if is_sized else getattr(image, "most_values", None)
        if most is None or self.k is None or self.k <= most:
            return []
        return [
            f"k is {self.k}, but an image has at most {most} values and so no two documents "
            f"can share as many: take k up to {most}, or a larger image, as "
            f"--image bottom:size={self.k}"
        ]

    def find_clusters(self, context: Context, threads: int) -> ImageClusters:
        """The sets that become clusters; equal images are put together by the search."""
        sets = self.find(context, threads)
        return ClosedClusters(self, context, sets, false_clusters(context, sets, threads))

    def facts(self, figures: Mapping[str, float], image: str) -> dict[str, Any]:
        """The figures and what they say, for the manifest."""
        known = {name: value for name, value in figures.items() if name != "documents"}
        return {
            "kind": self.kind,
            "k": self.k,
            "share": self.share,
            "image": image,
            **known,
            "false_clusters": false_sentence(figures),
            "notes": notes(figures),
        }

    @staticmethod
    def explain(facts: Mapping[str, Any]) -> Explanation:
        """In words what `facts` has written, in this version or an older one."""
        sets = f"{facts['sets']:,} {facts['kind']} set{'' if facts['sets'] == 1 else 's'}"
        return Explanation(
            noun="closed sets",
            clusters=f"{sets} of documents that share at least {features_in_words(facts)}",
            sentences=(facts["false_clusters"], *facts["notes"]),
            stricter="a larger k or share",
            unlisted_from=facts["k"] if facts["kind"] == "maximal" else None,
            tables=("components",),
        )


def notes(figures: Mapping[str, float]) -> list[str]:
    """What was left out or cut, in sentences; empty when the answer is whole."""
    sentences = []
    if short := figures["too_short"]:
        sentences.append(short_note(int(short), int(figures["documents"])))
    if cut_short := figures["truncated_components"]:
        sentences.append(
            f"components with more sets than the bounds allow: {cut_short:,}, with "
            f"{figures['truncated_documents']:,} documents; for these a cover is "
            "given, sets that hold every document"
        )
    if cut := figures["cut"]:
        sentences.append(
            f"{cut:,} {'document has' if cut == 1 else 'documents have'} more "
            "possible neighbours than are compared; components may come out in parts"
        )
    return sentences


def features_in_words(facts: Mapping[str, Any]) -> str:
    """What the documents of a set have to share."""
    k = facts["k"]
    if k is None:
        return f"{facts['share']:g} of the features of each"
    return f"{k:,} feature{'' if k == 1 else 's'}"


@dataclass(frozen=True)
class ClosedClusters:
    """The sets of a run, the context they were found in and the components they lie in."""

    kind: Closed
    context: Context
    sets: ClosedSets
    components: FalseClusters

    @property
    def complete(self) -> bool:
        """Whether no bound has cut the search."""
        return not self.sets.components.truncated.any() and not self.sets.cut

    @cached_property
    def chosen(self) -> Ints:
        """The sets that become clusters.

        These are all sets of a component that was searched to the end, and the cover of one that
        was cut, for the rest of what was found there is an arbitrary part.
        """
        cut = self.sets.components.truncated[self.sets.component] != 0
        return np.flatnonzero(~cut | (self.sets.in_cover != 0))

    def shared_sets(self) -> SharedSets:
        """The clusters, with the number of features that the members of each share."""
        members = self.sets.members.take(self.chosen)
        numbers = members.like(members.values.astype(np.int64))
        return SharedSets(numbers, self.sets.support[self.chosen].astype(np.int64))

    def figures(self) -> dict[str, float]:
        """Numbers for the manifest."""
        sets = self.sets
        cut = sets.components.truncated != 0
        return {
            "documents": len(self.context),
            "sets": len(self.chosen),
            "found": len(sets),
            "too_short": sets.too_short,
            "truncated_components": int(cut.sum()),
            "truncated_documents": int(sets.components.documents[cut].sum()),
            "cut": sets.cut,
            **self.components.figures(),
        }

    def tables(self, ids: pa.Array) -> dict[str, pa.Table]:
        """The report on false clusters."""
        return {"components": self._components_table(ids)}

    def _components_table(self, ids: pa.Array) -> pa.Table:
        """One row per component, with its worst pair."""
        components, figures = self.components, self.sets.components
        return pa.table(
            {
                "component": column(np.arange(len(components))),
                "documents": column(components.documents),
                "sets": column(components.sets),
                "left": ids.take(column(components.left)),
                "right": ids.take(column(components.right)),
                "shared": column(components.shared),
                "needed": column(components.needed),
                "chained": column(components.chained),
                "whole": column(components.whole),
                "complete": column(components.complete),
                "truncated": column(figures.truncated != 0),
            }
        )

    def lattices(self, ids: pa.Array, most: int = DRAWN) -> list[ComponentLattice]:
        """The lattices of the components that no one set holds, those that chain first."""
        rows = self._components_table(ids)
        return [
            named_lattice(self.context, self.sets, ids, rows.slice(number, 1).to_pylist()[0])
            for number in self.components.worth_drawing()[:most]
        ]
