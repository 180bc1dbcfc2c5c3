"""The dialogue of ``twinset ask`` on a terminal: a question, a key, what the answer has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from twinset.cli.output import one_line, visible
from twinset.plan.spec import counted

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

    from twinset.cli.ask_keys import Keys
    from twinset.finding.verify.side_by_side import SideBySide
    from twinset.lab.ask import Dialogue, DialogueStep, Question
    from twinset.result.pair_rows import Part


NARROW = 80
"""Columns of a terminal that are too few for two texts beside each other."""
AROUND = 12
"""Lines of a screen that the rest of a question takes."""
LEAST = 8
STYLES = {
    ("changed", "left"): ("[-", "-]", "bold red"),
    ("changed", "right"): ("{+", "+}", "bold blue"),
    ("moved", "left"): ("<~", "~>", "yellow"),
    ("moved", "right"): ("<~", "~>", "yellow"),
}


@dataclass(frozen=True)
class ShownRow:
    """Parts of both texts that stand beside each other, or what was left out of both."""

    left: Text
    right: Text
    differs: bool = True


def show_question(console: Console, question: Question, *, whole: bool = False) -> None:
    """Print a question; ``whole`` leaves nothing out."""
    from rich.text import Text

    from twinset.finding.verify.side_by_side import side_by_side
    from twinset.result.pair_rows import difference_in_words

    side = side_by_side(question.left_text, question.right_text)
    console.print()
    console.rule(Text(f"Question {question.number} of {question.of}", "bold"), align="left")
    if question.again:
        text = "Again: this answer contradicts your other ones. Please look once more."
        console.print(Text(text, "bold yellow"))
    rows = list(_rows(side, whole, has_colours(console)))
    room = None if whole else max(LEAST, console.height - AROUND)
    kept, left_out = _fitting(rows, room, _column(console))
    console.print(_laid_out(console, question, side, kept))
    if left_out:
        rest = counted(left_out, "more part")
        console.print(Text(f"… {rest}: m shows both texts whole", "dim"))
    console.print(difference_in_words(side), soft_wrap=True)
    for sentence in question.signals:
        console.print(Text(f"  · {one_line(sentence, 300)}", "dim"))


def has_colours(console: Console) -> bool:
    """Whether colours can tell what differs."""
    return console.color_system is not None and not console.no_color


def _rows(side: SideBySide, whole: bool, coloured: bool) -> Iterator[ShownRow]:
    """The rows to show, long runs of equal words shortened."""
    from rich.text import Text

    from twinset.result.pair_rows import Fold, line, outline

    for item in list(range(len(side.rows))) if whole else outline(side):
        if isinstance(item, Fold):
            words = sum(
                len(side.left[piece.start : piece.end].split())
                for row in side.rows[item.first : item.last]
                for piece in row.left
            )
            note = Text(f"… {counted(words, 'equal word')} …", "dim")
            yield ShownRow(note, note, differs=False)
            continue
        row = line(side, item)
        left, right = (
            _text(parts, which, whole, coloured)
            for parts, which in ((row.left, "left"), (row.right, "right"))
        )
        yield ShownRow(left, right, row.differs)


def _text(parts: tuple[Part, ...], which: str, whole: bool, coloured: bool) -> Text:
    from rich.text import Text

    from twinset.result.pair_rows import shortened

    text = Text()
    for part in parts:
        words = one_line(part.text, len(part.text) + 1)
        if not words:
            continue
        if text:
            text.append(" ")
        if part.kind is None or part.kind == "same":
            text.append(words if whole else shortened(tuple(words.split())))
            continue
        before, after, style = STYLES[part.kind, which]
        text.append(words if coloured else f"{before}{words}{after}", style)
    return text


def _column(console: Console) -> int:
    """The columns that one text has."""
    return console.width - 2 if console.width < NARROW else (console.width - 3) // 2


def _fitting(rows: list[ShownRow], room: int | None, column: int) -> tuple[list[ShownRow], int]:
    """The first rows that have room on a screen, and how many others there are."""
    if room is None:
        return rows, 0
    used = 0
    for number, row in enumerate(rows):
        longest = max(row.left.cell_len, row.right.cell_len)
        used += max(1, -(-longest // column))
        if used > room and number:
            return rows[:number], len(rows) - number
        if used > room:
            for text in (row.left, row.right):
                text.truncate(room * column, overflow="ellipsis")
            return rows[:1], len(rows)
    return rows, 0


def _laid_out(
    console: Console, question: Question, side: SideBySide, rows: list[ShownRow]
) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    heads = [
        Text.assemble(
            (name, style), " ", (one_line(id, 60), "bold"), (f"  {counted(n, 'word')}", "dim")
        )
        for name, style, id, n in (
            ("left", "red", question.left, side.words[0]),
            ("right", "blue", question.right, side.words[1]),
        )
    ]
    if console.width < NARROW:
        return _one_below_the_other(heads, rows)
    from rich.box import MINIMAL

    table = Table(box=MINIMAL, expand=True, show_edge=False, pad_edge=False)
    for head in heads:
        table.add_column(head, ratio=1, overflow="fold")
    for row in rows:
        table.add_row(row.left, row.right)
    return table


def _one_below_the_other(heads: list[Text], rows: list[ShownRow]) -> RenderableType:
    """Equal rows once, others as a line of the left text and a line of the right one."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1), pad_edge=False)
    table.add_column(width=1)
    table.add_column(overflow="fold")
    for mark, head in zip("<>", heads, strict=True):
        table.add_row(mark, head)
    table.add_row("", "")
    for row in rows:
        if row.differs:
            table.add_row(Text("<", "red"), row.left)
            table.add_row(Text(">", "blue"), row.right)
        else:
            table.add_row("", row.left)
    return table


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
