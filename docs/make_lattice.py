"""Draws the lattice of one real cluster for the page on closed sets.

``python docs/make_lattice.py`` searches the licences in ``examples/collection``; other options draw
the component of another document.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import twinset
from twinset.clusters.closed import Closed
from twinset.clusters.lattice import component_lattice
from twinset.clusters.lattice_svg import svg
from twinset.clusters.mine.fimi import read_fimi

ROOT = Path(__file__).resolve().parent.parent


def picture(documents: Path, document: str, k: int, shingle: int = 5) -> str:
    """The lattice of the component that holds the document, from the report's inverted table."""
    found = twinset.find(
        documents, clusters="closed", k=k, image="bottom:size=100", shingle=shingle
    )
    with tempfile.TemporaryDirectory() as folder:
        table = read_fimi(found.save(Path(folder) / "report") / "shingles.txt.out")
    ids = found.documents["id"].to_pylist()
    names = [ids[number] for number in table.labels]
    sets = Closed(k=k).find(table.context)
    component = int(sets.component_of[names.index(document)])
    return svg(component_lattice(table.context, sets, component), names)


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
