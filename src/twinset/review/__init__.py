"""Looking into a report and deciding on it: what the page and ``twinset show`` have in common.

``opened`` keeps reports open as arrays (``index``, ``grouping``); ``browse`` gives the overview,
the table of clusters and members, ``cluster`` similarities, passages and the lattice, ``threshold``
clusters at a higher threshold. ``documents`` reads texts again, ``side`` puts two beside each other
(``moved``, ``dates``). ``journal`` holds decisions, ``labels`` exports them, ``settle`` and
``apply`` carry them out; ``export`` makes the page and the ZIP file to send.
"""

from __future__ import annotations

from twinset.review.apply import Applied, apply
from twinset.review.browse import Query, members, overview, page, row_of
from twinset.review.documents import Documents, TextSearch
from twinset.review.index import Index
from twinset.review.journal import Decision, Decisions, Journal
from twinset.review.labels import as_csv, as_json, labels
from twinset.review.opened import opened
from twinset.review.side import SideBySide, side_by_side
from twinset.review.threshold import Regrouped, regroup

__all__ = [
    "Applied",
    "Decision",
    "Decisions",
    "Documents",
    "Index",
    "Journal",
    "Query",
    "Regrouped",
    "SideBySide",
    "TextSearch",
    "apply",
    "as_csv",
    "as_json",
    "labels",
    "members",
    "opened",
    "overview",
    "page",
    "regroup",
    "row_of",
    "side_by_side",
]
