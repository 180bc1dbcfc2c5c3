"""How well the rules of `tune` choose on collections that had no part in choosing their limits.

    python benchmarks/left_out.py [--settings 600] [--jobs 2]

Settings of the limits are drawn at random from a range of each. For every collection the settings
are tried on the collections and variations of all other kinds, and the middle of those that are
within .002 of the best mean F1 there is applied to it. Beside this there are the F1 of the limits
as shipped, and variations: half of the documents, sixty of
them, no copies at all, other seeds, two kinds in one. Figures go to
benchmarks/results/left_out.json and docs/how-to/tune.md.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any

from judging.collections import ROOT, collection, names
from judging.evidence import Seen, seen
from judging.variations import MERGED, merged, variations
from pages import filled, table
from twinset.lab.decision import DEFAULT, PRESET, Limits

RESULTS = ROOT / "benchmarks" / "results" / "left_out.json"
PAGE = ROOT / "docs" / "how-to" / "tune.md"
RANGES: dict[str, tuple[float, ...]] = {
    "fewest_pairs": (15, 30, 60),
    "cohesive": (0.85, 0.88, 0.9, 0.92, 0.95),
    "weight": (1.0, 2.0, 3.0, 4.0),
    "highest": (0.74, 0.8, 0.86),
    "worth": (0.0, 0.02, 0.05),
}
AS_GOOD = 0.002


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--settings", type=int, default=600, help="settings that are tried")
    parser.add_argument("--jobs", type=int, default=2, help="collections at a time")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        tasks: list[tuple[str, ...]] = [*((name,) for name in names()), *MERGED]
        seen_in = partial(_all_of, settings=_settings(given.settings))
        rows = [one for part in pool.map(seen_in, tasks) for one in part]
    figures = {
        "left_out": left_out(rows, given.settings),
        "variations": varied(rows),
        "intervals": coverage(rows),
        "alone": alone(rows),
    }
    RESULTS.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    PAGE.write_text(filled(PAGE.read_text("utf-8"), "left out", text(figures)), "utf-8")


def _all_of(task: tuple[str, ...], settings: Sequence[Limits]) -> list[Seen]:
    """What is seen of a collection and its variations; what the settings choose is found here."""
    if len(task) == 2:
        rows = [seen(merged(*task))]
    else:
        rows = [seen(collection(task[0])), *(seen(each) for each in variations(task[0]))]
    for one in rows:
        _ = one.better, one.f1()
        if one.variation not in ("alone", "merged"):
            _ = [one.f1(setting) for setting in settings]
    print(*task, file=sys.stderr, flush=True)
    return rows


def _settings(number: int) -> list[Limits]:
    rng = random.Random(1)
    return [
        Limits(**{name: rng.choice(values) for name, values in RANGES.items()})
        for _ in range(number)
    ]


def base(one: Seen) -> str:
    return one.name.partition("/")[0]


def with_copies(rows: Iterable[Seen]) -> list[Seen]:
    return [one for one in rows if one.variation not in ("alone", "merged")]


def left_out(rows: Sequence[Seen], number: int) -> dict[str, Any]:
    """For each whole collection: F1 as shipped, and with limits from the other kinds."""
    settings = _settings(number)
    known = with_copies(rows)
    f1 = [[one.f1(setting) for setting in settings] for one in known]
    result = {}
    for one in known:
        if one.variation != "whole":
            continue
        by_collection: dict[str, list[list[float]]] = {}
        for other, values in zip(known, f1, strict=True):
            if other.kind != one.kind:
                by_collection.setdefault(base(other), []).append(values)
        means = [
            statistics.mean(
                statistics.mean(values[at] for values in group) for group in by_collection.values()
            )
            for at in range(number)
        ]
        good = [
            each for each, mean in zip(settings, means, strict=True) if mean >= max(means) - AS_GOOD
        ]
        limits = middle(good)
        result[one.name] = {
            "real": one.real,
            "default": one.reached(DEFAULT)["f1"],
            "preset": one.reached(PRESET)["f1"],
            "shipped": one.f1(),
            "left_out": one.f1(limits),
            "rule": one.decision(limits).rule.name,
            "limits": asdict(limits),
            "settings": len(good),
        }
    return result


def middle(settings: Sequence[Limits]) -> Limits:
    values = {
        name: statistics.median_low([getattr(each, name) for each in settings]) for name in RANGES
    }
    return Limits(**values)


def varied(rows: Sequence[Seen]) -> dict[str, Any]:
    """By variation: mean F1 of default, preset and tune, and where tune harms."""
    result = {}
    for name in ("whole", "half", "sixty", "seed", "merged"):
        group = [one for one in rows if one.variation == name]
        if not group:
            continue
        harm = {one.name: one.f1() - one.better for one in group}
        result[name] = {
            "number": len(group),
            "default": statistics.mean(one.reached(DEFAULT)["f1"] for one in group),
            "preset": statistics.mean(one.reached(PRESET)["f1"] for one in group),
            "tune": statistics.mean(one.f1() for one in group),
            "harmed": {name: value for name, value in harm.items() if value < -0.02},
        }
    return result


def alone(rows: Sequence[Seen]) -> dict[str, Any]:
    """Collections without a copy: documents, pairs of the preset and of what is recommended."""
    result = {}
    for one in rows:
        if one.variation == "alone":
            decision = one.decision()
            levels = (PRESET, decision.choice)
            pairs = [round(one.reached(choice)["pairs"]) for choice in levels]
            result[base(one)] = [one.row["documents"], *pairs, decision.rule.name]
    return result


def coverage(rows: Sequence[Seen]) -> dict[str, Any]:
    """How often precision and recall are stated, lie inside, and how wide the intervals are."""
    result: dict[str, Any] = {}
    for one in with_copies(rows):
        for measure, value, stated in one.stated():
            row = result.setdefault(
                measure, {"of": 0, "stated": 0, "inside": 0, "widths": [], "outside": {}}
            )
            row["of"] += 1
            if stated is None:
                continue
            row["stated"] += 1
            row["widths"].append(round(stated.high - stated.low, 3))
            row["inside"] += stated.holds(value)
            if not stated.holds(value):
                row["outside"][one.name] = [round(value, 3), str(stated)]
    return result


def text(figures: dict[str, Any]) -> str:
    rows = []
    heads = ("default", "preset", "shipped", "left_out")
    for real, kind in ((True, "real"), (False, "made")):
        group = [row for row in figures["left_out"].values() if row["real"] == real]
        for title, of in (("mean", statistics.mean), ("worst", min)):
            cells = (f"{of(row[head] for row in group):.3f}" for head in heads)
            rows.append([f"{len(group)} {kind}", title, *cells])
    shown = ("default", "preset", "tune, as shipped", "tune, limits of other kinds")
    lines = table(["collections", "F1", *shown], rows, "---:")
    stated = (
        f"{name} in {row['stated']} of {row['of']}, and lies inside in {row['inside']}"
        for name, row in figures["intervals"].items()
    )
    return f"{lines}\n\nAn interval is stated for {'; for '.join(stated)}."


if __name__ == "__main__":
    main()
