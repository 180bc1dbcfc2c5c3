"""The lattices of a run with closed sets: ``lattices.json``, their pictures, and the page's words.

A report keeps the file. A picture has documents at the bottom, larger sets above, and shared text
on hovering: a layered drawing (Sugiyama et al. 1981) with layers by the longest way from below, the
order inside a layer by the mean place of the neighbours, and places pulled towards them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from twinset.errors import ReportError
from twinset.finding.clusters.lattice import ComponentLattice, Concept, ConceptLattice, rows
from twinset.model.columns import scalar
from twinset.pages.charts import NAMESPACE, element
from twinset.pages.language import speaker

if TYPE_CHECKING:
    from pathlib import Path

    from twinset.result.passages import SharedReader, SharedText
    from twinset.result.results import Results
    from twinset.result.select import Cluster

FILE = "lattices.json"
NAMED = 40  # with more documents than this their names are left to the tips
SHOWN = 28  # characters of a name
TOLD = 20  # documents of a set that its tip names
ROUNDS = 12
RISE = 76
Say = Callable[..., str]
Names = Mapping[int, str] | Sequence[str]


def entry(drawing: ComponentLattice) -> dict[str, Any]:
    """Plain values, for a file."""
    concepts = rows(drawing.lattice, drawing.names, drawing.shared)
    return {**drawing.worst, "whole_lattice": drawing.lattice.whole, "concepts": concepts}


def write(drawings: Sequence[ComponentLattice], path: Path) -> None:
    """All drawings as one JSON array, a line each."""
    lines = (json.dumps(entry(drawing), ensure_ascii=False) for drawing in drawings)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")


@dataclass(slots=True)
class _Node:
    tip: list[str]
    name: str = ""
    support: int = 0
    size: int = 0
    layer: int = 0
    x: float = 0.0
    y: float = 0.0  # upwards
    up: list[int] = field(default_factory=list)
    down: list[int] = field(default_factory=list)


def draw_lattice(
    lattice: ConceptLattice,
    names: Names,
    shared: Sequence[str] = (),
    *,
    language: str = "en",
    caption: bool = True,
    style: str = "",
) -> str:
    """The picture as SVG: a part of a page or, with a style sheet, a file of its own.

    ``names`` are those of all documents; ``shared`` is a text for each set, or nothing.
    """
    say = speaker(language, "chart")
    nodes = _nodes(lattice, names, shared, len(lattice.documents()) <= NAMED, say)
    layers = _layers(nodes)
    _order(nodes, layers)
    widest = max((len(layer) for layer in layers), default=1)
    half = 46 if widest <= 9 else 29
    _place(nodes, layers, 2.0 * half + 12)
    title = say(
        "lattice" if lattice.whole else "lattice_part",
        documents=len(lattice.documents()),
        n=len(lattice.concepts),
    )
    return _paint(nodes, title, half, caption, style, say)


def _nodes(
    lattice: ConceptLattice, names: Names, shared: Sequence[str], named: bool, say: Say
) -> list[_Node]:
    documents = lattice.documents() if named else []
    place = {d: i for i, d in enumerate(documents)}
    nodes = [_Node([names[d]], name=names[d]) for d in documents]
    first = len(nodes)
    below: list[set[int]] = [set() for _ in lattice.concepts]
    for number, concept in enumerate(lattice.concepts):
        tip = _tip(concept, names, shared[number] if shared else "", say)
        nodes.append(_Node(tip, support=concept.support, size=len(concept.documents)))
        for upper in concept.above:
            below[upper] |= set(concept.documents)
    for lower, upper in lattice.edges():
        _join(nodes, first + lower, first + upper)
    for number, concept in enumerate(lattice.concepts):
        for document in concept.documents:
            if document in place and document not in below[number]:
                _join(nodes, place[document], first + number)
    return nodes


def _tip(concept: Concept, names: Names, shared: str, say: Say) -> list[str]:
    """What a set shows when it is pointed at."""
    documents = concept.documents
    lines = [say("tip", n=concept.support, documents=len(documents))]
    lines += [names[document] for document in documents[:TOLD]]
    if len(documents) > TOLD:
        lines.append(say("tip_more", n=len(documents) - TOLD))
    if shared:
        lines.append(say("tip_shared", text=shared))
    return lines


def _join(nodes: list[_Node], lower: int, upper: int) -> None:
    nodes[lower].up.append(upper)
    nodes[upper].down.append(lower)


def _layers(nodes: list[_Node]) -> list[list[int]]:
    """Documents in layer 0; concepts come with the smaller sets first, so one pass will do."""
    for node in nodes:
        node.layer = max((nodes[d].layer + 1 for d in node.down), default=0)
    layers: list[list[int]] = [[] for _ in range(max(n.layer for n in nodes) + 1)] if nodes else []
    for i, node in enumerate(nodes):
        layers[node.layer].append(i)
    return layers


def _order(nodes: list[_Node], layers: list[list[int]]) -> None:
    for turn in range(ROUNDS + 1):
        for layer in layers if turn % 2 else reversed(layers):
            if turn:
                near = {i: nodes[i].down if turn % 2 else nodes[i].up for i in layer}
                pull = {i: _mean(nodes, i, near[i]) for i in layer}
                layer.sort(key=lambda i: (pull[i], i))
            for at, i in enumerate(layer):
                nodes[i].x = (at + 0.5) / len(layer)


def _place(nodes: list[_Node], layers: list[list[int]], gap: float) -> None:
    """Coordinates: as near to the neighbours as the distance between boxes allows."""
    for height, layer in enumerate(layers):
        for at, i in enumerate(layer):
            nodes[i].x = (at - (len(layer) - 1) / 2) * gap
            nodes[i].y = height * RISE
    for _ in range(ROUNDS):
        for layer in layers:
            wanted = [_mean(nodes, i, nodes[i].up + nodes[i].down) for i in layer]
            for i, place in zip(layer, _spread(wanted, gap), strict=True):
                nodes[i].x = place
    left = min((node.x for node in nodes), default=0)
    for node in nodes:
        node.x -= left


def _mean(nodes: list[_Node], i: int, near: list[int]) -> float:
    return sum(nodes[j].x for j in near) / len(near) if near else nodes[i].x


def _spread(wanted: list[float], step: float) -> list[float]:
    """Pools neighbours that want to be too close, and centres each pool (isotonic regression)."""
    pools: list[tuple[float, int]] = []  # mean of wanted places, less the steps, and how many
    for at, place in enumerate(wanted):
        mean, count = place - at * step, 1
        while pools and pools[-1][0] > mean:
            other, more = pools.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    return [mean + at * step for at, mean in enumerate(means)]


def _paint(nodes: list[_Node], title: str, half: int, caption: bool, style: str, say: Say) -> str:
    tails = [n.x + min(len(n.name), SHOWN) * 6 for n in nodes]  # names lean to the right
    told = 6.0 * len(title) if caption else 0.0
    width = max([*tails, *(n.x + half for n in nodes), told]) + 60
    foot = 30 + max((min(len(n.name), SHOWN) * 4.5 for n in nodes), default=0)
    base = max((n.y for n in nodes), default=0) + 60
    spots = [(n.x + half + 10, base - n.y) for n in nodes]
    supports = [n.support for n in nodes if n.size] or [0]
    parts = [element("title", escape(title))]
    if style:
        parts.append(element("style", escape(style, quote=False)))
    if caption:
        parts.append(element("text", escape(title), class_="note", x=8, y=16))
    for i, node in enumerate(nodes):
        parts += [_edge(spots[i], spots[j], node.size > 0) for j in node.up]
    for node, spot in zip(nodes, spots, strict=True):
        share = (node.support - min(supports)) / max(1, max(supports) - min(supports))
        parts.append(_box(node, spot, half, share, say) if node.size else _name(node, spot))
    return element(
        "svg",
        "".join(parts),
        **({"xmlns": NAMESPACE} if style else {}),
        class_="lattice",
        viewBox=f"0 0 {width:.0f} {base + foot:.0f}",
        width=f"{width:.0f}",
        role="img",
    )


def _edge(lower: tuple[float, float], upper: tuple[float, float], box: bool) -> str:
    (x, y), (u, v) = lower, upper
    y -= 15 if box else 4
    v += 15
    bend = (y - v) / 2
    curve = f"M{x:.0f} {y:.0f}C{x:.0f} {y - bend:.0f} {u:.0f} {v + bend:.0f} {u:.0f} {v:.0f}"
    return element("path", class_="edge", d=curve)


def _box(node: _Node, spot: tuple[float, float], half: int, share: float, say: Say) -> str:
    x, y = spot
    figure = say("box_documents" if half > 30 else "box_docs", n=node.size)
    inside = [
        element("title", escape(chr(10).join(node.tip))),
        element(
            "rect",
            x=f"{x - half:.0f}",
            y=f"{y - 15:.0f}",
            width=2 * half,
            height=30,
            rx=6,
            fill=_shade(share),
        ),
        element("text", escape(figure), class_="figure", x=f"{x:.0f}", y=f"{y - 2:.0f}"),
        element(
            "text",
            escape(say("box_shared", n=node.support)),
            class_="unit",
            x=f"{x:.0f}",
            y=f"{y + 10:.0f}",
        ),
    ]
    return element("g", "".join(inside), class_="set strong" if share > 0.55 else "set")


def _shade(share: float) -> str:
    light, dark = (226, 236, 246), (46, 94, 140)
    mixed = (round(a + (b - a) * share) for a, b in zip(light, dark, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _name(node: _Node, spot: tuple[float, float]) -> str:
    x, y = spot
    shown = node.name if len(node.name) <= SHOWN else node.name[: SHOWN - 1] + "…"
    turned = f"translate({x - 3:.0f} {y + 14:.0f}) rotate(38)"
    inside = [
        element("title", escape(node.tip[0])),
        element("circle", cx=f"{x:.0f}", cy=f"{y:.0f}", r=4),
        element("text", escape(shown), transform=turned),
    ]
    return element("g", "".join(inside), class_="name")


MOST_BYTES = 256 << 20
"""Sources above this are not read a second time for a page."""
MOST_MEMBERS = 200
"""Documents of a set that are read again for a page."""
LISTED = 12
"""Ids of a set that the table beneath a picture names."""


@dataclass(frozen=True, slots=True)
class ClosedPage:
    """The drawings with their texts, and for clusters by number what their members share."""

    drawings: list[ComponentLattice]
    shared: dict[int, SharedText]
    unread: str = ""

    def lattices(self, language: str) -> list[dict[str, Any]]:
        """The lattices as values for the page: a picture and, beneath it, the same as a table."""
        from markupsafe import Markup

        return [
            {
                "component": drawing.worst["component"],
                "sentence": component_sentence(drawing, language),
                "picture": Markup(
                    draw_lattice(drawing.lattice, drawing.names, drawing.shared, language=language)
                ),
                "has_texts": bool(drawing.shared),
                "sets": [_row(drawing, number) for number in range(len(drawing.lattice.concepts))],
            }
            for drawing in self.drawings
        ]


def component_sentence(drawing: ComponentLattice, language: str = "en") -> str:
    """Why a component is worth a look."""
    say, worst = speaker(language, "paper"), drawing.worst
    return say(
        "component_chained" if worst["chained"] else "component_split",
        component=worst["component"],
        documents=say("documents", n=worst["documents"]),
        left=worst["left"],
        right=worst["right"],
        n=worst["shared"],
        needed=worst["needed"],
    )


def _row(drawing: ComponentLattice, number: int) -> dict[str, Any]:
    concept = drawing.lattice.concepts[number]
    ids = drawing.documents_of(concept)
    return {
        "ids": ids[:LISTED],
        "rest": max(0, len(ids) - LISTED),
        "support": concept.support,
        "text": drawing.shared[number] if drawing.shared else "",
    }


def closed_page(results: Results, clusters: Sequence[Cluster], language: str = "en") -> ClosedPage:
    """Read again what the page needs of the texts, which a run does not keep.

    Where their sources are too large for that, the page names the command that shows them.
    """
    from twinset.result.passages import SharedReader
    from twinset.result.texts import bytes_of

    say, drawings = speaker(language, "paper"), results.lattices
    members = {
        cluster.number: _members(results, cluster.number)
        for cluster in clusters
        if cluster.size <= MOST_MEMBERS
    }
    small = [drawing for drawing in drawings if len(drawing.names) <= MOST_MEMBERS]
    shown = {id for ids in members.values() for id in ids} | {
        name for drawing in small for name in drawing.names
    }
    try:
        reader = SharedReader(results)
    except ReportError as fault:
        return ClosedPage(drawings, {}, say("no_spelling", why=str(fault)))
    if bytes_of(results, shown) > MOST_BYTES:
        return ClosedPage(drawings, {}, say("too_large"))
    texts = results.texts(sorted(shown))
    shared = {n: reader.of(_these(texts, ids)) for n, ids in members.items() if _all(texts, ids)}
    return ClosedPage([_with_shared(drawing, reader, texts) for drawing in drawings], shared)


def _with_shared(
    drawing: ComponentLattice, reader: SharedReader, texts: dict[str, str]
) -> ComponentLattice:
    if not _all(texts, drawing.names):
        return drawing
    documents = [drawing.documents_of(concept) for concept in drawing.lattice.concepts]
    return replace(
        drawing, shared=tuple(reader.of(_these(texts, ids)).brief() for ids in documents)
    )


def _members(results: Results, number: int) -> list[str]:
    import pyarrow.compute as pc

    rows = results.clusters.filter(pc.equal(results.clusters["cluster"], scalar(number)))
    ids: list[str] = rows["id"].to_pylist()
    return ids


def _these(texts: dict[str, str], ids: Sequence[str]) -> dict[str, str]:
    return {id: texts[id] for id in ids}


def _all(texts: dict[str, str], ids: Sequence[str]) -> bool:
    return all(id in texts for id in ids)
