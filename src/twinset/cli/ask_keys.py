"""Answers from the keyboard, one key without Enter, or from lines where stdin is no terminal."""

from __future__ import annotations

import codecs
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

WORDS = {"yes": "y", "no": "n", "unsure": "u", "undo": "z", "more": "m", "quit": "q", "help": "?"}
CYRILLIC = {"н": "y", "т": "n", "г": "u", "я": "z", "ь": "m", "й": "q"}
"""The same keys of a keyboard in the Russian layout."""
ESCAPED = re.compile(r"\x1b(\[[0-9;]*[A-Za-z~]|O[A-Za-z])?")
"""What arrows and the like send."""
CTRL_D = "\x04"


class Keys(Protocol):
    """Where answers come from."""

    def fresh(self) -> None:
        """Forget what was typed before a question was there to be seen."""

    def next(self) -> str:
        """The next key as a small letter; empty at the end of the input."""


class KeyLines:
    """A line per answer, a letter or a word, so that a dialogue can be scripted."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def fresh(self) -> None:
        """Lines are no typing ahead: all of them count."""

    def next(self) -> str:
        """The key of the next line that is not blank."""
        for line in self._stream:
            if word := line.strip().casefold():
                return WORDS.get(word, word)
        return ""


class KeyPresses:
    """Single keys of a terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = ""

    def fresh(self) -> None:
        """A key held too long must not answer a question that nobody has seen."""
        import termios

        termios.tcflush(self._terminal, termios.TCIFLUSH)
        self._waiting = ""

    def next(self) -> str:
        """The next key, in either layout; arrows and the like are skipped."""
        while True:
            while not self._waiting:
                data = os.read(self._terminal, 64)
                if not data:
                    return ""
                self._waiting = self._decoder.decode(data)
            if escaped := ESCAPED.match(self._waiting):
                self._waiting = self._waiting[escaped.end() :]
                continue
            key, self._waiting = self._waiting[0].casefold(), self._waiting[1:]
            return "" if key == CTRL_D else CYRILLIC.get(key, key)


@contextmanager
def keys_of(stream: TextIO = sys.stdin) -> Iterator[Keys]:
    """The keys of a stream; a terminal is as it was before when the block ends."""
    if not stream.isatty():
        yield KeyLines(stream)
        return
    import termios
    import tty

    terminal = stream.fileno()
    before = termios.tcgetattr(terminal)

    def listen(*_: Any) -> None:
        tty.setcbreak(terminal, termios.TCSADRAIN)

    # A shell that has stopped us (Ctrl-Z) gives the terminal back as it likes it.
    last = signal.signal(signal.SIGCONT, listen)
    try:
        listen()
        yield KeyPresses(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        signal.signal(signal.SIGCONT, last)
