"""The journal of a dialogue: one JSON object per line, left, right and answer.

Each answer is on the disk before the next question is shown, so a run that is killed loses at most
the last one; a line that was cut short costs that line only.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, get_args

from twinset.errors import TwinsetError
from twinset.lab.asking.belief import Answer
from twinset.system.bounded import LIST_BYTES, read_regular

ANSWERS = get_args(Answer)


class JournalError(TwinsetError):
    """A file of answers that cannot be read."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as it stands in a file."""

    left: str
    right: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """The answers of a file in their order, what was wrong with it, and its sound part's length."""

    answers: list[GivenAnswer]
    notes: list[str] = field(default_factory=list)
    sound_bytes: int = 0


def beside(plan: str | os.PathLike[str]) -> Path:
    """The journal of a plan: plan.toml has plan.answers.jsonl."""
    return Path(plan).with_suffix(".answers.jsonl")


def read_answers(path: str | os.PathLike[str]) -> ReadAnswers:
    """The answers of a journal; a last line that was cut short is left out, with a note."""
    try:
        content = read_regular(path, LIST_BYTES)
    except OSError as error:
        raise JournalError(f"cannot read the answers {path}: {error.strerror}") from None
    answers: list[GivenAnswer] = []
    notes: list[str] = []
    sound = 0
    lines = content.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        given = _answer(line)
        if given is None and line.strip():
            if number < len(lines) or line.endswith(b"\n"):
                raise JournalError(
                    f'line {number} of {path} is no answer: write {{"left": "a", "right": "b", '
                    '"answer": "yes"}, with yes, no or unsure'
                )
            notes.append(f"the last line of {path} was cut short and is left out")
            break
        if given is not None:
            answers.append(given)
        sound += len(line)
    return ReadAnswers(answers, notes, sound)


def _answer(line: bytes) -> GivenAnswer | None:
    try:
        row = json.loads(line)
        left, right, answer = row["left"], row["right"], row["answer"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(left, str) or not isinstance(right, str) or answer not in ANSWERS:
        return None
    return GivenAnswer(left, right, answer)


class AnswerJournal:
    """A file that answers are appended to."""

    def __init__(self, path: str | os.PathLike[str], sound_bytes: int = 0) -> None:
        self.path = Path(path)
        self._file: IO[bytes] = self.path.open("ab")
        # What follows the last sound line is half a line: the next answer must not be glued to it.
        self._file.truncate(sound_bytes)
        self._places = [sound_bytes]
        if sound_bytes and not self._ends_a_line(sound_bytes):
            self._write(b"\n")

    def append(self, left: str, right: str, answer: Answer) -> None:
        """Write an answer, through to the disk."""
        row = {"left": left, "right": right, "answer": answer}
        self._places.append(self._size())
        self._write(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    def undo(self) -> None:
        """Take the last line out again."""
        place = self._places.pop() if len(self._places) > 1 else self._last_line()
        self._file.truncate(place)
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """No more answers."""
        self._file.close()

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def _last_line(self) -> int:
        """Where the last line begins, of a journal that was there before."""
        content = self.path.read_bytes()
        return content.rstrip(b"\n").rfind(b"\n") + 1

    def _ends_a_line(self, size: int) -> bool:
        with self.path.open("rb") as file:
            file.seek(size - 1)
            return file.read(1) == b"\n"
