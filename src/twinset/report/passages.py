"""What the documents of a cluster share, as text: read again and cut up as the run did it.

What a passage is stands in ``verify.passages``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from twinset.errors import ReportError
from twinset.lazy_dataclass import dataclass
from twinset.model import FeatureLists, Features, Ragged
from twinset.report.manifest import image_facts
from twinset.report.spelling import Cutter, WordCutter, cutter_of
from twinset.spec import make, without_former_options
from twinset.spec.numerals import counted
from twinset.verify.passages import runs_of
from twinset.verify.shingled_text import ShingledText

if TYPE_CHECKING:
    from twinset.report.results import Results

AT_ONCE = 1 << 12
"""Features whose sketches are made at once: a bound on memory."""
KNOWN = 500
"""Documents that stay cut up."""


Kind = Literal["passages", "words"]


@dataclass(frozen=True, slots=True)
class SharedText:
    """What some documents share: ``passages`` (or words), in the order of the first document.

    They are spelt as in that document, and cover ``covered`` of its ``units`` (each a ``unit``: a
    word, or a character or sentence where shingles are of these). ``features`` are the
    shared values of the image, as text; there are ``support`` of these (a sketch may hold one in
    several places). Both are None and empty where the clusters of the run are made of pairs.
    """

    documents: tuple[str, ...]
    kind: Kind
    passages: tuple[str, ...]
    covered: int
    units: int
    features: tuple[str, ...]
    support: int | None
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
        facts = image_facts(results.manifest)
        self.image: Any = None
        if facts:
            self.image = make("image", without_former_options(facts["image"]))
        self._known: dict[str, ShingledText] = {}

    def of(self, texts: dict[str, str]) -> SharedText:
        """What these documents share; ids and texts, at least one."""
        cut = [self._cut(id, text) for id, text in texts.items()]
        first = cut[0]
        shared = np.isin(first.features, _common([text.distinct for text in cut]))
        features, support = self._image_of(cut)
        by_word = isinstance(self.cutter, WordCutter)
        return SharedText(
            tuple(texts),
            "words" if by_word else "passages",
            _words(first, shared) if by_word else _passages(cut),
            first.covered(shared),
            len(first.units),
            features,
            support,
            "character" if first.unit == "char" else first.unit,
        )

    def _cut(self, id: str, text: str) -> ShingledText:
        """Sets overlap: a document is cut up once for those that follow each other."""
        if id not in self._known:
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[id] = self.cutter.cut(text)
        return self._known[id]

    def _image_of(self, cut: list[ShingledText]) -> tuple[tuple[str, ...], int | None]:
        if self.image is None:
            return (), None
        chosen, support = image_features(self.image, [text.distinct for text in cut])
        first = cut[0]
        places = np.flatnonzero(np.isin(first.features, chosen))
        _, once = np.unique(first.features[places], return_index=True)
        ranges = (first.units_of(place) for place in np.sort(places[once]).tolist())
        return tuple(first.as_compared(*units) for units in ranges), support


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


def image_features(image: Any, sets: Sequence[Features]) -> tuple[Features, int]:
    """The features of the first document behind the image values that all share, and how many."""
    features = Ragged.from_rows(sets, np.uint64)
    first = sets[0]
    if image.shape == "set":
        common = _common(list(image.image(features, 1)))
        single = image.image(_alone(first), 1)
        behind = np.repeat(first, single.lengths)
        return behind[np.isin(single.values, common)], len(common)
    rows = image.sketch(features, 1)
    agree = (rows == rows[0]).all(axis=0) if len(first) else np.zeros(image.size, bool)
    # A feature that is least in a place has the same value there when it is alone.
    parts = [
        part[(image.sketch(_alone(part), 1)[:, agree] == rows[0, agree]).any(1)]
        for part in np.split(first, range(AT_ONCE, len(first), AT_ONCE))
        if len(part)
    ]
    return np.concatenate([first[:0], *parts]), int(agree.sum())


def _alone(features: Features) -> FeatureLists:
    """Each feature as a document of its own."""
    return Ragged(features, np.arange(len(features) + 1, dtype=np.int64))


def _common(sets: Sequence[Features]) -> Features:
    """What all of these sorted sets have."""
    common = sets[0]
    for other in sets[1:]:
        common = np.intersect1d(common, other, assume_unique=True)
    return common
