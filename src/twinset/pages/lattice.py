"""A picture of a lattice: documents at the bottom, larger sets above, shared text on hovering.

A layered drawing (Sugiyama et al. 1981): layers by the longest way from below, the order inside a
layer by the mean place of the neighbours, and places pulled towards them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from twinset.pages.drawing import NAMESPACE, element, escape
from twinset.pages.language import speaker

NAMED = 40
"""With more documents than this their names are left to the tips."""

CROWDED = 20
"""Boxes beside each other before a layer takes another row."""

SHOWN = 28
"""Characters of a name."""

TOLD = 20
"""Documents of a set that its tip names."""

ROUNDS = 12
RISE = 76
Say = Callable[..., str]


class Names(Protocol):
    """The names of documents by their numbers."""

    def __getitem__(self, document: int, /) -> str:
        """The name of a document."""


class DrawableConcept(Protocol):
    """A set of documents, how many features they share, and the numbers of the next larger sets."""

    @property
    def documents(self) -> tuple[int, ...]:
        """Numbers of documents, ascending."""

    @property
    def support(self) -> int:
        """How many features they share."""

    @property
    def above(self) -> tuple[int, ...]:
        """The next larger sets."""

    @property
    def tolerated(self) -> tuple[int, ...]:
        """Documents that have most of these features."""


class DrawableLattice(Protocol):
    """Sets in order by inclusion, the smallest first; not ``whole`` where only a part is shown."""

    @property
    def concepts(self) -> Sequence[DrawableConcept]:
        """The sets."""

    @property
    def whole(self) -> bool:
        """Whether all sets are here."""

    def documents(self) -> list[int]:
        """All documents in it, ascending."""

    def edges(self) -> Iterator[tuple[int, int]]:
        """Pairs (smaller, larger) with nothing between them."""


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
    near: list[int] = field(default_factory=list)  # sets that tolerate it
    down: list[int] = field(default_factory=list)


def draw_lattice(
    lattice: DrawableLattice,
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
    lattice: DrawableLattice, names: Names, shared: Sequence[str], named: bool, say: Say
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
        for document in concept.tolerated:
            if document in place:
                nodes[place[document]].near.append(first + number)
    return nodes


def _tip(concept: DrawableConcept, names: Names, shared: str, say: Say) -> list[str]:
    """What a set shows when it is pointed at."""
    documents = concept.documents
    lines = [say("tip", n=concept.support, documents=len(documents))]
    lines += [names[document] for document in documents[:TOLD]]
    if len(documents) > TOLD:
        lines.append(say("tip_more", n=len(documents) - TOLD))
    if concept.tolerated:
        named = ", ".join(names[document] for document in concept.tolerated[:TOLD])
        lines.append(say("tip_tolerated", n=len(concept.tolerated), names=named))
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


def _paint(nodes: list[_Node], title: str, half: int, caption: bool, style: str, say: Say) -> str:
    tails = [n.x + min(len(n.name), SHOWN) * 5 for n in nodes]  # names lean to the right
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
        parts += [_edge(spots[i], spots[j], False, "edge tolerated") for j in node.near]
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


def _edge(
    lower: tuple[float, float], upper: tuple[float, float], box: bool, kind: str = "edge"
) -> str:
    (x, y), (u, v) = lower, upper
    y -= 15 if box else 4
    v += 15
    bend = (y - v) / 2
    curve = f"M{x:.0f} {y:.0f}C{x:.0f} {y - bend:.0f} {u:.0f} {v + bend:.0f} {u:.0f} {v:.0f}"
    return element("path", class_=kind, d=curve)


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
