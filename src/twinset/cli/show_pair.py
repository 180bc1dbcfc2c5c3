"""Two documents on a terminal: their differences, and the kind of these."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twinset.cli.output import console, one_line, print_json, say
from twinset.spec.numerals import counted

if TYPE_CHECKING:
    from twinset.review import ReportIndex
    from twinset.verify.diff import DiffRun


def show_pair(index: ReportIndex, pair: tuple[str, str], original: bool, json: bool) -> None:
    """Print the differences of two documents."""
    from twinset.report.listed import listed_pair
    from twinset.review import ReportTexts
    from twinset.review.signals import in_words

    numbers = [index.number(id) for id in pair]
    left, right = (ReportTexts.of(index).text(n, original=original) for n in numbers)
    row, said = listed_pair(index.report, *pair), in_words(index, numbers[0], numbers[1])
    print_pair(pair, (left, right), row, said, lambda: index.report.signals(*pair), json=json)


def print_pair(
    pair: tuple[str, str],
    texts: tuple[str, str],
    row: dict[str, Any] | None,
    said: list[str],
    signals: Callable[[], dict[str, float]],
    *,
    json: bool,
) -> None:
    """Two texts, the row of the pair where it is listed, and what signals say."""
    from twinset.report.pair_words import difference_in_words, kind_in_words
    from twinset.verify.changes import changes
    from twinset.verify.diff import text_diff
    from twinset.verify.kinds import kind_of
    from twinset.verify.side_by_side import lay_out

    left, right = texts
    diff = text_diff(left, right)
    runs, side = diff.runs(), lay_out(diff)
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
        facts |= {"in_words": said, "signals": signals()}
        print_json({"pair": row, **facts, "diff": [dataclasses.asdict(run) for run in runs]})
        return
    if row is None:
        say("These two are not listed as a pair.")
    else:
        shared = row["shared"]
        sharing = "" if shared is None else f", {counted(shared, 'feature')} shared"
        say(f"score {row['score']:.4f}{sharing}")
    say(kind_in_words(kind, phrases))
    say(difference_in_words(side))
    for sentence in said:
        say(f"- {sentence}")
    _print_diff(runs, pair)


def _print_diff(runs: list[DiffRun], pair: tuple[str, str]) -> None:
    from rich.text import Text

    from twinset.report.pair_words import marked_words

    styles = {"same": "", "left": "red", "right": "blue"}
    text = Text.assemble((f"[-{pair[0]}-]", "red"), " ", (f"{{+{pair[1]}+}}", "blue"), "\n\n")
    for change, words in marked_words(runs):
        text.append(one_line(words, 1 << 20), style=styles[change])
        text.append(" ")
    console().print(text, soft_wrap=True)
