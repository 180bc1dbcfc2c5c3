"""The page of the figures, docs/explanation/judging.md, out of benchmarks/results/judging.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from judging.collections import names
from judging.settings import chosen_elsewhere, mean, spread

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "explanation" / "judging.md"
Row = Mapping[str, Any]
ASKED = ("10", "20", "30")
RULED = "guide"
"""The one real collection whose truth is a rule and no judgement."""


def text(figures: Mapping[str, Any]) -> str:
    """The whole page."""
    rows = {name: figures["rows"][name] for name in names() if name in figures["rows"]}
    elsewhere = left_out(rows)
    parts = [BEGIN]
    for real, title in ((True, "Real collections"), (False, "Made collections")):
        chosen = {name: row for name, row in rows.items() if row["about"]["real"] == real}
        if chosen:
            parts += [f"## {title}", _table(chosen, elsewhere), _answers(chosen)]
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


def asked(row: Row, count: str, way: str = "honoured", answers: str = "right") -> float | None:
    """The mean F1 over the seeds after so many answers."""
    if not _has(row, "asked"):
        return None
    return spread([run[way] for run in row["asked"][answers]], count)["mean"]


def _has(row: Row, column: str) -> bool:
    return column in row and "absent" not in row[column]


def _plain(column: str) -> Callable[[Row], float | None]:
    return lambda row: row[column]["f1"] if _has(row, column) else None


def _table(rows: Mapping[str, Row], elsewhere: Mapping[str, tuple[str, float]]) -> str:
    """F1 of everything that asks nothing."""
    heads = ["default", "preset", "chosen on other kinds", "tune", "best view on the labels"]
    lines = [f"| collection | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    values: dict[str, list[float | None]] = {}
    for name, row in rows.items():
        best = ceiling(row)
        values[name] = [
            _plain("default")(row),
            _plain("preset")(row),
            elsewhere[name][1] if name in elsewhere else None,
            _plain("tuned")(row),
            best[1] if best else None,
        ]
    return "\n".join([*lines, *_lines(values)])


def _answers(rows: Mapping[str, Row]) -> str:
    """F1 after questions, the mean over the seeds."""
    values: dict[str, list[float | None]] = {}
    for name, row in rows.items():
        if not _has(row, "asked"):
            continue
        values[name] = [asked(row, count) for count in ("0", *ASKED)]
        values[name] += [asked(row, "30", "own"), asked(row, "30", answers="wrong")]
        values[name] += [_by_threshold(row, count) for count in ASKED]
    if not values:
        return ""
    heads = "ask 0 | 10 | 20 | 30 | 30, model alone | 30, 5 % wrong | threshold alone 10 | 20 | 30"
    table = [f"| collection | {heads} |", f"|---|{'---:|' * 9}", *_lines(values)]
    said = (
        "After 10, 20 and 30 answers the labels gave, mean of five seeds; answers override the "
        "model but for *model alone*. *Threshold alone*: the same number of answers moves nothing "
        "but the threshold of the two-word cosine."
    )
    if missing := [name for name, row in rows.items() if not _has(row, "asked")]:
        said += f" **Not asked yet, and in none of these means: {', '.join(missing)}.**"
    return "\n\n".join([said, "\n".join(table)])


def _by_threshold(row: Row, count: str) -> float | None:
    return (
        spread(row["fixed"]["by_answers"]["cosine2"], count)["mean"] if _has(row, "fixed") else None
    )


def _lines(values: Mapping[str, list[float | None]]) -> list[str]:
    """A line for each collection, then their mean and the worst."""
    columns = list(zip(*values.values(), strict=True))
    worst = [min((v for v in column if v is not None), default=None) for column in columns]
    shown = {**values, "**mean**": [mean(column) for column in columns]}
    if RULED in values:
        judged = [list(row) for name, row in values.items() if name != RULED]
        shown[f"**mean without {RULED}**"] = [mean(column) for column in zip(*judged, strict=True)]
    shown["**worst**"] = worst
    return [f"| {name} | {' | '.join(map(_number, row))} |" for name, row in shown.items()]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _bad(rows: Mapping[str, Row]) -> str:
    """Where a promise is broken, each named."""
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
            faults.append(f"{name}: wrong answers cost {thirty - wrong:.3f} after thirty")
    if not faults:
        return ""
    listed = "\n".join(f"- {fault}" for fault in faults)
    return (
        f"## What fails\n\nBy more than .02, the least difference that means anything:\n\n{listed}"
    )


def _real(row: Row) -> bool:
    return bool(row["about"]["real"])


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
        "| collection | kind | documents | true pairs | alike, no copies | copies are |",
        "|---|---|---:|---:|---:|---|",
    ]
    for name, row in rows.items():
        about = row["about"]
        alike = f"{about['alike']:,}" if about["alike"] else ""
        lines.append(
            f"| {name} | {about['kind']} | {about['documents']:,} | {about['true']:,} | {alike} "
            f"| {about['why']} |"
        )
    return "\n".join(lines)


BEGIN = """
# How near the answers come to those of people

`benchmarks/judging.py` runs every labelled collection there is and counts F1 over all true pairs,
also those that were never compared. This page is made by it. What is learnt from collections
(thresholds, what is believed before any answer) comes from collections of other kinds alone. The
bills were graded by people, and the licences filed by curators. The truth of the guide is a rule
(the same page for another architecture), so that means are said without it, too. The others are
made from documents of Debian and from invented facts, each with at least as many pairs that look
alike and are no copies as true ones. They show worst cases, and count for no claim.

- *default*: `twinset find`; *preset*: `twinset find --preset text`
- *chosen on other kinds*: two-word cosine, or containment of three words, at the thresholds that
  are best on the mean of the other kinds
- *tune*: the plan that `twinset tune` recommends without labels, run by `find`
- *best view on the labels*: the best single signal with its best threshold, as no one can know it

Differences below .02 mean nothing.
"""
