"""Looks into a report and decides on it: what the page and the commands show, decide, export.

looking        ``index`` opens a report as arrays, ``grouping`` holds clusters, ``threshold``
               makes those of a higher threshold; ``browse`` gives the overview, the table of
               clusters and members, ``cluster`` one cluster in detail; ``texts`` reads documents
               again, ``pair`` compares two of them, ``signals`` says in words what is worth
               saying of them; ``boilerplate`` has the paragraphs that many of them share
deciding       ``decisions`` says what a decision is, ``journal`` keeps them in a file, ``queue``
               finds what to decide next, ``settle`` works out which documents go, ``apply``
               writes the kept and removed ones
cleaning       ``cleaning`` proposes which files of a folder can go, and keeps what was chosen
sending        ``export`` makes one page or a ZIP file
"""

from __future__ import annotations

from twinset.review.apply import Applied, apply
from twinset.review.browse import Query, ensure_id, members, overview, page, row_of
from twinset.review.decisions import Decision, Decisions, as_csv, as_json, labels
from twinset.review.index import ReportIndex, opened
from twinset.review.journal import Journal
from twinset.review.texts import ReportTexts, TextSearch
from twinset.review.threshold import Regrouped, clusters_at, regroup
from twinset.verify.side_by_side import SideBySide, side_by_side

__all__ = [
    "Applied",
    "Decision",
    "Decisions",
    "Journal",
    "Query",
    "Regrouped",
    "ReportIndex",
    "ReportTexts",
    "SideBySide",
    "TextSearch",
    "apply",
    "as_csv",
    "as_json",
    "clusters_at",
    "ensure_id",
    "labels",
    "members",
    "opened",
    "overview",
    "page",
    "regroup",
    "row_of",
    "side_by_side",
]
