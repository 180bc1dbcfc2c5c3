"""What speaks for another version of a document, and what for another paper of the same form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from twinset.finding.verify.differing import WordDifference
from twinset.finding.verify.valued_text import VALUES, Sort, ValuedText

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


SORTS: tuple[Sort, ...] = ("name", "date", "code", "number")
JOINING = 3
"""Letters at most of a word that joins numbers in words, such as "and"."""
UNCASED_NAME = 2
"""Words, or characters, that one exchanged name without capitals counts for at most."""
SLOT = 12
"""Words that a blank of a form is filled in with at most."""
STEM, ENDING = 4, 3
"""Letters that two forms of a name share at the start, and those that its endings have."""


@dataclass(frozen=True, slots=True)
class KindEvidence:
    """How many distinct values of each sort were exchanged for others, and out of how many.

    A value that stands in several places counts once. ``whole_date`` says that more of a date was
    exchanged than its day or its year, ``another_year`` that nothing but a year was at some place,
    and at another nothing but numbers; ``uncased`` counts the names without capitals that were
    exchanged, which are not among the values; ``labelled`` places after a colon, and ``filled``
    those where values stand in one text and nothing in the other; ``prose`` the other words that
    were exchanged; ``facts`` counts the places where something else is meant, and ``wording`` all
    words that differ and belong to no fact; ``words`` those of the shorter text, and ``density``
    is the share of values among them.
    """

    exchanged: dict[Sort, int]
    held: dict[Sort, int]
    whole_date: bool
    another_year: bool
    uncased: int
    labelled: int
    filled: int
    prose: int
    facts: int
    wording: int
    words: int
    density: float

    @property
    def values(self) -> int:
        """All exchanged values."""
        return sum(self.exchanged.values())

    @property
    def share(self) -> float:
        """Exchanged values, of all that the shorter text has."""
        return self.values / max(sum(self.held.values()), 1)


def evidence_of(
    left: ValuedText, right: ValuedText, places: Sequence[WordDifference]
) -> KindEvidence:
    """What the differences of two texts consist of."""
    slots = _slots(places)
    exchanged, held = {}, {}
    for sort in SORTS:
        ours, theirs = (text.values.get(sort, frozenset()) for text in (left, right))
        apart = len(_others(ours - right.vocabulary, theirs - left.vocabulary, sort))
        exchanged[sort] = max(apart, len(slots[sort]))
        held[sort] = max(min(len(ours), len(theirs)), exchanged[sort])
    uncased = exchanged_uncased(left, right, places)
    named = {place.where for place in uncased}
    labelled = filled = prose = wording = 0
    facts = len(named)
    for place in places:
        sides = (place.left_sorts, place.right_sorts)
        if place.where not in named:
            prose += min(sum(sort not in VALUES for sort in side) for side in sides)
            a, b, c, d = place.where
            wording += max(_wording(left, a, b), _wording(right, c, d))
            facts += _states_another(place)
        if max(map(len, sides)) <= SLOT:
            labelled += left.is_labelled(place.where[0]) and right.is_labelled(place.where[2])
        if not place.left or not place.right:
            filled += _is_value(place.left_sorts or place.right_sorts)
    shorter = left if len(left.words) <= len(right.words) else right
    words = len(shorter.words)
    density = sum(sort in VALUES for sort in shorter.sorts) / max(words, 1)
    whole_date = len(slots["date"]) > 1 or any(_is_whole(word) for word, _ in slots["date"])
    dates = whole_date, _is_for_another_year(places)
    names = sum(
        min(len(ours), len(theirs), UNCASED_NAME)
        for ours, theirs in {(place.left, place.right) for place in uncased}
    )
    return KindEvidence(
        exchanged, held, *dates, names, labelled, filled, prose, facts, wording, words, density
    )


def _wording(text: ValuedText, begin: int, end: int) -> int:
    """The words of a place that belong to no fact.

    A capital beside a value is a part of a name or an address, the word behind a value its unit or
    what it counts, and short words join the parts of a number: "vingt et un", "mil e cem".
    """
    sorts, count = text.sorts, 0
    states = any(sort in VALUES for sort in sorts[begin:end])
    belongs = begin > 0 and sorts[begin - 1] == "number" and "number" in sorts[begin:end]
    for at in range(begin, end):
        behind_value = at > begin and sorts[at - 1] in VALUES
        belongs = (
            sorts[at] in VALUES
            or (states and text.written[at][0].isupper())
            or (belongs and (behind_value or len(text.words[at]) <= JOINING))
        )
        count += not belongs
    return count


def _states_another(place: WordDifference) -> bool:
    """Whether both sides have values, and not the same name in two cases or with a slip."""
    if {*place.left_sorts, *place.right_sorts} == {"name"}:
        return bool(_others(place.left, place.right, "name"))
    return any(sort in VALUES for sort in place.left_sorts) and any(
        sort in VALUES for sort in place.right_sorts
    )


def _slots(places: Sequence[WordDifference]) -> dict[Sort, set[tuple[str, str]]]:
    """What stands for what at one place of both texts, by sort."""
    slots: dict[Sort, set[tuple[str, str]]] = {sort: set() for sort in SORTS}
    for place in places:
        if max(len(place.left), len(place.right)) > SLOT:
            continue
        for sort in SORTS:
            ours, theirs = (
                [word for word, its in zip(words, sorts, strict=True) if its == sort]
                for words, sorts in (
                    (place.left, place.left_sorts),
                    (place.right, place.right_sorts),
                )
            )
            slots[sort].update(_others(ours, theirs, sort))
    return slots


def _others(ours: Iterable[str], theirs: Iterable[str], sort: Sort) -> list[tuple[str, str]]:
    """Pairs of values that stand for each other; slips and forms of a name are the same one."""
    first, second = set(ours), set(theirs)
    left, right = sorted(first - second), sorted(second - first)
    if sort == "name":
        left, right = (
            [word for word in words if not any(_same_name(word, other) for other in others)]
            for words, others in ((left, right), (right, left))
        )
    return list(zip(left, right, strict=False))


def exchanged_names(left: frozenset[str], right: frozenset[str]) -> list[tuple[str, str]]:
    """Names of one text that stand for other ones of the other text."""
    return _others(left, right, "name")


def _same_name(word: str, other: str) -> bool:
    """Whether two words may be one name in two cases, or with a slip."""
    shorter = min(len(word), len(other))
    if shorter < STEM or abs(len(word) - len(other)) > ENDING:
        return False
    stem = max(STEM, shorter - ENDING + 1)
    if word[:stem] == other[:stem]:
        return True
    from rapidfuzz.distance import DamerauLevenshtein

    return DamerauLevenshtein.distance(word, other, score_cutoff=1) <= 1


def _is_whole(word: str) -> bool:
    """Whether the word is a month, or a date with its month."""
    return not word.isdigit()


def _is_for_another_year(places: Sequence[WordDifference]) -> bool:
    """Whether a year was exchanged, and a number elsewhere, each with no word around it."""
    years = numbers = False
    for place in places:
        sorts = {*place.left_sorts}
        if len(place.left) != len(place.right) or {*place.right_sorts} != sorts:
            continue
        years |= sorts == {"date"} and all(map(_is_year, place.left + place.right))
        numbers |= sorts == {"number"}
    return years and numbers


def _is_year(word: str) -> bool:
    return word.isdigit() and len(word) == 4


def _is_value(sorts: Sequence[Sort]) -> bool:
    return len(sorts) <= SLOT and 2 * sum(sort in VALUES for sort in sorts) > len(sorts)
