"""``twinset show``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import pyarrow.compute as pc
from rich.text import Text

from twinset.cli.options import Cluster, Json, Quiet, ThresholdOfReport, Top, Verbose
from twinset.cli.output import console, one_line, print_json, say, say_table
from twinset.cli.parameters import argument, option
from twinset.errors import PlanError, ReportError
from twinset.finding.signals import signals_of
from twinset.finding.verify import kinds
from twinset.finding.verify.diff import TextDiff, text_diff
from twinset.finding.verify.differing import changes
from twinset.finding.verify.side_by_side import lay_out
from twinset.index import Index
from twinset.model import HEAD
from twinset.pages import language
from twinset.plan.spec import counted
from twinset.result import Report
from twinset.result.manifest import masks_in
from twinset.result.pair_rows import difference_in_words, kind_in_words, marked_words, shortened
from twinset.result.pair_signals import profiles_of, quickly_in_words
from twinset.result.passages import SharedText, shared_text
from twinset.result.texts import both_texts, listed_pair, texts_of_sides
from twinset.result.words import brief, older, summary
from twinset.review import (
    Query,
    Regrouped,
    ReportIndex,
    ReportTexts,
    clusters_at,
    ensure_id,
    members,
    opened,
    page,
    row_of,
)
from twinset.review.browse import kind_of
from twinset.review.compare import in_words
from twinset.review.index import Grouping
from twinset.text.wording import hidden

TEXTS = 1000
"""Members of a cluster whose text is read to be shown."""
NAME = 40
"""Characters of an id in a table."""
SIDES = ("left", "right")
STYLES = {"same": "", "left": "red", "right": "blue", "masked": "dim"}


def command(
    folder: Annotated[
        str,
        argument(metavar="DIR", help="Folder or address of a report."),
    ],
    cluster: Cluster = None,
    pair: Annotated[
        tuple[str, str] | None,
        option(
            "--pair", metavar="ID ID", help="Show the differences of two documents, word by word."
        ),
    ] = None,
    shared: Annotated[
        bool,
        option("--shared", help="With --cluster, show the text that its documents share."),
    ] = False,
    threshold: ThresholdOfReport = None,
    top: Top = 10,
    sort: Annotated[
        str, option("--sort", metavar="ORDER", help="Sort by size, weakest, number or shared.")
    ] = "size",
    with_id: Annotated[
        str,
        option("--with-id", metavar="PART", help="Show only clusters with PART in an id."),
    ] = "",
    original: Annotated[
        bool, option("--original", help="Compare texts with their mark-up.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show a report: its largest clusters, one cluster, or the differences of two documents.

    A higher --threshold than that of the run gives the clusters at that threshold.

    \b
    Example:
      twinset show report --top 20
      twinset show report --threshold 0.95 --sort weakest
      twinset show report --cluster 3 --shared
      twinset show report --pair doc-17 doc-42
    """
    if shared and cluster is None:
        raise PlanError(["--shared is about one cluster: name it by --cluster N"])
    index = opened(folder)
    is_against = older(index.manifest) is not None
    if is_against and cluster is not None:
        raise PlanError(
            ["this report has no clusters, since its documents were held against older ones"]
        )
    if pair is not None:
        (_show_match if is_against else _show_pair)(index, pair, original, json)
    elif is_against:
        _show_matches(index, threshold, with_id, top, json, verbose)
    else:
        regrouped = clusters_at(index, threshold)
        if cluster is not None:
            _show_cluster(index, regrouped.clusters, cluster, shared, json)
            return
        if with_id:
            ensure_id(index, with_id)
        query = Query(sort=sort, id=with_id)  # type: ignore[arg-type]
        _show_largest(index, regrouped, query, top, json, verbose)


def _show_largest(
    index: ReportIndex,
    regrouped: Regrouped,
    query: Query,
    top: int,
    json: bool,
    verbose: bool,
) -> None:
    rows = page(index, regrouped.clusters, query, limit=top)
    if json:
        print_json(
            {
                "threshold": regrouped.threshold,
                "pairs": regrouped.pairs,
                "clustered_documents": regrouped.clustered_documents,
                "total": rows.total,
                "clusters": [dataclasses.asdict(row) for row in rows.rows],
                "caveats": regrouped.caveats,
            }
        )
        return
    if regrouped.clusters is index.clusters and not regrouped.caveats:
        sentences = (summary if verbose else brief)(index.manifest)
    else:
        found = counted(regrouped.pairs, "pair"), counted(len(regrouped.clusters), "cluster")
        within = counted(regrouped.clustered_documents, "document")
        above = f"At {regrouped.threshold:g} or more: {', '.join(found)}, {within} in them."
        sentences = [above, *regrouped.caveats]
    for sentence in sentences:
        say(sentence)
    if not rows.rows and query.id and regrouped.clusters.documents:
        say("No cluster holds such a document.")
    cells = {
        "cluster": [str(row.number) for row in rows.rows],
        "documents": [f"{row.size:,}" for row in rows.rows],
        "weakest": [_score(row.weakest) for row in rows.rows],
        "common shingles": ["" if row.shared is None else f"{row.shared:,}" for row in rows.rows],
        "kind": [_kind(row.kind) for row in rows.rows],
        "first members": [", ".join(one_line(id, NAME) for id in row.first) for row in rows.rows],
    }
    for name in ("common shingles", "kind"):
        if not any(cells[name]):
            del cells[name]
    _say_rows(list(cells), zip(*cells.values(), strict=True), rows.total)
    if regrouped.clusters is not index.clusters:
        say(
            f"These numbers are those at {regrouped.threshold:g}: show one of these clusters with "
            f"--cluster N --threshold {regrouped.threshold:g}."
        )


def _say_rows(heads: Sequence[str], rows: Iterable[Sequence[str]], total: int) -> None:
    """The rows that are shown of a table of so many."""
    table = [heads, *rows]
    shown = len(table) - 1
    if shown:
        say("")
        say_table(table, right=False)
    if total > shown:
        say(f"and {total - shown:,} more; --top {total} shows all")


def _show_cluster(
    index: ReportIndex, clusters: Grouping, number: int, shared: bool, json: bool
) -> None:
    row = row_of(index, clusters, number)
    size, weakest = int(clusters.sizes[row]), float(clusters.weakest[row])
    shown = members(index, clusters, row, limit=size)
    about: dict[str, Any] = {
        "number": number,
        "size": size,
        "weakest": None if weakest != weakest else weakest,
        "kind": kind_of(clusters, row),
    }
    text = shared_text(index.report, [member.id for member in shown]) if shared else None
    if json:
        about["members"] = [dataclasses.asdict(member) for member in shown]
        print_json(about if text is None else {**about, "shared": dataclasses.asdict(text)})
        return
    parts = [f"Cluster {number}: {counted(size, 'document')}"]
    parts.append(f"weakest pair {_score(about['weakest'])}")
    parts += [_kind(about["kind"])] if about["kind"] else []
    say(", ".join(parts))
    _show_members(index, shown)
    if text is not None:
        _print_shared(text)


def _show_members(index: ReportIndex, shown: list[Any]) -> None:
    out = console()
    numbers = {member.id: index.number(member.id) for member in shown[:TEXTS]}
    texts = ReportTexts.of(index).texts(numbers.values())
    for member in shown:
        score = "" if member.score is None else f"  {_score(member.score)}"
        if member.kept_as is not None:
            score = f" for {one_line(member.kept_as, 80)}  {_score(member.kept_score)}"
        out.print(Text.assemble(one_line(member.id, 80), (f"  {member.role}{score}", "cyan")))
        text = texts.get(numbers.get(member.id, -1))
        if text is not None:
            out.print(Text("    " + one_line(text[:HEAD], 100), style="dim"))


def _kind(kind: str | None) -> str:
    return "" if kind is None else language.say("en", f"kinds.{kind}")


def _score(score: float | None) -> str:
    return "-" if score is None else f"{score:.3f}"


def _show_pair(index: ReportIndex, pair: tuple[str, str], original: bool, json: bool) -> None:
    """Print the differences of two documents."""
    numbers = [index.number(id) for id in pair]
    left, right = (ReportTexts.of(index).text(n, original=original) for n in numbers)
    row, said = listed_pair(index.report, *pair), in_words(index, numbers[0], numbers[1])
    _print_pair(pair, (left, right), row, said, json, masks_in(index.manifest))


def _print_pair(
    pair: tuple[str, str],
    texts: tuple[str, str],
    row: dict[str, Any] | None,
    said: list[str],
    json: bool,
    masks: Mapping[str, str],
) -> None:
    """Two texts, the row of the pair where it is listed, and what signals say."""
    diff = text_diff(*texts, masks)
    runs, side = diff.runs(), lay_out(diff)
    left, right = compared = hidden(texts[0], masks), hidden(texts[1], masks)
    kind = (row or {}).get("kind") or kinds.kind_of(left, right)
    phrases = changes(left, right)
    if json:
        facts = {
            "pair": row,
            "equal": side.equal,
            "numbers_only": side.numbers_only,
            "cut": side.cut,
            "differences": len(side.differences),
            "moved": len(side.moved),
            "kind": kind,
            "changes": phrases,
            "in_words": said,
            "signals": signals_of(profiles_of(compared), 0, 1),
            "diff": [dataclasses.asdict(run) for run in runs],
        }
        print_json(facts)
        return
    if row is None:
        say("These two are not listed as a pair.")
    else:
        shared = row["shared"]
        sharing = "" if shared is None else f", {counted(shared, 'feature')} shared"
        say(f"score {row['score']:.4f}{sharing}")
    say(kind_in_words(kind, phrases))
    say(difference_in_words(side))
    for sentence in said:
        say(f"- {sentence}")
    console().print(marked(pair, diff), soft_wrap=True)


def marked(pair: tuple[str, str], diff: TextDiff, *, whole: bool = False) -> Text:
    """Two texts as one, with marks around what only one has; ``whole`` leaves nothing out."""
    left, right = (one_line(id, 80) for id in pair)
    text = Text.assemble((f"[-{left}-]", "red"), " ", (f"{{+{right}+}}", "blue"), "\n\n")
    for change, words in marked_words(diff.runs(), whole=whole):
        text.append(one_line(words, 1 << 20), style=STYLES[change])
        text.append(" ")
    return text


def _show_matches(
    index: ReportIndex, threshold: float | None, with_id: str, top: int, json: bool, verbose: bool
) -> None:
    """The pairs of the highest scores, a line each."""
    at = clusters_at(index, threshold).threshold
    pairs = index.report.pairs
    pairs = pairs.filter(pc.greater_equal(pairs["score"], at))
    if with_id:
        named = (pc.match_substring(pairs[side], with_id, ignore_case=True) for side in SIDES)
        pairs = pairs.filter(pc.or_(*named))
    order = [("score", "descending"), ("left", "ascending"), ("right", "ascending")]
    rows = pairs.sort_by(order).slice(0, top).to_pylist()
    if json:
        print_json({"threshold": at, "total": len(pairs), "pairs": rows})
        return
    for sentence in (summary if verbose else brief)(index.manifest):
        say(sentence)
    shown = [
        (f"{row['score']:.4f}", " → ".join(one_line(row[side], NAME) for side in SIDES))
        for row in rows
    ]
    _say_rows(("score", "new → older"), shown, len(pairs))


def _show_match(index: ReportIndex, pair: tuple[str, str], original: bool, json: bool) -> None:
    """The differences of a new document and an older one."""
    report = index.report
    if original:
        raise PlanError(["older documents are kept as they were compared: leave --original out"])
    row = listed_pair(report, *pair)
    if row is None and listed_pair(report, *pair[::-1]) is not None:
        raise ReportError(f"'{pair[0]}' is the older document: name the new one first")
    texts = _texts(report, *pair)
    masks = masks_in(report.manifest)
    said = quickly_in_words((hidden(texts[0], masks), hidden(texts[1], masks)), "en")
    _print_pair(pair, texts, row, said, json, masks)


def _texts(report: Report, left: str, right: str) -> tuple[str, str]:
    """Both texts; the older one is asked of the index, where there is one."""
    place = (older(report.manifest) or {}).get("index")
    if place is None:
        return both_texts(report, left, right)
    with Index.open(place) as index:
        kept = index.text(right)
    known = texts_of_sides(report, [left], [])[0].get(left)
    if kept is None or known is None:
        return both_texts(report, left, right)  # which says what is missing
    return known, kept


def _print_shared(text: SharedText) -> None:
    """The passages, after a sentence that counts them."""
    out = console()
    out.print(Text(one_line(text.sentence(), 400), style="cyan"))
    for passage in text.passages:
        shown = shortened(tuple(one_line(passage, 1 << 20).split()))
        out.print(Text(f"  - {shown}"), soft_wrap=True)
