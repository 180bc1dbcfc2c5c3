from __future__ import annotations

import json
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.closed_twins import Images, contexts
from tests.kernels.examples import examples
from twinset.finding.clusters.closed import Closed
from twinset.finding.clusters.closed_sets import Context
from twinset.finding.clusters.lattice import ConceptLattice, component_lattice, rows
from twinset.finding.clusters.mine.miners import mine
from twinset.result.lattices import draw_lattice

NAMES = [f'<doc "{i}"> & \\' for i in range(40)]


def lattices(images: Images, k: int, limit: int = 60) -> list[ConceptLattice]:
    context = Context.of(images)
    found = Closed(k=k).find(context)
    return [component_lattice(context, found, c, limit) for c in range(len(found.components))]


@examples(150)
@given(contexts(documents=9, features=14), st.integers(1, 10))
def test_lattice_is_the_closed_sets_in_order(images: Images, k: int) -> None:
    made = lattices(images, k, limit=10_000)
    concepts = [c for lattice in made for c in lattice.concepts]
    assert all(lattice.whole for lattice in made)
    assert sorted((c.documents, c.support) for c in concepts) == list(
        mine("addintent", Context.of(images), k, "closed")
    )
    for lattice in made:
        sets = [set(c.documents) for c in lattice.concepts]
        for i, low in enumerate(sets):
            above = {j for j, high in enumerate(sets) if low < high}
            nearest = {j for j in above if not any(sets[m] < sets[j] for m in above)}
            assert set(lattice.concepts[i].above) == nearest


@examples(60)
@given(contexts(documents=20), st.integers(1, 12), st.sampled_from([3, 60]))
def test_every_form_is_well_formed(images: Images, k: int, limit: int) -> None:
    for lattice in lattices(images, k, limit):
        shared = [f"text <{i}>" for i in range(len(lattice.concepts))]
        picture = ET.fromstring(draw_lattice(lattice, NAMES, shared))
        boxes = [g for g in picture.iter() if str(g.get("class")).startswith("set")]
        assert len(boxes) == len(lattice.concepts) <= limit
        tips = ["".join(g[0].itertext()) for g in boxes]
        for concept, tip, text in zip(lattice.concepts, tips, shared, strict=True):
            assert tip.startswith(f"{len(concept.documents)} documents share {concept.support} ")
            assert text in tip
            assert all(NAMES[d] in tip for d in concept.documents)
        table = json.loads(json.dumps(rows(lattice, NAMES, shared)))
        assert [row["support"] for row in table] == [c.support for c in lattice.concepts]
        assert all(i in table[j]["below"] for i, row in enumerate(table) for j in row["above"])


def test_boxes_do_not_overlap() -> None:
    images = [frozenset(range(d, d + 20)) for d in range(12)]
    (lattice,) = lattices(images, 14)
    picture = ET.fromstring(draw_lattice(lattice, NAMES))
    boxes = [
        (float(r.get("x", 0)), float(r.get("y", 0)), float(r.get("width", 0)))
        for r in picture.iter("rect")
    ]
    assert len(boxes) == 11 + 10 + 9 + 8 + 7 + 6
    for i, (x, y, width) in enumerate(boxes):
        for u, v, _ in boxes[:i]:
            assert abs(x - u) >= width or abs(y - v) >= 30


def test_above_the_limit_the_cover() -> None:
    images = [frozenset(range(100)) - {d} for d in range(20)]
    (lattice,) = lattices(images, 90, limit=30)
    assert not lattice.whole
    assert 2 <= len(lattice.concepts) <= 30
    assert "cover" in draw_lattice(lattice, NAMES)
