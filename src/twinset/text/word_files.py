"""Files of words that users write: stop words, and words that mean the same.

Both are UTF-8 text; what follows a ``#`` is a comment, and empty lines count for nothing. A file of
stop words has one word on a line. A line of a file of synonyms has several, separated by commas, of
which the first stands for all: ``car, automobile, auto``. Words are read as the words of documents
are: lower case, NFC.

In place of a file's name the words themselves may stand, where no file shall be needed: each line
after a ``=``, its words separated by ``|``, as in ``=car|automobile=lorry|truck``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from twinset.errors import MissingFileError, ReadError
from twinset.system.bounded import WORDS_BYTES, read_regular
from twinset.text.segments import words

Line = tuple[int, list[str]]
Synonyms = tuple[tuple[str, ...], ...]
"""Groups of words that mean the same; the first of a group stands for it."""
SHOWN = 40  # characters of a faulty entry that a message repeats


def stop_words_of(path: str, within: Sequence[str] = ()) -> tuple[str, ...]:
    """The stop words of a file, each once, in order; a fault is reported with its line."""
    return _stop_words(path, _stamp(path), tuple(within))


def synonyms_of(path: str, within: Sequence[str] = ()) -> Synonyms:
    """The groups of a file of synonyms; a fault is reported with its line."""
    return _synonyms(path, _stamp(path), tuple(within))


def are_given(name: str) -> bool:
    """Whether these are words themselves, and no name of a file."""
    return name.startswith("=")


def spelt_words(groups: Iterable[Sequence[str]]) -> str:
    """Words themselves, in place of a file of them."""
    return "".join(f"={'|'.join(group)}" for group in groups)


def _stamp(path: str) -> tuple[int, int]:
    """Changes when the file does: a long-lived process must not go by an older version."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return (0, 0)
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _stop_words(path: str, stamp: tuple[int, int], within: tuple[str, ...]) -> tuple[str, ...]:
    listed: dict[str, None] = {}
    for _, entries in _lines(path, within, "\n"):
        listed.update(dict.fromkeys(entries))
    if not listed:
        raise ReadError(path, None, "there is no stop word in it; write one word on each line")
    return tuple(listed)


@lru_cache(maxsize=8)
def _synonyms(path: str, stamp: tuple[int, int], within: tuple[str, ...]) -> Synonyms:
    groups: list[tuple[str, ...]] = []
    line_of: dict[str, int] = {}
    for number, entries in _lines(path, within, ","):
        group = tuple(dict.fromkeys(entries))
        if len(group) < 2:
            raise ReadError(
                path,
                number,
                f"'{group[0]}' stands alone; write the words that mean the same on one line, "
                "separated by commas",
            )
        for word in group:
            if word in line_of:
                raise ReadError(
                    path,
                    number,
                    f"'{word}' stands on line {line_of[word]} already; "
                    "a word belongs to one line, so join the two",
                )
            line_of[word] = number
        groups.append(group)
    if not groups:
        raise ReadError(path, None, "there are no synonyms in it; write a group on each line")
    return tuple(groups)


def _lines(path: str, within: tuple[str, ...], separator: str) -> Iterator[Line]:
    """The entries of each line that has any, in the spelling in which words are compared."""
    given = path[1:].replace("=", "\n").replace("|", separator) if are_given(path) else None
    text = _text(path, within) if given is None else given
    for number, line in enumerate(text.split("\n"), 1):
        written = line.partition("#")[0].split(separator)
        entries = [entry.strip() for entry in written if entry.strip()]
        spelt = words(entries) if entries else []
        for entry, parts in zip(entries, spelt, strict=True):
            if len(parts) != 1:
                raise ReadError(path, number, _not_one_word(entry, parts, separator))
        if entries:
            yield number, [parts[0] for parts in spelt]


def _not_one_word(entry: str, parts: list[str], separator: str) -> str:
    shown = entry if len(entry) <= SHOWN else f"{entry[:SHOWN]}…"
    if not parts:
        return f"'{shown}' is no word; leave it out"
    remedy = "separate words by commas" if separator == "," else "write one word on each line"
    return f"'{shown}' is {len(parts)} words, and every entry must be a single word; {remedy}"


def _text(path: str, within: tuple[str, ...]) -> str:
    try:
        raw = read_regular(path, WORDS_BYTES, within)
    except FileNotFoundError:
        raise MissingFileError(path, bounded=bool(within)) from None
    except (OSError, ValueError) as fault:
        raise ReadError(path, None, getattr(fault, "strerror", None) or str(fault)) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw[: fault.start].count(b"\n") + 1
        raise ReadError(path, line, "it is not UTF-8; save the file as UTF-8") from None
