"""A report of documents that were held against older ones, on a terminal: pairs, or one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twinset.cli.output import one_line, print_json, say
from twinset.errors import PlanError, ReportError

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.report import Report
    from twinset.review import ReportIndex

NAME = 40
SIDES = ("left", "right")


def show_matches(
    index: ReportIndex, threshold: float | None, with_id: str, top: int, json: bool, verbose: bool
) -> None:
    """The pairs of the highest scores, a line each."""
    from twinset.report.words import brief, summary
    from twinset.review import clusters_at

    regrouped = clusters_at(index, threshold)
    pairs = _chosen(index.report.pairs, regrouped.threshold, with_id)
    order = [("score", "descending"), ("left", "ascending"), ("right", "ascending")]
    rows = pairs.sort_by(order).slice(0, top).to_pylist()
    if json:
        print_json({"threshold": regrouped.threshold, "total": len(pairs), "pairs": rows})
        return
    for sentence in (summary if verbose else brief)(index.manifest):
        say(sentence)
    if rows:
        say("\nscore   new → older")
    for row in rows:
        left, right = (one_line(row[side], NAME) for side in SIDES)
        say(f"{row['score']:.4f}  {left} → {right}")
    if len(pairs) > len(rows):
        say(f"and {len(pairs) - len(rows):,} more; --top {len(pairs)} shows all")


def _chosen(pairs: pa.Table, threshold: float, with_id: str) -> pa.Table:
    import pyarrow.compute as pc

    pairs = pairs.filter(pc.greater_equal(pairs["score"], threshold))
    if with_id:
        named = (pc.match_substring(pairs[side], with_id, ignore_case=True) for side in SIDES)
        pairs = pairs.filter(pc.or_(*named))
    return pairs


def show_match(report: Report, pair: tuple[str, str], original: bool, json: bool) -> None:
    """The differences of a new document and an older one."""
    from twinset.cli.show_pair import print_pair
    from twinset.report.listed import listed_pair
    from twinset.report.pair_signals import PairSignals, profiles_of
    from twinset.signals import signals_of

    if original:
        raise PlanError(["older documents are kept as they were compared: leave --original out"])
    row = listed_pair(report, *pair)
    if row is None and listed_pair(report, *pair[::-1]) is not None:
        raise ReportError(f"'{pair[0]}' is the older document: name the new one first")
    texts = _texts(report, *pair)
    said = PairSignals(report).quickly_in_words(pair, texts, "en")

    def signals() -> dict[str, Any]:
        return signals_of(profiles_of(texts), 0, 1)

    print_pair(pair, texts, row, said, signals, json=json)


def _texts(report: Report, left: str, right: str) -> tuple[str, str]:
    """Both texts; the older one is asked of the index, where there is one."""
    from twinset.report.facts import older
    from twinset.report.texts import both_texts, texts_of_sides

    place = (older(report.manifest) or {}).get("index")
    if place is None:
        return both_texts(report, left, right)
    from twinset.index import Index

    with Index.open(place) as index:
        kept = index.text(right)
    known = texts_of_sides(report, [left], [])[0].get(left)
    if kept is None or known is None:
        return both_texts(report, left, right)  # which says what is missing
    return known, kept
