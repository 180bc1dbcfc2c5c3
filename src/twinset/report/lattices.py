"""The lattices of a run with closed sets: as ``lattices.json`` and as pictures on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from twinset.clusters.lattice import Concept, ConceptLattice, rows
from twinset.clusters.lattice_svg import svg
from twinset.errors import ReportError
from twinset.report.shape import entry, flag, listed, text, whole
from twinset.system.bounded import MANIFEST_BYTES, read_regular

if TYPE_CHECKING:
    from pathlib import Path

    from twinset.report.passages import SharedText

FILE = "lattices.json"
SHAPE = listed(
    entry(
        {
            "component": whole(),
            "documents": whole(),
            "left": text,
            "right": text,
            "shared": whole(),
            "needed": whole(),
            "chained": flag,
            "whole_lattice": flag,
            "concepts": listed(
                entry(
                    {
                        "documents": listed(text, least=1),
                        "support": whole(),
                        "above": listed(whole()),
                    },
                    {"shared": text},
                )
            ),
        }
    )
)
LISTED = 12
"""Ids of a set that the table beneath a picture names."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The lattice of one component; its documents are numbers into ``names``.

    ``worst`` is the component's row of the false-cluster report; ``shared`` has a text for each
    concept, or nothing where the documents were not read again.
    """

    lattice: ConceptLattice
    names: tuple[str, ...]
    worst: dict[str, Any]
    shared: tuple[str, ...] = ()

    def told(self, texts: Sequence[SharedText]) -> Drawing:
        """The same with what the documents of each concept share."""
        return Drawing(self.lattice, self.names, self.worst, tuple(t.brief() for t in texts))

    def documents_of(self, concept: Concept) -> list[str]:
        """The ids of a concept."""
        return [self.names[number] for number in concept.documents]

    def entry(self) -> dict[str, Any]:
        """Plain values, for a file."""
        concepts = rows(self.lattice, self.names, self.shared)
        return {**self.worst, "whole_lattice": self.lattice.whole, "concepts": concepts}

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Drawing:
        """From what `entry` gave."""
        concepts = entry["concepts"]
        names = tuple(sorted({id for row in concepts for id in row["documents"]}))
        place = {id: number for number, id in enumerate(names)}
        lattice = ConceptLattice(
            tuple(
                Concept(
                    tuple(place[id] for id in row["documents"]), row["support"], tuple(row["above"])
                )
                for row in concepts
            ),
            entry["whole_lattice"],
        )
        shared = tuple(row["shared"] for row in concepts if "shared" in row)
        worst = {k: v for k, v in entry.items() if k not in ("whole_lattice", "concepts")}
        return cls(lattice, names, worst, shared)

    def sentence(self) -> str:
        """Why the component is worth a look."""
        worst = self.worst
        chained = "a false cluster" if worst["chained"] else "no one set holds it"
        return (
            f"Component {worst['component']}, {worst['documents']:,} documents, {chained}: its "
            f"worst pair, {worst['left']} and {worst['right']}, shares {worst['shared']:,} "
            f"features of the {worst['needed']:,} that are asked for."
        )


def write(drawings: Sequence[Drawing], path: Path) -> None:
    """All drawings as one JSON array, a line each."""
    lines = (json.dumps(one.entry(), ensure_ascii=False) for one in drawings)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")


def read(path: Path, within: Sequence[str] = ()) -> list[Drawing]:
    """The drawings of a report."""
    try:
        entries = json.loads(read_regular(path, MANIFEST_BYTES, within).decode())
    except (OSError, ValueError, RecursionError) as fault:
        raise ReportError(f"cannot read {path}: {fault}; run again with --force") from None
    wrong = next(SHAPE(entries, "it"), None) or next(_loose_ends(entries), None)
    if wrong is not None:
        raise ReportError(f"{path} is damaged: {wrong}; run again with --force")
    return [Drawing.of(drawn) for drawn in entries]


def _loose_ends(entries: list[dict[str, Any]]) -> Iterator[str]:
    """Links to concepts that are not there, and texts that not every concept has."""
    for drawn in entries:
        concepts = drawn["concepts"]
        if any(above >= len(concepts) for row in concepts for above in row["above"]):
            yield "a set is linked to one that is not there"
        if len({"shared" in row for row in concepts}) > 1:
            yield "some sets have a shared text and others have none"


def figure(drawing: Drawing) -> str:
    """The picture, and beneath it the same as a table for those who cannot hover."""
    told = escape(drawing.sentence())
    picture = svg(drawing.lattice, drawing.names, drawing.shared, alone=False)
    head = ("documents", "shared", *(["shared text"] if drawing.shared else []))
    top = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = "".join(_row(drawing, number) for number in range(len(drawing.lattice.concepts)))
    return (
        f'<figure class="wide"><div class="scroll" role="region" tabindex="0" '
        f'aria-label="Lattice of component {drawing.worst["component"]}">{picture}</div>'
        f"<figcaption>{told}</figcaption><details><summary>The sets as a table</summary>"
        f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
        "</div></details></figure>"
    )


def _row(drawing: Drawing, number: int) -> str:
    concept = drawing.lattice.concepts[number]
    ids = drawing.documents_of(concept)
    shown = "<br>".join(f"<bdi>{escape(id)}</bdi>" for id in ids[:LISTED])
    more = f"<br>and {len(ids) - LISTED:,} more" if len(ids) > LISTED else ""
    text = f'<td dir="auto">{escape(drawing.shared[number])}</td>' if drawing.shared else ""
    return f"<tr><td>{shown}{more}</td><td>{concept.support:,}</td>{text}</tr>"
