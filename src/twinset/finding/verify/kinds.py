"""The kinds of copies: what two documents that are alike are to each other.

- ``equal-bytes``: the same file.
- ``equal-words``: the same words in the same lines; case and punctuation play no part.
- ``equal-layout``: the same words but for line ends, page headers and numbers, and list numbers.
- ``revision``: another version of the document; sentences, figures or wording differ.
- ``part``: one is a part of the other, which says much more.
- ``same-form``: another document of the same form; what it is about differs (who, when, which).

The hard line is that between a version and another document of the same form: both may differ in
a few words alone. Names, dates and identifiers say what a document is about, so that two papers of
a form differ in several of them together and in little else, whereas a new version keeps nearly
all. To call an invoice a version of another one costs somebody a document; the other mistake costs
a look. So what is in doubt is a form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from twinset.finding.verify.differing import WordDifference, differences
from twinset.finding.verify.evidence import KindEvidence, evidence_of, exchanged_names
from twinset.finding.verify.valued_text import ValuedText, ValueSets
from twinset.model.kinds import Kind

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
RUN = 8
"""Words in a row that are no chance."""


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
        return "equal-layout"
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
    return values + len(exchanged_names(left.names - theirs_all, right.names - ours_all)) >= needed


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
    runs = _runs(left, right, places)
    long_runs = [run for run in runs if run[2] >= min(RUN, shorter)]
    held = sum(size for *_, size in long_runs) / max(shorter, 1)
    foreign = evidence.exchanged["date"] + evidence.exchanged["code"]
    if held < (FRAMED if not foreign else HELD) or not long_runs:
        return False
    begins = [run[1 - side] for run in long_runs]
    ends = [run[1 - side] + run[2] for run in long_runs]
    in_one_piece = max(ends) - min(begins) <= 1.3 * shorter
    return in_one_piece or shorter <= SCATTERED_PART * longer


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
