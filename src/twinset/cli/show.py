"""``twinset show``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twinset.cli.output import console, one_line, print_json, say
from twinset.errors import ReportError

if TYPE_CHECKING:
    from twinset.report import Report
    from twinset.report.passages import SharedText
    from twinset.report.select import Cluster

CONTEXT = 12


def command(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", show_default=False, help="Folder of a report.")
    ],
    cluster: Annotated[
        int | None, typer.Option("--cluster", metavar="N", help="The documents of a cluster.")
    ] = None,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option("--pair", metavar="ID ID", help="Two documents, word by word."),
    ] = None,
    shared: Annotated[
        bool,
        typer.Option("--shared", help="What all documents of a cluster share, as text."),
    ] = False,
    lattice: Annotated[
        int | None,
        typer.Option(
            "--lattice",
            metavar="N",
            help="With closed sets: the lattice of a component, for Graphviz or with --json.",
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", help="How many clusters.")] = 10,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show a report: its largest clusters, one cluster, or the differences of two documents.

    With ``--shared``, clusters are shown with the passages (or words) that all their documents
    have.

    Texts are read again from their sources.

    \b
    Example:
      twinset show report --top 20
      twinset show report --cluster 3 --shared
      twinset show report --pair doc-17 doc-42
    """
    from twinset.report import read

    report = read(folder)
    if pair is not None:
        _show_pair(report, pair, json)
    elif lattice is not None:
        _show_lattice(report, lattice, json)
    elif cluster is not None:
        _show_cluster(report, cluster, shared, json)
    elif shared:
        _show_shared(report, top, json)
    else:
        _show_largest(report, top, json)


def _show_largest(report: Report, top: int, json: bool) -> None:
    from twinset.report.select import largest_clusters
    from twinset.report.words import summary

    clusters = largest_clusters(report.clusters, top, 3)
    if json:
        print_json({"clusters": [dataclasses.asdict(cluster) for cluster in clusters]})
        return
    for sentence in summary(report.manifest):
        say(sentence)
    if not clusters:
        return
    say("\ncluster  documents  weakest  first members")
    for cluster in clusters:
        members = ", ".join(one_line(member.id, 40) for member in cluster.members)
        say(f"{cluster.number:>7}  {cluster.size:>9,}  {_score(cluster.weakest):>7}  {members}")


def _show_cluster(report: Report, number: int, shared: bool, json: bool) -> None:
    from twinset.report.select import one_cluster

    cluster = one_cluster(report.clusters, number)
    if not cluster.size:
        raise ReportError(
            f"there is no cluster {number} in {report.folder}; 'twinset show {report.folder}' "
            "lists the largest"
        )
    text = _shared(report, cluster) if shared else None
    if json:
        told = {} if text is None else {"shared": dataclasses.asdict(text)}
        print_json(dataclasses.asdict(cluster) | told)
        return
    say(f"Cluster {number}: {cluster.size:,} documents, weakest pair {_score(cluster.weakest)}")
    _show_members(report, cluster)
    if text is not None:
        _print_shared(text)


def _show_shared(report: Report, top: int, json: bool) -> None:
    """The largest clusters, each with what its documents share."""
    from twinset.report.select import largest_clusters, one_cluster

    rows = []
    for shown in largest_clusters(report.clusters, top, 0):
        text = _shared(report, one_cluster(report.clusters, shown.number))
        rows.append({"cluster": shown.number, **dataclasses.asdict(text)})
        if not json:
            say(f"Cluster {shown.number}")
            _print_shared(text)
    if json:
        print_json({"clusters": rows})


def _shared(report: Report, cluster: Cluster) -> SharedText:
    from twinset.report.passages import shared_text

    return shared_text(report, [member.id for member in cluster.members])


def _print_shared(text: SharedText) -> None:
    from rich.text import Text

    out = console()
    support = "" if text.support is None else f" ({text.support:,} image values)"
    out.print(Text(one_line(f"{text.sentence()}{support}", 400), style="cyan"))
    if text.kind == "words":
        out.print(Text(one_line(", ".join(text.passages), 1 << 20)), soft_wrap=True)
        return
    for passage in text.passages:
        shown = _shortened(tuple(one_line(passage, 1 << 20).split()))
        out.print(Text(f"  - {shown}"), soft_wrap=True)


def _show_members(report: Report, cluster: Cluster) -> None:
    from rich.text import Text

    out = console()
    heads = report.heads([member.id for member in cluster.members])
    for member in cluster.members:
        score = "" if member.score is None or member.is_anchor else f"  {_score(member.score)}"
        role = "anchor" if member.is_anchor and member.role == "member" else member.role
        out.print(Text.assemble(one_line(member.id, 80), (f"  {role}{score}", "cyan")))
        if member.id in heads:
            out.print(Text("    " + one_line(heads[member.id], 100), style="dim"))


def _show_lattice(report: Report, component: int, json: bool) -> None:
    from twinset.clusters.lattice import dot

    drawn = {one.worst["component"]: one for one in report.lattices}
    if component not in drawn:
        known = ", ".join(map(str, drawn)) or "none: no component is split among closed sets"
        raise ReportError(
            f"there is no lattice of component {component} in {report.folder}; it has {known}"
        )
    one = drawn[component]
    if json:
        print_json(one.entry())
    else:
        say(dot(one.lattice, one.names, one.shared).rstrip())


def _show_pair(report: Report, pair: tuple[str, str], json: bool) -> None:
    from twinset.report.diff import word_diff
    from twinset.report.texts import texts

    found = texts(report, pair)
    for id in pair:
        if id not in found:
            raise ReportError(_why_missing(report, id))
    runs = word_diff(found[pair[0]], found[pair[1]])
    row = _listed(report, pair)
    if json:
        print_json({"pair": row, "diff": [dataclasses.asdict(run) for run in runs]})
        return
    if row is None:
        say("These two are not listed as a pair.")
    else:
        say(f"score {row['score']:.4f}, {row['shared']:,} features shared")
    _print_diff(runs, pair)


def _print_diff(runs: list[Any], pair: tuple[str, str]) -> None:
    from rich.text import Text

    # Marks as well as colours: in a file, and for eyes that do not tell red from green.
    styles = {"same": ("", "", ""), "left": ("[-", "-]", "red"), "right": ("{+", "+}", "blue")}
    text = Text.assemble((f"[-{pair[0]}-]", "red"), " ", (f"{{+{pair[1]}+}}", "blue"), "\n\n")
    for run in runs:
        before, after, style = styles[run.change]
        words = _shortened(run.words) if run.change == "same" else " ".join(run.words)
        text.append(one_line(f"{before}{words}{after}", 1 << 20), style=style)
        text.append(" ")
    console().print(text, soft_wrap=True)


def _shortened(words: tuple[str, ...]) -> str:
    """Words that both have: the middle of a long run says nothing."""
    if len(words) <= 3 * CONTEXT:
        return " ".join(words)
    left_out = len(words) - 2 * CONTEXT
    return f"{' '.join(words[:CONTEXT])} … {left_out:,} words … {' '.join(words[-CONTEXT:])}"


def _listed(report: Report, pair: tuple[str, str]) -> dict[str, Any] | None:
    import pyarrow.compute as pc

    left, right = report.pairs["left"], report.pairs["right"]
    there = pc.and_(pc.equal(left, pair[0]), pc.equal(right, pair[1]))
    back = pc.and_(pc.equal(left, pair[1]), pc.equal(right, pair[0]))
    rows: list[dict[str, Any]] = report.pairs.filter(pc.or_(there, back)).to_pylist()
    return rows[0] if rows else None


def _why_missing(report: Report, id: str) -> str:
    import pyarrow.compute as pc

    rows = report.documents.filter(pc.equal(report.documents["id"], id))
    if not len(rows):
        return f"there is no document '{id}' in {report.folder}; ids are as in documents.parquet"
    source = rows["source"][0].as_py()
    return f"the text of '{id}' cannot be read again: its source {source} is gone or has changed"


def _score(score: float | None) -> str:
    return "-" if score is None else f"{score:.3f}"
