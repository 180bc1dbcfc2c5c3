"""What differs between two texts, in a few short phrases: "rent is 10,200" became "10,800"."""

from __future__ import annotations

from collections.abc import Iterator

from twinset.finding.verify.differing import WordDifference, differences
from twinset.finding.verify.valued_text import VALUES, ValuedText

LONGEST = 60
"""Letters of a phrase; a longer one ends in "…"."""
REACH = 3
"""Words before a value among which the one that says what it is of is looked for."""
TELLING = 4
"""Letters of a word that says something."""


def changes(
    before: str | ValuedText, after: str | ValuedText, most: int = 3
) -> tuple[tuple[str, str], ...]:
    """At most ``most`` phrases that were exchanged, dropped (nothing after) or added, in order.

    Values (numbers, dates, names) that became others come first where there is no room for all.
    Case, punctuation and layout make no difference.

    >>> changes("The rent is 10,200 for six years.", "The rent is 10,800 for five years.")
    (('rent is 10,200', '10,800'), ('six years', 'five'))
    """
    left = ValuedText(before) if isinstance(before, str) else before
    right = ValuedText(after) if isinstance(after, str) else after
    if left.words == right.words:
        return ()
    places = list(_unmoved(differences(left, right)))
    phrases: dict[tuple[str, str], int] = {}
    for number in sorted(range(len(places)), key=lambda number: _rank(places[number])):
        if len(phrases) >= most:
            break
        phrases.setdefault(_phrases(left, right, places[number]), number)
    return tuple(sorted(phrases, key=phrases.__getitem__))


def _unmoved(places: list[WordDifference]) -> Iterator[WordDifference]:
    """The differences without passages that stand in another place of the other text."""
    dropped = {place.left for place in places if not place.right}
    added = {place.right for place in places if not place.left}
    moved = dropped & added
    return (place for place in places if (place.left or place.right) not in moved)


def _rank(place: WordDifference) -> int:
    """Values that became others first, then other words, then what was added or dropped."""
    if not place.left or not place.right:
        return 2
    return 0 if {*place.left_sorts, *place.right_sorts} & VALUES else 1


def _phrases(left: ValuedText, right: ValuedText, place: WordDifference) -> tuple[str, str]:
    a, b, c, d = place.where
    if a == b or c == d:
        return _phrase(left, a, b), _phrase(right, c, d)
    if place.left_sorts[0] in VALUES:
        return _phrase(left, _context(left, a), b), _phrase(right, c, d)
    return _phrase(left, a, _followed(left, b)), _phrase(right, c, d)


def _context(text: ValuedText, at: int) -> int:
    """Where the word begins that says what the value is of: the nearest long one before it."""
    for place in range(at - 1, max(at - 1 - REACH, -1), -1):
        if not _flows(text, place, ",: "):
            break
        if len(text.words[place]) >= TELLING:
            return place
    return at


def _followed(text: ValuedText, end: int) -> int:
    """With the next word of the sentence."""
    return end + 1 if end < len(text.words) and _flows(text, end - 1, " ") else end


def _flows(text: ValuedText, at: int, between: str) -> bool:
    """Whether nothing but these marks, or a line end in a sentence, parts a word from the next."""
    marks = text.text[text.places[at][1] : text.places[at + 1][0]]
    if marks == "\n":
        return text.written[at].islower() and not text.written[at + 1][0].isupper()
    return not marks.strip(between)


def _phrase(text: ValuedText, begin: int, end: int) -> str:
    while begin < end and text.sorts[begin] == "marker":
        begin += 1
    while begin < end and text.sorts[end - 1] == "marker":
        end -= 1
    if begin == end:
        return ""
    first = text.places[begin][0]
    window = text.text[first : min(text.places[end - 1][1], first + 4 * LONGEST)]
    phrase = " ".join(window.split())
    if len(phrase) <= LONGEST:
        return phrase
    return phrase[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
