"""What the documents of a cluster share, as text: read again and cut up as the run did it.

What a passage is stands in ``verify.passages``.

A run keeps hashes alone; to say what text they stand for, its documents are cut up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from twinset.errors import ReportError
from twinset.finding.candidates.base import Goal
from twinset.finding.methods.decomposition import Decomposition
from twinset.finding.methods.joins import Lexical
from twinset.finding.methods.simhash import SimHash
from twinset.finding.verify.passages import runs_of
from twinset.finding.verify.shingled_text import ShingledText, Shingler
from twinset.model import Features, Ragged
from twinset.plan import Plan, Resources, Shingling
from twinset.plan.spec import counted, name_of
from twinset.result.manifest import plan_of
from twinset.text.statistics import Statistics
from twinset.text.wording import Rewriter, reworded, rewriter_of

if TYPE_CHECKING:
    from twinset.result.results import Results


SPELT = ("minhash", "exact", "bottom", "lexical", "decomposition", "simhash")


@dataclass(frozen=True, slots=True)
class WordCutter:
    """Cuts texts into distinct words, as far as they belong to the lexical image."""

    search: Any
    rewriter: Rewriter | None = None

    def cut(self, text: str) -> ShingledText:
        """The words of the image in order of first appearance."""
        compared = reworded([text], self.rewriter, 1)
        items = self.search.method.cleaning().tokens(compared, 1).distinct().items
        units = [items.text(item) for item in range(len(items.starts))]
        features, _ = self.search.extract(units, 1) if units else _NOTHING
        inside = np.flatnonzero(features.lengths)
        shown = self.rewriter.originals(text) if self.rewriter else {}
        chosen = [shown.get(units[i], units[i]) for i in inside]
        return ShingledText(text, np.arange(len(inside)), features.values, 1, lambda: chosen)


_NOTHING = (Ragged.from_rows([], np.uint64), np.empty(0, np.int64))
Cutter = Shingler | WordCutter


def cutter_of(results: Results) -> Cutter:
    """What cuts documents up as the method of a report; raises where its features are no text."""
    plan = plan_of(results.manifest)
    method: Any = plan.method
    rewriter = rewriter_of(plan)
    if isinstance(method, Lexical):
        if "statistics" not in results.more:
            raise ReportError(
                "the report lacks statistics.parquet, without which the words of its documents "
                "are not known; run again with --force"
            )
        return WordCutter(_lexical(plan, results.more["statistics"]), rewriter)
    if isinstance(method, Shingling):
        return Shingler(method.shingle, method.offset, method.unit, rewriter=rewriter)
    if isinstance(method, Decomposition | SimHash):
        return Shingler(method.shingle, cleaning=method.cleaning(), rewriter=rewriter)
    name = name_of("method", method)
    raise ReportError(
        f"the features of the method {name} are keys or weights, not passages, and cannot be "
        f"turned back into text; this works for {', '.join(SPELT)}"
    )


def _lexical(plan: Plan, statistics: Any) -> Any:
    goal = Goal(plan.measure, plan.threshold, plan.recall, 1)
    try:
        known = Statistics.of_table(statistics)
    except (KeyError, ValueError) as fault:
        raise ReportError(
            f"statistics.parquet of the report is damaged: it does not tell {fault}; "
            "run again with --force"
        ) from None
    return plan.method.search(goal, Resources.make(threads=1), known)


KNOWN = 500
"""Documents that stay cut up."""


Kind = Literal["passages", "words"]


@dataclass(frozen=True, slots=True)
class SharedText:
    """What some documents share: ``passages`` (or words), in the order of the first document.

    They are spelt as in that document, and cover ``covered`` of its ``units`` (each a ``unit``: a
    word, or a character or sentence where shingles are of these).
    """

    documents: tuple[str, ...]
    kind: Kind
    passages: tuple[str, ...]
    covered: int
    units: int
    unit: Literal["word", "character", "sentence"] = "word"

    def sentence(self) -> str:
        """How much is shared, in words."""
        documents = counted(len(self.documents), "document")
        if self.kind == "words":
            return f"{documents} share {counted(len(self.passages), 'word')}"
        return (
            f"{documents} share {self.covered:,} of the {counted(self.units, self.unit)} of "
            f"{self.documents[0]}, in {counted(len(self.passages), 'passage')}"
        )

    def brief(self, most: int = 240) -> str:
        """The longest passage, or the words, as far as there is room."""
        if not self.passages:
            return ""
        text = ", ".join(self.passages) if self.kind == "words" else max(self.passages, key=len)
        text = " ".join(text.split())
        return text if len(text) <= most else f"{text[:most].rpartition(' ')[0] or text[:most]} …"


class SharedReader:
    """Says for sets of documents of one report what they share."""

    def __init__(self, results: Results) -> None:
        self.cutter: Cutter = cutter_of(results)
        self._known: dict[str, ShingledText] = {}

    def of(self, texts: dict[str, str]) -> SharedText:
        """What these documents share; ids and texts, at least one."""
        cut = [self._cut(id, text) for id, text in texts.items()]
        first = cut[0]
        shared = np.isin(first.features, _common([text.distinct for text in cut]))
        by_word = isinstance(self.cutter, WordCutter)
        return SharedText(
            tuple(texts),
            "words" if by_word else "passages",
            _words(first, shared) if by_word else _passages(cut),
            first.covered(shared),
            len(first.units),
            "character" if first.unit == "char" else first.unit,
        )

    def _cut(self, id: str, text: str) -> ShingledText:
        """Sets overlap: a document is cut up once for those that follow each other."""
        if id not in self._known:
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[id] = self.cutter.cut(text)
        return self._known[id]


def _words(first: ShingledText, shared: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(first.units[place] for place in np.flatnonzero(shared))


def _passages(cut: list[ShingledText]) -> tuple[str, ...]:
    """The shared passages as they are spelt in the first document."""
    ranges = (cut[0].units_of(run.places[0], run.size) for run in runs_of(cut))
    return tuple(cut[0].spelling(begin, end) for begin, end in ranges)


def shared_text(results: Results, ids: Sequence[str]) -> SharedText:
    """What these documents of a run or report share, read again from where they came from."""
    reader = SharedReader(results)
    texts = results.texts(ids)
    if missing := [id for id in ids if id not in texts]:
        raise ReportError(
            f"the text of '{missing[0]}' cannot be read again: its source is gone or has changed"
        )
    return reader.of({id: texts[id] for id in ids})


def _common(sets: Sequence[Features]) -> Features:
    """What all of these sorted sets have."""
    common = sets[0]
    for other in sets[1:]:
        common = np.intersect1d(common, other, assume_unique=True)
    return common
