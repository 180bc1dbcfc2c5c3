"""Two documents on a terminal: their differences, and the kind of these."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twinset.cli.output import console, one_line, print_json, say
from twinset.spec.numerals import counted

if TYPE_CHECKING:
    from twinset.review import Index, SideBySide

CONTEXT = 12


def show_pair(index: Index, pair: tuple[str, str], original: bool, json: bool) -> None:
    """Print the differences of two documents."""
    from twinset.review import ReportTexts
    from twinset.review.side_by_side import lay_out
    from twinset.review.signals import in_words
    from twinset.verify.changes import changes
    from twinset.verify.diff import text_diff
    from twinset.verify.kinds import kind_of

    numbers = [index.number(id) for id in pair]
    left, right = (ReportTexts.of(index).text(n, original=original) for n in numbers)
    diff = text_diff(left, right)
    runs, side = diff.runs(), lay_out(diff)
    row, said = _listed(index, pair), in_words(index, numbers[0], numbers[1])
    kind = (row or {}).get("kind") or kind_of(left, right)
    phrases = changes(left, right)
    if json:
        facts: dict[str, Any] = {
            "equal": side.equal,
            "numbers_only": side.numbers_only,
            "cut": side.cut,
        }
        facts |= {"differences": len(side.differences), "moved": len(side.moved)}
        facts |= {"kind": kind, "changes": [list(phrase) for phrase in phrases]}
        facts |= {"in_words": said, "signals": index.report.signals(*pair)}
        print_json({"pair": row, **facts, "diff": [dataclasses.asdict(run) for run in runs]})
        return
    if row is None:
        say("These two are not listed as a pair.")
    else:
        say(f"score {row['score']:.4f}, {row['shared']:,} features shared")
    say(kind_in_words(kind, phrases))
    say(difference_in_words(side))
    for sentence in said:
        say(f"- {sentence}")
    _print_diff(runs, pair)


def kind_in_words(kind: str, phrases: Sequence[tuple[str, str]]) -> str:
    """What two documents are to each other, and what differs in a few phrases."""
    from twinset.pages.language import say as sentence

    parts = [
        f"{before} → {after}"
        if before and after
        else sentence(
            "en", "kinds.dropped" if before else "kinds.added", before=before, after=after
        )
        for before, after in phrases
    ]
    return f"{sentence('en', f'kinds.{kind}')}{': ' if parts else ''}{'; '.join(parts)}."


def difference_in_words(side: SideBySide) -> str:
    """The differences in one sentence."""
    if side.equal:
        return "Word for word the same."
    count = len(side.differences)
    sentence = counted(count, "difference")
    if side.numbers_only:
        sentence += ", in numbers and dates only"
    if side.moved:
        moved = len(side.moved)
        sentence += f"; {counted(moved, 'passage')} moved"
    return f"{sentence}; only the first words were compared." if side.cut else f"{sentence}."


def _print_diff(runs: list[Any], pair: tuple[str, str]) -> None:
    from rich.text import Text

    # Marks as well as colours, for files and for readers who cannot tell red from green.
    styles = {"same": ("", "", ""), "left": ("[-", "-]", "red"), "right": ("{+", "+}", "blue")}
    text = Text.assemble((f"[-{pair[0]}-]", "red"), " ", (f"{{+{pair[1]}+}}", "blue"), "\n\n")
    for run in runs:
        before, after, style = styles[run.change]
        words = shortened(run.words) if run.change == "same" else " ".join(run.words)
        text.append(one_line(f"{before}{words}{after}", 1 << 20), style=style)
        text.append(" ")
    console().print(text, soft_wrap=True)


def shortened(words: tuple[str, ...]) -> str:
    """Words that both documents have, without the middle of a long run."""
    if len(words) <= 3 * CONTEXT:
        return " ".join(words)
    left_out = len(words) - 2 * CONTEXT
    return f"{' '.join(words[:CONTEXT])} … {left_out:,} words … {' '.join(words[-CONTEXT:])}"


def _listed(index: Index, pair: tuple[str, str]) -> dict[str, Any] | None:
    """The row of a pair; documents with equal features count as the same, as on the page."""
    import pyarrow.compute as pc

    pairs = index.report.pairs
    left, right = pairs["left"], pairs["right"]
    numbers = [index.number(id) for id in pair]
    leaders = [index.id(int(index.leader[number])) for number in numbers]
    if leaders[0] == leaders[1]:
        return _copies(index, pair, numbers[0])
    there = pc.and_(pc.equal(left, leaders[0]), pc.equal(right, leaders[1]))
    back = pc.and_(pc.equal(left, leaders[1]), pc.equal(right, leaders[0]))
    rows: list[dict[str, Any]] = pairs.filter(pc.or_(there, back)).to_pylist()
    if not rows:
        return None
    names = dict(zip(leaders, pair, strict=True))
    return rows[0] | {side: names[rows[0][side]] for side in ("left", "right")}


def _copies(index: Index, pair: tuple[str, str], number: int) -> dict[str, Any] | None:
    """The row of two documents with equal features, whether they are listed or implied."""
    score = float(index.copies[index.leader[number]])
    if pair[0] == pair[1] or score != score:
        return None
    shared = index.report.documents["features"][number].as_py()
    whole = {"containment_left": 1.0, "containment_right": 1.0, "shared": shared}
    return {"left": pair[0], "right": pair[1], "score": score, **whole}
