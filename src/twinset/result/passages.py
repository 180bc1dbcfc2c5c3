"""What the documents of a cluster share, as text: read again and cut up as the run did it.

What a passage is stands in ``verify.passages``.

A run keeps hashes alone; to say what text they stand for, its documents are cut up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from twinset.errors import ReportError
from twinset.finding.methods.decomposition import Decomposition
from twinset.finding.methods.simhash import SimHash
from twinset.finding.verify.passages import runs_of
from twinset.finding.verify.shingled_text import ShingledText, Shingler
from twinset.model import Features
from twinset.plan import Shingling
from twinset.plan.spec import counted, name_of
from twinset.result.manifest import plan_of
from twinset.text.wording import rewriter_of

if TYPE_CHECKING:
    from twinset.result.results import Results


SPELT = ("minhash", "exact", "bottom", "decomposition", "simhash")


def cutter_of(results: Results) -> Shingler:
    """What cuts documents up as the method of a report; raises where its features are no text."""
    plan = plan_of(results.manifest)
    method: Any = plan.method
    rewriter = rewriter_of(plan)
    if isinstance(method, Shingling):
        cutter = Shingler(method.shingle, method.offset, method.unit, rewriter=rewriter)
    elif isinstance(method, Decomposition | SimHash):
        cutter = Shingler(method.shingle, cleaning=method.cleaning(), rewriter=rewriter)
    else:
        name = name_of("method", method)
        raise ReportError(
            f"the features of the method {name} are words, keys or weights, not passages, and "
            f"cannot be turned back into text; this works for {', '.join(SPELT)}"
        )
    if not cutter.knows_places():
        raise ReportError(
            "the run has left words out or written characters anew, so that its shingles are no "
            "passages of the texts: compare all words as they are to see what documents share"
        )
    return cutter


KNOWN = 500
"""Documents that stay cut up."""


@dataclass(frozen=True, slots=True)
class SharedText:
    """What some documents share: ``passages``, in the order of the first document.

    They are spelt as in that document, and cover ``covered`` of its ``units`` (each a ``unit``: a
    word, or a character or sentence where shingles are of these).
    """

    documents: tuple[str, ...]
    passages: tuple[str, ...]
    covered: int
    units: int
    unit: Literal["word", "character", "sentence"] = "word"

    def sentence(self) -> str:
        """How much is shared, in words."""
        return (
            f"{counted(len(self.documents), 'document')} share {self.covered:,} of the "
            f"{counted(self.units, self.unit)} of {self.documents[0]}, in "
            f"{counted(len(self.passages), 'passage')}"
        )

    def brief(self, most: int = 240) -> str:
        """The longest passage as far as there is room."""
        text = " ".join(max(self.passages, key=len, default="").split())
        return text if len(text) <= most else f"{text[:most].rpartition(' ')[0] or text[:most]} …"


class SharedReader:
    """Says for sets of documents of one report what they share."""

    def __init__(self, results: Results) -> None:
        self.cutter = cutter_of(results)
        self._known: dict[str, ShingledText] = {}

    def of(self, texts: dict[str, str]) -> SharedText:
        """What these documents share; ids and texts, at least one."""
        cut = [self._cut(id, text) for id, text in texts.items()]
        first = cut[0]
        shared = np.isin(first.features, _common([text.distinct for text in cut]))
        unit = self.cutter.unit
        return SharedText(
            tuple(texts),
            _passages(cut),
            first.covered(shared),
            first.units,
            "character" if unit == "char" else unit,
        )

    def _cut(self, id: str, text: str) -> ShingledText:
        """Sets overlap: a document is cut up once for those that follow each other."""
        if id not in self._known:
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[id] = self.cutter.cut(text)
        return self._known[id]


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
