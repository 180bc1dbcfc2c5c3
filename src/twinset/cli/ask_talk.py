"""The dialogue of ``twinset ask`` on a terminal: a question, a key, what the answer has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from twinset.cli.ask_shown import show_question
from twinset.cli.output import one_line, visible
from twinset.lazy_dataclass import dataclass
from twinset.spec.numerals import counted

if TYPE_CHECKING:
    from rich.console import Console

    from twinset.cli.ask_keys import Keys
    from twinset.lab.asking import Dialogue, DialogueStep

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
    keys: Keys
    console: Console
    after: Callable[[], None]

    def run(self) -> None:
        """Ask until enough was asked, or the user stops."""
        while True:
            question = self.dialogue.question()
            if question is None:
                return
            show_question(self.console, question)
            self.keys.fresh()
            if not self._answered():
                return

    def _answered(self) -> bool:
        """Take keys until one of them answers the question or undoes the last; False: stop."""
        question = self.dialogue.question()
        assert question is not None
        while True:
            self._print(PROMPT, "bold")
            key = self.keys.next()
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
                show_question(self.console, question, whole=True)
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
