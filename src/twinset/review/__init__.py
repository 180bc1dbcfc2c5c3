"""Looks into a report and decides on it: what the page and the commands show, and what is decided.

looking        ``index`` opens a report as arrays, ``threshold`` makes the clusters of a higher
               threshold; ``browse`` gives the overview, the table of clusters and members;
               ``texts`` reads documents again, ``compare`` compares them
deciding       ``decisions`` keeps them in a ``journal`` and finds what is open, ``apply`` works out
               which documents go, and writes the kept and removed ones
cleaning       ``cleaning`` proposes which files of a folder can go, and keeps what was chosen
"""

from twinset.finding.verify.side_by_side import SideBySide, side_by_side
from twinset.review.apply import Applied, apply
from twinset.review.browse import Query, ensure_id, members, overview, page, row_of
from twinset.review.decisions import Decision, Decisions, Journal, as_csv, as_json, labels
from twinset.review.index import ReportIndex, opened
from twinset.review.texts import ReportTexts
from twinset.review.threshold import Regrouped, clusters_at, regroup

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
