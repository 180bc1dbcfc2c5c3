"""How often the kind of a pair is right: other papers of a form, versions, parts and layouts.

    python benchmarks/kinds.py [--each N] [--data FOLDER]

Pairs are made from the templates of ``kinds/forms.toml`` and, where the labelled corpora lie beside
the repository, from real texts that are edited, excerpted and wrapped anew. Each is judged by
``twinset.finding.verify.kinds``. Printed are a table of true and judged kinds, and for each
template the papers of other facts that were called versions or copies, which costs a document.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kinds.pairs import Labelled, forms, prose
from twinset.finding.verify.kinds import kind_of
from twinset.model.kinds import KINDS

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CORPORA = ("bills_human", "licenses", "reuters21578")


def pairs(each: int, data: Path) -> Iterator[Labelled]:
    """All pairs, those of real texts where these are at hand."""
    yield from forms(1, each)
    for name in CORPORA:
        if (file := data / name / "docs.jsonl.gz").is_file():
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                texts = [json.loads(line).get("text") or "" for line in lines]
            yield from prose(name, texts, 1, 5 * each)


def main(each: int, data: Path) -> None:
    """Print the tables."""
    judged: dict[tuple[str, str], Counter[str]] = {}
    lost: Counter[str] = Counter()
    papers: Counter[str] = Counter()
    for pair in pairs(each, data):
        kind = kind_of(pair.left, pair.right)
        judged.setdefault((pair.kind, pair.how), Counter())[kind] += 1
        if pair.kind == "same-form":
            papers[pair.group] += 1
            lost[pair.group] += kind not in ("part", "same-form")
    print("| true kind | how the second was made | " + " | ".join(KINDS[1:]) + " |")
    print("|---|---|" + "--:|" * len(KINDS[1:]))
    for (kind, how), counts in sorted(judged.items()):
        print(f"| {kind} | {how} | " + " | ".join(str(counts[k] or "") for k in KINDS[1:]) + " |")
    worst = max(papers, key=lambda group: lost[group] / papers[group])
    print(f"\nPapers of other facts called copies or versions: {lost.total()} of {papers.total()};")
    print(f"worst template: {worst}, {lost[worst]} of {papers[worst]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=12, help="papers of each template")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the labelled corpora")
    arguments = parser.parse_args()
    main(arguments.each, arguments.data)
