"""What a search for reused passages has found, and the folder that it is saved in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset.lazy_dataclass import dataclass
from twinset.model import Documents, Floats, Ints
from twinset.model.columns import column, words
from twinset.passages.aligned import Aligned
from twinset.passages.noting import ReadDocuments
from twinset.passages.options import ReuseOptions
from twinset.passages.report import read_facts, run_facts, write_report
from twinset.passages.reuse_page import headline, reuse_page
from twinset.passages.stretches import united
from twinset.reading import Inputs
from twinset.system.remote import Place


class ReadSide(NamedTuple):
    """The documents of one side, what is known of them, and how many words each has."""

    documents: Documents
    read: ReadDocuments
    words: Ints

    def shorter_than(self, words: int) -> int:
        """How many documents have words, but fewer than so many."""
        return int(np.count_nonzero((self.words > 0) & (self.words < words)))

    def reused(self, document: Ints, word: Ints, past: Ints) -> Ints:
        """How many words of each document lie in any of these stretches."""
        words = self.words.astype(np.int64)
        return united(document, word, past, words).characters(len(words))

    def table(self, side: str, reused: Ints) -> pa.Table:
        """A row for every document."""
        return pa.table(
            {
                "side": pa.array([side] * len(self.read), pa.string()),
                "id": self.read.ids,
                "source": words(self.read.source, self.read.sources),
                "place": column(self.read.places.astype(np.int64)),
                "characters": column(self.read.characters),
                "words": column(self.words.astype(np.int64)),
                "reused": column(reused),
            }
        )

    def described(self) -> dict[str, Any]:
        """What the manifest says of it."""
        options = asdict(self.documents.options) if isinstance(self.documents, Inputs) else {}
        return {"read": options, **read_facts(self.documents, self.read)}


@dataclass(frozen=True)
class ReuseFindings:
    """The result of `reuse`: ``passages``, ``pairs`` and ``documents`` as Arrow tables.

    ``passages`` has a row for every passage: ``left`` and ``right`` (ids), where it stands in both
    (``left_start`` to ``left_end``, ``right_start`` to ``right_end``: characters of the texts as
    they are stored), its ``score`` (edit similarity) and whether it is ``exact``. ``pairs`` has a
    row for every two documents that share one. ``documents`` has a row for every document of both
    sides, with its ``words`` and how many of these are ``reused``. ``manifest`` says the rest.
    """

    passages: pa.Table
    pairs: pa.Table
    documents: pa.Table
    manifest: dict[str, Any]
    rows: Aligned = field(repr=False)
    sides: tuple[ReadSide, ReadSide] = field(repr=False)

    @classmethod
    def of(
        cls,
        both: tuple[ReadSide, ReadSide],
        rows: Aligned,
        options: ReuseOptions,
        dropped: int,
        timings: Mapping[str, float],
        threads: int,
    ) -> ReuseFindings:
        """The tables and the manifest of the passages."""
        left, right = both
        passages = pa.table(
            {
                "left": left.read.ids.take(column(rows.left)),
                "right": right.read.ids.take(column(rows.right)),
                **{
                    name: column(getattr(rows, name))
                    for name in ("left_start", "left_end", "right_start", "right_end", "score")
                },
                "exact": pa.array(rows.exact),
            }
        )
        pairs = pairs_of(rows, left, right)
        reused = (
            left.reused(rows.left, rows.left_word, rows.left_past),
            right.reused(rows.right, rows.right_word, rows.right_past),
        )
        sides = {"left": left.described(), "right": right.described()}
        about = [left.table("left", reused[0]), right.table("right", reused[1])]
        totals = {
            "documents": [len(left.read), len(right.read)],
            "words": [int(left.words.sum()), int(right.words.sum())],
            "short_documents": [side.shorter_than(options.shingle) for side in both],
            "documents_with_passages": [int(np.count_nonzero(words)) for words in reused],
            "reused_words": [int(words.sum()) for words in reused],
            "pairs": pairs.num_rows,
            "passages": len(rows.left),
            "exact": int(rows.exact.sum()),
            "frequent_seeds": dropped,
        }
        manifest = {
            **run_facts(timings, threads),
            "command": "reuse",
            "options": asdict(options),
            "inputs": [*sides["left"]["inputs"], *sides["right"]["inputs"]],
            "sides": sides,
            "totals": totals,
        }
        return cls(passages, pairs, pa.concat_tables(about), manifest, rows, both)

    def save(self, folder: str | Place, force: bool = False, language: str = "en") -> Place:
        """Write the report folder, whole or not at all; ``force`` replaces an older one."""
        left, right = self.sides
        ids, documents = (left.read.ids, right.read.ids), (left.documents, right.documents)
        target, _ = write_report(
            folder,
            force,
            language,
            self.manifest,
            {"reuse": self.passages, "pairs": self.pairs, "documents": self.documents},
            lambda manifest: reuse_page(manifest, self.rows, ids, documents, language),
        )
        return target

    def __repr__(self) -> str:
        return f"<twinset: {headline(self.manifest)}>"


def pairs_of(rows: Aligned, left: ReadSide, right: ReadSide) -> pa.Table:
    """A row for every two documents: containment both ways, and the score of their passages."""
    begins = np.ones(len(rows.left), bool)
    begins[1:] = (np.diff(rows.left) != 0) | (np.diff(rows.right) != 0)
    firsts = np.flatnonzero(begins)
    ours, theirs = rows.left[firsts], rows.right[firsts]
    pair = np.cumsum(begins) - 1

    def summed(values: Ints | Floats) -> Floats:
        return np.bincount(pair, values, minlength=len(firsts)).astype(np.float64)

    on_left, on_right = rows.left_past - rows.left_word, rows.right_past - rows.right_word
    sizes = left.words[ours].astype(np.float64), right.words[theirs].astype(np.float64)
    return pa.table(
        {
            "left": left.read.ids.take(column(ours)),
            "right": right.read.ids.take(column(theirs)),
            "containment_left": column(summed(on_left) / sizes[0]),
            "containment_right": column(summed(on_right) / sizes[1]),
            "passage_score": column(
                summed(rows.score * (on_left + on_right)) / (sizes[0] + sizes[1])
            ),
            "passages": column(summed(np.ones(len(pair))).astype(np.int64)),
        }
    )
