"""The page of the figures, docs/explanation/judging.md, out of benchmarks/results/judging.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from judging.collections import names
from judging.settings import chosen_elsewhere, mean
from pages import table

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "explanation" / "judging.md"
Row = Mapping[str, Any]
ASKED = ("20", "30")
RULED = "guide"  # the one real collection whose truth is a rule and no judgement


def text(figures: Mapping[str, Any]) -> str:
    rows = {name: figures["rows"][name] for name in names() if name in figures["rows"]}
    elsewhere = left_out(rows)
    parts = [BEGIN]
    for real, title in ((True, "Real collections"), (False, "Made collections")):
        chosen = {name: row for name, row in rows.items() if row["about"]["real"] == real}
        if chosen:
            parts += [f"## {title}", _table(chosen, elsewhere)]
    parts += [_bad(rows), _absent(rows), _kinds(rows)]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def left_out(rows: Mapping[str, Row]) -> dict[str, tuple[str, float]]:
    """For each collection: cosine and containment that are best on other kinds, and their F1."""
    grids = {name: row["fixed"]["grid"] for name, row in rows.items() if _has(row, "fixed")}
    kinds = {name: row["about"]["kind"] for name, row in rows.items()}
    return {name: chosen_elsewhere(grids, kinds, name) for name in grids if len(grids) > 2}


def ceiling(row: Row) -> tuple[str, float] | None:
    """The view that is best with its best threshold on the labels, and its F1."""
    if not _has(row, "fixed"):
        return None
    single = row["fixed"]["single"]
    name = max(single, key=lambda view: (single[view]["f1"], view))
    return f"{name} from {single[name]['threshold']:.2f}", single[name]["f1"]


def asked(row: Row, count: str, answers: str = "right") -> float | None:
    """The mean F1 over the seeds after so many answers."""
    if not _has(row, "asked"):
        return None
    return mean([run["honoured"][count] for run in row["asked"][answers]])


def _has(row: Row, column: str) -> bool:
    return column in row and "absent" not in row[column]


def _plain(column: str) -> Callable[[Row], float | None]:
    return lambda row: row[column]["f1"] if _has(row, column) else None


def _table(rows: Mapping[str, Row], elsewhere: Mapping[str, tuple[str, float]]) -> str:
    """F1 of everything that asks nothing, then after questions, the mean over the seeds."""
    heads = ["default", "preset", "other kinds", "tune", *(f"ask {n}" for n in ASKED), "best view"]
    values: dict[str, list[float | None]] = {}
    for name, row in rows.items():
        best = ceiling(row)
        values[name] = [
            _plain("default")(row),
            _plain("preset")(row),
            elsewhere[name][1] if name in elsewhere else None,
            _plain("tuned")(row),
            *(asked(row, count) for count in ASKED),
            best[1] if best else None,
        ]
    return table(["collection", *heads], _lines(values), "---:")


def _lines(values: Mapping[str, list[float | None]]) -> list[list[str]]:
    """A line for each collection, then their mean and the worst."""
    columns = list(zip(*values.values(), strict=True))
    worst = [min((v for v in column if v is not None), default=None) for column in columns]
    shown = {**values, "**mean**": [mean(column) for column in columns]}
    if RULED in values:
        judged = [list(row) for name, row in values.items() if name != RULED]
        shown[f"**mean without {RULED}**"] = [mean(column) for column in zip(*judged, strict=True)]
    shown["**worst**"] = worst
    return [[name, *map(_number, row)] for name, row in shown.items()]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _bad(rows: Mapping[str, Row]) -> str:
    faults = []
    for name, row in rows.items():
        before, preset, tuned = (_plain(part)(row) for part in ("default", "preset", "tuned"))
        if preset is not None and before is not None and preset < before - 0.02:
            faults.append(f"{name}: the preset has {preset:.3f}, the default {before:.3f}")
        known = [value for value in (before, preset) if value is not None]
        if tuned is not None and known and tuned < max(known) - 0.02:
            plan = row["tuned"]["plan"]
            faults.append(f"{name}: tune has {tuned:.3f} ({plan}), {max(known):.3f} was there")
        none, ten, thirty = (asked(row, count) for count in ("0", "10", "30"))
        if none is not None and ten is not None and ten < none - 0.02:
            faults.append(f"{name}: ten answers give {ten:.3f}, none {none:.3f}")
        wrong = asked(row, "30", answers="wrong")
        if thirty is not None and wrong is not None and wrong < thirty - 0.02:
            faults.append(f"{name}: of thirty answers, 5 % wrong ones cost {thirty - wrong:.3f}")
    if not faults:
        return ""
    listed = "\n".join(f"- {fault}" for fault in faults)
    return f"## What fails\n\nBy more than .02:\n\n{listed}"


def _absent(rows: Mapping[str, Row]) -> str:
    reasons = sorted(
        {
            f"{column} on {name}: {row[column]['absent']}"
            for name, row in rows.items()
            for column in row
            if column != "about" and "absent" in row[column]
        }
    )
    for column in ("default", "preset", "fixed", "tuned", "asked"):
        if missing := [name for name, row in rows.items() if column not in row]:
            reasons.append(f"{column} on {', '.join(missing)}: not run yet with these figures")
    if not reasons:
        return ""
    return "## Not measured\n\n" + "\n".join(f"- {reason}" for reason in reasons)


def _kinds(rows: Mapping[str, Row]) -> str:
    lines = [
        "## The collections",
        "",
        "| collection | documents | true pairs | copies are |",
        "|---|---:|---:|---|",
    ]
    for name, row in rows.items():
        about = row["about"]
        lines.append(f"| {name} | {about['documents']:,} | {about['true']:,} | {about['why']} |")
    return "\n".join(lines)


BEGIN = """
# How near the answers come to those of people

F1 over all true pairs, measured by `benchmarks/judging.py`, which makes this page. What is learnt
from collections (thresholds, what is believed before any answer) comes from collections of other
kinds alone. People graded the bills, curators filed the licences; the truth of the guide is a rule,
so means are said without it, too. The made collections hold at least as many pairs that look alike
and are no copies as true ones: they are worst cases, not what to expect.

- *default*: `twinset find`; *preset*: `twinset find --preset text`
- *other kinds*: two-word cosine, or containment of three words, at the thresholds that are best on
  the mean of the other kinds
- *tune*: the plan that `twinset tune` recommends without labels, run by `find`
- *ask*: after 20 and 30 answers that the labels gave, mean of five seeds
- *best view*: the best single signal with its best threshold, as no one can know it

Differences below .02 mean nothing.
"""
