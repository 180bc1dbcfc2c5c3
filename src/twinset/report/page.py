"""``report.html``: the findings on one page that needs nothing but itself.

Here is what the page says, as plain values; how it looks is in ``pages/templates/paper``. Ids and
texts come from the documents and are not trusted: the templates escape everything, there is no
script, and the page forbids itself to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from twinset.model import HEAD
from twinset.pages.charts import Figure
from twinset.pages.engine import page
from twinset.pages.language import exact, number, percent, speaker
from twinset.report import facts, figures, words
from twinset.report.closed_page import ClosedPage, closed_page
from twinset.report.cluster_rows import LONG, beginning, cluster_values
from twinset.report.faults import fault_groups
from twinset.report.pair_signals import sentences_of
from twinset.report.select import ClosestCall, Cluster, closest_calls, largest_clusters

if TYPE_CHECKING:
    from twinset.report.lattices import LatticeDrawing
    from twinset.report.passages import SharedText
    from twinset.report.results import Results

TEMPLATE = "paper/report.html"
CLUSTERS = 10
MEMBERS = 6
CALLS = 5
FAULTS, FEWEST_FAULTS = 20, 5
PARAGRAPHS = 10
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
    clusters, calls = _clusters_and_calls(results)
    ids = [m.id for c in clusters for m in c.members] + [id for c in calls for id in c[:2]]
    heads = results.heads(list(dict.fromkeys(ids)))
    heads_on_right = heads
    if facts.older(manifest) is not None:
        from twinset.report.texts import older_texts

        heads_on_right = _first_lines(older_texts(results, [call.right for call in calls]))
    said = sentences_of(results, [call[:2] for call in calls], language, patient=patient)
    closed = closed_page(results, clusters, language)
    by_method = facts.decided(manifest)["by"] == "method"
    least = exact(language, facts.threshold(manifest))
    inputs = manifest.get("inputs", [])
    faults = fault_groups(manifest, language)
    values = {
        "headline": words.headline(manifest, language),
        "sentences": words.summary(manifest, language),
        "tally": [(name, counts[name]) for name in TALLY if counts.get(name) is not None],
        "figures": _figures(results, language),
        "clusters": [_cluster(cluster, heads, closed, language) for cluster in clusters],
        "more_clusters": counts["clusters"] > len(clusters),
        "lattices": closed.lattices(language),
        "unread": closed.unread,
        "calls": [_call(*call, heads, heads_on_right) for call in zip(calls, said, strict=True)],
        "calls_lead": say("calls_method") if by_method else say("calls_lead", t=least),
        "boilerplate": _boilerplate(results, language),
        "differences": [],
        "decisions": None,
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
    return page(TEMPLATE, language, **(values | more)), closed.drawings


def _clusters_and_calls(results: Results) -> tuple[list[Cluster], list[ClosestCall]]:
    if (shown := getattr(results, "shown", None)) is not None:
        return shown.clusters, shown.calls
    largest = largest_clusters(results.clusters, CLUSTERS, MEMBERS)
    return largest, closest_calls(results.pairs, CALLS)


def _figures(results: Results, language: str) -> list[Figure]:
    charts = (
        figures.similarities(results, language),
        figures.s_curve(results, language),
        figures.cluster_sizes(results, language),
        figures.times(results, language),
    )
    return [figure for figure in charts if figure is not None]


def _cluster(
    cluster: Cluster, heads: dict[str, str], closed: ClosedPage, language: str
) -> dict[str, Any]:
    shared = closed.shared.get(cluster.number)
    has_passages = shared is not None and bool(shared.passages)
    return cluster_values(cluster, heads) | {
        "shared": _shares(shared, language) if shared is not None and has_passages else "",
        "shared_text": shared.brief(3 * LONG) if shared is not None and has_passages else "",
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


def _boilerplate(results: Results, language: str) -> list[Sequence[str]]:
    """The paragraphs that were left out of the most documents."""
    if results.boilerplate is None:
        return []
    return [
        (number(language, row["documents"]), percent(language, row["share"]), row["paragraph"])
        for row in results.boilerplate.slice(0, PARAGRAPHS).to_pylist()
    ]


def _first_lines(texts: dict[str, str]) -> dict[str, str]:
    return {id: text[:HEAD] for id, text in texts.items()}


def _call(
    call: ClosestCall, said: list[str], heads: dict[str, str], heads_on_right: dict[str, str]
) -> dict[str, Any]:
    ends = (call.left, heads), (call.right, heads_on_right)
    sides = [{"id": id, "head": beginning(id, known)} for id, known in ends]
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
