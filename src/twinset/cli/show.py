"""``twinset show``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

from twinset.cli.options import Cluster, Json, Quiet, ThresholdOfReport, Top, Verbose
from twinset.cli.output import console, one_line, print_json, say
from twinset.cli.parameters import argument, option
from twinset.errors import PlanError
from twinset.spec.numerals import counted

if TYPE_CHECKING:
    from twinset.review import Query, Regrouped, ReportIndex
    from twinset.review.grouping import Grouping

FEW = 1000
KIND_WIDTH = 12
"""The length of the longest kind, equal-layout."""


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
        option("--shared", help="Show the text that all documents of a cluster share."),
    ] = False,
    lattice: Annotated[
        int | None,
        option(
            "--lattice",
            metavar="N",
            help="With closed sets: print the lattice of component N, for Graphviz or with --json.",
        ),
    ] = None,
    dropped_lines: Annotated[
        bool,
        option("--dropped-lines", help="Show the lines that were dropped from HTML pages."),
    ] = False,
    boilerplate: Annotated[
        bool,
        option("--boilerplate", help="Show the paragraphs that --drop-boilerplate left out."),
    ] = False,
    threshold: ThresholdOfReport = None,
    top: Top = 10,
    sort: Annotated[
        str, option("--sort", metavar="ORDER", help="Sort by size, weakest or number.")
    ] = "size",
    with_id: Annotated[
        str,
        option("--with-id", metavar="PART", help="Show only clusters with PART in an id."),
    ] = "",
    with_text: Annotated[
        str,
        option("--with-text", metavar="PHRASE", help="Show only clusters with PHRASE in a text."),
    ] = "",
    original: Annotated[
        bool, option("--original", help="Compare texts with their mark-up.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show a report: its largest clusters, one cluster, or the differences of two documents.

    With a higher --threshold than that of the run, the clusters are those at that threshold. Texts
    are read again from their sources.

    \b
    Example:
      twinset show report --top 20
      twinset show report --threshold 0.95 --sort weakest
      twinset show report --cluster 3 --shared
      twinset show report --pair doc-17 doc-42
      twinset show report --dropped-lines --top 50
    """
    from twinset.cli.show_pair import show_pair
    from twinset.cli.show_shared import show_boilerplate, show_dropped, show_lattice, show_shared
    from twinset.report.facts import older
    from twinset.review import Query, clusters_at, ensure_id, opened

    index = opened(folder)
    if older(index.manifest) is not None:
        from twinset.cli.show_matches import show_match, show_matches

        if cluster is not None or shared or lattice is not None or with_text:
            raise PlanError(
                ["this report has no clusters, since its documents were held against older ones"]
            )
        if pair is not None:
            show_match(index.report, pair, original, json)
        elif not dropped_lines:
            show_matches(index, threshold, with_id, top, json, verbose)
        else:
            show_dropped(index.report, top, json)
        return
    if pair is not None:
        show_pair(index, pair, original, json)
        return
    if lattice is not None:
        show_lattice(index.report, lattice, json)
        return
    if dropped_lines:
        show_dropped(index.report, top, json)
        return
    if boilerplate:
        show_boilerplate(index.report, top, json)
        return
    regrouped = clusters_at(index, threshold)
    if cluster is not None:
        _show_cluster(index, regrouped.clusters, cluster, shared, json)
    elif shared:
        show_shared(index.report, top, json)
    else:
        if with_id:
            ensure_id(index, with_id)
        query = Query(sort=sort, id=with_id)  # type: ignore[arg-type]
        _show_largest(index, regrouped, query, with_text, top, json, verbose)


def _show_largest(
    index: ReportIndex,
    regrouped: Regrouped,
    query: Query,
    text: str,
    top: int,
    json: bool,
    verbose: bool,
) -> None:
    from twinset.review import page

    marked = _with_text(index, text) if text else None
    rows = page(index, regrouped.clusters, query, limit=top, marked=marked)
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
    for sentence in _sentences(index, regrouped, verbose):
        say(sentence)
    if not rows.rows:
        if regrouped.clusters.documents and (query.id or text):
            say("No cluster holds such a document.")
        return
    measured = regrouped.clusters.quality is not None
    has_kinds = any(row.kind for row in rows.rows)
    kind_head = f"{'kind':<{KIND_WIDTH}}  " if has_kinds else ""
    quality_head = "quality  " if measured else ""
    say(f"\ncluster  documents  weakest  {quality_head}{kind_head}first members")
    for row in rows.rows:
        members = ", ".join(one_line(id, 40) for id in row.first)
        quality = f"{_score(row.quality):>7}  " if measured else ""
        kind = f"{row.kind or '-':<{KIND_WIDTH}}  " if has_kinds else ""
        weakest = _score(row.weakest)
        say(f"{row.number:>7}  {row.size:>9,}  {weakest:>7}  {quality}{kind}{members}")
    if rows.total > len(rows.rows):
        say(f"and {rows.total - len(rows.rows):,} more; --top {rows.total} shows all")
    if regrouped.clusters is not index.clusters:
        say(
            f"These numbers are those at {regrouped.threshold:g}: show or decide on one of these "
            f"clusters with --cluster N --threshold {regrouped.threshold:g}."
        )


def _sentences(index: ReportIndex, regrouped: Regrouped, verbose: bool) -> list[str]:
    from twinset.report.words import brief, summary

    if regrouped.clusters is index.clusters and not regrouped.caveats:
        return summary(index.manifest) if verbose else brief(index.manifest)
    return [
        f"At {regrouped.threshold:g} or more: {counted(regrouped.pairs, 'pair')}, "
        f"{counted(len(regrouped.clusters), 'cluster')}, "
        f"{counted(regrouped.clustered_documents, 'document')} in them.",
        *regrouped.caveats,
    ]


def _with_text(index: ReportIndex, phrase: str) -> Any:
    from twinset.review import TextSearch

    search = TextSearch(index, phrase)
    while not search.go_on(10):
        pass
    return search.matches


def _show_cluster(
    index: ReportIndex, clusters: Grouping, number: int, shared: bool, json: bool
) -> None:
    from twinset.cli.show_shared import print_shared
    from twinset.report.passages import shared_text
    from twinset.review import members, row_of
    from twinset.review.browse import kind_of

    row = row_of(index, clusters, number)
    size, weakest = int(clusters.sizes[row]), float(clusters.weakest[row])
    shown = members(index, clusters, row, limit=size)
    least = None if weakest != weakest else weakest
    quality = None if clusters.quality is None else float(clusters.quality[row])
    kind = kind_of(clusters, row)
    ids = [member.id for member in shown]
    text = shared_text(index.report, ids) if shared else None
    if json:
        passages: dict[str, Any] = {} if text is None else {"shared": dataclasses.asdict(text)}
        rows = [dataclasses.asdict(member) for member in shown]
        measured = {} if quality is None else {"quality": quality}
        about = {"number": number, "size": size, "weakest": least, "kind": kind, **measured}
        print_json({**about, "members": rows, **passages})
        return
    measured_quality = "" if quality is None else f", quality {_score(quality)}"
    say(
        f"Cluster {number}: {counted(size, 'document')}, weakest pair {_score(least)}"
        f"{measured_quality}{f', {kind}' if kind else ''}"
    )
    _show_members(index, shown)
    if text is not None:
        print_shared(text)


def _show_members(index: ReportIndex, shown: list[Any]) -> None:
    from rich.text import Text

    from twinset.model import HEAD
    from twinset.review import ReportTexts

    out = console()
    numbers = {member.id: index.number(member.id) for member in shown[:FEW]}
    texts = ReportTexts.of(index).texts(numbers.values())
    for member in shown:
        score = "" if member.score is None else f"  {_score(member.score)}"
        if member.kept_as is not None:
            score = f" for {one_line(member.kept_as, 80)}  {_score(member.kept_score)}"
        out.print(Text.assemble(one_line(member.id, 80), (f"  {member.role}{score}", "cyan")))
        text = texts.get(numbers.get(member.id, -1))
        if text is not None:
            out.print(Text("    " + one_line(text[:HEAD], 100), style="dim"))


def _score(score: float | None) -> str:
    return "-" if score is None else f"{score:.3f}"
