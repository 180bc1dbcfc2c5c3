"""Lines that the pages of a site share: menus, notices and footers that no mark-up tells from text.

A line that stands in many pages is part of a site if these pages are otherwise different, and part
of an article if they are not: then it was reprinted. So the pages with a line are compared by the
longest of their other lines. With R the mean share of their pairs that agree on one of these, 1 / R
is a number of different articles (an inverse Simpson index): a text reprinted a thousand times
counts as one, also where some of its copies were shortened or edited. Numbers inside a line do not
matter ("12 comments", "page 3 of 7"); they stay in the text, since they may be all that tells two
forms apart.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints
from twinset.model.columns import column, numbers, text

LEAST_ARTICLES = 10
"""The different articles on whose pages a line of a site stands, at least."""

LEAST_SHARE = (1, 20)
"""The share of the text of these pages that such lines make up: below it, they are headings."""

LEAST_OWN = (1, 6)
"""The share of its text that a page of an article has in lines which stand in few pages."""

LEAST_LEFT = (1, 20)
"""The share of its characters that a page keeps; one that would lose more keeps everything."""

RANKS = 3
"""The longest lines by which pages are compared."""

ROUNDS = 3
MOST_LINES = 8_000_000
"""Lines that are counted; where pages have more of them, a sample of the pages is counted."""

_NUMBER = re.compile(r"\d+")
_SHOWN = 400
_Mask = NDArray[np.bool_]


class TrimmedPage(NamedTuple):
    """A page without lines of its site; ``dropped`` are the keys and texts of these."""

    text: str
    dropped: list[tuple[int, str]]
    is_left: bool = False
    """Whether the page has its lines still because hardly anything else would be left."""

    def counts(self) -> dict[str, int]:
        """What was done, by the names that reports count it under."""
        return {
            "repeated_pages": int(bool(self.dropped)),
            "repeated_lines": len(self.dropped),
            "repeated_left": int(self.is_left),
        }


def keyed_lines(page: str) -> Iterator[tuple[int, str]]:
    """The lines of a page with their keys: the same for lines with other numbers, 0 for blanks."""
    folded = _NUMBER.sub("0", page.lower())
    for line, fold in zip(page.split("\n"), folded.split("\n"), strict=True):
        yield (_key(" ".join(words)) if (words := fold.split()) else 0), line


@lru_cache(1 << 16)
def _key(line: str) -> int:
    """62 bits, so that every table can hold it; 0 is left for blank lines."""
    digest = blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 2) or 1


@dataclass(frozen=True)
class RepeatedLines:
    """The lines that are dropped: key -> the number of different articles with it."""

    articles: dict[int, int] = field(default_factory=dict)

    def trimmed(self, page: str) -> TrimmedPage:
        """The page without these lines, but with the numbers in them."""
        lines = list(keyed_lines(page))
        dropped = [(key, line) for key, line in lines if key in self.articles]
        if not dropped:
            return TrimmedPage(page, [])
        kept: list[str] = []
        for key, line in lines:
            if key in self.articles:
                kept += [" ".join(found)] if (found := _NUMBER.findall(line)) else []
            elif key or not kept or kept[-1].strip():
                kept.append(line)
        left = sum(len(line.strip()) for key, line in lines if key not in self.articles)
        total = sum(len(line.strip()) for _, line in lines)
        if left * LEAST_LEFT[1] < total * LEAST_LEFT[0]:
            return TrimmedPage(page, [], is_left=True)
        return TrimmedPage("\n".join(kept).strip("\n"), dropped)

    @classmethod
    def of_table(cls, table: pa.Table | None) -> RepeatedLines:
        """The lines of a table that `RepeatedTally.table` has made; none without one."""
        if table is None:
            return cls()
        keys, articles = (numbers(table[name]).tolist() for name in ("key", "articles"))
        return cls(dict(zip(keys, articles, strict=True)))


@dataclass
class RepeatedTally:
    """What was dropped from how many pages, for the reader of a report."""

    pages: Counter[int] = field(default_factory=Counter)
    shown: dict[int, str] = field(default_factory=dict)

    def add(self, page: TrimmedPage) -> None:
        """Count a page."""
        lines = dict(reversed(page.dropped))
        self.pages.update(lines.keys())
        for key in lines.keys() - self.shown.keys():
            self.shown[key] = " ".join(lines[key].split())[:_SHOWN]

    def table(self, lines: RepeatedLines) -> pa.Table:
        """The lines, those of the most pages first: ``line``, ``pages``, ``articles``, ``key``."""
        keys = sorted(self.pages, key=lambda key: (-self.pages[key], self.shown[key], key))
        return pa.table(
            {
                "line": text([self.shown[key] for key in keys]),
                "pages": column(np.array([self.pages[key] for key in keys], np.int64)),
                "articles": column(np.array([lines.articles[key] for key in keys], np.int64)),
                "key": column(np.array(keys, np.int64)),
            }
        )


class LineCounter:
    """Takes pages in, and finds the lines that their sites repeat.

    Beyond `MOST_LINES` a page is counted or not by a digest of its text, so that neither the order
    of pages nor their distribution over batches matters.
    """

    def __init__(self, most: int = MOST_LINES) -> None:
        self._most, self._mask = most, 0
        self._pages, self._sizes = array("Q"), array("q")
        self._keys, self._lengths, self._times = array("q"), array("i"), array("i")

    def add(self, page: str) -> None:
        """Count the lines of a page."""
        digest = blake2b(page.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        if number & self._mask:
            return
        times: dict[int, int] = {}
        ranks: list[tuple[int, int]] = []
        for key, line in keyed_lines(page):
            if key in times:
                times[key] += 1
            elif key:
                times[key] = 1
                ranks.append((-len(line.strip()), key))
        ranks.sort()
        self._pages.append(number)
        self._sizes.append(len(ranks))
        self._keys.extend(key for _, key in ranks)
        self._lengths.extend(-length for length, _ in ranks)
        self._times.extend(times[key] for _, key in ranks)
        while len(self._keys) > self._most and self._mask < 1 << 40:
            self._halve()

    def _halve(self) -> None:
        self._mask = self._mask * 2 + 1
        pages, sizes = np.array(self._pages, np.uint64), np.array(self._sizes, np.int64)
        stay = (pages & np.uint64(self._mask)) == 0
        lines = np.repeat(stay, sizes)
        self._pages = array("Q", pages[stay].tobytes())
        self._sizes = array("q", sizes[stay].tobytes())
        for values in (self._keys, self._lengths, self._times):
            stored = np.array(values)[lines].tobytes()
            del values[:]
            values.frombytes(stored)

    def repeated(self) -> RepeatedLines:
        """The lines of sites among those that were counted."""
        sizes = np.array(self._sizes, np.int64)
        if len(sizes) < LEAST_ARTICLES:
            return RepeatedLines()
        keys, line = np.unique(np.array(self._keys, np.int64), return_inverse=True)
        lengths = np.array(self._lengths, np.int64)
        ranked = _RankedLines(line, lengths, sizes, len(keys))
        articles = ranked.articles_of_sites(lengths * np.array(self._times, np.int64))
        return RepeatedLines({int(keys[number]): count for number, count in articles.items()})


class _RankedLines:
    """The distinct lines of every page by number, the longest of a page first."""

    def __init__(self, line: Ints, lengths: Ints, sizes: Ints, count: int) -> None:
        self.line, self.lengths, self.count, self.sizes = line, lengths, count, sizes
        self.page = np.repeat(np.arange(len(sizes)), sizes)
        self.begin = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        self.pages_with = np.bincount(line, minlength=count)
        often = self.pages_with[line] >= LEAST_ARTICLES
        self.often_line, self.often_page = line[often], self.page[often]

    def articles_of_sites(self, characters: Ints) -> dict[int, int]:
        """Line -> its number of articles, for the lines of sites."""
        of_site = self._passed_over() | self._around_own_text(characters)
        for _ in range(ROUNDS):
            agreeing = self._agreeing(self._longest(of_site))
            pages = self.pages_with.astype(np.int64)
            many = (pages >= LEAST_ARTICLES) & (RANKS * pages**2 >= LEAST_ARTICLES * agreeing)
            if not (many & ~of_site).any():
                break
            of_site |= many
        held = np.bincount(self.page, characters * many[self.line], len(self.sizes))
        whole = np.bincount(self.page, characters, len(self.sizes))
        share = [
            np.bincount(self.often_line, values[self.often_page], self.count)
            for values in (held, whole)
        ]
        lines = np.flatnonzero(many & (LEAST_SHARE[1] * share[0] >= LEAST_SHARE[0] * share[1]))
        articles = RANKS * pages[lines] ** 2 // agreeing[lines]
        return dict(zip(lines.tolist(), articles.tolist(), strict=True))

    def _passed_over(self) -> _Mask:
        """The longest lines of many pages that are followed by as many different ones.

        Without these, a long notice of a site would make all of its pages one article.
        """
        at = np.zeros(len(self.sizes), np.int64)
        passed = np.zeros(self.count, bool)
        for _ in range(ROUNDS):
            first, second = self._at(at), self._at(at + 1)
            pairs = np.unique(first * (self.count + 1) + second)
            different = np.bincount(pairs // (self.count + 1), minlength=self.count + 1)
            moves = (different[first] >= LEAST_ARTICLES) & (first < self.count)
            passed[first[moves]] = True
            at += moves
        return passed

    def _around_own_text(self, characters: Ints) -> _Mask:
        """The lines most of whose pages have much text that stands in few pages, all different.

        Reprints of a text have little besides it; a site may have several notices that are longer
        than the lines of its articles.
        """
        rare = self.pages_with[self.line] < LEAST_ARTICLES
        own, whole = (
            np.bincount(self.page, weights, len(self.sizes))
            for weights in (characters * rare, characters)
        )
        counted = (LEAST_OWN[1] * own >= LEAST_OWN[0] * whole)[self.often_page]
        lines, pages = self.often_line[counted], self.often_page[counted]
        many = np.bincount(lines, minlength=self.count)
        longest = self._longest(self.pages_with >= LEAST_ARTICLES)[0]
        both = lines * (self.count + 1) + longest[pages]
        pairs, counts = np.unique(both, return_counts=True)
        agreeing = np.bincount(pairs // (self.count + 1), counts.astype(np.int64) ** 2, self.count)
        return (many > 0) & (many**2 >= LEAST_ARTICLES * agreeing) & (2 * many >= self.pages_with)

    def _at(self, rank: Ints) -> Ints:
        """The line of each page with this rank; ``count`` where it has fewer."""
        there = rank < self.sizes
        return np.where(there, self.line[np.where(there, self.begin + rank, 0)], self.count)

    def _longest(self, of_site: _Mask) -> list[Ints]:
        """The longest lines of each page that are not of its site; the last again if it has few.

        A line of less than half the length of the longest is more likely one of the site's.
        """
        own = ~of_site[self.line]
        before: Ints = np.cumsum(own) - own
        has = self.sizes > 0
        first = np.zeros(len(self.sizes), np.int64)
        first[has] = before[self.begin[has]]
        rank = before - first[self.page]
        longest = [self._at(np.zeros(len(self.sizes), np.int64))]
        length = np.zeros(len(self.sizes), np.int64)
        length[self.page[own & (rank == 0)]] = self.lengths[own & (rank == 0)]
        for number in range(RANKS):
            chosen = own & (rank == number) & (2 * self.lengths >= length[self.page])
            lines = longest[-1].copy()
            lines[self.page[chosen]] = self.line[chosen]
            longest.append(lines)
        return longest[1:]

    def _agreeing(self, longest: list[Ints]) -> Ints:
        """For each line, how many pairs of its pages agree on a long line, summed over ranks."""
        agreeing = np.zeros(self.count, np.int64)
        for lines in longest:
            both = self.often_line * (self.count + 1) + lines[self.often_page]
            pairs, counts = np.unique(both, return_counts=True)
            squares = np.bincount(
                pairs // (self.count + 1), counts.astype(np.int64) ** 2, self.count
            )
            agreeing += squares.astype(np.int64)
        return np.maximum(agreeing, 1)
