"""Kernels that would run for long end soon after a signal or a flag, whatever their threads do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import twinset
from twinset import _kernels
from twinset.finding.verify.edit import _compared

PATIENCE = 5.0  # a quiet machine takes a tenth of a second
RNG = np.random.default_rng(7)
FOREVER = 1 << 60


class AlarmError(Exception):
    """What the handler of the test raises."""


@pytest.fixture
def ended_by_a_signal() -> Iterator[Callable[..., None]]:
    """Calls what would run for long, and sees that a signal ends it soon."""

    def ring(number: int, frame: Any) -> None:
        raise AlarmError

    def call(kernel: Callable[..., Any], *arguments: Any) -> None:
        begun = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(AlarmError):
            kernel(*arguments)
        assert time.monotonic() - begun < PATIENCE

    before = signal.signal(signal.SIGALRM, ring)
    yield call
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def subsets(documents: int, size: int, among: int) -> tuple[Any, Any]:
    """Random sorted sets of equal size, one after the other, with their offsets."""
    rows = np.argpartition(RNG.random((documents, among)), size, axis=1)[:, :size]
    return np.sort(rows, axis=1).ravel(), np.arange(documents + 1) * size


def hashes(documents: int, size: int) -> tuple[Any, Any]:
    """Random rising numbers: sums are made sooner than a sorted order."""
    steps = RNG.integers(1, (1 << 63) // size, (documents, size), dtype=np.uint64)
    return np.cumsum(steps, axis=1).ravel(), np.arange(documents + 1) * size


def closed_sets(threads: int, maximal: bool, work: int = FOREVER) -> Any:
    values, offsets = subsets(400, 40, 80)
    least = np.full(400, 8, np.int32)
    limits = FOREVER, work, FOREVER, True
    return values.astype(np.uint64), offsets, least, maximal, *limits, threads


def verified_pairs(threads: int) -> Any:
    documents = 30_000
    values, offsets = subsets(documents, 60, 100)
    store = _kernels.FeatureStore(1 << 30, "/tmp")
    store.append(values.astype(np.uint64), offsets, threads)
    order = np.arange(documents, dtype=np.uint32)
    free, unknown = np.zeros(documents, np.uint8), np.full(documents, ~np.uint32(0))
    group = np.array([0, documents])
    slots = order, free, order.astype(np.uint64), unknown
    return store, *slots, group, order, 0, 0.9, FOREVER, FOREVER, 1 << 30, threads


def cliques_without_end() -> Any:
    """Moon and Moser (1965): 3 to the power of 30 maximal cliques."""
    a, b = np.triu_indices(90, 1)
    edge = a // 3 != b // 3
    return 90, a[edge].astype(np.uint32), b[edge].astype(np.uint32), FOREVER, FOREVER


def weighted(documents: int, threads: int, last: tuple[Any, ...]) -> Any:
    terms, offsets = subsets(documents, 50, 60)
    weights = np.full(len(terms), 50**-0.5)
    return terms.astype(np.uint32), weights, offsets, 60, *last, threads


def cosine_join(threads: int) -> Any:
    nothing = np.empty(0, np.uint32), np.empty(0, np.uint64), np.empty(0, np.uint8), 0.0
    return weighted(40_000, threads, (0.99, *nothing, np.empty(0, np.uint8), FOREVER))


def tfidf_join(threads: int) -> Any:
    """Any row may be contained in any other, and none reaches the cosine."""
    terms, offsets = subsets(40_000, 50, 60)
    documents = np.arange(40_000, dtype=np.uint32)
    tf, by_tf = np.ones(len(terms), np.int32), np.ones(2)
    names, idf = np.arange(60, dtype=np.uint64), np.ones(60)
    rarity, df = np.ones(60, np.uint32), np.bincount(terms, minlength=60).astype(np.uint32)
    marks = np.ones(len(documents), np.uint8)
    rules = 0.999, marks, 0.99, np.empty(0, np.uint8), FOREVER
    terms = terms.astype(np.uint32)
    return terms, tf, offsets, documents, by_tf, names, idf, rarity, df, *rules, threads


def pairs_of_lists(threads: int) -> Any:
    features, offsets = hashes(1000, 2000)
    left, right = RNG.integers(0, 1000, (2, 3_000_000), dtype=np.uint32)
    return features, np.ones(len(features)), offsets, left, right, threads


def pairs_of_an_index(threads: int) -> Any:
    features, offsets = hashes(1000, 2000)
    left, right = RNG.integers(0, 1000, (2, 3_000_000))
    return features, offsets, features, offsets, left, right, 0, 0.5, threads


def long_chains() -> Any:
    documents = np.tile(np.arange(3000, dtype=np.uint32), 200)
    return np.arange(201) * 3000, documents, np.full(3000, 100), 1.0


def nested_chains() -> Any:
    documents, offsets = subsets(60_000, 50, 400)
    return offsets, documents.astype(np.uint32), np.full(400, 100), 1.0


def worst_pairs(threads: int) -> Any:
    values, offsets = hashes(2000, 3000)
    least = np.full(2000, 1, np.int32)
    return values, offsets, least, np.arange(2000, dtype=np.int32), np.array([0, 2000]), threads


def slow_text() -> Any:
    """One document whose marks are all out of order, so that every word is normalised."""
    text = np.frombuffer("ạ́b̧̂ ".encode() * 6_000_000, np.uint8)
    return text, np.array([0, len(text)])


def endless_mining() -> Any:
    """Lines of half the items: nearly all sets of a certain size are maximal."""
    items, offsets = subsets(400, 40, 80)
    return offsets, items.astype(np.int32), 80, 8, True, True


def sketches(threads: int) -> Any:
    values, offsets = hashes(1, 1_000_000)
    return values, offsets, 4000, 1, True, threads


def weighted_sketches(threads: int) -> Any:
    values, offsets = hashes(1, 1_000_000)
    return values, np.ones(len(values), np.uint32), offsets, 4000, 1, threads


def repeated_words(threads: int) -> Any:
    """One document of a long word, again and again: 3 GB to write."""
    word = np.full(100, 97, np.uint8)
    numbers = np.zeros(30_000_000, np.int64)
    ends, offsets = np.array([0, 100]), np.array([0, len(numbers)])
    return word, ends, numbers, offsets, np.array([0]), np.array([0, 1]), threads


def long_lists(threads: int) -> Any:
    terms, offsets = subsets(300, 2000, 4000)
    left, right = RNG.integers(0, 300, (2, 3_000_000), dtype=np.uint32)
    return terms.astype(np.uint32), offsets, left, right, threads


def shared_terms(threads: int) -> Any:
    terms, offsets, *pairs = long_lists(threads)
    return terms, np.ones(len(terms), np.int32), offsets, 4000, *pairs


def subsequences(threads: int) -> Any:
    terms, offsets, *pairs = long_lists(threads)
    return terms, offsets, 4000, *pairs


def covered_words(threads: int) -> Any:
    terms, offsets, *pairs = long_lists(threads)
    places = np.tile(np.arange(2000, dtype=np.uint32), 300)
    return terms, offsets, 4000, places, offsets, np.full(300, 2002), 3, *pairs


def neighbours(threads: int) -> Any:
    terms, offsets = subsets(40_000, 50, 60)
    weights, sizes = np.ones(len(terms), np.uint16), np.empty(0, np.int64)
    return terms.astype(np.uint32), weights, offsets, sizes, 60, 20, 20, 1e9, threads


def numbered(threads: int) -> Any:
    return *hashes(20_000, 1500), threads


def long_order() -> Any:
    first, second = RNG.integers(0, 1 << 32, (2, 16_000_000), dtype=np.uint32)
    return first, second, 1


def many_texts() -> Any:
    rows = 20_000_000
    return RNG.integers(0, 256, 8 * rows, dtype=np.uint8), np.arange(rows + 1) * 8, 1


LONG: dict[str, tuple[str, Callable[[int], Any]]] = {
    "maximal sets": ("closed_sets", lambda threads: closed_sets(threads, True)),
    "closed sets": ("closed_sets", lambda threads: closed_sets(threads, False)),
    "join": ("verified_pairs", verified_pairs),
    "prefixes": (
        "prefix_keys",
        lambda threads: (*hashes(400_000, 150), np.full(1 << 22, 70, np.uint16), 0, 0.5, threads),
    ),
    "cliques": ("maximal_cliques", lambda _: cliques_without_end()),
    "Hamming": (
        "hamming_pairs",
        lambda threads: (RNG.integers(0, 1 << 16, 200_000, dtype=np.uint64), 3, threads),
    ),
    "cosine join": ("cosine_pairs", cosine_join),
    "tf-idf join": ("tfidf_pairs", tfidf_join),
    "inverted table": ("inverted_pairs", lambda threads: weighted(40_000, threads, (0, 2.0))),
    "overlaps": ("overlaps", pairs_of_lists),
    "matches_between": ("matches_between", pairs_of_an_index),
    "pairs of chains": ("chain_pairs", lambda _: long_chains()),
    "chains in chains": ("chains", lambda _: nested_chains()),
    "worst pairs": ("worst_pairs", worst_pairs),
    "sort": ("sorted_unique", lambda _: (RNG.integers(0, 1 << 40, 30_000_000, dtype=np.uint64),)),
    "words": ("words", lambda threads: (*slow_text(), threads)),
    "pieces": ("split_texts", lambda threads: (*slow_text(), 2, 1, threads)),
    "keyed paragraphs": ("keyed_paragraphs", lambda threads: (*slow_text(), threads)),
    "shingles": ("shingles", lambda threads: (*slow_text(), 3, 1, True, threads)),
    "min-wise": ("minwise", sketches),
    "weighted min-wise": ("weighted_minwise", weighted_sketches),
    "written words": ("written_words", repeated_words),
    "common subsequences": ("common_subsequences", subsequences),
    "shared terms": ("shared_terms", shared_terms),
    "covered words": ("covered_words", covered_words),
    "nearest": ("nearest_neighbours", neighbours),
    "numbered terms": ("numbered_terms", numbered),
    "sorted order": ("sorted_order", lambda _: long_order()),
    "repeated texts": ("repeated_texts", lambda _: many_texts()),
    "FPmax": ("mine_fpmax", lambda _: endless_mining()),
    "LCM": ("mine_lcm", lambda _: endless_mining()),
    "AFOPT": ("mine_afopt", lambda _: endless_mining()),
    "MAFIA": ("mine_mafia", lambda _: endless_mining()),
    "AddIntent": ("mine_addintent", lambda _: endless_mining()),
}


@pytest.mark.parametrize(
    ("name", "threads"), [*((name, 3) for name in LONG), ("join", 1), ("words", 1), ("LCM", 1)]
)
def test_a_signal_ends_a_long_kernel(name: str, threads: int, ended_by_a_signal: Any) -> None:
    kernel, make = LONG[name]
    ended_by_a_signal(getattr(_kernels, kernel), *make(threads))


def test_a_signal_ends_the_text_of_an_inverted_table(ended_by_a_signal: Any) -> None:
    values, offsets = hashes(200_000, 100)
    table = _kernels.InvertedLines(values, offsets, np.arange(200_000), 1, FOREVER)
    ended_by_a_signal(table.next)


def test_a_signal_ends_the_grouping_of_keys(ended_by_a_signal: Any) -> None:
    grouper = _kernels.Grouper(1 << 18, "/tmp")  # cut again, so that all is read several times
    for first in range(0, 12_000_000, 3_000_000):
        keys = RNG.integers(0, 1 << 63, (3_000_000, 1), dtype=np.uint64)
        grouper.add(_kernels.KeyBlock(keys), first, 1)
    ended_by_a_signal(grouper.finish, np.empty(0, np.uint8), False, 1)


def test_a_signal_ends_edit_similarities(ended_by_a_signal: Any) -> None:
    """They are another library's, whose calls cannot be ended: they are kept short."""
    letters = RNG.integers(97, 123, (20, 50_000), dtype=np.uint8)
    texts = [bytes(row).decode() for row in letters]
    pairs = [(a, b) for a in texts for b in texts] * 3
    ended_by_a_signal(_compared, pairs, np.ones(len(pairs), bool), 0.0, 1)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_flag_ends_the_kernel_of_another_thread(threads: int) -> None:
    kernel, make = LONG["maximal sets"]
    arguments = make(threads)
    flag, ended = twinset.StopFlag(), []

    def work() -> None:
        with flag:
            try:
                getattr(_kernels, kernel)(*arguments)
            except twinset.Stopped as end:
                ended.append(end)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive()
    flag.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert len(ended) == 1


def test_a_flag_counts_inside_its_block_only() -> None:
    outer, inner = twinset.StopFlag(), twinset.StopFlag()
    values = np.array([2, 1], np.uint64)
    outer.set()
    assert outer.is_set()
    assert not inner.is_set()
    with pytest.raises(twinset.Stopped), outer, inner:
        _kernels.sorted_unique(values)
    with inner:
        assert _kernels.sorted_unique(values).tolist() == [1, 2]
    assert _kernels.sorted_unique(values).tolist() == [1, 2]


def test_a_signal_leaves_the_exception_of_its_handler(ended_by_a_signal: Any) -> None:
    """Helpers are stopped, too, but what they say must not hide why."""
    arguments = closed_sets(3, True)
    for _ in range(5):
        ended_by_a_signal(_kernels.closed_sets, *arguments)


MANY_THREADS = """
import resource
import numpy as np
from twinset import _kernels
limit = 1 << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
places = np.arange(4_000_000)
hashes = _kernels.slice_hashes(np.zeros(4_000_000, np.uint8), places, places + 1, 3000)
print(len(np.unique(hashes)))
"""


@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="the address sanitizer itself reserves terabytes of address space",
)
def test_threads_that_the_system_refuses_are_done_without() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_THREADS], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1\n"


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 17, (1 << 18) + 5, 700_000])
@pytest.mark.parametrize("distinct", [1, 2, 50, 1 << 30])
def test_long_sorts_sort(size: int, distinct: int) -> None:
    """Values that share their upper bits take the sort that can be stopped."""
    values = RNG.integers(0, distinct, size, dtype=np.uint64)
    rising = np.sort(values)
    expected = rising[np.append(True, np.diff(rising) != 0)] if size else rising
    for order in (values, rising, rising[::-1].copy()):
        assert np.array_equal(_kernels.sorted_unique(order), expected)
