"""A part of two texts side by side, with what both have folded away: long documents stay usable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from twinset.finding.verify.diff import Change, DiffRun
from twinset.finding.verify.side_by_side import Kind, Row, SideBySide, TextPiece
from twinset.pages.language import speaker
from twinset.pages.shown import shown

CONTEXT = 12
"""Words shown at either end of a long run that both texts have."""
MARKS: dict[Change, tuple[str, str]] = {
    "same": ("", ""),
    "left": ("[-", "-]"),
    "right": ("{+", "+}"),
    "masked": ("", ""),
}
"""For files, and for readers who cannot tell red from green."""


def kind_in_words(kind: str, phrases: Sequence[tuple[str, str]], language: str = "en") -> str:
    """What two documents are to each other, and what differs in a few phrases."""
    say = speaker(language, "kinds")
    parts = [
        f"{before} → {after}"
        if before and after
        else say("dropped" if before else "added", before=before, after=after)
        for before, after in phrases
    ]
    name = say(kind)
    return f"{name[:1].upper()}{name[1:]}{': ' if parts else ''}{'; '.join(parts)}."


def difference_in_words(side: SideBySide, language: str = "en") -> str:
    """The differences in one sentence."""
    sentence = "; ".join(difference_facts(side, language))
    return f"{sentence[:1].upper()}{sentence[1:]}."


def difference_facts(side: SideBySide, language: str = "en") -> list[str]:
    """How many differences there are and of what sort, a few words each."""
    say = speaker(language, "pair")
    masked = [say("masked", n=side.masked)] if side.masked else []
    if side.equal:
        return [say("equal"), *masked]
    facts = [say("differences", n=len(side.differences)), *masked]
    facts += [say("numbers_only")] if side.numbers_only else []
    facts += [say("moved", n=len(side.moved))] if side.moved else []
    return facts + ([say("cut")] if side.cut else [])


def marked_words(
    runs: Iterable[DiffRun], language: str = "en", *, whole: bool = False
) -> Iterator[tuple[Change, str]]:
    """The runs of a diff as texts in which marks show what only one of the two has."""
    for run in runs:
        before, after = MARKS[run.change]
        is_cut = run.change == "same" and not whole
        words = shortened(run.words, language) if is_cut else " ".join(run.words)
        yield run.change, f"{before}{words}{after}"


def shortened(words: Sequence[str], language: str = "en") -> str:
    """Words that both documents have, without the middle of a long run."""
    if len(words) <= 3 * CONTEXT:
        return " ".join(words)
    left_out = speaker(language, "paper")("equal_words", n=len(words) - 2 * CONTEXT)
    return f"{' '.join(words[:CONTEXT])} … {left_out} … {' '.join(words[-CONTEXT:])}"


NEAR = 1
"""Equal rows shown before and after one that differs."""
LEAST = 3
"""Equal rows that are folded."""


@dataclass(frozen=True, slots=True)
class Part:
    """Text of one pane, fit to be shown; ``link`` is None between pieces.

    ``begins`` says that a difference or a moved passage begins here, not only goes on.
    """

    kind: Kind | None
    text: str
    link: int | None = None
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row with its parts."""

    row: int
    differs: bool
    left: tuple[Part, ...]
    right: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows from first to before last that are equal and not shown."""

    first: int
    last: int


Item = Line | Fold


@dataclass(frozen=True, slots=True)
class Window:
    """Items from ``start`` on; ``after`` is where the next ones begin, None at the end."""

    items: tuple[Item, ...]
    start: int
    after: int | None


def window(side: SideBySide, start: int = 0, count: int = 120) -> Window:
    """So many items, rows or folds, from one on."""
    every = outline(side)
    start = max(0, min(start, len(every) - 1))
    chosen = every[start : start + count]
    items = tuple(item if isinstance(item, Fold) else line(side, item) for item in chosen)
    after = start + len(chosen)
    return Window(items, start, after if after < len(every) else None)


def unfolded(side: SideBySide, first: int, last: int) -> tuple[Line, ...]:
    """The rows of a fold."""
    return tuple(line(side, row) for row in range(max(0, first), min(last, len(side.rows))))


def place_of(side: SideBySide, difference: int) -> int:
    """The item in which a difference begins."""
    row = side.differences[difference].row
    return next((at for at, item in enumerate(outline(side)) if item == row), 0)


def outline(side: SideBySide) -> list[int | Fold]:
    """Rows to show, and folds in the place of others; equal texts are shown as they are."""
    rows = len(side.rows)
    if not side.differences:
        return list(range(rows))
    near = bytearray(rows)
    for number, row in enumerate(side.rows):
        if row.differs:
            for close in range(max(0, number - NEAR), min(rows, number + NEAR + 1)):
                near[close] = 1
    parts: list[int | Fold] = []
    at = 0
    while at < rows:
        end = at
        while end < rows and not near[end]:
            end += 1
        if end - at >= LEAST:
            parts.append(Fold(at, end))
        else:
            parts.extend(range(at, end))
        if end < rows:
            parts.append(end)
        at = end + 1
    return parts


def line(side: SideBySide, number: int) -> Line:
    """One row."""
    row = side.rows[number]
    left = tuple(_parts(side.left, row.left, _begun(side, number, "left")))
    right = tuple(_parts(side.right, row.right, _begun(side, number, "right")))
    return Line(number, row.differs, left, right)


def _begun(side: SideBySide, number: int, which: str) -> tuple[Kind, int] | None:
    """The last piece of the row before, if it may continue in this one."""
    if not number:
        return None
    before: Row = side.rows[number - 1]
    pieces: tuple[TextPiece, ...] = getattr(before, which)
    return (pieces[-1].kind, pieces[-1].link) if pieces else None


def _parts(
    text: str, pieces: tuple[TextPiece, ...], before: tuple[Kind, int] | None
) -> Iterator[Part]:
    end = None
    for piece in pieces:
        if end is not None and end < piece.start:
            yield Part(None, shown(text[end : piece.start]))
        here = (piece.kind, piece.link)
        yield Part(piece.kind, shown(text[piece.start : piece.end]), piece.link, here != before)
        end, before = piece.end, here
