"""Two documents side by side: their words, what they are to each other and what signals say."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING, Any

from twinset.lazy_dataclass import dataclass
from twinset.pages.engine import page
from twinset.pages.language import number, speaker
from twinset.pages.shown import brief, on_one_line
from twinset.report.listed import listed_pair
from twinset.report.pair_rows import Fold, Line, Part, line, outline, unfolded
from twinset.report.pair_signals import MOST_CHARACTERS, PairSignals
from twinset.report.pair_words import (
    difference_facts,
    difference_in_words,
    kind_in_words,
    marked_words,
)
from twinset.report.texts import both_texts, ensure_texts
from twinset.verify.changes import changes
from twinset.verify.diff import DiffRun, TextDiff, text_diff
from twinset.verify.kinds import kind_of
from twinset.verify.side_by_side import SideBySide, lay_out
from twinset.verify.valued_text import ValuedText

if TYPE_CHECKING:
    from twinset.report.results import Results

ITEMS = 120
"""Rows and folds that are shown."""
FOLDED = 12
"""Rows of a fold that can be opened; a longer one is only counted."""
CHARACTERS = 4_000
"""Of one part: a document may be a single word."""
RUNS, WORDS = 200, 60
"""Runs of a diff and words of a run that a terminal is shown."""


@dataclass(frozen=True)
class PairView:
    """Two documents compared word by word; ``kind`` says what they are to each other.

    ``score`` is None where they are not a listed pair; ``in_words`` is what signals say. Of very
    long texts there are neither ``kind``, ``changes`` nor signals.
    """

    left: str
    right: str
    score: float | None
    kind: str | None
    changes: tuple[tuple[str, str], ...]
    in_words: tuple[str, ...]
    diff: TextDiff = field(repr=False)
    language: str = "en"

    @classmethod
    def of(cls, results: Results, left: str, right: str, language: str) -> PairView:
        """Reads both texts again; raises where one cannot be had."""
        ensure_texts(results.manifest)
        row, pair = listed_pair(results, left, right), both_texts(results, left, right)
        kind: str | None = (row or {}).get("kind")
        phrases: tuple[tuple[str, str], ...] = ()
        if sum(map(len, pair)) <= MOST_CHARACTERS:
            before, after = map(ValuedText, pair)
            kind, phrases = kind or kind_of(before, after), changes(before, after)
        return cls(
            left,
            right,
            None if row is None else float(row["score"]),
            kind,
            phrases,
            tuple(PairSignals(results).quickly_in_words((left, right), pair, language)),
            text_diff(*pair),
            language,
        )

    def _repr_html_(self) -> str:
        side = lay_out(self.diff)
        items = outline(side)
        sides = zip(("left", "right"), (self.left, self.right), side.words, strict=True)
        return page(
            "notebook/pair.html",
            self.language,
            facts=[self._scored, *difference_facts(side, self.language)],
            kind=self._kind,
            said=self.in_words,
            sides=list(sides),
            items=[_item(side, item) for item in items[:ITEMS]],
            left_out=len(items[ITEMS:]),
        )

    def __repr__(self) -> str:
        runs = self.diff.runs()
        words = islice(_shortened(runs), RUNS)
        text = " ".join(on_one_line(piece) for _, piece in marked_words(words, self.language))
        return "\n".join(
            [
                f"[-{on_one_line(brief(self.left))}-] {{+{on_one_line(brief(self.right))}+}}",
                f"{self._scored[:1].upper()}{self._scored[1:]}.",
                *([on_one_line(self._kind)] if self._kind else []),
                difference_in_words(lay_out(self.diff), self.language),
                *(f"- {on_one_line(sentence)}" for sentence in self.in_words),
                "",
                f"{text} …" if len(runs) > RUNS else text,
            ]
        )

    @property
    def _kind(self) -> str:
        if self.kind is None:
            return ""
        return kind_in_words(self.kind, self.changes, self.language)

    @property
    def _scored(self) -> str:
        say = speaker(self.language, "pair")
        if self.score is None:
            return say("unlisted")
        return say("score", s=number(self.language, self.score, 3))


def _item(side: SideBySide, item: int | Fold) -> Line | dict[str, Any]:
    """A row, or how many are folded, with these rows where they are few."""
    if isinstance(item, int):
        return _cut(line(side, item))
    count = item.last - item.first
    lines = unfolded(side, item.first, item.last) if count <= FOLDED else ()
    return {"count": count, "lines": [_cut(row) for row in lines]}


def _cut(row: Line) -> Line:
    left, right = (tuple(map(_short, parts)) for parts in (row.left, row.right))
    return dataclasses.replace(row, left=left, right=right)


def _short(part: Part) -> Part:
    if len(part.text) <= CHARACTERS:
        return part
    return dataclasses.replace(part, text=f"{part.text[:CHARACTERS]}…")


def _shortened(runs: Sequence[DiffRun]) -> Iterator[DiffRun]:
    """The runs without the rest of long ones, in which both texts differ."""
    for run in runs:
        is_long = run.change != "same" and len(run.words) > WORDS
        words = (*run.words[:WORDS], "…") if is_long else run.words
        yield DiffRun(run.change, tuple(word[:CHARACTERS] for word in words))
