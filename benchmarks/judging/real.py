"""Collections of documents that nobody made for a test; they lie beside the repository.

- guide: pages of an installation guide, built for nine architectures in three languages. True: the
  same page in the same language. Pairs that its makers could not decide count neither way.
- licences: licence texts filed by their key. True: the same key, and nothing is ignored: a text
  that differs in one clause is another licence, so different keys with nearly one text are the
  hard case and not an undecided one.
- bills: sections of bills, pairs graded by people from 0 to 4. True: 3 (only names and numbers
  differ) and 4; only graded pairs count.
"""

from __future__ import annotations

from pathlib import Path

from judging.labelled import Collection, read_documents, read_pairs


def guide(data: Path) -> Collection:
    folder = data / "debian_guide_html"
    ids, texts, numbers = _documents(folder)
    return Collection(
        "guide",
        "guide",
        True,
        ids,
        texts,
        truth=read_pairs(folder / "truth.csv", numbers),
        ignored=read_pairs(folder / "dontcare.csv", numbers),
        html=True,
        why="The same page of the guide in the same language, built for another architecture.",
    )


def licences(data: Path) -> Collection:
    folder = data / "licenses"
    ids, texts, numbers = _documents(folder)
    truth = read_pairs(folder / "truth.csv", numbers)
    why = "Texts that the curators of a licence scanner file under one key."
    return Collection("licences", "licences", True, ids, texts, truth, why=why)


def bills(data: Path) -> Collection:
    folder = data / "bills_human"
    ids, texts, numbers = _documents(folder)
    return Collection(
        "bills",
        "bills",
        True,
        ids,
        texts,
        truth=read_pairs(folder / "graded.csv", numbers, lambda row: int(row[2]) >= 3),
        judged=read_pairs(folder / "graded.csv", numbers),
        why="Sections that people graded as identical but for names and numbers, or wholly.",
    )


REAL = {"guide": guide, "licences": licences, "bills": bills}
FOLDERS = {"guide": "debian_guide_html", "licences": "licenses", "bills": "bills_human"}


def _documents(folder: Path) -> tuple[list[str], list[str], dict[str, int]]:
    ids, texts = read_documents(folder / "docs.jsonl.gz")
    return ids, texts, {name: n for n, name in enumerate(ids)}
