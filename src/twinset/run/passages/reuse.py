"""Reuse: which passages of one set of documents stand in another, as they are or edited.

Seed and extend, as in BLAST: S. F. Altschul, W. Gish, W. Miller, E. W. Myers, D. J. Lipman: Basic
local alignment search tool. Journal of Molecular Biology 215, 1990. Seeds are runs of equal words,
which stand in both; those near each other are chained (`aligned`).

The smaller side is held in memory with an index of its runs, the larger one is read batch by batch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.finding.verify.side_by_side import side_by_side
from twinset.model import Batch, Documents, Features, Floats, Ints
from twinset.model.columns import column
from twinset.pages.language import number, percent, speaker
from twinset.plan import Resources
from twinset.reading import Inputs
from twinset.result.pair_rows import line
from twinset.result.result import Result
from twinset.run.columns import NumberColumn, give_back_memory
from twinset.run.passages.aligned import Aligned, Data, Words, align
from twinset.run.passages.options import ReuseOptions
from twinset.run.passages.report import read_facts, run_facts, texts_of
from twinset.run.passages.searching import ReadDocuments, ReadingLog, united
from twinset.run.progress import Clock, Progress, Silent
from twinset.run.streaming import watched
from twinset.system.threads import in_order
from twinset.text.arrow import Texts, arrow_text

Done = TypeVar("Done")
MOST_WORDS = 3_000_000_000
"""Words of the indexed side: the index numbers them in 32 bits."""
PASSAGES_SHOWN = 50
LONGEST = 3000
"""Characters of a passage on the page."""


def reuse_said(manifest: Mapping[str, Any], language: str = "en") -> list[str]:
    """What was found, how much of each side is reused, and what was left out."""
    say, totals, options = speaker(language, "reuse"), manifest["totals"], manifest["options"]
    sentences = [say("none", least=say("least", n=options["least"]))]
    if totals["passages"]:
        passages, pairs = say("passages", n=totals["passages"]), say("pairs", n=totals["pairs"])
        sentences = [say("found", passages=passages, pairs=pairs)]
        for side, name in enumerate(("left", "right")):
            share = totals["reused_words"][side] / max(totals["words"][side], 1)
            sentences.append(
                say(
                    f"covered_{name}",
                    share=percent(language, share),
                    n=totals["documents_with_passages"][side],
                    documents=number(language, totals["documents"][side]),
                )
            )
    if short := sum(totals["short_documents"]):
        sentences.append(say("short", n=short, shingle=number(language, options["shingle"])))
    if dropped := totals["frequent_seeds"]:
        frequent = number(language, options["frequent"])
        sentences.append(say("dropped", n=dropped, frequent=frequent))
    return sentences


def _largest_passages(rows: Aligned) -> Aligned:
    """The longest passages."""
    characters = rows.left_end - rows.left_start + rows.right_end - rows.right_start
    return rows.taken(np.argsort(-characters * rows.score, kind="stable")[:PASSAGES_SHOWN])


def shown_passages(
    rows: Aligned, documents: Sequence[Documents], ids: Sequence[pa.Array]
) -> list[dict[str, Any]]:
    """Passages with their texts side by side, for the page; documents are read again for these."""
    left, right = (
        texts_of(side, np.unique(numbers))
        for side, numbers in zip(documents, (rows.left, rows.right), strict=True)
    )
    shown = []
    for row in range(len(rows.left)):
        here, there = int(rows.left[row]), int(rows.right[row])
        places = (
            (int(rows.left_start[row]), int(rows.left_end[row])),
            (int(rows.right_start[row]), int(rows.right_end[row])),
        )
        side = side_by_side(
            left.get(here, "")[slice(*places[0])][:LONGEST],
            right.get(there, "")[slice(*places[1])][:LONGEST],
        )
        shown.append(
            {
                "left": ids[0][here].as_py(),
                "right": ids[1][there].as_py(),
                "places": places,
                "words": int(rows.left_past[row] - rows.left_word[row]),
                "score": float(rows.score[row]),
                "exact": bool(rows.exact[row]),
                "side": side,
                "lines": [line(side, at) for at in range(len(side.rows))],
                "is_cut": max(end - start for start, end in places) > LONGEST,
            }
        )
    return shown


class ReadSide(NamedTuple):
    """The documents of one side, their ids and places, and the number of words of each."""

    documents: Documents
    read: ReadDocuments
    words: Ints

    def shorter_than(self, words: int) -> int:
        """The number of documents with words, but fewer than this."""
        return int(np.count_nonzero((self.words > 0) & (self.words < words)))

    def reused(self, document: Ints, word: Ints, past: Ints) -> Ints:
        """The number of words of each document that lie in any of these stretches."""
        words = self.words.astype(np.int64)
        return united(document, word, past, words).characters(len(words))

    def table(self, side: str, reused: Ints) -> pa.Table:
        """A row for every document."""
        sides = pa.array([side] * len(self.read), pa.string())
        counts = {"words": column(self.words.astype(np.int64)), "reused": column(reused)}
        return pa.table({"side": sides, **self.read.placed(), **counts})

    def described(self) -> dict[str, Any]:
        """The entry of the manifest."""
        options = asdict(self.documents.options) if isinstance(self.documents, Inputs) else {}
        return {"read": options, **read_facts(self.documents, self.read)}


@dataclass(frozen=True, repr=False)
class ReuseFindings(Result):
    """The result of `reuse`: ``passages``, ``pairs`` and ``documents`` as Arrow tables.

    ``passages`` has a row for every passage: ``left`` and ``right`` (ids), where it stands in both
    (``left_start`` to ``left_end``, ``right_start`` to ``right_end``: characters of the texts as
    they are stored), its ``score`` (edit similarity) and whether it is ``exact``. ``pairs`` has a
    row for every two documents that share one. ``documents`` has a row for every document of both
    sides, with its ``words`` and how many of these are ``reused``. ``manifest`` says the rest.
    """

    TEMPLATE = "paper/reuse.html"
    passages: pa.Table
    pairs: pa.Table
    documents: pa.Table
    manifest: dict[str, Any]
    rows: Aligned
    sides: tuple[ReadSide, ReadSide]

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

    @property
    def tables(self) -> dict[str, pa.Table]:
        return {"reuse": self.passages, "pairs": self.pairs, "documents": self.documents}

    def said(self, language: str = "en") -> list[str]:
        return reuse_said(self.manifest, language)

    def values(self, language: str, part: bool) -> dict[str, Any]:
        """The largest passages; documents are read again for their texts."""
        sides = self.manifest["sides"].values()
        documents, ids = zip(*((s.documents, s.read.ids) for s in self.sides), strict=True)
        return {
            "passages": shown_passages(_largest_passages(self.rows), documents, ids),
            "more": len(self.rows.left) > PASSAGES_SHOWN,
            "sides": [[str(entry["source"]) for entry in side["inputs"]] for side in sides],
        }


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


def find_reuse(
    left: Documents,
    right: Documents,
    options: ReuseOptions,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> ReuseFindings:
    """The passages of two sides; the same whatever the threads and the memory."""
    search = ReuseSearch(options, resources or Resources.make(), progress or Silent())
    turned = _size(right) < _size(left)
    small, large = (right, left) if turned else (left, right)
    search.index(small)
    search.stream(large)
    sides, rows = search.sides(small, large), search.rows
    if turned:
        sides, rows = sides[::-1], rows.turned()
    return ReuseFindings.of(
        sides,
        rows.ordered(),
        options,
        search.dropped,
        search.clock.seconds,
        search.resources.threads,
    )


def _size(documents: Documents) -> int:
    """The total of bytes where it is known, as of files; else those of all texts."""
    if documents.total_bytes:
        return documents.total_bytes
    return sum(batch.texts.nbytes for batch in copy.copy(documents).batches())


@dataclass
class _Side:
    """Collects the documents of one side and their words."""

    notes: ReadingLog = field(default_factory=ReadingLog)
    words: NumberColumn = field(default_factory=NumberColumn)

    def take(self, batch: Batch, words: Words) -> None:
        self.notes.take(batch)
        if len(batch):
            self.words.append(words.lengths)

    def finish(self, documents: Documents, threads: int) -> ReadSide:
        return ReadSide(documents, self.notes.read(threads), self.words.finish())


class ReuseSearch:
    """An index of one side, and the passages that the other shares with it."""

    def __init__(self, options: ReuseOptions, resources: Resources, progress: Progress) -> None:
        self.options, self.resources, self.progress = options, resources, progress
        self.clock = Clock()
        self._indexed, self._streamed = _Side(), _Side()
        self._texts: list[Data] = []
        self.rows = Aligned.joined([])
        self.dropped = 0

    def index(self, documents: Documents) -> None:
        """Read the side that stays in memory, and index its runs of words."""
        parts, count = [], 0
        for batch, worded in self._in_threads(self._worded, documents, "reading"):
            self._indexed.take(batch, worded)
            count += len(worded.hashes)
            if count > MOST_WORDS:
                raise TwinsetError(
                    f"the smaller side has more than {MOST_WORDS:,} words, which one index cannot "
                    "hold: give it in parts, a run for each"
                )
            if len(batch):
                rows = np.arange(len(batch))
                self._texts.append(arrow_text(self.placeable(batch.texts, rows)))
                parts.append(worded)
        self._words = Words.joined(parts)
        del parts
        self._indexes = self.indexes(self._words)
        give_back_memory()
        self.clock.lap("read and index")

    def stream(self, documents: Documents) -> None:
        """Compare the other side; it is read twice if some runs of words are frequent."""
        if any(index.needs_count for index, _ in self._indexes):
            for _ in self._in_threads(self._counted, documents, "counting frequent words"):
                pass
            self.clock.lap("count")
        self.dropped = sum(index.dropped for index, _ in self._indexes)
        parts, before = [], 0
        for batch, worded, rows in self._in_threads(self._compared, documents, "comparing"):
            self._streamed.take(batch, worded)
            parts.append(rows._replace(right=rows.right + before))
            before += len(batch)
        self.rows = self._indexed_placed(Aligned.joined(parts))
        self.clock.lap("compare")

    def sides(self, indexed: Documents, streamed: Documents) -> tuple[ReadSide, ReadSide]:
        """Both sides, the indexed one first."""
        threads = self.resources.threads
        return self._indexed.finish(indexed, threads), self._streamed.finish(streamed, threads)

    def indexes(self, words: Words) -> list[tuple[_kernels.ReuseIndex, ReuseOptions]]:
        """The indexes of the side in memory, each with the options that it is searched by."""
        return [(self.index_of(words.hashes, words.offsets, self.options), self.options)]

    def index_of(
        self, hashes: Features, offsets: Ints, options: ReuseOptions
    ) -> _kernels.ReuseIndex:
        """An index of the runs of these words."""
        threads = self.resources.threads
        return _kernels.ReuseIndex(hashes, offsets, options.shingle, options.frequent, threads)

    def words_of(self, texts: Texts) -> Words:
        """The words of some texts as they are compared."""
        return Words.of(texts, 1)

    def placeable(self, texts: Texts, documents: Ints) -> Texts:
        """The texts with the words that are compared, those of these documents at their places."""
        return texts

    def wanted(self, rows: Aligned) -> Aligned:
        """Those of the passages that are kept."""
        return rows

    def _worded(self, batch: Batch) -> tuple[Batch, Words]:
        return batch, self.words_of(batch.texts)

    def _counted(self, batch: Batch) -> None:
        words = self.words_of(batch.texts)
        for index, _ in self._indexes:
            index.count(words.hashes, words.offsets)

    def _compared(self, batch: Batch) -> tuple[Batch, Words, Aligned]:
        words = self.words_of(batch.texts)
        found = (align(index, self._words, words, options) for index, options in self._indexes)
        rows = self.wanted(Aligned.joined(found))
        if len(rows.right):
            texts = self.placeable(batch.texts, rows.right)
            rows = rows.turned().left_placed(arrow_text(texts)).turned()
        return batch, words, rows

    def _indexed_placed(self, rows: Aligned) -> Aligned:
        """The rows with their places in characters of the indexed documents."""
        rows = rows.ordered()
        bounds = np.cumsum([0, *(len(offsets) - 1 for _, offsets in self._texts)])
        cuts = np.searchsorted(rows.left, bounds)
        parts = (
            rows.taken(slice(begin, end)).left_placed(data, first)
            for data, first, begin, end in zip(
                self._texts, bounds[:-1].tolist(), cuts[:-1], cuts[1:], strict=True
            )
            if begin < end
        )
        return Aligned.joined(parts)

    def _in_threads(
        self, work: Callable[[Batch], Done], documents: Documents, stage: str
    ) -> Iterator[Done]:
        batches = watched(documents, stage, self.progress, self.resources.threads)
        flag = _kernels.StopFlag()
        with closing(in_order(work, batches, self.resources.threads, flag=flag)) as results:
            yield from results
