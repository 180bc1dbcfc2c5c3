"""Closed sets as the clusters of a run, and what is told about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.clusters.closed import Closed, ClosedSets
from twinset.clusters.context import Context
from twinset.clusters.false_clusters import FalseClusters, false_clusters
from twinset.clusters.lattice import DRAWABLE, component_lattice
from twinset.engine.clustering import Clustered, weakest_pairs
from twinset.engine.copies import Classes
from twinset.engine.pairing import Paired
from twinset.model import Clusters, Floats, Ints
from twinset.model.columns import column
from twinset.report.lattices import Drawing

AT_ONCE = 200_000
"""Members whose similarities are computed in one go: a bound on memory."""
DRAWN = 4
"""Lattices that a report shows."""
LARGEST_DRAWN = 1000
"""Documents of a component whose lattice is drawn at all."""


@dataclass(frozen=True)
class Closing:
    """The sets of a run, the context they were found in and the components they lie in.

    ``given`` are the sets that become clusters: all of a component that was searched to the end,
    and the cover of one that was cut, for the rest of what was found there is an arbitrary part.
    """

    kind: Closed
    image: str
    context: Context
    sets: ClosedSets
    components: FalseClusters
    given: Ints

    @classmethod
    def of(cls, kind: Closed, image: str, context: Context, threads: int) -> Closing:
        """Search the images of all documents; equal ones are put together by the search."""
        sets = kind.find(context, threads)
        cut = sets.components.truncated[sets.component] != 0
        given = np.flatnonzero(~cut | (sets.in_cover != 0))
        return cls(kind, image, context, sets, false_clusters(context, sets, threads), given)

    def clustered(self, paired: Paired, classes: Classes) -> Clustered:
        """The sets as clusters; none is chained, for its members share features all together."""
        sets, given = self.sets, self.given
        members = sets.members.take(given)
        member, cluster = members.values.astype(np.int64), members.owners()
        clusters = Clusters(
            cluster,
            member,
            np.full(len(member), -1),
            np.full(len(member), np.nan),
            _weakest(members.offsets, cluster, classes.leader[member], paired),
            np.zeros(len(given), bool),
            sets.support[given].astype(np.int64),
        )
        return Clustered(clusters, not sets.components.truncated.any() and not sets.cut)

    def facts(self) -> dict[str, Any]:
        """The figures for the manifest."""
        sets, components = self.sets, self.components
        cut = sets.components.truncated != 0
        return {
            "kind": self.kind.kind,
            "k": self.kind.k,
            "share": self.kind.share,
            "image": self.image,
            "sets": len(self.given),
            "found": len(sets),
            "too_short": sets.too_short,
            "truncated_components": int(cut.sum()),
            "truncated_documents": int(sets.components.documents[cut].sum()),
            "cut": sets.cut,
            "components": len(components),
            "chained_components": int(components.chained.sum()),
            "split_components": int((~components.whole).sum()),
            "false_clusters": components.sentence(),
            "notes": self.notes(),
        }

    def notes(self) -> list[str]:
        """What was left out or cut, in sentences; empty when the answer is whole."""
        sets, cut = self.sets, self.sets.components.truncated != 0
        found = []
        if sets.too_short:
            found.append(
                f"{sets.too_short:,} of {len(self.context):,} documents have fewer features than "
                "the threshold asks for and are in no set (short=equal keeps exact copies, --share "
                "makes the threshold relative)"
            )
        if cut.any():
            found.append(
                f"components with more sets than the bounds allow: {int(cut.sum()):,}, with "
                f"{int(sets.components.documents[cut].sum()):,} documents; for these a cover is "
                "given, sets that hold every document"
            )
        if sets.cut:
            found.append(
                f"{sets.cut:,} documents have more possible neighbours than are compared; "
                "components may come out in parts"
            )
        return found

    def table(self, ids: pa.Array) -> pa.Table:
        """The false-cluster report: one row a component, with its worst pair."""
        found, figures = self.components, self.sets.components
        return pa.table(
            {
                "component": column(np.arange(len(found))),
                "documents": column(found.documents),
                "sets": column(found.sets),
                "left": ids.take(column(found.left)),
                "right": ids.take(column(found.right)),
                "shared": column(found.shared),
                "needed": column(found.needed),
                "chained": column(found.chained),
                "whole": column(found.whole),
                "complete": column(found.complete),
                "truncated": column(figures.truncated != 0),
            }
        )

    def drawings(self, ids: pa.Array, most: int = DRAWN) -> list[Drawing]:
        """The lattices of the components that no one set holds, those that chain first.

        Of these the ones that can be drawn whole come before larger ones, and among them the ones
        that fall furthest short.
        """
        found = self.components
        short = (found.needed - found.shared) / found.needed.clip(1)
        large = found.documents > DRAWABLE
        order = np.lexsort((-found.documents, -short, large, ~found.chained))
        drawable = ~found.whole & (found.documents <= LARGEST_DRAWN)
        table = self.table(ids)
        return [
            self._drawing(number, ids, table.slice(number, 1).to_pylist()[0])
            for number in order[drawable[order]][:most].tolist()
        ]

    def _drawing(self, component: int, ids: pa.Array, worst: dict[str, Any]) -> Drawing:
        lattice = component_lattice(self.context, self.sets, component)
        documents = lattice.documents()
        place = {document: number for number, document in enumerate(documents)}
        concepts = tuple(
            replace(one, documents=tuple(place[document] for document in one.documents))
            for one in lattice.concepts
        )
        names = tuple(ids.take(column(np.array(documents, np.int64))).to_pylist())
        return Drawing(replace(lattice, concepts=concepts), names, worst)


def _weakest(offsets: Ints, cluster: Ints, documents: Ints, paired: Paired) -> Floats:
    """The lowest similarity inside each set, some sets at a time."""
    parts = [np.empty(0)]
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + AT_ONCE, "right")) - 1
        last = max(last, first + 1)
        rows = slice(int(offsets[first]), int(offsets[last]))
        numbered = cluster[rows] - first
        lowest, _ = weakest_pairs(numbered, documents[rows], paired.score, paired.threshold)
        parts.append(lowest)
        first = last
    return np.concatenate(parts)
