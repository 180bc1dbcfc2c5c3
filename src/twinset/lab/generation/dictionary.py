"""Files of words: every word of the file counts once, in the order of the file."""

from __future__ import annotations

import os
from functools import lru_cache

from twinset.errors import TwinsetError
from twinset.lab.generation.units import word_spans
from twinset.system.bounded import WORDS_BYTES, read_regular


def load_words(path: str) -> tuple[str, ...]:
    """The words of a file; a file that is missing or has none is told with the remedy."""
    return _load(path, *_state(path))


def load_text(path: str) -> str:
    """The text of a file."""
    return _read(path, *_state(path))


def fault_of(path: str, name: str) -> list[str]:
    """What is wrong with a file of words, as a sentence."""
    try:
        load_words(path)
    except TwinsetError as fault:
        return [f"{name}: {fault}"]
    return []


def _state(path: str) -> tuple[int, int]:
    """What tells that a file has changed since it was read."""
    try:
        state = os.stat(path)
    except (OSError, ValueError) as fault:  # the latter where the path holds a null character
        reason = getattr(fault, "strerror", None) or fault
        raise TwinsetError(
            f"the file {path!r} cannot be read ({reason}); give the path of a text file"
        ) from None
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=16)
def _load(path: str, time: int, size: int) -> tuple[str, ...]:
    text = _read(path, time, size)
    found = tuple(dict.fromkeys(text[a:b] for a, b in word_spans(text)))
    if not found:
        raise TwinsetError(f"the file '{path}' has no words; write one on each line")
    return found


@lru_cache(maxsize=16)
def _read(path: str, time: int, size: int) -> str:
    from twinset.reading.encoding import decode

    try:
        return decode(read_regular(path, WORDS_BYTES), html=False).text
    except OSError as fault:
        raise TwinsetError(
            f"the file '{path}' cannot be read ({fault.strerror}); give the path of a text file"
        ) from None
