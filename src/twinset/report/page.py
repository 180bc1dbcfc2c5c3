"""``report.html``: the findings on one page that needs nothing but itself.

Here is what the page says, as plain values; how it looks is in ``pages/templates/paper``. Ids and
texts come from the documents and are not trusted: the templates escape everything, there is no
script, and the page forbids itself to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from twinset.pages.charts import Bars, Curve, Figure, Histogram
from twinset.pages.engine import page
from twinset.pages.language import exact, has_sentence, number, speaker
from twinset.report import facts, words
from twinset.report.closed_page import ClosedPage, closed_page
from twinset.report.faults import fault_groups
from twinset.report.pair_signals import sentences_of
from twinset.report.select import ClosestCall, Cluster, closest_calls, largest_clusters, sizes

if TYPE_CHECKING:
    from twinset.report.lattices import LatticeDrawing
    from twinset.report.passages import SharedText
    from twinset.report.results import Results

CLUSTERS = 10
MEMBERS = 6
CALLS = 5
FAULTS = 20
LONG = 140
TALLY = ("documents", "pairs", "clusters", "clustered_documents", "kept", "removed")


def report_page(results: Results, language: str = "en", **more: Any) -> str:
    """The whole page for a ``patient`` reader; ``more`` are its decisions and differences."""
    return page_and_lattices(results, language, patient=True, **more)[0]


def page_and_lattices(
    results: Results, language: str = "en", *, patient: bool = False, **more: Any
) -> tuple[str, list[LatticeDrawing]]:
    """The whole page, and the lattices on it with the texts that were read for them."""
    manifest, say = results.manifest, speaker(language, "paper")
    counts = manifest["counts"]
    clusters = largest_clusters(results.clusters, CLUSTERS, MEMBERS)
    calls = closest_calls(results.pairs, CALLS)
    ids = [m.id for c in clusters for m in c.members] + [id for c in calls for id in c[:2]]
    heads = results.heads(list(dict.fromkeys(ids)))
    said = sentences_of(results, [call[:2] for call in calls], language, patient=patient)
    closed = closed_page(results, clusters, language)
    by_method = facts.decided(manifest)["by"] == "method"
    least = exact(language, facts.threshold(manifest))
    inputs = manifest.get("inputs", [])
    values = {
        "headline": words.headline(manifest, language),
        "sentences": words.summary(manifest, language),
        "tally": [(name, counts[name]) for name in TALLY if counts.get(name) is not None],
        "figures": _figures(results, language),
        "clusters": [_cluster(cluster, heads, closed, language) for cluster in clusters],
        "more_clusters": counts["clusters"] > len(clusters),
        "lattices": closed.lattices(language),
        "unread": closed.unread,
        "calls": [_call(*call, heads) for call in zip(calls, said, strict=True)],
        "calls_lead": say("calls_method") if by_method else say("calls_lead", t=least),
        "differences": [],
        "decisions": None,
        "faults": [(group.words, group.remedy) for group in fault_groups(manifest, language)],
        "first_faults": [_fault(fault) for fault in manifest.get("first_faults", [])[:FAULTS]],
        "plan": list(_flat(manifest["plan"])),
        "input_names": [str(entry["source"]) for entry in inputs],
        "inputs": [_input(entry, language) for entry in inputs],
        "made_by": manifest["twinset"],
        "created": str(manifest.get("created", "")),
    }
    return page("paper/report.html", language, **(values | more)), closed.drawings


def _figures(results: Results, language: str) -> list[Figure]:
    manifest = results.manifest
    figures = (
        _similarities(manifest, language),
        _s_curve(manifest, language),
        _sizes(results, language),
        _times(manifest, language),
    )
    return [figure for figure in figures if figure is not None]


def _similarities(manifest: dict[str, Any], language: str) -> Figure | None:
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


def _s_curve(manifest: dict[str, Any], language: str) -> Figure | None:
    say = speaker(language, "paper")
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


def _sizes(results: Results, language: str) -> Figure | None:
    say = speaker(language, "paper")
    rows = [
        (number(language, high) if low >= high else say("from_to", low=low, high=high), count)
        for low, high, count in sizes(results.clusters)
    ]
    if not rows:
        return None
    return Figure(chart=Bars(rows=rows, title=say("sizes")), caption=say("sizes_caption"))


def _times(manifest: dict[str, Any], language: str) -> Figure | None:
    say = speaker(language, "paper")
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


def _cluster(
    cluster: Cluster, heads: dict[str, str], closed: ClosedPage, language: str
) -> dict[str, Any]:
    shared = closed.shared.get(cluster.number)
    has_passages = shared is not None and bool(shared.passages)
    return {
        "number": cluster.number,
        "size": cluster.size,
        "weakest": cluster.weakest,
        "quality": cluster.quality,
        "kind": cluster.kind,
        "shared": _shares(shared, language) if shared is not None and has_passages else "",
        "shared_text": shared.brief(3 * LONG) if shared is not None and has_passages else "",
        "members": [
            {
                "id": member.id,
                "role": member.shown_role,
                "score": None if member.is_anchor else member.score,
                "head": _head(member.id, heads),
            }
            for member in cluster.members
        ],
        "rest": cluster.size - len(cluster.members),
    }


def _shares(shared: SharedText, language: str) -> str:
    say = speaker(language, "paper")
    documents = say("documents", n=len(shared.documents))
    if shared.kind == "words":
        return say("share_words", documents=documents, n=len(shared.passages))
    return say(
        f"share_{shared.unit}",
        documents=documents,
        covered=shared.covered,
        n=shared.units,
        first=shared.documents[0],
        passages=say("passages", n=len(shared.passages)),
    )


def _call(call: ClosestCall, said: list[str], heads: dict[str, str]) -> dict[str, Any]:
    sides = [{"id": id, "head": _head(id, heads)} for id in (call.left, call.right)]
    return {"score": call.score, "kind": call.kind, "said": said, "sides": sides}


def _fault(fault: dict[str, Any]) -> Sequence[str]:
    place = str(fault["source"]) + (f":{fault['line']}" if fault.get("line") else "")
    return place, str(fault["kind"]), str(fault["detail"])


def _input(entry: dict[str, Any], language: str) -> Sequence[str]:
    counts = (number(language, entry.get(name) or 0) for name in ("documents", "bytes"))
    return str(entry["source"]), str(entry.get("reader", "")), *counts


def _flat(options: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif value not in (None, [], ()):
            shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield f"{prefix}{name}", shown


def _head(id: str, heads: dict[str, str]) -> str:
    text = " ".join(heads.get(id, "").split())
    if len(text) > LONG:  # cut by bytes, perhaps within a word
        text = f"{text[:LONG].rpartition(' ')[0] or text[:LONG]} …"
    return text


def _three_digits(language: str, value: float) -> str:
    return exact(language, float(f"{value:.3g}"))
