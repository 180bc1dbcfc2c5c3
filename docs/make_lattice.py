"""Draws the lattice of one real component for the page on closed sets.

``python docs/make_lattice.py`` searches the licences in ``examples/collection``; other options draw
the component of another document.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import twinset
from twinset.finding.clusters.lattice import component_lattice
from twinset.pages.engine import style
from twinset.result.lattices import draw_lattice
from twinset.result.passages import SharedReader

ROOT = Path(__file__).resolve().parent.parent


def picture(documents: Path, document: str, k: int, shingle: int = 5) -> str:
    """The lattice of the component that holds the document, with what its sets share."""
    found = twinset.find(
        documents, clusters="closed", k=k, image="bottom:size=100", shingle=shingle
    )
    closed = found.image_clusters
    names = found.documents["id"].to_pylist()
    component = int(closed.sets.component_of[names.index(document)])
    lattice = component_lattice(closed.context, closed.sets, component)
    sets = [[names[number] for number in concept.documents] for concept in lattice.concepts]
    reader, texts = SharedReader(found), found.texts([names[n] for n in lattice.documents()])
    shared = [reader.of({id: texts[id] for id in ids}).brief() for ids in sets]
    return draw_lattice(lattice, names, shared, style=style())


def main() -> None:
    """Draw and tell where the picture is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--input", type=Path, default=ROOT / "examples" / "collection" / "licenses.jsonl")
    add("--document", default="L:sunsoft", help="id of a document in the component")
    add("--k", type=int, default=85)
    add("-o", "--out", type=Path, default=ROOT / "docs" / "pictures" / "lattice.svg")
    asked = parser.parse_args()
    drawn = picture(asked.input, asked.document, asked.k)
    asked.out.write_text(drawn, encoding="utf-8", newline="\n")
    print(asked.out)


if __name__ == "__main__":
    main()
