"""What a page tells of closed sets beyond the tables: shared text, and lattices of components.

Both need the documents' texts, which a run does not keep. They are read again if their sources are
not too large for that; otherwise the page names the command that shows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from twinset.errors import ReportError
from twinset.report.lattices import Drawing, figure
from twinset.report.manifest import image_facts
from twinset.report.passages import SharedReader, SharedText

if TYPE_CHECKING:
    from twinset.report.folder import Results
    from twinset.report.select import Cluster

MOST_BYTES = 256 << 20
"""Sources above this are not read a second time for a page."""
MOST_MEMBERS = 200
"""Documents of a set that are read again for a page."""


@dataclass(frozen=True, slots=True)
class ClosedPage:
    """The drawings with their texts, and for clusters by number what their members share."""

    drawings: list[Drawing]
    shared: dict[int, SharedText]
    unread: str = ""

    def section(self) -> str:
        """The part of the page with the lattices; empty where there is none."""
        if not self.drawings:
            return ""
        intro = (
            "Components that no one set holds: a clustering by components would put all of their "
            "documents together. Boxes are closed sets; lines lead up to larger sets, which share "
            "less. Point at a box to see its documents and what they share."
        )
        note = f"<p>{escape(self.unread)}</p>" if self.unread else ""
        return f"<p>{intro}</p>{note}" + "".join(map(figure, self.drawings))


def closed_page(results: Results, clusters: Sequence[Cluster]) -> ClosedPage:
    """Read again what the page needs of the texts."""
    if image_facts(results.manifest) is None:
        return ClosedPage([], {})
    drawings = results.lattices
    members = {
        cluster.number: _members(results, cluster.number)
        for cluster in clusters
        if cluster.size <= MOST_MEMBERS
    }
    small = [one for one in drawings if len(one.names) <= MOST_MEMBERS]
    wanted = {id for ids in members.values() for id in ids} | {
        n for one in small for n in one.names
    }
    try:
        reader = SharedReader(results)
    except ReportError as fault:
        return ClosedPage(drawings, {}, _sentence(str(fault)))
    if _bytes(results, wanted) > MOST_BYTES:
        return ClosedPage(drawings, {}, _too_large())
    texts = results.texts(sorted(wanted))
    shared = {n: reader.of(_these(texts, ids)) for n, ids in members.items() if _all(texts, ids)}
    return ClosedPage([_told(one, reader, texts) for one in drawings], shared)


def _told(drawing: Drawing, reader: SharedReader, texts: dict[str, str]) -> Drawing:
    if not _all(texts, drawing.names):
        return drawing
    documents = [drawing.documents_of(concept) for concept in drawing.lattice.concepts]
    return drawing.told([reader.of(_these(texts, ids)) for ids in documents])


def _members(results: Results, number: int) -> list[str]:
    rows = results.clusters.filter(pc.equal(results.clusters["cluster"], number))
    ids: list[str] = rows["id"].to_pylist()
    return ids


def _bytes(results: Results, ids: set[str]) -> int:
    """How much there is to read to get at these documents."""
    rows = results.documents.filter(pc.is_in(results.documents["id"], _array(results, ids)))
    named = set(pc.unique(rows["source"]).to_pylist())
    inputs: list[dict[str, Any]] = results.manifest.get("inputs", [])
    return int(np.sum([one.get("bytes") or 0 for one in inputs if one["source"] in named]))


def _array(results: Results, ids: set[str]) -> Any:
    import pyarrow as pa

    return pa.array(sorted(ids), results.documents["id"].type)


def _these(texts: dict[str, str], ids: Sequence[str]) -> dict[str, str]:
    return {id: texts[id] for id in ids}


def _all(texts: dict[str, str], ids: Sequence[str]) -> bool:
    return all(id in texts for id in ids)


def _too_large() -> str:
    return (
        "The sources are too large to be read a second time for this page; "
        "'twinset show DIR --cluster N --shared' tells what the documents of a set share."
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
