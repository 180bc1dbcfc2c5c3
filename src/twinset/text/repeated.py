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

from array import array
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints
from twinset.model.columns import column, numbers, text
from twinset.text.page_lines import CountedLines, DroppedLines, TrimmedPage, counted_lines, trimmed

LEAST_ARTICLES = 10
"""The different articles on whose pages a line of a site stands, at least."""

LEAST_SHARE = (1, 20)
"""The share of the text of these pages that such lines make up: below it, they are headings."""

LEAST_OWN = (1, 6)
"""The share of its text that a page of an article has in lines which stand in few pages."""

RANKS = 3
"""The longest lines by which pages are compared."""

ROUNDS = 3
MOST_LINES = 8_000_000
"""Lines that are counted; where pages have more of them, a sample of the pages is counted."""

_KINDS = (np.uint64, np.int64, np.int64, np.int32, np.int32, np.int8)
_Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RepeatedLines:
    """The lines that are dropped: key -> the number of different articles with it."""

    articles: dict[int, int] = field(default_factory=dict)

    @property
    def keys(self) -> bytes:
        """The keys of the lines, 64 bits each."""
        return array("q", self.articles).tobytes()

    def trimmed(self, page: str) -> TrimmedPage:
        """The page without these lines, but with the numbers in them."""
        return trimmed(page, self.articles)

    @classmethod
    def of_table(cls, table: pa.Table | None) -> RepeatedLines:
        """The lines of a table that `RepeatedTally.table` has made; none without one."""
        if table is None:
            return cls()
        keys, articles = (numbers(table[name]).tolist() for name in ("key", "articles"))
        return cls(dict(zip(keys, articles, strict=True)))


class RepeatedTally(DroppedLines):
    """What was dropped from how many pages, for the reader of a report."""

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
        self._menus = array("b")

    def add(self, page: str) -> None:
        """Count the lines of a page."""
        self.take(counted_lines([page]))

    def take(self, counted: CountedLines) -> None:
        """Count the lines of some pages."""
        for values, more in zip(self._arrays(), self._sampled(counted), strict=True):
            values.frombytes(more)
        while len(self._keys) > self._most and self._mask < 1 << 40:
            self._mask = self._mask * 2 + 1
            every = CountedLines(*(values.tobytes() for values in self._arrays()))
            for values, some in zip(self._arrays(), self._sampled(every), strict=True):
                del values[:]
                values.frombytes(some)

    def _arrays(self) -> tuple[array[int], ...]:
        return self._pages, self._sizes, self._keys, self._lengths, self._times, self._menus

    def _sampled(self, counted: CountedLines) -> CountedLines:
        """What is counted of these pages."""
        if not self._mask:
            return counted
        parts = [np.frombuffer(part, kind) for part, kind in zip(counted, _KINDS, strict=True)]
        stay = (parts[0] & np.uint64(self._mask)) == 0
        lines = np.repeat(stay, parts[1])
        chosen = (stay, stay, lines, lines, lines, lines)
        return CountedLines(*(p[rows].tobytes() for p, rows in zip(parts, chosen, strict=True)))

    def repeated(self) -> RepeatedLines:
        """The lines of sites among those that were counted."""
        sizes = np.array(self._sizes, np.int64)
        if len(sizes) < LEAST_ARTICLES or not self._keys:
            return RepeatedLines()
        keys, line = np.unique(np.array(self._keys, np.int64), return_inverse=True)
        lengths = np.array(self._lengths, np.int64)
        menus = np.array(self._menus, np.int8) > 0
        ranked = _RankedLines(line, lengths, sizes, len(keys), menus)
        articles = ranked.articles_of_sites(lengths * np.array(self._times, np.int64))
        return RepeatedLines({int(keys[number]): count for number, count in articles.items()})


class _RankedLines:
    """The distinct lines of every page by number, the longest of a page first."""

    def __init__(self, line: Ints, lengths: Ints, sizes: Ints, count: int, menus: _Mask) -> None:
        self.menus = menus
        self.line, self.lengths, self.count, self.sizes = line, lengths, count, sizes
        self.page = np.repeat(np.arange(len(sizes)), sizes)
        self.begin = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        self.pages_with = np.bincount(line, minlength=count)
        often = self.pages_with[line] >= LEAST_ARTICLES
        self.often_line, self.often_page = line[often], self.page[often]

    def articles_of_sites(self, characters: Ints) -> dict[int, int]:
        """Line -> its number of articles, for the lines of sites."""
        below_menus, telling = self._below_menus(characters)
        of_site = self._passed_over() | self._around_own_text(characters) | below_menus
        for _ in range(ROUNDS):
            agreeing = self._agreeing(self._longest(of_site))
            pages = self.pages_with.astype(np.int64)
            many = (pages >= LEAST_ARTICLES) & (RANKS * pages**2 >= LEAST_ARTICLES * agreeing)
            many &= ~telling
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
        agreeing = self._pairs_of(lines, longest[pages])
        return (many > 0) & (many**2 >= LEAST_ARTICLES * agreeing) & (2 * many >= self.pages_with)

    def _below_menus(self, characters: Ints) -> tuple[_Mask, _Mask]:
        """The lines that most pages below one menu have, and those that tell such pages apart.

        A reprinted text stands below the menus of many sites, and on few pages of each. What half
        of the pages below one menu share is of their site, if their other lines are different,
        however little these are; where they are little, each of them counts.
        """
        in_menu = self.menus & (self.pages_with[self.line] >= LEAST_ARTICLES)
        site = self._sites(in_menu, characters)
        pages_of = np.bincount(site, minlength=self.count + 1)
        sites = site[self.page]
        _, which, times = np.unique(
            self.line * (self.count + 1) + sites, return_inverse=True, return_counts=True
        )
        below = sites < self.count
        shared = below & (2 * times[which] >= pages_of[sites])
        own = below & ~shared & ~in_menu
        held, whole = (
            np.bincount(self.page, weights, len(self.sizes))
            for weights in (characters * own, characters)
        )
        # pages with the same lines of their own have the same sum
        numbers = (self.line + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        sums = np.zeros(len(self.sizes), np.uint64)
        np.add.at(sums, self.page[own], numbers[own] ^ (numbers[own] >> np.uint64(29)))
        _, signature = np.unique(sums, return_inverse=True)
        counted = (shared | (in_menu & below)) & (held > 0)[self.page]
        lines, pages = self.line[counted], self.page[counted]
        many = np.bincount(lines, minlength=self.count)
        agreeing = self._pairs_of(lines, signature[pages])
        of_site = (
            (many >= LEAST_ARTICLES)
            & (many**2 >= LEAST_ARTICLES * agreeing)
            & (2 * many >= self.pages_with)
        )
        little = own & (LEAST_OWN[1] * held < LEAST_OWN[0] * whole)[self.page]
        telling = np.bincount(self.line[little], minlength=self.count)
        return of_site, 2 * telling > self.pages_with

    def _sites(self, in_menu: _Mask, characters: Ints) -> Ints:
        """A line of the menu that stands for the site of each page; ``count`` without a long one.

        Some links are on pages of all sites ("Home") and some on versions of one page ("Previous:
        Introduction"), so it is one that stands in as many pages as the middle one does.
        """
        long = 2 * np.bincount(self.page, characters * in_menu, len(self.sizes)) >= np.bincount(
            self.page, characters, len(self.sizes)
        )
        rows = np.flatnonzero(in_menu & long[self.page])
        line, page, often = self.line[rows], self.page[rows], self.pages_with[self.line[rows]]
        sizes = np.bincount(page, minlength=len(self.sizes))
        begin = np.cumsum(sizes) - sizes
        ordered = np.lexsort((often, page))
        has = sizes > 0
        middle = np.zeros(len(self.sizes), np.int64)
        middle[has] = often[ordered[(begin + sizes // 2)[has]]]
        site = np.full(len(self.sizes), self.count, np.int64)
        like = often == middle[page]
        np.minimum.at(site, page[like], line[like])
        return site

    def _pairs_of(self, lines: Ints, values: Ints) -> Ints:
        """For each line, how many pairs of its pages have the same value."""
        base = int(values.max(initial=0)) + 1
        pairs, counts = np.unique(lines * base + values, return_counts=True)
        squares = np.bincount(pairs // base, counts.astype(np.int64) ** 2, self.count)
        same: Ints = squares.astype(np.int64)
        return same

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
            agreeing += self._pairs_of(self.often_line, lines[self.often_page])
        return np.maximum(agreeing, 1)
