"""An experiment as one page without network, and as a part of a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from twinset.lab.evaluation.result import NUMBERS
from twinset.lab.experiment.plots import MEASURES, figures
from twinset.pages import engine
from twinset.pages.language import exact, has_sentence, number, speaker

COSTS = (("seconds", 2), ("memory_mb", 0))
SIZES = (("cluster_count", 0), ("largest_cluster", 0), ("mean_cluster", 1))
CLUSTERS = (*SIZES, ("false_clusters", 0))
MOST_LINES = 100
"""Lines of a derived table that the page shows."""


def page(
    table: pa.Table,
    options: Sequence[str],
    derived: Mapping[str, pa.Table],
    facts: Mapping[str, Any],
    language: str = "en",
) -> str:
    """The whole page; ``options`` are the columns of the swept options, ``facts`` the manifest."""
    return engine.page(
        "paper/experiment.html",
        language,
        layout="paper/page.html",
        input_names=[str(entry["source"]) for entry in facts["inputs"]],
        headline=headline(table, facts, language),
        explanation=explanation(facts, language),
        made_by=facts["twinset"],
        created=str(facts.get("created", "")),
        **_main(table, options, derived, facts, language),
    )


def fragment(
    table: pa.Table,
    options: Sequence[str],
    derived: Mapping[str, pa.Table],
    facts: Mapping[str, Any],
) -> str:
    """The tables and the plots for a notebook."""
    values = _main(table, options, derived, facts, "en")
    return engine.page("paper/experiment.html", "en", layout="paper/part.html", **values)


def headline(table: pa.Table, facts: Mapping[str, Any], language: str = "en") -> str:
    """The best row in a sentence."""
    say = speaker(language, "experiment")
    if facts["best"] is None:
        return say("no_best", n=table.num_rows)
    row = table.slice(facts["best"], 1).to_pylist()[0]
    measures = {name: number(language, row[name], 3) for name in MEASURES}
    if facts["best_by"] == "f1":
        return say("headline", n=table.num_rows, row=row["name"], **measures)
    value = exact(language, row[facts["best_by"]])
    return say(
        "headline_by",
        n=table.num_rows,
        row=row["name"],
        column=facts["best_by"],
        value=value,
        **measures,
    )


def explanation(facts: Mapping[str, Any], language: str = "en") -> list[str]:
    """What was measured, and against what; notes of the run come last, in English."""
    say = speaker(language, "experiment")
    sentences = [facts[name] for name in ("title", "about", "source") if facts[name]]
    sentences.append(say("read_once", n=facts["documents"]))
    if facts["yardstick"] == "truth":
        sentences.append(say("against_truth", n=facts["true_pairs"]))
    else:
        judge = exact(language, facts["judge"])
        sentences.append(say("pool", n=facts["judged"], good=facts["true_pairs"], judge=judge))
    if facts["reused"]:
        sentences.append(say("reused", n=len(facts["reused"])))
    if facts["jobs"] > 1:
        sentences.append(say("parallel", n=facts["jobs"]))
    return sentences + list(facts["notes"])


def _main(
    table: pa.Table,
    options: Sequence[str],
    derived: Mapping[str, pa.Table],
    facts: Mapping[str, Any],
    language: str,
) -> dict[str, Any]:
    rows = table.to_pylist()
    head, cells = table_rows(rows, options, language)
    finished = [row for row in rows if row["fault"] is None]
    return {
        "head": head,
        "rows": cells,
        "figures": figures(finished, options, language),
        "derived": [_derived(name, some, language) for name, some in derived.items()],
        "failed": [(row["name"], row["fault"]) for row in rows if row["fault"] is not None],
        "best": facts["best"],
    }


def table_rows(
    rows: Sequence[Mapping[str, Any]], options: Sequence[str], language: str = "en"
) -> tuple[list[str], list[list[str]]]:
    """The table of the rows as texts; the options stand for the name where there are any."""
    say = speaker(language, "experiment")
    named = not options or any(row["name"] != _said(row, options) for row in rows)
    shown = (*NUMBERS, *MEASURES, *(name for name, _ in (*COSTS, *CLUSTERS)))
    head = [
        *([say("head_row")] if named else []),
        *options,
        *(say(f"head_{name}") for name in shown),
    ]
    cells = []
    for row in rows:
        line = [row["name"]] if named else []
        line += ["" if row[name] is None else str(row[name]) for name in options]
        if row["fault"] is not None:
            cells.append([*line, say("row_failed")])
            continue
        line += [number(language, row[name]) for name in NUMBERS]
        line += [number(language, row[name], 4) for name in MEASURES]
        line += [
            "" if row[name] is None else number(language, row[name], digits)
            for name, digits in (*COSTS, *CLUSTERS)
        ]
        cells.append(line)
    return head, cells


def _said(row: Mapping[str, Any], options: Sequence[str]) -> str:
    """The name that a row has from its options alone."""
    given = [name for name in options if row[name] is not None]
    return ", ".join(f"{name.removeprefix('option.')}={row[name]}" for name in given)


def _derived(name: str, table: pa.Table, language: str) -> dict[str, Any]:
    """The first lines of a derived table."""
    lines = [
        [_cell(value, language) for value in row.values()]
        for row in table.slice(0, MOST_LINES).to_pylist()
    ]
    key = f"experiment.table_{name.replace('-', '_')}"
    return {
        "title": speaker(language)(key) if has_sentence(language, key) else name,
        "name": name,
        "head": table.column_names,
        "rows": lines,
        "more": table.num_rows - len(lines),
    }


def _cell(value: Any, language: str) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    return number(language, value, 4) if isinstance(value, float) else number(language, value)
