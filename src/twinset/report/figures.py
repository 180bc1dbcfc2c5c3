"""Charts of a run as data: how similar its pairs are, what it can miss, its clusters, its time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twinset.pages.charts import Bars, Curve, Figure, Histogram
from twinset.pages.language import exact, has_sentence, number, speaker
from twinset.report import facts, words
from twinset.report.select import sizes

if TYPE_CHECKING:
    from twinset.report.results import Results


def similarities(results: Results, language: str = "en") -> Figure | None:
    """How many pairs have which similarity; None where there are no pairs."""
    manifest = results.manifest
    say, spell = speaker(language, "paper"), partial(_three_digits, language)
    edges, counts = facts.observed(manifest)
    if not sum(counts):
        return None
    chart = Histogram(
        edges=edges,
        counts=counts,
        title=say("similarities"),
        x_label=words.measure(manifest, language),
        y_label=say("pairs"),
    )
    rows = [
        (say("from_to", low=spell(low), high=spell(high)), number(language, count))
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
        if count
    ]
    head = (say("similarity"), say("pairs"))
    return Figure(chart=chart, caption=say("similarities_caption"), head=head, rows=rows)


def s_curve(results: Results, language: str = "en") -> Figure | None:
    """The probability that a pair is found, by its similarity; None where there is no curve."""
    say, manifest = speaker(language, "paper"), results.manifest
    predicted, plan = manifest.get("predicted", {}), manifest["plan"]
    curve, at = predicted.get("s_curve"), predicted.get("jaccard_at_threshold", plan["threshold"])
    kind = plan.get("candidates", {})
    if not curve or kind.get("kind") == "join":
        return None
    edges, counts = facts.observed(manifest)
    by_method = facts.decided(manifest)["by"] == "method"
    # The axis is that of Jaccard similarities: other scores have no place beneath it.
    below = (edges, counts) if sum(counts) and facts.is_jaccard(manifest) else None
    chart = Curve(
        points=[(s, p) for s, p in curve],
        title=say("curve"),
        x_label=say("similarity"),
        y_label=say("chance"),
        marks=[] if by_method else [(at, say("threshold", t=exact(language, plan["threshold"])))],
        below=below,
        height=230 + (30 if below else 0),
    )
    bands = say("curve_bands", bands=kind["bands"], rows=kind["rows"]) if "bands" in kind else ""
    recall = predicted.get("recall_at_threshold")
    condition = (
        say("curve_given", chance=words.chance(recall, language)) if kind.get("given") else ""
    )
    beneath = say("curve_below") if below else ""
    rows = [
        (_three_digits(language, s), number(language, p, 4))
        for s, p in curve
        if round(s * 100) % 10 == 0
    ]
    return Figure(
        chart=chart,
        caption=say("curve_caption", bands=bands, given=condition, below=beneath),
        head=(say("similarity"), say("head_found")),
        rows=rows,
    )


def cluster_sizes(results: Results, language: str = "en") -> Figure | None:
    """How many clusters have how many documents; None where there are no clusters."""
    say = speaker(language, "paper")
    shown = getattr(results, "shown", None)
    rows = [
        (number(language, high) if low >= high else say("from_to", low=low, high=high), count)
        for low, high, count in (sizes(results.clusters) if shown is None else shown.sizes)
    ]
    if not rows:
        return None
    return Figure(chart=Bars(rows=rows, title=say("sizes")), caption=say("sizes_caption"))


def times(results: Results, language: str = "en") -> Figure | None:
    """Where the time went; None where it was not measured."""
    say, manifest = speaker(language, "paper"), results.manifest
    rows = [
        (_stage(stage, language), float(seconds))
        for stage, seconds in manifest.get("timings", {}).items()
    ]
    if not rows:
        return None
    costs = [
        say(f"cost_{name}", n=number(language, manifest[key], digits))
        for name, key, digits in (("cpu", "cpu_seconds", 1), ("memory", "peak_memory_mb", 0))
        if manifest.get(key) is not None
    ]
    if manifest.get("threads") is not None:
        costs.append(say("cost_threads", n=manifest["threads"]))
    cost = f" {'; '.join(costs)}." if costs else ""
    return Figure(
        chart=Bars(rows=rows, title=say("times"), digits=2, unit=say("second")),
        caption=f"{say('times_caption')}{cost}",
    )


def _stage(stage: str, language: str) -> str:
    key = f"paper.stage_{stage.replace(' ', '_')}"
    return speaker(language)(key) if has_sentence(language, key) else str(stage)


def _three_digits(language: str, value: float) -> str:
    return exact(language, float(f"{value:.3g}"))
