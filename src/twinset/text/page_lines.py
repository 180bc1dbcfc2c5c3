"""The lines of pages: what is counted of them, and a page without those that its site repeats.

`twinset.text.repeated` decides which lines these are. Nothing here needs arrays, so that other
processes begin quickly.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

LEAST_LINKS = 5
"""The links of a menu, at least: fewer stand one behind the other in texts, too."""
MENU_END = "\t"

# Characters that Unicode keeps out of all texts.
_BEGIN, _END = "\ufdd0", "\ufdd1"
_MARKS = re.compile(f"[{_BEGIN}{_END}]")
_PIECE = re.compile(f"{_BEGIN}?[^{_BEGIN}{_END}]+")
_LINK = re.compile(r"<(/?)a(?=[\s>])[^<>]*>", re.IGNORECASE)


def with_links_marked(page: str) -> str:
    """The page with a mark at both ends of every link, for `with_menus_told`."""
    if _BEGIN in page or _END in page:
        page = _MARKS.sub("", page)
    return _LINK.sub(_marked, page)


def _marked(tag: re.Match[str]) -> str:
    return _END + tag.group() if tag.group(1) else tag.group() + _BEGIN


def with_menus_told(text: str) -> str:
    """The text without these marks, and with `MENU_END` behind the lines of menus."""
    if _BEGIN not in text:
        return text.replace(_END, "")
    lines: list[str] = []
    menu: list[int] = []
    links, is_open = 0, False
    for line in text.split("\n"):
        plain, is_linked = line, is_open
        if _BEGIN in line or _END in line:
            plain, is_linked = _MARKS.sub("", line), _is_linked(line, is_open)
            is_open = line.rfind(_BEGIN) > line.rfind(_END)
            links += line.count(_BEGIN)
            if not plain.strip(" "):  # blocks inside a link leave its marks on lines of their own
                continue
        if is_linked and plain.strip():
            menu.append(len(lines))
        elif menu and plain.strip():
            _tell(lines, menu, links)
            menu = []
        if not menu:
            links = 0
        lines.append(plain)
    _tell(lines, menu, links)
    return "\n".join(lines)


def _tell(lines: list[str], menu: list[int], links: int) -> None:
    if links >= LEAST_LINKS:
        for number in menu:
            lines[number] += MENU_END


def _is_linked(line: str, is_open: bool) -> bool:
    """Whether all words of a line with marks are in links."""
    for piece in _PIECE.findall(_BEGIN + line if is_open else line):
        if piece[0] != _BEGIN and any(map(str.isalnum, piece)):
            return False
    return True


SHOWN = 400
"""Characters of a line that are shown to the reader of a report."""

_NUMBER = re.compile(r"\d+")


class TrimmedPage(NamedTuple):
    """A page without lines of its site; ``dropped`` are the keys and texts of these."""

    text: str
    dropped: list[tuple[int, str]]
    is_left: bool = False
    """Whether the page has its lines still because no words would be left."""

    def counts(self) -> dict[str, int]:
        """What was done, by the names that reports count it under."""
        return {
            "repeated_pages": int(bool(self.dropped)),
            "repeated_lines": len(self.dropped),
            "repeated_left": int(self.is_left),
        }


class DroppedLines:
    """What was dropped from pages: key -> the number of pages, and key -> the line as shown."""

    def __init__(self) -> None:
        self.pages: Counter[int] = Counter()
        self.shown: dict[int, str] = {}

    def add(self, page: TrimmedPage) -> None:
        """Count a page."""
        lines = dict(reversed(page.dropped))
        self.pages.update(lines.keys())
        for key in lines.keys() - self.shown.keys():
            self.shown[key] = " ".join(lines[key].split())[:SHOWN]

    def merge(self, later: DroppedLines) -> None:
        """Count the pages that come after these."""
        self.pages.update(later.pages)
        self.shown = {**later.shown, **self.shown}


class CountedLines(NamedTuple):
    """The different lines of pages, the longest of each page first, as bytes of arrays.

    For every page its digest and the number of its lines; for every line its key, its length, how
    often the page has it, and 1 if it is of a menu there.
    """

    pages: bytes
    sizes: bytes
    keys: bytes
    lengths: bytes
    times: bytes
    menus: bytes


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


def counted_lines(pages: Iterable[str]) -> CountedLines:
    """The lines of these pages."""
    numbers, sizes = array("Q"), array("q")
    keys, lengths, occurrences, menus = array("q"), array("i"), array("i"), array("b")
    for page in pages:
        times: dict[int, int] = {}
        ranks: list[tuple[int, int, bool]] = []
        for key, line in keyed_lines(page):
            if key in times:
                times[key] += 1
            elif key:
                times[key] = 1
                ranks.append((-len(line.strip()), key, line.endswith(MENU_END)))
        ranks.sort()
        digest = blake2b(page.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        numbers.append(int.from_bytes(digest, "little"))
        sizes.append(len(ranks))
        keys.extend([key for _, key, _ in ranks])
        lengths.extend([-length for length, _, _ in ranks])
        occurrences.extend([times[key] for _, key, _ in ranks])
        menus.extend([is_menu for _, _, is_menu in ranks])
    parts = (numbers, sizes, keys, lengths, occurrences, menus)
    return CountedLines(*(part.tobytes() for part in parts))


def trimmed(page: str, keys: Collection[int]) -> TrimmedPage:
    """The page without the lines of these keys, but with the numbers in them."""
    lines = list(keyed_lines(page))
    dropped = [(key, line) for key, line in lines if key in keys]
    if not dropped:
        return TrimmedPage(page, [])
    kept: list[str] = []
    for key, line in lines:
        if key in keys:
            kept += [" ".join(numbers)] if (numbers := _NUMBER.findall(line)) else []
        elif key or not kept or kept[-1].strip():
            kept.append(line)
    if not any(any(map(str.isalpha, line)) for key, line in lines if key and key not in keys):
        return TrimmedPage(page, [], is_left=True)
    return TrimmedPage("\n".join(kept).strip("\n"), dropped)
