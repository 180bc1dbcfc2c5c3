"""``report.html``: the findings on one page that needs nothing but itself.

Here is what the page says, as plain values; how it looks is in ``pages/templates/paper``. Ids and
texts come from the documents and are not trusted: the templates escape everything, there is no
script, and the page forbids itself to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from twinset.model import HEAD
from twinset.pages.charts import Bars, Curve, Figure, Histogram
from twinset.pages.engine import page
from twinset.pages.language import exact, number, percent, speaker
from twinset.result import select, words
from twinset.result.words import fault_groups

if TYPE_CHECKING:
    from twinset.finding.clusters.lattice import ComponentLattice
    from twinset.result.lattices import ClosedPage
    from twinset.result.passages import SharedText
    from twinset.result.results import Results


def similarities(results: Results, language: str = "en") -> Figure | None:
    """How many pairs have which similarity; None where there are no pairs."""
    manifest = results.manifest
    say, spell = speaker(language, "paper"), partial(_three_digits, language)
    edges, counts = words.observed(manifest)
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
    edges, counts = words.observed(manifest)
    by_method = words.decided(manifest)["by"] == "method"
    # The axis is that of Jaccard similarities: other scores have no place beneath it.
    below = (edges, counts) if sum(counts) and words.is_jaccard(manifest) else None
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
    shown = results.shown
    rows = [
        (number(language, high) if low >= high else say("from_to", low=low, high=high), count)
        for low, high, count in (select.sizes(results.clusters) if shown is None else shown.sizes)
    ]
    if not rows:
        return None
    return Figure(chart=Bars(rows=rows, title=say("sizes")), caption=say("sizes_caption"))


def _three_digits(language: str, value: float) -> str:
    return exact(language, float(f"{value:.3g}"))


TEMPLATE = "paper/report.html"
CLUSTERS = 10
MEMBERS = 6
CALLS = 5
FAULTS, FEWEST_FAULTS = 20, 5
PARAGRAPHS = 10
TALLY = ("documents", "pairs", "clusters", "clustered_documents", "kept", "removed")


def page_and_lattices(results: Results, language: str = "en") -> tuple[str, list[ComponentLattice]]:
    """The whole page, and the lattices on it with the texts that were read for them."""
    manifest, say = results.manifest, speaker(language, "paper")
    counts = manifest["counts"]
    clusters, calls = _clusters_and_calls(results)
    ids = [m.id for c in clusters for m in c.members] + [id for c in calls for id in c[:2]]
    heads = results.heads(list(dict.fromkeys(ids)))
    heads_on_right = heads
    if words.older(manifest) is not None:
        from twinset.result.texts import older_texts

        older = older_texts(results, [call.right for call in calls])
        heads_on_right = {id: text[:HEAD] for id, text in older.items()}
    said: list[list[str]] = []
    if calls:
        from twinset.result.pair_signals import sentences_of

        said = sentences_of(results, [call[:2] for call in calls], language)
    closed: ClosedPage | None = None
    if words.image_facts(manifest) is not None:
        from twinset.result.lattices import closed_page

        closed = closed_page(results, clusters, language)
    by_method = words.decided(manifest)["by"] == "method"
    least = exact(language, words.threshold(manifest))
    inputs = manifest.get("inputs", [])
    faults = fault_groups(manifest, language)
    values = {
        "headline": words.headline(manifest, language),
        "sentences": words.summary(manifest, language),
        "tally": [(name, counts[name]) for name in TALLY if counts.get(name) is not None],
        "figures": _figures(results, language),
        "clusters": [_cluster(cluster, heads, closed, language) for cluster in clusters],
        "more_clusters": counts["clusters"] > len(clusters),
        "lattices": closed.lattices(language) if closed else [],
        "unread": closed.unread if closed else "",
        "calls": [_call(*call, heads, heads_on_right) for call in zip(calls, said, strict=True)],
        "calls_lead": say("calls_method") if by_method else say("calls_lead", t=least),
        "boilerplate": _boilerplate(results, language),
        "faults": [(group.words, group.remedy) for group in faults],
        "first_faults": [
            (place.where, group.kind, place.detail)
            for group in faults
            for place in group.places[: max(FAULTS // len(faults), FEWEST_FAULTS)]
        ],
        "plan": list(_flat(manifest["plan"])),
        "input_names": [str(entry["source"]) for entry in inputs],
        "inputs": [_input(entry, language) for entry in inputs],
        "made_by": manifest["twinset"],
        "created": str(manifest.get("created", "")),
    }
    return page(TEMPLATE, language, **values), closed.drawings if closed else []


def _clusters_and_calls(results: Results) -> tuple[list[select.Cluster], list[select.ClosestCall]]:
    if results.shown is not None:
        return results.shown.clusters, results.shown.calls
    largest = select.largest_clusters(results.clusters, CLUSTERS, MEMBERS)
    return largest, select.closest_calls(results.pairs, CALLS)


def _figures(results: Results, language: str) -> list[Figure]:
    charts = (
        similarities(results, language),
        s_curve(results, language),
        cluster_sizes(results, language),
    )
    return [figure for figure in charts if figure is not None]


def _cluster(
    cluster: select.Cluster, heads: dict[str, str], closed: ClosedPage | None, language: str
) -> dict[str, Any]:
    shared = closed.shared.get(cluster.number) if closed else None
    has_passages = shared is not None and bool(shared.passages)
    return select.cluster_values(cluster, heads) | {
        "shared": _shares(shared, language) if shared is not None and has_passages else "",
        "shared_text": shared.brief(3 * select.LONG) if shared is not None and has_passages else "",
    }


def _shares(shared: SharedText, language: str) -> str:
    say = speaker(language, "paper")
    return say(
        f"share_{shared.unit}",
        documents=say("documents", n=len(shared.documents)),
        covered=shared.covered,
        n=shared.units,
        first=shared.documents[0],
        passages=say("passages", n=len(shared.passages)),
    )


def _boilerplate(results: Results, language: str) -> list[Sequence[str]]:
    """The paragraphs that were left out of the most documents."""
    if results.boilerplate is None:
        return []
    return [
        (number(language, row["documents"]), percent(language, row["share"]), row["paragraph"])
        for row in results.boilerplate.slice(0, PARAGRAPHS).to_pylist()
    ]


def _call(
    call: select.ClosestCall, said: list[str], heads: dict[str, str], heads_on_right: dict[str, str]
) -> dict[str, Any]:
    ends = (call.left, heads), (call.right, heads_on_right)
    sides = [{"id": id, "head": select.beginning(id, known)} for id, known in ends]
    return {"score": call.score, "kind": call.kind, "said": said, "sides": sides}


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
