"""A labelled collection, and how well pairs found in it agree with its labels."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterable
from collections.abc import Collection as Several
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

Pair = tuple[int, int]


@dataclass(frozen=True)
class Figures:
    """How many pairs were found, are true, and are both; true ones never compared count too."""

    pairs: int
    true: int
    common: int

    @property
    def precision(self) -> float:
        """The share of found pairs that are true; 1 where none was found."""
        return self.common / self.pairs if self.pairs else 1.0

    @property
    def recall(self) -> float:
        return self.common / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        return 2 * self.common / (self.pairs + self.true) if self.pairs + self.true else 1.0


@dataclass
class Collection:
    """Documents and what a person says of their pairs; pairs are numbers of documents, i < j.

    ``kind`` is what is left out together with the collection where something is learnt from the
    others. ``ignored`` pairs count neither way; where ``judged`` is given, only its pairs count.
    ``why`` is the reasoning behind the labels, in a sentence. ``hard`` are pairs that look alike
    and are no copies: a benchmark of made ones needs as many of them as of true ones.
    """

    name: str
    kind: str
    real: bool
    ids: list[str]
    texts: list[str]
    truth: set[Pair]
    ignored: set[Pair] = field(default_factory=set)
    judged: set[Pair] | None = None
    html: bool = False
    hard: set[Pair] = field(default_factory=set)
    why: str = ""

    def table(self) -> pa.Table:
        return pa.table({"id": self.ids, "text": self.texts})

    def numbers(self, pairs: Iterable[tuple[str, str]]) -> set[Pair]:
        number = self._numbers()
        return {in_order(number[left], number[right]) for left, right in pairs}

    def answer(self, left: str, right: str) -> str:
        """What the owner says of a pair: yes, no, or unsure where the labels do not decide."""
        number = self._numbers()
        pair = in_order(number[left], number[right])
        if pair in self.truth:
            return "yes"
        undecided = pair in self.ignored or (self.judged is not None and pair not in self.judged)
        return "unsure" if undecided else "no"

    def _numbers(self) -> dict[str, int]:
        known: dict[str, int] | None = getattr(self, "_number_of", None)
        if known is None:
            known = {name: n for n, name in enumerate(self.ids)}
            self._number_of = known
        return known


def in_order(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)


def f1(found: Iterable[Pair], collection: Collection) -> Figures:
    """How well the pairs agree with the labels of the collection."""
    counted = set(found) - collection.ignored
    if collection.judged is not None:
        counted &= collection.judged
    return Figures(len(counted), len(collection.truth), len(counted & collection.truth))


def read_pairs(
    path: Path,
    numbers: dict[str, int],
    wanted: Callable[[list[str]], bool] = lambda row: True,
) -> set[Pair]:
    """The pairs of a CSV file whose first two columns are ids, below a line of names."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return {in_order(numbers[row[0]], numbers[row[1]]) for row in rows if wanted(row)}


def read_documents(path: Path) -> tuple[list[str], list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [str(row["id"]) for row in rows], [row["text"] for row in rows]


def save(collection: Collection, folder: Path) -> None:
    """Write a made collection: documents, pairs and facts, in files that name one another."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(folder / "docs.jsonl.gz", "wb", mtime=0) as file:
        for name, text in zip(collection.ids, collection.texts, strict=True):
            row = json.dumps({"id": name, "text": text}, ensure_ascii=False)
            file.write(f"{row}\n".encode())
    for name in ("truth", "ignored", "hard"):
        _write_pairs(folder / f"{name}.csv", getattr(collection, name), collection.ids)
    facts: dict[str, Any] = {
        name: getattr(collection, name) for name in ("name", "kind", "html", "why")
    }
    # Written last: a folder without it is one whose making was interrupted.
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def load(folder: Path) -> Collection:
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    ids, texts = read_documents(folder / "docs.jsonl.gz")
    numbers = {name: n for n, name in enumerate(ids)}
    pairs = {
        name: read_pairs(folder / f"{name}.csv", numbers) for name in ("truth", "ignored", "hard")
    }
    return Collection(real=False, ids=ids, texts=texts, **facts, **pairs)


def _write_pairs(path: Path, pairs: Several[Pair], ids: list[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["left", "right"])
        writer.writerows((ids[left], ids[right]) for left, right in sorted(pairs))
