"""``report.html``: the findings on one page that needs nothing but itself.

Ids and texts come from the documents and are not trusted: everything goes through ``escape``, there
is no script, and the page forbids itself to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from twinset.pages import charts
from twinset.report import shell, words
from twinset.report.closed_page import closed_page
from twinset.report.select import (
    Cluster,
    Member,
    closest_calls,
    largest_clusters,
    observed,
    sizes,
)
from twinset.report.shell import figure, folded, section, table

if TYPE_CHECKING:
    from twinset.report.folder import Results
    from twinset.report.lattices import Drawing
    from twinset.report.passages import SharedText

CLUSTERS = 10
MEMBERS = 6
CALLS = 5
FAULTS = 20
LONG = 140


def page(results: Results, more: Sequence[str] = ()) -> str:
    """The whole page; ``more`` are sections of others, made with ``section``."""
    return page_and_lattices(results, more)[0]


def page_and_lattices(results: Results, more: Sequence[str] = ()) -> tuple[str, list[Drawing]]:
    """The whole page, and the lattices on it with the texts that were read for them."""
    manifest = results.manifest
    clusters = largest_clusters(results.clusters, CLUSTERS, MEMBERS)
    calls = closest_calls(results.pairs, CALLS)
    ids = [m.id for c in clusters for m in c.members] + [id for c in calls for id in c[:2]]
    heads = results.heads(list(dict.fromkeys(ids)))
    closed = closed_page(results, clusters)
    lattices = closed.section()
    sections = [
        _figures(results),
        _clusters(clusters, heads, manifest, closed.shared),
        section("Where components chain", lattices) if lattices else "",
        _calls(calls, heads, manifest),
        *more,
        _faults(manifest),
        _run(manifest),
    ]
    title = f"Near-duplicates: {words.headline(manifest)}"
    whole = shell.page(title, _header(manifest), sections, shell.footer(manifest))
    return whole, closed.drawings


def _header(manifest: dict[str, Any]) -> str:
    first, *rest = words.summary(manifest)
    sources = [str(entry["source"]) for entry in manifest.get("inputs", [])]
    shown = ", ".join(f"<bdi>{escape(source)}</bdi>" for source in sources[:3])
    more = f" and {len(sources) - 3:,} more" if len(sources) > 3 else ""
    kicker = f"Near-duplicates in {shown}{more}" if shown else "Near-duplicates"
    return (
        f'<header>\n<p class="kicker">{kicker}</p>\n<h1>{escape(first)}</h1>\n'
        + "\n".join(f"<p>{escape(sentence)}</p>" for sentence in rest)
        + f"\n{_tally(manifest)}\n</header>"
    )


def _tally(manifest: dict[str, Any]) -> str:
    counts = manifest["counts"]
    names = ["documents", "pairs", "clusters", "clustered_documents", "kept", "removed"]
    titles = {"clustered_documents": "in clusters"}
    cells = (
        f"<div><dt>{titles.get(name, name)}</dt><dd>{counts[name]:,}</dd></div>"
        for name in names
        if counts.get(name) is not None
    )
    return f'<dl class="tally">{"".join(cells)}</dl>'


def _figures(results: Results) -> str:
    manifest = results.manifest
    figures = [_similarities(manifest), _s_curve(manifest), _sizes(results), _times(manifest)]
    drawn = [figure for figure in figures if figure]
    if not drawn:
        return ""
    return section("What was found", f'<div class="figures">{"".join(drawn)}</div>')


def _similarities(manifest: dict[str, Any]) -> str:
    edges, counts = observed(manifest)
    if not sum(counts):
        return ""
    chart = charts.histogram(
        edges,
        counts,
        title="Similarities of the pairs",
        x_label=words.measure(manifest),
    )
    rows = [
        (f"{low:.3g} to {high:.3g}", f"{count:,}")
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
        if count
    ]
    caption = "Similarities of the reported pairs, each computed exactly."
    return figure(chart, caption, ("similarity", "pairs"), rows)


def _s_curve(manifest: dict[str, Any]) -> str:
    predicted, plan = manifest.get("predicted", {}), manifest["plan"]
    curve, at = predicted.get("s_curve"), predicted.get("jaccard_at_threshold", plan["threshold"])
    kind = plan.get("candidates", {})
    if not curve or kind.get("kind") == "join":
        return ""
    edges, counts = observed(manifest)
    by_method = words.decided(manifest)["by"] == "method"
    marks = [] if by_method else [(at, f"threshold {plan['threshold']:g}")]
    # The axis is that of Jaccard similarities: other scores have no place beneath it.
    below = (edges, counts) if sum(counts) and words.is_jaccard(manifest) else None
    chart = charts.line(
        [(s, p) for s, p in curve],
        title="Probability that a pair is found",
        y_label="probability found",
        marks=marks,
        below=below,
        height=230 + (30 if below else 0),
    )
    shape = f" with {kind['bands']} bands of {kind['rows']} rows" if "bands" in kind else ""
    beneath = " Beneath the axis: the similarities observed, as square roots." if below else ""
    given = (
        f" as given: {words.chance(predicted['recall_at_threshold'])} at the threshold"
        if kind.get("given")
        else ""
    )
    caption = f"The chance that a pair becomes a candidate{shape}{given}.{beneath}"
    chosen = [(s, p) for s, p in curve if round(s * 100) % 10 == 0]
    rows = [(f"{s:.2g}", f"{p:.4f}") for s, p in chosen]
    return figure(chart, caption, ("similarity", "found"), rows)


def _sizes(results: Results) -> str:
    rows = sizes(results.clusters)
    if not rows:
        return ""
    chart = charts.bars(rows, title="Sizes of the clusters")
    return figure(chart, "Clusters by their number of documents.", (), [])


def _times(manifest: dict[str, Any]) -> str:
    rows = [(str(stage), float(seconds)) for stage, seconds in manifest.get("timings", {}).items()]
    if not rows:
        return ""
    chart = charts.bars(rows, title="Time by stage", form="{:,.2f} s")
    return figure(chart, f"Where the time went. {_cost(manifest)}", (), [])


def _clusters(
    clusters: list[Cluster],
    heads: dict[str, str],
    manifest: dict[str, Any],
    shared: dict[int, SharedText],
) -> str:
    if not clusters:
        return ""
    total = manifest["counts"]["clusters"]
    title = "The largest clusters" if total > len(clusters) else "The clusters"
    items = (
        _cluster(cluster, heads, number == 0, _shared(shared.get(cluster.number)))
        for number, cluster in enumerate(clusters)
    )
    return section(title, "".join(items))


def _cluster(cluster: Cluster, heads: dict[str, str], opened: bool, shared: str) -> str:
    members = "".join(_member(member, heads) for member in cluster.members)
    rest = cluster.size - len(cluster.members)
    more = f'<li class="more">and {words.number(rest, "document")} more</li>' if rest else ""
    weakest = "" if cluster.weakest is None else f", least similarity {cluster.weakest:.3f}"
    return (
        f"<details{' open' if opened else ''}><summary>Cluster {cluster.number}: "
        f"<b>{words.number(cluster.size, 'document')}</b>{weakest}</summary>"
        f'{shared}<ol class="members">{members}{more}</ol></details>'
    )


def _shared(text: SharedText | None) -> str:
    if text is None or not text.passages:
        return ""
    longest = "" if text.kind == "words" else "; the longest:"
    quoted = f'<blockquote dir="auto">{escape(text.brief(3 * LONG))}</blockquote>'
    return f'<div class="shared"><p>{escape(text.sentence())}{longest}</p>{quoted}</div>'


def _member(member: Member, heads: dict[str, str]) -> str:
    score = "" if member.score is None or member.is_anchor else _score(member.score)
    role = member.role if member.role != "member" else "anchor" if member.is_anchor else ""
    badge = f'<span class="role {escape(role)}">{escape(role)}</span>' if role else ""
    title = f"{spelt(member.id)}{badge}{score}"
    return f"<li><p>{title}</p>{_head(member.id, heads)}</li>"


def _calls(
    calls: list[tuple[str, str, float]], heads: dict[str, str], manifest: dict[str, Any]
) -> str:
    if not calls:
        return ""
    rows = (
        f"<li><p>{_score(score)}</p>"
        f"<p>{spelt(left)}</p>{_head(left, heads)}<p>{spelt(right)}</p>{_head(right, heads)}</li>"
        for left, right, score in calls
    )
    if words.decided(manifest)["by"] == "method":
        intro = "The pairs with the lowest score among those that the method has decided on."
    else:
        intro = (
            f"The least similar pairs that reach the threshold of {words.threshold(manifest):g}. "
            "If they look unrelated, raise it; if they are all but equal, lower it."
        )
    return section(
        "The closest calls", f'<p>{escape(intro)}</p><ol class="members">{"".join(rows)}</ol>'
    )


def _faults(manifest: dict[str, Any]) -> str:
    faults = manifest.get("faults") or {}
    if not faults:
        return ""
    first = manifest.get("first_faults", [])[:FAULTS]
    places = [(_place(fault), str(fault["kind"]), str(fault["detail"])) for fault in first]
    counts = [(str(kind), f"{count:,}") for kind, count in faults.items()]
    body = table(("fault", "times"), counts)
    if places:
        body += folded(f"The first {len(places)}", table(("where", "fault", "detail"), places))
    return section("Faults in the input", body)


def _place(fault: dict[str, Any]) -> str:
    return str(fault["source"]) + (f":{fault['line']}" if fault.get("line") else "")


def _run(manifest: dict[str, Any]) -> str:
    inputs = [
        (
            str(e["source"]),
            str(e.get("reader", "")),
            f"{e.get('documents') or 0:,}",
            f"{e.get('bytes') or 0:,}",
        )
        for e in manifest.get("inputs", [])
    ]
    parts = [
        folded("Plan", table(("option", "value"), list(_flat(manifest["plan"])))),
        folded("Inputs", table(("source", "reader", "documents", "bytes"), inputs))
        if inputs
        else "",
    ]
    return section("How it was done", "".join(parts))


def _cost(manifest: dict[str, Any]) -> str:
    facts = [
        (manifest.get("cpu_seconds"), "{:,.1f} s of CPU time"),
        (manifest.get("peak_memory_mb"), "{:,.0f} MB of memory at most"),
        (manifest.get("threads"), "{} threads"),
    ]
    told = "; ".join(text.format(value) for value, text in facts if value is not None)
    return f"{told}." if told else ""


def _flat(options: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif value not in (None, [], ()):
            shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield f"{prefix}{name}", shown


def spelt(id: str) -> str:
    """An id, set apart from what stands around it."""
    return f"<code><bdi>{escape(id)}</bdi></code>"


def _head(id: str, heads: dict[str, str]) -> str:
    text = " ".join(heads.get(id, "").split())
    if len(text) > LONG:  # cut by bytes, perhaps within a word
        text = f"{text[:LONG].rpartition(' ')[0] or text[:LONG]} …"
    return f'<blockquote dir="auto">{escape(text)}</blockquote>' if text else ""


def _score(score: float) -> str:
    return f'<span class="score">{score:.3f}</span>'
