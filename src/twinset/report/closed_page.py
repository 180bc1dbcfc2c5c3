"""What a page tells of closed sets beyond the tables: shared text, and lattices of components.

Both need the documents' texts, which a run does not keep. They are read again if their sources are
not too large for that; otherwise the page names the command that shows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.model.columns import scalar
from twinset.pages.language import speaker
from twinset.report.manifest import image_facts

if TYPE_CHECKING:
    from twinset.report.lattices import LatticeDrawing
    from twinset.report.passages import SharedReader, SharedText
    from twinset.report.results import Results
    from twinset.report.select import Cluster

MOST_BYTES = 256 << 20
"""Sources above this are not read a second time for a page."""
MOST_MEMBERS = 200
"""Documents of a set that are read again for a page."""
LISTED = 12
"""Ids of a set that the table beneath a picture names."""


@dataclass(frozen=True, slots=True)
class ClosedPage:
    """The drawings with their texts, and for clusters by number what their members share."""

    drawings: list[LatticeDrawing]
    shared: dict[int, SharedText]
    unread: str = ""

    def lattices(self, language: str) -> list[dict[str, Any]]:
        """The lattices as values for the page: a picture and, beneath it, the same as a table."""
        if not self.drawings:
            return []
        from markupsafe import Markup

        from twinset.pages.lattice import draw_lattice

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


def component_sentence(drawing: LatticeDrawing, language: str = "en") -> str:
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


def _row(drawing: LatticeDrawing, number: int) -> dict[str, Any]:
    concept = drawing.lattice.concepts[number]
    ids = drawing.documents_of(concept)
    return {
        "ids": ids[:LISTED],
        "rest": max(0, len(ids) - LISTED),
        "support": concept.support,
        "text": drawing.shared[number] if drawing.shared else "",
    }


def closed_page(results: Results, clusters: Sequence[Cluster], language: str = "en") -> ClosedPage:
    """Read again what the page needs of the texts."""
    if image_facts(results.manifest) is None:
        return ClosedPage([], {})
    from twinset.report.passages import SharedReader
    from twinset.report.texts import bytes_of

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
    drawing: LatticeDrawing, reader: SharedReader, texts: dict[str, str]
) -> LatticeDrawing:
    if not _all(texts, drawing.names):
        return drawing
    documents = [drawing.documents_of(concept) for concept in drawing.lattice.concepts]
    return drawing.with_shared([reader.of(_these(texts, ids)).brief() for ids in documents])


def _members(results: Results, number: int) -> list[str]:
    import pyarrow.compute as pc

    rows = results.clusters.filter(pc.equal(results.clusters["cluster"], scalar(number)))
    ids: list[str] = rows["id"].to_pylist()
    return ids


def _these(texts: dict[str, str], ids: Sequence[str]) -> dict[str, str]:
    return {id: texts[id] for id in ids}


def _all(texts: dict[str, str], ids: Sequence[str]) -> bool:
    return all(id in texts for id in ids)
