"""The kinds of copies: what two documents that are alike are to each other.

- ``equal-bytes``: the same file.
- ``equal-words``: the same words in the same lines; case and punctuation play no part, but for
  signs that mean something else, as in C++ and C#.
- ``equal-layout``: the same words but for line ends, page headers and numbers, and list numbers.
- ``revision``: another version of the document; sentences, figures or wording differ.
- ``part``: one is a part of the other, which says much more.
- ``same-form``: another document of the same form; what it is about differs (who, when, which).
- ``same-meaning``: of pairs by vectors those whose words alone would make no pair.

The hard line is that between a version and another document of the same form: both may differ in
a few words alone. Names, dates and identifiers say what a document is about, so that two papers of
a form differ in several of them together and in little else, whereas a new version keeps nearly
all. To call an invoice a version of another one costs somebody a document; the other mistake costs
a look. So what is in doubt is a form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from twinset.finding.verify.differing import WordDifference, differences
from twinset.finding.verify.valued_text import VALUES, Sort, ValuedText, ValueSets
from twinset.model.flow import Kind

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
    density = sum(map(shorter.sorts.count, VALUES)) / max(words, 1)
    # A month, or a date with its month, is more than digits.
    whole_date = len(slots["date"]) > 1 or any(not word.isdigit() for word, _ in slots["date"])
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
            or (states and text.is_capital(at))
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
        for sort in {*place.left_sorts} & {*place.right_sorts} & slots.keys():
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


WHOLE_NAME = 2
"""Exchanged words of names from which on somebody else is meant."""
SHORT = 150
"""Words of a text in which one other name makes another document."""
FORM_SHARE = 0.3
"""Values exchanged, of all, from which on the rest of the text does not matter."""
DENSE = 0.25
"""Values among the words of a paper that consists of them, as a payslip does."""
PART, SCATTERED_PART = 0.6, 0.35
"""The length of a part, of the whole: one passage, or several that stand apart."""
HELD, FRAMED = 0.9, 0.75
"""Words of a part that the whole has: all but slips, or with a frame around a quotation."""
COMMON = 0.45
"""Runs of three words that versions of a text share at least; fewer make another document."""
DATED_COMMON = 0.7
"""The same where another date stands in its place, as in the minutes of two meetings."""
REST_COMMON = 0.65
"""The same for what is left of two texts without the lines that many texts have in common."""
FORM_WORDS = 0.5
"""Distinct words that papers of one form share at least: 0.56 in those of ten languages that
differ in facts alone (``tests/verify/fact_cases.toml``)."""
RUN = 8
"""Words in a row that are no chance."""
LEAST_PAGE = 3
"""Words of a page, slide or sheet from which on it is looked for."""


def kind_of(
    left: str | ValuedText,
    right: str | ValuedText,
    common: float = COMMON,
) -> Kind:
    """What two texts that are alike are to each other; versions share ``common`` at least.

    >>> lease = "The rent is 10,200 pounds a year, and the term is six years."
    >>> kind_of(lease, lease.replace("10,200", "10,800"))
    'revision'
    """
    first = ValuedText(left) if isinstance(left, str) else left
    second = ValuedText(right) if isinstance(right, str) else right
    if first.words == second.words:
        return "equal-words" if first.lines == second.lines else "equal-layout"
    places = differences(first, second)
    if not places:
        # What pages carry is less than their text: a column of words that repeat is no head.
        shorter, longer = sorted(sum(map(len, text.words)) for text in (first, second))
        return "equal-layout" if shorter > PART * longer else "part"
    evidence = evidence_of(first, second, places)
    if _is_part(first, second, places, evidence):
        return "part"
    common = max(common, DATED_COMMON) if evidence.whole_date else common
    if _is_form(evidence) or _share_little(first, second, places, common):
        return "same-form"
    return "revision"


def surely_form(left: ValueSets, right: ValueSets) -> bool:
    """Whether `kind_of` would say so by the values alone: quick, for crowds of papers of a form."""
    shorter, longer = sorted((left.words, right.words))
    ours_all, theirs_all = left.vocabulary, right.vocabulary
    if shorter <= PART * longer or ours_all is None or theirs_all is None:
        return False
    sides = (
        (left.dates, right.dates),
        (left.codes, right.codes),
        (left.numbers, right.numbers),
    )
    dates, codes, numbers = (
        min(len(ours - theirs_all), len(theirs - ours_all)) for ours, theirs in sides
    )
    names = min(len(left.names), len(right.names))
    held = names + sum(min(len(ours), len(theirs)) for ours, theirs in sides)
    values, needed = dates + codes + numbers, max(3, FORM_SHARE * held)
    if dates + codes == 0 or values + names < needed:
        return False
    if values >= needed:
        return True
    exchanged = _others(left.names - theirs_all, right.names - ours_all, "name")
    return values + len(exchanged) >= needed


def has_other_words(left: ValuedText, right: ValuedText) -> bool:
    """Whether two texts are too far apart in their words to be papers of one form."""
    least = min(len(left.vocabulary), len(right.vocabulary))
    return len(left.vocabulary & right.vocabulary) < FORM_WORDS * least


class JudgedPair(NamedTuple):
    """The kind of a pair, None where nobody compared it; ``at_sight`` by its values alone."""

    kind: Kind | None
    at_sight: bool = False


def judged_pairs(
    texts: Sequence[str], pairs: Sequence[tuple[int, int]], only_at_sight: bool, common: float
) -> list[JudgedPair]:
    """The kinds of pairs of these texts, each of which is cut up once; for other processes."""
    cut = [ValuedText(text) for text in texts]
    return [judged_pair(cut[left], cut[right], only_at_sight, common) for left, right in pairs]


def judged_pair(
    left: ValuedText, right: ValuedText, only_at_sight: bool, common: float = COMMON
) -> JudgedPair:
    """The kind of a pair that has other words; where it is asked for, a short look has to do."""
    if surely_form(left.value_sets, right.value_sets):
        return JudgedPair("same-form", at_sight=True)
    return JudgedPair(None if only_at_sight else kind_of(left, right, common=common))


def _share_little(
    left: ValuedText, right: ValuedText, places: Sequence[WordDifference], common: float
) -> bool:
    """Whether few runs of words of the shorter text are in the other one, in whatever order."""
    is_left = len(left.words) <= len(right.words)
    words = len(left.words if is_left else right.words)
    other = sum(len(place.left if is_left else place.right) for place in places)
    if words - other - 2 * (len(places) + 1) >= common * words:
        return False  # they share more than that in one order already
    least = min(len(left.runs), len(right.runs))
    return bool(least) and len(left.runs & right.runs) < common * least


def _is_form(evidence: KindEvidence) -> bool:
    """Whether it is about something else rather than said otherwise."""
    names, codes = evidence.exchanged["name"], evidence.exchanged["code"]
    numbers, dated = evidence.exchanged["number"], evidence.exchanged["date"] > 0
    values, share = evidence.values, evidence.share
    if evidence.facts and not evidence.wording:
        return True
    only_values = evidence.prose <= values + evidence.uncased
    identified = names > 0 or codes > 0 or dated
    if identified and values >= 3 and share >= FORM_SHARE:
        return True
    if evidence.another_year:  # the same paper for another period, whatever was added to it
        return True
    if not only_values:
        return False
    names += evidence.uncased
    if names >= WHOLE_NAME or evidence.filled >= 2:
        return True
    if identified and evidence.labelled >= 2:
        return True
    if names and (evidence.words < SHORT or dated or codes or numbers > 1):
        return True
    if codes and (dated or numbers > 1):
        return True
    if evidence.whole_date and evidence.density >= DENSE:
        return True
    return numbers >= 4 and numbers >= 0.6 * evidence.held["number"] and evidence.density >= DENSE


def _is_part(
    left: ValuedText, right: ValuedText, places: Sequence[WordDifference], evidence: KindEvidence
) -> bool:
    """Whether the shorter text lies in the longer one, which says much more."""
    side = 0 if len(left.words) <= len(right.words) else 1
    shorter, longer = sorted((len(left.words), len(right.words)))
    if shorter > PART * longer:
        return False
    long_runs = [run for run in _runs(left, right, places) if run[2] >= min(RUN, shorter)]
    held = sum(size for *_, size in long_runs) / max(shorter, 1)
    foreign = evidence.exchanged["date"] + evidence.exchanged["code"]
    if held < (FRAMED if not foreign else HELD) or not long_runs:
        return False
    begins = [run[1 - side] for run in long_runs]
    ends = [run[1 - side] + run[2] for run in long_runs]
    in_one_piece = max(ends) - min(begins) <= 1.3 * shorter
    return in_one_piece or shorter <= SCATTERED_PART * longer


def pages_with(part: str, whole: str) -> list[int]:
    """The pages of a text, with form feeds between them, on which a part of it stands; from 1.

    A page counts by words in a row that no other page has: running heads tell nothing, and one run
    may be such a head and the word behind it. A page no longer than a run counts as a whole.
    """
    pages = [ValuedText(page).words for page in whole.split("\f")]
    sizes = {size for page in pages if (size := min(RUN, len(page))) >= LEAST_PAGE}
    words = ValuedText(part).words
    held = {run for size in sizes for run in _in_a_row(words, size)}
    found = [held.intersection(_in_a_row(page, min(RUN, len(page)))) for page in pages]
    times = Counter(run for runs in found for run in runs)
    own = [sum(times[run] == 1 for run in runs) for runs in found]
    return [n for n, page in enumerate(pages, 1) if own[n - 1] > (len(page) > RUN)]


def _in_a_row(words: Sequence[str], size: int) -> Iterable[tuple[str, ...]]:
    return zip(*(words[begin:] for begin in range(size)), strict=False) if size else ()


def _runs(
    left: ValuedText, right: ValuedText, places: Sequence[WordDifference]
) -> list[tuple[int, int, int]]:
    """The equal words between the differences: where they begin on both sides, and how many."""
    runs = []
    a = c = 0
    for place in places:
        begin, end, other_begin, other_end = place.where
        runs.append((a, c, min(begin - a, other_begin - c)))
        a, c = end, other_end
    runs.append((a, c, min(len(left.words) - a, len(right.words) - c)))
    return [run for run in runs if run[2] > 0]
