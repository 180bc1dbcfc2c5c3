"""A picture of a lattice: documents at the bottom, larger sets above, shared text on hovering.

A layered drawing (Sugiyama et al. 1981): layers by the longest way from below, the order inside a
layer by the mean place of the neighbours, and places pulled towards them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from twinset.clusters.lattice import ConceptLattice, tip_lines

NAMED = 40
"""With more documents than this their names are left to the tips."""

CROWDED = 20
"""Boxes beside each other before a layer takes another row."""

SHOWN = 28
"""Characters of a name."""

ROUNDS = 12
RISE = 76
STYLE = (
    ".lattice text{font:12px system-ui,sans-serif;fill:var(--ink,#1d2733)}"
    ".lattice .edge{fill:none;stroke:var(--quiet,#9aa7b5);stroke-width:1.2}"
    ".lattice .set rect{stroke:#33506e;stroke-width:1}"
    ".lattice .set text{fill:#1d2733}"
    ".lattice .figure{text-anchor:middle;font-weight:600;font-size:11px}"
    ".lattice .unit{text-anchor:middle;font-size:10px}"
    ".lattice .set:hover rect,.lattice .name:hover circle{stroke:#d2691e;stroke-width:2.5}"
    ".lattice .set.strong text{fill:#fff}.lattice .name circle{fill:#fff;stroke:#33506e}"
    ".lattice text.note{font-size:11px;fill:var(--quiet,#5c6b7a)}"
)
"""The page's colours where there are any, so that the picture suits a dark one as well."""


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


def svg(
    lattice: ConceptLattice,
    names: Sequence[str],
    shared: Sequence[str] = (),
    *,
    alone: bool = True,
) -> str:
    """The picture as SVG, a file or (not ``alone``) a part of a page; the rest as for ``rows``."""
    named = len(lattice.documents()) <= NAMED
    nodes = _nodes(lattice, names, shared, named)
    layers = _layers(nodes)
    _order(nodes, layers)
    widest = max((len(layer) for layer in layers), default=1)
    half = 46 if widest <= 9 else 29
    _place(nodes, layers, 2.0 * half + 12)
    return _paint(nodes, _caption(lattice), half, alone)


def _nodes(
    lattice: ConceptLattice, names: Sequence[str], shared: Sequence[str], named: bool
) -> list[_Node]:
    documents = lattice.documents() if named else []
    place = {d: i for i, d in enumerate(documents)}
    nodes = [_Node([names[d]], name=names[d]) for d in documents]
    first = len(nodes)
    below: list[set[int]] = [set() for _ in lattice.concepts]
    for number, concept in enumerate(lattice.concepts):
        tip = list(tip_lines(concept, names, shared, number))
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
    for layer in layers:
        for at, i in enumerate(layer):
            nodes[i].x = (at + 0.5) / len(layer)
    for turn in range(ROUNDS):
        for layer in layers if turn % 2 else reversed(layers):
            pull = {i: _pull(nodes, i, turn % 2 == 1) for i in layer}
            layer.sort(key=lambda i: (pull[i], i))
            for at, i in enumerate(layer):
                nodes[i].x = (at + 0.5) / len(layer)


def _pull(nodes: list[_Node], i: int, from_below: bool) -> float:
    near = nodes[i].down if from_below else nodes[i].up
    return sum(nodes[j].x for j in near) / len(near) if near else nodes[i].x


def _place(nodes: list[_Node], layers: list[list[int]], gap: float) -> None:
    """Coordinates: as near to the neighbours as the distance between boxes allows.

    A crowded layer takes several rows, its nodes in turn on one and the next.
    """
    rows = [1 + (len(layer) - 1) // CROWDED for layer in layers]
    height = 0.0
    for layer, count in zip(layers, rows, strict=True):
        for at, i in enumerate(layer):
            nodes[i].x = (at - (len(layer) - 1) / 2) * gap / count
            nodes[i].y = height + at % count * 40
        height += RISE + (count - 1) * 40
    for _ in range(ROUNDS):
        for layer, count in zip(layers, rows, strict=True):
            _spread(nodes, layer, [_middle(nodes, i) for i in layer], gap / count)
    left = min((node.x for node in nodes), default=0)
    for node in nodes:
        node.x -= left


def _middle(nodes: list[_Node], i: int) -> float:
    near = nodes[i].up + nodes[i].down
    return sum(nodes[j].x for j in near) / len(near) if near else nodes[i].x


def _spread(nodes: list[_Node], layer: list[int], wanted: list[float], step: float) -> None:
    """Pools neighbours that want to be too close, and centres each pool (isotonic regression)."""
    pools: list[tuple[float, int]] = []  # mean of wanted places, less the steps, and how many
    for at, place in enumerate(wanted):
        mean, count = place - at * step, 1
        while pools and pools[-1][0] > mean:
            other, more = pools.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        pools.append((mean, count))
    at = 0
    for mean, count in pools:
        for _ in range(count):
            nodes[layer[at]].x = mean + at * step
            at += 1


def _paint(nodes: list[_Node], caption: str, half: int, alone: bool) -> str:
    namespace = 'xmlns="http://www.w3.org/2000/svg" ' if alone else ""
    tails = [n.x + min(len(n.name), SHOWN) * 5 for n in nodes]  # names lean to the right
    width = max([*tails, *(n.x + half for n in nodes), 6.0 * len(caption)]) + 60
    foot = 30 + max((min(len(n.name), SHOWN) * 4.5 for n in nodes), default=0)
    base = max((n.y for n in nodes), default=0) + 60
    spots = [(n.x + half + 10, base - n.y) for n in nodes]
    supports = [n.support for n in nodes if n.size] or [0]
    parts = [
        f'<svg {namespace}class="lattice" viewBox="0 0 {width:.0f} {base + foot:.0f}" '
        f'width="{width:.0f}" role="img"><title>{escape(caption)}</title>'
        f'<style>{STYLE}</style><text class="note" x="8" y="16">{escape(caption)}</text>'
    ]
    for i, node in enumerate(nodes):
        parts += [_edge(spots[i], spots[j], node.size > 0) for j in node.up]
    for node, spot in zip(nodes, spots, strict=True):
        share = (node.support - min(supports)) / max(1, max(supports) - min(supports))
        parts.append(_box(node, spot, half, share) if node.size else _name(node, spot))
    return "".join([*parts, "</svg>\n"])


def _caption(lattice: ConceptLattice) -> str:
    what = "closed sets" if lattice.whole else "closed sets of the cover and their meets"
    return (
        f"{len(lattice.documents())} documents, {len(lattice.concepts)} {what}; "
        "lines lead up to the larger sets, which share less"
    )


def _edge(lower: tuple[float, float], upper: tuple[float, float], box: bool) -> str:
    (x, y), (u, v) = lower, upper
    y -= 15 if box else 4
    v += 15
    bend = (y - v) / 2
    curve = f"M{x:.0f} {y:.0f}C{x:.0f} {y - bend:.0f} {u:.0f} {v + bend:.0f} {u:.0f} {v:.0f}"
    return f'<path class="edge" d="{curve}"/>'


def _box(node: _Node, spot: tuple[float, float], half: int, share: float) -> str:
    x, y = spot
    figure = f"{node.size} documents" if half > 30 else f"{node.size} docs"
    strong = " strong" if share > 0.55 else ""
    return (
        f'<g class="set{strong}"><title>{escape(chr(10).join(node.tip))}</title>'
        f'<rect x="{x - half:.0f}" y="{y - 15:.0f}" width="{2 * half}" height="30" rx="6" '
        f'fill="{_shade(share)}"/><text class="figure" x="{x:.0f}" y="{y - 2:.0f}">{figure}</text>'
        f'<text class="unit" x="{x:.0f}" y="{y + 10:.0f}">{node.support} shared</text></g>'
    )


def _shade(share: float) -> str:
    light, dark = (226, 236, 246), (46, 94, 140)
    mixed = (round(a + (b - a) * share) for a, b in zip(light, dark, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _name(node: _Node, spot: tuple[float, float]) -> str:
    x, y = spot
    shown = node.name if len(node.name) <= SHOWN else node.name[: SHOWN - 1] + "…"
    turned = f"translate({x - 3:.0f} {y + 14:.0f}) rotate(38)"
    return (
        f'<g class="name"><title>{escape(node.tip[0])}</title>'
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4"/>'
        f'<text transform="{turned}">{escape(shown)}</text></g>'
    )
