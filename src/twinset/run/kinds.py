"""What the documents of pairs are to each other, for the pairs of a run.

A temporary file keeps the texts while the documents are read; those of pairs are read again. Equal
files and equal texts are decided by their digests, and papers of one form by their values. Other
pairs are compared word by word, the most similar first and `MOST` at most, which bounds the time.
A pair of versions is compared again without the lines that many of these texts share.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.verify.common_lines import CommonLines, Shares, rests_decide
from twinset.finding.verify.differing import changes
from twinset.finding.verify.kinds import (
    COMMON,
    REST_COMMON,
    JudgedPair,
    has_other_words,
    judged_pairs,
    kind_of,
    surely_form,
)
from twinset.finding.verify.texts import TextStore
from twinset.finding.verify.valued_text import ValuedText, ValueSets
from twinset.model import Batch, Clusters, Floats, Ints
from twinset.model.flow import KINDS, LEFT_OUT, NOT_ASKED, Codes
from twinset.plan import Kinds, Resources
from twinset.run.documents import Collected, Preference
from twinset.run.progress import Progress
from twinset.system.processes import Workers
from twinset.system.threads import in_order
from twinset.text.arrow import arrow_text

MOST = 200_000
"""Pairs that are compared word by word."""
WORDS_AT_HAND = 400_000
"""Words of the texts that are kept cut into words, where memory allows."""
WORD_BYTES, VALUE_BYTES = 400, 100
"""Memory of a word in a text that is cut into words, and of a value in a set: estimates."""
LEAST_BYTES = 5
"""Of a word with the blank behind it: bounds the words of a text from its bytes."""
MOST_CHANGES = 5_000
"""Pairs whose differences are put into words."""
REPORTED = 500
"""Pairs between two reports of progress."""
PIECE_PAIRS, PIECE_BYTES = 32, 1 << 17
"""Pairs, and bytes of their texts, that a process is given at a time."""
QUICK = 8
"""How many times as soon a byte is compared as other work is done that processes are started for:
a process takes half a second before it knows the words of a language. 5,000 files with 1,300 pairs
of 1,000 words took 6.6 seconds of CPU time with two processes and 4.4 without."""
SETS_AT_HAND = 50_000
"""Texts whose values are kept, where memory allows."""


class KindTexts:
    """Keeps the texts of documents that kinds are asked for while all are read."""

    def __init__(self, kinds: Kinds, resources: Resources, by_meaning: bool = False) -> None:
        self._kinds, self._room = kinds, resources.room // 4
        self._by_meaning = by_meaning
        self._processes = resources.processes
        self.store = TextStore(resources.folder, "raw", counted=False)
        self.digests: list[NDArray[np.uint64]] = []
        self.asked: list[NDArray[np.bool_]] = []

    def asked_of(self, batch: Batch) -> bool:
        """Whether kinds are asked for among the documents of a batch: of files, or of all."""
        return self._kinds == "yes" or batch.files is not None

    def add(self, texts: pa.Array | None, documents: int, threads: int) -> None:
        """Keep the texts of a batch; None where no kinds are asked for among its documents."""
        if texts is None:
            self.store.skip(documents)
            self.digests.append(np.zeros(documents, np.uint64))
        else:
            self.store.add(texts, threads)
            self.digests.append(_kernels.text_digests(*arrow_text(texts), threads))
        self.asked.append(np.full(documents, texts is not None))

    def finish(self, collected: Collected, progress: Progress) -> PairKinds | None:
        """The kinds of pairs once all documents are read; None where none are asked for."""
        asked = np.concatenate([np.empty(0, bool), *self.asked])
        if not asked.any():
            return None
        self.store.finish()
        digests = np.concatenate([np.empty(0, np.uint64), *self.digests])
        kinds = PairKinds(
            self.store, digests, asked, collected.contents, progress, self._room, self._processes
        )
        kinds.by_meaning = self._by_meaning
        return kinds


class PairKinds:
    """Decides the kind of each pair of texts once, however many documents have these texts.

    Where pairs were found ``by_meaning``, those that have little else in common are of that kind.
    """

    by_meaning = False

    def __init__(
        self,
        store: TextStore,
        digests: NDArray[np.uint64],
        asked: NDArray[np.bool_],
        contents: Ints,
        progress: Progress,
        room: int,
        processes: int = 1,
    ) -> None:
        self._asked, self._contents, self._progress = asked, contents, progress
        _, first, self._text = np.unique(digests, return_index=True, return_inverse=True)
        self._texts, self._processes = _CutTexts(store, first, room), processes
        self._rests: _CutTexts | None = None
        self._bytes = store.characters[first]
        self._most_bytes = room // processes // WORD_BYTES * LEAST_BYTES
        self._has_words = store.characters > 0
        self._known: dict[int, int] = {}
        self._compared = 0

    def of(self, left: Ints, right: Ints, score: Floats) -> Codes:
        """The codes of these pairs; the most similar are compared first."""
        codes = np.full(len(left), NOT_ASKED, np.int8)
        asked = self._asked[left] & self._asked[right]
        ours, theirs = self._text[left], self._text[right]
        readable = asked & self._has_words[left] & self._has_words[right]
        codes[readable & (ours == theirs)] = KINDS.index("equal-words")
        rows = np.flatnonzero(readable & (ours != theirs))
        low, high = np.minimum(ours, theirs)[rows], np.maximum(ours, theirs)[rows]
        keys = low.astype(np.int64) * len(self._text) + high
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        best = np.full(len(distinct), -np.inf)
        np.maximum.at(best, inverse, score[rows])
        self._decide(distinct, low[first], high[first], best)
        found = np.array([self._known[key] for key in distinct.tolist()], np.int8)
        codes[rows] = found[inverse]
        codes[self._contents[left] == self._contents[right]] = KINDS.index("equal-bytes")
        return codes

    def changes(self, before: Ints, after: Ints) -> list[str]:
        """Phrases on what differs, for the first `MOST_CHANGES` pairs; the others get none."""
        pairs = list(zip(before.tolist(), after.tolist(), strict=True))
        cut = self._texts.cut
        told = [
            changes(cut(int(self._text[left])), cut(int(self._text[right])))
            for left, right in pairs[:MOST_CHANGES]
        ]
        lines = ["; ".join(f"{old} → {new}".strip() for old, new in phrases) for phrases in told]
        return lines + [""] * (len(pairs) - len(lines))

    def _decide(self, keys: Ints, left: Ints, right: Ints, best: Floats) -> None:
        new = [row for row, key in enumerate(keys.tolist()) if key not in self._known]
        room = MOST - self._compared
        if len(new) > room:  # else in the given order, in which pairs of one text follow each other
            new.sort(key=lambda row: -best[row])
        if len(new) > REPORTED:
            self._progress.stage("comparing pairs", len(new))
        pairs = [(int(left[row]), int(right[row])) for row in new]
        with closing(self._judged(pairs, self._texts)) as judged:
            for number, (row, pair) in enumerate(zip(new, judged, strict=True), 1):
                if number % REPORTED == 0:
                    self._progress.advance(REPORTED)
                self._known[int(keys[row])] = self._code(pair)
                if self.by_meaning and pair.kind == "same-form":
                    texts = map(self._texts.cut, pairs[number - 1])
                    if has_other_words(*texts):
                        self._known[int(keys[row])] = KINDS.index("same-meaning")
        self._look_again(
            {
                int(keys[row]): pair
                for row, pair in zip(new, pairs, strict=True)
                if self._known[int(keys[row])] == KINDS.index("revision")
            }
        )

    def _look_again(self, versions: dict[int, tuple[int, int]]) -> None:
        """Change versions to papers of one form where they share little but common lines."""
        if self._rests is None:  # the common lines of the first pairs serve later calls, too
            texts = sorted({text for pair in versions.values() for text in pair})
            self._rests = self._texts.without(CommonLines(self._texts.text, texts))
        rests = self._rests
        again = {key: pair for key, pair in versions.items() if rests.decide(*pair)}
        if len(again) > REPORTED:
            self._progress.stage("comparing versions", len(again))
        with closing(self._judged(list(again.values()), rests)) as judged:
            for number, (key, pair) in enumerate(zip(again, judged, strict=True), 1):
                if number % REPORTED == 0:
                    self._progress.advance(REPORTED)
                if pair.kind == "same-form":
                    self._known[key] = KINDS.index("same-form")

    def _code(self, pair: JudgedPair) -> int:
        """The code of the next pair; `LEFT_OUT` behind the bound of `MOST`."""
        if not pair.at_sight:
            if self._compared >= MOST or pair.kind is None:
                return LEFT_OUT
            self._compared += 1
        assert pair.kind is not None
        return KINDS.index(pair.kind)

    def _judged(
        self, pairs: Sequence[tuple[int, int]], texts: _CutTexts
    ) -> Generator[JudgedPair, None, None]:
        """All pairs in order, by other processes where that pays: comparing holds Python's lock."""
        workers = Workers(self._processes)
        if not workers.pays(int(self._bytes[np.array(pairs, np.int64)].sum()) // QUICK):
            yield from (self._judged_here(pair, texts) for pair in pairs)
            return

        def answer(piece: Sequence[tuple[int, int]]) -> Sequence[JudgedPair] | None:
            numbers = sorted({text for pair in piece for text in pair})
            if self._bytes[numbers].sum() > self._most_bytes:
                return None
            place = {text: at for at, text in enumerate(numbers)}
            call = (
                [texts.text(text) for text in numbers],
                [(place[left], place[right]) for left, right in piece],
                self._compared >= MOST,
                texts.common,
            )
            return workers.results(judged_pairs, [call])[0]

        threads = workers.most + 2  # which wait for processes: no process waits for a thread
        with closing(workers), closing(in_order(answer, self._pieces(pairs), threads)) as answers:
            for piece, judged in zip(self._pieces(pairs), answers, strict=True):
                here = (self._judged_here(pair, texts) for pair in piece)
                yield from here if judged is None else judged

    def _pieces(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
        """Pairs for one process at a time; a text counts once in a run of pairs with it."""
        first, size, last = 0, 0, -1
        for number, (left, right) in enumerate(pairs):
            if number - first >= PIECE_PAIRS or size >= PIECE_BYTES:
                yield pairs[first:number]
                first, size, last = number, 0, -1
            size += int(self._bytes[right]) + (int(self._bytes[left]) if left != last else 0)
            last = left
        if first < len(pairs):
            yield pairs[first:]

    def _judged_here(self, pair: tuple[int, int], texts: _CutTexts) -> JudgedPair:
        left, right = pair
        if surely_form(texts.sets(left), texts.sets(right)):
            return JudgedPair("same-form", at_sight=True)
        if self._compared >= MOST:
            return JudgedPair(None)
        return JudgedPair(kind_of(texts.cut(left), texts.cut(right), common=texts.common))


class _CutTexts:
    """Texts as words and as sets of values; keeps those used last, in about ``room`` bytes."""

    def __init__(
        self, store: TextStore, document: Ints, room: int, common: CommonLines | None = None
    ) -> None:
        self._store, self._document, self._room, self._common = store, document, room, common
        self._shares: dict[int, Shares] = {}
        self._most_words = min(WORDS_AT_HAND, room // 2 // WORD_BYTES)
        self._most_values = room // 2 // VALUE_BYTES
        self._cut: OrderedDict[int, ValuedText] = OrderedDict()
        self._sets: OrderedDict[int, ValueSets] = OrderedDict()
        self._words = self._values = 0

    def without(self, common: CommonLines) -> _CutTexts:
        """The same texts without these lines."""
        return _CutTexts(self._store, self._document, self._room // 4, common)

    def text(self, text: int) -> str:
        """A text as it is, or what it says beside the common lines."""
        whole = self._store.text(int(self._document[text]))
        return self._common.rest(whole) if self._common else whole

    @property
    def common(self) -> float:
        """The least share of words that versions among these texts have in common."""
        return REST_COMMON if self._common else COMMON

    def decide(self, left: int, right: int) -> bool:
        """Whether the kind of two texts depends on what they say beside the common lines."""
        if not self._common:
            return False
        for text in (left, right):
            if text not in self._shares:
                whole = self._store.text(int(self._document[text]))
                self._shares[text] = self._common.shares(whole)
        return rests_decide(self._shares[left], self._shares[right])

    def cut(self, text: int) -> ValuedText:
        """The words of a text."""
        if text in self._cut:
            self._cut.move_to_end(text)
            return self._cut[text]
        cut = self._cut[text] = ValuedText(self.text(text))
        self._words += len(cut.words)
        while self._words > self._most_words and len(self._cut) > 2:
            _, oldest = self._cut.popitem(last=False)
            self._words -= len(oldest.words)
        return cut

    def sets(self, text: int) -> ValueSets:
        """The values of a text."""
        if text in self._sets:
            return self._sets[text]
        sets = self._sets[text] = self.cut(text).value_sets
        self._values += sets.held
        while len(self._sets) > SETS_AT_HAND or (
            self._values > self._most_values and len(self._sets) > 2
        ):
            _, oldest = self._sets.popitem(last=False)
            self._values -= oldest.held
        return sets


def kinds_of_clusters(kinds: PairKinds, clusters: Clusters, preferred: Preference) -> Codes:
    """The least close kind of each cluster between its members and their anchor.

    In clusters without anchors the most preferred member takes that place. `NOT_ASKED` where the
    kind of any member is not known.
    """
    codes = np.full(len(clusters), NOT_ASKED, np.int8)
    if not len(clusters):
        return codes
    place = np.empty(len(preferred.order), np.int64)
    place[preferred.order] = np.arange(len(place))
    order = np.lexsort((place[clusters.member], clusters.cluster))
    _, first = np.unique(clusters.cluster[order], return_index=True)
    best = clusters.member[order][first][clusters.cluster]
    beside: Ints = np.where(clusters.anchor >= 0, clusters.anchor, best)
    rows = np.flatnonzero(beside != clusters.member)
    score = np.nan_to_num(clusters.score[rows])
    found = kinds.of(clusters.member[rows], beside[rows], score)
    lowest = np.full(len(clusters), len(KINDS), np.int8)
    np.maximum.at(codes, clusters.cluster[rows], found)
    np.minimum.at(lowest, clusters.cluster[rows], found)
    codes[lowest < 0] = NOT_ASKED
    return codes
