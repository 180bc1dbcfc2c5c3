"""What documents or pages share, and lattices of closed sets, on a terminal."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twinset.cli.output import console, one_line, print_json, say
from twinset.errors import ReportError
from twinset.spec.numerals import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.report import Report
    from twinset.report.passages import SharedText

Row = dict[str, Any]


def show_shared(report: Report, top: int, json: bool) -> None:
    """The largest clusters, each with what its documents share."""
    from twinset.report.passages import shared_text
    from twinset.report.select import largest_clusters, one_cluster

    rows = []
    for shown in largest_clusters(report.clusters, top, 0):
        members = one_cluster(report.clusters, shown.number).members
        text = shared_text(report, [member.id for member in members])
        rows.append({"cluster": shown.number, **dataclasses.asdict(text)})
        if not json:
            say(f"Cluster {shown.number}")
            print_shared(text)
    if json:
        print_json({"clusters": rows})


def print_shared(text: SharedText) -> None:
    """The passages or words, after a sentence that counts them."""
    from rich.text import Text

    from twinset.report.pair_words import shortened

    out = console()
    support = "" if text.support is None else f" ({text.support:,} image values)"
    out.print(Text(one_line(f"{text.sentence()}{support}", 400), style="cyan"))
    if text.kind == "words":
        out.print(Text(one_line(", ".join(text.passages), 1 << 20)), soft_wrap=True)
        return
    for passage in text.passages:
        shown = shortened(tuple(one_line(passage, 1 << 20).split()))
        out.print(Text(f"  - {shown}"), soft_wrap=True)


def show_dropped(report: Report, top: int, json: bool) -> None:
    """The lines that were dropped from pages, those of the most pages first."""

    def line(row: Row) -> str:
        return f"{row['pages']:>7,}  {row['articles']:>8,}  {one_line(row['line'], 100)}"

    head = "dropped from pages\n\n  pages  articles  line"
    _show_rows(report.repeated, "line", head, line, "No line was dropped from a page.", top, json)


def show_boilerplate(report: Report, top: int, json: bool) -> None:
    """The paragraphs that were left out of documents, those of the most documents first."""

    def line(row: Row) -> str:
        numbers = f"{row['documents']:>11,}  {row['share']:>5.1%}  {row['characters']:>10,}"
        return f"{numbers}  {one_line(row['paragraph'], 100)}"

    asked = report.manifest["plan"].get("drop_boilerplate") is not None
    why = "none stands in so many documents" if asked else "--drop-boilerplate does that"
    none = f"No paragraph was left out: {why}."
    head = "left out of the comparison\n\n  documents  share  characters  paragraph"
    _show_rows(report.boilerplate, "paragraph", head, line, none, top, json)


def _show_rows(
    table: pa.Table | None,
    named: str,
    head: str,
    line: Callable[[Row], str],
    none: str,
    top: int,
    json: bool,
) -> None:
    """The first rows of a table that a report may have, or all of them as JSON."""
    if json:
        print_json({f"{named}s": [] if table is None else table.to_pylist()})
        return
    if table is None:
        say(none)
        return
    say(f"{counted(len(table), named)} {head}")
    for row in table.slice(0, top).to_pylist():
        say(line(row))
    if len(table) > top:
        say(f"and {len(table) - top:,} more; --top {len(table)} shows all")


def show_lattice(report: Report, component: int, json: bool) -> None:
    """The lattice of a component, for Graphviz or as JSON."""
    from twinset.clusters.lattice import dot

    lattices = {lattice.worst["component"]: lattice for lattice in report.lattices}
    if component not in lattices:
        known = ", ".join(map(str, lattices)) or "none: no component is split among closed sets"
        raise ReportError(
            f"there is no lattice of component {component} in {report.place}; it has {known}"
        )
    drawing = lattices[component]
    if json:
        print_json(drawing.entry())
    else:
        say(dot(drawing.lattice, drawing.names, drawing.shared).rstrip())
