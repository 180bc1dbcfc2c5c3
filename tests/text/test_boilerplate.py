"""Paragraphs that stand in many documents, against the definition in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.examples import examples
from tests.passages.unit_twins import units

from twinset.model import Batch
from twinset.reading.held import without_boilerplate
from twinset.reading.repeated import Repetition
from twinset.text.boilerplate import BoilerplateCutter, DigestedParagraphs, ParagraphCounter

paragraphs = st.sampled_from(
    ["one", "One!", "two words", "two  words,", "three\nlines here", "...", "", "é ü", "four"]
)
breaks = st.sampled_from(["\n\n", "\n \n", "\x0c", "\n\n\n", "\r\n\r\n", "\u2029", "\n"])


@st.composite
def text(draw: st.DrawFn) -> str:
    parts = draw(st.lists(paragraphs, max_size=4))
    return "".join(part + draw(breaks) for part in parts)


class Twin(NamedTuple):
    """The texts without boilerplate, the table, and what is counted of documents."""

    texts: list[str | None]
    rows: list[tuple[str, int, float, int]]
    counts: tuple[int, int, int]


def by_definition(texts: list[str | None], more_than: float) -> Twin:
    """Loops over the units of the texts, each as words; equal texts are one document."""
    cut = [units(text or "", "paragraph") for text in texts]
    different = {text: {words for _, _, words in own} for text, own in zip(texts, cut, strict=True)}
    different = {text: own for text, own in different.items() if own}
    everywhere = [words for own in different.values() for words in own]
    least = more_than * len(different) if more_than < 1 else more_than
    frequent = {words for words in everywhere if everywhere.count(words) > least}
    left, lost, shown = [], dict.fromkeys(frequent, 0), {}
    changed = dropped = whole = 0
    for text, own in zip(texts, cut, strict=True):
        out = [unit for unit in own if unit[2] in frequent]
        for start, end, words in out:
            shown.setdefault(words, " ".join((text or "")[start:end].split()))
        if out and len(out) == len(own):
            whole, out = whole + 1, []
        changed, dropped = changed + bool(out), dropped + len(out)
        new, at = "", 0
        for start, end, words in out:
            new, at = new + (text or "")[at:start], end
            lost[words] += end - start
        left.append(None if text is None else new + text[at:])
    rows = [
        (shown[words], (times := everywhere.count(words)), times / len(different), lost[words])
        for words in frequent
    ]
    return Twin(left, sorted(rows, key=lambda row: (-row[1], row[0])), (changed, dropped, whole))


def batches(texts: list[str | None], size: int) -> Iterator[Batch]:
    for first in range(0, len(texts), size):
        some = texts[first : first + size]
        ids = pa.array([str(first + n) for n in range(len(some))])
        places = np.arange(first + 1, first + 1 + len(some))
        yield Batch(ids, pa.array(some, pa.large_string()), "made up", places)


@examples(300)
@given(
    st.lists(st.one_of(st.none(), text()), max_size=8),
    st.sampled_from([1, 2, 3, 0.2, 0.5, 0.99]),
    st.integers(1, 4),
    st.sampled_from([0, 40, 1 << 20]),
    st.integers(1, 2),
)
def test_texts_table_and_counts_are_those_of_the_definition(
    texts: list[str | None], more_than: float, size: int, memory: int, threads: int
) -> None:
    known = Repetition()
    first = list(without_boilerplate(known, batches(texts, size), more_than, threads, memory))
    again = list(without_boilerplate(known, batches(texts, size), more_than, threads, memory))
    twin = by_definition(texts, more_than)
    for passed in (first, again):
        assert [text for batch in passed for text in batch.texts.to_pylist()] == twin.texts
        counts = [
            sum(batch.counts.get(f"boilerplate_{name}", 0) for batch in passed)
            for name in ("documents", "paragraphs", "left")
        ]
        assert tuple(counts) == twin.counts
    rows = [] if known.paragraphs is None else known.paragraphs.to_pylist()
    assert [tuple(row.values())[:-1] for row in rows] == twin.rows
    of_table = BoilerplateCutter.of_table(known.paragraphs)
    whole = [text for text in texts if text is not None]
    assert [of_table.without(text) for text in whole] == [t for t in twin.texts if t is not None]


@pytest.mark.parametrize("memory", [1, 1000, 10_000])
def test_what_does_not_fit_into_memory_is_counted_all_the_same(memory: int) -> None:
    chance = np.random.default_rng(7)
    keys = chance.integers(0, 1 << 62, 300, dtype=np.uint64)[chance.integers(0, 300, 5000)]
    digests = chance.integers(0, 40, 5000, dtype=np.uint64)
    counters = ParagraphCounter(), ParagraphCounter(memory)
    for counter in counters:
        for begin, end in itertools.pairwise(range(0, 5001, 500)):
            rows = slice(begin, end)
            counter.take(DigestedParagraphs(keys[rows], digests[rows], digests[rows]))
    in_memory, in_file = (counter.frequent(15) for counter in counters)
    assert counters[1]._file is not None  # or the test is of no use
    for counter in counters:
        counter.close()
    assert 50 < len(in_memory.keys) < 250
    assert in_memory.total == in_file.total == 40
    assert in_memory.keys.tolist() == in_file.keys.tolist()
    assert in_memory.documents.tolist() == in_file.documents.tolist()
