"""The lattices of a run with closed sets, and ``lattices.json``, where a report keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from twinset.clusters.lattice import Concept, ConceptLattice, rows
from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.report.shape import entry, flag, listed, text, whole
from twinset.system.bounded import MANIFEST_BYTES, read_regular

if TYPE_CHECKING:
    from pathlib import Path

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
                    {"shared": text, "tolerated": listed(text)},
                )
            ),
        }
    )
)


@dataclass(frozen=True, slots=True)
class LatticeDrawing:
    """The lattice of one component; its documents are numbers into ``names``.

    ``worst`` is the component's row of the false-cluster report; ``shared`` has a text for each
    concept, or nothing where the documents were not read again.
    """

    lattice: ConceptLattice
    names: tuple[str, ...]
    worst: dict[str, Any]
    shared: tuple[str, ...] = ()

    def with_shared(self, texts: Sequence[str]) -> LatticeDrawing:
        """The same with a text for each concept: what its documents share."""
        return LatticeDrawing(self.lattice, self.names, self.worst, tuple(texts))

    def documents_of(self, concept: Concept) -> list[str]:
        """The ids of a concept."""
        return [self.names[number] for number in concept.documents]

    def entry(self) -> dict[str, Any]:
        """Plain values, for a file."""
        concepts = rows(self.lattice, self.names, self.shared)
        return {**self.worst, "whole_lattice": self.lattice.whole, "concepts": concepts}

    @classmethod
    def of(cls, entry: dict[str, Any]) -> LatticeDrawing:
        """From what `entry` gave."""
        concepts = entry["concepts"]
        everyone = (row["documents"] + row.get("tolerated", []) for row in concepts)
        names = tuple(sorted({id for ids in everyone for id in ids}))
        place = {id: number for number, id in enumerate(names)}
        lattice = ConceptLattice(
            tuple(
                Concept(
                    tuple(place[id] for id in row["documents"]),
                    row["support"],
                    tuple(row["above"]),
                    tuple(place[id] for id in row.get("tolerated", ())),
                )
                for row in concepts
            ),
            entry["whole_lattice"],
        )
        shared = tuple(row["shared"] for row in concepts if "shared" in row)
        worst = {k: v for k, v in entry.items() if k not in ("whole_lattice", "concepts")}
        return cls(lattice, names, worst, shared)


def write(drawings: Sequence[LatticeDrawing], path: Path) -> None:
    """All drawings as one JSON array, a line each."""
    lines = (json.dumps(drawing.entry(), ensure_ascii=False) for drawing in drawings)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")


def read(path: Path, within: Sequence[str] = ()) -> list[LatticeDrawing]:
    """The drawings of a report."""
    try:
        entries = json.loads(read_regular(path, MANIFEST_BYTES, within).decode())
    except (OSError, ValueError, RecursionError) as fault:
        raise ReportError(f"cannot read {path}: {fault}; run again with --force") from None
    wrong = next(SHAPE(entries, "it"), None) or next(_loose_ends(entries), None)
    if wrong is not None:
        raise ReportError(f"{path} is damaged: {wrong}; run again with --force")
    return [LatticeDrawing.of(saved) for saved in entries]


def _loose_ends(entries: list[dict[str, Any]]) -> Iterator[str]:
    """Links to concepts that are not there, and texts that not every concept has."""
    for saved in entries:
        concepts = saved["concepts"]
        if any(above >= len(concepts) for row in concepts for above in row["above"]):
            yield "a set is linked to one that is not there"
        if len({"shared" in row for row in concepts}) > 1:
            yield "some sets have a shared text and others have none"
