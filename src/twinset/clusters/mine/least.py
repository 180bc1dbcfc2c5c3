"""Sets by their number of documents: larger ones alone, or those of a single document as well.

The miners look for clusters and leave out sets of one document. These are told apart by what they
are: a document is closed if no other one has all its features, and maximal if it shares enough
features with no other one.
"""

from __future__ import annotations

from collections.abc import Iterable

from twinset.clusters.closed_sets import SetKind
from twinset.clusters.context import Context
from twinset.clusters.mine import Itemset


def of_at_least(
    least: int, sets: Iterable[Itemset], context: Context, support: int, kind: SetKind
) -> list[Itemset]:
    """The sets of so many documents and more; with 1, single documents come behind the others."""
    chosen = [found for found in sets if len(found[0]) >= least]
    return chosen if least > 1 else chosen + singles(chosen, context, support, kind)


def singles(
    sets: Iterable[Itemset], context: Context, support: int, kind: SetKind
) -> list[Itemset]:
    """The single documents that are sets of this kind; ``sets`` are all those of two and more."""
    sizes = context.lengths
    frequent = [document for document in range(len(context)) if sizes[document] >= support]
    if kind == "maximal":
        held = {document for documents, _ in sets for document in documents}
        chosen = [document for document in frequent if document not in held]
    else:
        chosen = _closed(context, frequent)
    return [((document,), int(sizes[document])) for document in chosen]


def _closed(context: Context, documents: list[int]) -> list[int]:
    """Those of the documents whose features no other document has all of."""
    features, owners = context.inverted()
    line_of = {int(feature): line for line, feature in enumerate(features)}

    def is_closed(document: int) -> bool:
        others: set[int] | None = None
        for feature in context[document].tolist():
            line = line_of[feature]
            owning = set(owners[line].tolist())
            others = owning if others is None else others & owning
            if len(others) == 1:
                return True
        return False

    return [document for document in documents if is_closed(document)]
