"""The two sorts of clusters: out of verified pairs, or out of the images of all documents.

A kind of either sort is one file with a class that has the methods of `ClustersOfPairs` or of
`ClustersOfImages`, and one line in ``plan/spec/table.py``. Nothing else asks for a kind by its
name: run, result, review and pages ask what it can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Floats, Ints, Ragged

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.finding.clusters.closed_sets import Context
    from twinset.finding.clusters.lattice import ComponentLattice

Slots = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Graph:
    """Verified pairs of slots; slot 0 is preferred to slot 1, ``kept`` slots come first.

    ``copies`` is the similarity of each slot with an exact copy of it. ``threads`` may work on it.
    """

    kept: NDArray[np.uint8]
    earlier: Slots
    later: Slots
    score: Floats
    copies: Floats
    threads: int = 1

    @property
    def count(self) -> int:
        """The number of slots."""
        return len(self.kept)

    def among(self, chosen: NDArray[np.bool_], score: Floats) -> Graph:
        """The chosen pairs alone, with these scores."""
        return replace(self, earlier=self.earlier[chosen], later=self.later[chosen], score=score)


@dataclass(frozen=True, slots=True)
class Membership:
    """Rows (cluster, slot, anchor slot or -1, score to the anchor), sorted by cluster and slot.

    ``anchored`` is true for a kind that has anchors, though there may be no cluster.
    """

    cluster: Ints
    slot: Ints
    anchor: Ints
    score: Floats
    complete: bool = True
    anchored: bool = False


class ClustersOfPairs(Protocol):
    """A kind of cluster that needs nothing but verified pairs."""

    def clusters(self, graph: Graph) -> Membership:
        """The clusters of two or more slots."""
        ...


@dataclass(frozen=True, slots=True)
class SharedSets:
    """Sets of documents: row ``i`` of ``members`` is set ``i``, ascending.

    ``shared`` is the number of features that all members of each set share, where it is known.
    """

    members: Ragged[np.int64]
    shared: Ints | None = None


class ImageClusters(Protocol):
    """What a kind of cluster has found in the images of a run."""

    @property
    def complete(self) -> bool:
        """Whether no bound has cut the search."""
        ...

    def shared_sets(self) -> SharedSets:
        """The clusters; a document may be in several."""
        ...

    def figures(self) -> dict[str, float]:
        """Numbers for the manifest; those of parts without a common feature add up.

        At least ``sets``, how many clusters there are.
        """
        ...

    def tables(self, ids: pa.Array) -> dict[str, pa.Table]:
        """Further tables of the report by name; ``ids`` are those of all documents.

        The first column is the number of the row.
        """
        ...

    def lattices(self, ids: pa.Array) -> list[ComponentLattice]:
        """The lattices most worth a look; none for a kind without such an order."""
        ...


@dataclass(frozen=True, slots=True)
class Explanation:
    """What reports say about clusters out of images.

    ``noun`` names such clusters, ``clusters`` says how many there are and what their members share,
    ``sentences`` are added to the summary. ``stricter`` names what gives closer clusters.
    ``unlisted_from``, where the kind lists the largest sets alone, is how many features the
    members of the smaller sets inside these share at least. ``tables`` are the further tables of
    the report, by name.
    """

    noun: str
    clusters: str
    sentences: tuple[str, ...] = ()
    stricter: str = "other options of the clusters"
    unlisted_from: int | None = None
    tables: tuple[str, ...] = ()


@runtime_checkable
class ClustersOfImages(Protocol):
    """A kind of cluster that is searched in the images of all documents, beside the pairs.

    Where it has an option ``image``, that is the image of methods that have none of their own.
    """

    def image_faults(self, image: Any) -> list[str]:
        """Why nothing can be found in such images, as sentences."""
        ...

    def find_clusters(self, context: Context, threads: int) -> ImageClusters:
        """Search the images; the same for any number of threads."""
        ...

    def facts(self, figures: Mapping[str, float], image: str) -> dict[str, Any]:
        """Plain values for the manifest, which holds them under the name of the kind.

        At least ``image``, as given here, ``sets`` (how many clusters there are) and ``notes``
        (sentences on what was left out).
        """
        ...

    @staticmethod
    def explain(facts: Mapping[str, Any]) -> Explanation:
        """In words what `facts` has written."""
        ...


def by_label(label: Ints, slots: Ints, threads: int = 1) -> tuple[Ints, Ints, Slots]:
    """Rows (cluster, slot) from a label per slot, and their order; clusters numbered by label."""
    order = _kernels.sorted_order(label.astype(np.uint32), slots.astype(np.uint32), threads)
    ranked = label[order]
    starts = np.concatenate([[True], ranked[1:] != ranked[:-1]]) if len(ranked) else ranked > 0
    return np.cumsum(starts) - 1, slots[order], order
