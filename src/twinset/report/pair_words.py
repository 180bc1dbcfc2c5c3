"""Two documents compared, in words: what they are to each other, and how their texts differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from twinset.pages.language import speaker
from twinset.verify.diff import Change, DiffRun
from twinset.verify.side_by_side import SideBySide

CONTEXT = 12
"""Words shown at either end of a long run that both texts have."""
MARKS: dict[Change, tuple[str, str]] = {
    "same": ("", ""),
    "left": ("[-", "-]"),
    "right": ("{+", "+}"),
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
    return f"{say(kind)}{': ' if parts else ''}{'; '.join(parts)}."


def difference_in_words(side: SideBySide, language: str = "en") -> str:
    """The differences in one sentence."""
    sentence = "; ".join(difference_facts(side, language))
    return f"{sentence[:1].upper()}{sentence[1:]}."


def difference_facts(side: SideBySide, language: str = "en") -> list[str]:
    """How many differences there are and of what sort, a few words each."""
    say = speaker(language, "pair")
    if side.equal:
        return [say("equal")]
    facts = [say("differences", n=len(side.differences))]
    facts += [say("numbers_only")] if side.numbers_only else []
    facts += [say("moved", n=len(side.moved))] if side.moved else []
    return facts + ([say("cut")] if side.cut else [])


def marked_words(runs: Iterable[DiffRun], language: str = "en") -> Iterator[tuple[Change, str]]:
    """The runs of a diff as texts in which marks show what only one of the two has."""
    for run in runs:
        before, after = MARKS[run.change]
        words = shortened(run.words, language) if run.change == "same" else " ".join(run.words)
        yield run.change, f"{before}{words}{after}"


def shortened(words: Sequence[str], language: str = "en") -> str:
    """Words that both documents have, without the middle of a long run."""
    if len(words) <= 3 * CONTEXT:
        return " ".join(words)
    left_out = speaker(language, "paper")("equal_words", n=len(words) - 2 * CONTEXT)
    return f"{' '.join(words[:CONTEXT])} … {left_out} … {' '.join(words[-CONTEXT:])}"
