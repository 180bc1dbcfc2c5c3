"""A comparison as one page without network, and as a part of a notebook."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Protocol

import pyarrow as pa

from twinset.pages import engine
from twinset.pages.charts import Bars, Figure, Heat
from twinset.pages.language import exact, number, speaker

PAIRS = 4
"""Pairs of one method alone that the page shows at once."""


class Compared(Protocol):
    """What the page shows of a comparison."""

    @property
    def methods(self) -> pa.Table:
        """One row per method, the best F first."""

    @property
    def best(self) -> str | None:
        """The method with the highest F, if any has found a true pair."""

    @property
    def dice(self) -> pa.Table:
        """The correlation of every two methods."""

    @property
    def coverage(self) -> pa.Table:
        """The best combinations of methods."""

    @property
    def alone(self) -> pa.Table:
        """Pairs that one method alone found."""

    @property
    def manifest(self) -> dict[str, Any]:
        """What was compared, and how."""


def page(result: Compared, language: str = "en") -> str:
    """The whole page."""
    facts = result.manifest
    return engine.page(
        "paper/comparison.html",
        language,
        layout="paper/page.html",
        input_names=[str(entry["source"]) for entry in facts["inputs"]],
        headline=headline(result, language),
        explanation=explanation(result, language),
        alone=_alone(result),
        failed=[(name, str(fault)) for name, fault in facts["failed"].items()],
        made_by=facts["twinset"],
        created=str(facts.get("created", "")),
        **_main(result, language),
    )


def fragment(result: Compared) -> str:
    """The table and the plots for a notebook."""
    values = _main(result, "en") | {"alone": [], "failed": []}
    return engine.page("paper/comparison.html", "en", layout="paper/part.html", **values)


def _main(result: Compared, language: str) -> dict[str, Any]:
    head, rows = table_rows(result, language)
    coverage = [
        (str(row["size"]), " + ".join(row["methods"]), number(language, row["coverage"], 4))
        for row in result.coverage.to_pylist()
    ]
    return {
        "head": head,
        "rows": rows,
        "figures": _figures(result, language),
        "agreement": _agreement(result, language),
        "by_truth": result.manifest["yardstick"] == "truth",
        "coverage": coverage,
    }


def headline(result: Compared, language: str = "en") -> str:
    """The best method in a sentence; none is best where all of them are wrong."""
    say = speaker(language, "comparison")
    rows = result.methods.to_pylist()
    if not any(row["pairs"] for row in rows):
        return say("no_pair")
    if result.best is None:
        return say("no_best", n=len(rows))
    figures = {name: number(language, rows[0][name], 3) for name in ("f", "recall", "precision")}
    if len(rows) == 1:
        return say("one_method", method=rows[0]["method"], **figures)
    return say("headline", n=len(rows), method=rows[0]["method"], **figures)


def explanation(result: Compared, language: str = "en") -> list[str]:
    """What was measured, and against what; notes of the run come last, in English."""
    facts, say = result.manifest, speaker(language, "comparison")
    sentences = [say("read_once", n=facts["documents"])]
    if facts["yardstick"] == "truth":
        sentences.append(say("against_truth", n=facts["true_pairs"]))
        if facts["only_judged"]:
            sentences.append(say("only_judged"))
    if facts["judge"] is not None:
        sentences.append(say("pool", judge=exact(language, facts["judge"])))
        sentences.append(say("sampled" if facts["sampled"] else "judged", n=facts["judged"]))
    if facts["reused"]:
        sentences.append(say("reused", methods=", ".join(facts["reused"])))
    return sentences + list(facts["notes"])


def table_rows(result: Compared, language: str = "en") -> tuple[list[str], list[list[str]]]:
    """The table of the methods as texts."""
    say = speaker(language, "comparison")
    pool = "pool_f" in result.methods.column_names
    head = [say("head_method"), say("head_recall"), say("head_precision"), "F"]
    head += [say(f"head_pool_{name}") for name in ("recall", "precision", "f")] if pool else []
    head += [say(f"head_{name}") for name in ("pairs", "alone", "seconds", "shared", "memory")]
    rows = []
    for row in result.methods.to_pylist():
        if row["fault"] is not None:
            rows.append([row["method"], say("row_failed")])
            continue
        cells = [row["method"], *_scores(row, "", language)]
        cells += _scores(row, "pool_", language) if pool else []
        cells += [number(language, row["pairs"]), number(language, row["alone"], 0)]
        cells += [number(language, row[name], 2) for name in ("seconds", "shared_seconds")]
        rows.append([*cells, number(language, row["memory_mb"], 0)])
    return head, rows


def _scores(row: dict[str, Any], prefix: str, language: str) -> list[str]:
    def spelt(name: str) -> str:
        value, low = row[prefix + name], row.get(f"{prefix}{name}_low")
        if low is None:
            return number(language, value, 3)
        high = number(language, row[f"{prefix}{name}_high"], 3)
        return f"{number(language, value, 3)} ({number(language, low, 3)}–{high})"

    return [spelt("recall"), spelt("precision"), number(language, row[f"{prefix}f"], 3)]


def _figures(result: Compared, language: str) -> list[Figure]:
    say = speaker(language, "comparison")
    done = [row for row in result.methods.to_pylist() if row["fault"] is None]
    scores = [(row["method"], row["f"]) for row in done]
    times = sorted(((row["method"], row["seconds"]) for row in done), key=lambda row: row[1])
    return [
        Figure(
            chart=Bars(rows=scores, title=say("f_by_method"), digits=3), caption=say("f_caption")
        ),
        Figure(
            chart=Bars(rows=times, title=say("time_by_method"), digits=2, unit=say("second")),
            caption=say("time_caption"),
        ),
    ]


def _agreement(result: Compared, language: str) -> Figure:
    say = speaker(language, "comparison")
    names = result.dice["method"].to_pylist()
    values = [list(row.values())[1:] for row in result.dice.to_pylist()]
    rows = [
        [name, *(number(language, share, 3) for share in row)]
        for name, row in zip(names, values, strict=True)
    ]
    return Figure(
        chart=Heat(names=names, values=values, title=say("dice")),
        caption=say("dice_caption"),
        head=["", *names],
        rows=rows,
        wide=True,
    )


def _alone(result: Compared) -> list[dict[str, Any]]:
    rows = sorted(result.alone.to_pylist(), key=lambda row: str(row["method"]))
    methods = []
    for name, some in groupby(rows, key=lambda row: row["method"]):
        pairs = [_pair(row) for row in some]
        methods.append({"name": name, "first": pairs[:PAIRS], "rest": pairs[PAIRS:]})
    return methods


def _pair(row: dict[str, Any]) -> dict[str, Any]:
    sides = [
        {"id": row[side], "text": " ".join(row[f"{side}_text"].split())}
        for side in ("left", "right")
    ]
    return {"good": row["good"], "similarity": row["similarity"], "sides": sides}
