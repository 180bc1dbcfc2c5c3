"""What the documents of a cluster share, as text: read again, compared again, and merged.

Consecutive shared shingles become one passage as long as it stands in every document as a whole, so
that a passage is what it says: text that all of them have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from twinset.errors import ReportError
from twinset.model import Features, Ragged
from twinset.report.manifest import image_facts
from twinset.report.spelling import Kind, Spelling, Spelt, spelling_of
from twinset.report.words import number
from twinset.spec import make

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from twinset.report.folder import Results

AT_ONCE = 1 << 12
"""Features whose sketches are made at once: a bound on memory."""
KNOWN = 500
"""Documents that are kept cut up."""


@dataclass(frozen=True, slots=True)
class SharedText:
    """What some documents share: ``passages`` (or words), in the order of the first document.

    They are spelt as in that document, and cover ``covered`` of its ``units`` (each a ``unit``: a
    word, or a character where shingles are of these). ``features`` are the
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
    unit: Literal["word", "character"] = "word"

    def sentence(self) -> str:
        """How much is shared, in words."""
        documents = number(len(self.documents), "document")
        if self.kind == "words":
            return f"{documents} share {number(len(self.passages), 'word')}"
        return (
            f"{documents} share {self.covered:,} of the {number(self.units, self.unit)} of "
            f"{self.documents[0]}, in {number(len(self.passages), 'passage')}"
        )

    def brief(self, most: int = 240) -> str:
        """The longest passage, or the words, as far as there is room."""
        if not self.passages:
            return ""
        text = ", ".join(self.passages) if self.kind == "words" else max(self.passages, key=len)
        text = " ".join(text.split())
        return text if len(text) <= most else f"{text[:most].rpartition(' ')[0] or text[:most]} …"


class SharedReader:
    """Tells for sets of documents of one report what they share."""

    def __init__(self, results: Results) -> None:
        self.spelling: Spelling = spelling_of(results)
        facts = image_facts(results.manifest)
        self.image: Any = make("image", facts["image"]) if facts else None
        self._known: dict[str, Spelt] = {}

    def of(self, texts: dict[str, str]) -> SharedText:
        """What these documents share; ids and texts, at least one."""
        ids = tuple(texts)
        spelt = [self._spelt(id, text) for id, text in texts.items()]
        first = spelt[0]
        shared = np.isin(first.features, _common([one.distinct for one in spelt]))
        features, support = self._image_of(spelt)
        return SharedText(
            ids,
            self.spelling.kind,
            tuple(self._passages(texts[ids[0]], spelt, shared)),
            first.covered(shared),
            len(first.units),
            features,
            support,
            "word" if first.glue else "character",
        )

    def _spelt(self, id: str, text: str) -> Spelt:
        """Sets overlap: a document is cut up once for those that follow each other."""
        if id not in self._known:
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[id] = self.spelling.spell(text)
        return self._known[id]

    def _passages(self, text: str, spelt: list[Spelt], shared: Any) -> Iterator[str]:
        first = spelt[0]
        if self.spelling.kind == "words":
            yield from (first.units[place] for place in np.flatnonzero(shared))
            return
        spans = self.spelling.spans(text, first)
        for begin, end in whole_runs(first, shared, spelt[1:]):
            start, last = int(first.starts[begin]), int(first.starts[end])
            if spans:
                stop = min(last + first.length, len(spans)) - 1
                yield " ".join(text[spans[start][0] : spans[stop][1]].split())
            else:
                yield first.run(start, last)

    def _image_of(self, spelt: list[Spelt]) -> tuple[tuple[str, ...], int | None]:
        if self.image is None:
            return (), None
        chosen, support = image_features(self.image, [one.distinct for one in spelt])
        first = spelt[0]
        places = np.flatnonzero(np.isin(first.features, chosen))
        _, once = np.unique(first.features[places], return_index=True)
        starts = first.starts[np.sort(places[once])]
        return tuple(first.run(start, start) for start in starts), support


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
    alone = np.arange(len(first) + 1, dtype=np.int64)
    if image.shape == "set":
        common = _common(list(Ragged(*image.image(features.values, features.offsets, 1))))
        single, bounds = image.image(first, alone, 1)
        behind = np.repeat(first, np.diff(bounds))
        return behind[np.isin(single, common)], len(common)
    rows = image.sketch(features.values, features.offsets, 1)
    agree = (rows == rows[0]).all(axis=0) if len(first) else np.zeros(image.size, bool)
    # A feature that is least in a place has the same value there when it is alone.
    parts = [
        part[(image.sketch(part, alone[: len(part) + 1], 1)[:, agree] == rows[0, agree]).any(1)]
        for part in np.split(first, range(AT_ONCE, len(first), AT_ONCE))
        if len(part)
    ]
    return np.concatenate([first[:0], *parts]), int(agree.sum())


def whole_runs(
    first: Spelt, shared: NDArray[np.bool_], others: Sequence[Spelt]
) -> Iterator[tuple[int, int]]:
    """Runs of shared features (first and last place) that stand as a whole in all the others."""
    sought = [Sought(other.features) for other in others]
    places = np.flatnonzero(shared)
    apart = np.diff(places) != 1 if _touching(first) else np.ones(max(0, len(places) - 1), bool)
    for run in np.split(places, np.flatnonzero(apart) + 1):
        left = first.features[run]
        while len(left):
            reached = min((other.longest(left) for other in sought), default=len(left))
            begin = int(run[len(run) - len(left)])
            yield begin, begin + reached - 1
            left = left[reached:]


class Sought:
    """The features of a document, to look for runs in."""

    def __init__(self, features: Features) -> None:
        self.features = features
        self.order = np.argsort(features, kind="stable")
        self.sorted = features[self.order]

    def longest(self, run: Features) -> int:
        """How much of the beginning of a run, which is there, stands together somewhere."""
        low, high = (int(np.searchsorted(self.sorted, run[0], side)) for side in ("left", "right"))
        best = 1
        for place in self.order[low:high].tolist():
            best = max(best, _alike(run, self.features[place : place + len(run)]))
            if best == len(run):
                break
        return best


def _alike(one: Features, other: Features) -> int:
    """How many values agree from the beginning on; looked at in steps, for most differ soon."""
    end, at, step = min(len(one), len(other)), 0, 32
    while at < end:
        until = min(at + step, end)
        differ = np.flatnonzero(one[at:until] != other[at:until])
        if len(differ):
            return at + int(differ[0])
        at, step = until, 4 * step
    return end


def _touching(first: Spelt) -> bool:
    """Whether one shingle goes on where the next begins."""
    return len(first.starts) < 2 or first.starts[1] <= first.length


def _common(sets: Sequence[Features]) -> Features:
    """What all of these sorted sets have."""
    common = sets[0]
    for other in sets[1:]:
        common = np.intersect1d(common, other, assume_unique=True)
    return common
