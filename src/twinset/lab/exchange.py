"""A dialogue between two programs, through files of a folder.

The program that asks (`Asker`) writes ``dialogue.json``, whole, after every answer; the program
that answers (`say`) appends lines to ``said.jsonl`` and waits until they have been heard. A line is
on the disk before `say` returns, and a line about a question that is not asked any more has no
effect. So neither two windows, nor a kill, nor a line heard twice after one, changes an answer.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from twinset.errors import TwinsetError
from twinset.lab.ask import Dialogue, DialogueStep, Question
from twinset.pages.language import LANGUAGES
from twinset.system.files import read_object, write_json
from twinset.system.lines import AppendedLines

STATE, SAID = "dialogue.json", "said.jsonl"
STATE_BYTES = 64 << 20
CHARACTERS = 4 << 20
"""Of a text that is handed over: more than a comparison word by word reads."""
IDLE = 3600.0
"""Seconds without an answer after which the asking program ends, and can be started again."""
GLANCE = 0.02
"""Seconds between two looks at a file."""
Said = Literal["yes", "no", "unsure", "undo", "enough"]


@dataclass(frozen=True)
class AskState:
    """Where a dialogue stands: the question, none when all were asked, and a step per answer.

    ``heard`` counts the lines of ``said.jsonl`` that were read; ``resumed`` the answers that were
    there at the start; ``is_over`` says that nobody listens any more.
    """

    question: dict[str, Any] | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)
    heard: int = 0
    resumed: int = 0
    is_over: bool = False


@dataclass
class Asker:
    """The side that asks; ``after`` is called after every change of the dialogue."""

    folder: Path
    dialogue: Dialogue
    after: Callable[[], None]

    def run(self, idle: float = IDLE) -> None:
        """Ask until enough was asked, or nobody has answered for so long; raises without folder."""
        before = read_state(self.folder)
        heard = before.heard if before is not None else 0
        resumed = len(self.dialogue.steps)
        while True:
            self._write(heard, resumed)
            line = self._next_line(heard, idle)
            heard += line is not None
            if line is None or line.get("said") == "enough":
                self._write(heard, resumed, is_over=True)
                return
            self._hear(line)

    def _hear(self, line: dict[str, Any]) -> None:
        """Take an answer, unless it is about another pair than the current one."""
        pair, said = (line.get("left"), line.get("right")), line.get("said")
        if said == "undo":
            steps = self.dialogue.steps
            if steps and pair == (steps[-1].question.left, steps[-1].question.right):
                self.dialogue.undo()
                self.after()
        elif said in ("yes", "no", "unsure"):
            question = self.dialogue.question()
            if question is not None and pair == (question.left, question.right):
                self.dialogue.answer(said)
                self.after()

    def _write(self, heard: int, resumed: int, is_over: bool = False) -> None:
        question = self.dialogue.question()
        state = AskState(
            None if question is None else self._handed_over(question),
            [_short(step) for step in self.dialogue.steps],
            heard,
            resumed,
            is_over,
        )
        write_json(self.folder / STATE, dataclasses.asdict(state), durable=False)

    def _handed_over(self, question: Question) -> dict[str, Any]:
        """The question, with what stands out in all languages: each reader has one."""
        fields = dataclasses.asdict(question)
        for name in ("left_text", "right_text"):
            fields[name] = fields[name][:CHARACTERS]
        words = {language: self.dialogue.signals_in(language) for language in LANGUAGES}
        return {**fields, "signals": words}

    def _next_line(self, heard: int, idle: float) -> dict[str, Any] | None:
        end = time.monotonic() + idle
        said = _lines(self.folder)
        while (line := said.folded(dict).get(heard + 1)) is None and heard + 1 not in said.unread:
            if not self.folder.is_dir():  # nobody can answer any more
                raise TwinsetError(f"the folder of the dialogue {self.folder} is gone")
            if time.monotonic() > end:
                return None
            time.sleep(GLANCE)
        return line or {}


def say(folder: Path, said: Said, left: str = "", right: str = "") -> int:
    """Hand an answer over, about a pair by its ids; returns how many lines were said so far."""
    with _lines(folder).writing() as write:
        return write({"said": said, "left": left, "right": right})


def _lines(folder: Path) -> AppendedLines:
    """What was said; a damaged line says nothing, but counts."""
    return AppendedLines(folder / SAID, lambda entry: True, "answer")


def wait_until_heard(folder: Path, lines: int, seconds: float) -> bool:
    """Whether the asking program has read so many lines, now or after a while."""
    end = time.monotonic() + seconds
    while True:
        state = read_state(folder)
        if state is not None and state.heard >= lines:
            return True
        if time.monotonic() > end:
            return False
        time.sleep(GLANCE)


def read_state(folder: Path) -> AskState | None:
    """The current state of a dialogue; None where none has begun, or its file is damaged."""
    entry = read_object(folder / STATE, STATE_BYTES)
    try:
        return None if entry is None else AskState(**entry)
    except TypeError:
        return None


def _short(step: DialogueStep) -> dict[str, Any]:
    """A step without the texts of its question."""
    fields = {each.name: getattr(step, each.name) for each in dataclasses.fields(step)}
    question = fields.pop("question")
    for name in ("change", "outlook"):
        fields[name] = dataclasses.asdict(fields[name])
    return {"left": question.left, "right": question.right, **fields}
