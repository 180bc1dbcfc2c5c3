"""The dialogue of ``twinset ask`` on a terminal: a question, a key, what the answer has changed."""

from __future__ import annotations

import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from twinset.cli.output import one_line, visible
from twinset.cli.show import marked
from twinset.finding.verify.diff import text_diff
from twinset.finding.verify.side_by_side import lay_out
from twinset.plan.spec import counted
from twinset.result.pair_rows import difference_in_words

if TYPE_CHECKING:
    from rich.console import Console

    from twinset.lab.ask import Dialogue, DialogueStep, Question


LONGEST = 3000
"""Characters of a question unless it is shown whole."""
WORDS = {"yes": "y", "no": "n", "unsure": "u", "undo": "z", "more": "m", "quit": "q", "help": "?"}
CYRILLIC = {"н": "y", "т": "n", "г": "u", "я": "z", "ь": "m", "й": "q"}
"""The same keys of a keyboard in the Russian layout."""
ESCAPED = re.compile(r"\x1b(\[[0-9;]*[A-Za-z~]|O[A-Za-z])?")
"""What arrows and the like send."""
CTRL_D = "\x04"


@contextmanager
def single_keys() -> Iterator[None]:
    """Where stdin is a terminal, keys come at once; afterwards it is as it was before."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def next_key() -> str:
    """A key of the terminal, or of the next line that is not blank; empty at the end of stdin."""
    if not sys.stdin.isatty():
        words = (text.strip().casefold() for text in sys.stdin)
        word = next(filter(None, words), "")
        return WORDS.get(word, word)
    while data := os.read(sys.stdin.fileno(), 64).decode("utf-8", "replace"):
        if key := ESCAPED.sub("", data)[:1].casefold():
            return "" if key == CTRL_D else CYRILLIC.get(key, key)
    return ""


def show_question(
    console: Console, question: Question, masks: Mapping[str, str], *, whole: bool = False
) -> None:
    """Print a question; ``whole`` leaves nothing out."""
    diff = text_diff(question.left_text, question.right_text, masks)
    console.print()
    console.rule(Text(f"Question {question.number} of {question.of}", "bold"), align="left")
    if question.again:
        text = "Again: this answer contradicts your other ones. Please look once more."
        console.print(Text(text, "bold yellow"))
    shown = marked((question.left, question.right), diff, whole=whole)
    if not whole:
        shown.truncate(LONGEST, overflow="ellipsis")
    console.print(shown, soft_wrap=True)
    console.print(difference_in_words(lay_out(diff)), soft_wrap=True)
    for sentence in question.signals:
        console.print(Text(f"  · {one_line(sentence, 300)}", "dim"))


ANSWERS: dict[str, Literal["yes", "no", "unsure"]] = {"y": "yes", "n": "no", "u": "unsure"}
PROMPT = "Copies?  y yes  n no  u unsure  ·  z undo  m more text  q stop  ? help"
HELP = """\
  y  yes: you would call the two copies of each other, and one could stand for both
  n  no: you would keep both
  u  unsure: the question is left out; it counts neither way
  z  undo the last answer and ask it again
  m  more text: show both texts whole
  q  stop; the answers are kept, and the same command goes on from here
There are no wrong answers: twinset learns what you call a copy."""


@dataclass(frozen=True)
class Talk:
    """Goes through the questions; ``after`` is called after every change of the dialogue."""

    dialogue: Dialogue
    console: Console
    after: Callable[[], None]

    def run(self) -> None:
        """Ask until enough was asked, or the user stops."""
        while True:
            question = self.dialogue.question()
            if question is None:
                return
            show_question(self.console, question, self.dialogue.masks)
            if sys.stdin.isatty():  # a key held too long must not answer what nobody has seen
                termios.tcflush(sys.stdin, termios.TCIFLUSH)
            if not self._answered():
                return

    def _answered(self) -> bool:
        """Take keys until one of them answers the question or undoes the last; False: stop."""
        question = self.dialogue.question()
        assert question is not None
        while True:
            self._print(PROMPT, "bold")
            key = next_key()
            if key in ("q", ""):
                return False
            if key in ANSWERS:
                step = self.dialogue.answer(ANSWERS[key])
                self.after()
                self._print(after_answer(step))
                return True
            if key == "z":
                if self._undone():
                    return True
            elif key == "m":
                show_question(self.console, question, self.dialogue.masks, whole=True)
            elif key == "?":
                self._print(HELP)
            else:
                self._print(f"'{one_line(key, 20)}' is no answer; type y, n, u, z, m, q or ?")

    def _undone(self) -> bool:
        if not self.dialogue.steps:
            self._print("There is no answer to undo yet.")
            return False
        last = self.dialogue.steps[-1]
        self.dialogue.undo()
        self.after()
        pair = f"{one_line(last.question.left, 60)} and {one_line(last.question.right, 60)}"
        self._print(f"Undone: {last.answer}, on {pair}.")
        return True

    def _print(self, text: str, style: str = "") -> None:
        self.console.print(visible(text), style=style or None, soft_wrap=True)


def after_answer(step: DialogueStep) -> str:
    """What an answer has changed, in a line."""
    parts = [step.answer, expected(step), step.changed, step.worth]
    return "→ " + " · ".join(part.rstrip(".") for part in parts if part)


def expected(step: DialogueStep) -> str:
    """What is expected after an answer."""
    figures = [
        f"{name} {value:.2f}"
        for name, value in (("precision", step.precision), ("recall", step.recall))
        if value is not None
    ]
    pairs = counted(step.pairs, "pair")
    return f"expected: {', '.join([*figures, pairs])}"
