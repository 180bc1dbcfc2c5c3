"""Names in scripts without capitals: nothing marks them, so what they do in two texts has to tell.

A paper of a form has other words than another one wherever somebody is named, so that short words
stand for others of which the other text knows nothing. Wording that was changed looks the same at
one place. It does not return at the next one where the same is meant, does not follow a colon, and
is not all that differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from twinset.verify.differing import WordDifference
from twinset.verify.valued_text import VALUES, ValuedText

NAME = 8
"""Words of a name at most; in Chinese and Japanese each character is one."""
SLIP = 1
"""Characters that may differ in a word that was mistyped."""


def exchanged_uncased(
    left: ValuedText, right: ValuedText, places: Sequence[WordDifference]
) -> list[WordDifference]:
    """The places where something else is named, as far as it is written without capitals."""
    both = [place for place in places if place.left and place.right]
    candidates = [place for place in both if _is_uncased(place) and not _is_slip(place)]
    if not candidates:
        return []
    ours, theirs = (f" {' '.join(text.words)} " for text in (left, right))
    foreign = [
        place
        for place in candidates
        if f" {' '.join(place.left)} " not in theirs or f" {' '.join(place.right)} " not in ours
    ]
    others = [place for place in both if place not in foreign and not _are_values(place)]
    if sum(map(_is_word, foreign)) > 1 and not others:
        return foreign
    times = Counter((place.left, place.right) for place in foreign)
    return [
        place
        for place in foreign
        if times[place.left, place.right] > 1
        or (left.is_labelled(place.where[0]) and right.is_labelled(place.where[2]))
    ]


def _is_word(place: WordDifference) -> bool:
    """Whether it is more than one character for another, as a variant or a misread one is."""
    return max(len("".join(place.left)), len("".join(place.right))) > 1


def _are_values(place: WordDifference) -> bool:
    return {*place.left_sorts, *place.right_sorts} <= VALUES


def _is_uncased(place: WordDifference) -> bool:
    if max(len(place.left), len(place.right)) > NAME:
        return False
    return all(
        sort == "word" and word.upper() == word
        for words, sorts in ((place.left, place.left_sorts), (place.right, place.right_sorts))
        for word, sort in zip(words, sorts, strict=True)
    )


def _is_slip(place: WordDifference) -> bool:
    """Whether a longer word differs in one character, as by a slip or an ending."""
    from rapidfuzz.distance import DamerauLevenshtein

    ours, theirs = "".join(place.left), "".join(place.right)
    return min(len(ours), len(theirs)) > 3 * SLIP and (
        DamerauLevenshtein.distance(ours, theirs, score_cutoff=SLIP) <= SLIP
    )
